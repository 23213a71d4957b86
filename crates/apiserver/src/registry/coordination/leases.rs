//! Leases: who leads, and for how long.

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::metadata::FinalizerRule;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy of Leases.
#[derive(Debug)]
pub(super) struct Leases;

impl Strategy for Leases {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        let spec = Field::of(object, "spec");
        let duration = spec.field("leaseDurationSeconds");
        let is_none = duration.value.as_i64().is_some_and(|seconds| seconds <= 0);
        let wrong = is_none.then(|| duration.wrong("must be greater than 0"));
        wrong.into_iter().chain(spec.field("leaseTransitions").not_negative()).collect()
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::text("Holder", ".spec.holderIdentity", ""), Column::age()]
    }
}
