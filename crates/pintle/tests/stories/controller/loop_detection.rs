//! An object whose own writes keep triggering its reconciler is detected, slowed down and logged once.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, Patch, PatchParams, PostParams};
use pintle::runtime::controller::{Action, Config, Controller, LoopCause, Metrics};
use pintle::runtime::watcher;
use pintle::{Client, Resource, ResourceExt};
use tokio::time::Instant;

use super::{Trouble, again, controller_of, create, embedded, publish, world};
use crate::custom_resource::{Document, documents};
use crate::world::log::Log;
use crate::world::{World, config_map};

/// A running reconciler: when it ran, and its metrics.
struct Watched {
    runs: Arc<Mutex<Vec<Instant>>>,
    metrics: Metrics,
    running: tokio::task::JoinHandle<()>,
}

impl Watched {
    /// Runs `reconcile`, which receives how often it ran before.
    fn run<Fut>(
        controller: Controller<Document>,
        reconcile: impl Fn(Arc<Document>, usize) -> Fut + Send + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<Action, Trouble>> + Send + 'static,
    {
        let (runs, metrics) = (Arc::new(Mutex::new(Vec::new())), controller.metrics());
        let noted = Arc::clone(&runs);
        let reconcile = move |document: Arc<Document>, _: Arc<()>| {
            let number = {
                let mut noted = noted.lock().unwrap();
                noted.push(Instant::now());
                noted.len()
            };
            reconcile(document, number)
        };
        let running = controller.run(reconcile, again, Arc::new(())).for_each(|_| async {});
        Self { runs, metrics, running: tokio::spawn(running) }
    }

    fn count(&self) -> usize {
        self.runs.lock().unwrap().len()
    }
}

/// A status that is new each time.
async fn write_the_time(client: Client, document: Arc<Document>, number: usize) -> Result<Action, Trouble> {
    // Paused time advances only while a task waits for it.
    tokio::time::sleep(Duration::from_millis(1)).await;
    let api: Api<Document> = Api::default_namespaced(client);
    let patch = Patch::Merge(serde_json::json!({"status": {"words": number}}));
    api.patch_status(&document.name_any(), &PatchParams::default(), &patch).await?;
    Ok(Action::await_change())
}

fn write_the_time_with(world: &World, config: Config) -> Watched {
    let client = world.client.clone();
    let controller = controller_of(world).with_config(config);
    Watched::run(controller, move |document, number| write_the_time(client.clone(), document, number))
}

#[tokio::test(start_paused = true)]
async fn a_status_that_changes_on_every_reconcile_is_logged_once_with_its_field_and_slowed_down() {
    let log = Log::catch();
    // Embedded: it takes hours, and more writes than a busy cluster can handle.
    let world = embedded().await;
    create(&world, "a").await;
    let watched = write_the_time_with(&world, Config::default());
    world.pass(Duration::from_secs(3600)).await;
    let runs = watched.count();
    assert!((22..50).contains(&runs), "{runs} reconciles in an hour");
    let [found] = &watched.metrics.loops()[..] else { panic!("{:?}", watched.metrics.loops()) };
    assert_eq!(found.cause, LoopCause::Changes(vec!["status.words".into()]));
    assert_eq!((found.resource.as_str(), &found.written), ("documents.example.com", &Some(found.key.clone())));
    assert_eq!(watched.metrics.counts().loops, 1);
    let lines = log.lines_with("keeps waking itself");
    assert!(lines.len() == 1 && lines[0].contains("status.words"), "{lines:?}");

    // A change by another writer is not delayed.
    let patch = Patch::Merge(serde_json::json!({"spec": {"title": "urgent"}}));
    documents(&world).patch("a", &PatchParams::default(), &patch).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(watched.count(), runs + 1);
    assert_eq!(log.lines_with("keeps waking itself").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_loop_detector_has_a_threshold_and_can_be_switched_off() {
    let world = embedded().await;
    create(&world, "a").await;
    let strict = write_the_time_with(&world, Config::default().loop_guard(5));
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert!((5..9).contains(&strict.count()), "{} reconciles", strict.count());
    assert_eq!(strict.metrics.counts().loops, 1);
    strict.running.abort();

    let world = embedded().await;
    create(&world, "a").await;
    let off = write_the_time_with(&world, Config::default().loop_guard(0));
    world.until("it continues forever", async || off.count() > 500).await;
    assert_eq!((off.metrics.counts().loops, off.metrics.loops().len()), (0, 0));
}

/// Two controllers that do not agree about a field.
#[tokio::test(start_paused = true)]
async fn two_managers_that_overwrite_each_others_field_are_logged() {
    async fn label(maps: Api<ConfigMap>, team: &str, manager: &str) -> Result<Action, pintle::Error> {
        let map = maps.get("contested").await?;
        if map.labels().get("team").is_none_or(|it| it != team) {
            let patch = Patch::Merge(serde_json::json!({"metadata": {"labels": {"team": team}}}));
            let params = PatchParams { field_manager: Some(manager.into()), ..PatchParams::default() };
            maps.patch("contested", &params, &patch).await?;
        }
        Ok(Action::await_change())
    }
    let log = Log::catch();
    let world = embedded().await;
    let owner = create(&world, "a").await;
    world.create_owned_config_map("contested", &owner).await;
    let maps = world.config_maps();
    let controller = controller_of(&world).owns(maps.clone(), watcher::Config::default());
    let watched = Watched::run(controller, move |_, _| {
        let maps = maps.clone();
        async move { Ok(label(maps, "red", "ours").await?) }
    });
    let maps = world.config_maps();
    let opponent = Controller::new(maps.clone(), World::watching()).with_config(Config::default().loop_guard(0)).run(
        move |map: Arc<ConfigMap>, _: Arc<()>| {
            let maps = maps.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(200)).await;
                if map.name_any() == "contested" {
                    Ok(label(maps, "blue", "theirs").await?)
                } else {
                    Ok(Action::await_change())
                }
            }
        },
        again,
        Arc::new(()),
    );
    let _opponent = tokio::spawn(opponent.for_each(|_| async {}));
    world.pass(Duration::from_secs(600)).await;
    let loops = watched.metrics.loops();
    let [found] = &loops[..] else { panic!("{loops:?} after {}", watched.count()) };
    let LoopCause::Fights { manager, fields } = &found.cause else { panic!("{found}") };
    assert_eq!(found.resource, "configmaps");
    assert_eq!(fields.join(","), "metadata.labels.team", "{found}");
    // Older servers keep no managedFields.
    let has_managed_fields = !world.config_maps().get("contested").await.unwrap().managed_fields().is_empty();
    assert_eq!(manager.as_deref(), has_managed_fields.then_some("theirs"));
    let logged = log.lines_with("keeps waking itself");
    let names_both = |line: &String| line.contains("theirs undoes") && line.contains("metadata.labels.team");
    assert!(logged.len() == 1 && logged.iter().all(names_both), "{logged:?}");
    assert!(watched.count() < 100, "{} reconciles in ten minutes", watched.count());
}

#[tokio::test(start_paused = true)]
async fn a_child_recreated_on_every_reconcile_is_logged_as_a_loop() {
    // Embedded: it takes hours, and more writes than a busy cluster can handle.
    let world = embedded().await;
    create(&world, "a").await;
    let maps = world.config_maps();
    let controller = controller_of(&world).owns(maps.clone(), watcher::Config::default());
    let watched = Watched::run(controller, move |document, _| {
        let mut child = config_map("unused");
        child.metadata.name = None;
        child.metadata.generate_name = Some("child-".into());
        child.metadata.owner_references = Some(document.controller_owner_ref(&()).into_iter().collect());
        let maps = maps.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            maps.create(&PostParams::default(), &child).await?;
            Ok(Action::await_change())
        }
    });
    world.pass(Duration::from_secs(600)).await;
    let loops = watched.metrics.loops();
    assert!(matches!(&loops[..], [found] if found.cause == LoopCause::Replaces), "{loops:?}");
    let made = world.config_maps().list(&Default::default()).await.unwrap().items.len();
    assert!(made < 50, "{made} children in ten minutes");
}

/// Ordinary objects: created, published, changed many times, in steps. None is reported as a loop.
#[tokio::test(start_paused = true)]
async fn ordinary_convergence_is_not_a_loop() {
    let log = Log::catch();
    let world = Arc::new(world().await);
    let controller = controller_of(&world).owns(world.config_maps(), watcher::Config::default());
    let metrics = controller.metrics();
    let _running = tokio::spawn(controller.run(publish, again, Arc::clone(&world)).for_each(|_| async {}));
    for number in 0..10 {
        create(&world, &format!("d{number}")).await;
    }
    let changes = world.many(100);
    for change in 0..changes {
        let words = "word ".repeat(change + 1);
        let patch = Patch::Merge(serde_json::json!({"spec": {"content": words.trim_end()}}));
        for number in 0..10 {
            documents(&world).patch(&format!("d{number}"), &PatchParams::default(), &patch).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(change as u64 % 7)).await;
    }
    let is_done = async || {
        let all = documents(&world).list(&Default::default()).await.unwrap();
        all.iter().all(|it| it.status.as_ref().is_some_and(|status| status.words == changes))
    };
    world.until("all converge", is_done).await;
    assert_eq!((metrics.counts().loops, log.lines_with("keeps waking itself").len()), (0, 0));
}

/// A state machine that advances by its own writes, as in many operators.
#[tokio::test(start_paused = true)]
async fn a_dozen_steps_that_trigger_each_other_are_not_a_loop() {
    let world = embedded().await;
    create(&world, "a").await;
    let client = world.client.clone();
    let watched = Watched::run(controller_of(&world), move |document, number| {
        let (client, is_done) = (client.clone(), document.status.as_ref().is_some_and(|it| it.words >= 12));
        async move { if is_done { Ok(Action::await_change()) } else { write_the_time(client, document, number).await } }
    });
    tokio::time::sleep(Duration::from_secs(60)).await;
    let runs = watched.runs.lock().unwrap().clone();
    assert_eq!((runs.len(), watched.metrics.counts().loops), (13, 0));
    assert!(runs[12] - runs[0] < Duration::from_millis(100), "nor slowed down");
}
