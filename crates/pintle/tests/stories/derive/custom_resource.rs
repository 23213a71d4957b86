//! `#[derive(CustomResource)]` with each of its attributes, and `#[derive(Resource)]`.

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::api::{Api, ObjectMeta, PostParams};
use pintle::core::crd::merge_crds;
use pintle::core::object::{HasSpec, HasStatus};
use pintle::{CustomResource, CustomResourceExt, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{definition_of, versions_of};
use crate::world::World;

#[derive(CustomResource, Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Farm", root = "FarmObject", namespaced)]
#[kube(doc = "Fields and animals", status = "FarmStatus", derive = "PartialEq", derive = "Default")]
#[kube(plural = "farmland", singular = "farmstead", shortname = "fa", category = "all", category = "land")]
#[kube(attr = "non_exhaustive", attr = "doc(alias = \"ranch\")")]
#[kube(printcolumn = r#"{"name":"Acres", "type":"integer", "jsonPath":".spec.acres", "priority": 1}"#)]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp", description = "its age"))]
#[kube(scale(spec_replicas_path = ".spec.cows", status_replicas_path = ".status.cows"))]
#[kube(selectable = ".spec.acres", annotation("example.com/a", "b"), label("team", "barn"))]
#[kube(served = true, storage = false, deprecated = "use v2")]
#[kube(validation = Rule::new("self.spec.acres >= 0").message("less than nothing"), validation = "true")]
struct FarmSpec {
    acres: i32,
    cows: i32,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
struct FarmStatus {
    cows: i32,
}

#[test]
fn every_attribute_is_in_the_definition() {
    assert_eq!(
        definition_of::<FarmObject>(),
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {
                "name": "farmland.example.com",
                "annotations": { "example.com/a": "b" },
                "labels": { "team": "barn" },
            },
            "spec": {
                "group": "example.com",
                "names": {
                    "kind": "Farm",
                    "plural": "farmland",
                    "singular": "farmstead",
                    "shortNames": ["fa"],
                    "categories": ["all", "land"],
                },
                "scope": "Namespaced",
                "versions": [{
                    "name": "v1",
                    "served": true,
                    "storage": false,
                    "deprecated": true,
                    "deprecationWarning": "use v2",
                    "additionalPrinterColumns": [
                        { "name": "Acres", "type": "integer", "jsonPath": ".spec.acres", "priority": 1 },
                        {
                            "name": "Age",
                            "type": "date",
                            "jsonPath": ".metadata.creationTimestamp",
                            "description": "its age",
                        },
                    ],
                    "selectableFields": [{ "jsonPath": ".spec.acres" }],
                    "subresources": {
                        "status": {},
                        "scale": { "specReplicasPath": ".spec.cows", "statusReplicasPath": ".status.cows" },
                    },
                    "schema": { "openAPIV3Schema": {
                        "title": "FarmObject",
                        "description": "Fields and animals",
                        "type": "object",
                        "required": ["spec"],
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["acres", "cows"],
                                "properties": {
                                    "acres": { "type": "integer", "format": "int32" },
                                    "cows": { "type": "integer", "format": "int32" },
                                },
                            },
                            "status": {
                                "type": "object",
                                "nullable": true,
                                "required": ["cows"],
                                "properties": { "cows": { "type": "integer", "format": "int32" } },
                            },
                        },
                        "x-kubernetes-validations": [
                            { "rule": "self.spec.acres >= 0", "message": "less than nothing" },
                            { "rule": "true" },
                        ],
                    } },
                }],
            },
        })
    );
}

#[test]
fn the_root_type_has_its_own_name_and_the_requested_traits() {
    let mut farm = FarmObject::default();
    assert_eq!(farm, FarmObject::default());
    assert_eq!(FarmObject::kind(&()), "Farm");
    farm.spec_mut().acres = 3;
    *farm.status_mut() = Some(FarmStatus { cows: 2 });
    let written = json!({
        "apiVersion": "example.com/v1",
        "kind": "Farm",
        "metadata": {},
        "spec": { "acres": 3, "cows": 0 },
        "status": { "cows": 2 },
    });
    assert_eq!(serde_json::to_value(&farm).unwrap(), written);
    assert_eq!(serde_json::from_value::<FarmObject>(written).unwrap(), farm);
}

mod v2 {
    use super::*;

    #[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
    #[kube(group = "example.com", version = "v2", kind = "Farm", namespaced, plural = "farmland")]
    #[kube(scale = r#"{"specReplicasPath": ".spec.cows", "statusReplicasPath": ".status.cows"}"#)]
    pub(super) struct FarmSpec {
        cows: i32,
    }
}

#[test]
fn a_scale_subresource_does_not_require_a_status() {
    let definition = definition_of::<v2::Farm>();
    assert_eq!(
        definition["spec"]["versions"][0]["subresources"],
        json!({ "scale": { "specReplicasPath": ".spec.cows", "statusReplicasPath": ".status.cows" } })
    );
}

#[tokio::test(start_paused = true)]
async fn definitions_of_several_versions_are_merged_and_installed() {
    let merged = merge_crds(vec![FarmObject::crd(), v2::Farm::crd()], "v2").unwrap();
    assert_eq!(versions_of(&merged), [("v2", true), ("v1", false)]);
    let definitions: Api<CustomResourceDefinition> = Api::all(World::new().client);
    let stored = definitions.create(&PostParams::default(), &merged).await.unwrap();
    assert_eq!(versions_of(&stored), versions_of(&merged));
}

/// What a bucket has.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Bucket", no_spec, status = "FarmStatus")]
#[kube(validation = "self.capacity > 0")]
struct BucketFields {
    /// In litres.
    capacity: i32,
}

#[test]
fn without_a_spec_the_fields_are_beside_the_metadata() {
    let bucket = Bucket::new("red", BucketFields { capacity: 10 });
    let written = serde_json::to_value(&bucket).unwrap();
    let expected =
        json!({ "apiVersion": "example.com/v1", "kind": "Bucket", "metadata": { "name": "red" }, "capacity": 10 });
    assert_eq!(written, expected);
    let read: Bucket = serde_json::from_value(written).unwrap();
    assert_eq!((read.spec().capacity, read.status), (10, None));
    assert_eq!(
        super::schema_of::<Bucket>(),
        json!({
            "title": "Bucket",
            "description": "Auto-generated derived type for BucketFields via `CustomResource`",
            "type": "object",
            "required": ["capacity"],
            "properties": {
                "capacity": { "type": "integer", "format": "int32", "description": "In litres." },
                "status": {
                    "type": "object",
                    "nullable": true,
                    "required": ["cows"],
                    "properties": { "cows": { "type": "integer", "format": "int32" } },
                },
            },
            "x-kubernetes-validations": [{ "rule": "self.capacity > 0" }],
        })
    );
}

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Foreign", schema = "disabled")]
struct ForeignSpec {}

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Handmade", schema = "manual")]
#[kube(crates(kube_core = "pintle::core", serde = "serde", std = "std", k8s_openapi = "k8s_openapi"))]
struct HandmadeSpec {}

impl JsonSchema for Handmade {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Handmade".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
    }
}

#[test]
fn a_schema_can_be_left_out_or_written_by_hand() {
    let foreign = serde_json::to_value(Foreign::crd()).unwrap();
    assert_eq!(foreign["spec"]["versions"][0]["schema"], json!({}));
    let handmade = super::schema_of::<Handmade>();
    assert_eq!(
        handmade,
        json!({ "title": "Handmade", "type": "object", "x-kubernetes-preserve-unknown-fields": true })
    );
}

macro_rules! kind {
    ($group:literal, $kind:literal, $spec:ident, $storage:literal, $rule:expr) => {
        #[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
        #[kube(group = $group, version = "v1", kind = $kind, storage = $storage, validation = $rule, label("a", $group))]
        struct $spec {}
    };
}

// The spec is called as serde calls its type parameters.
kind!("example.com", "Written", S, false, ("self.spec == oldSelf.spec", "stays"));

#[test]
fn attributes_can_come_from_another_macro() {
    let definition = definition_of::<Written>();
    assert_eq!(definition["metadata"], json!({ "name": "writtens.example.com", "labels": { "a": "example.com" } }));
    assert_eq!(versions_of(&Written::crd()), [("v1", false)]);
    let rules = &super::schema_in(&definition)["x-kubernetes-validations"];
    assert_eq!(rules, &json!([{ "rule": "self.spec == oldSelf.spec", "message": "stays" }]));
}

#[derive(Resource, Clone, Debug, Deserialize)]
#[resource(inherit = "ConfigMap")]
struct Settings {
    metadata: ObjectMeta,
    data: SettingsData,
}

#[derive(Clone, Debug, Deserialize)]
struct SettingsData {
    colour: String,
}

#[tokio::test(start_paused = true)]
async fn a_type_that_inherits_a_resource_reads_its_objects() {
    let world = World::new();
    let map: ConfigMap =
        serde_json::from_value(json!({ "metadata": { "name": "a" }, "data": { "colour": "red" } })).unwrap();
    world.config_maps().create(&PostParams::default(), &map).await.unwrap();
    let settings: Api<Settings> = Api::default_namespaced(world.client.clone());
    let read = settings.get("a").await.unwrap();
    assert_eq!((read.data.colour.as_str(), read.meta().name.as_deref()), ("red", Some("a")));
    assert_eq!(Settings::url_path(&(), Some("x")), ConfigMap::url_path(&(), Some("x")));
}
