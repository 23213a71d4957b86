//! Of several managers with one lease, one reconciles; the others stand by with warm stores.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::Client;
use pintle::api::{Api, Patch, PatchParams};
use pintle::manager::Manager;
use pintle::manager::error::BoxError;
use pintle::runtime::controller::Action;
use pintle::runtime::lease::{Candidate, Role};
use pintle::runtime::reflector::Store;
use pintle::testing::ServerExt;
use tokio::time::{Instant, sleep};

use super::{Arc, Log, Started, again, reconcile};
use crate::world::World;

/// A replica whose controller notes what it reconciles.
struct Replica {
    manager: Manager,
    store: Store<ConfigMap>,
    log: Log,
    started: Started,
}

fn manager(client: Client, world: &World, name: &str) -> Manager {
    let candidate = Candidate::new(client.clone(), world.namespace(), "boss").called(name);
    Manager::builder(client).candidate(candidate).build()
}

impl Replica {
    fn new(world: &World, name: &str) -> Self {
        let (manager, log) = (manager(world.client.clone(), world, name), Log::default());
        let maps = manager.controller(world.config_maps(), World::watching());
        let store = maps.store();
        manager.add_controller(maps.run(reconcile, again, Arc::new(log.clone())));
        Self { started: Started::new(&manager), manager, store, log }
    }

    fn role(&self) -> Role {
        self.manager.standing().unwrap().role()
    }
}

#[tokio::test(start_paused = true)]
async fn a_standby_is_warm_reconciles_nothing_and_takes_over_at_once_after_a_clean_stop() {
    let world = World::new();
    world.create_config_map("a").await;
    let first = Replica::new(&world, "first");
    world.until("the first leads", async || first.log.has("a")).await;
    let second = Replica::new(&world, "second");
    world.until("the second stands by", async || matches!(second.role(), Role::Standby { .. })).await;
    world.until("its store is warm", async || second.store.len() == 1).await;
    world.create_config_map("b").await;
    world.until("the first sees b", async || first.log.has("b")).await;
    world.until("the second sees it, too", async || second.store.len() == 2).await;
    world.pass(Duration::from_secs(60)).await;
    assert!(second.log.lines().is_empty(), "it stands by: {:?}", second.log.lines());
    assert!(second.manager.controllers()[0].readiness.is_ready(), "{}", second.manager.controllers()[0].readiness);
    assert_eq!(second.role().to_string(), "stands by: first leads");

    let start = Instant::now();
    first.started.stop().await.unwrap();
    world.until("the second has reconciled all", async || second.log.has("a") && second.log.has("b")).await;
    assert!(start.elapsed() < Duration::from_secs(6), "it waited {:?}", start.elapsed());
    second.started.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_dies_is_replaced_within_the_lease_time() {
    let world = World::embedded();
    world.create_config_map("a").await;
    let first = Replica::new(&world, "first");
    world.until("the first leads", async || first.log.has("a")).await;
    let second = Replica::new(&world, "second");
    sleep(Duration::from_secs(60)).await;
    let start = Instant::now();
    first.started.die().await;
    world.until("the second reconciles", async || second.log.has("a")).await;
    assert!(start.elapsed() < Duration::from_secs(25), "after {:?}", start.elapsed());
    second.started.stop().await.unwrap();
}

/// The first is cut off from the server while a reconcile of it runs, which is about to write.
#[tokio::test(start_paused = true)]
async fn a_lost_lease_cuts_reconciles_off_before_another_leads_and_it_stands_by_again() {
    let world = World::embedded();
    world.create_config_map("a").await;
    let log = Log::default();
    let first = manager(world.client.clone(), &world, "first");
    let api = world.config_maps();
    let slow = move |_: Arc<ConfigMap>, log: Arc<Log>| {
        let (api, guard) = (api.clone(), Dropped(log.clone()));
        async move {
            log.note("begun");
            sleep(Duration::from_secs(3600)).await;
            let data = serde_json::json!({"data": {"by": "first"}});
            api.patch("a", &PatchParams::default(), &Patch::Merge(data)).await?;
            drop(guard);
            Ok::<_, pintle::Error>(Action::await_change())
        }
    };
    let maps = first.controller(world.config_maps(), World::watching());
    let metrics = maps.metrics();
    first.add_controller(maps.run(slow, again, Arc::new(log.clone())));
    let first_started = Started::new(&first);
    world.until("it works", async || log.has("begun")).await;

    let other = world.server().client();
    let second = manager(other.clone(), &world, "second");
    let begun = Log::default();
    let maps = second.controller(Api::<ConfigMap>::default_namespaced(other), World::watching());
    second.add_controller(maps.run(reconcile, again, Arc::new(begun.clone())));
    let second_started = Started::new(&second);
    sleep(Duration::from_secs(30)).await;

    let (down, start) = (world.without_server(), Instant::now());
    world.until("its reconcile is cut off", async || log.has("dropped")).await;
    let cut_after = start.elapsed();
    assert!(cut_after <= Duration::from_secs(11), "after {cut_after:?}");
    assert!(begun.lines().is_empty(), "no other leads yet");
    world.until("the second reconciles", async || begun.has("a")).await;
    assert!(start.elapsed() >= cut_after + Duration::from_secs(2), "{cut_after:?}, then {:?}", start.elapsed());
    drop(down);
    world.until("the first stands by", async || matches!(first.standing().unwrap().role(), Role::Standby { .. })).await;
    sleep(Duration::from_secs(7200)).await;
    assert_eq!((log.count("begun"), metrics.counts().running), (1, 0), "it does not go on");
    second_started.stop().await.unwrap();
    world.until("the first leads again and looks at everything", async || log.count("begun") == 2).await;
    first_started.die().await;
}

/// Notes that it was dropped.
struct Dropped(Arc<Log>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

/// Its lease is stolen while the reconciler, which looks at no clock, writes on and on.
#[tokio::test(start_paused = true)]
async fn no_write_leaves_after_the_lease_was_lost() {
    let world = World::embedded();
    world.create_config_map("a").await;
    let (first, log) = (manager(world.client.clone(), &world, "first"), Log::default());
    let api = world.config_maps();
    let busy = move |_: Arc<ConfigMap>, log: Arc<Log>| {
        let api = api.clone();
        async move {
            for turn in 0.. {
                let data = serde_json::json!({"data": {"turn": turn.to_string()}});
                api.patch("a", &PatchParams::default(), &Patch::Merge(data)).await?;
                log.note("written");
                sleep(Duration::from_millis(100)).await;
            }
            Ok::<_, pintle::Error>(Action::await_change())
        }
    };
    let maps = first.controller(world.config_maps(), World::watching());
    first.add_controller(maps.run(busy, again, Arc::new(log.clone())));
    let started = Started::new(&first);
    world.until("it writes", async || log.count("written") > 20).await;
    let steal = serde_json::json!({"spec": {"holderIdentity": "thief"}});
    let leases: Api<Lease> = Api::default_namespaced(world.server().client());
    leases.patch("boss", &PatchParams::default(), &Patch::Merge(steal)).await.unwrap();
    let is_thief = async || matches!(first.standing().unwrap().role(), Role::Standby { .. });
    world.until("it stands by", is_thief).await;
    let written = log.count("written");
    sleep(Duration::from_secs(5)).await;
    assert_eq!(log.count("written"), written);
    started.die().await;
}

#[tokio::test(start_paused = true)]
async fn controllers_without_leader_run_on_every_replica_and_runnables_of_the_leader_on_one() {
    let world = World::new();
    world.create_config_map("a").await;
    let replica = |name: &'static str, log: &Log| {
        let manager = manager(world.client.clone(), &world, name);
        let maps = manager.controller(world.config_maps(), World::watching()).without_leader();
        manager.add_controller(maps.run(reconcile, again, Arc::new(log.clone())));
        let noted = log.clone();
        manager.add_leader("the cleaner", move |leading| {
            let log = noted.clone();
            async move {
                log.note(format!("leads in term {}", leading.unwrap().term));
                std::future::pending::<Result<(), BoxError>>().await
            }
        });
        Started::new(&manager)
    };
    let (one, other) = (Log::default(), Log::default());
    let first = replica("first", &one);
    world.until("the first leads", async || one.has("leads in term 0") && one.has("a")).await;
    let second = replica("second", &other);
    world.until("the second reconciles at once", async || other.has("a")).await;
    assert!(!other.has("leads in term 1"));
    first.stop().await.unwrap();
    world.until("the second leads", async || other.has("leads in term 1")).await;
    second.stop().await.unwrap();
}
