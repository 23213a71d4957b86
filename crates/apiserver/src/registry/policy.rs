//! `policy`: how many pods may be missing.

mod pod_disruption_budgets;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[("poddisruptionbudgets", &pod_disruption_budgets::PodDisruptionBudgets)];
