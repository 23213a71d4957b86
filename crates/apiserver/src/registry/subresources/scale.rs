//! The scale of an object: how many replicas it should have, how many it has, and which pods count.
//!
//! In: an object and where its numbers stand. Out: an `autoscaling/v1` Scale; and the object again, with the replicas a
//! written Scale asks for. Versions and uids of a Scale are those of its object, so writing one is writing the other.

use serde_json::{Map, Value, json};

use super::selector;
use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::codec::typed::go_errors;
use crate::managed_fields::Tracker;
use crate::registry::guaranteed_update::Outcome;
use crate::registry::update::check_preconditions;
use crate::response::status::{Answer, FieldError, internal, invalid, unforeseen};
use crate::storage::entry::Entry;
use crate::storage::view;

/// Where the numbers of a scale stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScalePaths {
    spec_replicas: String,
    status_replicas: String,
    selector: Selector,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Selector {
    /// A LabelSelector or labels, at `spec.selector`.
    Structured,
    /// Text at a path.
    Text(String),
    None,
}

impl ScalePaths {
    /// Where every built-in kind has them.
    pub(crate) fn built_in() -> ScalePaths {
        ScalePaths {
            spec_replicas: ".spec.replicas".to_owned(),
            status_replicas: ".status.replicas".to_owned(),
            selector: Selector::Structured,
        }
    }

    /// What a definition says under `subresources.scale`.
    pub(crate) fn of_definition(scale: &Value) -> ScalePaths {
        let path = |field: &str| scale.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let selector = path("labelSelectorPath");
        ScalePaths {
            spec_replicas: path("specReplicasPath"),
            status_replicas: path("statusReplicasPath"),
            selector: if selector.is_empty() { Selector::None } else { Selector::Text(selector) },
        }
    }
}

impl ScalePaths {
    /// What is wrong with the replicas that an object should have.
    pub(crate) fn spec_errors(&self, object: &Value) -> Vec<FieldError> {
        replicas_error(object, &self.spec_replicas).into_iter().collect()
    }

    /// What is wrong with the replicas that it has, and with the text that selects them.
    pub(crate) fn status_errors(&self, object: &Value) -> Vec<FieldError> {
        let mut errors: Vec<FieldError> = replicas_error(object, &self.status_replicas).into_iter().collect();
        if let Selector::Text(path) = &self.selector {
            let wrong = nested(object, path, "string", Value::is_string).err();
            errors.extend(wrong.map(|why| FieldError::invalid(path, "\"\"", &why)));
        }
        errors
    }
}

fn replicas_error(object: &Value, path: &str) -> Option<FieldError> {
    let found = match nested(object, path, "int64", |value| value.is_i64() || value.is_u64()) {
        Ok(found) => found?.as_i64().unwrap_or(i64::MAX),
        Err(why) => return Some(FieldError::invalid(path, "0", &why)),
    };
    let why = match found {
        ..0 => "should be a non-negative integer".to_owned(),
        0..=REPLICAS_MAX => return None,
        _ => format!("should be less than or equal to {REPLICAS_MAX}"),
    };
    Some(FieldError::invalid(path, &found.to_string(), &why))
}

/// The value at a path, or Go's words for what stands there instead.
fn nested<'a>(
    object: &'a Value,
    path: &str,
    expected: &str,
    fits: impl Fn(&Value) -> bool,
) -> Result<Option<&'a Value>, String> {
    let wrong = |found: &Value, expected: &str| {
        Err(format!(
            "{path} accessor error: {} is of the type {}, expected {expected}",
            go_errors::plain(found),
            go_errors::dynamic(found)
        ))
    };
    let mut value = object;
    for step in path.split('.').filter(|step| !step.is_empty()) {
        match value {
            Value::Object(fields) => match fields.get(step) {
                Some(inner) => value = inner,
                None => return Ok(None),
            },
            Value::Null => return Ok(None),
            other => return wrong(other, "map[string]interface{}"),
        }
    }
    if fits(value) { Ok(Some(value)) } else { wrong(value, expected) }
}

/// kube-apiserver keeps replicas in 32 bits.
const REPLICAS_MAX: i64 = 2_147_483_647;

/// The scale of a stored object.
pub(crate) fn of_entry(kind: &Kind, entry: &Entry) -> Answer<Value> {
    let object = view::object(kind, entry)?;
    let path = &paths(kind).spec_replicas;
    if kind.is_custom() && number(&object, path)?.is_none() {
        return Err(internal(&format!("the spec replicas field {path:?} does not exist")));
    }
    of(kind, &object)
}

/// The scale of an object; none are wanted where nothing is said.
pub(crate) fn of(kind: &Kind, object: &Object) -> Answer<Value> {
    let paths = paths(kind);
    let replicas = number(object, &paths.spec_replicas)?;
    let mut metadata = Map::new();
    for field in ["creationTimestamp", "name", "namespace", "resourceVersion", "uid"] {
        if let Some(value) = object.metadata().get(field) {
            metadata.insert(field.to_owned(), value.clone());
        }
    }
    let mut spec = Map::new();
    if let Some(replicas) = replicas.filter(|replicas| *replicas != 0) {
        spec.insert("replicas".to_owned(), replicas.into());
    }
    let mut status = Map::new();
    status.insert("replicas".to_owned(), number(object, &paths.status_replicas)?.unwrap_or_default().into());
    let selector = match &paths.selector {
        Selector::Structured => at(object, ".spec.selector").and_then(selector::text),
        Selector::Text(path) => at(object, path).and_then(Value::as_str).map(str::to_owned),
        Selector::None => None,
    };
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        status.insert("selector".to_owned(), selector.into());
    }
    Ok(json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status}))
}

/// What a written scale makes of its object.
pub(crate) fn outcome(target: &ResolvedTarget, before: Object, scale: &Object, tracker: &Tracker) -> Answer<Outcome> {
    let replicas = scale.get("spec").and_then(|spec| spec.get("replicas")).and_then(Value::as_i64).unwrap_or_default();
    if replicas < 0 {
        let error = FieldError::invalid("spec.replicas", &replicas.to_string(), "must be greater than or equal to 0");
        return Err(invalid("Scale", "autoscaling", target.name(), &[error]));
    }
    let mut new = before.clone();
    for field in ["resourceVersion", "uid"] {
        let asked = scale.metadata().get(field).filter(|asked| asked.as_str() != Some("")).cloned();
        new.put_meta(field, asked.or_else(|| new.metadata().get(field).cloned()));
    }
    set(&mut new, &paths(&target.kind).spec_replicas, replicas.into());
    check_preconditions(target, &before, &new)?;
    tracker.track(target, Some(&before), &mut new);
    Ok(Outcome { before, new, warnings: Vec::new() })
}

/// Gives an object the replicas that a scale asks for.
pub(crate) fn write_replicas(kind: &Kind, scale: &Object, object: &mut Object) {
    let replicas = scale.get("spec").and_then(|spec| spec.get("replicas")).and_then(Value::as_i64).unwrap_or_default();
    set(object, &paths(kind).spec_replicas, replicas.into());
}

/// An applied scale, as the fields of the object itself that it states.
pub(crate) fn stated_of_object(kind: &Kind, scale: &Value) -> Value {
    let mut object = json!({"apiVersion": kind.api_version(), "kind": kind.kind});
    if let Some(metadata) = scale.get("metadata") {
        object["metadata"] = metadata.clone();
    }
    if let Some(replicas) = scale.get("spec").and_then(|spec| spec.get("replicas"))
        && let Some(mut stated) = Object::from_value(object.clone())
    {
        set(&mut stated, &paths(kind).spec_replicas, replicas.clone());
        return stated.into_value();
    }
    object
}

fn paths(kind: &Kind) -> ScalePaths {
    kind.scale.clone().unwrap_or_else(ScalePaths::built_in)
}

/// The value at a path such as `.spec.replicas`.
fn at<'a>(object: &'a Object, path: &str) -> Option<&'a Value> {
    let mut steps = path.split('.').filter(|step| !step.is_empty());
    let first = object.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step)).filter(|value| !value.is_null())
}

fn number(object: &Object, path: &str) -> Answer<Option<i64>> {
    match at(object, path) {
        None => Ok(None),
        Some(value) => {
            value.as_i64().map(Some).ok_or_else(|| unforeseen(format!("{path} accessor error: it is not an integer")))
        }
    }
}

fn set(object: &mut Object, path: &str, value: Value) {
    let steps: Vec<&str> = path.split('.').filter(|step| !step.is_empty()).collect();
    let [first, rest @ ..] = &steps[..] else { return };
    let mut target = object.remove(first).unwrap_or_default();
    put(&mut target, rest, value);
    object.set(first, target);
}

fn put(target: &mut Value, steps: &[&str], value: Value) {
    match steps {
        [] => *target = value,
        [first, rest @ ..] => {
            if !target.is_object() {
                *target = json!({});
            }
            put(&mut target[*first], rest, value);
        }
    }
}
