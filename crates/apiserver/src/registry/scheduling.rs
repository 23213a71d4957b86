//! `scheduling.k8s.io`: which pods come first.

mod priority_classes;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[("priorityclasses", &priority_classes::PriorityClasses)];
