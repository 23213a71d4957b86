//! StorageClasses: who makes the volumes of a claim, and how.

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::qualified_names;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy of StorageClasses.
#[derive(Debug)]
pub(super) struct StorageClasses;

impl Strategy for StorageClasses {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[
            ("provisioner", Printed::Null),
            ("parameters", Printed::Null),
            ("reclaimPolicy", Printed::Null),
            ("volumeBindingMode", Printed::Null),
        ]
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::text("Provisioner", ".provisioner", ""),
            Column::text("ReclaimPolicy", ".reclaimPolicy", "Delete"),
            Column::text("VolumeBindingMode", ".volumeBindingMode", "Immediate"),
            Column::computed("AllowVolumeExpansion", |class| (class["allowVolumeExpansion"] == true).into()),
            Column::age(),
        ]
    }
}

/// What is wrong with a StorageClass.
fn errors(object: &Object) -> Vec<FieldError> {
    let provisioner = Field::of(object, "provisioner");
    let mut errors: Vec<FieldError> = provisioner.required().into_iter().collect();
    if !provisioner.is_empty() {
        let lower = provisioner.text().to_lowercase();
        let wrong = qualified_names::key(&lower);
        errors.extend(wrong.iter().map(|why| FieldError::invalid_text(&provisioner.path, &lower, why)));
    }
    let parameters = Field::of(object, "parameters");
    if parameters.value.as_object().is_some_and(|all| all.keys().any(String::is_empty)) {
        errors.push(parameters.wrong_text("field can not be empty."));
    }
    errors.extend(Field::of(object, "reclaimPolicy").one_of(&["Delete", "Retain"]));
    errors.extend(Field::of(object, "volumeBindingMode").one_of(&["Immediate", "WaitForFirstConsumer"]));
    for term in Field::of(object, "allowedTopologies").items() {
        for expression in term.field("matchLabelExpressions").items() {
            errors.extend(expression.field("values").required());
            errors.extend(expression.field("key").named(qualified_names::key));
        }
    }
    errors
}
