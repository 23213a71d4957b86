//! A reconcile does not run on a cache that is older than the writes of the previous one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use pintle::runtime::controller::{Action, Config, Controller, Counts};
use pintle::runtime::reflector::{Store, store};
use pintle::runtime::{WatchStreamExt, watcher};
use pintle::testing::{Fault, Requests};
use pintle::{Client, Resource, ResourceExt};
use tokio::time::Instant;

use super::{Trouble, again, controller_of, create, embedded};
use crate::custom_resource::{Document, documents};
use crate::world::{World, config_map};

/// Every event of these watches arrives a second late.
fn lag(world: &World, plural: &str) {
    world.server().fault(Requests::watches().of(plural), Fault::SlowEvents(Duration::from_secs(1)));
}

/// Runs `reconcile` for a while and returns the metrics.
async fn run<F, Fut, C>(controller: Controller<Document>, reconcile: F, context: C, seconds: u64) -> Counts
where
    F: FnMut(Arc<Document>, Arc<C>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<Action, Trouble>> + Send + 'static,
    C: Send + Sync + 'static,
{
    let metrics = controller.metrics();
    let running = tokio::spawn(controller.run(reconcile, again, Arc::new(context)).for_each(|_| async {}));
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    running.abort();
    metrics.counts()
}

struct Writer {
    client: Client,
    writes: Arc<AtomicUsize>,
}

/// Writes the status if the cache has none, and requeues at once.
async fn fill_in(document: Arc<Document>, writer: Arc<Writer>) -> Result<Action, Trouble> {
    if document.status.is_none() {
        let api: Api<Document> = Api::default_namespaced(writer.client.clone());
        let patch =
            Patch::Merge(serde_json::json!({"status": {"words": writer.writes.fetch_add(1, Ordering::SeqCst)}}));
        api.patch_status(&document.name_any(), &PatchParams::default(), &patch).await?;
    }
    Ok(Action::requeue(Duration::from_millis(10)))
}

async fn writes_with(config: Config) -> (usize, Counts) {
    let world = embedded().await;
    create(&world, "a").await;
    lag(&world, "documents");
    let writes = Arc::new(AtomicUsize::new(0));
    let writer = Writer { client: world.client.clone(), writes: Arc::clone(&writes) };
    let counts = run(controller_of(&world).with_config(config), fill_in, writer, 30).await;
    (writes.load(Ordering::SeqCst), counts)
}

/// k8s #80698: a second object was created because the first was not in the cache yet.
#[tokio::test(start_paused = true)]
async fn a_lagging_cache_does_not_cause_the_same_write_twice() {
    let (writes, counts) = writes_with(Config::default()).await;
    assert_eq!((writes, counts.held, counts.holds_expired, counts.holding), (1, 1, 0, 0), "{counts:?}");
    assert!(counts.succeeded > 1000, "and then it continues: {counts:?}");
    let (writes, counts) = writes_with(Config::default().without_read_your_own_writes()).await;
    assert!(writes > 10 && counts.held == 0, "{writes} writes, {counts:?}");
}

struct Maker {
    client: Client,
    children: Store<ConfigMap>,
}

/// Creates a child if the store has none, and requeues at once.
async fn make(document: Arc<Document>, maker: Arc<Maker>) -> Result<Action, Trouble> {
    let is_mine = |child: &ConfigMap| child.owner_references().iter().any(|owner| owner.name == document.name_any());
    if maker.children.find(is_mine).is_none() {
        let mut child = config_map("unused");
        child.metadata.name = None;
        child.metadata.generate_name = Some("child-".into());
        child.metadata.owner_references = Some(document.controller_owner_ref(&()).into_iter().collect());
        let maps: Api<ConfigMap> = Api::default_namespaced(maker.client.clone());
        maps.create(&PostParams::default(), &child).await?;
    }
    Ok(Action::requeue(Duration::from_millis(50)))
}

/// How many children three documents get if their reconciler reads a separate store that lags.
async fn children_made(
    with: impl Fn(Controller<Document>, &World, &Store<ConfigMap>) -> Controller<Document>,
) -> usize {
    let world = embedded().await;
    for name in ["a", "b", "c"] {
        create(&world, name).await;
    }
    lag(&world, "configmaps");
    let (children, writer) = store();
    let reflecting = watcher(world.config_maps(), watcher::Config::default()).reflect(writer);
    let _reflecting = tokio::spawn(reflecting.for_each(|_| async {}));
    children.wait_until_ready().await.unwrap();
    let controller = with(controller_of(&world), &world, &children);
    run(controller, make, Maker { client: world.client.clone(), children }, 30).await;
    let made = world.config_maps().list(&Default::default()).await.unwrap();
    made.iter().filter(|map| map.name_any().starts_with("child-")).count()
}

#[tokio::test(start_paused = true)]
async fn a_child_with_a_generated_name_is_created_once() {
    // The controller's watch and the reconciler's store lag alike.
    let owning = |controller: Controller<Document>, world: &World, _: &_| {
        controller.owns(world.config_maps(), watcher::Config::default())
    };
    assert_eq!(children_made(owning).await, 3);
}

#[tokio::test(start_paused = true)]
async fn a_store_named_by_reads_is_waited_for() {
    assert_eq!(children_made(|controller, _, children| controller.reads(children)).await, 3);
    assert!(children_made(|controller, _, _| controller).await > 30, "the controller does not know the store");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_object_is_gone_from_the_cache_before_the_next_reconcile() {
    struct Cleaner {
        client: Client,
        refusals: Arc<AtomicUsize>,
        children: Store<ConfigMap>,
    }
    async fn clean(_: Arc<Document>, cleaner: Arc<Cleaner>) -> Result<Action, Trouble> {
        if let Some(child) = cleaner.children.find(|child| child.name_any() == "child") {
            let maps: Api<ConfigMap> = Api::default_namespaced(cleaner.client.clone());
            if maps.delete(&child.name_any(), &DeleteParams::default()).await.is_err() {
                cleaner.refusals.fetch_add(1, Ordering::SeqCst);
            }
        }
        Ok(Action::requeue(Duration::from_millis(50)))
    }
    let world = embedded().await;
    let owner = create(&world, "a").await;
    world.create_owned_config_map("child", &owner).await;
    lag(&world, "configmaps");
    let (children, writer) = store();
    let reflecting = watcher(world.config_maps(), watcher::Config::default()).reflect(writer);
    let _reflecting = tokio::spawn(reflecting.for_each(|_| async {}));
    children.wait_until_ready().await.unwrap();
    let refusals = Arc::new(AtomicUsize::new(0));
    let cleaner = Cleaner { client: world.client.clone(), refusals: Arc::clone(&refusals), children };
    let controller = controller_of(&world).owns(world.config_maps(), watcher::Config::default());
    let counts = run(controller, clean, cleaner, 30).await;
    assert_eq!((refusals.load(Ordering::SeqCst), counts.held, counts.holds_expired), (0, 1, 0), "{counts:?}");
}

/// Two watches of one kind are hardly ever equally far. The one that wakes may be ahead of the one that fills the store that is
/// read, and nothing wakes once that one has caught up.
#[tokio::test(start_paused = true)]
async fn what_wakes_a_reconcile_is_in_the_store_that_it_reads() {
    struct Keeper {
        client: Client,
        children: Store<ConfigMap>,
    }
    async fn keep(document: Arc<Document>, keeper: Arc<Keeper>) -> Result<Action, Trouble> {
        if keeper.children.find(|child| child.name_any() == "child").is_none() {
            let mut child = config_map("child");
            child.metadata.owner_references = Some(document.controller_owner_ref(&()).into_iter().collect());
            let maps: Api<ConfigMap> = Api::default_namespaced(keeper.client.clone());
            maps.create(&PostParams::default(), &child).await?;
        }
        Ok(Action::await_change())
    }
    let world = embedded().await;
    let owner = create(&world, "a").await;
    world.create_owned_config_map("child", &owner).await;
    // The first watch is the store's; the controller's comes later and is not slow.
    world.server().fault(Requests::watches().of("configmaps").times(1), Fault::SlowEvents(Duration::from_secs(1)));
    let (children, writer) = store();
    let reflecting = watcher(world.config_maps(), watcher::Config::default()).reflect(writer);
    let _reflecting = tokio::spawn(reflecting.for_each(|_| async {}));
    children.wait_until_ready().await.unwrap();
    let controller = controller_of(&world).owns(world.config_maps(), watcher::Config::default()).reads(&children);
    let (metrics, keeper) = (controller.metrics(), Keeper { client: world.client.clone(), children });
    let _running = tokio::spawn(controller.run(keep, again, Arc::new(keeper)).for_each(|_| async {}));
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_secs(10)).await;
        world.config_maps().delete("child", &DeleteParams::default()).await.unwrap();
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(world.config_maps().get_opt("child").await.unwrap().is_some(), "{:?}", metrics.counts());
    }
    let counts = metrics.counts();
    assert_eq!((counts.holds_expired, counts.holding), (0, 0), "{counts:?}");
}

/// How long an object waited whose reconciler performs `write` each time and requeues at once.
async fn waits<Fut>(
    world: &World,
    controller: Controller<Document>,
    write: impl Fn(Client, usize) -> Fut + Send + Sync + 'static,
) -> (Vec<u64>, Counts)
where
    Fut: Future<Output = ()> + Send + 'static,
{
    let starts = Arc::new(Mutex::new(Vec::new()));
    let (noted, client, write) = (Arc::clone(&starts), world.client.clone(), Arc::new(write));
    let reconcile = move |_: Arc<Document>, _: Arc<()>| {
        let number = {
            let mut noted = noted.lock().unwrap();
            noted.push(Instant::now());
            noted.len()
        };
        let writing = if number <= 2 { Some(write(client.clone(), number)) } else { None };
        async move {
            if let Some(writing) = writing {
                writing.await;
            }
            Ok(Action::requeue(if number <= 3 { Duration::ZERO } else { Duration::from_secs(3600) }))
        }
    };
    let counts = run(controller, reconcile, (), 60).await;
    let starts = starts.lock().unwrap().clone();
    (starts.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).take(2).collect(), counts)
}

#[tokio::test(start_paused = true)]
async fn a_write_that_no_watch_shows_delays_the_next_reconcile_by_five_seconds_at_most() {
    let world = embedded().await;
    create(&world, "a").await;
    let controller = controller_of(&world).owns(world.config_maps(), watcher::Config::default());
    let maps = world.config_maps();
    let server = world.server().clone();
    let (waits, counts) = waits(&world, controller, move |_, number| {
        server.stall_watches(&Requests::watches().of("configmaps"));
        let maps = maps.clone();
        async move { drop(maps.create(&PostParams::default(), &config_map(&format!("m{number}"))).await.unwrap()) }
    })
    .await;
    assert_eq!(waits, [5, 5]);
    assert!(counts.holds_expired >= 2, "{counts:?}");
}

#[tokio::test(start_paused = true)]
async fn a_write_to_a_kind_that_is_not_watched_delays_nothing() {
    let world = embedded().await;
    create(&world, "a").await;
    // Another kind, other labels, a dry run, a refused write: no watch of the controller shows any of them.
    let selected = watcher::Config::default().labels("app=web");
    let controller = controller_of(&world).owns(world.config_maps(), selected);
    let (waits, counts) = waits(&world, controller, |client, number| async move {
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        let secrets: Api<Secret> = Api::default_namespaced(client.clone());
        let map = config_map(&format!("m{number}"));
        let secret = Secret { metadata: map.metadata.clone(), ..Secret::default() };
        secrets.create(&PostParams::default(), &secret).await.unwrap();
        maps.create(&PostParams::default(), &map).await.unwrap();
        let dry = PostParams { dry_run: true, ..PostParams::default() };
        maps.create(&dry, &config_map("dry")).await.unwrap();
        maps.create(&PostParams::default(), &map).await.unwrap_err();
    })
    .await;
    assert_eq!((waits, counts.held), (vec![0, 0], 0), "{counts:?}");
}

/// An object that is deleted while it waits is released, and its successor of the same name does not inherit the wait.
#[tokio::test(start_paused = true)]
async fn an_object_deleted_while_it_waits_for_its_write_is_released() {
    let world = embedded().await;
    create(&world, "a").await;
    let writes = Arc::new(AtomicUsize::new(0));
    let writer = Writer { client: world.client.clone(), writes: Arc::clone(&writes) };
    let controller = controller_of(&world);
    let metrics = controller.metrics();
    lag(&world, "documents");
    let _running = tokio::spawn(controller.run(fill_in, again, Arc::new(writer)).for_each(|_| async {}));
    world.until("it waits", async || metrics.counts().holding == 1).await;
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    create(&world, "a").await;
    world.until("the new one has written", async || writes.load(Ordering::SeqCst) == 2).await;
    world.until("and does not wait any more", async || metrics.counts().holding == 0).await;
    assert_eq!(metrics.counts().holds_expired, 0);
}
