//! What is soaked: one manager with three controllers over shared watches.
//!
//! | controller | works on | and |
//! |---|---|---|
//! | keeper | ConfigMaps | keeps a Secret for each, which it owns and reads from the manager's store; a tenth have a finalizer |
//! | auditor | the same ConfigMaps | notes the version it saw last; handles deletes, fails now and then, looks again each hour |
//! | inspector | Secrets, woken by ConfigMaps too | notes the version it saw last; handles deletes |

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, ObjectMeta, PostParams};
use pintle::manager::Manager;
use pintle::runtime::controller::{Action, Counts, Handlers};
use pintle::runtime::finalizer::{self, Event, finalizer};
use pintle::runtime::metrics::Value;
use pintle::runtime::reflector::{ObjectRef, Store};
use pintle::runtime::watcher;
use pintle::testing::{Server, ServerExt};
use pintle::{Resource, ResourceExt};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::Problem;

/// The field of a ConfigMap that its Secret must have, too.
pub(crate) const WANT: &str = "want";
/// Set by traffic on the ConfigMaps whose clean-up is to be waited for.
pub(crate) const CLEANED_UP: &str = "soak/cleaned-up";
/// What the keeper puts on those.
const FINALIZER: &str = "soak.example/keeper";
/// One of so many reconciles of the auditor fails.
const FAILS_ONE_OF: u32 = 50;
/// One of so many ConfigMaps is looked at again after a while, so that a deleted one may still be scheduled.
const LOOKS_AGAIN_ONE_OF: usize = 16;
const LOOKS_AGAIN_AFTER: Duration = Duration::from_secs(3600);

/// The running operator.
pub(crate) struct Operator {
    manager: Manager,
    running: JoinHandle<Result<(), pintle::manager::Error>>,
    stop: oneshot::Sender<()>,
    /// The version of each ConfigMap that the auditor saw last.
    pub(crate) audited: Ledger,
    /// The version of each Secret that the inspector saw last.
    pub(crate) inspected: Ledger,
}

/// Versions by name; an object that was deleted leaves it.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<BTreeMap<String, String>>>);

struct Keeper {
    maps: Api<ConfigMap>,
    secrets: Api<Secret>,
    known_secrets: Store<Secret>,
}

/// What the auditor fails with.
#[derive(Debug)]
struct Unlucky;

impl Operator {
    /// Starts it on the server's namespace `default`.
    pub(crate) fn start(server: &Server) -> Self {
        let client = server.client();
        let manager = Manager::builder(client.clone()).build();
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        let secrets: Api<Secret> = Api::default_namespaced(client);
        let known_secrets = manager.cache(secrets.clone(), watcher::Config::default());
        let keeper = Keeper { maps: maps.clone(), secrets: secrets.clone(), known_secrets };
        let (audited, inspected) = (Ledger::default(), Ledger::default());

        let controller = manager
            .controller(maps.clone(), watcher::Config::default())
            .owns(secrets.clone(), watcher::Config::default())
            .reads(&keeper.known_secrets);
        manager.add_controller(controller.run_with(Handlers::new(keep), Arc::new(keeper)));
        let controller = manager.controller(maps.clone(), watcher::Config::default());
        manager.add_controller(controller.run_with(Handlers::new(audit).on_delete(forget), Arc::new(audited.clone())));
        let controller = manager.controller(secrets, watcher::Config::default()).watches(
            maps,
            watcher::Config::default(),
            |map: ConfigMap| [ObjectRef::<Secret>::new(&map.name_any()).within("default")],
        );
        manager
            .add_controller(controller.run_with(Handlers::new(inspect).on_delete(forget), Arc::new(inspected.clone())));

        let (stop, stopped) = oneshot::channel();
        let run = manager.clone();
        let running = tokio::spawn(async move { run.run_until(async { stopped.await.unwrap_or_default() }).await });
        Self { manager, running, stop, audited, inspected }
    }

    /// What each controller counts, by its name.
    pub(crate) fn counts(&self) -> Vec<(String, Counts)> {
        self.manager.controllers().into_iter().map(|status| (status.name, status.metrics.counts())).collect()
    }

    /// How many objects the store of each controller has, by its name.
    pub(crate) fn stored(&self) -> Vec<(String, f64)> {
        let samples = self.manager.controllers().into_iter().flat_map(|status| status.metrics.samples(&status.name));
        let objects = samples.filter(|sample| sample.name == "pintle_store_objects");
        let named = objects.map(|sample| (sample.labels[0].1.clone(), sample.value));
        named
            .filter_map(|(name, value)| if let Value::Gauge(count) = value { Some((name, count)) } else { None })
            .collect()
    }

    /// How often each watch has listed again; of the one that did least.
    pub(crate) fn relists(&self) -> u64 {
        let samples = self.manager.controllers().into_iter().flat_map(|status| status.metrics.samples(&status.name));
        let relists = samples.filter(|sample| sample.name == "pintle_watch_relists_total");
        let counted =
            relists.filter_map(|sample| if let Value::Counter(count) = sample.value { Some(count) } else { None });
        counted.min().unwrap_or_default()
    }

    /// How many reconciles and handled deletes ended well, of all controllers.
    pub(crate) fn reconciles(&self) -> u64 {
        self.counts().iter().map(|(_, counts)| counts.succeeded + counts.deletes).sum()
    }

    /// Stops it; fails if it has stopped before, or not in time.
    pub(crate) async fn stop(self) -> Result<(), Problem> {
        if self.stop.send(()).is_err() {
            return Err("the manager stopped by itself".to_owned());
        }
        let ended = self.running.await.map_err(|error| format!("the manager panicked: {error}"))?;
        ended.map_err(|error| format!("the manager did not stop well: {error}"))
    }
}

impl Ledger {
    /// What it says now.
    pub(crate) fn versions(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note<K: Resource>(&self, object: &K) {
        self.versions().insert(object.name_any(), object.resource_version().unwrap_or_default());
    }
}

async fn keep(map: Arc<ConfigMap>, keeper: Arc<Keeper>) -> Result<Action, finalizer::Error<pintle::Error>> {
    if map.annotations().contains_key(CLEANED_UP) {
        let maps = keeper.maps.clone();
        return finalizer(&maps, FINALIZER, map, |event| async move {
            match event {
                Event::Apply(map) => keeper.keep_secret(&map).await,
                // Its Secret goes with it, by the garbage collector.
                Event::Cleanup(_) => Ok(Action::await_change()),
            }
        })
        .await;
    }
    if map.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    keeper.keep_secret(&map).await.map_err(finalizer::Error::ApplyFailed)
}

impl Keeper {
    async fn keep_secret(&self, map: &ConfigMap) -> Result<Action, pintle::Error> {
        let want = map.data.as_ref().and_then(|data| data.get(WANT)).cloned().unwrap_or_default();
        let mut wanted = Secret {
            metadata: ObjectMeta {
                name: map.metadata.name.clone(),
                owner_references: Some(map.controller_owner_ref(&()).into_iter().collect()),
                ..ObjectMeta::default()
            },
            data: Some(BTreeMap::from([(WANT.to_owned(), ByteString(want.into_bytes()))])),
            ..Secret::default()
        };
        let reference = ObjectRef::<Secret>::new(&map.name_any()).within("default");
        match self.known_secrets.get(&reference) {
            None => drop(self.secrets.create(&PostParams::default(), &wanted).await?),
            Some(found) if found.data != wanted.data || found.owner_references() != wanted.owner_references() => {
                wanted.metadata.resource_version = found.resource_version();
                self.secrets.replace(&map.name_any(), &PostParams::default(), &wanted).await?;
            }
            Some(_) => {}
        }
        Ok(Action::await_change())
    }
}

async fn audit(map: Arc<ConfigMap>, audited: Arc<Ledger>) -> Result<Action, Unlucky> {
    if fastrand::u32(..FAILS_ONE_OF) == 0 {
        return Err(Unlucky);
    }
    audited.note(&*map);
    let number: usize = map.name_any().bytes().map(usize::from).sum();
    let looks_again = number.is_multiple_of(LOOKS_AGAIN_ONE_OF);
    Ok(if looks_again { Action::requeue(LOOKS_AGAIN_AFTER) } else { Action::await_change() })
}

async fn inspect(secret: Arc<Secret>, inspected: Arc<Ledger>) -> Result<Action, Unlucky> {
    inspected.note(&*secret);
    Ok(Action::await_change())
}

async fn forget<K: Resource>(object: Arc<K>, ledger: Arc<Ledger>) -> Result<Action, Unlucky> {
    ledger.versions().remove(&object.name_any());
    Ok(Action::await_change())
}

impl fmt::Display for Unlucky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the auditor was unlucky")
    }
}

impl std::error::Error for Unlucky {}
