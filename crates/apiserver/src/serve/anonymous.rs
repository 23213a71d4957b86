//! The refusal for a request without credentials: not 401, but 403 for `system:anonymous`.
//!
//! In: a request. Out: the refusal that kube-apiserver gives to a user without any role binding. A wrong credential is the
//! authenticator's to refuse.

use http::request::Parts;
use pintle_core::call::Call;
use pintle_core::call::{Target, Verb};
use pintle_core::response::StatusDetails;

use crate::catalog::kinds::qualified;
use crate::response::status::{Refusal, refuse, refuse_plainly};

/// 403: this anonymous cannot do this.
pub(super) fn refused(parts: &Parts) -> Refusal {
    let Ok(call) = Call::parse(parts) else {
        let method = parts.method.as_str().to_lowercase();
        let why = format!("forbidden: User {NAME:?} cannot {method} path {:?}", parts.uri.path());
        return refuse_plainly(403, "Forbidden", &why);
    };
    let Target { group, plural, namespace, name, subresource, .. } = call.target;
    let verb = match call.verb {
        Verb::Patch(_) => "patch",
        verb => verb.as_str(),
    };
    let named = name.as_ref().map(|name| format!(" {name:?}")).unwrap_or_default();
    let resource = subresource.map_or_else(|| plural.clone(), |subresource| format!("{plural}/{subresource}"));
    let place =
        namespace.map_or_else(|| "at the cluster scope".to_owned(), |space| format!("in the namespace {space:?}"));
    let why = format!(
        "{}{named} is forbidden: User {NAME:?} cannot {verb} resource {resource:?} in API group {group:?} {place}",
        qualified(&plural, &group)
    );
    let details = StatusDetails { name: name.unwrap_or_default(), group, kind: plural, ..StatusDetails::default() };
    Box::new(refuse(403, "Forbidden", why).with_details(details))
}

const NAME: &str = "system:anonymous";
