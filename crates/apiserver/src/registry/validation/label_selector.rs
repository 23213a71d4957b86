//! Label selectors that stand in an object.

use crate::registry::validation::field::Field;
use crate::registry::validation::{metadata, qualified_names};
use crate::response::status::FieldError;

/// What is wrong with a label selector, wherever it stands.
pub(crate) fn errors(asked: &Field<'_>) -> Vec<FieldError> {
    let mut errors = metadata::labels(&asked.field("matchLabels").path, Some(asked.field("matchLabels").value));
    for expression in asked.field("matchExpressions").items() {
        let values = expression.field("values");
        match expression.field("operator").text() {
            "In" | "NotIn" => {
                errors.extend(values.required_because("must be specified when `operator` is 'In' or 'NotIn'"));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                errors.push(values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
            }
            "Exists" | "DoesNotExist" => {}
            _ => errors.push(expression.field("operator").wrong_text("not a valid selector operator")),
        }
        let key = expression.field("key");
        errors.extend(qualified_names::key(key.text()).iter().map(|why| key.wrong_text(why)));
    }
    errors
}
