//! LeaseCandidates: who would lead.

use crate::registry::strategy::Strategy;
use crate::registry::validation::metadata::FinalizerRule;

/// The strategy of LeaseCandidates.
#[derive(Debug)]
pub(super) struct LeaseCandidates;

impl Strategy for LeaseCandidates {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }
}
