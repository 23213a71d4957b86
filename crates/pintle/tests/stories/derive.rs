//! The derive macros, compiled: definitions, schemas and objects of the derived kinds.

#[cfg(feature = "cel")]
#[path = "derive/cel.rs"]
mod cel;
#[path = "derive/custom_resource.rs"]
mod custom_resource;
#[path = "derive/difficult_types.rs"]
mod difficult_types;
#[path = "derive/kube_schema.rs"]
mod kube_schema;
#[path = "derive/structural_schema.rs"]
mod structural_schema;
#[path = "derive/try_crd.rs"]
mod try_crd;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::CustomResourceExt;
use serde_json::Value;

/// The definition as JSON, after its schema was checked to be structural.
#[track_caller]
fn definition_of<K: CustomResourceExt>() -> Value {
    let definition = serde_json::to_value(K::crd()).unwrap();
    assert_eq!(structural_schema::violations(schema_in(&definition)), Vec::<String>::new(), "{definition:#}");
    definition
}

#[track_caller]
fn schema_of<K: CustomResourceExt>() -> Value {
    schema_in(&definition_of::<K>()).clone()
}

fn schema_in(definition: &Value) -> &Value {
    &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
}

/// The versions of a definition, each with whether it is stored.
fn versions_of(definition: &CustomResourceDefinition) -> Vec<(&str, bool)> {
    definition.spec.versions.iter().map(|version| (version.name.as_str(), version.storage)).collect()
}

#[test]
fn schemas_and_definitions_are_at_kubes_paths() {
    #[expect(unused_imports, reason = "that they resolve is the test")]
    use pintle::{
        CustomResource, KubeSchema, Resource,
        core::{
            ListMerge, MapMerge, Message, Reason, Rule, StructMerge,
            cel::{MergeStrategy, validate as validate_whole},
            crd::{CustomResourceExt, MergeError, merge_crds, v1},
            merge_properties, merge_strategy, merge_strategy_property,
            schema::{OptionalEnum, OptionalIntOrString, StructuralSchemaRewriter},
            validate, validate_property,
        },
    };
}
