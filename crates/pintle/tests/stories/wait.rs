//! `wait::await_condition`, `wait::delete` and `watch_object`.

use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::api::{Api, DeleteParams, Patch, PatchParams};
use pintle::runtime::wait::delete::delete_and_finalize;
use pintle::runtime::wait::{self, Condition, await_condition, conditions};
use pintle::runtime::watcher::watch_object;
use pintle::{CustomResourceExt, ResourceExt};

use crate::custom_resource::{Document, install};
use crate::world::World;

async fn patch(world: &World, name: &str, patch: serde_json::Value) {
    world.config_maps().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn watch_object_follows_create_change_and_delete() {
    let world = World::new();
    world.create_config_map("other").await;
    let mut states = Box::pin(watch_object(world.config_maps(), "a"));
    let mut next = async || states.next().await.unwrap().unwrap();
    assert!(next().await.is_none(), "it does not exist yet");
    world.create_config_map("a").await;
    assert_eq!(next().await.unwrap().name_any(), "a");
    patch(&world, "a", serde_json::json!({"data": {"k": "v"}})).await;
    assert_eq!(next().await.unwrap().data.unwrap()["k"], "v");
    world.config_maps().delete("a", &DeleteParams::default()).await.unwrap();
    assert!(next().await.is_none());
}

/// kube's watch_object missed a delete during a relist.
#[tokio::test(start_paused = true)]
async fn an_object_removed_while_no_watch_is_open_is_reported_as_deleted() {
    let world = World::new();
    world.create_config_map("a").await;
    let mut states = Box::pin(watch_object(world.config_maps(), "a"));
    assert!(states.next().await.unwrap().unwrap().is_some());
    let down = world.without_watches();
    world.config_maps().delete("a", &DeleteParams::default()).await.unwrap();
    world.expire_history().await;
    drop(down);
    let gone = async { while !matches!(states.next().await, Some(Ok(None))) {} };
    tokio::time::timeout(Duration::from_secs(60), gone).await.expect("the delete is reported");
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_condition_survives_an_outage_of_the_server() {
    let world = World::new();
    let has_data = |map: Option<&ConfigMap>| map.is_some_and(|map| map.data.is_some());
    let waiting = tokio::spawn(await_condition(world.config_maps(), "a", conditions::is_created().and(has_data)));
    world.create_config_map("a").await;
    let down = world.without_server();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(!waiting.is_finished(), "it waits through the outage instead of failing");
    drop(down);
    patch(&world, "a", serde_json::json!({"data": {"k": "v"}})).await;
    let map = waiting.await.unwrap().unwrap().unwrap();
    assert_eq!(map.data.unwrap()["k"], "v");
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_kind_that_does_not_exist_fails_at_once() {
    // On a shared cluster it may exist.
    let world = World::embedded();
    let documents: Api<Document> = Api::all(world.client.clone());
    let outcome = await_condition(documents, "a", conditions::is_created()).await;
    assert!(matches!(outcome, Err(wait::Error::ProbeFailed(error)) if error.is_refused()));
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_definition_ends_when_it_is_established() {
    let world = World::new();
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client.clone());
    let name = Document::crd_name();
    let established =
        tokio::spawn(async move { await_condition(definitions, name, conditions::is_crd_established()).await });
    install(&world).await;
    assert!(established.await.unwrap().unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_delete_ends_when_the_last_finalizer_is_removed() {
    let world = World::new();
    world.create_config_map("a").await;
    patch(&world, "a", serde_json::json!({"metadata": {"finalizers": ["example.com/f"]}})).await;
    let maps = world.config_maps();
    let deleting = tokio::spawn(async move { delete_and_finalize(maps, "a", &DeleteParams::default()).await });
    world
        .until("it is being deleted", async || {
            world.config_maps().get("a").await.unwrap().metadata.deletion_timestamp.is_some()
        })
        .await;
    assert!(!deleting.is_finished());
    patch(&world, "a", serde_json::json!({"metadata": {"finalizers": null}})).await;
    deleting.await.unwrap().unwrap();
    assert!(world.config_maps().get_opt("a").await.unwrap().is_none());

    world.create_config_map("b").await;
    delete_and_finalize(world.config_maps(), "b", &DeleteParams::default()).await.unwrap();
    let missing = delete_and_finalize(world.config_maps(), "b", &DeleteParams::default()).await;
    assert!(matches!(missing, Err(wait::delete::Error::Delete(_))));
}
