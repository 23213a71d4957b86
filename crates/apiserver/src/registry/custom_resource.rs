//! Custom resources on their way to the store: brought into the shape of their schema, and checked against it. One strategy
//! serves all of them; what differs, their kind knows from its definition.

use std::collections::BTreeSet;

use pintle_wire::facts;
use serde_json::Value;

use crate::catalog::crd::prune_and_default::OBJECT_META;
use crate::catalog::crd::structural::Structural;
use crate::catalog::crd::{custom_resource_validation, prune_and_default};
use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::go_json;
use crate::codec::object::Object;
use crate::codec::typed::{self, Trouble};
use crate::managed_fields::ResetFields;
use crate::registry::strategy::Strategy;
use crate::registry::validation::metadata::{FinalizerRule, STANDARD_FINALIZERS};
use crate::registry::validation::qualified_names;
use crate::response::status::{Answer, FieldError};
use crate::response::table::columns::Column;

/// The strategy of every custom resource.
#[derive(Debug)]
pub(crate) struct CustomResource;

impl Strategy for CustomResource {
    /// The writer of one that is not in a domain is warned.
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn status_reset_fields(&self) -> ResetFields {
        &[&["metadata"], &["spec"]]
    }

    /// The path of the status writes nothing but the status, not even of the metadata.
    fn prepare_for_status_update(&self, _: &ClusterSnapshot, before: &Object, mut new: Object) -> Object {
        let mut object = before.clone();
        object.put("status", new.remove("status"));
        object
    }

    /// Without the status that was sent, it has the one that its schema begins with.
    fn prepare_for_create(&self, _: &ClusterSnapshot, target: &ResolvedTarget, object: &mut Object) -> Answer<()> {
        if let Some(schema) = target.kind.schema.as_ref().filter(|_| target.kind.has_status()) {
            object.change(|value| prune_and_default::default(schema, value));
        }
        Ok(())
    }

    fn validate(&self, kind: &Kind, object: &Object) -> Vec<FieldError> {
        with_rules(kind, None, object, errors(kind, None, &object.clone().into_value()))
    }

    fn validate_update(&self, kind: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        with_rules(kind, Some(before), object, ratcheted(kind, before, object, errors))
    }

    fn validate_status_update(&self, kind: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        with_rules(kind, Some(before), object, ratcheted(kind, before, object, status_errors))
    }

    fn warnings(&self, before: Option<&Object>, object: &Object) -> Vec<String> {
        finalizer_warnings(before, object)
    }

    fn columns(&self, kind: &Kind) -> Vec<Column> {
        Column::of_definition(&kind.printer_columns)
    }
}

/// Brings an object into shape; returns what a strict reader says about what was taken out.
pub(crate) fn prune(kind: &Kind, value: &mut Value) -> Vec<String> {
    go_json::write_whole_numbers(value);
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        // What Go reads as nothing, it does not write.
        metadata.retain(|_, said| !said.is_null());
    }
    let Some(schema) = &kind.schema else { return Vec::new() };
    let unknown = prune_and_default::prune_and_default(schema, value);
    unknown.into_iter().map(|path| format!("unknown field {path:?}")).collect()
}

/// Brings what was applied into shape. A null that was stated stays one, and is refused where the schema allows none.
pub(crate) fn prune_applied(kind: &Kind, value: &mut Value) {
    go_json::write_whole_numbers(value);
    if let Some(schema) = &kind.schema {
        prune_and_default::prune(schema, value);
        prune_and_default::default(schema, value);
    }
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
fn finalizer_warnings(before: Option<&Object>, object: &Object) -> Vec<String> {
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

/// Warnings about rules that do not hold of what a write leaves as it was.
pub(crate) fn rule_warnings(kind: &Kind, before: &Object, object: &Object) -> Vec<String> {
    let Some(schema) = with_any_rules(kind) else { return Vec::new() };
    schema.rules.warnings(&object.clone().into_value(), &before.clone().into_value())
}

/// The schema of a kind, if it has rules: those of most have none, and then no object is copied for them.
fn with_any_rules(kind: &Kind) -> Option<&Structural> {
    kind.schema.as_deref().filter(|schema| !schema.rules.is_empty())
}

/// What the rules of the schema say, given what the schema itself says.
fn with_rules(kind: &Kind, before: Option<&Object>, object: &Object, mut errors: Vec<FieldError>) -> Vec<FieldError> {
    if let Some(schema) = with_any_rules(kind) {
        let (value, before) = (object.clone().into_value(), before.map(|before| before.clone().into_value()));
        errors.extend(schema.rules.errors(&errors, &value, before.as_ref()));
    }
    errors
}

/// Where an object does not fit its schema, or its scale is none; `before` is what it was.
fn errors(kind: &Kind, before: Option<&Value>, value: &Value) -> Vec<FieldError> {
    let Some(schema) = &kind.schema else { return Vec::new() };
    let others = |value: &Value| {
        let mut errors = custom_resource_validation::duplicates(schema, value);
        if let Some(scale) = &kind.scale {
            errors.extend(scale.spec_errors(value));
            errors.extend(scale.status_errors(value));
        }
        errors
    };
    let mut errors = custom_resource_validation::errors(schema, before, value);
    errors.extend(changed(before, value, others));
    errors
}

/// Where the status of an object does not fit its schema, or its scale is none; `before` is what it was.
fn status_errors(kind: &Kind, before: Option<&Value>, value: &Value) -> Vec<FieldError> {
    let Some(schema) = &kind.schema else { return Vec::new() };
    let others = |value: &Value| {
        let mut errors = custom_resource_validation::status_duplicates(schema, value);
        errors.extend(kind.scale.iter().flat_map(|scale| scale.status_errors(value)));
        errors
    };
    let mut errors = custom_resource_validation::status_errors(schema, before, value);
    errors.extend(changed(before, value, others));
    errors
}

/// What is wrong with an object; what was wrong before and is as it was may stay so. Most objects are right, and then nobody
/// looks at what they were.
fn ratcheted(
    kind: &Kind,
    before: &Object,
    object: &Object,
    errors_of: fn(&Kind, Option<&Value>, &Value) -> Vec<FieldError>,
) -> Vec<FieldError> {
    let value = object.clone().into_value();
    let errors = errors_of(kind, None, &value);
    if errors.is_empty() { errors } else { errors_of(kind, Some(&before.clone().into_value()), &value) }
}

/// What is wrong with a value and was not so before, where it is as it was.
fn changed(before: Option<&Value>, value: &Value, errors_of: impl Fn(&Value) -> Vec<FieldError>) -> Vec<FieldError> {
    let mut errors = errors_of(value);
    if let Some(before) = before.filter(|_| !errors.is_empty()) {
        let known: Vec<String> = errors_of(before).iter().map(FieldError::text).collect();
        errors.retain(|error| !known.contains(&error.text()) || at(before, error.field()) != at(value, error.field()));
    }
    errors
}

/// The value at a path such as `spec.list[0].name`.
fn at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    let mut steps = path.split(['.', '[']).map(|step| step.trim_end_matches(']'));
    steps.try_fold(object, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    })
}
