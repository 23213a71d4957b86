//! Custom resources on their way to the store: brought into the shape of their schema, and checked against it.

use serde_json::Value;

use crate::cluster::Subject;
use crate::crd::{shape as shapes, validate};
use crate::kinds::Kind;
use crate::object::Object;
use crate::status::FieldError;

/// Brings an object into shape; returns what a strict reader says about what was taken out.
pub(crate) fn shape(kind: &Kind, value: &mut Value) -> Vec<String> {
    let Some(schema) = &kind.schema else { return Vec::new() };
    let unknown = shapes::shape(schema, value);
    unknown.into_iter().map(|path| format!("unknown field {path:?}")).collect()
}

/// The value at a path such as `spec.list[0].name`.
fn at<'a>(object: &'a Object, path: &str) -> Option<&'a Value> {
    let mut steps = path.split(['.', '[']).map(|step| step.trim_end_matches(']'));
    let first = object.get(steps.next()?)?;
    steps.try_fold(first, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    })
}

/// Where an object does not fit its schema; what was wrong before and is as it was may stay so.
pub(crate) fn errors(subject: &Subject, before: Option<&Object>, object: &Object) -> Vec<FieldError> {
    let Some(schema) = &subject.kind.schema else { return Vec::new() };
    let errors_of = |object: &Object| -> Vec<FieldError> {
        let value = object.clone().into_value();
        match subject.part.as_deref() {
            Some("status") => validate::status_errors(schema, &value),
            _ => validate::errors(schema, &value),
        }
    };
    let mut errors = errors_of(object);
    if let Some(before) = before.filter(|_| !errors.is_empty()) {
        let known: Vec<String> = errors_of(before).iter().map(FieldError::text).collect();
        errors.retain(|error| !known.contains(&error.text()) || at(before, error.field()) != at(object, error.field()));
    }
    errors
}
