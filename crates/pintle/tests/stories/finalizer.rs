//! `finalizer()`: clean-up before an object is removed, and filters that hide it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::events::v1::Event as EventObject;
use pintle::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use pintle::runtime::controller::Action;
use pintle::runtime::finalizer::{self, Event, FailingCleanup, finalizer};
use pintle::runtime::{Predicate, WatchStreamExt, predicates, watcher};
use pintle::{Resource, ResourceExt};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::custom_resource::{document, documents, install};
use crate::world::World;
use crate::world::log::Log;

#[derive(Debug, thiserror::Error)]
#[error("the outside world says no: hunter2")]
struct Refused;

type Outcome = Result<Action, finalizer::Error<Refused>>;

/// Calls `finalizer()` with the object as it is now.
async fn call(world: &World, finalizer_name: &str, clean_up: impl AsyncFnOnce() -> Result<(), Refused>) -> Outcome {
    let maps = world.config_maps();
    let object = Arc::new(maps.get("a").await.unwrap());
    finalizer(&maps, finalizer_name, object, async |event| {
        if matches!(event, Event::Cleanup(_)) {
            clean_up().await?;
        }
        Ok(Action::await_change())
    })
    .await
}

/// A config map `a` that is being deleted and has the finalizer.
async fn create_deleting(world: &World, finalizer_name: &str) {
    world.create_config_map("a").await;
    call(world, finalizer_name, async || Ok(())).await.unwrap();
    world.config_maps().delete("a", &DeleteParams::default()).await.unwrap();
}

/// The failing clean-ups of `finalizer_name`; other stories have theirs in the same process.
fn failing(finalizer_name: &str) -> Vec<FailingCleanup> {
    finalizer::failing_cleanups().into_iter().filter(|it| it.finalizer == finalizer_name).collect()
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_is_added_reconciled_cleaned_up_and_removed() {
    let world = World::new();
    let cleaned = AtomicUsize::new(0);
    let clean = async || {
        cleaned.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    world.create_config_map("a").await;
    let name = "states.example.com/clean-up";
    call(&world, name, clean).await.unwrap();
    assert_eq!(world.config_maps().get("a").await.unwrap().finalizers(), [name], "it is added before the reconcile");
    call(&world, name, clean).await.unwrap();
    assert_eq!(cleaned.load(Ordering::Relaxed), 0);
    world.config_maps().delete("a", &DeleteParams::default()).await.unwrap();
    let deleting = Arc::new(world.config_maps().get("a").await.unwrap());
    call(&world, name, clean).await.unwrap();
    assert_eq!(cleaned.load(Ordering::Relaxed), 1);
    assert!(world.config_maps().get_opt("a").await.unwrap().is_none());
    let mut cleaned_up = ConfigMap::clone(&deleting);
    cleaned_up.metadata.finalizers = Some(vec!["another.one/waits".into()]);
    let never = async |_| -> Result<Action, Refused> { panic!("there is nothing to do") };
    let action = finalizer(&world.config_maps(), name, Arc::new(cleaned_up), never).await.unwrap();
    assert_eq!(action, Action::await_change());
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_of_another_controller_is_never_lost() {
    let world = World::new();
    let (mine, theirs) = ("mine.example.com/clean-up", "theirs.example.com/clean-up");
    let maps = world.config_maps();
    let seen = Arc::new(world.create_config_map("a").await);
    let add = Patch::Merge(json!({"metadata": {"finalizers": [theirs]}}));
    maps.patch("a", &PatchParams::default(), &add).await.unwrap();
    // The object passed in is older than the stored one.
    let apply = |_| std::future::ready(Ok::<_, Refused>(Action::await_change()));
    let refused = finalizer(&maps, mine, seen, apply).await;
    assert!(matches!(refused, Err(finalizer::Error::AddFinalizer(_))), "{refused:?}");
    assert_eq!(maps.get("a").await.unwrap().finalizers(), [theirs]);

    call(&world, mine, async || Ok(())).await.unwrap();
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    let seen = Arc::new(maps.get("a").await.unwrap());
    assert_eq!(seen.finalizers(), [theirs, mine]);
    let remove = Patch::Merge(json!({"metadata": {"finalizers": [mine]}}));
    maps.patch("a", &PatchParams::default(), &remove).await.unwrap();
    // Its position in the list has changed since the object was read.
    let refused = finalizer(&maps, mine, seen, apply).await;
    assert!(matches!(refused, Err(finalizer::Error::RemoveFinalizer(_))), "{refused:?}");
    call(&world, mine, async || Ok(())).await.unwrap();
    assert!(maps.get_opt("a").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_without_a_domain_is_used_and_logged_once_as_a_warning() {
    let world = World::new();
    let log = Log::catch();
    world.create_config_map("a").await;
    for _ in 0..3 {
        call(&world, "example.com/only-here", async || Ok(())).await.unwrap();
    }
    assert!(log.lines_with("domain/name").is_empty());
    // A server refuses it for built-in kinds and stores it for custom ones.
    install(&world).await;
    let documents = documents(&world);
    documents.create(&PostParams::default(), &document("a")).await.unwrap();
    let bare = "a-word-that-only-this-story-uses";
    for _ in 0..3 {
        let object = Arc::new(documents.get("a").await.unwrap());
        let done = |_| std::future::ready(Ok::<_, Refused>(Action::await_change()));
        finalizer(&documents, bare, object, done).await.unwrap();
    }
    assert_eq!(documents.get("a").await.unwrap().finalizers(), [bare]);
    let lines = log.lines_with("domain/name");
    assert!(lines.len() == 1 && lines[0].contains(bare), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a_running_clean_up_is_not_started_twice() {
    let world = Arc::new(World::new());
    let name = "once.example.com/clean-up";
    create_deleting(&world, name).await;
    let (begun, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let clean_up = async || {
        begun.fetch_add(1, Ordering::Relaxed);
        gate.acquire().await.unwrap().forget();
        Ok(())
    };
    let first = call(&world, name, clean_up);
    let second = async {
        world.until("the first has begun", async || begun.load(Ordering::Relaxed) == 1).await;
        let second = tokio::time::timeout(Duration::from_secs(60), call(&world, name, clean_up)).await;
        gate.add_permits(2);
        second.expect("it does not wait for the first").unwrap()
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first.unwrap(), Action::await_change());
    assert_eq!(second, Action::requeue(Duration::from_secs(1)), "it is retried later");
    assert_eq!(begun.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_clean_up_can_start_again() {
    let world = World::new();
    let name = "cancelled.example.com/clean-up";
    create_deleting(&world, name).await;
    let hangs = call(&world, name, async || std::future::pending().await);
    assert!(tokio::time::timeout(Duration::from_secs(1), hangs).await.is_err());
    call(&world, name, async || Ok(())).await.unwrap();
    assert!(world.config_maps().get_opt("a").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_clean_up_that_keeps_failing_is_in_the_log_an_event_and_failing_cleanups_with_its_age() {
    let world = World::embedded();
    let log = Log::catch();
    let name = "stuck.example.com/clean-up";
    create_deleting(&world, name).await;
    for _ in 0..20 {
        let failed = call(&world, name, async || Err(Refused)).await;
        assert!(matches!(failed, Err(finalizer::Error::CleanupFailed(Refused))));
        tokio::time::sleep(Duration::from_secs(15)).await;
    }
    let lines = log.lines_with("its clean-up keeps failing");
    assert_eq!(lines.len(), 3, "at one, two and four minutes: {lines:#?}");
    assert!(lines[0].contains(name) && !lines[0].contains("hunter2"), "{lines:?}");
    for (line, age) in lines.iter().zip([60..80, 120..160, 240..320]) {
        let seconds = line.split("seconds=").nth(1).and_then(|it| it.split(' ').next()?.parse::<u64>().ok());
        assert!(seconds.is_some_and(|it| age.contains(&it)), "{age:?} s after the deletion: {line}");
    }
    let stuck = failing(name);
    assert_eq!((stuck.len(), stuck[0].failures, stuck[0].kind.as_str()), (1, 20, "configmaps"));
    assert!(stuck[0].age >= Duration::from_secs(300), "{:?}", stuck[0].age);

    let events: Api<EventObject> = Api::default_namespaced(world.client.clone());
    let aged = |note: &str| note.split(" times in ").nth(1)?.split(' ').next()?.parse::<u64>().ok();
    let is_stored = async || {
        let all = events.list(&ListParams::default()).await.unwrap().items;
        all.iter().any(|event| {
            let regarding = event.regarding.clone().unwrap_or_default();
            let note = event.note.clone().unwrap_or_default();
            assert!(!note.contains("hunter2"));
            event.reason.as_deref() == Some("CleanupFailing")
                && note.contains(&format!("{name} has failed"))
                && aged(&note).is_some_and(|seconds| seconds >= 60)
                && regarding.kind.as_deref() == Some(&*ConfigMap::kind(&()))
                && regarding.name.as_deref() == Some("a")
        })
    };
    world.until("the event is stored", is_stored).await;
    call(&world, name, async || Ok(())).await.unwrap();
    assert!(failing(name).is_empty(), "after a success it is not listed any more");
}

#[tokio::test(start_paused = true)]
async fn a_generation_filter_that_hides_a_finalizer_logs_one_warning() {
    let world = World::new();
    install(&world).await;
    let api = documents(&world);
    api.create(&PostParams::default(), &document("a")).await.unwrap();
    let log = Log::catch();
    let watch = || watcher(api.clone(), World::watching()).default_backoff().applied_objects();
    let mut alone = watch().filter_by(predicates::generation).boxed();
    let mut both = watch().filter_by(predicates::generation.combine(predicates::finalizers)).boxed();
    for stream in [&mut alone, &mut both] {
        assert_eq!(stream.next().await.unwrap().unwrap().name_any(), "a");
    }
    for finalizers in [json!(["example.com/one"]), json!(["example.com/two"])] {
        let patch = Patch::Merge(json!({"metadata": {"finalizers": finalizers}}));
        api.patch("a", &PatchParams::default(), &patch).await.unwrap();
        assert!(!both.next().await.unwrap().unwrap().finalizers().is_empty());
    }
    // A shared cluster may end a watch, which is an item of the stream but not an object.
    let shown =
        alone.filter_map(|shown| std::future::ready(shown.ok())).take_until(world.pass(Duration::from_secs(60)));
    assert!(shown.collect::<Vec<_>>().await.is_empty(), "as in kube, it is filtered out");
    let lines = log.lines_with("a change of finalizers is filtered out");
    assert!(lines.len() == 1 && lines[0].contains("predicates::finalizers"), "{lines:?}");
}

/// kube #965: duplicate finalizers.
#[tokio::test(start_paused = true)]
async fn two_controllers_that_add_the_same_finalizer_at_once_add_it_once() {
    let world = World::new();
    let name = "twice.example.com/clean-up";
    let maps = world.config_maps();
    let seen = Arc::new(world.create_config_map("a").await);
    let apply = |_| std::future::ready(Ok::<_, Refused>(Action::await_change()));
    let (one, other) =
        tokio::join!(finalizer(&maps, name, Arc::clone(&seen), apply), finalizer(&maps, name, seen, apply));
    assert!(one.is_ok() != other.is_ok(), "one of them was too late: {one:?} {other:?}");
    assert_eq!(maps.get("a").await.unwrap().finalizers(), [name]);
}
