//! `try_crd`: reports what an API server would refuse, without a server.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::api::{Api, PostParams};
use pintle::{CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::world::World;

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Fine", label("tier", "web"), annotation("a", "b"))]
struct FineSpec {
    size: i32,
}

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Misnamed", plural = "Mis_named", shortname = "M.N")]
struct MisnamedSpec {
    size: i32,
}

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Paired", category = "All")]
struct PairedSpec {
    pair: (i32, String),
}

#[tokio::test(start_paused = true)]
async fn try_crd_reports_exactly_what_a_server_refuses() {
    let world = World::new();
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client.clone());
    let fine = Fine::try_crd().unwrap();
    definitions.create(&PostParams::default(), &fine).await.unwrap();
    let error = Misnamed::try_crd().unwrap_err();
    assert_eq!(error.problems.len(), 2, "{error}");
    let refused = definitions.create(&PostParams::default(), &Misnamed::crd()).await.unwrap_err();
    assert!(refused.to_string().contains("Mis_named"), "{refused}");
}

#[test]
fn a_field_without_a_structural_schema_is_an_error_of_try_crd_and_a_panic_of_crd() {
    let error = Paired::try_crd().unwrap_err();
    assert_eq!(error.problems.len(), 2, "{error}");
    assert!(error.to_string().contains("`spec.pair` is a tuple"), "{error}");
    assert!(std::panic::catch_unwind(Paired::crd).is_err());
}

#[test]
fn new_objects_have_the_labels_and_annotations_of_their_kind() {
    let object = Fine::new("a", FineSpec { size: 1 });
    assert_eq!(object.metadata.labels.unwrap()["tier"], "web");
    assert_eq!(object.metadata.annotations.unwrap()["a"], "b");
}
