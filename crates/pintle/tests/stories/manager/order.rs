//! What starts and stops when, and what a failure means.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::manager::error::BoxError;
use pintle::manager::stage::START_ORDER;
use pintle::manager::{Error, Manager, Runnable, Stage};
use pintle::runtime::controller::Action;
use pintle::runtime::utils::Backoff;
use tokio::time::{Instant, sleep};

use super::{Arc, Log, Started, again, reconcile};
use crate::world::World;

/// Notes when it starts and stops; stopping takes a second.
fn noting(stage: Stage, log: &Log) -> Runnable {
    let (log, name) = (log.clone(), stage.to_string());
    let begun = log.clone();
    let ready = async move { begun.note("waited for") };
    let runnable = Runnable::new(&name.clone(), stage, move |stop| async move {
        log.note(format!("{name} start"));
        stop.requested().await;
        sleep(Duration::from_secs(1)).await;
        log.note(format!("{name} stop"));
        Ok::<_, BoxError>(())
    });
    if stage == Stage::Servers { runnable.ready_when(ready) } else { runnable }
}

#[tokio::test(start_paused = true)]
async fn stages_start_in_their_order_and_stop_in_reverse() {
    let (world, log) = (World::new(), Log::default());
    let manager = Manager::builder(world.client.clone()).build();
    for stage in START_ORDER.into_iter().rev() {
        manager.add_runnable(noting(stage, &log));
    }
    let started = Started::new(&manager);
    world.until("all have started", async || log.has("controllers start")).await;
    started.stop().await.unwrap();
    let names: Vec<_> = START_ORDER.iter().map(ToString::to_string).collect();
    let mut expected: Vec<_> = names.iter().map(|name| format!("{name} start")).collect();
    expected.extend(names.iter().rev().map(|name| format!("{name} stop")));
    let lines: Vec<_> = log.lines().into_iter().filter(|line| line != "waited for").collect();
    assert_eq!(lines, expected);
    assert!(log.has("waited for"));
}

#[tokio::test(start_paused = true)]
async fn a_runnable_that_fails_or_panics_stops_everything_and_is_named() {
    let world = World::new();
    for (panics, expected) in [
        (false, "the importer failed, so the manager stopped: no more disk"),
        (true, "the importer panicked, so the manager stopped: no more disk"),
    ] {
        let log = Log::default();
        let manager = Manager::builder(world.client.clone()).runnable(noting(Stage::Servers, &log)).build();
        manager.add("the importer", async move {
            sleep(Duration::from_secs(5)).await;
            assert!(!panics, "no more disk");
            Err("no more disk")
        });
        let error = manager.run_until(std::future::pending()).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(log.has("servers stop"), "others stop in their order");
    }
}

#[tokio::test(start_paused = true)]
async fn what_does_not_stop_in_time_is_dropped_and_named() {
    let world = World::new();
    let log = Log::default();
    let builder = Manager::builder(world.client.clone()).graceful_shutdown_timeout(Duration::from_secs(10));
    let manager = builder.runnable(noting(Stage::Servers, &log)).build();
    let stubborn = |_| async { std::future::pending::<Result<(), BoxError>>().await };
    manager.add_runnable(Runnable::new("the stubborn one", Stage::Runnables, stubborn));
    let start = Instant::now();
    let error = manager.run_until(sleep(Duration::from_secs(1))).await.unwrap_err();
    assert!(start.elapsed() >= Duration::from_secs(9) && start.elapsed() <= Duration::from_secs(11));
    assert!(log.has("servers stop"), "the last ones have time of their own");
    let text = "the stubborn one did not stop within 10 s and was dropped";
    assert!(matches!(error, Error::NotStopped { .. }) && error.to_string() == text, "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_hung_reconcile_is_cut_off_in_time_for_the_rest_to_stop() {
    let world = World::new();
    world.create_config_map("a").await;
    let log = Log::default();
    let builder = Manager::builder(world.client.clone()).graceful_shutdown_timeout(Duration::from_secs(10));
    let manager = builder.runnable(noting(Stage::Servers, &log)).build();
    let hang = |_: Arc<ConfigMap>, log: Arc<Log>| async move {
        log.note("begun");
        std::future::pending::<Result<Action, pintle::Error>>().await
    };
    let maps = manager.controller(world.config_maps(), World::watching());
    manager.add_controller(maps.run(hang, again, Arc::new(log.clone())));
    let started = Started::new(&manager);
    world.until("it hangs", async || log.has("begun")).await;
    let start = Instant::now();
    started.stop().await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(11), "after {:?}", start.elapsed());
    assert!(log.has("servers stop"));
}

#[tokio::test(start_paused = true)]
async fn runnables_and_controllers_are_added_while_it_runs() {
    let world = World::new();
    let (manager, log) = (Manager::builder(world.client.clone()).build(), Log::default());
    let started = Started::new(&manager);
    sleep(Duration::from_secs(5)).await;
    let noted = log.clone();
    manager.add("later", async move {
        noted.note("later");
        Ok::<_, BoxError>(())
    });
    world.create_config_map("a").await;
    let maps = manager.controller(world.config_maps(), World::watching());
    manager.add_controller(maps.run(reconcile, again, Arc::new(log.clone())));
    world.until("both have run", async || log.has("later") && log.has("a")).await;
    assert_eq!(manager.controllers().iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["configmap"]);
    assert!(manager.controllers()[0].readiness.is_ready());
    started.stop().await.unwrap();
    let again = manager.run_until(std::future::ready(())).await.unwrap_err();
    assert!(matches!(again, Error::AlreadyRun), "{again}");
}

#[tokio::test(start_paused = true)]
async fn a_controller_whose_watches_gave_up_ends_the_manager_and_is_named() {
    let world = World::new();
    let (manager, log) = (Manager::builder(world.client.clone()).build(), Log::default());
    let _down = world.without_server();
    let maps = manager.controller(world.config_maps(), World::watching());
    let maps = maps.trigger_backoff(GivesUp);
    manager.add_controller(maps.run(reconcile, again, Arc::new(log)));
    let error = manager.run_until(std::future::pending()).await.unwrap_err();
    let text = "a controller failed, so the manager stopped: the stream of configmap has ended: its watches gave up";
    assert_eq!(error.to_string(), text);
}

/// Waits for nothing.
struct GivesUp;

impl Iterator for GivesUp {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        None
    }
}

impl Backoff for GivesUp {
    fn reset(&mut self) {}
}
