//! PriorityClasses: how important a pod is.

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy of PriorityClasses.
#[derive(Debug)]
pub(super) struct PriorityClasses;

impl Strategy for PriorityClasses {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("value", Printed::Forbidden("may not be changed in an update.")), ("preemptionPolicy", Printed::Value)]
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::number("Value", ".value"),
            Column::computed("Global-Default", |class| (class["globalDefault"] == true).into()).typed("boolean"),
            Column::age(),
            Column::text("PreemptionPolicy", ".preemptionPolicy", ""),
        ]
    }
}

/// What is wrong with a PriorityClass.
fn errors(object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (name, value) = (object.name(), Field::of(object, "value"));
    if name.starts_with(SYSTEM_PREFIX) && !SYSTEM_CLASSES.contains(&name) {
        let why = format!(
            "priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system use only. error: {name} is not a known system priority class"
        );
        errors.push(FieldError::forbidden("metadata.name", &why));
    } else if value.value.as_i64().is_some_and(|value| value > PRIORITY_MAX) && !SYSTEM_CLASSES.contains(&name) {
        let why = format!("maximum allowed value of a user defined priority is {PRIORITY_MAX}");
        errors.push(value.forbidden(&why));
    }
    errors.extend(Field::of(object, "preemptionPolicy").one_of(&["PreemptLowerPriority", "Never"]));
    errors
}

const SYSTEM_PREFIX: &str = "system-";
const SYSTEM_CLASSES: &[&str] = &["system-node-critical", "system-cluster-critical"];

/// What is above is the system's.
const PRIORITY_MAX: i64 = 1_000_000_000;
