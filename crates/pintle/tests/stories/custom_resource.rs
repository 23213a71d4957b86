//! The kind `Document`, derived: installed, created, updated, deleted.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use pintle::{CustomResource, CustomResourceExt, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::world::World;

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Document")]
#[kube(namespaced, status = "DocumentStatus", shortname = "doc")]
pub(crate) struct DocumentSpec {
    pub title: String,
    pub content: String,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub(crate) struct DocumentStatus {
    #[serde(default)]
    pub words: usize,
}

pub(crate) fn document(name: &str) -> Document {
    Document::new(name, DocumentSpec { title: "A title".into(), content: "some words".into() })
}

/// Installs the kind.
pub(crate) async fn install(world: &World) {
    install_definition(world, &Document::crd()).await;
}

/// Installs a definition, if no other story has done so on the same cluster, and waits until its kind is served.
pub(crate) async fn install_definition(world: &World, definition: &CustomResourceDefinition) {
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client.clone());
    match definitions.create(&PostParams::default(), definition).await {
        Err(pintle::Error::Api(status)) if status.is_already_exists() => {}
        created => drop(created.expect("the definition is accepted")),
    }
    let served = async || {
        let status = definitions.get(&definition.name_any()).await.unwrap().status.unwrap_or_default();
        status.conditions.unwrap_or_default().iter().any(|it| it.type_ == "Established" && it.status == "True")
    };
    world.until("the kind is served", served).await;
}

pub(crate) fn documents(world: &World) -> Api<Document> {
    Api::default_namespaced(world.client.clone())
}

/// A kind whose schema allows anything, so that there can be objects that do not decode as a `Draft`.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Draft", namespaced)]
pub(crate) struct DraftSpec {
    pub title: String,
}

/// Installs the kind of drafts, and creates `good`.
pub(crate) async fn install_drafts(world: &World) -> Api<Draft> {
    let mut definition = Draft::crd();
    definition.spec.versions[0].schema = serde_json::from_value(json!({
        "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true }
    }))
    .unwrap();
    install_definition(world, &definition).await;
    let drafts = Api::default_namespaced(world.client.clone());
    drafts.create(&PostParams::default(), &draft("good")).await.unwrap();
    drafts
}

pub(crate) fn draft(name: &str) -> Draft {
    Draft::new(name, DraftSpec { title: "A title".into() })
}

/// The drafts as untyped objects, to write fields of the wrong type.
pub(crate) fn untyped_drafts(world: &World) -> Api<DynamicObject> {
    Api::default_namespaced_with(world.client.clone(), &ApiResource::erase::<Draft>(&()))
}

/// Creates a draft whose title is a number.
pub(crate) async fn create_wrong_draft(world: &World) {
    let wrong = DynamicObject::new("wrong", &ApiResource::erase::<Draft>(&())).data(json!({"spec": {"title": 5}}));
    untyped_drafts(world).create(&PostParams::default(), &wrong).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_derived_kind_is_served_as_soon_as_it_is_installed() {
    let world = World::new();
    install(&world).await;
    let stored = documents(&world).create(&PostParams::default(), &document("a")).await.unwrap();
    assert_eq!(stored.spec.title, "A title");
    assert_eq!((stored.metadata.generation, stored.metadata.namespace.as_deref()), (Some(1), Some(world.namespace())));
}

#[tokio::test(start_paused = true)]
async fn status_and_spec_are_written_by_separate_calls() {
    let world = World::new();
    install(&world).await;
    let api = documents(&world);
    let mut written = document("a");
    written.status = Some(DocumentStatus { words: 99 });
    let stored = api.create(&PostParams::default(), &written).await.unwrap();
    assert_eq!(stored.status, None, "creation does not set the status");

    let params = PatchParams::default();
    let both = Patch::Merge(json!({"spec": {"title": "x"}, "status": {"words": 2}}));
    let after = api.patch_status("a", &params, &both).await.unwrap();
    assert_eq!((after.spec.title.as_str(), after.status), ("A title", Some(DocumentStatus { words: 2 })));
    assert_eq!(after.metadata.generation, Some(1), "a status does not change the generation");

    let after = api.patch("a", &params, &both).await.unwrap();
    assert_eq!((after.spec.title.as_str(), after.metadata.generation), ("x", Some(2)));
}

#[tokio::test(start_paused = true)]
async fn a_write_with_an_old_resource_version_is_a_conflict() {
    let world = World::new();
    install(&world).await;
    let api = documents(&world);
    let old = api.create(&PostParams::default(), &document("a")).await.unwrap();
    let mut new = old.clone();
    new.spec.title = "new".into();
    api.replace("a", &PostParams::default(), &new).await.unwrap();
    match api.replace("a", &PostParams::default(), &old).await {
        Err(pintle::Error::Api(status)) => assert!(status.is_conflict(), "{status}"),
        other => panic!("an old version was accepted: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_with_a_finalizer_stays_until_it_is_removed() {
    let world = World::new();
    install(&world).await;
    let api = documents(&world);
    let mut held = document("a");
    held.finalizers_mut().push("example.com/held".into());
    api.create(&PostParams::default(), &held).await.unwrap();
    let deleting = api.delete("a", &DeleteParams::default()).await.unwrap().left().expect("it still exists");
    assert!(deleting.metadata.deletion_timestamp.is_some());
    let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    api.patch("a", &PatchParams::default(), &free).await.unwrap();
    assert!(api.get_opt("a").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn owned_objects_are_deleted_with_their_owner() {
    let world = World::new();
    install(&world).await;
    let owner = documents(&world).create(&PostParams::default(), &document("a")).await.unwrap();
    world.create_owned_config_map("child", &owner).await;
    world.create_config_map("stranger").await;
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    let maps = world.config_maps();
    world.until("the child is deleted", async || maps.get_opt("child").await.unwrap().is_none()).await;
    assert!(maps.get_opt("stranger").await.unwrap().is_some());
}
