//! APIServices: which server serves a version of a group.

use crate::managed_fields::ResetFields;
use crate::registry::strategy::Strategy;
use crate::registry::validation::metadata::FinalizerRule;

/// The strategy of APIServices.
#[derive(Debug)]
pub(super) struct ApiServices;

impl Strategy for ApiServices {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn status_reset_fields(&self) -> ResetFields {
        &[&["spec"], &["metadata"]]
    }
}
