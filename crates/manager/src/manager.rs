//! Several controllers in one program, with what surrounds them.
//!
//! ```text
//!   Builder ──► Manager ──controller(api, config)──► Controller ──run(…)──► stream ──add_controller──┐
//!                  ▲                                                                                  │
//!                  └──────────────────────────── run, run_until ◄─────────────────────────────────────┘
//! ```

mod builder;
mod running;

use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::stream::{Stream, StreamExt};
use pintle_client::{Api, Client};
use pintle_core::Resource;
use pintle_runtime::controller::{Controller, Liveness, Metrics, Readiness};
use pintle_runtime::lease::{Candidate, Standing};
use pintle_runtime::watcher;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

pub use builder::Builder;

use crate::error::{BoxError, Error};
use crate::runnable::Runnable;
use crate::stage::Stage;
use crate::stop::{Stop, StopSender};
use running::Running;

/// Runs controllers, watches, servers and whatever else a program needs; clones are the same manager.
#[derive(Clone)]
pub struct Manager {
    shared: Arc<Shared>,
}

struct Shared {
    client: Client,
    candidate: Option<Candidate>,
    timeout: Duration,
    controllers: Mutex<Vec<ControllerStatus>>,
    added: mpsc::UnboundedSender<Runnable>,
    /// Until it is run.
    receiver: Mutex<Option<mpsc::UnboundedReceiver<Runnable>>>,
    stop_controllers: Stop,
    /// Until it is run.
    stops: Mutex<Option<StopSender>>,
}

/// A controller of a manager, for probes and metrics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ControllerStatus {
    /// Its name: that of its kind in lower case, and a number where there are several.
    pub name: String,
    /// Whether it is ready.
    pub readiness: Readiness,
    /// Whether it can still do anything.
    pub liveness: Liveness,
    /// What it counts.
    pub metrics: Metrics,
}

impl Manager {
    /// A manager of controllers that work on `client`'s cluster.
    pub fn builder(client: Client) -> Builder {
        Builder::new(client)
    }

    /// The client that it was made with.
    #[must_use]
    pub fn client(&self) -> Client {
        self.shared.client.clone()
    }

    /// A controller of the objects of `api` that `config` selects. It stops with the manager; run it and
    /// [add](Self::add_controller) its stream.
    pub fn controller<K>(&self, api: Api<K>, config: watcher::Config) -> Controller<K>
    where
        K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
        K::DynamicType: Default + Eq + Hash + Clone + Send + Sync,
    {
        self.controller_with(api, config, K::DynamicType::default())
    }

    /// As [`controller`](Self::controller), for a kind known only at run time.
    pub fn controller_with<K>(&self, api: Api<K>, config: watcher::Config, dyntype: K::DynamicType) -> Controller<K>
    where
        K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
        K::DynamicType: Eq + Hash + Clone + Send + Sync,
    {
        let kind = K::kind(&dyntype).to_lowercase();
        let controller = Controller::new_with(api, config, dyntype)
            .graceful_shutdown_on(self.shared.stop_controllers.requested())
            .graceful_shutdown_timeout(self.shared.timeout);
        let mut controllers = self.statuses();
        let before =
            controllers.iter().filter(|other| other.name == kind || other.name.starts_with(&format!("{kind}-")));
        let name = match before.count() {
            0 => kind,
            others => format!("{kind}-{}", others + 1),
        };
        controllers.push(ControllerStatus {
            name,
            readiness: controller.readiness(),
            liveness: controller.liveness(),
            metrics: controller.metrics(),
        });
        drop(controllers);
        controller
    }

    /// Polls the stream of a [controller](Self::controller) while the manager runs.
    pub fn add_controller(&self, stream: impl Stream + Send + 'static) {
        self.add_runnable(Runnable::new("a controller", Stage::Controllers, |_| async move {
            stream.for_each(|_| std::future::ready(())).await;
            Ok::<_, BoxError>(())
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

    /// Adds anything, also while the manager runs. What is added after it has stopped is dropped.
    pub fn add_runnable(&self, runnable: Runnable) {
        if let Err(mpsc::error::SendError(runnable)) = self.shared.added.send(runnable) {
            tracing::warn!("{} was added to a manager that has stopped, and is not run", runnable.name);
        }
    }

    /// Its controllers, for probes and metrics.
    #[must_use]
    pub fn controllers(&self) -> Vec<ControllerStatus> {
        self.statuses().clone()
    }

    /// Where it stands in the election of a leader; `None` if it has no lease.
    #[must_use]
    pub fn standing(&self) -> Option<Standing> {
        self.shared.candidate.as_ref().map(Candidate::standing)
    }

    /// Runs until SIGINT or SIGTERM, and then stops as [`run_until`](Self::run_until) does. A second signal ends the
    /// process at once, with exit code 1.
    ///
    /// # Errors
    /// As `run_until`.
    pub async fn run(&self) -> Result<(), Error> {
        self.run_until(std::future::pending()).await
    }

    /// Runs until `stop` ends or something fails. Then everything stops in reverse order: controllers begin no reconcile,
    /// those that run have until the deadline to end, the lease is released, servers are last.
    ///
    /// # Errors
    /// If a runnable failed or panicked, or did not stop in time; or the manager was run before.
    pub async fn run_until(&self, stop: impl Future<Output = ()>) -> Result<(), Error> {
        let receiver = locked(&self.shared.receiver).take().ok_or(Error::AlreadyRun)?;
        let stop_controllers = locked(&self.shared.stops).take().ok_or(Error::AlreadyRun)?;
        Running::new(receiver, stop_controllers, self.shared.timeout).run(stop).await
    }

    fn statuses(&self) -> MutexGuard<'_, Vec<ControllerStatus>> {
        locked(&self.shared.controllers)
    }
}

// Nothing panics while one of these is locked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager").field("controllers", &self.statuses().len()).finish_non_exhaustive()
    }
}
