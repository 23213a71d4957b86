//! What probes and metrics report about a running controller.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::ResourceExt;
use pintle::runtime::controller::{Action, Config, Controller};
use pintle::runtime::reflector::{self, ObjectRef};
use pintle::runtime::watcher;
use pintle::testing::{Fault, Requests};
use tokio::time::sleep;

use super::{Trouble, again, controller_of, count, create, embedded};
use crate::custom_resource::{Document, create_wrong_draft, documents, install_drafts};
use crate::world::World;
use crate::world::log::Log;

async fn hang(_: Arc<Document>, _: Arc<()>) -> Result<Action, Trouble> {
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_that_hangs_is_logged_once_counted_and_named_by_readiness() {
    let (world, log) = (embedded().await, Log::catch());
    create(&world, "a").await;
    let controller = controller_of(&world);
    let (readiness, metrics) = (controller.readiness(), controller.metrics());
    let _running = tokio::spawn(controller.run(hang, again, Arc::new(())).for_each(|_| async {}));
    sleep(Duration::from_secs(59)).await;
    assert_eq!((metrics.counts().overdue, readiness.to_string().as_str()), (0, "ready"));
    sleep(Duration::from_secs(2)).await;
    assert_eq!((metrics.counts().overdue, metrics.counts().running), (1, 1));
    sleep(Duration::from_secs(600)).await;
    let lines = log.lines_with("reconciling Document default/a has taken 60 s so far");
    assert!(matches!(&lines[..], [line] if line.contains("WARN")), "{lines:?}");
    let text = readiness.to_string();
    assert!(readiness.is_ready() && text.starts_with("ready\ndefault/a has been reconciled for 6"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_controller_is_alive_until_every_slot_is_taken_by_a_hanging_reconcile() {
    let world = embedded().await;
    for name in ["a", "b"] {
        create(&world, name).await;
    }
    for (slots, is_alive) in [(2, false), (3, true), (0, true)] {
        let controller = controller_of(&world).with_config(Config::default().concurrency(slots));
        let liveness = controller.liveness();
        assert!(liveness.is_alive(), "a controller that has not started may wait to become leader");
        let running = tokio::spawn(controller.run(hang, again, Arc::new(())).for_each(|_| async {}));
        sleep(Duration::from_secs(599)).await;
        assert_eq!((liveness.is_alive(), liveness.to_string().as_str()), (true, "alive"));
        sleep(Duration::from_secs(600)).await;
        assert_eq!(liveness.is_alive(), is_alive, "{slots} slots: {liveness}");
        assert_eq!(liveness.to_string().contains("default/b has been reconciled for"), !is_alive, "{liveness}");
        running.abort();
        sleep(Duration::from_secs(1)).await;
        assert!(!liveness.is_alive() && liveness.to_string().contains("has ended"), "{liveness}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_controller_stays_alive_and_one_that_is_not_polled_is_neither_ready_nor_alive() {
    let world = embedded().await;
    create(&world, "a").await;
    let controller = controller_of(&world);
    let (readiness, liveness) = (controller.readiness(), controller.liveness());
    assert!(readiness.to_string().contains("its stream has not been polled"), "{readiness}");
    let mut stream = Box::pin(controller.run(count, again, Arc::default()));
    assert!(stream.next().await.is_some());
    let idle = tokio::time::timeout(Duration::from_secs(3600), stream.next());
    assert!(idle.await.is_err(), "nothing happens for an hour");
    assert!(readiness.is_ready() && liveness.is_alive(), "{readiness}, {liveness}");
    sleep(Duration::from_secs(61)).await;
    assert!(!readiness.is_ready() && !liveness.is_alive(), "{readiness}, {liveness}");
    assert!(
        readiness.to_string().starts_with("not ready\nthe controller's stream has not been polled for 6"),
        "{readiness}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_controller_on_a_user_store_is_not_ready_before_it_is_polled() {
    let (reader, mut writer) = reflector::store::<ConfigMap>();
    writer.apply_watcher_event(&watcher::Event::Init);
    writer.apply_watcher_event(&watcher::Event::InitDone);
    let controller = Controller::for_stream(futures::stream::pending(), reader);
    let readiness = controller.readiness();
    let stream = controller.run(count, again, Arc::default());
    assert!(!readiness.is_ready(), "{readiness}");
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    sleep(Duration::from_secs(1)).await;
    assert!(readiness.is_ready(), "{readiness}");
}

#[tokio::test(start_paused = true)]
async fn waiting_and_scheduled_objects_are_counted_separately() {
    let world = embedded().await;
    for name in ["a", "b", "c", "d"] {
        create(&world, name).await;
    }
    let reconcile = async |_: Arc<Document>, _: Arc<()>| {
        sleep(Duration::from_secs(10)).await;
        Ok::<_, Trouble>(Action::requeue(Duration::from_secs(15)))
    };
    let controller = controller_of(&world).with_config(Config::default().concurrency(2));
    let metrics = controller.metrics();
    let counts = || (metrics.counts().running, metrics.counts().waiting, metrics.counts().scheduled);
    let _running = tokio::spawn(controller.run(reconcile, again, Arc::new(())).for_each(|_| async {}));
    sleep(Duration::from_secs(5)).await;
    assert_eq!(counts(), (2, 2, 0), "two run, two wait for a slot");
    sleep(Duration::from_secs(10)).await;
    assert_eq!(counts(), (2, 0, 2), "two run, two are scheduled");
    sleep(Duration::from_secs(6)).await;
    assert_eq!(counts(), (0, 0, 4));
    sleep(Duration::from_secs(10)).await;
    assert_eq!(counts(), (2, 0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_mapper_or_probe_that_reads_a_store_before_the_first_list_causes_no_warning() {
    let (world, log) = (embedded().await, Log::catch());
    world.create_config_map("a").await;
    create(&world, "a").await;
    let slow = world.server().fault(Requests::all().of("documents"), Fault::Delay(Duration::from_secs(20)));
    let controller = controller_of(&world);
    let (store, readiness) = (controller.store(), controller.readiness());
    store.add_index("title", |document: &Document| [document.spec.title.clone()]).unwrap();
    let mapper = move |map: ConfigMap| {
        let named = store.by_index("title", &map.name_any()).unwrap();
        let all = store.state();
        named.into_iter().chain(all).map(|it| ObjectRef::from_obj(&*it)).collect::<Vec<_>>()
    };
    let controller = controller.watches(world.config_maps(), watcher::Config::default(), mapper);
    let _running = tokio::spawn(controller.run(count, again, Arc::default()).for_each(|_| async {}));
    sleep(Duration::from_secs(5)).await;
    assert!(readiness.to_string().starts_with("not ready"), "{readiness}");
    assert!(readiness.undecodable().is_empty());
    slow.lift();
    world.until("it is ready", async || readiness.is_ready()).await;
    assert_eq!(log.lines_with("before it was ready"), Vec::<String>::new());
    assert!(documents(&world).get("a").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn readiness_names_undecodable_objects_without_decoding_anything() {
    let world = World::embedded();
    let drafts = install_drafts(&world).await;
    create_wrong_draft(&world).await;
    let controller = Controller::new(drafts, watcher::Config::default());
    let (store, readiness) = (controller.store(), controller.readiness());
    let mut stream = Box::pin(controller.run(count, again, Arc::default()));
    assert!(readiness.undecodable().is_empty(), "nothing is known yet");
    for _ in 0..2 {
        stream.next().await;
    }
    let found: Vec<_> = readiness.undecodable().into_iter().map(|it| it.key.name.to_string()).collect();
    assert_eq!((found, store.undecodable().len()), (vec!["wrong".to_owned()], 1));
}
