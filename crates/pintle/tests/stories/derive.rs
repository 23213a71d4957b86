//! The derive macros, compiled: definitions, schemas and objects of the kinds that they make.

#[cfg(feature = "cel")]
#[path = "derive/cel.rs"]
mod cel;
#[path = "derive/checked.rs"]
mod checked;
#[path = "derive/kinds.rs"]
mod kinds;
#[path = "derive/rules.rs"]
mod rules;
#[path = "derive/structural.rs"]
mod structural;
#[path = "derive/traps.rs"]
mod traps;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::CustomResourceExt;
use serde_json::Value;

/// The definition as JSON, with a schema that is known to be structural.
#[track_caller]
fn definition_of<K: CustomResourceExt>() -> Value {
    let definition = serde_json::to_value(K::crd()).unwrap();
    assert_eq!(structural::violations(schema_in(&definition)), Vec::<String>::new(), "{definition:#}");
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
fn kubes_paths_of_schemas_and_definitions_are_there() {
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
