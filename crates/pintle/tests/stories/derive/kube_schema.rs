//! `#[derive(KubeSchema)]`: rules and merge strategies in the schema.

use std::collections::BTreeMap;

use pintle::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::schema_of;

/// What a garden is.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Garden")]
#[x_kube(validation = "self == oldSelf", validation = ("self.wide > 0", "too narrow"))]
#[serde(rename_all = "camelCase")]
struct GardenSpec {
    #[serde(default = "one")]
    #[x_kube(validation = Rule::new("self < 100").reason(Reason::FieldValueForbidden).field_path(".wide"))]
    wide: i32,
    /// What grows.
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]), validation = "size(self) > 0")]
    all_plants: Vec<Plant>,
    #[x_kube(merge_strategy = ListMerge::Set)]
    #[serde(rename = "colors")]
    colours: Option<Vec<String>>,
    #[x_kube(merge_strategy = MapMerge::Granular)]
    notes: BTreeMap<String, String>,
    #[x_kube(merge_strategy = StructMerge::Atomic, validation = "self.name != 'weed'")]
    favourite: Option<Plant>,
    #[serde(flatten)]
    owner: Owner,
    #[x_kube(validation = "self.open")]
    #[schemars(schema_with = "anything")]
    gate: Value,
    #[serde(skip)]
    _cache: i32,
}

#[derive(KubeSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[x_kube(validation = "has(self.name)")]
#[serde(default)]
struct Plant {
    name: String,
}

#[derive(KubeSchema, Clone, Debug, Deserialize, Serialize)]
struct Owner {
    #[x_kube(validation = "self != ''")]
    owner: String,
}

fn one() -> i32 {
    1
}

fn anything(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

#[test]
fn rules_and_merge_strategies_are_in_the_schema_of_their_fields() {
    let plant = json!({
        "type": "object",
        "properties": { "name": { "type": "string", "default": "" } },
        "x-kubernetes-validations": [{ "rule": "has(self.name)" }],
    });
    let mut favourite = plant.clone();
    favourite["nullable"] = json!(true);
    favourite["x-kubernetes-map-type"] = json!("atomic");
    favourite["x-kubernetes-validations"] = json!([{ "rule": "has(self.name)" }, { "rule": "self.name != 'weed'" }]);
    assert_eq!(
        schema_of::<Garden>()["properties"]["spec"],
        json!({
            "type": "object",
            "description": "What a garden is.",
            "required": ["allPlants", "gate", "notes", "owner"],
            "properties": {
                "wide": {
                    "type": "integer",
                    "format": "int32",
                    "default": 1,
                    "x-kubernetes-validations": [
                        { "rule": "self < 100", "reason": "FieldValueForbidden", "fieldPath": ".wide" },
                    ],
                },
                "allPlants": {
                    "type": "array",
                    "description": "What grows.",
                    "items": plant,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "x-kubernetes-validations": [{ "rule": "size(self) > 0" }],
                },
                "colors": {
                    "type": "array",
                    "nullable": true,
                    "items": { "type": "string" },
                    "x-kubernetes-list-type": "set",
                },
                "notes": {
                    "type": "object",
                    "additionalProperties": { "type": "string" },
                    "x-kubernetes-map-type": "granular",
                },
                "favourite": favourite,
                "owner": { "type": "string", "x-kubernetes-validations": [{ "rule": "self != ''" }] },
                "gate": {
                    "type": "object",
                    "x-kubernetes-preserve-unknown-fields": true,
                    "x-kubernetes-validations": [{ "rule": "self.open" }],
                },
            },
            "x-kubernetes-validations": [
                { "rule": "self == oldSelf" },
                { "rule": "self.wide > 0", "message": "too narrow" },
            ],
        })
    );
}

#[derive(KubeSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
#[x_kube(validation = "self.one != self.two")]
struct Pair<T> {
    one: T,
    #[x_kube(validation = ("true", "never said"))]
    two: T,
}

mod plain {
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    pub(super) struct Pair<T> {
        one: T,
    }
}

#[derive(KubeSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Side {
    Left {
        #[x_kube(validation = "self > 0")]
        far: i32,
    },
}

#[test]
fn generic_types_and_enums_can_have_rules() {
    let pair = schemars::schema_for!(Pair<i32>).to_value();
    assert_eq!(pair["title"], schemars::schema_for!(plain::Pair<i32>).to_value()["title"]);
    assert_eq!(pair["x-kubernetes-validations"], json!([{ "rule": "self.one != self.two" }]));
    assert_eq!(
        pair["properties"]["two"]["x-kubernetes-validations"],
        json!([{ "rule": "true", "message": "never said" }])
    );
    let side = schemars::schema_for!(Side).to_value();
    let far = &side["oneOf"][0]["properties"]["Left"]["properties"]["far"];
    assert_eq!(far["x-kubernetes-validations"], json!([{ "rule": "self > 0" }]));
}
