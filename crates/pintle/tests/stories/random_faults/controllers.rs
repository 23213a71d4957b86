//! One schedule of a controller that keeps a secret for every config map, and is started anew now and then.

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

use super::planted_bugs::Plant;
use super::{Entries, Happened, Outcome, SETTLES_WITHIN, config, is_untrue, make_trouble, mend, write};

/// What a restart of the controller is counted as.
pub(super) const RESTART: &str = "controller restarted";
/// What a child that somebody deleted is counted as.
pub(super) const CHILD_DELETED: &str = "child deleted";
/// How long after a failure it is tried again.
const AGAIN: Duration = Duration::from_secs(5);

pub(super) async fn play(seed: u64, plant: Option<Plant>) -> Outcome {
    let mut random = fastrand::Rng::with_seed(seed);
    // The jitter of backoffs is drawn from this thread's chances, and the runtime of a story has no other thread.
    fastrand::seed(seed);
    let server = Server::builder().seed(seed).namespace_defaults(false).build();
    make_trouble(&server, &mut random, Entries::Packed);
    make_writes_fail(&server, &mut random);
    let mut happened = Happened::default();
    let mut ship = Ship::launch(&server, config(&mut random), plant);
    for _ in 0..random.usize(5..25) {
        match random.u8(0..8) {
            0 => {
                ship.verdict()?;
                ship = Ship::launch(&server, config(&mut random), plant);
                happened.note(Some(RESTART));
            }
            1 | 2 => happened.note(take_a_secret(&server, &mut random).await),
            _ => happened.note(write(&server, &mut random).await),
        }
        sleep(Duration::from_millis(random.u64(0..20_000))).await;
    }
    server.lift_faults();
    ship.settles(&server).await?;
    happened.note(take_a_secret(&server, &mut random).await);
    ship.settles(&server).await?;
    ship.verdict()?;
    Ok(happened.with(&server))
}

/// What the reconciler writes is refused, lost, or done and not answered.
fn make_writes_fail(server: &Server, random: &mut fastrand::Rng) {
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

/// Deletes a child behind its owner's back; counted if there was one.
async fn take_a_secret(server: &Server, random: &mut fastrand::Rng) -> Option<&'static str> {
    let secrets: Api<Secret> = Api::default_namespaced(server.client());
    let name = ["a", "b", "c", "d"][random.usize(0..4)];
    secrets.delete(name, &DeleteParams::default()).await.ok().map(|_| CHILD_DELETED)
}

/// A controller that runs, and what is known of its work.
struct Ship {
    ledger: Arc<Ledger>,
    store: Store<ConfigMap>,
    metrics: Metrics,
    running: JoinHandle<()>,
}

/// What the controller has done.
struct Ledger {
    client: Client,
    plant: Option<Plant>,
    /// Who is being worked on.
    running: Mutex<BTreeSet<String>>,
    /// Who was reconciled and not told deleted since.
    alive: Mutex<BTreeSet<String>>,
    wrong: Mutex<Option<String>>,
}

impl Ship {
    fn launch(server: &Server, config: watcher::Config, plant: Option<Plant>) -> Self {
        let client = server.client();
        let ledger = Arc::new(Ledger {
            client: client.clone(),
            plant,
            running: Mutex::default(),
            alive: Mutex::default(),
            wrong: Mutex::default(),
        });
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        let secrets: Api<Secret> = Api::default_namespaced(client);
        let mut controller = Controller::new(maps, config.clone());
        if plant != Some(Plant::OwnerNotWoken) {
            controller = controller.owns(secrets, config);
        }
        let (store, metrics) = (controller.store(), controller.metrics());
        let handlers = Handlers::new(reconcile).on_delete(deleted).on_error(failed);
        let running = controller.run_with(handlers, Arc::clone(&ledger)).for_each(|_| async {});
        Self { ledger, store, metrics, running: tokio::spawn(running) }
    }

    /// Waits until everything is done; says what is not.
    async fn settles(&self, server: &Server) -> Result<(), String> {
        let start = Instant::now();
        while let Some(wrong) = self.undone(server).await {
            if start.elapsed() > SETTLES_WITHIN {
                return Err(wrong);
            }
            mend(&self.store, server).await;
            sleep(Duration::from_secs(1)).await;
        }
        Ok(())
    }

    async fn undone(&self, server: &Server) -> Option<String> {
        if let Some(wrong) = is_untrue(&self.store, server).await {
            return Some(wrong);
        }
        let maps = Api::<ConfigMap>::all(server.client()).list(&ListParams::default()).await.unwrap();
        let secrets = Api::<Secret>::all(server.client()).list(&ListParams::default()).await.unwrap();
        let wanted: BTreeMap<_, _> = maps.iter().map(|map| (map.name_any(), content(map))).collect();
        let made: BTreeMap<_, _> = secrets.iter().map(|it| (it.name_any(), it.data.clone())).collect();
        if wanted != made {
            return Some(format!("secrets of {:?}, not of {:?}, or older ones", made.keys(), wanted.keys()));
        }
        let alive = self.ledger.alive.lock().unwrap();
        (!alive.iter().eq(wanted.keys()))
            .then(|| format!("{alive:?} were reconciled and not deleted, {:?} exist", wanted.keys()))
    }

    /// What went wrong meanwhile.
    fn verdict(&self) -> Result<(), String> {
        let loops = self.metrics.loops();
        if !loops.is_empty() {
            return Err(format!("taken for loops: {loops:?}"));
        }
        self.ledger.wrong.lock().unwrap().take().map_or(Ok(()), Err)
    }
}

impl Drop for Ship {
    fn drop(&mut self) {
        self.running.abort();
    }
}

async fn reconcile(map: Arc<ConfigMap>, ledger: Arc<Ledger>) -> Result<Action, Error> {
    if ledger.plant == Some(Plant::TwiceAtOnce) {
        let (one, other) = futures::join!(work(&map, &ledger), work(&map, &ledger));
        return one.and(other);
    }
    work(&map, &ledger).await
}

async fn work(map: &ConfigMap, ledger: &Ledger) -> Result<Action, Error> {
    let name = map.name_any();
    let _turn = ledger.turn(&name);
    sleep(Duration::from_millis(100)).await;
    let outcome = keep_secret(map, &ledger.client).await;
    // Two ways to be called again.
    match outcome {
        Ok(()) => {
            ledger.alive.lock().unwrap().insert(name);
            Ok(Action::await_change())
        }
        Err(error) if name.as_str() < "c" => Err(error),
        Err(_) if ledger.plant == Some(Plant::LostRequeue) => Ok(Action::await_change()),
        Err(_) => Ok(Action::requeue(AGAIN)),
    }
}

async fn deleted(map: Arc<ConfigMap>, ledger: Arc<Ledger>) -> Result<Action, Error> {
    let _turn = ledger.turn(&map.name_any());
    if ledger.plant != Some(Plant::UnhandledDelete) {
        ledger.alive.lock().unwrap().remove(&map.name_any());
    }
    Ok(Action::await_change())
}

async fn failed(_: Failure<'_, ConfigMap, Error>, ledger: Arc<Ledger>) -> Action {
    if ledger.plant == Some(Plant::LostRetry) { Action::await_change() } else { Action::requeue(AGAIN) }
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

impl Ledger {
    /// Notes that `name` is worked on, and if somebody works on it already.
    fn turn(&self, name: &str) -> impl Drop + use<'_> {
        struct Turn<'a>(&'a Ledger, String);
        impl Drop for Turn<'_> {
            fn drop(&mut self) {
                self.0.running.lock().unwrap().remove(&self.1);
            }
        }
        if !self.running.lock().unwrap().insert(name.to_owned()) {
            self.wrong.lock().unwrap().get_or_insert(format!("{name} was worked on twice at once"));
        }
        Turn(self, name.to_owned())
    }
}
