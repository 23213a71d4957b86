//! ConfigMaps and Secrets: keys that can be the names of files, not too much of it, and what a type of secret must hold.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::codec::object::Object;
use crate::registry::validation::names;
use crate::response::status::FieldError;

/// What is wrong with a ConfigMap.
pub(super) fn config_map(object: &Object) -> Vec<FieldError> {
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

/// What is wrong with a Secret.
pub(super) fn secret(object: &Object) -> Vec<FieldError> {
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
    let why = crate::codec::typed::go_errors::syntax_error(&error, &content);
    Some(FieldError::invalid_text(&field, "<secret contents redacted>", &why))
}

fn key_errors(field: &str, key: &str) -> Vec<FieldError> {
    let path = format!("{field}[{key}]");
    names::config_key(key).iter().map(|why| FieldError::invalid_text(&path, key, why)).collect()
}

fn entries<'a>(object: &'a Object, field: &str) -> Vec<(&'a String, &'a str)> {
    let entries = object.get(field).and_then(Value::as_object).into_iter().flatten();
    entries.map(|(key, value)| (key, value.as_str().unwrap_or_default())).collect()
}

/// What base64 stands for; it was checked when the object was read.
fn decoded(value: &str) -> Vec<u8> {
    STANDARD.decode(value).unwrap_or_default()
}

/// kube-apiserver's limit, so that an object fits into etcd.
const BYTES_MAX: usize = 1024 * 1024;
