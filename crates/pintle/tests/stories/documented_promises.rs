//! Promises of `docs/traps.md` and `docs/regressions.md` that no other story checks.

use std::convert::Infallible;
use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::{FutureExt, StreamExt};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use pintle::client::Body;
use pintle::config::Kubeconfig;
use pintle::runtime::controller::{Action, Changed, Controller, Handlers};
use pintle::runtime::watcher::{Config, Event, InitialListStrategy, watcher};
use pintle::testing::Server;
use pintle::{Client, ResourceExt};
use serde_json::json;
use tokio::sync::mpsc;

use crate::custom_resource::{Document, create_wrong_draft, document, documents, install, install_drafts};
use crate::world::World;
use crate::world::log::Log;

type Notes = Mutex<Vec<String>>;

async fn reconcile(document: Arc<Document>, notes: Arc<Notes>) -> Result<Action, Infallible> {
    notes.lock().unwrap().push(format!("reconciled {}", document.spec.title));
    Ok(Action::await_change())
}

async fn deleted(document: Arc<Document>, notes: Arc<Notes>) -> Result<Action, Infallible> {
    notes.lock().unwrap().push(format!("deleted {}", document.spec.title));
    Ok(Action::await_change())
}

/// Runs a controller of documents that is triggered by what `changed` lets through, and notes its calls.
fn run(world: &World, changed: Changed) -> (Arc<Notes>, tokio::task::JoinHandle<()>) {
    let notes = Arc::new(Notes::default());
    let controller = Controller::new(documents(world), Config::default()).only_when(changed);
    let stream = controller.run_with(Handlers::new(reconcile).on_delete(deleted), Arc::clone(&notes));
    (notes, tokio::spawn(stream.for_each(|_| ready(()))))
}

async fn create(world: &World, title: &str) {
    let mut titled = document("a");
    titled.spec.title = title.into();
    documents(world).create(&PostParams::default(), &titled).await.unwrap();
}

async fn patch(world: &World, patch: serde_json::Value) {
    documents(world).patch("a", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_predicate_of_a_controller_hides_updates_but_not_creates_replacements_or_deletes() {
    let world = World::new();
    install(&world).await;
    let (notes, _running) = run(&world, Changed::by(|_, _| false));
    let noted = async |expected: &[&str]| {
        world.until("the call is noted", async || notes.lock().unwrap().len() >= expected.len()).await;
        assert_eq!(*notes.lock().unwrap(), expected);
    };
    create(&world, "first").await;
    noted(&["reconciled first"]).await;
    patch(&world, json!({"spec": {"title": "changed"}})).await;
    world.pass(Duration::from_secs(10)).await;
    noted(&["reconciled first"]).await;

    let down = world.without_watches();
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    create(&world, "second").await;
    world.expire_history().await;
    drop(down);
    noted(&["reconciled first", "deleted changed", "reconciled second"]).await;
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    noted(&["reconciled first", "deleted changed", "reconciled second", "deleted second"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_predicate_on_owned_objects_hides_updates_but_not_creates_or_deletes() {
    let world = World::new();
    install(&world).await;
    let owner = documents(&world).create(&PostParams::default(), &document("a")).await.unwrap();
    let notes = Arc::new(Notes::default());
    let maps = world.config_maps();
    let controller = Controller::new(documents(&world), Config::default()).owns_when(
        maps.clone(),
        (),
        World::watching(),
        Changed::by(|_, _| false),
    );
    let stream = controller.run(reconcile, |_, _, _| Action::await_change(), Arc::clone(&notes));
    let _running = tokio::spawn(stream.for_each(|_| ready(())));
    let count = || notes.lock().unwrap().len();
    world.until("it is reconciled", async || count() == 1).await;
    world.create_owned_config_map("child", &owner).await;
    world.until("the new child triggers it", async || count() == 2).await;
    let change = Patch::Merge(json!({"data": {"k": "v"}}));
    maps.patch("child", &PatchParams::default(), &change).await.unwrap();
    world.pass(Duration::from_secs(10)).await;
    assert_eq!(count(), 2);
    maps.delete("child", &DeleteParams::default()).await.unwrap();
    world.until("the deleted child triggers it", async || count() == 3).await;
}

#[tokio::test(start_paused = true)]
async fn a_controller_filtered_by_generation_alone_warns_once_about_a_hidden_finalizer() {
    let log = Log::catch();
    let world = World::new();
    install(&world).await;
    create(&world, "a title").await;
    let (alone, _running) = run(&world, Changed::generation());
    let (both, _running_too) = run(&world, Changed::generation().or(Changed::finalizers()));
    let count = |notes: &Notes| notes.lock().unwrap().len();
    world.until("both have started", async || (count(&alone), count(&both)) == (1, 1)).await;
    for round in 0..3 {
        patch(&world, json!({"metadata": {"finalizers": [format!("example.com/{round}")]}})).await;
        world.until("the combined predicate lets it through", async || count(&both) == 2 + round).await;
    }
    world.pass(Duration::from_secs(10)).await;
    assert_eq!(count(&alone), 1);
    let warnings = log.lines_with("a change of finalizers wakes no reconcile");
    assert!(warnings.len() == 1 && warnings[0].contains("Changed::finalizers()"), "{warnings:?}");
}

/// kube #1489: adding a long delay to the clock panicked.
#[tokio::test(start_paused = true)]
async fn a_requeue_after_duration_max_does_not_panic_and_changes_still_trigger_a_reconcile() {
    let world = World::embedded();
    install(&world).await;
    create(&world, "a title").await;
    let count = Arc::new(AtomicUsize::new(0));
    let counting = async |_: Arc<Document>, count: Arc<AtomicUsize>| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok::<_, Infallible>(Action::requeue(Duration::MAX))
    };
    let controller = Controller::new(documents(&world), Config::default());
    let stream = controller.run(counting, |_, _, _| Action::await_change(), Arc::clone(&count));
    let running = tokio::spawn(stream.for_each(|outcome| async move { assert!(outcome.is_ok(), "{outcome:?}") }));
    world.until("it is reconciled", async || count.load(Ordering::Relaxed) == 1).await;
    tokio::time::sleep(Duration::from_secs(24 * 3600)).await;
    assert_eq!(count.load(Ordering::Relaxed), 1);
    patch(&world, json!({"spec": {"title": "another"}})).await;
    world.until("a change triggers it", async || count.load(Ordering::Relaxed) == 2).await;
    assert!(!running.is_finished(), "the stream yielded an error");
}

/// kube #1506: the whole list as text, and then as objects.
#[tokio::test(start_paused = true)]
async fn a_list_is_read_object_by_object_while_the_rest_is_still_arriving() {
    let (send, receive) = mpsc::unbounded_channel::<&str>();
    let body = futures::stream::unfold(receive, |mut receive| async {
        let text = receive.recv().await?;
        Some((Ok::<_, Infallible>(Frame::data(Bytes::from_static(text.as_bytes()))), receive))
    });
    let mut body = Some(Box::pin(body));
    let service = tower::service_fn(move |_: http::Request<Body>| {
        let answer = StreamBody::new(body.take().expect("only one list is requested"));
        ready(Ok::<_, Infallible>(http::Response::new(answer)))
    });
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::new(service, "default"));
    let config = Config { initial_list_strategy: InitialListStrategy::ListWatch, ..Config::default() };
    let mut events = watcher(maps, config).boxed();
    assert!(matches!(events.next().await, Some(Ok(Event::Init))));
    let pieces = [
        r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":["#,
        r#"{"metadata":{"name":"a","namespace":"default","resourceVersion":"1"}},"#,
        r#"{"metadata":{"name":"b","namespace":"default","resourceVersion":"2"}}"#,
    ];
    send.send(pieces[0]).unwrap();
    for (piece, expected) in [(pieces[1], "a"), (pieces[2], "b")] {
        assert!(events.next().now_or_never().is_none());
        send.send(piece).unwrap();
        let next = tokio::time::timeout(Duration::from_secs(1), events.next()).await;
        let Ok(Some(Ok(Event::InitApply(map)))) = next else { panic!("{expected}: {next:?}") };
        assert_eq!(map.name_any(), expected);
    }
    send.send("]}").unwrap();
    drop(send);
    assert!(matches!(events.next().await, Some(Ok(Event::InitDone))));
}

/// kube #774: events after an object that does not decode must not be missed, and that object must not be sent forever.
#[tokio::test(start_paused = true)]
async fn a_watch_that_is_cut_after_an_undecodable_object_resumes_after_it() {
    // Without the bookmarks of a real server, which may be newer.
    let world = World::embedded();
    let drafts = install_drafts(&world).await;
    let mut events = watcher(drafts.clone(), Config::default()).boxed();
    while !matches!(events.next().await.unwrap().unwrap(), Event::InitDone) {}
    create_wrong_draft(&world).await;
    assert!(events.next().await.unwrap().is_err());
    let wrong = crate::custom_resource::untyped_drafts(&world).get("wrong").await.unwrap();
    world.cut_watches();
    drafts.create(&PostParams::default(), &crate::custom_resource::draft("next")).await.unwrap();
    let event = events.next().await.unwrap().unwrap();
    assert!(matches!(&event, Event::Apply(next) if next.name_any() == "next"), "{event:?}");
    let last = world.requests().into_iter().rfind(|call| call.contains("watch=true")).unwrap();
    assert!(last.ends_with(&format!("resourceVersion={}", wrong.resource_version().unwrap())), "{last}");
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// kube #1185: a client depended on a worker task and was dead after its runtime had ended.
#[test]
fn a_client_outlives_the_tokio_runtime_it_was_created_in() {
    let servers = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let serving = servers.block_on(Server::new().serve(([127, 0, 0, 1], 0).into())).unwrap();
    let config = pintle::Config::try_from(Kubeconfig::from_yaml(&serving.kubeconfig()).unwrap()).unwrap();
    let first = runtime();
    let client = first.block_on(async {
        let client = Client::try_from(config).unwrap();
        client.apiserver_version().await.unwrap();
        client
    });
    drop(first);
    runtime().block_on(client.apiserver_version()).unwrap();
    servers.block_on(serving.shutdown());
}

/// kube #1185: a call that panicked ended the worker task.
#[tokio::test]
async fn a_call_that_panics_leaves_the_client_usable() {
    let mut calls = 0;
    let service = tower::service_fn(move |_: http::Request<Body>| {
        calls += 1;
        assert!(calls != 2, "on purpose");
        let version = json!({"major": "1", "minor": calls.to_string(), "gitVersion": "", "gitCommit": "",
            "gitTreeState": "", "buildDate": "", "goVersion": "", "compiler": "", "platform": ""});
        ready(Ok::<_, Infallible>(http::Response::new(Body::from(version.to_string().into_bytes()))))
    });
    let client = Client::new(service, "default");
    let ask = || {
        let client = client.clone();
        tokio::spawn(async move { client.apiserver_version().await.unwrap().minor })
    };
    assert_eq!(ask().await.unwrap(), "1");
    assert!(ask().await.unwrap_err().is_panic());
    assert_eq!(ask().await.unwrap(), "3");
}
