//! `sharding::Shards`: several copies of a program share the objects of its controllers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Patch, PatchParams};
use pintle::manager::Manager;
use pintle::manager::health::Probe;
use pintle::manager::metrics::Format;
use pintle::runtime::controller::{Action, Controller};
use pintle::runtime::lease::Terms;
use pintle::runtime::sharding::{ShardBy, Shards, Share};
use pintle::testing::{Fault, Requests, ServerExt};
use pintle::{Api, Client, ResourceExt};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::world::World;
use crate::world::log::Log;

/// What all replicas do, and that no two of them do it to one object at once.
#[derive(Default)]
struct Record {
    /// Which replica works on an object now.
    running: BTreeMap<String, String>,
    /// Which replica worked on it last, and how often that has changed.
    last: BTreeMap<String, (String, usize)>,
    begun: usize,
}

impl Record {
    fn begin(&mut self, object: &str, replica: &str) {
        let other = self.running.insert(object.to_owned(), replica.to_owned());
        assert_eq!(other, None, "{object} is reconciled by two at once, the other is {replica}");
        let (last, moves) = self.last.entry(object.to_owned()).or_default();
        if last != replica {
            (*last, *moves) = (replica.to_owned(), *moves + 1);
        }
        self.begun += 1;
    }

    fn of(&self, replica: &str) -> BTreeSet<String> {
        self.last.iter().filter(|(_, (last, _))| last == replica).map(|(object, _)| object.clone()).collect()
    }
}

/// Notes when a reconcile ends, also if it is cut off.
struct Running {
    record: Arc<Mutex<Record>>,
    object: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(mut record) = self.record.lock() {
            record.running.remove(&self.object);
        }
    }
}

struct Context {
    record: Arc<Mutex<Record>>,
    replica: String,
    takes: Duration,
}

async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, pintle::Error> {
    let object = map.name_any();
    context.record.lock().unwrap().begin(&object, &context.replica);
    let _running = Running { record: Arc::clone(&context.record), object };
    sleep(context.takes).await;
    Ok(Action::requeue(Duration::from_secs(20)))
}

fn again(_: Arc<ConfigMap>, _: &pintle::Error, _: Arc<Context>) -> Action {
    Action::backoff()
}

/// A replica that runs until it is stopped, or killed by aborting it.
struct Replica {
    shards: Shards,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl Replica {
    fn start(client: Client, namespace: &str, name: &str, record: &Arc<Mutex<Record>>, takes: Duration) -> Self {
        Self::with(Shards::new(client.clone(), namespace, "web").called(name), client, record, takes)
    }

    fn with(shards: Shards, client: Client, record: &Arc<Mutex<Record>>, takes: Duration) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let context = Context { record: Arc::clone(record), replica: shards.identity().to_owned(), takes };
        let work = Controller::new(Api::<ConfigMap>::default_namespaced(client), World::watching())
            .permitted_by(&shards.permits())
            .graceful_shutdown_on(async move { drop(stopped.await) })
            .run(reconcile, again, Arc::new(context))
            .for_each(|_| std::future::ready(()));
        let joined = shards.clone();
        let running = tokio::spawn(async move { joined.join(work).await });
        Self { shards, stop, running }
    }

    fn share(&self) -> Share {
        self.shards.share()
    }
}

/// Waits until these replicas have everything between them.
async fn shared(world: &World, replicas: &[&Replica]) {
    world
        .until("everything is shared", async || {
            let shares: Vec<Share> = replicas.iter().map(|replica| replica.share()).collect();
            let is_known = shares.iter().all(|share| share.replicas == replicas.len() && share.draining == 0);
            is_known && shares.iter().map(|share| share.slots).sum::<usize>() == Share::SLOTS
        })
        .await;
}

async fn world_of(count: usize) -> (World, Arc<Mutex<Record>>) {
    let world = World::new();
    for number in 0..count {
        world.create_config_map(&format!("map-{number}")).await;
    }
    (world, Arc::default())
}

async fn all_reconciled(world: &World, record: &Mutex<Record>, count: usize) {
    world.until("every object is reconciled", async || record.lock().unwrap().last.len() == count).await;
}

#[tokio::test(start_paused = true)]
async fn replicas_share_the_objects_and_only_what_must_move_moves() {
    let count = 60;
    let (world, record) = world_of(count).await;
    let start =
        |name| Replica::start(world.client.clone(), world.namespace(), name, &record, Duration::from_millis(10));
    let first = start("first");
    shared(&world, &[&first]).await;
    all_reconciled(&world, &record, count).await;
    assert_eq!(record.lock().unwrap().of("first").len(), count, "one replica does everything");

    let second = start("second");
    shared(&world, &[&first, &second]).await;
    world.until("both work", async || !record.lock().unwrap().of("second").is_empty()).await;
    world.pass(Duration::from_secs(60)).await;
    let [of_first, of_second] = ["first", "second"].map(|replica| record.lock().unwrap().of(replica));
    assert_eq!(of_first.len() + of_second.len(), count);
    assert!(of_first.len() > 10 && of_second.len() > 10, "{of_first:?} and {of_second:?}");

    let third = start("third");
    shared(&world, &[&first, &second, &third]).await;
    world.pass(Duration::from_secs(60)).await;
    for (replica, before) in [("first", of_first), ("second", of_second)] {
        let now = record.lock().unwrap().of(replica);
        assert!(now.is_subset(&before), "{replica} got {now:?} and had {before:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_stops_hands_over_at_once_and_leaves_no_lease() {
    let (world, record) = world_of(20).await;
    let start =
        |name| Replica::start(world.client.clone(), world.namespace(), name, &record, Duration::from_millis(300));
    let (first, second) = (start("first"), start("second"));
    shared(&world, &[&first, &second]).await;
    let begun = Instant::now();
    first.stop.send(()).unwrap();
    first.running.await.unwrap();
    shared(&world, &[&second]).await;
    assert!(begun.elapsed() < Duration::from_secs(5), "it took {:?}, as if the lease had to run out", begun.elapsed());
    let leases: Api<Lease> = Api::default_namespaced(world.client.clone());
    let names = leases.list(&Default::default()).await.unwrap().items.len();
    assert_eq!(names, 1);
    assert_eq!(first.shards.share(), Share::default());
}

/// As when it stops while a renewal is on its way.
#[tokio::test(start_paused = true)]
async fn a_replica_that_stops_hands_over_at_once_though_a_renewal_was_not_answered() {
    let world = World::embedded();
    let record = Arc::default();
    let start =
        |name, client: Client| Replica::start(client, world.namespace(), name, &record, Duration::from_millis(10));
    let (first, second) = (start("first", world.client.clone()), start("second", world.server().client()));
    shared(&world, &[&first, &second]).await;
    let lease = lease_of(&world, "first").await.name_any();
    world.server().fault(Requests::updates().of("leases").named(lease).times(1), Fault::LostResponse);
    next_renewal(&world, "first").await;
    first.stop.send(()).unwrap();
    first.running.await.unwrap();
    let begun = Instant::now();
    shared(&world, &[&second]).await;
    assert!(begun.elapsed() < Duration::from_millis(500), "it took {:?}", begun.elapsed());
}

/// The bound: the duration of its Lease after the last renewal, which the others have seen at once, and the time of three
/// calls: they read the Leases, claim what is free, and read them again.
#[tokio::test(start_paused = true)]
async fn a_replica_that_dies_is_replaced_at_the_moment_when_its_claims_run_out() {
    for died in [0, 1, 700, 1900] {
        let world = World::embedded();
        for number in 0..20 {
            world.create_config_map(&format!("map-{number}")).await;
        }
        let record = Arc::default();
        let start =
            |name| Replica::start(world.client.clone(), world.namespace(), name, &record, Duration::from_millis(10));
        let (first, second) = (start("first"), start("second"));
        shared(&world, &[&first, &second]).await;
        let renewed = next_renewal(&world, "first").await;
        sleep(Duration::from_millis(died)).await;
        first.running.abort();
        shared(&world, &[&second]).await;
        let after = renewed.elapsed();
        let bound = Duration::from_secs(15)..Duration::from_millis(15_100);
        assert!(bound.contains(&after), "{after:?} after the last renewal, {died} ms after which it died");
        all_reconciled(&world, &record, 20).await;
    }
}

/// Waits until the Lease of `replica` is renewed, and returns when that was.
async fn next_renewal(world: &World, replica: &str) -> Instant {
    let version = async || lease_of(world, replica).await.resource_version();
    let before = version().await;
    while version().await == before {
        sleep(Duration::from_millis(1)).await;
    }
    Instant::now()
}

async fn lease_of(world: &World, replica: &str) -> Lease {
    let leases: Api<Lease> = Api::default_namespaced(world.client.clone());
    let list = leases.list(&Default::default()).await.unwrap();
    let is_meant = |lease: &Lease| lease.spec.as_ref().unwrap().holder_identity.as_deref() == Some(replica);
    list.into_iter().find(is_meant).expect("it has a Lease")
}

/// Its reconciles take an hour; they are cut off when its claims run out, and before others begin.
#[tokio::test(start_paused = true)]
async fn a_replica_that_is_cut_off_from_the_server_stops_before_others_take_over() {
    let world = World::embedded();
    for number in 0..20 {
        world.create_config_map(&format!("map-{number}")).await;
    }
    let record: Arc<Mutex<Record>> = Arc::default();
    let hour = Duration::from_secs(3600);
    let first = Replica::start(world.client.clone(), world.namespace(), "first", &record, hour);
    shared(&world, &[&first]).await;
    world.until("it works", async || !record.lock().unwrap().running.is_empty()).await;
    let _down = world.without_server();
    let other = world.server().client();
    let second = Replica::start(other, world.namespace(), "second", &record, Duration::from_millis(10));
    all_reconciled(&world, &record, 20).await;
    world.until("the other has everything", async || second.share().slots == Share::SLOTS).await;
    assert!(first.share().error.is_some_and(|error| !error.is_empty()) && first.share().slots == 0);
}

#[tokio::test(start_paused = true)]
async fn an_object_moves_only_when_its_reconcile_has_ended() {
    let (world, record) = world_of(20).await;
    let start = |name, takes| Replica::start(world.client.clone(), world.namespace(), name, &record, takes);
    let first = start("first", Duration::from_secs(8));
    world.until("it works", async || record.lock().unwrap().running.len() == 16).await;
    let second = start("second", Duration::from_millis(10));
    // The record would notice if an object were reconciled by both.
    shared(&world, &[&first, &second]).await;
    world.until("the other works", async || !record.lock().unwrap().of("second").is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_that_never_ends_is_cut_off_so_that_its_object_can_move() {
    let world = World::embedded();
    for number in 0..20 {
        world.create_config_map(&format!("map-{number}")).await;
    }
    let (record, hour): (Arc<Mutex<Record>>, _) = (Arc::default(), Duration::from_secs(3600));
    let first = Replica::start(world.client.clone(), world.namespace(), "first", &record, hour);
    world.until("it works", async || record.lock().unwrap().running.len() == 16).await;
    let begun = Instant::now();
    let second = Replica::start(world.client.clone(), world.namespace(), "second", &record, Duration::from_millis(10));
    shared(&world, &[&first, &second]).await;
    let after = begun.elapsed();
    assert!(after >= Duration::from_secs(29) && after < Duration::from_secs(40), "after {after:?}");
}

#[tokio::test(start_paused = true)]
async fn by_namespace_everything_of_a_namespace_has_one_replica() {
    let (world, record) = world_of(20).await;
    let start = |name| {
        let shards = Shards::new(world.client.clone(), world.namespace(), "web").called(name).by(ShardBy::Namespace);
        Replica::with(shards, world.client.clone(), &record, Duration::from_millis(10))
    };
    let (first, second) = (start("first"), start("second"));
    shared(&world, &[&first, &second]).await;
    record.lock().unwrap().last.clear();
    all_reconciled(&world, &record, 20).await;
    let owners: BTreeSet<String> = record.lock().unwrap().last.values().map(|(replica, _)| replica.clone()).collect();
    assert_eq!(owners.len(), 1, "{owners:?}");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_was_deleted_is_made_again_and_nothing_is_done_twice() {
    let (world, record) = world_of(20).await;
    let start =
        |name| Replica::start(world.client.clone(), world.namespace(), name, &record, Duration::from_millis(10));
    let (first, second) = (start("first"), start("second"));
    shared(&world, &[&first, &second]).await;
    let leases: Api<Lease> = Api::default_namespaced(world.client.clone());
    leases.delete(&lease_of(&world, "first").await.name_any(), &Default::default()).await.unwrap();
    world.pass(Duration::from_secs(5)).await;
    shared(&world, &[&first, &second]).await;
}

#[tokio::test(start_paused = true)]
async fn a_missing_permission_is_logged_once_with_the_role_it_needs() {
    let world = World::embedded();
    let record: Arc<Mutex<Record>> = Arc::default();
    let log = Log::catch();
    world.server().fault(Requests::all().of("leases"), Fault::forbidden());
    let replica = Replica::start(world.client.clone(), world.namespace(), "first", &record, Duration::from_millis(10));
    world.until("it shows", async || replica.share().error.is_some()).await;
    sleep(Duration::from_secs(30)).await;
    let lines = log.lines_with("the Leases of the shards web could not be listed");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("leases"), "{lines:?}");
}

/// Replicas come, go, die and lose the server for a while, and objects change all the time.
#[tokio::test(start_paused = true)]
async fn nothing_is_reconciled_by_two_and_nothing_is_forgotten_while_replicas_come_and_go() {
    let terms = Terms::new(Duration::from_secs(3), Duration::from_secs(2), Duration::from_millis(500)).unwrap();
    for seed in 0..3 {
        let mut random = fastrand::Rng::with_seed(seed);
        let world = World::embedded();
        for number in 0..30 {
            world.create_config_map(&format!("map-{number}")).await;
        }
        let record: Arc<Mutex<Record>> = Arc::default();
        let mut replicas: Vec<Replica> = Vec::new();
        for step in 0..40 {
            match random.u32(..10) {
                0..4 if replicas.len() < 4 => {
                    let name = format!("replica-{step}");
                    let shards = Shards::new(world.client.clone(), world.namespace(), "web");
                    let takes = Duration::from_millis(random.u64(1..400));
                    let shards = shards.called(&name).with_terms(terms);
                    replicas.push(Replica::with(shards, world.client.clone(), &record, takes));
                }
                4 if replicas.len() > 1 => {
                    let at = random.usize(..replicas.len());
                    replicas.remove(at).running.abort();
                }
                5 if replicas.len() > 1 => {
                    let at = random.usize(..replicas.len());
                    replicas.remove(at).stop.send(()).unwrap();
                }
                6 => {
                    let down = world.without_server();
                    sleep(Duration::from_millis(random.u64(100..4000))).await;
                    drop(down);
                }
                7 => world.cut_watches(),
                _ => {
                    let name = format!("map-{}", random.u32(..30));
                    let patch = serde_json::json!({"data": {"step": step.to_string()}});
                    let maps = world.config_maps();
                    maps.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
                }
            }
            sleep(Duration::from_millis(random.u64(50..1500))).await;
        }
        let living: Vec<&Replica> = replicas.iter().collect();
        if living.is_empty() {
            continue;
        }
        shared(&world, &living).await;
        record.lock().unwrap().last.clear();
        all_reconciled(&world, &record, 30).await;
    }
}

#[tokio::test(start_paused = true)]
async fn managers_share_the_objects_of_all_their_controllers_and_say_so() {
    let (world, record) = world_of(20).await;
    let start = |name: &str| {
        let shards = Shards::new(world.client.clone(), world.namespace(), "web").called(name);
        let manager = Manager::builder(world.client.clone()).sharded_by(shards).build();
        let context =
            Context { record: Arc::clone(&record), replica: name.to_owned(), takes: Duration::from_millis(10) };
        let controller = manager.controller(world.config_maps(), World::watching());
        manager.add_controller(controller.run(reconcile, again, Arc::new(context)));
        let (stop, stopped) = oneshot::channel::<()>();
        let running = manager.clone();
        let running = tokio::spawn(async move { running.run_until(async move { drop(stopped.await) }).await });
        (manager, stop, running)
    };
    let ((first, stop, running), (second, _stop, _running)) = (start("first"), start("second"));
    let share = |manager: &Manager| {
        let checks = manager.health().look(Probe::Ready);
        checks
            .iter()
            .find(|check| check.name == "shards")
            .map(|check| format!("{:?}", check.result))
            .unwrap_or_default()
    };
    world
        .until("both take part", async || share(&first).contains("one of 2") && share(&second).contains("one of 2"))
        .await;
    record.lock().unwrap().last.clear();
    all_reconciled(&world, &record, 20).await;
    let [of_first, of_second] = ["first", "second"].map(|replica| record.lock().unwrap().of(replica).len());
    assert!(of_first > 0 && of_second > 0, "{of_first} and {of_second}");
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    world.until("the other does it all", async || share(&second).contains("1024 of 1024 slots")).await;
    let page = second.metrics().encode(Format::Classic);
    assert!(page.contains("pintle_shard_slots{name=\"web\"} 1024"), "{page}");
}
