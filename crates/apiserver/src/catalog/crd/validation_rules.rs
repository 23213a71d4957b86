//! The rules in CEL of a custom resource, in the words of kube-apiserver.
//!
//! In: the schema of a definition. Out: what keeps it from being installed, and what its rules say about an object that is
//! stored. Rules are compiled once, when the first object is checked; how they are evaluated is `pintle-cel`'s.

use std::sync::Arc;

use pintle_cel::{Root, RuleIssueKind, Rules, Validation, Violation, ViolationReason, rule_issues};
use serde_json::Value;

use crate::response::status::FieldError;

/// The rules of a schema, if it has any.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValidationRules(Option<Arc<Rules>>);

impl PartialEq for ValidationRules {
    /// They follow from the schema, which is compared.
    fn eq(&self, _: &ValidationRules) -> bool {
        true
    }
}

impl ValidationRules {
    pub(super) fn of(schema: &Value) -> ValidationRules {
        ValidationRules(Rules::read(schema, Root::Resource).map(Arc::new))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// What the rules say about an object, given what its schema already says.
    pub(crate) fn errors(&self, known: &[FieldError], object: &Value, before: Option<&Value>) -> Vec<FieldError> {
        let Some(rules) = &self.0 else { return Vec::new() };
        if known.iter().any(|error| BLOCKING.contains(&error.reason())) {
            let why = "some validation rules were not checked because the object was invalid; correct the existing errors \
                       to complete validation";
            return vec![FieldError::invalid("<nil>", "null", why)];
        }
        rules.validate(object, before).violations.iter().map(field_error).collect()
    }

    /// What no longer holds of what did not change.
    pub(crate) fn warnings(&self, object: &Value, before: &Value) -> Vec<String> {
        let Some(rules) = &self.0 else { return Vec::new() };
        let Validation { warnings, .. } = rules.validate(object, Some(before));
        warnings.iter().map(|warning| field_error(warning).text()).collect()
    }
}

/// Errors of a schema after which its rules could not be evaluated.
const BLOCKING: [&str; 5] =
    ["FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid"];

fn field_error(violation: &Violation) -> FieldError {
    let Violation { path, reason, value, detail, .. } = violation;
    let path = if path.is_empty() { "<nil>" } else { path };
    match (reason, value) {
        (ViolationReason::Forbidden, _) => FieldError::forbidden(path, detail),
        (ViolationReason::Required, _) => FieldError::required(path, detail),
        (ViolationReason::Duplicate, Some(value)) => FieldError::duplicate(path, value),
        (ViolationReason::Duplicate, None) => FieldError::duplicate_alone(path),
        (_, Some(value)) => FieldError::invalid(path, value, detail),
        (_, None) => FieldError::invalid_alone(path, detail),
    }
}

/// What the rules of a part of a schema say about its default, which stands at a path.
pub(super) fn default_errors(path: &str, schema: &Value, default: &Value) -> Vec<FieldError> {
    let Some(rules) = Rules::read(schema, Root::Part) else { return Vec::new() };
    let at = |violation: Violation| {
        let path = match violation.path.as_str() {
            below if below.is_empty() || below.starts_with('[') => format!("{path}{below}"),
            below => format!("{path}.{below}"),
        };
        field_error(&Violation { path, ..violation })
    };
    rules.validate(default, None).violations.into_iter().map(at).collect()
}

/// What keeps the rules of a schema at a path from being installed.
pub(super) fn issues(path: &str, schema: &Value) -> Vec<FieldError> {
    let issues = rule_issues(path, schema).into_iter().map(|issue| match &issue.kind {
        RuleIssueKind::Internal => FieldError::internal(&issue.path, &issue.detail),
        RuleIssueKind::Required => FieldError::required(&issue.path, &issue.detail),
        RuleIssueKind::Invalid(value) => FieldError::invalid(&issue.path, value, &issue.detail),
        RuleIssueKind::NotSupported(value, known) => FieldError::not_supported(&issue.path, value, known),
        _ => FieldError::forbidden(&issue.path, &issue.detail),
    });
    issues.collect()
}
