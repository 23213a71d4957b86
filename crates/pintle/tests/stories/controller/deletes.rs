//! `on_delete`: a separate handler for deletes, called with the last known object.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use pintle::ResourceExt;
use pintle::api::{DeleteParams, Patch, PatchParams, PostParams};
use pintle::runtime::controller::{Action, Controller, Handlers};
use pintle::runtime::watcher;
use tokio::sync::Notify;

use super::{Trouble, controller_of, create, embedded, world};
use crate::custom_resource::{Document, Draft, document, documents, install_drafts, untyped_drafts};
use crate::world::World;

/// The calls, in order.
type Log = Mutex<Vec<String>>;

async fn reconcile(document: Arc<Document>, log: Arc<Log>) -> Result<Action, Trouble> {
    log.lock().unwrap().push(format!("reconciled {} {}", document.name_any(), document.spec.title));
    Ok(Action::await_change())
}

async fn deleted(document: Arc<Document>, log: Arc<Log>) -> Result<Action, Trouble> {
    log.lock().unwrap().push(format!("deleted {} {}", document.name_any(), document.spec.title));
    Ok(Action::await_change())
}

async fn create_titled(world: &World, name: &str, title: &str) {
    let mut titled = document(name);
    titled.spec.title = title.into();
    documents(world).create(&PostParams::default(), &titled).await.unwrap();
}

fn lines(log: &Log) -> Vec<String> {
    log.lock().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_delete_is_handled_with_the_last_known_object() {
    let world = world().await;
    create(&world, "a").await;
    let log = Arc::new(Log::default());
    let stream = controller_of(&world).run_with(Handlers::new(reconcile).on_delete(deleted), Arc::clone(&log));
    let running = tokio::spawn(stream.for_each(|result| async move { assert!(result.is_ok(), "{result:?}") }));
    world.until("it is reconciled", async || lines(&log).len() == 1).await;
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    world.until("its delete is handled", async || lines(&log).len() == 2).await;
    assert_eq!(lines(&log), ["reconciled a A title", "deleted a A title"]);
    assert!(!running.is_finished(), "the stream yielded an error");
}

#[tokio::test(start_paused = true)]
async fn a_delete_and_a_recreate_seen_only_by_a_relist_are_both_handled() {
    let world = world().await;
    for name in ["replaced", "gone"] {
        create(&world, name).await;
    }
    let log = Arc::new(Log::default());
    let stream = controller_of(&world).run_with(Handlers::new(reconcile).on_delete(deleted), Arc::clone(&log));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    world.until("both are reconciled", async || lines(&log).len() == 2).await;
    log.lock().unwrap().clear();

    let down = world.without_watches();
    for name in ["replaced", "gone"] {
        documents(&world).delete(name, &DeleteParams::default()).await.unwrap();
    }
    create_titled(&world, "replaced", "Another").await;
    world.expire_history().await;
    drop(down);
    world.until("both changes are handled", async || lines(&log).len() == 3).await;
    let lines = lines(&log);
    let of = |line: &str| lines.iter().position(|known| known == line).unwrap_or_else(|| panic!("{line}: {lines:?}"));
    assert!(of("deleted replaced A title") < of("reconciled replaced Another"), "one after the other: {lines:?}");
    of("deleted gone A title");
}

#[tokio::test(start_paused = true)]
async fn a_delete_handler_that_fails_is_retried() {
    let world = world().await;
    create(&world, "a").await;
    let log = Arc::new(Log::default());
    let twice = async |document: Arc<Document>, log: Arc<Log>| {
        deleted(document, Arc::clone(&log)).await?;
        if lines(&log).len() < 4 { Err(Trouble::OnPurpose) } else { Ok(Action::requeue(Duration::ZERO)) }
    };
    let handlers = Handlers::new(reconcile).on_delete(twice);
    let stream = controller_of(&world).run_with(handlers, Arc::clone(&log));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    world.until("it is reconciled", async || lines(&log).len() == 1).await;
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    world.until("it is handled three times", async || lines(&log).len() == 4).await;
    world.pass(Duration::from_secs(60)).await;
    assert_eq!(lines(&log).len(), 4, "a handled delete is not handled again");
}

/// The delete backs off as failures do, and the new object of that name is reconciled meanwhile.
#[tokio::test(start_paused = true)]
async fn a_delete_handler_that_keeps_failing_backs_off_and_does_not_block_the_recreated_object() {
    const SPINNING: usize = 200;
    let world = embedded().await;
    create(&world, "a").await;
    let log = Arc::new(Log::default());
    let failing = async |document: Arc<Document>, log: Arc<Log>| {
        deleted(document, Arc::clone(&log)).await?;
        if lines(&log).len() < SPINNING { Err(Trouble::OnPurpose) } else { Ok(Action::await_change()) }
    };
    let now_and_then = async |document: Arc<Document>, log: Arc<Log>| {
        reconcile(document, log).await?;
        Ok::<_, Trouble>(Action::requeue(Duration::from_secs(25)))
    };
    let stream = controller_of(&world).run_with(Handlers::new(now_and_then).on_delete(failing), Arc::clone(&log));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    world.until("it is reconciled", async || lines(&log).len() == 1).await;
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    create_titled(&world, "a", "Another").await;
    world.pass(Duration::from_secs(60)).await;
    let of = |line: &str| lines(&log).iter().filter(|known| *known == line).count();
    assert_eq!(of("reconciled a Another"), 3, "by its own schedule: {:?}", lines(&log));
    assert!((10..20).contains(&of("deleted a A title")), "{:?}", lines(&log));
}

#[tokio::test(start_paused = true)]
async fn the_deletes_of_two_successive_objects_of_one_name_are_both_handled() {
    let world = world().await;
    create(&world, "a").await;
    let log = Arc::new(Log::default());
    let released = Arc::new(Notify::new());
    let release = Arc::clone(&released);
    let busy = move |document: Arc<Document>, log: Arc<Log>| {
        let released = Arc::clone(&released);
        async move {
            let done = reconcile(document, log).await;
            released.notified().await;
            done
        }
    };
    let controller = controller_of(&world);
    let store = controller.store();
    let stream = controller.run_with(Handlers::new(busy).on_delete(deleted), Arc::clone(&log));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    world.until("it is being reconciled", async || lines(&log).len() == 1).await;
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    create_titled(&world, "a", "Another").await;
    let title = || store.state().first().map(|document| document.spec.title.clone());
    world.until("the new object is in the store", async || title().as_deref() == Some("Another")).await;
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    world.until("it is gone", async || store.is_empty()).await;
    release.notify_one();
    world.until("both are handled", async || lines(&log).len() == 3).await;
    assert_eq!(lines(&log), ["reconciled a A title", "deleted a A title", "deleted a Another"]);
}

#[tokio::test(start_paused = true)]
async fn without_a_delete_handler_a_deleted_object_is_not_an_error() {
    let world = world().await;
    create(&world, "a").await;
    let log = Arc::new(Log::default());
    let later = async |document: Arc<Document>, log: Arc<Log>| {
        reconcile(document, log).await?;
        Ok::<_, Trouble>(Action::requeue(Duration::from_secs(5)))
    };
    let stream = controller_of(&world).run_with(Handlers::new(later), Arc::clone(&log));
    let running = tokio::spawn(stream.for_each(|result| async move { assert!(result.is_ok(), "{result:?}") }));
    world.until("it is reconciled", async || lines(&log).len() == 1).await;
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    world.pass(Duration::from_secs(60)).await;
    assert_eq!(lines(&log).len(), 1);
    assert!(!running.is_finished(), "the stream yielded an error");
}

/// Found by random faults: the handler was not called, because the deleted version did not decode.
#[tokio::test(start_paused = true)]
async fn the_delete_handler_gets_the_last_version_that_could_be_decoded() {
    let world = World::new();
    let drafts = install_drafts(&world).await;
    let log = Arc::new(Log::default());
    let reconcile = async |draft: Arc<Draft>, log: Arc<Log>| {
        log.lock().unwrap().push(format!("reconciled {}", draft.spec.title));
        Ok::<_, Trouble>(Action::await_change())
    };
    let deleted = async |draft: Arc<Draft>, log: Arc<Log>| {
        log.lock().unwrap().push(format!("deleted {}", draft.spec.title));
        Ok::<_, Trouble>(Action::await_change())
    };
    let controller = Controller::new(drafts.clone(), watcher::Config::default());
    let store = controller.store();
    let stream = controller.run_with(Handlers::new(reconcile).on_delete(deleted), Arc::clone(&log));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    world.until("it is reconciled", async || lines(&log).len() == 1).await;
    let break_it = Patch::Merge(serde_json::json!({"spec": {"title": 5}}));
    untyped_drafts(&world).patch("good", &PatchParams::default(), &break_it).await.unwrap();
    world.until("it no longer decodes", async || !store.undecodable().is_empty()).await;
    untyped_drafts(&world).delete("good", &DeleteParams::default()).await.unwrap();
    world.until("its delete is handled", async || lines(&log).len() == 2).await;
    assert_eq!(lines(&log), ["reconciled A title", "deleted A title"]);
}
