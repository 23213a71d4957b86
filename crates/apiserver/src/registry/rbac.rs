//! `rbac.authorization.k8s.io`: roles, and who has them. That nobody gives more than they have is checked in `authorization`.

mod role_bindings;
mod roles;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "clusterrolebindings" => &role_bindings::RoleBindings,
        "clusterroles" => &roles::ClusterRoles,
        "rolebindings" => &role_bindings::RoleBindings,
        "roles" => &roles::Roles,
        _ => return None,
    })
}
