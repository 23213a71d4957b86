//! ConfigMaps: keys that can be the names of files, not too much of it.

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::core::config_data::{BYTES_MAX, decoded, entries, key_errors, sealed};
use crate::registry::strategy::Strategy;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy of ConfigMaps.
#[derive(Debug)]
pub(super) struct ConfigMaps;

impl Strategy for ConfigMaps {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn validate_update(&self, kind: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        let mut errors = self.validate(kind, object);
        errors.extend(sealed(before, object, &["data", "binaryData"]));
        errors
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::count("Data", "string", &[".data", ".binaryData"]), Column::age()]
    }
}

/// What is wrong with a ConfigMap.
fn errors(object: &Object) -> Vec<FieldError> {
    let (data, binary) = (entries(object, "data"), entries(object, "binaryData"));
    let mut errors = Vec::new();
    let mut size = 0;
    for (key, value) in &data {
        errors.extend(key_errors("data", key));
        if binary.iter().any(|(other, _)| other == key) {
            let why = "duplicate of key present in binaryData";
            errors.push(FieldError::invalid_text(&format!("data[{key}]"), key, why));
        }
        size += value.len();
    }
    for (key, value) in &binary {
        errors.extend(key_errors("binaryData", key));
        size += decoded(value).len();
    }
    if size > BYTES_MAX {
        errors.push(FieldError::too_long("[]", BYTES_MAX));
    }
    errors
}
