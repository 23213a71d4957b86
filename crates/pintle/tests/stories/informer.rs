//! `Informer`, its handlers, and raw watches with `StreamWatcher`.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{DeleteParams, Patch, PatchParams, WatchEvent, WatchParams};
use pintle::runtime::reflector::{Handler, Store};
use pintle::runtime::watcher::{EventType, StreamWatcher};
use pintle::runtime::workqueue::WorkQueue;
use pintle::runtime::{Informer, watcher};
use pintle::testing::{Fault, Requests};
use pintle::{Api, ResourceExt};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::sleep;

use crate::world::World;
use crate::world::log::Log;

/// The calls a handler received, in order.
#[derive(Clone, Default)]
struct Received(Arc<Mutex<Vec<String>>>);

impl Received {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn so_far(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// A handler that notes every call.
    fn handler(&self) -> Handler<ConfigMap> {
        let (added, updated, deleted) = (self.clone(), self.clone(), self.clone());
        Handler::new()
            .on_add(move |map: Arc<ConfigMap>, is_initial| {
                added.note(format!("{}{}", if is_initial { "had " } else { "add " }, map.name_any()));
                std::future::ready(())
            })
            .on_update(move |old: Arc<ConfigMap>, new: Arc<ConfigMap>| {
                updated.note(format!("update {} {}->{}", new.name_any(), value(&old), value(&new)));
                std::future::ready(())
            })
            .on_delete(move |map: Arc<ConfigMap>| {
                deleted.note(format!("delete {} {}", map.name_any(), value(&map)));
                std::future::ready(())
            })
    }
}

fn value(map: &ConfigMap) -> String {
    map.data.as_ref().and_then(|data| data.get("k").cloned()).unwrap_or_default()
}

fn informer(world: &World) -> Informer<ConfigMap> {
    Informer::new(world.config_maps(), World::watching())
}

async fn set(world: &World, name: &str, value: &str) {
    let patch = Patch::Merge(json!({"data": {"k": value}}));
    world.config_maps().patch(name, &PatchParams::default(), &patch).await.unwrap();
}

async fn delete(world: &World, name: &str) {
    world.config_maps().delete(name, &DeleteParams::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_handler_receives_initial_objects_and_later_adds_updates_and_deletes() {
    let world = World::new();
    world.create_config_map("a").await;
    let received = Received::default();
    let informer = informer(&world).handle(received.handler());
    let store = informer.store();
    let running = tokio::spawn(informer.run());
    world.until("a is received", async || received.so_far() == ["had a"]).await;
    world.create_config_map("b").await;
    world.until("b is received", async || received.so_far().len() == 2).await;
    set(&world, "b", "1").await;
    world.until("its change is received", async || received.so_far().len() == 3).await;
    delete(&world, "b").await;
    world.until("its delete is received", async || received.so_far().len() == 4).await;
    assert_eq!(received.so_far(), ["had a", "add b", "update b ->1", "delete b 1"]);

    let late = Received::default();
    let registration = store.handle(late.handler());
    registration.wait_until_synced().await;
    assert_eq!(late.so_far(), ["had a"], "a late handler first receives the current objects");
    drop(registration);
    world.create_config_map("c").await;
    world.until("the first handler receives more", async || received.so_far().len() == 5).await;
    assert_eq!(late.so_far(), ["had a"], "an unregistered handler receives nothing more");
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_delete_and_a_recreate_seen_only_by_a_relist_are_two_handler_calls() {
    let world = World::new();
    world.create_config_map("a").await;
    set(&world, "a", "old").await;
    let received = Received::default();
    let informer = informer(&world).handle(received.handler());
    let _running = tokio::spawn(informer.run());
    world.until("a is received", async || received.so_far() == ["had a"]).await;
    let down = world.without_watches();
    delete(&world, "a").await;
    world.create_config_map("a").await;
    world.expire_history().await;
    drop(down);
    world.until("both are received", async || received.so_far().len() == 3).await;
    assert_eq!(received.so_far(), ["had a", "delete a old", "add a"]);
}

#[tokio::test(start_paused = true)]
async fn a_slow_handler_delays_nothing_else_and_its_backlog_is_one_change_per_object() {
    let world = World::new();
    world.create_config_map("a").await;
    let (gate, slow, quick) = (Arc::new(Semaphore::new(0)), Received::default(), Received::default());
    let (held, noted) = (Arc::clone(&gate), slow.clone());
    let handler = Handler::new()
        .on_add({
            let held = Arc::clone(&gate);
            move |_, _| {
                let held = Arc::clone(&held);
                async move { held.acquire().await.unwrap().forget() }
            }
        })
        .on_update(move |old: Arc<ConfigMap>, new| {
            noted.note(format!("{} {}->{}", new.name_any(), value(&old), value(&new)));
            let held = Arc::clone(&held);
            async move { held.acquire().await.unwrap().forget() }
        });
    let informer = informer(&world).handle(handler).handle(quick.handler());
    let store = informer.store();
    let _running = tokio::spawn(informer.run());
    world.until("the quick one receives a", async || quick.so_far() == ["had a"]).await;
    for round in 1..=20 {
        set(&world, "a", &round.to_string()).await;
        world.until("the quick one receives all", async || quick.so_far().len() == 1 + round).await;
    }
    assert_eq!(value(&store.state()[0]), "20", "the store is not stalled");
    gate.add_permits(100);
    world.until("the slow one catches up", async || !slow.so_far().is_empty()).await;
    sleep(Duration::from_secs(10)).await;
    assert_eq!(slow.so_far(), ["a ->20"], "one change, from the first old to the last new state");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_is_logged_and_continues_without_affecting_others() {
    let world = World::new();
    let log = Log::catch();
    let (received, other) = (Received::default(), Received::default());
    let noted = received.clone();
    let handler = Handler::new().on_add(move |map: Arc<ConfigMap>, _| {
        let noted = noted.clone();
        async move {
            assert_ne!(map.name_any(), "bad", "a handler is wrong");
            noted.note(map.name_any());
        }
    });
    let informer = informer(&world).handle(handler).handle(other.handler());
    let _running = tokio::spawn(informer.run());
    for name in ["a", "bad", "z"] {
        world.create_config_map(name).await;
    }
    world.until("the last is received", async || received.so_far() == ["a", "z"] && other.so_far().len() == 3).await;
    let lines = log.lines_with("a handler panicked");
    assert!(lines.len() == 1 && lines[0].contains("bad"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a_resync_calls_the_handler_for_every_object_each_period() {
    let world = World::embedded();
    world.create_config_map("a").await;
    let (received, quiet) = (Received::default(), Received::default());
    let informer =
        informer(&world).handle(received.handler().resync_every(Duration::from_secs(60))).handle(quiet.handler());
    let _running = tokio::spawn(informer.run());
    sleep(Duration::from_secs(185)).await;
    assert_eq!(received.so_far(), ["had a", "update a ->", "update a ->", "update a ->"]);
    assert_eq!(quiet.so_far(), ["had a"], "only the handler that asked for it");
}

#[tokio::test(start_paused = true)]
async fn an_informer_has_indexes_and_health_and_recovers_even_if_its_error_function_panics() {
    let world = World::embedded();
    world.create_config_map("a").await;
    let errors = Received::default();
    let noted = errors.clone();
    let refused = world.server().fault(Requests::all().of("configmaps").times(2), Fault::forbidden());
    let informer =
        informer(&world).index("letter", |map| [map.name_any()[..1].to_owned()]).unwrap().on_error(move |error| {
            noted.note(error.to_string());
            panic!("on purpose");
        });
    let (store, health): (Store<ConfigMap>, _) = (informer.store(), informer.health());
    let _running = tokio::spawn(informer.run());
    store.wait_until_ready().await.unwrap();
    assert_eq!(store.by_index("letter", "a").unwrap().len(), 1);
    assert_eq!(health.phase(), watcher::Phase::Watching);
    assert_eq!(
        (refused.fired(), errors.so_far().len()),
        (2, 1),
        "a streaming list falls back before it reports an error"
    );
}

/// The loop of client-go's controllers: informer, queue, workers, store.
#[tokio::test(start_paused = true)]
async fn an_informer_feeds_a_queue_whose_workers_read_its_store() {
    let world = World::new();
    for name in ["a", "b"] {
        world.create_config_map(name).await;
    }
    let queue = WorkQueue::new();
    let informer = informer(&world).enqueue(&queue);
    let store = informer.store();
    let _running = tokio::spawn(informer.run());
    store.wait_until_ready().await.unwrap();
    let next = async || {
        let item = queue.get().await.unwrap();
        let there = store.get(&item).is_some();
        (item.name.clone(), there)
    };
    assert_eq!([next().await, next().await], [("a".into(), true), ("b".into(), true)]);
    set(&world, "a", "1").await;
    assert_eq!(next().await, ("a".into(), true));
    delete(&world, "b").await;
    assert_eq!(next().await, ("b".into(), false), "an object that is not in the store is deleted");
}

/// The next event other than a bookmark, which a server may send at any time.
async fn next_change(watch: &mut StreamWatcher<ConfigMap>) -> WatchEvent<ConfigMap> {
    loop {
        let event = watch.next().await.unwrap().unwrap();
        if EventType::from(&event) != EventType::Bookmark {
            return event;
        }
    }
}

/// As in client-go's documents: watch, stop, and later watch again from the last version.
#[tokio::test(start_paused = true)]
async fn a_raw_watch_resumes_where_an_earlier_one_stopped() {
    let world = World::embedded();
    let maps = world.config_maps();
    let params = WatchParams::default().fields("metadata.name!=kube-root-ca.crt");
    world.create_config_map("a").await;
    let mut watch = StreamWatcher::open(&maps, &params, "").await.unwrap();
    let event = watch.next().await.unwrap().unwrap();
    assert_eq!(EventType::from(&event).to_string(), "ADDED");
    assert_eq!(watch.last_resource_version(), None, "initial events may still be missing");
    set(&world, "a", "1").await;
    let event = next_change(&mut watch).await;
    let WatchEvent::Modified(map) = &event else { panic!("{event:?}") };
    assert_eq!(watch.last_resource_version().as_deref(), map.resource_version().as_deref());
    world.server().send_bookmarks(&Requests::watches().of("configmaps"));
    assert_eq!(EventType::from(&watch.next().await.unwrap().unwrap()).to_string(), "BOOKMARK");
    let last = watch.last_resource_version().unwrap().into_owned();
    drop(watch);

    world.create_config_map("b").await;
    delete(&world, "a").await;
    let mut watch = StreamWatcher::open(&maps, &params, &last).await.unwrap();
    for expected in ["ADDED", "DELETED"] {
        assert_eq!(EventType::from(&next_change(&mut watch).await).to_string(), expected);
    }
    assert!(watch.last_resource_version().unwrap().parse::<u64>().unwrap() > last.parse().unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_raw_watch_from_a_version_that_is_too_old_returns_410() {
    let world = World::embedded();
    let map = world.create_config_map("a").await;
    set(&world, "a", "1").await;
    world.expire_history().await;
    let params = WatchParams::default();
    let said_gone = match StreamWatcher::open(&world.config_maps(), &params, &map.resource_version().unwrap()).await {
        Err(pintle::Error::Api(status)) => status.is_gone_or_expired(),
        Err(other) => panic!("{other:?}"),
        Ok(mut watch) => {
            matches!(watch.next().await, Some(Ok(WatchEvent::Error(status))) if status.is_gone_or_expired())
        }
    };
    assert!(said_gone);
}

#[tokio::test(start_paused = true)]
async fn in_a_raw_watch_an_undecodable_object_is_one_error_and_advances_the_version() {
    let world = World::new();
    let drafts: Api<crate::custom_resource::Draft> = crate::custom_resource::install_drafts(&world).await;
    let version = drafts.get("good").await.unwrap().resource_version().unwrap();
    let mut watch = StreamWatcher::open(&drafts, &WatchParams::default(), &version).await.unwrap();
    crate::custom_resource::create_wrong_draft(&world).await;
    let error = watch.next().await.unwrap().unwrap_err();
    assert!(format!("{error:?}").contains("/wrong"), "{error:?}");
    assert_ne!(watch.last_resource_version().as_deref(), Some(version.as_str()));
}
