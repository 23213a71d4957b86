//! `rbac.authorization.k8s.io`: roles, and who has them. That nobody gives more than they have is checked in `authorization`.

mod role_bindings;
mod roles;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("clusterrolebindings", &role_bindings::RoleBindings),
    ("clusterroles", &roles::ClusterRoles),
    ("rolebindings", &role_bindings::RoleBindings),
    ("roles", &roles::Roles),
];
