//! The words of a 403: who cannot do what, where, and what RBAC has to say about it.

use pintle_core::response::StatusDetails;

use super::attributes::{Attributes, Requested, ResourceAttributes};
use crate::catalog::kinds::qualified;
use crate::request::user::User;
use crate::response::status::{Refusal, refuse, refuse_plainly};

/// 403: this user cannot do this.
pub(crate) fn forbidden(user: &User, attributes: &Attributes, reason: &str) -> Refusal {
    let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let Attributes { verb, requested } = attributes;
    match requested {
        Requested::Path(path) => {
            let why = format!("forbidden: User {:?} cannot {verb} path {path:?}{because}", user.name);
            refuse_plainly(403, "Forbidden", &why)
        }
        Requested::Resource(requested) => {
            let why = format!(
                "forbidden: User {:?} cannot {verb} resource {:?} in API group {:?} {}{because}",
                user.name,
                requested.combined(),
                requested.group,
                place(requested)
            );
            of_resource(requested, &why)
        }
    }
}

/// 403: this is refused after the request itself was allowed; the refusal has nothing but the authorizer's reason, which may be empty.
pub(crate) fn forbidden_for(attributes: &Attributes, reason: &str) -> Refusal {
    let why = format!("forbidden: {reason}");
    match &attributes.requested {
        Requested::Path(_) => refuse_plainly(403, "Forbidden", &why),
        Requested::Resource(requested) => of_resource(requested, &why),
    }
}

fn place(requested: &ResourceAttributes) -> String {
    match requested.namespace.as_str() {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace {namespace:?}"),
    }
}

fn of_resource(requested: &ResourceAttributes, why: &str) -> Refusal {
    let ResourceAttributes { group, resource, name, .. } = requested;
    let subject = match (resource.as_str(), name.as_str()) {
        ("", _) => String::new(),
        (resource, "") => format!("{} is ", qualified(resource, group)),
        (resource, name) => format!("{} {name:?} is ", qualified(resource, group)),
    };
    let details =
        StatusDetails { name: name.clone(), group: group.clone(), kind: resource.clone(), ..StatusDetails::default() };
    Box::new(refuse(403, "Forbidden", format!("{subject}{why}")).with_details(details))
}
