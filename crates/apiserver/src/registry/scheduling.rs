//! `scheduling.k8s.io`: which pods come first.

mod priority_classes;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "priorityclasses" => &priority_classes::PriorityClasses,
        _ => return None,
    })
}
