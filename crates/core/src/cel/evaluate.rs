//! The rules of a schema, evaluated here as the API server would.
//!
//! In: an object, and for a change the object before. Out: every rule that does not hold. The schema is the one that
//! stands in the definition, so what passes here is what the server lets pass.

use kube_cel::ValidationErrors;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::crd::CustomResourceExt;
use crate::schema::structural::schema_for;

/// Checks the rules of a kind on an object that is to be created.
///
/// # Errors
/// Every rule that does not hold.
pub fn validate_cel<T: CustomResourceExt + Serialize>(obj: &T) -> Result<(), ValidationErrors> {
    validate_kind::<T>(&as_json(obj), None)
}

/// Checks the rules of a kind on an object that is to take the place of `old`; rules about `oldSelf` count.
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
    kube_cel::Validator::new().validate(&as_json(&schema_for::<T>()), value, old)
}

/// By the schema of the definition's only version; a kind without one has no rules.
fn validate_kind<T: CustomResourceExt>(object: &Value, old: Option<&Value>) -> Result<(), ValidationErrors> {
    let versions = T::crd().spec.versions;
    let schema = versions.into_iter().find_map(|version| version.schema?.open_api_v3_schema);
    schema.map_or(Ok(()), |schema| kube_cel::Validator::new().validate(&as_json(&schema), object, old))
}

fn as_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("what is sent to a server can be written as JSON")
}
