//! How often an object is decoded and copied on its way into a store and to the program: counted, because times depend on
//! the machine.

use std::cell::Cell;

use futures::{Stream, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use pintle::Api;
use pintle::ResourceExt;
use pintle::api::{Patch, PatchParams, PostParams};
use pintle::runtime::reflector::{Store, Writer, store};
use pintle::runtime::{WatchStreamExt, reflector, watcher};
use serde::{Deserialize, Deserializer};
use serde_json::json;

use crate::world::{World, config_map};

thread_local! {
    static DECODED: Cell<usize> = const { Cell::new(0) };
    static COPIED: Cell<usize> = const { Cell::new(0) };
}

/// A config map that is counted when it is decoded, and when it is copied.
#[derive(pintle::Resource, Clone, Debug, serde::Deserialize)]
#[resource(inherit = "ConfigMap")]
pub(crate) struct Counted {
    metadata: ObjectMeta,
    #[serde(rename = "data")]
    _data: Data,
}

#[derive(Debug)]
struct Data;

impl Clone for Data {
    fn clone(&self) -> Self {
        COPIED.set(COPIED.get() + 1);
        Self
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DECODED.set(DECODED.get() + 1);
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

/// How many were decoded and copied since this was last asked.
pub(crate) fn counted() -> (usize, usize) {
    (DECODED.replace(0), COPIED.replace(0))
}

const NAMES: [&str; 3] = ["a", "b", "c"];

async fn change_all(world: &World, value: &str) {
    for name in NAMES {
        let patch = Patch::Merge(json!({"data": {"key": value}}));
        world.config_maps().patch(name, &PatchParams::default(), &patch).await.unwrap();
    }
}

/// Fills a store by `program`: the first list, a change of each object, and a list in which each has changed again. Each of
/// them decodes every object once, and copies it so often.
async fn check(program: &str, copies: usize, keep: fn(Api<Counted>, Writer<Counted>) -> tokio::task::JoinHandle<()>) {
    let world = World::new();
    for name in NAMES {
        let mut map = config_map(name);
        map.data = Some([("key".to_owned(), "0".to_owned())].into());
        world.config_maps().create(&PostParams::default(), &map).await.unwrap();
    }
    let (store, writer) = store();
    let expected = (NAMES.len(), copies * NAMES.len());
    counted();
    let _keeping = keep(Api::default_namespaced(world.client.clone()), writer);
    store.wait_until_ready().await.unwrap();
    assert_eq!(counted(), expected, "{program}: the first list");

    change_all(&world, "1").await;
    world.until("the changes arrive", async || has_latest(&world, &store).await).await;
    assert_eq!(counted(), expected, "{program}: a change of each");

    let down = world.without_watches();
    change_all(&world, "2").await;
    world.expire_history().await;
    drop(down);
    world.until("the relist arrives", async || has_latest(&world, &store).await).await;
    assert_eq!(counted(), expected, "{program}: a list in which each has changed");
}

async fn has_latest(world: &World, store: &Store<Counted>) -> bool {
    let last = world.config_maps().get("c").await.unwrap().resource_version();
    store.scan().iter().any(|entry| entry.resource_version() == last)
}

fn kept<T: Send + 'static>(stream: impl Stream<Item = T> + Send + 'static) -> tokio::task::JoinHandle<()> {
    tokio::spawn(stream.for_each(|_| std::future::ready(())))
}

#[tokio::test(start_paused = true)]
async fn a_store_behind_a_watcher_costs_one_decode_per_object_and_no_copy() {
    check("reflector", 0, |api, writer| kept(reflector(writer, watcher(api, World::watching())))).await;
    check("reflector, default_backoff", 0, |api, writer| {
        kept(reflector(writer, watcher(api, World::watching()).default_backoff()).touched_objects())
    })
    .await;
    check("reflect", 0, |api, writer| kept(watcher(api, World::watching()).reflect(writer).applied_objects())).await;
    check("default_backoff, reflect", 0, |api, writer| {
        kept(watcher(api, World::watching()).default_backoff().reflect(writer))
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_store_behind_another_stream_costs_one_decode_and_one_copy_per_object() {
    check("modify, reflect", 1, |api, writer| {
        kept(watcher(api, World::watching()).modify(|map| map.managed_fields_mut().clear()).reflect(writer))
    })
    .await;
    check("boxed, reflector", 1, |api, writer| kept(reflector(writer, watcher(api, World::watching()).boxed()))).await;
}

/// A watcher that is read for a while before a store is put behind it has decoded its list already.
#[tokio::test(start_paused = true)]
async fn a_watcher_that_ran_before_it_got_a_store_fills_it_nevertheless() {
    let world = World::new();
    world.create_config_map("a").await;
    let mut events = watcher(world.config_maps(), World::watching());
    assert!(matches!(events.next().await, Some(Ok(watcher::Event::Init))));
    let (store, mut writer) = store();
    writer.apply_watcher_event(&watcher::Event::Init);
    let _keeping = kept(events.reflect(writer));
    store.wait_until_ready().await.unwrap();
    assert_eq!(store.state()[0].name_any(), "a");
}
