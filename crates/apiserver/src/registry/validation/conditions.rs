//! Conditions of a status, where kube-apiserver checks them: of most kinds it does not.

use crate::registry::validation::field::Field;
use crate::registry::validation::rules::{self, Rule, Rules};
use crate::response::status::FieldError;

/// What is wrong with a list of conditions.
pub(crate) fn errors(list: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, mut taken) = (Vec::new(), Vec::new());
    for condition in list.items() {
        let kind = condition.field("type");
        if taken.contains(&kind.text()) {
            errors.push(FieldError::duplicate(&condition.path, &kind.value.to_string()));
        }
        taken.push(kind.text());
        errors.extend(rules::errors(&condition, CONDITION));
    }
    errors
}

const CONDITION: Rules = &[
    ("type", Rule::Key),
    ("status", Rule::Choice(&["False", "True", "Unknown"])),
    ("lastTransitionTime", Rule::Required),
    ("reason", Rule::Required),
];
