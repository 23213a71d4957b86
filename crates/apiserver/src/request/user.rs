//! Who sends a request.
//!
//! In: what the authenticator found out (a token, a client certificate), or whom a `Server` handle is for. Out: a
//! [`User`]. Whom a request acts as instead is for `authorization::impersonation` to decide.

use std::sync::Arc;

use http::request::Parts;
use serde_json::{Map, Value, json};

use crate::authorization::decision::MASTERS;

/// The user that a request is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) name: String,
    uid: String,
    groups: Vec<String>,
    extra: Vec<(String, Vec<String>)>,
}

impl User {
    /// The user of a certificate or token: a name and its groups, plus the group of all authenticated users.
    pub(crate) fn new(name: &str, groups: impl IntoIterator<Item = String>) -> User {
        User::bare(name, groups.into_iter().collect()).authenticated()
    }

    /// Whom a test calls by a name: in these groups, or in those that come with the name, and known unless anonymous.
    pub(crate) fn of(name: &str, groups: &[&str]) -> User {
        let user = User::named(name, groups.iter().map(ToString::to_string).collect());
        if user.is_anonymous() { user } else { user.authenticated() }
    }

    /// A user in these groups only; if none are given, in those that come with the name.
    pub(crate) fn named(name: &str, groups: Vec<String>) -> User {
        let groups = match (User::service_account_of(name), name) {
            _ if !groups.is_empty() => groups,
            (Some((namespace, _)), _) => service_account_groups(namespace),
            (None, ANONYMOUS) => vec![UNAUTHENTICATED.to_owned()],
            (None, _) => Vec::new(),
        };
        User::bare(name, groups)
    }

    /// A user whose groups are exactly these.
    pub(crate) fn bare(name: &str, groups: Vec<String>) -> User {
        User { name: name.to_owned(), uid: String::new(), groups, extra: Vec::new() }
    }

    /// The user of requests through the server's own handle.
    pub(crate) fn administrator() -> User {
        User::new("kubernetes-admin", [MASTERS.to_owned()])
    }

    /// The user of requests without credentials.
    pub(crate) fn anonymous() -> User {
        User::named(ANONYMOUS, Vec::new())
    }

    /// A service account that shows a token, and name and uid of the pod that it is bound to, if to any.
    pub(crate) fn service_account(
        namespace: &str,
        name: &str,
        uid: &str,
        token: &str,
        pod: Option<(&str, &str)>,
    ) -> User {
        let field = |key: &str, value: String| (format!("{EXTRA}{key}"), vec![value]);
        let mut extra = vec![field("credential-id", format!("JTI={token}"))];
        if let Some((name, uid)) = pod {
            extra.extend([field("pod-name", name.to_owned()), field("pod-uid", uid.to_owned())]);
        }
        User::new(&format!("{SERVICE_ACCOUNT}{namespace}:{name}"), service_account_groups(namespace))
            .with_uid(uid)
            .with_extra(extra)
    }

    /// A controller of the cluster itself.
    pub(crate) fn controller(name: &str) -> User {
        match name {
            "apiserver" => User::new("system:apiserver", [MASTERS.to_owned()]),
            "kube-scheduler" => User::new("system:kube-scheduler", []),
            "kubelet" => User::new("system:node:pintle", ["system:nodes".to_owned()]),
            _ => User::new(&format!("{SERVICE_ACCOUNT}kube-system:{name}"), service_account_groups("kube-system")),
        }
    }

    /// The user that a request acts as; who is not known is anonymous.
    pub(crate) fn of_request(parts: &Parts) -> Arc<User> {
        parts.extensions.get::<Arc<User>>().cloned().unwrap_or_else(|| Arc::new(User::anonymous()))
    }

    /// The same, in the group of all authenticated users.
    pub(crate) fn authenticated(mut self) -> User {
        if !self.is_in(AUTHENTICATED) {
            self.groups.push(AUTHENTICATED.to_owned());
        }
        self
    }

    pub(crate) fn with_uid(self, uid: &str) -> User {
        User { uid: uid.to_owned(), ..self }
    }

    pub(crate) fn with_extra(self, extra: Vec<(String, Vec<String>)>) -> User {
        User { extra, ..self }
    }

    /// The same, shown by a credential that has this name.
    #[cfg(feature = "serve")]
    pub(crate) fn with_credential_id(self, id: &str) -> User {
        self.with_extra(vec![(format!("{EXTRA}credential-id"), vec![id.to_owned()])])
    }

    pub(crate) fn groups(&self) -> &[String] {
        &self.groups
    }

    pub(crate) fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|known| known == group)
    }

    pub(crate) fn is_anonymous(&self) -> bool {
        self.name == ANONYMOUS || self.is_in(UNAUTHENTICATED)
    }

    /// Namespace and name of the service account that has this user name.
    pub(crate) fn service_account_of(user: &str) -> Option<(&str, &str)> {
        let (namespace, name) = user.strip_prefix(SERVICE_ACCOUNT)?.split_once(':')?;
        (!namespace.is_empty() && !name.is_empty() && !name.contains(':')).then_some((namespace, name))
    }

    /// The user as a refusal in Go shows it: name, uid, groups and extras, in this order and without their names.
    pub(crate) fn as_go_prints(&self) -> String {
        let mut extra: Vec<String> =
            self.extra.iter().map(|(key, values)| format!("{key}:[{}]", values.join(" "))).collect();
        extra.sort();
        format!("&{{{} {} [{}] map[{}]}}", self.name, self.uid, self.groups.join(" "), extra.join(" "))
    }

    /// The user as reviews print it.
    pub(crate) fn info(&self) -> Value {
        let mut info = json!({"username": self.name, "groups": self.groups});
        if !self.uid.is_empty() {
            info["uid"] = self.uid.as_str().into();
        }
        if !self.extra.is_empty() {
            let extra: Map<String, Value> =
                self.extra.iter().map(|(key, values)| (key.clone(), json!(values))).collect();
            info["extra"] = extra.into();
        }
        info
    }
}

fn service_account_groups(namespace: &str) -> Vec<String> {
    vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")]
}

/// How the names of Kubernetes' own extra fields of users begin.
const EXTRA: &str = "authentication.kubernetes.io/";

/// How the user names of service accounts begin; namespace and name follow.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// The name of the user of requests without credentials.
pub(crate) const ANONYMOUS: &str = "system:anonymous";

/// The group of all authenticated users.
pub(crate) const AUTHENTICATED: &str = "system:authenticated";

/// The group of users without credentials.
pub(crate) const UNAUTHENTICATED: &str = "system:unauthenticated";
