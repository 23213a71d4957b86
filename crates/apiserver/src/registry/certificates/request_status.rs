//! What was decided about a request for a certificate, and what came of it: its `status`.
//!
//! In: the status that was, and the one that was sent to `approval` or `status`. Out: the one that is stored, with the times that
//! nobody gave, and what is wrong with it. A decision is made by `approval` alone, and stays.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::registry::validation::field::Field;
use crate::response::status::FieldError;

/// The path by which a status is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    Approval,
    Status,
}

/// The status as it is stored. `approval` writes conditions and nothing else, `status` writes no decision.
pub(super) fn prepared(path: Path, before: &Value, new: &Value, now: &str) -> Value {
    let whole = if path == Path::Approval { before } else { new };
    let mut status = if whole.is_object() { whole.clone() } else { json!({}) };
    let mut conditions = new.get("conditions").cloned().unwrap_or_default();
    for condition in conditions.as_array_mut().into_iter().flatten().filter(|condition| condition.is_object()) {
        let known = condition_of(before, condition["type"].as_str().unwrap_or_default());
        if let Some(known) = known.filter(|known| path == Path::Status && DECISIONS.contains(&text(known, "type"))) {
            *condition = known.clone();
        }
        let since =
            known.filter(|known| known["status"] == condition["status"]).map(|known| &known["lastTransitionTime"]);
        let since = since.filter(|time| !time.is_null()).cloned().unwrap_or_else(|| now.into());
        for (field, time) in [("lastUpdateTime", now.into()), ("lastTransitionTime", since)] {
            if condition.get(field).is_none_or(Value::is_null) {
                condition[field] = time;
            }
        }
    }
    status["conditions"] = conditions;
    status
}

/// What is wrong with a status that was written by this path.
pub(super) fn errors(path: Path, before: &Value, status: &Field<'_>) -> Vec<FieldError> {
    let (conditions, certificate) = (status.field("conditions"), status.field("certificate"));
    let mut errors = each(&conditions);
    if certificate.value != before.get("certificate").unwrap_or_default() && !is_certificate(certificate.text()) {
        let why = "must contain at least one CERTIFICATE PEM block";
        errors.push(FieldError::invalid_text(&certificate.path, "<certificate data>", why));
    }
    let is = |kind: &str| condition_of(status.value, kind).is_some();
    for kind in FINAL.into_iter().filter(|kind| condition_of(before, kind).is_some() && !is(kind)) {
        errors.push(conditions.forbidden(&format!("updates may not remove a condition of type {kind:?}")));
    }
    for kind in
        DECISIONS.into_iter().filter(|kind| path == Path::Status && condition_of(before, kind).is_none() && is(kind))
    {
        errors.push(conditions.forbidden(&format!("updates may not add a condition of type {kind:?}")));
    }
    if DECISIONS.into_iter().all(is) {
        let [one, other] = DECISIONS.map(|kind| format!("conditions[{{\"type\": {kind:?}}}]"));
        let why = format!("must specify at most one of: `{one}`, `{other}`");
        errors.push(FieldError::invalid_text(&conditions.path, &format!("{{{one}, {other}}}"), &why));
    }
    errors
}

/// What is wrong with conditions, each for itself.
fn each(conditions: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, mut seen) = (Vec::new(), Vec::new());
    for condition in conditions.items() {
        let (kind, status) = (condition.field("type"), condition.field("status"));
        let allowed: &[&str] = if FINAL.contains(&kind.text()) { &["True"] } else { &["False", "True", "Unknown"] };
        errors.extend(kind.required());
        match status.required() {
            Some(missing) => errors.push(missing),
            None => errors.extend(status.one_of(allowed)),
        }
        if seen.contains(&kind.text()) {
            errors.push(FieldError::duplicate(&kind.path, &kind.value.to_string()));
        }
        seen.push(kind.text());
    }
    errors
}

fn is_certificate(field: &str) -> bool {
    let blocks = STANDARD.decode(field).ok().and_then(|text| pem::parse_many(text).ok()).unwrap_or_default();
    field.is_empty() || blocks.iter().any(|block| block.tag() == "CERTIFICATE")
}

fn condition_of<'a>(status: &'a Value, kind: &str) -> Option<&'a Value> {
    status.get("conditions")?.as_array()?.iter().find(|condition| text(condition, "type") == kind)
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// What is decided about a request; not both.
const DECISIONS: [&str; 2] = ["Approved", "Denied"];

/// What is true of a request once it is said.
const FINAL: [&str; 3] = ["Approved", "Denied", "Failed"];
