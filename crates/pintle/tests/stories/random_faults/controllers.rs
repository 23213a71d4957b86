//! One schedule of a controller that keeps a secret for every config map and is restarted now and then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, DeleteParams, ListParams, ObjectMeta, PostParams};
use pintle::runtime::controller::{Action, Controller, Failure, Handlers, Metrics};
use pintle::runtime::reflector::Store;
use pintle::runtime::watcher;
use pintle::testing::{Fault, Requests, Server, ServerExt};
use pintle::{Client, Error, Resource, ResourceExt};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::planted_bugs::PlantedBug;
use super::{Entries, Occurrences, Outcome, SETTLES_WITHIN, add_faults, config, difference, repair, write};

/// The name under which restarts of the controller are counted.
pub(super) const RESTART: &str = "controller restarted";
/// The name under which deleted children are counted.
pub(super) const CHILD_DELETED: &str = "child deleted";
/// The delay before a retry: within the 0 to 20 s between two writes, so that many retries fall between them.
const AGAIN: Duration = Duration::from_secs(5);

pub(super) async fn run(seed: u64, bug: Option<PlantedBug>) -> Outcome {
    let mut random = fastrand::Rng::with_seed(seed);
    // The jitter of backoffs comes from this thread's random numbers, and a story's runtime has no other thread.
    fastrand::seed(seed);
    let server = Server::builder().seed(seed).namespace_defaults(false).build();
    add_faults(&server, &mut random, Entries::Packed);
    add_write_faults(&server, &mut random);
    let mut occurrences = Occurrences::default();
    let mut running = RunningController::start(&server, config(&mut random), bug);
    for _ in 0..random.usize(5..25) {
        match random.u8(0..8) {
            0 => {
                running.verdict()?;
                running = RunningController::start(&server, config(&mut random), bug);
                occurrences.note(Some(RESTART));
            }
            1 | 2 => occurrences.note(delete_a_secret(&server, &mut random).await),
            _ => occurrences.note(write(&server, &mut random).await),
        }
        sleep(Duration::from_millis(random.u64(0..20_000))).await;
    }
    server.lift_faults();
    running.settles(&server).await?;
    occurrences.note(delete_a_secret(&server, &mut random).await);
    running.settles(&server).await?;
    running.verdict()?;
    Ok(occurrences.with(&server))
}

/// Writes of the reconciler are refused, lost, or executed without a response.
fn add_write_faults(server: &Server, random: &mut fastrand::Rng) {
    let writes = Requests::writes().of("secrets").within("default");
    for fault in [
        Fault::unavailable(None),
        Fault::internal_error(),
        Fault::conflict(),
        Fault::timeout(),
        Fault::LostRequest,
        Fault::LostResponse,
    ] {
        server.fault(writes.clone().with_chance(random.f64() * 0.25), fault);
    }
}

/// Deletes a child without its owner's doing; counted if it existed.
async fn delete_a_secret(server: &Server, random: &mut fastrand::Rng) -> Option<&'static str> {
    let secrets: Api<Secret> = Api::default_namespaced(server.client());
    let name = ["a", "b", "c", "d"][random.usize(0..4)];
    secrets.delete(name, &DeleteParams::default()).await.ok().map(|_| CHILD_DELETED)
}

/// A running controller, and what is known about its work.
struct RunningController {
    record: Arc<Record>,
    store: Store<ConfigMap>,
    metrics: Metrics,
    running: JoinHandle<()>,
}

/// What the controller has done.
struct Record {
    client: Client,
    bug: Option<PlantedBug>,
    /// The objects that are being reconciled.
    running: Mutex<BTreeSet<String>>,
    /// The objects that were reconciled and whose delete was not handled since.
    alive: Mutex<BTreeSet<String>>,
    wrong: Mutex<Option<String>>,
}

impl RunningController {
    fn start(server: &Server, config: watcher::Config, bug: Option<PlantedBug>) -> Self {
        let client = server.client();
        let record = Arc::new(Record {
            client: client.clone(),
            bug,
            running: Mutex::default(),
            alive: Mutex::default(),
            wrong: Mutex::default(),
        });
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        let secrets: Api<Secret> = Api::default_namespaced(client);
        let mut controller = Controller::new(maps, config.clone());
        if bug != Some(PlantedBug::OwnerNotWoken) {
            controller = controller.owns(secrets, config);
        }
        let (store, metrics) = (controller.store(), controller.metrics());
        let handlers = Handlers::new(reconcile).on_delete(deleted).on_error(failed);
        let running = controller.run_with(handlers, Arc::clone(&record)).for_each(|_| async {});
        Self { record, store, metrics, running: tokio::spawn(running) }
    }

    /// Waits until everything is done; says what is not.
    async fn settles(&self, server: &Server) -> Result<(), String> {
        let start = Instant::now();
        while let Some(wrong) = self.undone(server).await {
            if start.elapsed() > SETTLES_WITHIN {
                return Err(wrong);
            }
            repair(&self.store, server).await;
            sleep(Duration::from_secs(1)).await;
        }
        Ok(())
    }

    async fn undone(&self, server: &Server) -> Option<String> {
        if let Some(wrong) = difference(&self.store, server).await {
            return Some(wrong);
        }
        let maps = Api::<ConfigMap>::all(server.client()).list(&ListParams::default()).await.unwrap();
        let secrets = Api::<Secret>::all(server.client()).list(&ListParams::default()).await.unwrap();
        let wanted: BTreeMap<_, _> = maps.iter().map(|map| (map.name_any(), content(map))).collect();
        let made: BTreeMap<_, _> = secrets.iter().map(|it| (it.name_any(), it.data.clone())).collect();
        if wanted != made {
            return Some(format!("secrets of {:?}, not of {:?}, or older ones", made.keys(), wanted.keys()));
        }
        let alive = self.record.alive.lock().unwrap();
        (!alive.iter().eq(wanted.keys()))
            .then(|| format!("{alive:?} were reconciled and not deleted, {:?} exist", wanted.keys()))
    }

    /// What went wrong meanwhile.
    fn verdict(&self) -> Result<(), String> {
        let loops = self.metrics.loops();
        if !loops.is_empty() {
            return Err(format!("taken for loops: {loops:?}"));
        }
        self.record.wrong.lock().unwrap().take().map_or(Ok(()), Err)
    }
}

impl Drop for RunningController {
    fn drop(&mut self) {
        self.running.abort();
    }
}

async fn reconcile(map: Arc<ConfigMap>, record: Arc<Record>) -> Result<Action, Error> {
    if record.bug == Some(PlantedBug::TwiceAtOnce) {
        let (one, other) = futures::join!(work(&map, &record), work(&map, &record));
        return one.and(other);
    }
    work(&map, &record).await
}

async fn work(map: &ConfigMap, record: &Record) -> Result<Action, Error> {
    let name = map.name_any();
    let _turn = record.turn(&name);
    sleep(Duration::from_millis(100)).await;
    let outcome = keep_secret(map, &record.client).await;
    // Both ways to be called again: an error and a requeue.
    match outcome {
        Ok(()) => {
            record.alive.lock().unwrap().insert(name);
            Ok(Action::await_change())
        }
        Err(error) if name.as_str() < "c" => Err(error),
        Err(_) if record.bug == Some(PlantedBug::LostRequeue) => Ok(Action::await_change()),
        Err(_) => Ok(Action::requeue(AGAIN)),
    }
}

async fn deleted(map: Arc<ConfigMap>, record: Arc<Record>) -> Result<Action, Error> {
    let _turn = record.turn(&map.name_any());
    if record.bug != Some(PlantedBug::UnhandledDelete) {
        record.alive.lock().unwrap().remove(&map.name_any());
    }
    Ok(Action::await_change())
}

async fn failed(_: Failure<'_, ConfigMap, Error>, record: Arc<Record>) -> Action {
    if record.bug == Some(PlantedBug::LostRetry) { Action::await_change() } else { Action::requeue(AGAIN) }
}

async fn keep_secret(map: &ConfigMap, client: &Client) -> Result<(), Error> {
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let wanted = Secret {
        metadata: ObjectMeta {
            name: map.metadata.name.clone(),
            owner_references: Some(map.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        data: content(map),
        ..Secret::default()
    };
    match secrets.get_opt(&map.name_any()).await? {
        None => drop(secrets.create(&PostParams::default(), &wanted).await?),
        Some(found) if found.data != wanted.data || found.owner_references() != wanted.owner_references() => {
            let mut changed = wanted;
            changed.metadata.resource_version = found.resource_version();
            secrets.replace(&map.name_any(), &PostParams::default(), &changed).await?;
        }
        Some(_) => {}
    }
    Ok(())
}

fn content(map: &ConfigMap) -> Option<BTreeMap<String, k8s_openapi::ByteString>> {
    let bytes = |value: &String| k8s_openapi::ByteString(value.clone().into_bytes());
    Some(map.data.as_ref()?.iter().map(|(key, value)| (key.clone(), bytes(value))).collect())
}

impl Record {
    /// Records that `name` is being reconciled, and an error if it already is.
    fn turn(&self, name: &str) -> impl Drop + use<'_> {
        struct Turn<'a>(&'a Record, String);
        impl Drop for Turn<'_> {
            fn drop(&mut self) {
                self.0.running.lock().unwrap().remove(&self.1);
            }
        }
        if !self.running.lock().unwrap().insert(name.to_owned()) {
            self.wrong.lock().unwrap().get_or_insert(format!("{name} was reconciled twice at once"));
        }
        Turn(self, name.to_owned())
    }
}
