//! The example programs of the runtime's documents: each compiles with the names it was written with and does what the
//! document says.
//!
//! Where kube 5 has another shape than the documents (`predicate_filter` takes a config, `watches` has two type
//! parameters) kube's is used, and the short form has its own name.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event as FinalizerEvent, finalizer};
use kube::runtime::reflector::{self, ObjectRef, reflector};
use kube::runtime::watcher::{self, Event, ExponentialBackoff, InitialListStrategy, ListSemantic, watcher};
use kube::runtime::{Predicate, WatchStreamExt, predicates};
use kube::{Client, Resource, ResourceExt};
use pintle as kube;
use pintle::runtime::status::{condition, set_condition};
use pintle::testing::{Fault, Requests};
use serde_json::json;

use crate::custom_resource::{Document, document, documents, install};
use crate::world::World;
use crate::world::log::Log;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("Kubernetes API error: {0}")]
    KubeApi(#[from] kube::Error),
    #[error("Missing spec field: {0}")]
    MissingField(String),
}

#[test]
fn a_watcher_config_is_written_as_in_the_documents() {
    let wc = watcher::Config::default()
        .labels("app=myapp")
        .fields("status.phase=Running")
        .timeout(300)
        .page_size(100)
        .streaming_lists()
        .any()
        .bookmarks(true);
    assert_eq!(
        (wc.label_selector.as_deref(), wc.field_selector.as_deref()),
        (Some("app=myapp"), Some("status.phase=Running"))
    );
    assert_eq!((wc.timeout, wc.page_size, wc.bookmarks), (Some(300), Some(100), true));
    assert_eq!((wc.list_semantic, wc.initial_list_strategy), (ListSemantic::Any, InitialListStrategy::StreamingList));
    let kubes = watcher::Config::default().any_semantic().disable_bookmarks();
    assert_eq!((kubes.list_semantic, kubes.bookmarks), (ListSemantic::Any, false));
}

/// Init, InitApply, InitDone, then Apply and Delete, with either list strategy.
#[tokio::test(start_paused = true)]
async fn both_list_strategies_yield_the_same_five_events() {
    for strategy in [InitialListStrategy::ListWatch, InitialListStrategy::StreamingList] {
        let world = World::new();
        world.create_config_map("a").await;
        let config = watcher::Config { initial_list_strategy: strategy, ..World::watching() };
        let mut events = watcher(world.config_maps(), config).default_backoff().boxed();
        let mut yielded = Vec::new();
        while !matches!(yielded.last(), Some(Event::<ConfigMap>::InitDone)) {
            yielded.push(events.next().await.unwrap().unwrap());
        }
        world.create_config_map("b").await;
        world.config_maps().delete("b", &DeleteParams::default()).await.unwrap();
        for _ in 0..2 {
            yielded.push(events.next().await.unwrap().unwrap());
        }
        let words: Vec<_> = yielded.iter().map(ToString::to_string).collect();
        assert_eq!(words, ["Init", "InitApply(a)", "InitDone", "Apply(b)", "Delete(b)"]);
    }
}

/// A custom backoff with the numbers of the document: 1 s, doubled, 60 s at most.
#[tokio::test(start_paused = true)]
async fn a_custom_backoff_has_the_delays_the_documents_state() {
    let world = World::embedded();
    world.server().fault(Requests::all().of("configmaps"), Fault::unavailable(None));
    let backoff = ExponentialBackoff::new(Duration::from_secs(1), Duration::from_secs(60), 2.0, false);
    let errors = watcher(world.config_maps(), World::watching()).backoff(backoff);
    let start = tokio::time::Instant::now();
    let times: Vec<_> =
        errors.filter_map(async |event| event.err().map(|_| start.elapsed().as_secs())).take(9).collect().await;
    let pauses: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
}

/// A reflector passes everything on, and its store follows.
#[tokio::test(start_paused = true)]
async fn a_reflector_is_transparent_and_its_store_is_ready_with_the_first_list() {
    let world = World::new();
    world.create_config_map("a").await;
    let (reader, writer) = reflector::store::<ConfigMap>();
    let stream = reflector(writer, watcher(world.config_maps(), World::watching()));
    let passed = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&passed);
    let _keeping = tokio::spawn(stream.applied_objects().try_for_each(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        std::future::ready(Ok(()))
    }));
    reader.wait_until_ready().await.unwrap();
    assert_eq!((reader.state().len(), passed.load(Ordering::Relaxed)), (1, 1));
    let key = ObjectRef::<ConfigMap>::new("a").within(world.namespace());
    assert_eq!(reader.get(&key).map(|map| map.name_any()).as_deref(), Some("a"));
    assert_eq!(key.clone().erase().name, "a");
    assert!(reader.find(|map| map.name_any() == "b").is_none());
}

/// `metadata_watcher` and `modify` keep less.
#[tokio::test(start_paused = true)]
async fn selectors_and_modify_limit_what_is_sent_and_stored() {
    let world = World::new();
    world.create_config_map("a").await;
    let (reader, writer) = reflector::store::<ConfigMap>();
    let stream = watcher(world.config_maps(), World::watching())
        .default_backoff()
        .modify(|map| {
            map.managed_fields_mut().clear();
            map.annotations_mut().clear();
        })
        .reflect(writer)
        .applied_objects();
    let _keeping = tokio::spawn(stream.for_each(|_| std::future::ready(())));
    reader.wait_until_ready().await.unwrap();
    assert!(reader.state().iter().all(|map| map.managed_fields().is_empty()));
}

struct Context {
    client: Client,
    failure_counts: Mutex<HashMap<String, u32>>,
    reconciled: AtomicUsize,
}

impl Context {
    fn new(world: &World) -> Arc<Self> {
        let client = world.client.clone();
        Arc::new(Self { client, failure_counts: Mutex::default(), reconciled: AtomicUsize::new(0) })
    }
}

/// A child with an owner reference, as in the document: read the current state, write the desired one.
async fn reconcile(document: Arc<Document>, ctx: Arc<Context>) -> Result<Action, Error> {
    ctx.reconciled.fetch_add(1, Ordering::Relaxed);
    if document.spec.title.is_empty() {
        return Err(Error::MissingField("title".into()));
    }
    let maps: Api<ConfigMap> = Api::namespaced(ctx.client.clone(), &document.namespace().unwrap_or_default());
    if maps.get_opt(&document.name_any()).await?.is_none() {
        let mut map = crate::world::config_map(&document.name_any());
        map.owner_references_mut().extend(document.controller_owner_ref(&()));
        maps.create(&PostParams::default(), &map).await?;
    }
    Ok(Action::requeue(Duration::from_secs(300)))
}

fn error_policy(_: Arc<Document>, _: &Error, _: Arc<Context>) -> Action {
    Action::requeue(Duration::from_secs(5))
}

/// The whole pipeline: own kind, owned kind, a mapper, a graceful stop.
#[tokio::test(start_paused = true)]
async fn a_controller_with_owned_and_watched_kinds_converges_and_stops() {
    let world = World::new();
    install(&world).await;
    documents(&world).create(&PostParams::default(), &document("a")).await.unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let ctx = Context::new(&world);
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let mapper = |secret: Secret| {
        let namespace = secret.namespace().unwrap_or_default();
        [ObjectRef::<Document>::new("a").within(&namespace)]
    };
    let run = Controller::new(documents(&world), World::watching())
        .owns(world.config_maps(), World::watching())
        .watches(secrets.clone(), watcher::Config::default(), mapper)
        .graceful_shutdown_on(async move { drop(stopped.await) })
        .run(reconcile, error_policy, Arc::clone(&ctx))
        .for_each(|res| async move {
            let (object, action) = res.expect("nothing fails here");
            assert_eq!((object.name.as_str(), action), ("a", Action::requeue(Duration::from_secs(300))));
        });
    let running = tokio::spawn(run);
    let maps = world.config_maps();
    world.until("the child is created", async || maps.get_opt("a").await.unwrap().is_some()).await;
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    world.until("the child is created again", async || maps.get_opt("a").await.unwrap().is_some()).await;
    let before = ctx.reconciled.load(Ordering::Relaxed);
    let secret = serde_json::from_value(json!({"metadata": {"name": "s"}})).unwrap();
    secrets.create(&PostParams::default(), &secret).await.unwrap();
    world.until("the secret triggers it", async || ctx.reconciled.load(Ordering::Relaxed) > before).await;
    stop.send(()).unwrap();
    running.await.unwrap();
}

/// The reconciler does not see why it is called, and its result is the same however often it is.
#[tokio::test(start_paused = true)]
async fn a_hundred_reconciles_have_the_effect_of_one() {
    let world = World::new();
    install(&world).await;
    let stored = Arc::new(documents(&world).create(&PostParams::default(), &document("a")).await.unwrap());
    let ctx = Context::new(&world);
    for _ in 0..100 {
        reconcile(Arc::clone(&stored), Arc::clone(&ctx)).await.unwrap();
    }
    let writes = world.requests().iter().filter(|call| call.starts_with("POST") && call.contains("configmaps")).count();
    assert_eq!(writes, 1);
}

/// The reason is for people who read the log. The reconciler does not receive it.
#[tokio::test(start_paused = true)]
async fn the_reason_of_a_reconcile_is_only_in_its_span() {
    let (world, log) = (World::new(), Log::catch());
    install(&world).await;
    let stored = documents(&world).create(&PostParams::default(), &document("a")).await.unwrap();
    let at_work = async |_: Arc<Document>, counts: Arc<AtomicUsize>| {
        tracing::info!("at work");
        counts.fetch_add(1, Ordering::Relaxed);
        Ok::<_, Error>(Action::await_change())
    };
    let counts = Arc::new(AtomicUsize::new(0));
    let run = Controller::new(documents(&world), World::watching()).owns(world.config_maps(), World::watching()).run(
        at_work,
        |_, _, _| Action::await_change(),
        Arc::clone(&counts),
    );
    let _running = tokio::spawn(run.for_each(|_| std::future::ready(())));
    world.until("it is reconciled", async || counts.load(Ordering::Relaxed) == 1).await;
    world.create_owned_config_map("child", &stored).await;
    world.until("its child triggers it", async || counts.load(Ordering::Relaxed) == 2).await;
    let lines = log.lines_with("at work");
    let object = format!("object.ref=Document.v1.example.com/a.{}", world.namespace());
    assert!(lines.iter().all(|line| line.contains("reconciling object") && line.contains(&object)), "{lines:?}");
    assert!(lines[0].contains("object.reason=object updated"), "{lines:?}");
    assert!(lines[1].contains("object.reason=related object updated: ConfigMap"), "{lines:?}");
}

/// The wrapper that counts failures per object, which the document writes because kube has no such backoff.
#[tokio::test(start_paused = true)]
async fn the_wrapper_that_counts_failures_backs_off_per_object() {
    async fn counted(document: Arc<Document>, ctx: Arc<Context>) -> Result<Action, Error> {
        let key = document.name_any();
        match reconcile(document, Arc::clone(&ctx)).await {
            Ok(action) => {
                ctx.failure_counts.lock().unwrap().remove(&key);
                Ok(action)
            }
            Err(error) => {
                *ctx.failure_counts.lock().unwrap().entry(key).or_insert(0) += 1;
                Err(error)
            }
        }
    }
    #[expect(clippy::needless_pass_by_value, reason = "it is the signature that a controller asks for")]
    fn policy(document: Arc<Document>, _: &Error, ctx: Arc<Context>) -> Action {
        let count = ctx.failure_counts.lock().unwrap().get(&document.name_any()).copied().unwrap_or(1);
        Action::requeue(Duration::from_secs(2_u64.pow(count.min(6))))
    }
    let world = World::embedded();
    install(&world).await;
    let mut wrong = document("a");
    wrong.spec.title = String::new();
    documents(&world).create(&PostParams::default(), &wrong).await.unwrap();
    let ctx = Context::new(&world);
    let run = Controller::new(documents(&world), World::watching()).run(counted, policy, Arc::clone(&ctx));
    let start = tokio::time::Instant::now();
    let times: Vec<_> = run.take(8).map(|result| (result.is_err(), start.elapsed().as_secs())).collect().await;
    let pauses: Vec<_> = times.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
    assert!(times.iter().all(|(failed, _)| *failed));
    assert_eq!(pauses, [2, 4, 8, 16, 32, 64, 64]);
}

/// A filter on the generation: a status does not trigger a reconcile, a spec does.
#[tokio::test(start_paused = true)]
async fn a_stream_filtered_by_generation_feeds_a_controller() {
    let world = World::new();
    install(&world).await;
    let api = documents(&world);
    api.create(&PostParams::default(), &document("a")).await.unwrap();
    let (reader, writer) = reflector::store();
    let stream = watcher(api.clone(), World::watching())
        .default_backoff()
        .reflect(writer)
        .applied_objects()
        .predicate_filter(predicates::generation.combine(predicates::finalizers), Default::default());
    let ctx = Context::new(&world);
    let run = Controller::for_stream(stream, reader).run(reconcile, error_policy, Arc::clone(&ctx));
    let _running = tokio::spawn(run.for_each(|_| std::future::ready(())));
    let count = || ctx.reconciled.load(Ordering::Relaxed);
    world.until("it is reconciled", async || count() == 1).await;
    let status = Patch::Merge(json!({"status": {"words": 7}}));
    api.patch_status("a", &PatchParams::default(), &status).await.unwrap();
    let spec = Patch::Merge(json!({"spec": {"title": "new"}}));
    api.patch("a", &PatchParams::default(), &spec).await.unwrap();
    world.until("the spec triggers it", async || count() == 2).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(count(), 2, "the status did not");
}

/// An error that a retry cannot fix becomes a condition. It is written only if it changed, so it triggers nothing.
#[tokio::test(start_paused = true)]
async fn a_permanent_error_becomes_a_condition_and_not_a_loop() {
    async fn judge(map: Arc<ConfigMap>, ctx: Arc<Context>) -> Result<Action, Error> {
        ctx.reconciled.fetch_add(1, Ordering::Relaxed);
        let text = map.annotations().get("conditions").cloned().unwrap_or_else(|| "[]".into());
        let mut conditions: Vec<Condition> = serde_json::from_str(&text).unwrap();
        if set_condition(&mut conditions, condition("Valid", false, "InvalidSpec", "Spec validation failed")) {
            let text = serde_json::to_string(&conditions).unwrap();
            let patch = Patch::Merge(json!({"metadata": {"annotations": {"conditions": text}}}));
            let maps: Api<ConfigMap> = Api::namespaced(ctx.client.clone(), &map.namespace().unwrap_or_default());
            maps.patch(&map.name_any(), &PatchParams::default(), &patch).await?;
        }
        Ok(Action::await_change())
    }
    let world = World::embedded();
    world.create_config_map("a").await;
    let ctx = Context::new(&world);
    let run = Controller::new(world.config_maps(), World::watching()).run(
        judge,
        |_, _, _| Action::requeue(Duration::from_secs(5)),
        Arc::clone(&ctx),
    );
    let _running = tokio::spawn(run.for_each(|_| std::future::ready(())));
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(ctx.reconciled.load(Ordering::Relaxed), 2, "once for the object, once for its condition");
}

/// The finalizer of the document, from creation to removal.
#[tokio::test(start_paused = true)]
async fn a_finalizer_is_used_as_in_the_documents() {
    async fn reconcile_normal(map: Arc<ConfigMap>) -> Result<Action, Error> {
        assert!(map.metadata.deletion_timestamp.is_none());
        Ok(Action::await_change())
    }
    async fn clean_up(map: Arc<ConfigMap>, ctx: &Context) -> Result<Action, Error> {
        assert!(map.metadata.deletion_timestamp.is_some());
        ctx.reconciled.fetch_add(1, Ordering::Relaxed);
        Ok(Action::await_change())
    }
    async fn run(map: Arc<ConfigMap>, ctx: Arc<Context>) -> Result<Action, kube::runtime::finalizer::Error<Error>> {
        let api: Api<ConfigMap> = Api::namespaced(ctx.client.clone(), &map.namespace().unwrap_or_default());
        finalizer(&api, "myapp.example.com/cleanup", map, |event| async {
            match event {
                FinalizerEvent::Apply(map) => reconcile_normal(map).await,
                FinalizerEvent::Cleanup(map) => clean_up(map, &ctx).await,
            }
        })
        .await
    }
    let world = World::new();
    world.create_config_map("a").await;
    let ctx = Context::new(&world);
    let controller = Controller::new(world.config_maps(), World::watching());
    let _running = tokio::spawn(
        controller
            .run(run, |_, _, _| Action::requeue(Duration::from_secs(1)), Arc::clone(&ctx))
            .for_each(|_| std::future::ready(())),
    );
    let maps = world.config_maps();
    world.until("it has its finalizer", async || !maps.get("a").await.unwrap().finalizers().is_empty()).await;
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    world.until("it is gone", async || maps.get_opt("a").await.unwrap().is_none()).await;
    assert_eq!(ctx.reconciled.load(Ordering::Relaxed), 1);
    let left = maps.list(&ListParams::default().fields("metadata.name=a")).await.unwrap();
    assert!(left.items.is_empty());
}
