//! The schema of a Rust type as it stands in a `CustomResourceDefinition`.
//!
//! In: a type that implements `JsonSchema`. Out: `JSONSchemaProps`, made structural. For a schema that is derived,
//! a field without a structural form is an error. A schema that the user wrote is the user's: it is rewritten as far as
//! that goes, and what is left is between the user and the server.

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::problem::Problems;
use super::rewrite;

/// Why a type has no schema that an API server takes: every such field, and what to do about it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct NotStructural {
    message: String,
}

/// The structural schema of `K`.
///
/// # Panics
///
/// When a field of `K` has no structural form. The message names each such field and its remedy.
pub fn schema_for<K: JsonSchema>() -> JSONSchemaProps {
    try_schema_for::<K>().unwrap_or_else(|error| panic!("{error}"))
}

/// The structural schema of `K`.
///
/// # Errors
///
/// When a field of `K` has no structural form.
pub fn try_schema_for<K: JsonSchema>() -> Result<JSONSchemaProps, NotStructural> {
    let (schema, problems) = rewritten::<K>();
    if problems.is_empty() {
        return read::<K>(schema);
    }
    let title = schema.get("title").and_then(Value::as_str).unwrap_or("a custom resource");
    Err(NotStructural { message: problems.about(title) })
}

/// The schema of a `K` that was written by hand, structural or not.
///
/// # Panics
///
/// When it is not a schema of Kubernetes at all.
pub fn schema_as_written<K: JsonSchema>() -> JSONSchemaProps {
    try_schema_as_written::<K>().unwrap_or_else(|error| panic!("{error}"))
}

/// The schema of a `K` that was written by hand, structural or not.
///
/// # Errors
///
/// When it is not a schema of Kubernetes at all.
pub fn try_schema_as_written<K: JsonSchema>() -> Result<JSONSchemaProps, NotStructural> {
    read::<K>(rewritten::<K>().0)
}

fn rewritten<K: JsonSchema>() -> (Schema, Problems) {
    let settings = SchemaSettings::openapi3().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<K>();
    let mut problems = Problems::default();
    rewrite(schema.ensure_object(), "", &mut problems);
    (schema, problems)
}

fn read<K: JsonSchema>(schema: Schema) -> Result<JSONSchemaProps, NotStructural> {
    serde_json::from_value(schema.to_value()).map_err(|error| NotStructural {
        message: format!(
            "the schema of `{}` is not an OpenAPI v3 schema of Kubernetes: {error}; correct what its `schemars` \
             attributes set",
            K::schema_name()
        ),
    })
}

impl fmt::Display for NotStructural {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for NotStructural {}
