//! RuntimeClasses: which runtime runs the containers of a pod.

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::metadata::FinalizerRule;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy of RuntimeClasses.
#[derive(Debug)]
pub(super) struct RuntimeClasses;

impl Strategy for RuntimeClasses {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        let handler = Field::of(object, "handler");
        match handler.required() {
            Some(error) => vec![error],
            None => handler.label(),
        }
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("handler", Printed::Null)]
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::text("Handler", ".handler", ""), Column::age()]
    }
}
