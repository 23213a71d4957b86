//! What a person can do about a call that keeps failing.
//!
//! In: the error, what was asked for and where. Out: the end of a line in the log. The error itself says what is wrong;
//! this says what to change, and nothing where the error says that already.

use std::fmt;

use pintle_client::error::ErrorKind;
use pintle_client::{Api, Error};
use pintle_core::Resource;
use pintle_core::call::Target;

/// What is called, and with which verbs.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    target: Target,
    verbs: &'static str,
}

impl Calls {
    pub(crate) fn new<K: Resource>(api: &Api<K>, verbs: &'static str) -> Self {
        let target = Target::parse(api.resource_url()).unwrap_or_default();
        Self { target, verbs }
    }

    /// What to do about `error`, as `; …`; nothing if that is not known.
    pub(crate) fn remedy(&self, error: &Error) -> String {
        let remedy = match error {
            Error::Api(status) if status.is_forbidden() => self.role(),
            Error::Api(status) if status.is_unauthorized() => {
                "the server does not accept the credentials: renew the token or certificate of the kubeconfig or service \
                 account"
                    .to_owned()
            }
            Error::Api(status) if status.is_not_found() && !error.to_string().contains("the server has no ") => {
                "is its CustomResourceDefinition installed?".to_owned()
            }
            Error::Api(_) => return String::new(),
            error => match error.kind() {
                ErrorKind::Unreachable => "is the server up, and its address right?".to_owned(),
                ErrorKind::Untrusted => "is the certificate authority of the configuration that of the server?".to_owned(),
                _ => return String::new(),
            },
        };
        format!("; {remedy}")
    }

    fn role(&self) -> String {
        let Self { target, verbs } = self;
        let role = match &target.namespace {
            Some(namespace) => format!("a Role in namespace {namespace}"),
            None => "a ClusterRole".to_owned(),
        };
        let group = &target.group;
        format!("{role} must grant {verbs} on {} of API group \"{group}\" to this program", target.plural)
    }
}

impl fmt::Display for Calls {
    /// As `documents.example.com in namespace default`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { group, plural, namespace, .. } = &self.target;
        f.write_str(plural)?;
        if !group.is_empty() {
            write!(f, ".{group}")?;
        }
        match namespace {
            Some(namespace) => write!(f, " in namespace {namespace}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use pintle_core::Status;

    use super::*;

    fn refused(code: u16, reason: &str) -> Error {
        Error::Api(Box::new(Status::failure("no", reason).with_code(code)))
    }

    #[test]
    fn a_missing_permission_names_the_verbs_the_resource_and_the_scope() {
        let calls = |path| Calls { target: Target::parse(path).unwrap(), verbs: "list and watch" };
        let forbidden = refused(403, "Forbidden");
        let leases = calls("/apis/coordination.k8s.io/v1/namespaces/prod/leases");
        assert_eq!(
            leases.remedy(&forbidden),
            "; a Role in namespace prod must grant list and watch on leases of API group \"coordination.k8s.io\" to this program"
        );
        assert_eq!(leases.to_string(), "leases.coordination.k8s.io in namespace prod");
        let pods = calls("/api/v1/pods");
        assert!(pods.remedy(&forbidden).starts_with("; a ClusterRole must grant list and watch on pods"));
        assert_eq!((pods.to_string(), pods.remedy(&refused(500, "InternalError"))), ("pods".to_owned(), String::new()));
        assert!(pods.remedy(&refused(401, "Unauthorized")).contains("credentials"));
        assert!(pods.remedy(&refused(404, "NotFound")).contains("CustomResourceDefinition"));
    }
}
