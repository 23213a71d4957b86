//! The rules of a schema, evaluated here as the API server would.
//!
//! In: an object, and for a change the object before. Out: every rule that does not hold. The schema is the one that
//! stands in the definition, so what passes here is what the server lets pass.

use kube_cel::ValidationErrors;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::schema::structural_schema_for;

/// Checks the rules of `K` on an object that is to be created.
///
/// # Errors
/// Every rule that does not hold.
pub fn validate_cel<K: JsonSchema + Serialize>(object: &K) -> Result<(), ValidationErrors> {
    validate_cel_schema::<K>(&as_json(object), None)
}

/// Checks the rules of `K` on an object that is to take the place of `old`; rules about `oldSelf` count.
///
/// # Errors
/// Every rule that does not hold.
pub fn validate_cel_update<K: JsonSchema + Serialize>(object: &K, old: &K) -> Result<(), ValidationErrors> {
    validate_cel_schema::<K>(&as_json(object), Some(&as_json(old)))
}

/// Checks the rules of `K` on an object as JSON, with the object before if there was one.
///
/// # Errors
/// Every rule that does not hold.
pub fn validate_cel_schema<K: JsonSchema>(object: &Value, old: Option<&Value>) -> Result<(), ValidationErrors> {
    kube_cel::Validator::new().validate(&as_json(&structural_schema_for::<K>()), object, old)
}

fn as_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("what is sent to a server can be written as JSON")
}
