//! How often an object's way through a watch and a controller asks for memory.
//!
//! Counted of the one thread that the runtime has, and the same on every machine: a step that allocates a few times more for
//! each object shows here. The limits are what was counted and a tenth; where fewer are counted, lower them.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use allocation_counter::measure;
use futures::{Stream, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::Api;
use pintle_runtime::controller::Action;
use pintle_runtime::{Controller, reflector, watcher};
use tokio::runtime::Runtime;

use crate::prepared_cluster::{OBJECTS, PreparedCluster, changes, expired};

/// What one reading of the stream yields; `true` if an object got to its end.
type Steps = Pin<Box<dyn Stream<Item = bool>>>;

fn listing() -> watcher::Config {
    watcher::Config { initial_list_strategy: watcher::InitialListStrategy::ListWatch, ..watcher::Config::default() }
}

fn reconciles(cluster: &PreparedCluster) -> Steps {
    let reconcile = |map: Arc<ConfigMap>, _: Arc<()>| async move {
        assert!(map.metadata.name.is_some());
        Ok::<_, Infallible>(Action::await_change())
    };
    let controller = Controller::new(Api::<ConfigMap>::all(cluster.client()), listing());
    Box::pin(controller.run(reconcile, |_, error, _| match *error {}, Arc::new(())).map(|done| done.is_ok()))
}

/// Reads until so many objects got to the end.
async fn read(steps: &mut Steps, objects: usize) {
    let mut left = objects;
    while left > 0 {
        left -= usize::from(steps.next().await.unwrap());
    }
}

/// Reads until a watch is open for the `nth` time; returns how many objects got to the end on the way.
async fn read_until_watched(steps: &mut Steps, cluster: &PreparedCluster, nth: usize) -> usize {
    let mut objects = 0;
    while cluster.watches() < nth {
        tokio::select! {
            biased;
            done = steps.next() => objects += usize::from(done.unwrap()),
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
    objects
}

/// How long a watch is waited for before it is asked for again; time is paused, so that it only has to be some.
const PAUSE: Duration = Duration::from_millis(1);

fn runtime() -> Runtime {
    // Paused, so that waiting before a list takes no time.
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

/// So many allocations for each object, at most.
fn check(what: &str, limit: u64, work: impl FnOnce()) {
    let counted = measure(work).count_total;
    let (objects, per_object) = (OBJECTS as u64, counted as f64 / OBJECTS as f64);
    assert!(counted <= limit * objects, "{what}: {per_object:.2} allocations per object, {limit} are allowed");
}

#[test]
fn an_event_and_its_reconcile_allocate_no_more_than_they_did() {
    let (runtime, cluster) = (runtime(), PreparedCluster::new());
    let mut steps = reconciles(&cluster);
    runtime.block_on(read(&mut steps, OBJECTS));
    runtime.block_on(read_until_watched(&mut steps, &cluster, 1));
    let changes = changes();
    check("an event and its reconcile", 54, || {
        cluster.send(changes);
        runtime.block_on(read(&mut steps, OBJECTS));
    });
}

#[test]
fn a_list_of_unchanged_objects_reconciles_none_and_allocates_no_more_than_it_did() {
    let (runtime, cluster) = (runtime(), PreparedCluster::new());
    let mut steps = reconciles(&cluster);
    runtime.block_on(read(&mut steps, OBJECTS));
    runtime.block_on(read_until_watched(&mut steps, &cluster, 1));
    check("a list in which nothing has changed", 9, || {
        cluster.send([expired()]);
        assert_eq!(runtime.block_on(read_until_watched(&mut steps, &cluster, 2)), 0);
    });
}

#[test]
fn an_object_of_a_list_on_its_way_into_a_store_allocates_no_more_than_it_did() {
    let (runtime, cluster) = (runtime(), PreparedCluster::new());
    let (store, writer) = reflector::store();
    let events = reflector(writer, watcher(Api::<ConfigMap>::all(cluster.client()), listing()));
    let mut events: Steps = Box::pin(events.map(|event| matches!(event, Ok(watcher::Event::InitApply(_)))));
    check("an object of a list", 28, || {
        runtime.block_on(read_until_watched(&mut events, &cluster, 1));
    });
    assert_eq!(store.len(), OBJECTS);
}
