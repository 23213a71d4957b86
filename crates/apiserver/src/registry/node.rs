//! `node.k8s.io`: how a node runs containers.

mod runtime_classes;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "runtimeclasses" => &runtime_classes::RuntimeClasses,
        _ => return None,
    })
}
