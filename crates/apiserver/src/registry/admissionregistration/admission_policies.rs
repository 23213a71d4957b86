//! Admission policies and their bindings, mutating and validating.

use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::metadata::FinalizerRule;

/// The strategy of all four.
#[derive(Debug)]
pub(super) struct AdmissionPolicies;

impl Strategy for AdmissionPolicies {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn warnings(&self, _: Option<&Object>, _: &Object) -> Vec<String> {
        vec!["admission policies are stored, and not enforced by this server yet".to_owned()]
    }
}
