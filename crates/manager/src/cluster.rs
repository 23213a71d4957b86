//! A cluster that controllers work on: a client, the watches of it that are shared, and the controllers.
//!
//! A manager has one from the beginning, and any number of others that come and go by name. Each has watches, stores and
//! queues of its own, so one that is down stalls no other.

use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use pintle_client::{Api, Client};
use pintle_core::Resource;
use pintle_runtime::controller::{Controller, Liveness, Metrics, Permits, Readiness};
use pintle_runtime::reflector::Store;
use pintle_runtime::shared_informers::{SharedInformers, SharedWatchStatus};
use pintle_runtime::watcher;
use serde::de::DeserializeOwned;

use crate::error::BoxError;
use crate::manager::locked;
use crate::reader::Reader;
use crate::runnable::Runnable;
use crate::stage::Stage;
use crate::stop::{Stop, StopSender};

/// A cluster that controllers work on; clones are the same.
#[derive(Clone)]
pub struct Cluster {
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    client: Client,
    informers: SharedInformers,
    controllers: Mutex<Vec<ControllerStatus>>,
    terms: Terms,
    /// Said when the cluster is removed.
    removed: StopSender,
}

/// What all controllers of a manager have in common.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) permits: Permits,
    pub(crate) stop: Stop,
    /// How long running reconciles have to end.
    pub(crate) grace: Duration,
}

/// A controller of a manager, for probes and metrics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ControllerStatus {
    /// Its name: that of its kind in lower case, with a number where there are several, and behind the name of its cluster
    /// where that has one.
    pub name: String,
    /// Whether it is ready.
    pub readiness: Readiness,
    /// Whether it can still do anything.
    pub liveness: Liveness,
    /// What it counts.
    pub metrics: Metrics,
}

impl Cluster {
    pub(crate) fn new(name: &str, client: Client, terms: Terms) -> Self {
        Self {
            shared: Arc::new(Shared {
                name: name.to_owned(),
                client,
                informers: SharedInformers::new(),
                controllers: Mutex::default(),
                terms,
                removed: StopSender::new(),
            }),
        }
    }

    /// Its name; empty for the one that the manager was built with.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// A client of it.
    #[must_use]
    pub fn client(&self) -> Client {
        self.shared.client.clone()
    }

    /// A controller of the objects of `api` that `config` selects; see [`Manager::controller`](crate::Manager::controller).
    pub fn controller<K>(&self, api: Api<K>, config: watcher::Config) -> Controller<K>
    where
        K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
        K::DynamicType: Default + Eq + Hash + Clone,
    {
        self.controller_with(api, config, K::DynamicType::default())
    }

    /// As [`controller`](Self::controller), for a kind known only at run time.
    pub fn controller_with<K>(&self, api: Api<K>, config: watcher::Config, dyntype: K::DynamicType) -> Controller<K>
    where
        K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
        K::DynamicType: Eq + Hash + Clone,
    {
        let (kind, terms) = (K::kind(&dyntype).to_lowercase(), &self.shared.terms);
        let (stopped, removed) = (terms.stop.requested(), self.shared.removed.subscribe().requested());
        let controller = Controller::new_shared_with(&self.shared.informers, api, config, dyntype)
            .permitted_by(&terms.permits)
            .graceful_shutdown_on(stopped)
            .graceful_shutdown_on(removed)
            .graceful_shutdown_timeout(terms.grace);
        self.register(&kind, controller.readiness(), controller.liveness(), controller.metrics());
        controller
    }

    fn register(&self, kind: &str, readiness: Readiness, liveness: Liveness, metrics: Metrics) {
        let mut controllers = locked(&self.shared.controllers);
        let kind = if self.name().is_empty() { kind.to_owned() } else { format!("{}/{kind}", self.name()) };
        let is_taken = |name: &str| controllers.iter().any(|other: &ControllerStatus| other.name == name);
        let numbered = (2..).map(|number| format!("{kind}-{number}"));
        let name = std::iter::once(kind.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(kind);
        controllers.push(ControllerStatus { name, readiness, liveness, metrics });
    }

    /// Keeps the objects of `api` that `config` selects in a store, from which [`reader`](Self::reader) reads. Controllers and
    /// other caches that want the same share its watch.
    pub fn cache<K>(&self, api: Api<K>, config: watcher::Config) -> Store<K>
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
        K::DynamicType: Default + Clone,
    {
        self.shared.informers.store(api, config)
    }

    /// As [`cache`](Self::cache), for a kind known only at run time.
    pub fn cache_with<K>(&self, api: Api<K>, config: watcher::Config, dyntype: &K::DynamicType) -> Store<K>
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
        K::DynamicType: Clone,
    {
        self.shared.informers.store_with(api, config, dyntype)
    }

    /// Reads from the stores that there are.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::new(self.shared.informers.clone())
    }

    /// Its controllers, for probes and metrics.
    #[must_use]
    pub fn controllers(&self) -> Vec<ControllerStatus> {
        self.statuses().clone()
    }

    /// Its shared watches, for probes and metrics.
    #[must_use]
    pub fn watches(&self) -> Vec<SharedWatchStatus> {
        self.shared.informers.watches()
    }

    /// Ends when each of its watches has had its first list, or is refused.
    pub(crate) fn settled(&self) -> impl Future<Output = ()> + Send + 'static {
        let informers = self.shared.informers.clone();
        async move { informers.settled().await }
    }

    /// What drives its watches.
    pub(crate) fn runnable(&self) -> Runnable {
        let name =
            if self.name().is_empty() { "the watches".to_owned() } else { format!("the watches of {}", self.name()) };
        let (run, removed) = (self.shared.informers.run(), self.shared.removed.subscribe());
        Runnable::new(&name, Stage::Watches, |stop| async move {
            // To stop is the first wish.
            tokio::select! {
                biased;
                () = stop.requested() => {}
                () = removed.requested() => {}
                () = run => {}
            }
            Ok::<_, BoxError>(())
        })
    }

    /// What its controllers have in common with those of the manager's other clusters.
    pub(crate) fn terms(&self) -> Terms {
        self.shared.terms.clone()
    }

    /// Its controllers and watches end.
    pub(crate) fn remove(&self) {
        self.shared.removed.send();
    }

    pub(crate) fn is_removed(&self) -> bool {
        self.shared.removed.subscribe().is_requested()
    }

    /// The names of its controllers that have ended.
    pub(crate) fn ended_controllers(&self) -> Vec<String> {
        let controllers = self.statuses();
        controllers.iter().filter(|it| it.liveness.has_ended()).map(|it| it.name.clone()).collect()
    }

    fn statuses(&self) -> MutexGuard<'_, Vec<ControllerStatus>> {
        locked(&self.shared.controllers)
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("name", &self.name()).field("watches", &self.watches()).finish_non_exhaustive()
    }
}
