//! The variable `authorizer`: questions of an expression, answered by the server's own authorizer.

use std::fmt;

use pintle_cel::{AccessCheck, Authorize, Decision, ResourceAttributes, Subject};

use crate::authorization;
use crate::authorization::attributes::{Attributes, Requested};
use crate::request::user::User;

/// Who may do what, for the variable `authorizer`.
pub(in crate::admission) struct Access<'a> {
    pub(in crate::admission) authorizer: &'a authorization::Authorizer,
    pub(in crate::admission) user: &'a User,
}

impl fmt::Debug for Access<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("user", &self.user.name).finish_non_exhaustive()
    }
}

impl Authorize for Access<'_> {
    fn authorize(&self, who: &Subject, what: &AccessCheck) -> Decision {
        let account;
        let user = match who {
            Subject::Requester => self.user,
            Subject::ServiceAccount { namespace, name } => {
                account = User::named(&format!("system:serviceaccount:{namespace}:{name}"), Vec::new());
                &account
            }
        };
        let attributes = match what {
            AccessCheck::Path { path, verb } => {
                Attributes { verb: verb.clone(), requested: Requested::Path(path.clone()) }
            }
            AccessCheck::Resource { resource, verb } => {
                let ResourceAttributes { group, resource, subresource, namespace, name, .. } = resource.clone();
                let requested =
                    authorization::attributes::ResourceAttributes { group, resource, subresource, namespace, name };
                Attributes::new(verb, requested)
            }
        };
        let decision = self.authorizer.authorize(user, &attributes);
        Decision { allowed: decision.is_allowed, reason: decision.reason, error: None }
    }
}
