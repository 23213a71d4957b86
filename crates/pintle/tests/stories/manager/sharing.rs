//! One watch per kind, scope, selectors and form.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use pintle::manager::Manager;
use pintle::runtime::controller::{Action, Handlers, Namespaces};
use pintle::runtime::reflector::ObjectRef;
use pintle::runtime::watcher;
use pintle::{Client, ResourceExt};

use super::{Arc, Log, Started, again, reconcile};
use crate::world::World;

/// How many watches of `plural` were opened.
fn watches(world: &World, plural: &str) -> usize {
    let of_kind = |request: &&String| request.contains(&format!("/{plural}?")) && request.contains("watch=true");
    world.requests().iter().filter(of_kind).count()
}

fn secrets(client: Client) -> Api<Secret> {
    Api::default_namespaced(client)
}

fn none() -> watcher::Config {
    watcher::Config::default()
}

async fn create_secret(world: &World, name: &str) -> Secret {
    let mut secret = Secret::default();
    secret.metadata.name = Some(name.to_owned());
    secrets(world.client.clone()).create(&PostParams::default(), &secret).await.unwrap()
}

/// Two that are controllers of config maps, two that own them, two that watch them, and a cache.
#[tokio::test(start_paused = true)]
async fn all_who_want_the_same_share_one_watch() {
    let world = World::new();
    let manager = Manager::builder(world.client.clone()).build();
    let (first, second, owners, watchers) = (Log::default(), Log::default(), Log::default(), Log::default());
    for log in [&first, &second] {
        let maps = manager.controller(world.config_maps(), World::watching());
        manager.add_controller(maps.run(reconcile, again, Arc::new(log.clone())));
    }
    for _ in 0..2 {
        let owner = manager.controller(secrets(world.client.clone()), none().labels("role=owner"));
        let owner = owner.owns(world.config_maps(), World::watching());
        manager.add_controller(owner.run(reconcile, again, Arc::new(owners.clone())));
        let watcher = manager.controller(secrets(world.client.clone()), none().labels("role=watcher"));
        let named = |map: ConfigMap| Some(ObjectRef::new("watcher").within(&map.namespace()?));
        let watcher = watcher.watches(world.config_maps(), World::watching(), named);
        manager.add_controller(watcher.run(reconcile, again, Arc::new(watchers.clone())));
    }
    let cache = manager.cache(world.config_maps(), World::watching());
    let role = |role: &str| Patch::Merge(serde_json::json!({"metadata": {"labels": {"role": role}}}));
    for name in ["owner", "watcher"] {
        create_secret(&world, name).await;
        secrets(world.client.clone()).patch(name, &PatchParams::default(), &role(name)).await.unwrap();
    }
    let owner = secrets(world.client.clone()).get("owner").await.unwrap();

    let started = Started::new(&manager);
    world.until("both owners are reconciled", async || owners.count("owner") >= 2).await;
    world.create_owned_config_map("a", &owner).await;
    world.until("all have seen it", async || first.has("a") && second.has("a") && cache.len() == 1).await;
    world.until("owners are woken", async || owners.count("owner") >= 4).await;
    world.until("watchers are woken", async || watchers.count("watcher") >= 4).await;

    assert_eq!(watches(&world, "configmaps"), 2, "one of whole objects and one of metadata: {:?}", world.requests());
    assert_eq!(watches(&world, "secrets"), 2, "one for each selector");
    assert_eq!(manager.clusters()[0].watches().len(), 4);

    // A delete, and one that no watch has shown.
    let delete = async |name: &str| world.config_maps().delete(name, &DeleteParams::default()).await.unwrap();
    let before = (owners.count("owner"), watchers.count("watcher"));
    let blind = world.without_watches();
    delete("a").await;
    world.expire_history().await;
    drop(blind);
    world.until("owners hear of it", async || owners.count("owner") >= before.0 + 2).await;
    world.until("watchers hear of it", async || watchers.count("watcher") >= before.1 + 2).await;
    world.until("the store has lost it", async || cache.is_empty()).await;
    started.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_differs_has_a_watch_of_its_own() {
    let world = World::new();
    let manager = Manager::builder(world.client.clone()).build();
    let log = Log::default();
    let plain = |config| manager.controller(world.config_maps(), config);
    manager.add_controller(plain(none()).run(reconcile, again, Arc::new(log.clone())));
    manager.add_controller(plain(none().labels("")).run(reconcile, again, Arc::new(log.clone())));
    let kept = plain(none()).with_managed_fields();
    manager.add_controller(kept.run(reconcile, again, Arc::new(log.clone())));
    let bounded = plain(none()).namespaces(Namespaces::only([world.namespace()]));
    let handle = bounded.handle();
    manager.add_controller(bounded.run(reconcile, again, Arc::new(log.clone())));
    let everywhere = manager.controller(Api::<ConfigMap>::all(world.client.clone()), none());
    let fixed = everywhere.handle();
    manager.add_controller(everywhere.run(reconcile, again, Arc::new(log.clone())));
    // One of them looks at every namespace, and other stories may have an `a`.
    world.create_config_map("looked-at-in-five-ways").await;
    let started = Started::new(&manager);
    world.until("all five have seen it", async || log.count("looked-at-in-five-ways") == 5).await;
    let in_namespace = format!("namespaces/{}/configmaps", world.namespace());
    let opened =
        |part: &str| world.requests().iter().filter(|it| it.contains("watch=true") && it.contains(part)).count();
    assert_eq!((opened(&in_namespace), opened("/api/v1/configmaps")), (3, 1), "{:?}", world.requests());
    world.until("all are ready", async || manager.controllers().iter().all(|it| it.readiness.is_ready())).await;
    assert!(handle.namespaces(Namespaces::all()).is_ok(), "its watches are its own");
    assert!(fixed.namespaces(Namespaces::all()).is_err(), "others look at the same");
    let names: Vec<_> = manager.controllers().into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["configmap", "configmap-2", "configmap-3", "configmap-4", "configmap-5"]);
    started.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_controller_on_a_shared_store_reads_its_own_writes_and_handles_deletes() {
    let world = World::new();
    let manager = Manager::builder(world.client.clone()).build();
    let log = Log::default();
    // Another one keeps the watch shared.
    let _cache = manager.cache(world.config_maps(), World::watching());
    let maps = manager.controller(world.config_maps(), World::watching());
    let api = world.config_maps();
    let count_up = move |map: Arc<ConfigMap>, log: Arc<Log>| {
        let api = api.clone();
        async move {
            let count: u32 = map.data.as_ref().and_then(|data| data.get("count")?.parse().ok()).unwrap_or(0);
            log.note(format!("sees {count}"));
            if count < 5 {
                let next = serde_json::json!({"data": {"count": (count + 1).to_string()}});
                api.patch(&map.name_any(), &PatchParams::default(), &Patch::Merge(next)).await?;
                return Ok::<_, pintle::Error>(Action::requeue(Duration::ZERO));
            }
            Ok(Action::await_change())
        }
    };
    let gone = |map: Arc<ConfigMap>, log: Arc<Log>| async move {
        log.note(format!("{} is gone", map.name_any()));
        Ok::<_, pintle::Error>(Action::await_change())
    };
    let handlers = Handlers::new(count_up).on_delete(gone);
    manager.add_controller(maps.run_with(handlers, Arc::new(log.clone())));
    let started = Started::new(&manager);
    world.create_config_map("a").await;
    world.until("it has counted", async || log.has("sees 5")).await;
    for count in 0..5 {
        assert_eq!(log.count(&format!("sees {count}")), 1, "no write is made twice: {:?}", log.lines());
    }
    world.config_maps().delete("a", &DeleteParams::default()).await.unwrap();
    world.until("the delete is handled", async || log.has("a is gone")).await;
    started.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_nobody_wants_any_more_ends() {
    let world = World::new();
    let manager = Manager::builder(world.client.clone()).build();
    let started = Started::new(&manager);
    let maps = manager.controller(world.config_maps(), World::watching());
    world.until("it is watched", async || watches(&world, "configmaps") == 1).await;
    assert_eq!(manager.clusters()[0].watches().len(), 1);
    drop(maps);
    assert_eq!(manager.clusters()[0].watches().len(), 0);
    started.stop().await.unwrap();
}
