//! `watcher()` and the stores it fills: both list strategies, resuming, relisting, and objects that do not decode.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{DeleteParams, ListParams, Patch, PatchParams};
use pintle::runtime::reflector::Store;
use pintle::runtime::watcher::{Event, InitialListStrategy, ListSemantic};
use pintle::runtime::{WatchStreamExt, reflector, watcher};
use pintle::{CustomResourceExt, ResourceExt};

use crate::world::World;

/// Fills a store in the background, for as long as the task lives.
fn keep_store(world: &World, config: watcher::Config) -> (Store<ConfigMap>, tokio::task::JoinHandle<()>) {
    let (store, writer) = reflector::store();
    let stream = watcher(world.config_maps(), config).default_backoff().reflect(writer);
    (store, tokio::spawn(stream.for_each(|_| std::future::ready(()))))
}

fn names(store: &Store<ConfigMap>) -> Vec<String> {
    store.state().iter().map(|map| map.name_any()).collect()
}

fn by_pages() -> watcher::Config {
    watcher::Config { initial_list_strategy: InitialListStrategy::ListWatch, ..World::watching() }
}

#[tokio::test(start_paused = true)]
async fn a_store_follows_the_server_with_both_list_strategies() {
    for config in [World::watching(), by_pages().page_size(2), by_pages().any_semantic()] {
        let world = World::new();
        for name in ["a", "b", "c"] {
            world.create_config_map(name).await;
        }
        let (store, _keeping) = keep_store(&world, config.clone());
        store.wait_until_ready().await.unwrap();
        if config.list_semantic == ListSemantic::Any {
            // A real server may answer from a cache that is a moment old.
            world.until("the existing objects arrive", async || names(&store) == ["a", "b", "c"]).await;
        }
        assert_eq!(names(&store), ["a", "b", "c"], "{config:?}");
        world.create_config_map("d").await;
        world.config_maps().delete("a", &DeleteParams::default()).await.unwrap();
        world.until("the changes arrive", async || names(&store) == ["b", "c", "d"]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_watch_resumes_from_its_version() {
    let world = World::new();
    world.create_config_map("a").await;
    let (store, _keeping) = keep_store(&world, by_pages());
    store.wait_until_ready().await.unwrap();
    let seen = world.create_config_map("b").await.resource_version().unwrap();
    world.until("b arrives", async || store.len() == 2).await;

    world.cut_watches();
    world.create_config_map("c").await;
    world.until("c arrives", async || store.len() == 3).await;

    let calls: Vec<_> = world.requests().into_iter().filter(|call| call.starts_with("GET")).collect();
    let lists = calls.iter().filter(|call| !call.contains("watch=true")).count();
    assert_eq!(lists, 1, "nothing was listed again: {calls:#?}");
    let last = calls.last().unwrap();
    assert!(last.ends_with(&format!("resourceVersion={seen}")), "resumed at {seen}: {last}");
}

#[tokio::test(start_paused = true)]
async fn an_expired_version_relists_and_the_store_never_shows_an_empty_moment() {
    let world = World::new();
    let forgets = world.forgets();
    for name in ["a", "b", "c"] {
        world.create_config_map(name).await;
    }
    let (store, writer) = reflector::store::<ConfigMap>();
    let reader = store.clone();
    // The states after each round. A server that keeps its history also shows the states in between.
    let complete = ["a b c", "b c d0", "b c d1", "b c d2"];
    let is_whole = move |shown: &str| !forgets || complete.contains(&shown);
    // The delay does not grow: the watch fails in every round, and waiting for a real server takes real time.
    let delay = Duration::from_millis(500);
    let backoff = watcher::ExponentialBackoff::new(delay, delay, 1.0, false);
    let stream = watcher(world.config_maps(), World::watching()).backoff(backoff).reflect(writer);
    // Checked after every event, from the first complete list on.
    let keeping = tokio::spawn(stream.for_each(move |_| {
        let shown = names(&reader).join(" ");
        assert!(!reader.is_ready() || (reader.len() >= 2 && is_whole(&shown)), "the store showed {shown}");
        std::future::ready(())
    }));
    store.wait_until_ready().await.unwrap();
    for round in 0..3 {
        let down = world.without_watches();
        world.create_config_map(&format!("d{round}")).await;
        let goes = if round == 0 { "a".to_owned() } else { format!("d{}", round - 1) };
        world.config_maps().delete(&goes, &DeleteParams::default()).await.unwrap();
        world.expire_history().await;
        drop(down);
        let expected = ["b".to_owned(), "c".to_owned(), format!("d{round}")];
        world.until("the relist arrives", async || names(&store) == expected).await;
    }
    assert!(!keeping.is_finished(), "a reader saw an incomplete state");
    if !forgets {
        return;
    }
    let relists = world.requests().iter().filter(|call| call.contains("sendInitialEvents=true")).count();
    assert!(relists > 3, "each round listed again: {relists}");
}

#[tokio::test(start_paused = true)]
async fn the_stream_yields_init_apply_and_delete_in_order() {
    let world = World::new();
    world.create_config_map("a").await;
    let mut events = watcher(world.config_maps(), World::watching()).boxed();
    let mut next = async || events.next().await.expect("the stream never ends").expect("no fault is set");
    assert!(matches!(next().await, Event::Init));
    assert!(matches!(next().await, Event::InitApply(map) if map.name_any() == "a"));
    assert!(matches!(next().await, Event::InitDone));
    let patch = Patch::Merge(serde_json::json!({"data": {"k": "v"}}));
    world.config_maps().patch("a", &PatchParams::default(), &patch).await.unwrap();
    assert!(matches!(next().await, Event::Apply(map) if map.data.as_ref().unwrap()["k"] == "v"));
    world.config_maps().delete("a", &DeleteParams::default()).await.unwrap();
    assert!(matches!(next().await, Event::Delete(map) if map.name_any() == "a"));
}

#[tokio::test(start_paused = true)]
async fn a_selector_hides_objects_that_do_not_match() {
    let world = World::new();
    let label = async |name: &str, value: &str| {
        let patch = Patch::Merge(serde_json::json!({"metadata": {"labels": {"tier": value}}}));
        world.config_maps().patch(name, &PatchParams::default(), &patch).await.unwrap();
    };
    for name in ["a", "b"] {
        world.create_config_map(name).await;
    }
    label("a", "web").await;
    let (store, _keeping) = keep_store(&world, World::watching().labels("tier=web"));
    store.wait_until_ready().await.unwrap();
    assert_eq!(names(&store), ["a"]);
    label("b", "web").await;
    label("a", "test").await;
    world.until("b is added and a removed", async || names(&store) == ["b"]).await;
}

#[tokio::test(start_paused = true)]
async fn reflector_fills_a_store_from_any_event_stream() {
    let world = World::new();
    world.create_config_map("a").await;
    let (store, writer) = reflector::store::<ConfigMap>();
    let stream = reflector(writer, watcher(world.config_maps(), World::watching()));
    let mut applied = stream.applied_objects().boxed();
    assert_eq!(applied.next().await.unwrap().unwrap().name_any(), "a");
    assert!(!store.is_ready(), "the list is not complete before InitDone is yielded");
    world.create_config_map("b").await;
    assert_eq!(applied.next().await.unwrap().unwrap().name_any(), "b");
    assert!(store.is_ready());
    assert_eq!(names(&store), ["a", "b"]);
    drop(applied);
    assert_eq!(store.wait_until_ready().await, Ok(()), "it has been ready");
}

#[tokio::test(start_paused = true)]
async fn a_relist_keeps_the_allocation_of_unchanged_objects() {
    let world = World::new();
    world.create_config_map("a").await;
    let (store, _keeping) = keep_store(&world, World::watching());
    store.wait_until_ready().await.unwrap();
    let before = store.state();
    let down = world.without_watches();
    world.create_config_map("b").await;
    world.expire_history().await;
    drop(down);
    world.until("the relist arrives", async || store.len() == 2).await;
    assert!(Arc::ptr_eq(&before[0], &store.state()[0]), "what was decoded stays decoded");
}

#[tokio::test(start_paused = true)]
async fn a_missing_kind_is_reported_with_growing_delays_until_it_appears() {
    #[derive(pintle::CustomResource, Clone, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[kube(group = "example.com", version = "v1", kind = "Latecomer", namespaced)]
    struct LatecomerSpec {}
    let world = World::new();
    let api = pintle::Api::<Latecomer>::default_namespaced(world.client.clone());
    let mut events = watcher(api, World::watching()).boxed();
    let missing = |item: &watcher::Result<Event<Latecomer>>| {
        std::future::ready(matches!(item, Err(watcher::Error::InitialListFailed(_))))
    };
    let some_time = pin!(world.pass(Duration::from_secs(60)));
    let errors = events.by_ref().take_until(some_time).filter(missing).count().await;
    let expected = if world.is_real() { 2..=6 } else { 4..=9 };
    assert!(expected.contains(&errors), "{errors} errors");
    crate::custom_resource::install_definition(&world, &Latecomer::crd()).await;
    let healed = async { while !matches!(events.next().await, Some(Ok(Event::InitDone))) {} };
    tokio::time::timeout(Duration::from_secs(90), healed).await.expect("it recovers by itself");
}

#[tokio::test(start_paused = true)]
async fn a_paged_list_reads_every_page() {
    let world = World::new();
    for number in 0..5 {
        world.create_config_map(&format!("m{number}")).await;
    }
    let (store, _keeping) = keep_store(&world, by_pages().page_size(2));
    store.wait_until_ready().await.unwrap();
    let lists = world.requests().into_iter().filter(|call| call.contains("limit=2")).count();
    assert_eq!((store.len(), lists), (5, 3));
    let all = world.config_maps().list(&ListParams::default().fields("metadata.name!=kube-root-ca.crt")).await.unwrap();
    assert_eq!(all.items.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn every_task_that_waits_for_a_store_is_woken() {
    let world = World::new();
    let (store, writer) = reflector::store::<ConfigMap>();
    let waiting: Vec<_> = (0..3)
        .map(|_| store.clone())
        .map(|store| tokio::spawn(async move { store.wait_until_ready().await }))
        .collect();
    tokio::task::yield_now().await;
    let stream = watcher(world.config_maps(), World::watching()).reflect(writer);
    let _keeping = tokio::spawn(stream.for_each(|_| std::future::ready(())));
    for waiter in waiting {
        assert_eq!(waiter.await.unwrap(), Ok(()));
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_store_without_a_writer_returns_an_error() {
    let (store, writer) = reflector::store::<ConfigMap>();
    drop(writer);
    assert!(store.wait_until_ready().await.is_err());
}

mod undecodable {
    //! One object that does not decode, among others that do.

    use pintle::api::PostParams;

    use super::*;
    use crate::custom_resource::{Draft, create_wrong_draft, draft, install_drafts, untyped_drafts};

    /// The backoff cannot see by its type that there is a watch within, which waits by itself and here need not.
    #[tokio::test(start_paused = true)]
    async fn in_a_watch_it_delays_nothing_though_the_usual_backoff_is_around_it() {
        let world = World::embedded();
        let drafts = install_drafts(&world).await;
        let mut events = watcher(drafts.clone(), World::watching()).boxed().default_backoff().boxed();
        while !matches!(events.next().await, Some(Ok(Event::InitDone))) {}
        let start = tokio::time::Instant::now();
        create_wrong_draft(&world).await;
        drafts.create(&PostParams::default(), &draft("next")).await.unwrap();
        assert!(matches!(events.next().await, Some(Err(watcher::Error::WatchFailed(_)))));
        assert!(matches!(events.next().await, Some(Ok(Event::Apply(_)))));
        assert!(start.elapsed() < Duration::from_millis(100), "after {:?}", start.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn an_undecodable_object_in_a_watch_is_one_error_and_the_watch_continues() {
        let world = World::new();
        let drafts = install_drafts(&world).await;
        let mut events = watcher(drafts.clone(), World::watching()).boxed();
        while !matches!(events.next().await.unwrap().unwrap(), Event::InitDone) {}
        create_wrong_draft(&world).await;
        drafts.create(&PostParams::default(), &draft("next")).await.unwrap();
        let error = events.next().await.unwrap().unwrap_err();
        let named = format!("{}/wrong", world.namespace());
        let is_named = |cause: &pintle::Error| format!("{cause:?}").contains(&named);
        assert!(matches!(&error, watcher::Error::WatchFailed(cause) if is_named(cause)), "{error:?}");
        assert!(matches!(events.next().await.unwrap().unwrap(), Event::Apply(next) if next.name_any() == "next"));
        let watches =
            world.requests().iter().filter(|call| call.contains("drafts") && call.contains("watch=true")).count();
        assert_eq!(watches, 1, "the same stream continues");
    }

    #[tokio::test(start_paused = true)]
    async fn an_undecodable_object_fails_a_decoded_list_and_the_store_keeps_what_it_had() {
        let world = World::new();
        let drafts = install_drafts(&world).await;
        let (store, writer) = reflector::store::<Draft>();
        let stream = reflector(writer, watcher(drafts.clone(), World::watching()).boxed());
        let _keeping = tokio::spawn(stream.for_each(|_| std::future::ready(())));
        store.wait_until_ready().await.unwrap();
        let down = world.without_watches();
        create_wrong_draft(&world).await;
        world.expire_history().await;
        drop(down);
        world.pass(Duration::from_secs(60)).await;
        assert_eq!(store.len(), 1, "nothing was lost");
        drafts.delete("wrong", &DeleteParams::default()).await.unwrap();
        drafts.create(&PostParams::default(), &draft("next")).await.unwrap();
        world.until("the list works again", async || store.len() == 2).await;
    }

    #[tokio::test(start_paused = true)]
    async fn an_object_that_stopped_decoding_and_was_deleted_is_removed_from_the_store() {
        let world = World::new();
        let drafts = install_drafts(&world).await;
        let (store, writer) = reflector::store::<Draft>();
        let stream = reflector(writer, watcher(drafts.clone(), World::watching()));
        let _keeping = tokio::spawn(stream.for_each(|_| std::future::ready(())));
        store.wait_until_ready().await.unwrap();
        let break_it = Patch::Merge(serde_json::json!({"spec": {"title": 5}}));
        untyped_drafts(&world).patch("good", &PatchParams::default(), &break_it).await.unwrap();
        untyped_drafts(&world).delete("good", &DeleteParams::default()).await.unwrap();
        world.until("it is removed", async || store.is_empty()).await;
    }
}
