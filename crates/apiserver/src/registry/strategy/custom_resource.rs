//! Custom resources on their way to the store: brought into the shape of their schema, and checked against it.

use std::collections::BTreeSet;

use pintle_wire::facts;
use serde_json::Value;

use crate::catalog::crd::prune_and_default::OBJECT_META;
use crate::catalog::crd::{custom_resource_validation, prune_and_default};
use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::codec::typed::{self, Trouble};
use crate::registry::validation::{STANDARD_FINALIZERS, qualified_names};
use crate::response::status::FieldError;

/// Brings an object into shape; returns what a strict reader says about what was taken out.
pub(crate) fn prune(kind: &Kind, value: &mut Value) -> Vec<String> {
    let Some(schema) = &kind.schema else { return Vec::new() };
    let unknown = prune_and_default::prune_and_default(schema, value);
    unknown.into_iter().map(|path| format!("unknown field {path:?}")).collect()
}

/// Checks that a custom resource says in texts what it is, or says in Go's words what else it says it in.
pub(crate) fn read_type(value: &Value) -> Result<(), String> {
    for field in ["apiVersion", "kind"] {
        if let Some(other) = value.get(field).filter(|said| !said.is_string() && !said.is_null()) {
            let found = typed::go_errors::type_name(other);
            let why = format!("json: cannot unmarshal {found} into Go struct field .{field} of type string");
            return Err(format!("couldn't get version/kind; json parse error: {why}"));
        }
    }
    Ok(())
}

/// Brings the metadata of a custom resource into the shape of its Go type, or says in Go's words why that cannot be.
pub(crate) fn read_metadata(value: &Value) -> Result<(), String> {
    let Some(metadata) = value.get("metadata").filter(|metadata| !metadata.is_null()) else { return Ok(()) };
    let kind = facts::named(OBJECT_META).expect("the tables have the type of every object's metadata");
    match typed::reread(kind, metadata.clone()) {
        Ok(_) => Ok(()),
        Err(Trouble::WrongType(why)) => Err(why),
        Err(Trouble::Syntax(error)) => Err(error.to_string()),
    }
}

/// Warnings about finalizers that a client adds: a malformed name, and one without a domain, which another writer may
/// have too.
pub(crate) fn warnings(target: &ResolvedTarget, before: Option<&Object>, object: &Object) -> Vec<String> {
    if !target.kind.is_custom() {
        return Vec::new();
    }
    let known = before.map(Object::finalizers).unwrap_or_default();
    let added: BTreeSet<String> =
        object.finalizers().into_iter().filter(|finalizer| !known.contains(finalizer)).collect();
    let mut warnings = Vec::new();
    for finalizer in &added {
        let mut warn = |why: &str| warnings.push(format!("metadata.finalizers: {finalizer:?}: {why}"));
        qualified_names::key(finalizer).iter().for_each(|why| warn(why));
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer.as_str()) {
            let path = if finalizer.contains('.') { " including a path (/)" } else { "" };
            warn(&format!(
                "prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers"
            ));
        }
    }
    warnings
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
pub(crate) fn errors(target: &ResolvedTarget, before: Option<&Object>, object: &Object) -> Vec<FieldError> {
    let Some(schema) = &target.kind.schema else { return Vec::new() };
    let errors_of = |object: &Object| -> Vec<FieldError> {
        let value = object.clone().into_value();
        let scale = target.kind.scale.as_ref();
        let mut errors = match target.subresource.as_deref() {
            Some("status") => custom_resource_validation::status_errors(schema, &value),
            _ => custom_resource_validation::errors(schema, &value),
        };
        if target.subresource.is_none() {
            errors.extend(scale.into_iter().flat_map(|scale| scale.spec_errors(&value)));
        }
        errors.extend(scale.into_iter().flat_map(|scale| scale.status_errors(&value)));
        errors
    };
    let mut errors = errors_of(object);
    if let Some(before) = before.filter(|_| !errors.is_empty()) {
        let known: Vec<String> = errors_of(before).iter().map(FieldError::text).collect();
        errors.retain(|error| !known.contains(&error.text()) || at(before, error.field()) != at(object, error.field()));
    }
    errors
}
