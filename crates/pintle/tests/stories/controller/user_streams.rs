//! Controllers on streams that the program brings, and the parts of a controller used separately.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::ResourceExt;
use pintle::api::{Api, ObjectMeta, Patch, PatchParams, PostParams};
use pintle::runtime::controller::{
    Action, Config, Controller, Error, ReconcileReason, ReconcileRequest, RunnerError, applier, trigger_owners,
    trigger_self, trigger_with,
};
use pintle::runtime::reflector::{self, ObjectRef, store_shared};
use pintle::runtime::watcher::Event;
use pintle::runtime::{WatchStreamExt, watcher};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{Counts, again, controller_of, count, create, embedded, world};
use crate::custom_resource::{Document, documents};
use crate::world::log::Log;

fn watching<K>(api: Api<K>) -> watcher::Watcher<K>
where
    K: pintle::Resource + Clone + serde::de::DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    watcher(api, watcher::Config::default())
}

async fn idle<T>(_: T) {}

/// A stream of what a channel receives.
fn received<T: Send + 'static>(mut receiver: mpsc::UnboundedReceiver<T>) -> impl futures::Stream<Item = T> + Send {
    stream::poll_fn(move |cx| receiver.poll_recv(cx))
}

#[tokio::test(start_paused = true)]
async fn a_controller_runs_on_a_stream_and_its_store() {
    let world = world().await;
    create(&world, "a").await;
    let (reader, writer) = reflector::store();
    let objects = watching(documents(&world)).default_backoff().reflect(writer).applied_objects();
    let counts = Arc::new(Counts::default());
    let controller = Controller::for_stream(objects, reader);
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(idle));
    world.until("existing objects are reconciled", async || counts.of("a") == 1).await;
    create(&world, "b").await;
    world.until("new objects are reconciled", async || counts.of("b") == 1).await;
    let down = world.without_watches();
    create(&world, "c").await;
    world.expire_history().await;
    drop(down);
    world.until("an object seen only by a relist is reconciled", async || counts.of("c") == 1).await;
}

/// A turn of the loop takes 32 of them at the most.
#[tokio::test(start_paused = true)]
async fn however_many_objects_a_stream_has_ready_at_once_each_is_reconciled_and_then_the_controller_ends() {
    for objects in [1, 31, 32, 33, 64, 65, 100] {
        let metadata = |number| ObjectMeta { name: Some(format!("m{number}")), ..ObjectMeta::default() };
        let maps = (0..objects).map(|number| ConfigMap { metadata: metadata(number), ..ConfigMap::default() });
        let maps: Vec<ConfigMap> = maps.collect();
        let (reader, mut writer) = reflector::store();
        writer.apply_watcher_event(&Event::Init);
        maps.iter().for_each(|map| writer.apply_watcher_event(&Event::InitApply(map.clone())));
        writer.apply_watcher_event(&Event::InitDone);

        let controller = Controller::for_stream(stream::iter(maps.into_iter().map(watcher::Result::Ok)), reader);
        let reconcile = async |_, _| Ok::<_, std::fmt::Error>(Action::await_change());
        let ended: Vec<_> = controller.run(reconcile, |_, _, _| Action::await_change(), Arc::new(())).collect().await;
        let names: BTreeSet<_> = ended.into_iter().map(|ended| ended.unwrap().0.name).collect();
        assert_eq!(names.len(), objects);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_whose_stream_is_not_polled_is_logged_once_with_the_remedy() {
    let world = embedded().await;
    create(&world, "a").await;
    let log = Log::catch();
    // The controller gets the stream, so the writer receives nothing.
    let (reader, _writer) = reflector::store();
    let controller = Controller::for_stream(watching(documents(&world)).applied_objects(), reader);
    let counts = Arc::new(Counts::default());
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(idle));
    tokio::time::sleep(Duration::from_secs(29)).await;
    assert!(log.lines_with("nothing is reconciled").is_empty(), "a list may take a while");
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let lines = log.lines_with("nothing is reconciled");
    assert_eq!((lines.len(), counts.of("a")), (1, 0), "{lines:?}");
    assert!(lines[0].contains("reflect(writer)"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn one_shared_watch_serves_two_controllers_and_their_owned_and_watched_kinds() {
    let world = world().await;
    let owner = create(&world, "a").await;
    let (_, writer) = store_shared::<Document>(64);
    let (_, map_writer) = store_shared::<ConfigMap>(64);
    let subscribe = || writer.subscribe().expect("it is shared");
    let maps = || map_writer.subscribe().expect("it is shared");
    let (one, other) = (Arc::new(Counts::default()), Arc::new(Counts::default()));
    let first = Controller::for_shared_stream(subscribe(), writer.as_reader()).owns_shared_stream(maps());
    let namespace = world.namespace().to_owned();
    let named = move |map: Arc<ConfigMap>| map.labels().get("for").map(|name| ObjectRef::new(name).within(&namespace));
    let second = Controller::for_shared_stream(subscribe(), writer.as_reader()).watches_shared_stream(maps(), named);
    let _one = tokio::spawn(first.run(count, again, Arc::clone(&one)).for_each(idle));
    let _other = tokio::spawn(second.run(count, again, Arc::clone(&other)).for_each(idle));
    let _root = tokio::spawn(watching(documents(&world)).reflect(writer).for_each(idle));
    let _maps = tokio::spawn(watching(world.config_maps()).reflect(map_writer).for_each(idle));
    world.until("both reconcile", async || one.of("a") == 1 && other.of("a") == 1).await;

    world.create_owned_config_map("child", &owner).await;
    world.until("the owner is reconciled", async || one.of("a") == 2).await;
    let mut labelled = crate::world::config_map("labelled");
    labelled.labels_mut().insert("for".into(), "a".into());
    world.config_maps().create(&PostParams::default(), &labelled).await.unwrap();
    world.until("the mapped object is reconciled", async || other.of("a") == 2).await;
    assert_eq!((one.of("a"), other.of("a")), (2, 2), "each only through its own relation");
}

#[tokio::test(start_paused = true)]
async fn owned_and_watched_streams_trigger_owners_and_mapped_objects() {
    let world = world().await;
    let owner = create(&world, "a").await;
    create(&world, "b").await;
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let namespace = world.namespace().to_owned();
    let mapper = move |secret: Secret| [ObjectRef::new(&secret.name_any()).within(&namespace)];
    let counts = Arc::new(Counts::default());
    let controller = controller_of(&world)
        .owns_stream(watching(world.config_maps()).touched_objects())
        .watches_stream(watching(secrets.clone()).touched_objects(), mapper);
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(idle));
    world.until("both are reconciled", async || counts.of("a") == 1 && counts.of("b") == 1).await;
    world.create_owned_config_map("child", &owner).await;
    world.until("the owner is reconciled", async || counts.of("a") == 2).await;
    let secret = Secret { metadata: crate::world::config_map("b").metadata, ..Secret::default() };
    secrets.create(&PostParams::default(), &secret).await.unwrap();
    world.until("the mapped object is reconciled", async || counts.of("b") == 2).await;
}

#[tokio::test(start_paused = true)]
async fn reconcile_on_triggers_one_object_and_reconcile_all_on_triggers_all() {
    let world = world().await;
    for name in ["a", "b"] {
        create(&world, name).await;
    }
    let (one, demanded) = mpsc::unbounded_channel();
    let (all, resyncs) = mpsc::unbounded_channel();
    let counts = Arc::new(Counts::default());
    let controller = controller_of(&world).reconcile_on(received(demanded)).reconcile_all_on(received(resyncs));
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(idle));
    world.until("both are reconciled", async || counts.of("a") == 1 && counts.of("b") == 1).await;
    one.send(ObjectRef::new("a").within(world.namespace())).unwrap();
    one.send(ObjectRef::new("absent").within(world.namespace())).unwrap();
    world.until("the requested one is reconciled", async || counts.of("a") == 2).await;
    assert_eq!((counts.of("b"), counts.of("absent")), (1, 0));
    all.send(()).unwrap();
    world.until("all are reconciled", async || counts.of("a") == 3 && counts.of("b") == 2).await;
}

#[tokio::test(start_paused = true)]
async fn a_trigger_stream_that_panics_or_fails_does_not_affect_the_others() {
    let world = embedded().await;
    create(&world, "a").await;
    let panicking = stream::poll_fn(|_| -> std::task::Poll<Option<()>> { panic!("on purpose") });
    let failing = stream::repeat_with(|| Err::<Secret, _>(watcher::Error::NoResourceVersion));
    let no_objects = |_: Secret| None::<ObjectRef<Document>>;
    let counts = Arc::new(Counts::default());
    let controller = controller_of(&world).reconcile_all_on(panicking).watches_stream(failing, no_objects);
    let stream = controller.run(count, again, Arc::clone(&counts));
    let errors = stream
        .take_until(tokio::time::sleep(Duration::from_secs(60)))
        .filter(|result| std::future::ready(result.is_err()));
    let errors = errors.count().await;
    assert_eq!(counts.of("a"), 1, "the object is reconciled");
    assert!((3..=10).contains(&errors), "the failing stream backs off: {errors} errors in a minute");
}

#[tokio::test(start_paused = true)]
async fn a_custom_trigger_backoff_is_used_by_every_watch() {
    let world = embedded().await;
    let refused =
        world.server().fault(pintle::testing::Requests::all().of("secrets"), pintle::testing::Fault::internal_error());
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let controller = controller_of(&world)
        .watches(secrets, watcher::Config::default(), |_| None::<ObjectRef<Document>>)
        .trigger_backoff(watcher::ExponentialBackoff::new(
            Duration::from_secs(10),
            Duration::from_secs(10),
            1.0,
            false,
        ));
    let stream = controller.run(count, again, Arc::default());
    let start = Instant::now();
    let times: Vec<_> = stream.take(4).map(|_| start.elapsed().as_secs()).collect().await;
    assert_eq!(times, [0, 10, 20, 30]);
    assert!(refused.fired() > 0);
}

#[tokio::test(start_paused = true)]
async fn an_applier_reconciles_what_its_queue_yields_and_ends_with_it() {
    let world = world().await;
    let owner = create(&world, "a").await;
    let child = world.create_owned_config_map("child", &owner).await;
    let (reader, writer) = reflector::store::<Document>();
    let _filling = tokio::spawn(watching(documents(&world)).reflect(writer).for_each(idle));
    let own = trigger_self(stream::iter([Ok::<_, watcher::Error>(owner)]), ());
    let owners = trigger_owners::<Document, _>(stream::iter([Ok(child)]), (), ());
    let others =
        trigger_with(stream::iter([Ok("absent")]), |name| [ObjectRef::<Document>::new(name).within(world.namespace())]);
    let reasons: Vec<_> = own.chain(owners).chain(others).try_collect().await.unwrap();
    let text: Vec<_> = reasons.iter().map(|request: &ReconcileRequest<Document>| request.reason.to_string()).collect();
    assert_eq!(
        text,
        ["object updated", &format!("related object updated: ConfigMap.v1./child.{}", world.namespace()), "unknown"]
    );
    assert!(matches!(reasons[1].reason, ReconcileReason::RelatedObjectUpdated { .. }));
    // Neither Send nor 'static: the future borrows from here and holds an Rc.
    let counts = Arc::new(Counts::default());
    let local = std::rc::Rc::new(0);
    let reconcile = |document: Arc<Document>, counts: Arc<Counts>| {
        let local = &local;
        Box::pin(async move {
            let _held = std::rc::Rc::clone(local);
            tokio::time::sleep(Duration::from_secs(1)).await;
            counts.add(&document.name_any());
            Ok::<_, super::Trouble>(Action::requeue(Duration::from_secs(3600)))
        })
    };
    let queue = stream::iter(reasons.into_iter().map(Ok::<_, watcher::Error>));
    let stream = applier(reconcile, again, Arc::clone(&counts), reader, queue, Config::default());
    let results: Vec<_> = stream.collect().await;
    assert_eq!((results.len(), counts.of("a")), (1, 1), "two requests for one object are one: {results:?}");
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_applier_queue_is_yielded_and_its_requests_continue() {
    let world = world().await;
    create(&world, "a").await;
    let (reader, writer) = reflector::store::<Document>();
    let _filling = tokio::spawn(watching(documents(&world)).reflect(writer).for_each(idle));
    let queue = stream::iter([Err(std::io::Error::other("broken")), Ok(ObjectRef::new("a").within(world.namespace()))]);
    let reconcile = |document: Arc<Document>, counts: Arc<Counts>| Box::pin(count(document, counts));
    let results: Vec<_> = applier(reconcile, again, Arc::default(), reader, queue, Config::default()).collect().await;
    assert!(matches!(&results[0], Err(Error::QueueError(error)) if error.to_string() == "broken"), "{results:?}");
    assert!(results[1].is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_controller_whose_store_lost_its_writer_yields_an_error_and_ends() {
    let (reader, writer) = reflector::store::<Document>();
    drop(writer);
    let controller = Controller::for_stream(stream::pending(), reader);
    let results: Vec<_> = controller.run(count, again, Arc::default()).collect().await;
    assert!(matches!(&results[..], [Err(Error::RunnerError(RunnerError::Readiness(_)))]), "{results:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_filtered_by_generation_does_not_trigger_for_a_status() {
    use pintle::runtime::controller::Changed;
    let world = world().await;
    create(&world, "a").await;
    let counts = Arc::new(Counts::default());
    let controller = controller_of(&world).only_when(Changed::generation().or(Changed::finalizers()));
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(idle));
    world.until("it is reconciled", async || counts.of("a") == 1).await;
    let patch = |patch| Patch::Merge(patch);
    let status = patch(serde_json::json!({"status": {"words": 7}}));
    documents(&world).patch_status("a", &PatchParams::default(), &status).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(counts.of("a"), 1, "a status is not a reason");
    let finalizers = patch(serde_json::json!({"metadata": {"finalizers": ["example.com/a"]}}));
    documents(&world).patch("a", &PatchParams::default(), &finalizers).await.unwrap();
    world.until("a finalizer is a reason", async || counts.of("a") == 2).await;
    let spec = patch(serde_json::json!({"spec": {"title": "new"}}));
    documents(&world).patch("a", &PatchParams::default(), &spec).await.unwrap();
    world.until("the spec is a reason", async || counts.of("a") == 3).await;
    documents(&world).delete("a", &Default::default()).await.unwrap();
    world.until("its deletion is a reason", async || counts.of("a") == 4).await;
}
