//! `Api::entry`: one object that may exist or not. And kinds whose scope is known only at run time.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Node};
use pintle::api::entry::{CommitError, CommitValidationError, Entry};
use pintle::api::{Api, ApiResource, DynamicObject, ListParams, PostParams};
use pintle::discovery::Scope;
use pintle::{Error, Resource, ResourceExt};

use crate::world::{World, config_map};

#[tokio::test(start_paused = true)]
async fn an_entry_is_created_changed_or_left_unchanged() {
    let world = World::new();
    let maps = world.config_maps();
    let params = PostParams::default();
    let vacant = maps.entry("a").await.unwrap();
    assert!(matches!(vacant, Entry::Vacant(_)) && vacant.get().is_none());
    let mut entry = vacant.and_modify(|_| panic!("there is none")).or_insert(ConfigMap::default);
    entry.commit(&params).await.unwrap();
    assert_eq!((entry.get().name_any().as_str(), entry.get().namespace().as_deref()), ("a", Some(world.namespace())));

    let sent = world.requests().len();
    entry.commit(&params).await.unwrap();
    assert_eq!(world.requests().len(), sent, "nothing changed, nothing is sent");

    let add = |map: &mut ConfigMap| drop(map.labels_mut().insert("colour".into(), "blue".into()));
    let mut entry = maps.entry("a").await.unwrap().and_modify(add).or_insert(|| panic!("it exists"));
    entry.commit(&params).await.unwrap();
    let expected = format!("PUT /api/v1/namespaces/{}/configmaps/a?", world.namespace());
    assert_eq!(world.requests().last().unwrap(), &expected);
    let stored = maps.get("a").await.unwrap();
    assert_eq!((stored.labels()["colour"].as_str(), entry.into_object()), ("blue", stored.clone()));
}

#[tokio::test(start_paused = true)]
async fn an_entry_changed_by_another_writer_is_a_conflict() {
    let world = World::new();
    world.create_config_map("a").await;
    let maps = world.config_maps();
    let change = |map: &mut ConfigMap, value: &str| drop(map.labels_mut().insert("by".into(), value.into()));
    let mut mine = maps.entry("a").await.unwrap().and_modify(|map| change(map, "me")).or_insert(|| panic!("it exists"));
    let mut theirs =
        maps.entry("a").await.unwrap().and_modify(|map| change(map, "you")).or_insert(|| panic!("it exists"));
    theirs.commit(&PostParams::default()).await.unwrap();
    let refused = mine.commit(&PostParams::default()).await;
    assert!(matches!(&refused, Err(CommitError::Save(Error::Api(status))) if status.is_conflict()), "{refused:?}");
    assert_eq!(maps.get("a").await.unwrap().labels()["by"], "you");
}

#[tokio::test(start_paused = true)]
async fn an_entry_with_another_name_or_namespace_is_not_written() {
    let world = World::new();
    let maps = world.config_maps();
    let params = PostParams::default();
    let mut entry = maps.entry("a").await.unwrap().or_insert(|| config_map("b"));
    let sent = world.requests().len();
    let refused = entry.commit(&params).await;
    assert!(matches!(refused, Err(CommitError::Validate(CommitValidationError::NameMismatch { .. }))));
    *entry.get_mut() = config_map("a");
    entry.get_mut().metadata.namespace = Some("elsewhere".into());
    let refused = entry.commit(&params).await;
    assert!(matches!(refused, Err(CommitError::Validate(CommitValidationError::NamespaceMismatch { .. }))));
    *entry.get_mut() = config_map("a");
    entry.get_mut().metadata.generate_name = Some("a-".into());
    let refused = entry.commit(&params).await;
    assert!(matches!(refused, Err(CommitError::Validate(CommitValidationError::GenerateName { .. }))));
    assert_eq!(world.requests().len(), sent, "nothing was sent");
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_leaves_the_entry_to_be_committed() {
    let world = World::new();
    let maps = world.config_maps();
    let mut entry = maps.entry("a").await.unwrap().or_insert(ConfigMap::default);
    entry.commit(&PostParams { dry_run: true, ..PostParams::default() }).await.unwrap();
    assert!(maps.get_opt("a").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn one_generic_function_handles_cluster_and_namespaced_kinds() {
    let world = World::new();
    world.create_config_map("a").await;
    let config_maps = format!("/api/v1/namespaces/{}/configmaps", world.namespace());
    for (resource, scope, expected) in [
        (ApiResource::erase::<ConfigMap>(&()), Scope::Namespaced, config_maps.as_str()),
        (ApiResource::erase::<Namespace>(&()), Scope::Cluster, "/api/v1/namespaces"),
        (ApiResource::erase::<Node>(&()), Scope::Cluster, "/api/v1/nodes"),
    ] {
        let api = Api::<DynamicObject>::dynamic(world.client.clone(), &resource, &scope).constrain_default();
        assert_eq!(api.resource_url(), expected);
        api.list(&ListParams::default()).await.unwrap();
    }
    let everywhere = world.config_maps().unconstrain();
    assert_eq!((everywhere.resource_url(), everywhere.namespace()), ("/api/v1/configmaps", None));
    let elsewhere = everywhere.constrain("kube-system");
    assert_eq!(elsewhere.resource_url(), ConfigMap::url_path(&(), Some("kube-system")));
    assert!(elsewhere.list(&ListParams::default()).await.unwrap().items.iter().all(|map| map.name_any() != "a"));
}
