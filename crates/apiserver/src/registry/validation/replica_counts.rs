//! What controllers report: numbers of replicas that can be true together.

use crate::registry::validation::field::Field;
use crate::response::status::FieldError;

/// None is below zero, and no part is greater than the whole.
pub(crate) fn errors(status: &Field<'_>, counts: &[&str], parts: &[&str]) -> Vec<FieldError> {
    let number = |field: &str| status.field(field).value.as_i64().unwrap_or_default();
    let too_many = |field: &str, of: &str| {
        let why = format!("cannot be greater than {of}");
        FieldError::invalid(&format!("{}.{field}", status.path), &number(field).to_string(), &why)
    };
    let mut errors = status.none_negative(counts);
    for part in parts.iter().filter(|part| number(part) > number("replicas")) {
        errors.push(too_many(part, "status.replicas"));
    }
    if number("availableReplicas") > number("readyReplicas") {
        errors.push(too_many("availableReplicas", "readyReplicas"));
    }
    errors
}
