//! Controllers: converging, failing, stopping. Themes of their own are in `controller/`.

#[path = "controller/deletes.rs"]
mod deletes;
#[path = "controller/failures.rs"]
mod failures;
#[path = "controller/frameworks.rs"]
mod frameworks;
#[path = "controller/incidents.rs"]
mod incidents;
#[path = "controller/logging.rs"]
mod logging;
#[path = "controller/loop_detection.rs"]
mod loop_detection;
#[path = "controller/probes.rs"]
mod probes;
#[path = "controller/read_your_own_writes.rs"]
mod read_your_own_writes;
#[path = "controller/scopes.rs"]
mod scopes;
#[path = "controller/shutdown.rs"]
mod shutdown;
#[path = "controller/startup.rs"]
mod startup;
#[path = "controller/user_streams.rs"]
mod user_streams;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use pintle::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use pintle::runtime::controller::{self, Action, Controller};
use pintle::runtime::finalizer::{Event as Finalizer, finalizer};
use pintle::runtime::reflector::ObjectRef;
use pintle::runtime::watcher;
use pintle::{Resource, ResourceExt};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::custom_resource::{Document, create_wrong_draft, document, documents, install, install_drafts};
use crate::world::World;

#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("it is the one that fails")]
    OnPurpose,
    #[error("the API did not do it")]
    Api(#[from] pintle::Error),
    #[error("the finalizer did not work")]
    Finalizer(#[from] Box<pintle::runtime::finalizer::Error<pintle::Error>>),
}

fn again<K, C>(_: Arc<K>, _: &Trouble, _: C) -> Action {
    Action::backoff()
}

/// A world with the Document kind.
async fn world() -> World {
    let world = World::new();
    install(&world).await;
    world
}

/// The same on an embedded server, for stories that need its clock or its faults.
async fn embedded() -> World {
    let world = World::embedded();
    install(&world).await;
    world
}

async fn create(world: &World, name: &str) -> Document {
    documents(world).create(&PostParams::default(), &document(name)).await.expect("the document is new")
}

fn controller_of(world: &World) -> Controller<Document> {
    Controller::new(documents(world), watcher::Config::default())
}

/// Gives a document the config map it should own and updates its status. Garbage collection cleans up.
async fn publish(document: Arc<Document>, world: Arc<World>) -> Result<Action, Trouble> {
    let name = document.name_any();
    let map = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            owner_references: Some(document.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        data: Some([("content".to_owned(), document.spec.content.clone())].into()),
        ..ConfigMap::default()
    };
    match world.config_maps().get_opt(&name).await? {
        None => drop(world.config_maps().create(&PostParams::default(), &map).await?),
        Some(found) if found.data != map.data => {
            let patch = Patch::Merge(serde_json::json!({"data": map.data}));
            world.config_maps().patch(&name, &PatchParams::default(), &patch).await?;
        }
        Some(_) => {}
    }
    let words = document.spec.content.split_whitespace().count();
    if document.status.as_ref().is_none_or(|status| status.words != words) {
        let patch = Patch::Merge(serde_json::json!({"status": {"words": words}}));
        documents(&world).patch_status(&name, &PatchParams::default(), &patch).await?;
    }
    Ok(Action::await_change())
}

#[tokio::test(start_paused = true)]
async fn a_controller_converges() {
    let world = Arc::new(world().await);
    create(&world, "before").await;
    let controller = controller_of(&world).owns(world.config_maps(), watcher::Config::default());
    let running = controller.run(publish, again, Arc::clone(&world)).for_each(|_| std::future::ready(()));
    let _running = tokio::spawn(running);
    create(&world, "after").await;

    let maps = world.config_maps();
    for name in ["before", "after"] {
        world.until("its map is created", async || maps.get_opt(name).await.unwrap().is_some()).await;
        let words = async || documents(&world).get(name).await.unwrap().status.is_some_and(|it| it.words == 2);
        world.until("its status has the number of words", words).await;
    }

    let longer = Patch::Merge(serde_json::json!({"spec": {"content": "now there are five words"}}));
    documents(&world).patch("after", &PatchParams::default(), &longer).await.unwrap();
    let content = async || maps.get("after").await.unwrap().data.unwrap()["content"].clone();
    world.until("the map follows", async || content().await == "now there are five words").await;

    maps.delete("before", &DeleteParams::default()).await.unwrap();
    world.until("a deleted map is created again", async || maps.get_opt("before").await.unwrap().is_some()).await;

    let change = Patch::Merge(serde_json::json!({"data": {"content": "overwritten"}}));
    maps.patch("after", &PatchParams::default(), &change).await.unwrap();
    world.until("a changed map is corrected", async || content().await == "now there are five words").await;

    documents(&world).delete("after", &DeleteParams::default()).await.unwrap();
    world.until("the map is garbage collected", async || maps.get_opt("after").await.unwrap().is_none()).await;
}

/// Counts reconciles by name.
#[derive(Default)]
struct Counts(Mutex<BTreeMap<String, usize>>);

impl Counts {
    fn add(&self, name: &str) {
        *self.0.lock().unwrap().entry(name.into()).or_default() += 1;
    }

    fn of(&self, name: &str) -> usize {
        self.0.lock().unwrap().get(name).copied().unwrap_or_default()
    }
}

async fn count<K: ResourceExt>(object: Arc<K>, counts: Arc<Counts>) -> Result<Action, Trouble> {
    counts.add(&object.name_any());
    Ok(Action::await_change())
}

#[tokio::test(start_paused = true)]
async fn a_child_deleted_unseen_before_a_relist_triggers_its_owner() {
    let world = world().await;
    let owner = create(&world, "a").await;
    create(&world, "b").await;
    world.create_owned_config_map("child", &owner).await;
    let counts = Arc::new(Counts::default());
    let controller = controller_of(&world).owns(world.config_maps(), watcher::Config::default());
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(|_| std::future::ready(())));
    world.until("both are reconciled", async || counts.of("a") >= 1 && counts.of("b") >= 1).await;
    // An object that was reconciled recently is reconciled again after a relist anyway; these have been idle for long.
    world.pass(Duration::from_secs(120)).await;
    world.create_config_map("unrelated").await;
    world.pass(Duration::from_secs(1)).await;
    let (before, neighbour) = (counts.of("a"), counts.of("b"));

    let down = world.without_watches();
    world.config_maps().delete("child", &DeleteParams::default()).await.unwrap();
    world.expire_history().await;
    drop(down);
    world.until("the owner is reconciled", async || counts.of("a") > before).await;
    assert!(world.is_real() || counts.of("b") == neighbour, "because of its child and not because of the relist");
}

#[tokio::test(start_paused = true)]
async fn two_reconciles_of_one_key_never_overlap() {
    struct Watched {
        running: AtomicUsize,
        runs: AtomicUsize,
    }
    let world = embedded().await;
    create(&world, "a").await;
    let context = Arc::new(Watched { running: AtomicUsize::new(0), runs: AtomicUsize::new(0) });
    let slow = async |_: Arc<Document>, context: Arc<Watched>| {
        assert_eq!(context.running.fetch_add(1, Ordering::SeqCst), 0, "two at once");
        tokio::time::sleep(Duration::from_millis(500)).await;
        context.running.fetch_sub(1, Ordering::SeqCst);
        context.runs.fetch_add(1, Ordering::SeqCst);
        Ok::<_, Trouble>(Action::await_change())
    };
    let errors = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&errors);
    let stream = controller_of(&world).run(slow, again, Arc::clone(&context));
    let _running = tokio::spawn(stream.for_each(move |result| {
        seen.fetch_add(usize::from(result.is_err()), Ordering::SeqCst);
        std::future::ready(())
    }));
    for number in 0..20 {
        let patch = Patch::Merge(serde_json::json!({"spec": {"title": number.to_string()}}));
        documents(&world).patch("a", &PatchParams::default(), &patch).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    world.until("nothing runs any more", async || context.running.load(Ordering::SeqCst) == 0).await;
    let runs = context.runs.load(Ordering::SeqCst);
    assert!((3..=7).contains(&runs), "20 changes in 2 s were {runs} runs of 500 ms");
    assert_eq!(errors.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_failing_object_backs_off_while_others_are_reconciled() {
    type Runs = Mutex<BTreeMap<String, Vec<Instant>>>;
    let world = embedded().await;
    for name in ["bad", "good"] {
        create(&world, name).await;
    }
    let runs = Arc::new(Runs::default());
    let reconcile = async |document: Arc<Document>, runs: Arc<Runs>| {
        let name = document.name_any();
        runs.lock().unwrap().entry(name.clone()).or_default().push(Instant::now());
        if name == "bad" { Err(Trouble::OnPurpose) } else { Ok(Action::requeue(Duration::from_secs(1))) }
    };
    let stream = controller_of(&world).run(reconcile, again, Arc::clone(&runs));
    let running = tokio::spawn(stream.for_each(|_| std::future::ready(())));
    tokio::time::sleep(Duration::from_secs(60)).await;
    running.abort();

    let runs = runs.lock().unwrap();
    let good = runs["good"].len();
    assert!((58..=61).contains(&good), "the other object ran {good} times in 60 s");
    let waits: Vec<_> = runs["bad"].windows(2).map(|pair| (pair[1] - pair[0]).as_millis()).collect();
    assert!((11..=14).contains(&waits.len()), "5 ms doubled fits 12 to 13 times into 60 s: {waits:?}");
    assert!(waits.windows(2).skip(2).all(|pair| pair[1] > pair[0] * 3 / 2), "each wait is longer: {waits:?}");
}

#[tokio::test(start_paused = true)]
async fn a_success_resets_the_backoff() {
    let world = embedded().await;
    create(&world, "a").await;
    let runs = Arc::new(Mutex::new(Vec::<Instant>::new()));
    let reconcile = async |_: Arc<Document>, runs: Arc<Mutex<Vec<Instant>>>| {
        let mut runs = runs.lock().unwrap();
        runs.push(Instant::now());
        // Five failures, a success, five failures, …
        if runs.len().is_multiple_of(6) { Ok(Action::requeue(Duration::ZERO)) } else { Err(Trouble::OnPurpose) }
    };
    let stream = controller_of(&world).run(reconcile, again, Arc::clone(&runs));
    let _running = tokio::spawn(stream.for_each(|_| std::future::ready(())));
    world.until("it ran often", async || runs.lock().unwrap().len() > 60).await;
    let runs = runs.lock().unwrap();
    let longest = runs.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!(longest < Duration::from_millis(120), "no wait exceeds the fifth: {longest:?}");
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_reported_and_the_object_is_retried() {
    let world = world().await;
    for name in ["bad", "good"] {
        create(&world, name).await;
    }
    let counts = Arc::new(Counts::default());
    let reconcile = async |document: Arc<Document>, counts: Arc<Counts>| {
        counts.add(&document.name_any());
        assert!(document.name_any() != "bad" || counts.of("bad") > 2, "a reconciler that panics twice");
        Ok::<_, Trouble>(Action::await_change())
    };
    let stream = controller_of(&world).run(reconcile, again, Arc::clone(&counts));
    let results: Vec<_> = stream.take(4).collect().await;
    let panics = |result: &Result<_, controller::Error<Trouble>>| matches!(result, Err(controller::Error::RunnerError(controller::RunnerError::Panicked(object, _))) if object.name == "bad");
    assert_eq!(results.iter().filter(|result| panics(result)).count(), 2);
    assert_eq!((counts.of("bad"), counts.of("good")), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_cleans_up_before_the_object_is_removed() {
    struct Context {
        api: Api<Document>,
        log: Mutex<Vec<&'static str>>,
    }
    async fn reconcile(document: Arc<Document>, context: Arc<Context>) -> Result<Action, Trouble> {
        let act = async |event| {
            context.log.lock().unwrap().push(match event {
                Finalizer::Apply(_) => "apply",
                Finalizer::Cleanup(_) => "clean up",
            });
            Ok::<_, pintle::Error>(Action::await_change())
        };
        Ok(finalizer(&context.api, "example.com/clean-up", document, act).await.map_err(Box::new)?)
    }
    let world = world().await;
    let api = documents(&world);
    create(&world, "a").await;
    let context = Arc::new(Context { api: api.clone(), log: Mutex::default() });
    let stream = controller_of(&world).run(reconcile, again, Arc::clone(&context));
    let _running = tokio::spawn(stream.for_each(|result| {
        assert!(result.is_ok(), "{result:?}");
        std::future::ready(())
    }));
    world.until("it is applied", async || !context.log.lock().unwrap().is_empty()).await;
    assert_eq!(api.get("a").await.unwrap().finalizers(), ["example.com/clean-up"]);
    api.delete("a", &DeleteParams::default()).await.unwrap();
    world.until("it is removed", async || api.get_opt("a").await.unwrap().is_none()).await;
    let log = context.log.lock().unwrap();
    assert_eq!((log.first(), log.last()), (Some(&"apply"), Some(&"clean up")));
    assert_eq!(log.iter().filter(|line| **line == "clean up").count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_watched_kind_triggers_the_objects_its_mapper_returns() {
    let world = world().await;
    for name in ["a", "b"] {
        create(&world, name).await;
    }
    let counts = Arc::new(Counts::default());
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let namespace = world.namespace().to_owned();
    let mapper = move |secret: Secret| secret.labels().get("for").map(|name| ObjectRef::new(name).within(&namespace));
    let controller = controller_of(&world).watches(secrets.clone(), watcher::Config::default(), mapper);
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(|_| std::future::ready(())));
    world.until("both are reconciled", async || counts.of("a") >= 1 && counts.of("b") >= 1).await;
    let (before, neighbour) = (counts.of("a"), counts.of("b"));
    let mut secret =
        Secret { metadata: ObjectMeta { name: Some("s".into()), ..ObjectMeta::default() }, ..Secret::default() };
    secret.labels_mut().insert("for".into(), "a".into());
    secrets.create(&PostParams::default(), &secret).await.unwrap();
    world.until("a is reconciled", async || counts.of("a") > before).await;
    secrets.delete("s", &DeleteParams::default()).await.unwrap();
    world.until("a is reconciled because of the delete", async || counts.of("a") > before + 1).await;
    assert_eq!(counts.of("b"), neighbour);
}

#[tokio::test(start_paused = true)]
async fn a_graceful_shutdown_lets_a_running_reconcile_finish_and_starts_no_other() {
    struct Context {
        started: Notify,
        finished: AtomicUsize,
    }
    let world = world().await;
    for name in ["a", "b"] {
        create(&world, name).await;
    }
    let context = Arc::new(Context { started: Notify::new(), finished: AtomicUsize::new(0) });
    let reconcile = async |_: Arc<Document>, context: Arc<Context>| {
        context.started.notify_one();
        tokio::time::sleep(Duration::from_secs(10)).await;
        context.finished.fetch_add(1, Ordering::SeqCst);
        Ok::<_, Trouble>(Action::requeue(Duration::ZERO))
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let stream = controller_of(&world)
        .with_config(controller::Config::default().concurrency(1))
        .graceful_shutdown_on(async move { drop(stopped.await) })
        .run(reconcile, again, Arc::clone(&context));
    let running = tokio::spawn(stream.count());
    context.started.notified().await;
    stop.send(()).unwrap();
    assert_eq!(running.await.unwrap(), 1, "one reconcile was yielded");
    assert_eq!(context.finished.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_graceful_shutdown_waits_30_seconds_for_a_reconcile_that_hangs() {
    struct Dropped(Arc<AtomicUsize>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let world = embedded().await;
    create(&world, "a").await;
    let (dropped, started) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let reconcile = async |_: Arc<Document>, context: Arc<(Arc<AtomicUsize>, Arc<Notify>)>| {
        let _dropped = Dropped(Arc::clone(&context.0));
        context.1.notify_one();
        std::future::pending::<Result<Action, Trouble>>().await
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let controller = controller_of(&world).graceful_shutdown_on(async { drop(stopped.await) });
    let context = Arc::new((Arc::clone(&dropped), Arc::clone(&started)));
    let running = tokio::spawn(controller.run(reconcile, again, context).for_each(|_| async {}));
    started.notified().await;
    let start = Instant::now();
    stop.send(()).unwrap();
    running.await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 30);
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1, "it does not continue in the background");
}

#[tokio::test(start_paused = true)]
async fn a_controller_that_has_stopped_stays_stopped() {
    let world = world().await;
    let stream = controller_of(&world).graceful_shutdown_on(std::future::ready(())).run(
        count,
        again,
        Arc::new(Counts::default()),
    );
    let mut stream = std::pin::pin!(stream);
    assert!(stream.next().await.is_none());
    assert!(stream.next().await.is_none(), "polling again does not panic");
}

#[tokio::test(start_paused = true)]
async fn a_debounced_burst_is_one_reconcile_at_the_end_of_the_window() {
    let world = embedded().await;
    let counts = Arc::new(Counts::default());
    let config = controller::Config::default().debounce(Duration::from_millis(200));
    let stream = controller_of(&world).with_config(config).run(count, again, Arc::clone(&counts));
    let _running = tokio::spawn(stream.for_each(|_| std::future::ready(())));
    create(&world, "a").await;
    for number in 0..20 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let patch = Patch::Merge(serde_json::json!({"spec": {"title": number.to_string()}}));
        documents(&world).patch("a", &PatchParams::default(), &patch).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let runs = counts.of("a");
    assert!((7..=12).contains(&runs), "changes every 100 ms for 2 s with a window of 200 ms: {runs} runs");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_does_not_decode_is_named_and_others_are_reconciled() {
    let world = World::new();
    let drafts = install_drafts(&world).await;
    create_wrong_draft(&world).await;
    let counts = Arc::new(Counts::default());
    let controller = Controller::new(drafts, watcher::Config::default());
    let store = controller.store();
    let results: Vec<_> = controller.run(count, again, Arc::clone(&counts)).take(2).collect().await;
    let errors: Vec<_> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    let [controller::Error::QueueError(watcher::Error::WatchFailed(error))] = errors[..] else { panic!("{errors:?}") };
    let text = format!("{error:?}");
    assert!(text.contains(&format!("{}/wrong", world.namespace())), "the error names the object: {text}");
    assert_eq!((counts.of("good"), counts.of("wrong"), store.len()), (1, 0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_reconciler_error_policy_or_mapper_does_not_end_the_controller() {
    let world = world().await;
    create(&world, "a").await;
    let counts = Arc::new(Counts::default());
    let reconcile = |document: Arc<Document>, counts: Arc<Counts>| {
        counts.add(&document.name_any());
        assert!(counts.of("a") > 1, "a panic before there is a future");
        let outcome = if counts.of("a") > 2 { Ok(Action::await_change()) } else { Err(Trouble::OnPurpose) };
        std::future::ready(outcome)
    };
    let policy = |_: Arc<Document>, _: &Trouble, _: Arc<Counts>| -> Action { panic!("the policy does, too") };
    let mapper = |_: ConfigMap| -> Vec<ObjectRef<Document>> { panic!("and the mapper") };
    world.create_config_map("watched").await;
    let controller = controller_of(&world).watches(world.config_maps(), World::watching(), mapper);
    let results: Vec<_> = controller.run(reconcile, policy, Arc::clone(&counts)).take(5).collect().await;
    let panics = results.iter().filter(|result| matches!(result, Err(controller::Error::RunnerError(_)))).count();
    assert_eq!((panics, counts.of("a")), (3, 3), "{results:?}");
    assert!(results.last().is_some_and(Result::is_ok));
}

#[tokio::test(start_paused = true)]
async fn a_debounce_of_duration_max_does_not_panic_and_never_ends() {
    let world = World::embedded();
    install(&world).await;
    create(&world, "a").await;
    let config = controller::Config::default().debounce(Duration::MAX);
    let mut stream = Box::pin(controller_of(&world).with_config(config).run(count, again, Arc::default()));
    assert!(tokio::time::timeout(Duration::from_secs(3600), stream.next()).await.is_err(), "nothing is reconciled");
}
