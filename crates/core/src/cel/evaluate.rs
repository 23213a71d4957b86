//! The rules of a schema, evaluated as an API server would.
//!
//! In: an object, and for a change the object before. Out: every rule that does not hold. The schema is the one that
//! stands in the definition, and the evaluator is that of the embedded server: what passes here, a server lets pass.

use kube_cel::{ErrorKind, ValidationError, ValidationErrors};
use pintle_cel::{Root, Rules, Violation, ViolationCause, ViolationReason};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::crd::CustomResourceExt;
use crate::schema::structural::schema_for;

/// Checks the rules of a kind on an object that is to be created.
///
/// # Errors
/// Every rule that does not hold.
pub fn validate_cel<T: CustomResourceExt + Serialize>(obj: &T) -> Result<(), ValidationErrors> {
    validate_kind::<T>(&as_json(obj), None)
}

/// Checks the rules of a kind on an object that is to take the place of `old`; rules about `oldSelf` count. As on a
/// server, what did not change may go on breaking a rule that is not about the change.
///
/// # Errors
/// Every rule that does not hold.
pub fn validate_cel_update<T: CustomResourceExt + Serialize>(obj: &T, old: &T) -> Result<(), ValidationErrors> {
    validate_kind::<T>(&as_json(obj), Some(&as_json(old)))
}

/// Checks the rules of `T` on a value as JSON, with the object before if there was one.
///
/// # Errors
/// Every rule that does not hold.
pub fn validate_cel_schema<T: JsonSchema>(value: &Value, old: Option<&Value>) -> Result<(), ValidationErrors> {
    let schema = as_json(&schema_for::<T>());
    // The schema of a custom resource leaves its metadata to the server.
    let states = |name: &str| schema.pointer(&format!("/properties/{name}")).is_some();
    let root = if states("spec") && !states("metadata") { Root::Resource } else { Root::Part };
    validate(&schema, root, value, old)
}

/// By the schema of the definition's only version; a kind without one has no rules.
fn validate_kind<T: CustomResourceExt>(object: &Value, old: Option<&Value>) -> Result<(), ValidationErrors> {
    let versions = T::crd().spec.versions;
    let schema = versions.into_iter().find_map(|version| version.schema?.open_api_v3_schema);
    schema.map_or(Ok(()), |schema| validate(&as_json(&schema), Root::Resource, object, old))
}

fn validate(schema: &Value, root: Root, value: &Value, old: Option<&Value>) -> Result<(), ValidationErrors> {
    let Some(rules) = Rules::read(schema, root) else { return Ok(()) };
    let violations = rules.validate(value, old).violations;
    if violations.is_empty() {
        return Ok(());
    }
    Err(violations.iter().map(error).collect::<Vec<_>>().into())
}

/// The violation as kube-cel's error, which cannot be made but by reading it.
fn error(violation: &Violation) -> ValidationError {
    let kind = match violation.cause {
        ViolationCause::DoesNotHold => ErrorKind::ValidationFailure,
        ViolationCause::DoesNotCompile => ErrorKind::CompilationFailure,
        _ => ErrorKind::EvaluationError,
    };
    let reason = match violation.reason {
        ViolationReason::Forbidden => "FieldValueForbidden",
        ViolationReason::Required => "FieldValueRequired",
        ViolationReason::Duplicate => "FieldValueDuplicate",
        _ => "FieldValueInvalid",
    };
    let error = json!({
        "rule": violation.rule,
        "message": violation.detail,
        "field_path": violation.path,
        "reason": reason,
        "kind": kind,
    });
    serde_json::from_value(error).expect("these are its fields")
}

fn as_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("what is sent to a server can be written as JSON")
}
