//! Reading from the stores of a manager.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::ResourceExt;
use pintle::api::{Patch, PatchParams};
use pintle::manager::{Manager, ReadError};
use pintle::runtime::reflector::{ObjectRef, Query};
use pintle::runtime::watcher;

use super::Started;
use crate::world::World;

#[tokio::test(start_paused = true)]
async fn what_was_declared_is_read_by_name_namespace_label_and_index() {
    let world = World::new();
    let manager = Manager::builder(world.client.clone()).build();
    let store = manager.cache(world.config_maps(), watcher::Config::default());
    store.add_index("first letter", |map: &ConfigMap| map.name_any().get(..1).map(str::to_owned)).unwrap();
    for name in ["a1", "a2", "b1"] {
        world.create_config_map(name).await;
    }
    let label = Patch::Merge(serde_json::json!({"metadata": {"labels": {"app": "web"}}}));
    world.config_maps().patch("a2", &PatchParams::default(), &label).await.unwrap();
    let reader = manager.reader();
    let key = |name: &str| ObjectRef::<ConfigMap>::new(name).within(world.namespace());
    let early = reader.get(&key("a1")).unwrap_err();
    assert!(matches!(early, ReadError::NotSynced { .. }), "{early}");
    let started = Started::new(&manager);
    store.wait_until_ready().await.unwrap();
    assert_eq!(reader.get(&key("a1")).unwrap().unwrap().name_any(), "a1");
    assert!(reader.get(&key("zz")).unwrap().is_none());
    let within = || Query::new().within(world.namespace());
    let names = |query: &Query| -> Vec<_> {
        reader.list::<ConfigMap>(query).unwrap().iter().map(|map| map.name_any()).collect()
    };
    assert_eq!(names(&within().by("first letter", "a")), ["a1", "a2"]);
    assert_eq!(names(&within().labelled("app=web".parse().unwrap())), ["a2"]);
    assert!(reader.list::<ConfigMap>(&within().by("last letter", "a")).is_err());
    started.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_nobody_declared_is_an_error_that_says_how_to_and_starts_no_watch() {
    let world = World::new();
    let manager = Manager::builder(world.client.clone()).build();
    let maps = manager.cache(world.config_maps(), watcher::Config::default().labels("app=web"));
    let started = Started::new(&manager);
    maps.wait_until_ready().await.unwrap();
    let reader = manager.reader();
    let error = reader.get(&ObjectRef::<Secret>::new("a")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Secret of v1 is not cached: nothing declared it, and a read starts no watch. Declare it before the manager runs: \
         manager.cache(Api::<Secret>::all(client), watcher::Config::default())"
    );
    let error = reader.list::<ConfigMap>(&Query::new()).unwrap_err();
    let cached = format!("only these: namespace {}, labels app=web", world.namespace());
    assert!(error.to_string().contains("ConfigMap of v1 in all namespaces are not all cached"), "{error}");
    assert!(error.to_string().contains(&cached), "{error}");
    assert!(!world.requests().iter().any(|request| request.contains("secrets")), "{:?}", world.requests());
    started.stop().await.unwrap();
}
