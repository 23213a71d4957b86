//! What is checked once more within a write, because only there is it known what the write does.
//!
//! In: the target of a write with its user, and the object. Out: nothing, or a refusal. What the server itself writes has
//! no user, and is not asked.

use super::GROUP;
use super::attributes::{Attributes, ResourceAttributes};
use super::escalation::RoleWrite;
use super::forbidden::forbidden;
use crate::cluster::{Cluster, ResolvedTarget};
use crate::codec::object::Object;
use crate::response::status::Answer;

impl Cluster {
    /// A PUT or an apply that creates its object must be allowed to create it.
    pub(crate) fn check_create_allowed(&self, target: &ResolvedTarget) -> Answer<()> {
        // A POST was asked for a create from the beginning.
        let (Some(user), Some(name)) = (&target.user, &target.name) else {
            return Ok(());
        };
        let requested = ResourceAttributes {
            group: target.kind.group.clone(),
            resource: target.kind.plural.clone(),
            subresource: String::new(),
            namespace: target.namespace.clone().unwrap_or_default(),
            name: name.clone(),
        };
        let attributes = Attributes::new("create", requested);
        let decision = self.authorizer.authorize(user, &attributes);
        if decision.is_allowed { Ok(()) } else { Err(forbidden(user, &attributes, &decision.reason)) }
    }

    /// A role or binding gives nothing that its writer does not have.
    pub(crate) fn check_role_write(&self, target: &ResolvedTarget, old: Option<&Object>, new: &Object) -> Answer<()> {
        let Some(user) = target.user.as_ref().filter(|_| target.kind.group == GROUP) else {
            return Ok(());
        };
        match self.authorizer.roles() {
            Some(roles) => RoleWrite { user, target, old, new }.check(&roles),
            None => Ok(()),
        }
    }
}
