//! Types whose schemars schema an API server refuses: each gets a structural schema, or an error that says what to write
//! instead.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pintle::{CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{definition_of, schema_of};
use crate::custom_resource::Document;

#[test]
fn the_document_kind_has_a_structural_schema() {
    let definition = definition_of::<Document>();
    assert_eq!(definition["metadata"]["name"], "documents.example.com");
    assert_eq!(definition["spec"]["versions"][0]["subresources"], json!({ "status": {} }));
}

/// What a trap is set with.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
enum Bait {
    /// Yellow.
    Cheese,
    /// Red.
    Bacon,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
enum Spring {
    Strength { strength: i32 },
    Name { name: String },
}

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Trap")]
struct TrapSpec {
    /// The field's own documentation.
    bait: Option<Bait>,
    spring: Spring,
    #[serde(flatten)]
    more: HashMap<String, Value>,
}

#[test]
fn untagged_structs_optional_enums_and_flattened_values_have_a_structural_form() {
    assert_eq!(
        schema_of::<Trap>()["properties"]["spec"],
        json!({
            "type": "object",
            "required": ["spring"],
            "properties": {
                "bait": {
                    "type": "string",
                    "nullable": true,
                    "enum": ["Cheese", "Bacon"],
                    "description": "What a trap is set with.",
                },
                "spring": {
                    "type": "object",
                    "properties": {
                        "strength": { "type": "integer", "format": "int32" },
                        "name": { "type": "string" },
                    },
                    "anyOf": [{ "required": ["strength"] }, { "required": ["name"] }],
                },
            },
            "x-kubernetes-preserve-unknown-fields": true,
        })
    );
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
enum PortOrName {
    Port(u16),
    Name(String),
}

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Snare")]
struct SnareSpec {
    port: PortOrName,
    #[serde(flatten)]
    more: HashMap<String, String>,
}

#[test]
fn a_type_without_a_structural_form_is_refused_with_its_field_and_the_remedy() {
    let panic = std::panic::catch_unwind(Snare::crd).expect_err("there is no structural form");
    let message = panic.downcast::<String>().unwrap();
    let expected = [
        "the schema of Snare has no structural form",
        "field `spec.port` is an enum",
        "`#[schemars(schema_with = \"…\")]`",
        "field `spec` flattens a map",
        "drop `#[serde(flatten)]`, or flatten a map of `serde_json::Value`",
    ];
    for expected in expected {
        assert!(message.contains(expected), "{expected} is not in {message}");
    }
}

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Net")]
struct NetSpec {
    #[schemars(schema_with = "int_or_string")]
    port: PortOrName,
    #[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
    anything: Value,
}

fn int_or_string(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "x-kubernetes-int-or-string": true })
}

#[test]
fn the_remedies_in_the_messages_work() {
    let schema = schema_of::<Net>();
    assert_eq!(
        schema["properties"]["spec"]["properties"],
        json!({
            "port": { "x-kubernetes-int-or-string": true },
            "anything": { "x-kubernetes-preserve-unknown-fields": true },
        })
    );
}

/// Every shape that a field may have.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Menagerie", status = "Cage")]
#[serde(rename_all = "camelCase")]
struct MenagerieSpec {
    small_number: u8,
    large_number: Option<u64>,
    fraction: f32,
    letter: char,
    duration: std::time::Duration,
    three: [i32; 3],
    set: BTreeSet<String>,
    nested: Option<Box<Inner>>,
    optional_list: Option<Vec<Option<Inner>>>,
    map: BTreeMap<String, Vec<Inner>>,
    cage: Cage,
    optional_cage: Option<Cage>,
    cages: Vec<Cage>,
    baits: BTreeMap<String, Option<Bait>>,
    #[serde(flatten)]
    inner: Inner,
    #[schemars(length(max = 5), regex(pattern = "^a"))]
    short: String,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
struct Inner {
    /// Its name.
    name: String,
    spring: Option<Spring>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
enum Cage {
    /// With bars.
    Barred {
        bars: u32,
    },
    Walled(Inner),
    Named(String),
}

#[test]
fn types_of_every_shape_have_a_structural_schema() {
    let schema = schema_of::<Menagerie>();
    let fields = schema["properties"]["spec"]["properties"].as_object().unwrap();
    assert_eq!(fields.len(), 17, "{fields:#?}");
    assert_eq!(
        schema["properties"]["status"]["oneOf"],
        json!([{ "required": ["barred"] }, { "required": ["walled"] }, { "required": ["named"] }])
    );
}
