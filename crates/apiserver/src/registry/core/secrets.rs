//! Secrets: keys that can be the names of files, not too much of it, and what a type of secret must hold.

use serde_json::{Map, Value};

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::codec::typed::go_errors;
use crate::registry::core::config_data::{BYTES_MAX, decoded, entries, key_errors, sealed};
use crate::registry::strategy::Strategy;
use crate::registry::validation::immutable::{self, Printed};
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy of Secrets.
#[derive(Debug)]
pub(super) struct Secrets;

impl Strategy for Secrets {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn validate_update(&self, kind: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        let mut errors = self.validate(kind, object);
        errors.extend(immutable::errors(before, object, &[("type", Printed::Value)]));
        errors.extend(sealed(before, object, &["data"]));
        errors
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::text("Type", ".type", ""),
            Column::count("Data", "string", &[".data"]),
            Column::age(),
        ]
    }
}

/// What is wrong with a Secret.
fn errors(object: &Object) -> Vec<FieldError> {
    let data = entries(object, "data");
    let mut errors: Vec<FieldError> = data.iter().flat_map(|(key, _)| key_errors("data", key)).collect();
    if data.iter().map(|(_, value)| decoded(value).len()).sum::<usize>() > BYTES_MAX {
        errors.push(FieldError::too_long("data", BYTES_MAX));
    }
    let has = |key: &str| data.iter().any(|(known, _)| *known == key);
    let missing = |key: &str| FieldError::required(&format!("data[{key}]"), "");
    match object.text("type") {
        "kubernetes.io/service-account-token" => {
            let annotation = "kubernetes.io/service-account.name";
            let annotations = object.metadata().get("annotations");
            if annotations.and_then(|all| all.get(annotation)).and_then(Value::as_str).unwrap_or_default().is_empty() {
                errors.push(FieldError::required(&format!("metadata.annotations[{annotation}]"), ""));
            }
        }
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => {
            errors.extend(["username", "password"].map(missing));
        }
        "kubernetes.io/ssh-auth" if !has("ssh-privatekey") => errors.push(missing("ssh-privatekey")),
        "kubernetes.io/tls" => {
            errors.extend(["tls.crt", "tls.key"].into_iter().filter(|key| !has(key)).map(missing));
        }
        "kubernetes.io/dockercfg" => errors.extend(registry(&data, ".dockercfg")),
        "kubernetes.io/dockerconfigjson" => errors.extend(registry(&data, ".dockerconfigjson")),
        _ => {}
    }
    errors
}

/// The credentials of a registry have to be JSON.
fn registry(data: &[(&String, &str)], key: &str) -> Option<FieldError> {
    let field = format!("data[{key}]");
    let Some((_, value)) = data.iter().find(|(known, _)| *known == key) else {
        return Some(FieldError::required(&field, ""));
    };
    let content = decoded(value);
    let error = serde_json::from_slice::<Map<String, Value>>(&content).err()?;
    let why = go_errors::syntax_error(&error, &content);
    Some(FieldError::invalid_text(&field, "<secret contents redacted>", &why))
}
