//! Whether an object may be stored: kube-apiserver's rules and its words for what breaks them.
//!
//! ```text
//!   a new object ───────► metadata ─► its strategy's rules ──┐
//!   an object changed ──► metadata ─► and what stays ────────┴─► no errors, or a 422 that names every field
//! ```
//! In: an object that is otherwise ready to be stored, and for a change the state before. Out: an [`Answer`]. Every error is
//! collected: a client gets all of them at once. The rules of one kind are in its file
//! ([`Strategy`](crate::registry::strategy::Strategy)); here is what several of them share.

pub(crate) mod cidr;
pub(crate) mod conditions;
pub(crate) mod field;
pub(crate) mod go_json;
pub(crate) mod immutable;
pub(crate) mod ip_address;
pub(crate) mod label_selector;
pub(crate) mod metadata;
pub(crate) mod names;
pub(crate) mod path;
pub(crate) mod pod_spec;
pub(crate) mod pod_template;
pub(crate) mod pod_warnings;
pub(crate) mod qualified_names;
pub(crate) mod replica_counts;
pub(crate) mod rules;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::registry::is_another_custom_kind;
use crate::response::status::{Answer, FieldError, invalid};

/// Whether this may be stored as a new object.
pub(crate) fn check_new(target: &ResolvedTarget, object: &Object) -> Answer<()> {
    check_custom_kind(target, object)?;
    let kind = &target.kind;
    let mut errors = metadata::of_new(kind, object);
    errors.extend(kind.strategy.validate(kind, object));
    refused(kind, object, &errors)
}

/// Whether this may take the place of the state before.
pub(crate) fn check_change(target: &ResolvedTarget, before: &Object, object: &Object) -> Answer<()> {
    check_custom_kind(target, object)?;
    let kind = &target.kind;
    let mut errors = metadata::of_change(kind, before, object);
    errors.extend(match target.subresource.as_deref() {
        None => kind.strategy.validate_update(kind, before, object),
        Some("status") => kind.strategy.validate_status_update(kind, before, object),
        Some(_) => kind.strategy.validate_subresource_update(kind, before, object),
    });
    refused(kind, object, &errors)
}

/// A custom resource is of the kind of its path, and refused by the one that it names.
fn check_custom_kind(target: &ResolvedTarget, object: &Object) -> Answer<()> {
    if !is_another_custom_kind(target, object) {
        return Ok(());
    }
    let said = object.text("kind");
    let error = FieldError::invalid_text("kind", said, &format!("must be {}", target.kind.kind));
    Err(invalid(said, &target.kind.group, object.name(), &[error]))
}

fn refused(kind: &Kind, object: &Object, errors: &[FieldError]) -> Answer<()> {
    // An event is the core group's, whichever way it comes: that of the group it is stored in.
    if errors.is_empty() { Ok(()) } else { Err(invalid(&kind.kind, &kind.resource().group, object.name(), errors)) }
}

/// The value at a path such as `spec.selector`; null counts as not there.
pub(crate) fn at<'a>(object: &'a Object, path: &str) -> Option<&'a Value> {
    let mut steps = path.split('.');
    let first = object.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step)).filter(|value| !value.is_null())
}

/// The items of a list that may not be there.
fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text that may not be there.
fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}
