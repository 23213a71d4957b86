//! The rules of `metadata`, which are the same for every kind but for names and the finalizers of built-in ones.

use serde_json::{Map, Value};

use super::{go_json, items, qualified_names, text};
use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::validation::names;
use crate::response::status::FieldError;

/// What the finalizers of a kind's objects have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinalizerRule {
    /// A domain, a slash and a name, or one of Kubernetes' own.
    Qualified,
    /// Any qualified name, with a domain or without.
    Any,
}

/// What is wrong with the metadata of a new object.
pub(super) fn of_new(kind: &Kind, object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (base, name) = (object.meta("generateName"), object.name());
    if !base.is_empty() {
        errors.extend(name_errors("metadata.generateName", base, names::refused_base(kind, base)));
    }
    if name.is_empty() {
        errors.push(FieldError::required("metadata.name", "name or generateName is required"));
    } else {
        errors.extend(name_errors("metadata.name", name, names::refused(kind, name)));
    }
    if object.generation() < 0 {
        let generation = object.generation().to_string();
        errors.push(FieldError::invalid("metadata.generation", &generation, "must be greater than or equal to 0"));
    }
    errors.extend(of_any(object));
    errors.extend(finalizers(&object.finalizers()));
    errors.extend(plain_finalizers(kind, &object.finalizers()));
    errors
}

/// What is wrong with the metadata of an object that is changed. Of its finalizers the grammar is not looked at again.
pub(super) fn of_change(kind: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
    let mut errors = of_any(object);
    errors.extend(plain_finalizers(kind, &object.finalizers()));
    errors.extend(new_finalizers(before, object));
    for field in IMMUTABLE {
        let (old, asked) = (before.metadata().get(*field), object.metadata().get(*field));
        if let Some(asked) = asked.filter(|value| !value.is_null() && Some(*value) != old) {
            errors.push(FieldError::invalid(&format!("metadata.{field}"), &asked.to_string(), "field is immutable"));
        }
    }
    errors
}

fn of_any(object: &Object) -> Vec<FieldError> {
    let mut errors = labels("metadata.labels", object.metadata().get("labels"));
    errors.extend(annotations(object.metadata().get("annotations")));
    errors.extend(owners(items(object.metadata().get("ownerReferences"))));
    errors
}

fn name_errors(field: &str, name: &str, wrong: Vec<String>) -> impl Iterator<Item = FieldError> {
    wrong.into_iter().map(move |why| FieldError::invalid_text(field, name, &why))
}

/// What is wrong with labels that stand at a path.
pub(crate) fn labels(path: &str, labels: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (key, value) in entries(labels) {
        let value = value.as_str().unwrap_or_default();
        errors.extend(qualified_names::key(key).iter().map(|why| FieldError::invalid_text(path, key, why)));
        errors.extend(qualified_names::label_value(value).iter().map(|why| FieldError::invalid_text(path, value, why)));
    }
    errors
}

/// What is wrong with the annotations of an object.
pub(crate) fn annotations(annotations: Option<&Value>) -> Vec<FieldError> {
    annotations_at("metadata.annotations", annotations)
}

/// What is wrong with annotations that stand at a path.
pub(crate) fn annotations_at(path: &str, annotations: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut size = 0;
    for (key, value) in entries(annotations) {
        // Their keys may have capital letters in front of the slash, unlike those of labels.
        let wrong = qualified_names::key(&key.to_lowercase());
        errors.extend(wrong.iter().map(|why| FieldError::invalid_text(path, key, why)));
        size += key.len() + value.as_str().unwrap_or_default().len();
    }
    if size > ANNOTATION_BYTES_MAX {
        errors.push(FieldError::too_long(path, ANNOTATION_BYTES_MAX));
    }
    errors
}

fn entries(map: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    map.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

fn owners(references: &[Value]) -> Vec<FieldError> {
    let path = "metadata.ownerReferences";
    let mut errors = Vec::new();
    let mut controller: Option<String> = None;
    for (index, reference) in references.iter().enumerate() {
        errors.extend(owner(&format!("{path}[{index}]"), reference));
        if reference.get("controller") != Some(&Value::Bool(true)) {
            continue;
        }
        let named = format!("{}/{}", text(reference, "kind"), text(reference, "name"));
        match &controller {
            None => controller = Some(named),
            Some(first) => {
                let why = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {named}"
                );
                errors.push(FieldError::invalid(path, &go_json::owners(references), &why));
            }
        }
    }
    errors
}

fn owner(path: &str, reference: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let version = text(reference, "apiVersion");
    if version.matches('/').count() > 1 {
        let why = "must be <group>/<version> or <version>";
        errors.push(FieldError::invalid_text(&format!("{path}.apiVersion"), version, why));
    }
    for field in ["apiVersion", "kind", "name", "uid"] {
        if text(reference, field).is_empty() {
            errors.push(FieldError::required(&format!("{path}.{field}"), "must not be empty"));
        }
    }
    if version == "v1" && text(reference, "kind") == "Event" {
        // Events come and go on their own: what they owned would go with them.
        let why = "/v1, Kind=Event is disallowed from being an owner";
        errors.push(FieldError::invalid(path, &go_json::owner(reference), why));
    }
    errors
}

fn finalizers(finalizers: &[String]) -> Vec<FieldError> {
    let path = "metadata.finalizers";
    let mut errors = Vec::new();
    for finalizer in finalizers {
        let wrong = qualified_names::key(finalizer);
        errors.extend(wrong.iter().map(|why| FieldError::invalid_text(path, finalizer, why)));
    }
    let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        let why = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(FieldError::invalid(path, &Value::from(finalizers).to_string(), why));
    }
    errors
}

/// Finalizers without a domain that are none of Kubernetes' own, where the kind asks for that.
fn plain_finalizers(kind: &Kind, finalizers: &[String]) -> Vec<FieldError> {
    if kind.strategy.finalizer_rule() == FinalizerRule::Any {
        return Vec::new();
    }
    let why = "name is neither a standard finalizer name nor is it fully qualified";
    let is_plain = |finalizer: &str| !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer);
    let plain = finalizers.iter().enumerate().filter(|(_, finalizer)| is_plain(finalizer));
    plain
        .map(|(index, finalizer)| FieldError::invalid_text(&format!("metadata.finalizers[{index}]"), finalizer, why))
        .collect()
}

/// No finalizer can be added once an object is being deleted.
fn new_finalizers(before: &Object, object: &Object) -> Option<FieldError> {
    let known = before.finalizers();
    let added: Vec<String> = object.finalizers().into_iter().filter(|finalizer| !known.contains(finalizer)).collect();
    if !before.is_deleting() || added.is_empty() {
        return None;
    }
    let quoted: Vec<String> = added.iter().map(|finalizer| format!("\"{finalizer}\"")).collect();
    let why = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        quoted.join(", ")
    );
    Some(FieldError::forbidden("metadata.finalizers", &why))
}

/// What a client may repeat but not change; the other fields that only the server sets are put back without a word.
const IMMUTABLE: &[&str] = &["namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"];

/// Finalizers that need no domain, because Kubernetes itself takes them away.
pub(crate) const STANDARD_FINALIZERS: &[&str] = &["kubernetes", "orphan", "foregroundDeletion"];

/// kube-apiserver's limit for all annotations of an object together.
const ANNOTATION_BYTES_MAX: usize = 256 * 1024;
