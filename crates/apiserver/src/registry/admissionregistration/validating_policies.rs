//! ValidatingAdmissionPolicies: what they are about, and expressions that can be compiled.

use pintle_cel::{Environment, Type};

use crate::admission::expressions::{Authorization, environment};
use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::admissionregistration::admission_policies::{about, columns, composed, variables};
use crate::registry::admissionregistration::expressions;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::metadata::FinalizerRule;
use crate::registry::validation::qualified_names;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy.
#[derive(Debug)]
pub(super) struct ValidatingAdmissionPolicies;

impl Strategy for ValidatingAdmissionPolicies {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        columns("Validations", &[".spec.validations"])
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object.name(), &Field::of(object, "spec"))
    }
}

fn errors(name: &str, spec: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, params) = about(spec, |_| Vec::new());
    let full = environment(params, Authorization::Known);
    let (wrong, composition) = variables(&spec.field("variables"), &full);
    errors.extend(wrong);
    let compilers = Compilers {
        full: composed(full, composition.as_ref()),
        for_messages: composed(environment(params, Authorization::Unknown), composition.as_ref()),
    };
    let (validations, annotations) = (spec.field("validations"), spec.field("auditAnnotations"));
    if validations.is_empty() && annotations.is_empty() {
        let why = "validations or auditAnnotations must contain at least one item";
        errors.extend([&validations, &annotations].map(|field| FieldError::required(&field.path, why)));
        return errors;
    }
    errors.extend(validations.items().flat_map(|validation| compilers.validation(&validation)));
    if annotations.items().count() > AUDIT_ANNOTATIONS_MAX {
        errors.push(annotations.wrong(&format!("must not have more than {AUDIT_ANNOTATIONS_MAX} auditAnnotations")));
    }
    let mut seen: Vec<&str> = Vec::new();
    for annotation in annotations.items() {
        errors.extend(compilers.annotation(name, &annotation));
        let key = annotation.field("key");
        if seen.contains(&key.text()) {
            errors.push(FieldError::duplicate(&key.path, &key.value.to_string()));
        }
        seen.push(key.text());
    }
    errors
}

/// What the expressions of a policy may refer to.
struct Compilers {
    full: Environment,
    for_messages: Environment,
}

impl Compilers {
    fn validation(&self, validation: &Field<'_>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let expression = validation.field("expression");
        if expression.text().trim().is_empty() {
            errors.push(FieldError::required(&expression.path, "expression is not specified"));
        } else {
            errors.extend(expressions::not_compiled_in(&expression, &self.full, expression.text(), &[Type::Bool]));
        }
        let message = validation.field("messageExpression");
        if is_blank(&message) {
            errors.push(message.wrong_text("must be non-empty if specified"));
        } else if !message.is_empty() {
            errors.extend(expressions::not_compiled_in(&message, &self.for_messages, message.text(), &[Type::String]));
        }
        let message = validation.field("message");
        if is_blank(&message) {
            errors.push(message.wrong_text("must be non-empty if specified"));
        } else if message.text().trim().contains(['\n', '\r']) {
            errors.push(message.wrong_text("must not contain line breaks"));
        }
        let reason = validation.field("reason");
        let reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
        if !reason.value.is_null() && !reasons.contains(&reason.text()) {
            errors.push(FieldError::not_supported(&reason.path, reason.text(), &reasons));
        }
        errors
    }

    fn annotation(&self, policy: &str, annotation: &Field<'_>) -> Vec<FieldError> {
        let (key, value) = (annotation.field("key"), annotation.field("valueExpression"));
        let full_key = format!("{policy}/{}", key.text());
        let wrong = qualified_names::key(&full_key);
        let mut errors: Vec<FieldError> =
            wrong.iter().map(|why| FieldError::invalid_text(&key.path, &full_key, why)).collect();
        let text = value.text().trim();
        if text.is_empty() {
            errors.push(FieldError::required(&value.path, "valueExpression is not specified"));
        } else if text.len() > VALUE_EXPRESSION_MAX {
            let why = format!("must not exceed {VALUE_EXPRESSION_MAX} bytes in length");
            errors.push(FieldError::required(&value.path, &why));
        } else {
            errors.extend(expressions::not_compiled_in(&value, &self.full, text, &[Type::String, Type::Null]));
        }
        errors
    }
}

/// Whether a text is there and says nothing.
fn is_blank(field: &Field<'_>) -> bool {
    !field.is_empty() && field.text().trim().is_empty()
}

/// A policy has no more audit annotations than this.
const AUDIT_ANNOTATIONS_MAX: usize = 20;

/// The expression of an audit annotation is no longer than this: less than an annotation may be, because what it makes of
/// texts is often longer than itself.
const VALUE_EXPRESSION_MAX: usize = 5 * 1024;
