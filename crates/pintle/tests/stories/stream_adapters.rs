//! `WatchStreamExt`: `modify`, predicates, backoffs and other adapters of watch streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::{Stream, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::ResourceExt;
use pintle::api::{DeleteParams, Patch, PatchParams};
use pintle::runtime::watcher::{self, ExponentialBackoff, watcher};
use pintle::runtime::{Predicate, PredicateConfig, WatchStreamExt, predicates, reflector};

use crate::world::World;

async fn patch(world: &World, name: &str, patch: serde_json::Value) {
    world.config_maps().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fields_removed_by_modify_are_not_stored() {
    let world = World::new();
    world.create_config_map("a").await;
    patch(&world, "a", serde_json::json!({"data": {"secret": "x"}})).await;
    let (store, writer) = reflector::store::<ConfigMap>();
    let stream = watcher(world.config_maps(), World::watching())
        .default_backoff()
        .modify(|map| {
            map.managed_fields_mut().clear();
            map.data = None;
        })
        .reflect(writer)
        .applied_objects();
    let _keeping = tokio::spawn(stream.for_each(|_| std::future::ready(())));
    store.wait_until_ready().await.unwrap();
    assert!(store.state()[0].data.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_predicate_filter_drops_changes_outside_its_predicate() {
    let world = World::new();
    world.create_config_map("a").await;
    let labels_or_finalizers = predicates::labels.combine(predicates::finalizers);
    let mut stream = watcher(world.config_maps(), World::watching())
        .default_backoff()
        .applied_objects()
        .predicate_filter(labels_or_finalizers, PredicateConfig::default())
        .boxed();
    let mut next = async || stream.try_next().await.unwrap().unwrap();
    assert_eq!(next().await.name_any(), "a");
    patch(&world, "a", serde_json::json!({"data": {"k": "v"}})).await;
    patch(&world, "a", serde_json::json!({"metadata": {"labels": {"l": "x"}}})).await;
    let labelled = next().await;
    assert_eq!(labelled.labels()["l"], "x", "the change of data alone was hidden");
    patch(&world, "a", serde_json::json!({"metadata": {"finalizers": ["example.com/f"]}})).await;
    assert_eq!(next().await.finalizers(), ["example.com/f"]);
}

#[tokio::test(start_paused = true)]
async fn filter_by_takes_a_predicate_without_a_config() {
    let world = World::new();
    world.create_config_map("a").await;
    let mut stream = watcher(world.config_maps(), World::watching())
        .applied_objects()
        .filter_by(predicates::resource_version)
        .boxed();
    assert_eq!(stream.try_next().await.unwrap().unwrap().name_any(), "a");
}

#[tokio::test(start_paused = true)]
async fn a_metadata_watcher_asks_for_metadata_only() {
    let world = World::new();
    world.create_config_map("a").await;
    #[expect(deprecated, reason = "programs for kube call it")]
    let metadata = watcher::metadata_watcher(world.config_maps(), World::watching());
    let mut objects = metadata.touched_objects().boxed();
    assert_eq!(objects.try_next().await.unwrap().unwrap().name_any(), "a");
    world.config_maps().delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(objects.try_next().await.unwrap().unwrap().name_any(), "a");
}

/// The documents' numbers: 1 s, doubled, up to 60 s. They replace the watch's own delays and are not added to them.
#[tokio::test(start_paused = true)]
async fn a_custom_backoff_replaces_the_backoff_of_the_watch() {
    let world = World::embedded();
    let _down = world.without_server();
    let asked = Arc::new(AtomicUsize::new(0));
    struct Counting(ExponentialBackoff, Arc<AtomicUsize>);
    impl Iterator for Counting {
        type Item = Duration;
        fn next(&mut self) -> Option<Duration> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.next()
        }
    }
    impl pintle::runtime::utils::Backoff for Counting {
        fn reset(&mut self) {
            self.0.reset();
        }
    }
    let backoff = Counting(ExponentialBackoff::default(), Arc::clone(&asked));
    let mut stream = watcher(world.config_maps(), World::watching()).backoff(backoff).boxed();
    let start = tokio::time::Instant::now();
    let mut errors = Vec::new();
    while errors.len() < 8 {
        if stream.next().await.unwrap().is_err() {
            errors.push(start.elapsed().as_secs());
        }
    }
    assert_eq!(errors, [0, 1, 3, 7, 15, 31, 63, 123]);
    assert_eq!(asked.load(Ordering::Relaxed), 8);
}

/// When each error was yielded, in five minutes without a server. All draw their jitter from the same seed.
async fn errors_of<S>(turned: impl FnOnce(watcher::Watcher<ConfigMap>) -> S) -> Vec<Duration>
where
    S: Stream<Item = watcher::Result<watcher::Event<ConfigMap>>>,
{
    let world = World::embedded();
    let _down = world.without_server();
    fastrand::seed(7);
    let mut stream = std::pin::pin!(turned(watcher(world.config_maps(), World::watching())));
    let (start, mut errors) = (tokio::time::Instant::now(), Vec::new());
    let listening = async {
        while let Some(event) = stream.next().await {
            errors.extend(event.err().map(|_| start.elapsed()));
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(300), listening).await.is_err(), "it never ends");
    errors
}

#[tokio::test(start_paused = true)]
async fn default_backoff_changes_nothing_on_a_watcher_wherever_it_stands_in_the_chain() {
    let (_, writer) = reflector::store();
    let bare = errors_of(|watch| watch).await;
    assert!((8..=20).contains(&bare.len()), "{bare:?}");
    assert_eq!(errors_of(WatchStreamExt::default_backoff).await, bare);
    assert_eq!(errors_of(|watch| watch.default_backoff().default_backoff()).await, bare);
    assert_eq!(errors_of(|watch| watch.modify(|_| ()).default_backoff()).await, bare);
    assert_eq!(errors_of(|watch| watch.reflect(writer).default_backoff()).await, bare);
    assert_eq!(errors_of(|watch| watch.boxed().default_backoff().boxed()).await, bare);
    let slow = || ExponentialBackoff::new(Duration::from_secs(110), Duration::from_secs(110), 1.0, false);
    let seconds = |errors: Vec<Duration>| errors.iter().map(Duration::as_secs).collect::<Vec<_>>();
    assert_eq!(seconds(errors_of(|watch| watch.backoff(slow())).await), [0, 110, 220]);
    assert_eq!(seconds(errors_of(|watch| watch.default_backoff().backoff(slow())).await), [0, 110, 220]);
    assert_eq!(seconds(errors_of(|watch| watch.boxed().backoff(slow())).await), [0, 110, 220]);
}

/// A watch waits 800 ms and more by itself.
#[tokio::test(start_paused = true)]
async fn a_custom_backoff_may_be_shorter_than_that_of_the_watch_wherever_it_stands_in_the_chain() {
    let quick = || ExponentialBackoff::new(Duration::from_millis(250), Duration::from_millis(250), 1.0, false);
    let (_, writer) = reflector::store();
    let first = |errors: Vec<Duration>| errors.iter().take(4).map(Duration::as_millis).collect::<Vec<_>>();
    let expected = [0, 250, 500, 750];
    assert_eq!(first(errors_of(|watch| watch.backoff(quick())).await), expected);
    assert_eq!(first(errors_of(|watch| watch.default_backoff().backoff(quick())).await), expected);
    assert_eq!(first(errors_of(|watch| watch.backoff(quick()).default_backoff()).await), expected);
    assert_eq!(first(errors_of(|watch| watch.boxed().backoff(quick())).await), expected);
    assert_eq!(first(errors_of(|watch| watch.modify(|_| ()).reflect(writer).backoff(quick())).await), expected);
}

/// On a stream other than our watcher the backoff behaves as in kube.
#[tokio::test(start_paused = true)]
async fn default_backoff_on_another_stream_waits_after_every_error() {
    let failing = futures::stream::repeat_with(|| Err::<(), _>(watcher::Error::NoResourceVersion));
    let (start, mut stream) = (tokio::time::Instant::now(), std::pin::pin!(failing.default_backoff()));
    for _ in 0..4 {
        assert!(stream.next().await.unwrap().is_err());
    }
    let after = start.elapsed().as_millis();
    assert!((5600..=11_200).contains(&after), "800 ms, 1600 ms and 3200 ms, each up to doubled: {after} ms");
}

#[tokio::test(start_paused = true)]
async fn a_watcher_without_a_backoff_backs_off_and_never_ends() {
    let world = World::embedded();
    world.create_config_map("a").await;
    let down = world.without_server();
    let mut stream = watcher(world.config_maps(), World::watching()).boxed();
    let start = tokio::time::Instant::now();
    let mut errors = 0;
    while start.elapsed() < Duration::from_secs(300) {
        errors += usize::from(stream.next().await.expect("it never ends").is_err());
    }
    assert!((8..=20).contains(&errors), "{errors} errors in five minutes");
    drop(down);
    let healed = async { while !matches!(stream.next().await, Some(Ok(watcher::Event::InitDone))) {} };
    tokio::time::timeout(Duration::from_secs(90), healed).await.expect("it continues when the server is back");
}
