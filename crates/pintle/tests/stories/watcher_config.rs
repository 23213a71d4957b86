//! Every option of `watcher::Config`, with either list strategy, checked by the requests that are sent.

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::ResourceExt;
use pintle::api::PostParams;
use pintle::core::Selector;
use pintle::runtime::reflector::Store;
use pintle::runtime::watcher::{Config, InitialListStrategy, ListSemantic};
use pintle::runtime::{WatchStreamExt, reflector, watcher};
use serde_json::json;

use crate::world::World;

fn streaming() -> Config {
    Config::default().streaming_lists()
}

fn by_pages() -> Config {
    Config { initial_list_strategy: InitialListStrategy::ListWatch, ..Config::default() }
}

/// The GET requests of a watcher: until its watch is open, and after that watch was cut.
struct Asked {
    first: Vec<String>,
    after_a_cut: Vec<String>,
}

impl Asked {
    async fn by(config: Config) -> Self {
        let world = World::new();
        create(&world, "a").await;
        let (store, writer) = reflector::store();
        let stream = watcher(world.config_maps(), config).default_backoff().reflect(writer);
        let keeping = tokio::spawn(stream.for_each(|_| std::future::ready(())));
        store.wait_until_ready().await.unwrap();
        create(&world, "b").await;
        until_seen(&world, &store, "b").await;
        let first = gets(&world);
        world.cut_watches();
        create(&world, "c").await;
        until_seen(&world, &store, "c").await;
        let after_a_cut = gets(&world).split_off(first.len());
        keeping.abort();
        Self { first, after_a_cut }
    }

    /// The list requests.
    fn lists(&self) -> Vec<&str> {
        self.first.iter().map(String::as_str).filter(|call| !call.contains("watch=true")).collect()
    }

    fn watches(&self) -> Vec<&str> {
        self.all().filter(|call| call.contains("watch=true")).collect()
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.first.iter().chain(&self.after_a_cut).map(String::as_str)
    }
}

async fn create(world: &World, name: &str) {
    let map = serde_json::from_value(json!({"metadata": {"name": name, "labels": {"app": "web"}}})).unwrap();
    world.config_maps().create(&PostParams::default(), &map).await.unwrap();
}

async fn until_seen(world: &World, store: &Store<ConfigMap>, name: &str) {
    let is_there = async || store.state().iter().any(|map| map.name_any() == name);
    world.until("the new object is in the store", is_there).await;
}

fn gets(world: &World) -> Vec<String> {
    world.requests().into_iter().filter(|call| call.starts_with("GET")).collect()
}

#[tokio::test(start_paused = true)]
async fn the_list_strategy_decides_whether_a_list_or_a_watch_is_first() {
    let asked = Asked::by(streaming()).await;
    assert!(asked.lists().is_empty() && asked.first.len() == 1, "{:#?}", asked.first);
    assert!(asked.first[0].contains("sendInitialEvents=true&resourceVersionMatch=NotOlderThan"), "{:?}", asked.first);
    assert_eq!(Config::default(), streaming(), "it is the default");

    let asked = Asked::by(by_pages()).await;
    assert_eq!((asked.lists().len(), asked.first.len()), (1, 2), "{:#?}", asked.first);
    assert!(asked.all().all(|call| !call.contains("sendInitialEvents")), "{:#?}", asked.first);
}

#[tokio::test(start_paused = true)]
async fn any_semantic_sends_version_zero_with_either_strategy() {
    for any in [Config::any, Config::any_semantic, |config: Config| config.list_semantic(ListSemantic::Any)] {
        let asked = Asked::by(any(streaming())).await;
        assert!(asked.lists().is_empty(), "the strategy stays: {:#?}", asked.first);
        let first = &asked.first[0];
        assert!(first.contains("sendInitialEvents=true") && first.contains("resourceVersion=0"), "{first}");

        let asked = Asked::by(any(by_pages())).await;
        assert!(asked.lists()[0].contains("resourceVersion=0&resourceVersionMatch=NotOlderThan"), "{:#?}", asked.first);
    }
    let asked = Asked::by(streaming()).await;
    assert!(!asked.first[0].contains("resourceVersion=0"), "the most recent state: {:?}", asked.first);
    let asked = Asked::by(by_pages()).await;
    assert!(!asked.lists()[0].contains("resourceVersion"), "the most recent state: {:?}", asked.first);
}

#[tokio::test(start_paused = true)]
async fn selectors_are_sent_with_every_request() {
    let selector = Selector::from_iter([("app", "web")]);
    for config in [streaming(), by_pages()] {
        for (config, sent) in [
            (config.clone().labels("app=web"), "labelSelector=app%3Dweb"),
            (config.clone().labels_from(&selector), "labelSelector=app%3Dweb"),
            (config.clone().fields("metadata.name!=x"), "fieldSelector=metadata.name%21%3Dx"),
        ] {
            let asked = Asked::by(config).await;
            assert!(asked.all().all(|call| call.contains(sent)), "{sent}: {:#?}", asked.all().collect::<Vec<_>>());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_timeout_is_sent_with_every_watch() {
    for config in [streaming(), by_pages()] {
        let asked = Asked::by(config.clone().timeout(41)).await;
        assert!(asked.watches().iter().all(|call| call.contains("timeoutSeconds=41")), "{:#?}", asked.watches());
        assert!(asked.lists().iter().all(|call| !call.contains("timeoutSeconds")), "{:#?}", asked.lists());

        let asked = Asked::by(config).await;
        for watch in asked.watches() {
            let seconds = watch.split("timeoutSeconds=").nth(1).and_then(|rest| rest.split('&').next());
            let seconds: u32 = seconds.and_then(|seconds| seconds.parse().ok()).expect("there is always a limit");
            assert!((300..=600).contains(&seconds), "{watch}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn bookmarks_are_requested_unless_switched_off_and_always_for_streaming_lists() {
    let asks = |call: &str| call.contains("allowWatchBookmarks=true");
    for config in [streaming(), by_pages()] {
        let asked = Asked::by(config.clone()).await;
        assert!(asked.watches().into_iter().all(asks), "{:#?}", asked.watches());
        for without in [config.clone().bookmarks(false), config.disable_bookmarks()] {
            let asked = Asked::by(without).await;
            let with_bookmarks = asked.watches().into_iter().filter(|call| asks(call));
            assert!(
                with_bookmarks.clone().all(|call| call.contains("sendInitialEvents=true")),
                "{:#?}",
                asked.watches()
            );
            assert_eq!(with_bookmarks.count(), usize::from(asked.lists().is_empty()), "{:#?}", asked.watches());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_page_size_is_sent_with_lists_of_the_most_recent_state() {
    let asked = Asked::by(by_pages().page_size(7)).await;
    assert!(asked.lists()[0].contains("limit=7"), "{:?}", asked.lists());
    let asked = Asked::by(by_pages()).await;
    assert!(asked.lists()[0].contains("limit=500"), "{:?}", asked.lists());
    // A server answers version 0 with the whole list, whatever the limit.
    let asked = Asked::by(by_pages().page_size(7).any()).await;
    assert!(!asked.lists()[0].contains("limit"), "{:?}", asked.lists());
    // Who asks for pages gets pages, unless they ask for a stream after that.
    let asked = Asked::by(Config::default().page_size(7)).await;
    assert!(asked.lists()[0].contains("limit=7"), "{:?}", asked.lists());
    let asked = Asked::by(Config::default().page_size(7).streaming_lists()).await;
    assert!(asked.all().all(|call| !call.contains("limit")), "{:?}", asked.first);
}

/// A server without streaming lists is listed by pages, with the same options.
#[tokio::test(start_paused = true)]
async fn without_streaming_lists_the_options_are_sent_with_the_list() {
    for (config, sent) in [
        (Config::default().page_size(7).streaming_lists(), "limit=7"),
        (streaming().any(), "resourceVersion=0&resourceVersionMatch=NotOlderThan"),
        (streaming().labels("app=web"), "labelSelector=app%3Dweb"),
    ] {
        let server = pintle::testing::Server::builder().older_server().build();
        let maps: pintle::Api<ConfigMap> =
            pintle::Api::default_namespaced(pintle::Client::new(server.clone(), "default"));
        let (store, writer) = reflector::store();
        let stream = watcher(maps, config).default_backoff().reflect(writer);
        let keeping = tokio::spawn(stream.for_each(|_| std::future::ready(())));
        store.wait_until_ready().await.unwrap();
        keeping.abort();
        let asked: Vec<_> = server.trace().iter().map(|asked| format!("{asked:?}")).collect();
        assert!(asked.iter().any(|call| !call.contains("watch=true") && call.contains(sent)), "{sent}: {asked:#?}");
    }
}
