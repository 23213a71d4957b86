//! What has gone wrong in other controllers. `docs/regressions.md` lists the incidents.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, Patch, PatchParams, PostParams};
use pintle::core::Status;
use pintle::runtime::controller::{Action, Config, ReconcileRequest, applier};
use pintle::runtime::reflector::{ObjectRef, store};
use pintle::runtime::watcher;
use pintle::testing::{Fault, Requests};
use pintle::{Resource, ResourceExt};
use tokio::time::Instant;

use super::{Counts, Trouble, again, controller_of, create, embedded, world};
use crate::custom_resource::{Document, documents};
use crate::world::config_map;

async fn retitle(world: &crate::world::World, name: &str, title: &str) {
    let patch = Patch::Merge(serde_json::json!({"spec": {"title": title}}));
    documents(world).patch(name, &PatchParams::default(), &patch).await.unwrap();
}

/// kube #925: the applier hung forever once more objects were queued than its channel holds, "since the original".
#[tokio::test(start_paused = true)]
async fn more_objects_than_any_buffer_holds_are_all_reconciled_repeatedly() {
    let world = world().await;
    let all = world.many(500);
    for number in 0..all {
        create(&world, &format!("d{number}")).await;
    }
    let counts = Arc::new(Counts::default());
    let reconcile = async |document: Arc<Document>, counts: Arc<Counts>| {
        counts.add(&document.name_any());
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok::<_, Trouble>(Action::requeue(Duration::ZERO))
    };
    let config = Config::default().concurrency(3);
    let running = controller_of(&world).with_config(config).run(reconcile, again, Arc::clone(&counts));
    let _running = tokio::spawn(running.for_each(|_| async {}));
    let all_thrice = async || (0..all).all(|number| counts.of(&format!("d{number}")) >= 3);
    world.until("each was reconciled three times", all_thrice).await;
}

/// kube #1322: a message that came while its object was reconciled stayed in the scheduler forever.
#[tokio::test(start_paused = true)]
async fn a_change_during_a_reconcile_is_reconciled_afterwards() {
    let world = world().await;
    create(&world, "a").await;
    let titles = Arc::new(Mutex::new(Vec::new()));
    let reconcile = async |document: Arc<Document>, titles: Arc<Mutex<Vec<String>>>| {
        tokio::time::sleep(Duration::from_secs(3)).await;
        titles.lock().unwrap().push(document.spec.title.clone());
        Ok::<_, Trouble>(Action::await_change())
    };
    let running = controller_of(&world).run(reconcile, again, Arc::clone(&titles));
    let _running = tokio::spawn(running.for_each(|_| async {}));
    tokio::time::sleep(Duration::from_secs(2)).await;
    retitle(&world, "a", "changed meanwhile").await;
    world.pass(Duration::from_secs(60)).await;
    assert_eq!(*titles.lock().unwrap(), ["A title", "changed meanwhile"]);
}

/// kube 5 and trino-operator #936: one refused watch delayed all others by up to a minute, because they shared one
/// backoff; probes stayed green.
#[tokio::test(start_paused = true)]
async fn a_watch_that_is_refused_forever_does_not_delay_the_others() {
    let world = embedded().await;
    create(&world, "a").await;
    let refused = world.server().fault(Requests::all().of("secrets"), Fault::forbidden());
    let latest = Arc::new(Mutex::new(Instant::now()));
    let reconcile = async |_: Arc<Document>, latest: Arc<Mutex<Instant>>| {
        *latest.lock().unwrap() = Instant::now();
        Ok::<_, Trouble>(Action::await_change())
    };
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let no_objects = |_: Secret| None::<ObjectRef<Document>>;
    let controller = controller_of(&world).watches(secrets, watcher::Config::default(), no_objects);
    let _running = tokio::spawn(controller.run(reconcile, again, Arc::clone(&latest)).for_each(|_| async {}));
    for change in 0..60 {
        tokio::time::sleep(Duration::from_secs(10)).await;
        let written = Instant::now();
        retitle(&world, "a", &change.to_string()).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
        let late = latest.lock().unwrap().checked_duration_since(written);
        assert!(late.is_some(), "change {change} was not reconciled within 5 ms");
    }
    assert!(refused.fired() > 10, "the refused watch was tried all the time: {}", refused.fired());
}

/// Found by random faults: a child was deleted before its watch was first allowed. No list names it, so its owner was not
/// triggered.
#[tokio::test(start_paused = true)]
async fn a_child_deleted_before_its_watch_was_allowed_triggers_its_owner_once_it_is_allowed() {
    let world = embedded().await;
    let owner = create(&world, "a").await;
    world.create_owned_config_map("child", &owner).await;
    let refused = world.server().fault(Requests::all().of("configmaps").below("/api/v1"), Fault::forbidden());
    let counts = Arc::new(Counts::default());
    let controller = controller_of(&world).owns(world.config_maps(), watcher::Config::default());
    let _running = tokio::spawn(controller.run(super::count, again, Arc::clone(&counts)).for_each(|_| async {}));
    world.until("it is reconciled with its child", async || counts.of("a") == 1).await;
    refused.lift();
    world.config_maps().delete("child", &Default::default()).await.unwrap();
    world.until("it is reconciled without it", async || counts.of("a") == 2).await;
}

/// Found by random faults: a child that was created and deleted while its watch was down is in no list, so its owner was
/// not triggered. Objects that have been idle for long are not reconciled again.
#[tokio::test(start_paused = true)]
async fn a_child_created_and_deleted_while_its_watch_is_down_is_created_again() {
    let world = embedded().await;
    create(&world, "idle").await;
    let (maps, counts) = (world.config_maps(), Arc::new(Counts::default()));
    let reconcile = async |document: Arc<Document>, context: Arc<(Api<ConfigMap>, Arc<Counts>)>| {
        let (maps, counts) = &*context;
        counts.add(&document.name_any());
        if document.name_any() == "a" && maps.get_opt("child").await?.is_none() {
            let mut child = config_map("child");
            child.metadata.owner_references = Some(document.controller_owner_ref(&()).into_iter().collect());
            maps.create(&PostParams::default(), &child).await?;
        }
        Ok::<_, Trouble>(Action::await_change())
    };
    let controller = controller_of(&world).owns(maps.clone(), watcher::Config::default());
    let running = controller.run(reconcile, again, Arc::new((maps.clone(), Arc::clone(&counts))));
    let _running = tokio::spawn(running.for_each(|_| async {}));
    world.until("it is reconciled", async || counts.of("idle") == 1).await;
    tokio::time::sleep(Duration::from_secs(120)).await;
    world.create_config_map("unrelated").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let watches = Requests::watches().of("configmaps");
    let blind = world.server().fault(watches.clone(), Fault::unavailable(None));
    world.server().cut_watches(&watches);
    create(&world, "a").await;
    world.until("the child is created", async || maps.get_opt("child").await.unwrap().is_some()).await;
    maps.delete("child", &Default::default()).await.unwrap();
    world.expire_history().await;
    blind.lift();
    world.until("it is created again", async || maps.get_opt("child").await.unwrap().is_some()).await;
    assert_eq!(counts.of("idle"), 1);
}

/// Streaming lists after a 410 requested version 0, so a lagging replica could answer.
#[tokio::test(start_paused = true)]
async fn a_streaming_list_after_an_expired_version_requests_the_most_recent_state() {
    let world = embedded().await;
    create(&world, "a").await;
    let counts = Arc::new(Counts::default());
    let running = controller_of(&world).run(super::count, again, Arc::clone(&counts)).for_each(|_| async {});
    let _running = tokio::spawn(running);
    world.until("it is reconciled", async || counts.of("a") == 1).await;
    let down = world.without_watches();
    create(&world, "b").await;
    world.expire_history().await;
    drop(down);
    world.until("an object created meanwhile is reconciled", async || counts.of("b") == 1).await;
    let lists: Vec<_> = world.requests().into_iter().filter(|it| it.contains("sendInitialEvents=true")).collect();
    assert!(lists.len() >= 2, "{lists:?}");
    let is_unset =
        |line: &String| line.split("resourceVersion=").skip(1).all(|it| it.is_empty() || it.starts_with('&'));
    assert!(lists.iter().all(is_unset), "{lists:?}");
}

/// kube 5: every reconcile in flight was polled whenever any of them woke, so 40,000 took four times as long as they
/// should.
#[tokio::test(start_paused = true)]
async fn a_running_reconcile_is_polled_only_when_it_is_woken() {
    struct Counted<F>(Pin<Box<F>>, Arc<AtomicUsize>);
    impl<F: Future> Future for Counted<F> {
        type Output = F::Output;
        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.as_mut().poll(cx)
        }
    }
    const FLIGHT: usize = 3000;
    let (reader, mut writer) = store();
    writer.apply_watcher_event(&watcher::Event::Init);
    for number in 0..FLIGHT {
        writer.apply_watcher_event(&watcher::Event::InitApply(config_map(&format!("m{number}"))));
    }
    writer.apply_watcher_event(&watcher::Event::InitDone);
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polls);
    let reconcile = move |map: Arc<ConfigMap>, _: Arc<()>| {
        let number: u64 = map.name_any()[1..].parse().unwrap();
        let work = async move {
            tokio::time::sleep(Duration::from_millis(1 + number)).await;
            Ok::<_, Trouble>(Action::await_change())
        };
        Counted(Box::pin(work), Arc::clone(&counted))
    };
    let requests = (0..FLIGHT).map(|number| {
        let request: ReconcileRequest<ConfigMap> = ObjectRef::new(&format!("m{number}")).into();
        Ok::<_, Trouble>(request)
    });
    let config = Config::default().concurrency(0);
    let results = applier(reconcile, again, Arc::new(()), reader, futures::stream::iter(requests), config);
    assert_eq!(results.filter(|result| std::future::ready(result.is_ok())).count().await, FLIGHT);
    let each = polls.load(Ordering::Relaxed) / FLIGHT;
    assert!(each <= 3, "{each} polls per reconcile");
}

/// A list of thousands of objects was decoded and mapped within one poll, and nothing else on that thread ran meanwhile.
#[tokio::test(start_paused = true)]
async fn a_long_list_of_watched_objects_is_mapped_in_pieces_and_other_tasks_run_between_them() {
    let world = embedded().await;
    create(&world, "a").await;
    for number in 0..500 {
        world.create_config_map(&format!("map-{number}")).await;
    }
    let mapped = Arc::new(AtomicUsize::new(0));
    let mapper = {
        let mapped = Arc::clone(&mapped);
        move |_: ConfigMap| {
            mapped.fetch_add(1, Ordering::Relaxed);
            Some(ObjectRef::<Document>::new("a").within("default"))
        }
    };
    let counts = Arc::new(Counts::default());
    let controller = controller_of(&world).watches(world.config_maps(), watcher::Config::default(), mapper);
    let _running = tokio::spawn(controller.run(super::count, again, Arc::clone(&counts)).for_each(|_| async {}));
    let (mut before, mut at_once) = (0, 0);
    while counts.of("a") == 0 {
        let now = mapped.load(Ordering::Relaxed);
        at_once = at_once.max(now - before);
        before = now;
        tokio::task::yield_now().await;
    }
    assert!(mapped.load(Ordering::Relaxed) >= 500, "the first reconcile waits for the whole list");
    assert!((1..=64).contains(&at_once), "{at_once} objects were mapped at once");
}

/// A kind whose server does not support watches kept every first reconcile waiting for half a minute.
#[tokio::test(start_paused = true)]
async fn a_kind_that_cannot_be_watched_does_not_delay_the_first_reconcile() {
    let world = embedded().await;
    create(&world, "a").await;
    world.server().fault(Requests::all().of("secrets"), Fault::Answer(Box::new(not_supported())));
    let counts = Arc::new(Counts::default());
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let no_objects = |_: Secret| None::<ObjectRef<Document>>;
    let controller = controller_of(&world).watches(secrets, watcher::Config::default(), no_objects);
    let started = Instant::now();
    let _running = tokio::spawn(controller.run(super::count, again, Arc::clone(&counts)).for_each(|_| async {}));
    world.until("it is reconciled", async || counts.of("a") == 1).await;
    assert!(started.elapsed() < Duration::from_secs(5), "after {:?}", started.elapsed());
}

fn not_supported() -> Status {
    let message = "the server does not allow this method on the requested resource";
    Status::failure(message, "MethodNotAllowed").with_code(405)
}
