//! What is checked once more within a write, because only there is it known what the write does.
//!
//! In: a write with its user, and the object. Out: nothing, or a refusal. The controllers of the server itself are users like
//! others: the roles that it begins with suffice for them.

use super::GROUP;
use super::attributes::{Attributes, ResourceAttributes};
use super::escalation::RoleWrite;
use super::forbidden::forbidden;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::registry::write::Write;
use crate::response::status::Answer;

impl Write<'_> {
    /// A PUT or an apply that creates its object must be allowed to create it.
    pub(crate) fn check_create_allowed(&self, snapshot: &ClusterSnapshot) -> Answer<()> {
        let target = &self.target;
        // A POST was asked for a create from the beginning.
        let Some(name) = &target.name else {
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
        let decision = snapshot.authorizer.authorize(self.user, &attributes);
        if decision.is_allowed { Ok(()) } else { Err(forbidden(self.user, &attributes, &decision.reason)) }
    }

    /// A role or binding gives nothing that its writer does not have.
    pub(crate) fn check_role_write(
        &self,
        snapshot: &ClusterSnapshot,
        old: Option<&Object>,
        new: &Object,
    ) -> Answer<()> {
        if self.target.kind.group != GROUP {
            return Ok(());
        }
        match snapshot.authorizer.roles() {
            Some(roles) => RoleWrite { user: self.user, target: &self.target, old, new }.check(&roles),
            None => Ok(()),
        }
    }
}
