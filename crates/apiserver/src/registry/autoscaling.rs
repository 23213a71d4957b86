//! `autoscaling`: how many replicas there are to be.

mod horizontal_pod_autoscalers;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "horizontalpodautoscalers" => &horizontal_pod_autoscalers::HorizontalPodAutoscalers,
        _ => return None,
    })
}
