//! `policy`: how many pods may be missing.

mod pod_disruption_budgets;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "poddisruptionbudgets" => &pod_disruption_budgets::PodDisruptionBudgets,
        _ => return None,
    })
}
