//! Events: each is in the namespace of its object, and those in the new form have all required fields.

use serde_json::Value;

use super::field::Field;
use super::qualified_names;
use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::response::status::FieldError;

/// What is wrong with an event.
pub(super) fn event(kind: &Kind, object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let field = if kind.group.is_empty() { "involvedObject" } else { "regarding" };
    let about = object.get(field).and_then(|about| about.get("namespace")).and_then(Value::as_str).unwrap_or_default();
    let home = object.meta("namespace");
    // What is in no namespace has its events in the default one, or in the system's where they are written the new way; there
    // an event may also be elsewhere than what it is about.
    let is_new = !Field::of(object, "eventTime").is_empty();
    let is_misplaced = match about {
        "" => !(home == "default" || is_new && home == "kube-system"),
        about => !is_new && about != home,
    };
    if is_misplaced {
        errors.push(FieldError::invalid_text("involvedObject.namespace", about, "does not match event.namespace"));
    }
    if !kind.group.is_empty() {
        errors.extend(new_way(object));
    }
    errors
}

/// An event of `events.k8s.io` has to say when, who and what.
fn new_way(object: &Object) -> Vec<FieldError> {
    let time = Field::of(object, "eventTime");
    if let Some(error) = time.required() {
        return [Some(error), kind_of_event(object)].into_iter().flatten().collect();
    }
    let mut errors = Vec::new();
    let (by, instance) = (object.text("reportingController"), object.text("reportingInstance"));
    if by.is_empty() {
        errors.push(FieldError::required("reportingController", ""));
    }
    let wrong = if by.is_empty() { Vec::new() } else { qualified_names::key(by) };
    errors.extend(wrong.iter().map(|why| FieldError::invalid_text("reportingController", by, why)));
    errors.extend(Field::of(object, "reportingInstance").required());
    errors.extend(at_most("reportingInstance", instance, INSTANCE_MAX));
    for (field, most) in [("action", ACTION_MAX), ("reason", REASON_MAX)] {
        errors.extend(Field::of(object, field).required());
        errors.extend(at_most(field, object.text(field), most));
    }
    errors.extend(at_most("message", object.text("note"), NOTE_MAX));
    errors.extend(kind_of_event(object));
    errors
}

fn kind_of_event(object: &Object) -> Option<FieldError> {
    let found = object.text("type");
    let is_known = matches!(found, "Normal" | "Warning");
    (!is_known).then(|| FieldError::invalid_text("type", "", &format!("has invalid value: {found}")))
}

fn at_most(field: &str, text: &str, most: usize) -> Option<FieldError> {
    let is_longer = text.len() > most;
    is_longer.then(|| FieldError::invalid_text(field, "", &format!("can have at most {most} characters")))
}

/// kube-apiserver's limits.
const INSTANCE_MAX: usize = 128;
const ACTION_MAX: usize = 128;
const REASON_MAX: usize = 128;
const NOTE_MAX: usize = 1024;
