//! Several controllers in one program, with what surrounds them.
//!
//! ```text
//!   Builder ──► Manager ──controller(api, config)──► Controller ──run(…)──► stream ──add_controller──┐
//!                  ▲                                                                                  │
//!                  └──────────────────────────── run, run_until ◄─────────────────────────────────────┘
//! ```

mod builder;
mod clusters;
mod observed;
mod running;

use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::stream::{Stream, StreamExt};
use pintle_client::{Api, Client};
use pintle_core::Resource;
use pintle_runtime::controller::{Controller, signals};
use pintle_runtime::lease::{Candidate, Leading, Standing};
use pintle_runtime::reflector::Store;
use pintle_runtime::watcher;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

pub use builder::Builder;
pub use clusters::ClusterExists;

use crate::cluster::{Cluster, ControllerStatus};
use crate::error::{BoxError, Error};
use crate::health::Health;
use crate::leadership::Leadership;
use crate::metrics::Registry;
use crate::reader::Reader;
use crate::runnable::Runnable;
use crate::stage::Stage;
use crate::stop::StopSender;
use clusters::Clusters;
use observed::Observed;
use running::Running;

/// Runs controllers, watches, servers and whatever else a program needs; clones are the same manager.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # use pintle_client::{Api, Client};
/// # use pintle_manager::Manager;
/// # use pintle_runtime::{controller::Action, watcher};
/// # async fn reconcile(_: Arc<ConfigMap>, _: Arc<()>) -> Result<Action, pintle_client::Error> { Ok(Action::await_change()) }
/// # fn error_policy(_: Arc<ConfigMap>, _: &pintle_client::Error, _: Arc<()>) -> Action { Action::backoff() }
/// # async fn example(client: Client) -> Result<(), pintle_manager::Error> {
/// let manager = Manager::builder(client.clone()).lease("shop", "shop-operator").build();
/// let maps = manager.controller(Api::<ConfigMap>::all(client), watcher::Config::default());
/// manager.add_controller(maps.run(reconcile, error_policy, Arc::new(())));
/// manager.run().await
/// # }
/// ```
#[derive(Clone)]
pub struct Manager {
    shared: Arc<Shared>,
}

struct Shared {
    cluster: Cluster,
    clusters: Mutex<Clusters>,
    leadership: Leadership,
    timeout: Duration,
    observed: Observed,
    added: mpsc::UnboundedSender<Runnable>,
    /// Until it is run.
    unstarted: Mutex<Option<Unstarted>>,
}

/// What a manager needs to run.
struct Unstarted {
    added: mpsc::UnboundedReceiver<Runnable>,
    stop_controllers: StopSender,
}

impl Manager {
    /// A manager of controllers that work on `client`'s cluster.
    pub fn builder(client: Client) -> Builder {
        Builder::new(client)
    }

    /// The client that it was made with.
    #[must_use]
    pub fn client(&self) -> Client {
        self.shared.cluster.client()
    }

    /// A controller of the objects of `api` that `config` selects: what [`Controller::new`] gives, and what is called on it
    /// does the same. [Run](Controller::run) it and [add](Self::add_controller) its stream. It differs in three ways:
    ///
    /// - its watches and stores are shared with all that want the same of this manager, whether as their own objects, by
    ///   `owns` or by `watches`;
    /// - it reconciles while this replica leads, and has warm stores before; [`Controller::without_leader`] undoes that;
    /// - it stops with the manager.
    pub fn controller<K>(&self, api: Api<K>, config: watcher::Config) -> Controller<K>
    where
        K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
        K::DynamicType: Default + Eq + Hash + Clone,
    {
        self.shared.cluster.controller(api, config)
    }

    /// As [`controller`](Self::controller), for a kind known only at run time.
    pub fn controller_with<K>(&self, api: Api<K>, config: watcher::Config, dyntype: K::DynamicType) -> Controller<K>
    where
        K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
        K::DynamicType: Eq + Hash + Clone,
    {
        self.shared.cluster.controller_with(api, config, dyntype)
    }

    /// Keeps the objects of `api` that `config` selects in a store, from which [`reader`](Self::reader) reads. Controllers and
    /// other caches that want the same share its watch.
    pub fn cache<K>(&self, api: Api<K>, config: watcher::Config) -> Store<K>
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
        K::DynamicType: Default + Clone,
    {
        self.shared.cluster.cache(api, config)
    }

    /// As [`cache`](Self::cache), for a kind known only at run time.
    pub fn cache_with<K>(&self, api: Api<K>, config: watcher::Config, dyntype: &K::DynamicType) -> Store<K>
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
        K::DynamicType: Clone,
    {
        self.shared.cluster.cache_with(api, config, dyntype)
    }

    /// Reads from the stores that controllers and caches fill. It never starts a watch.
    #[must_use]
    pub fn reader(&self) -> Reader {
        self.shared.cluster.reader()
    }

    /// Polls the stream of a [controller](Self::controller) while the manager runs. If it ends before the manager stops, the
    /// manager stops with an error.
    pub fn add_controller(&self, stream: impl Stream + Send + 'static) {
        self.add_controller_of(&self.shared.cluster, stream);
    }

    fn add_controller_of(&self, cluster: &Cluster, stream: impl Stream + Send + 'static) {
        let cluster = cluster.clone();
        self.add_runnable(Runnable::new("a controller", Stage::Controllers, |stop| async move {
            let before: Vec<_> = cluster.ended_controllers();
            stream.for_each(|_| std::future::ready(())).await;
            if stop.is_requested() || cluster.is_removed() {
                return Ok(());
            }
            let ended = cluster.ended_controllers().into_iter().find(|name| !before.contains(name));
            Err(format!("the stream of {} has ended: its watches gave up", ended.as_deref().unwrap_or("a controller")))
        }));
    }

    /// Runs `future` on every replica, whether it leads or not, beginning before the controllers; it is dropped when the
    /// manager stops. If it fails, the manager stops with an error that names it.
    pub fn add<E>(&self, name: &str, future: impl Future<Output = Result<(), E>> + Send + 'static)
    where
        E: Into<BoxError> + Send + 'static,
    {
        self.add_runnable(Runnable::new(name, Stage::Runnables, |stop| async move {
            // To stop is the first wish.
            tokio::select! {
                biased;
                () = stop.requested() => Ok(()),
                ended = future => ended,
            }
        }));
    }

    /// Runs what `start` returns while this replica leads, each time it begins to lead; without a lease, once. `start` gets
    /// the term, if there is a lease. When the lease is lost it is dropped where it waits, and nothing that it was about to
    /// write is sent. If it fails, the manager stops with an error that names it.
    pub fn add_leader<F, E>(&self, name: &str, start: impl FnMut(Option<Leading>) -> F + Send + 'static)
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + Send + 'static,
    {
        let leadership = self.shared.leadership.clone();
        self.add_runnable(Runnable::new(name, Stage::Controllers, |stop| async move {
            leadership.while_leading(start, &stop).await
        }));
    }

    /// Adds anything, also while the manager runs. What is added after it has stopped is dropped.
    pub fn add_runnable(&self, runnable: Runnable) {
        if let Err(mpsc::error::SendError(runnable)) = self.shared.added.send(runnable) {
            tracing::warn!("{} was added to a manager that has stopped, and is not run", runnable.name);
        }
    }

    /// What it exports; the program may add metrics of its own.
    #[must_use]
    pub fn metrics(&self) -> Registry {
        self.shared.observed.registry.clone()
    }

    /// What its probes check; the program may add checks of its own.
    #[must_use]
    pub fn health(&self) -> Health {
        self.shared.observed.health.clone()
    }

    /// Where metrics are served, once they are; for a port that the system chose.
    #[must_use]
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.shared.observed.metrics_address.get().copied()
    }

    /// Where probes are answered, once they are.
    #[must_use]
    pub fn health_address(&self) -> Option<SocketAddr> {
        self.shared.observed.health_address.get().copied()
    }

    /// The controllers of all its clusters, for probes and metrics.
    #[must_use]
    pub fn controllers(&self) -> Vec<ControllerStatus> {
        self.clusters().iter().flat_map(Cluster::controllers).collect()
    }

    /// Where it stands in the election of a leader; `None` if it has no lease. One that stands by is ready.
    #[must_use]
    pub fn standing(&self) -> Option<Standing> {
        self.shared.leadership.candidate().map(Candidate::standing)
    }

    /// Runs until SIGINT or SIGTERM, and then stops as [`run_until`](Self::run_until) does. A second signal ends the
    /// process at once, with exit code 1.
    ///
    /// # Errors
    /// As `run_until`.
    pub async fn run(&self) -> Result<(), Error> {
        // Nothing is waited for after the second.
        tokio::select! {
            biased;
            () = signals(2) => std::process::exit(1),
            ended = self.run_until(signals(1)) => ended,
        }
    }

    /// Runs until `stop` ends or something fails. Then everything stops in reverse order: controllers begin no reconcile,
    /// those that run have until the deadline to end, the lease is released, servers are last.
    ///
    /// # Errors
    /// If a runnable failed or panicked, or did not stop in time; or the manager was run before.
    pub async fn run_until(&self, stop: impl Future<Output = ()>) -> Result<(), Error> {
        let Unstarted { added, stop_controllers } = locked(&self.shared.unstarted).take().ok_or(Error::AlreadyRun)?;
        Running::new(added, stop_controllers, self.shared.timeout).run(stop).await
    }
}

// Nothing panics while one of these is locked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager").field("clusters", &self.clusters()).finish_non_exhaustive()
    }
}
