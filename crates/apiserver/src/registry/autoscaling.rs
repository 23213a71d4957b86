//! `autoscaling`: how many replicas there are to be.

mod horizontal_pod_autoscalers;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies =
    &[("horizontalpodautoscalers", &horizontal_pod_autoscalers::HorizontalPodAutoscalers)];
