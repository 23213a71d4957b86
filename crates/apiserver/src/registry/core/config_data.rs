//! What ConfigMaps and Secrets have in common: keys that can be the names of files, and data that may be sealed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::codec::object::Object;
use crate::registry::validation::{at, names};
use crate::response::status::FieldError;

/// The entries of a map of data.
pub(super) fn entries<'a>(object: &'a Object, field: &str) -> Vec<(&'a String, &'a str)> {
    let entries = object.get(field).and_then(Value::as_object).into_iter().flatten();
    entries.map(|(key, value)| (key, value.as_str().unwrap_or_default())).collect()
}

/// What is wrong with the key of an entry.
pub(super) fn key_errors(field: &str, key: &str) -> Vec<FieldError> {
    let path = format!("{field}[{key}]");
    names::config_key(key).iter().map(|why| FieldError::invalid_text(&path, key, why)).collect()
}

/// What base64 stands for; it was checked when the object was read.
pub(super) fn decoded(value: &str) -> Vec<u8> {
    STANDARD.decode(value).unwrap_or_default()
}

/// What is said to be immutable stays so, and with it all it holds.
pub(super) fn sealed(before: &Object, object: &Object, fields: &[&str]) -> Vec<FieldError> {
    if before.get("immutable") != Some(&Value::Bool(true)) {
        return Vec::new();
    }
    let why = "field is immutable when `immutable` is set";
    let mut errors = Vec::new();
    if object.get("immutable") != Some(&Value::Bool(true)) {
        errors.push(FieldError::forbidden("immutable", why));
    }
    let changed = fields.iter().filter(|field| at(before, field) != at(object, field));
    errors.extend(changed.map(|field| FieldError::forbidden(field, why)));
    errors
}

/// kube-apiserver's limit, so that an object fits into etcd.
pub(super) const BYTES_MAX: usize = 1024 * 1024;
