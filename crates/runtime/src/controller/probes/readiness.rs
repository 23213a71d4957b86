//! Whether a controller is ready, and which of its watches keeps it from that.
//!
//! In: what each watch and the store know of themselves. Out: an answer for a probe, and a text that explains it.
//! Nothing is kept here, so it is never older than the question.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use pintle_core::discovery::ApiResource;
use pintle_core::reference::Lookup;
use tokio::time::Instant;

use crate::controller::probes::heartbeat::Heartbeat;
use crate::controller::source::watch_progress::WatchProgresses;
use crate::reflector::{Store, StoreUsage, Undecodable};
use crate::watcher::{Phase, Report};

/// Whether a controller is ready; from [`Controller::readiness`](crate::controller::Controller::readiness). Clones give the same answer,
/// also while the controller runs and after it has ended.
#[derive(Clone)]
pub struct Readiness {
    pub(in crate::controller) progress: WatchProgresses,
    pub(in crate::controller) store: KnownStore,
    pub(in crate::controller) heartbeat: Heartbeat,
    /// Held by the controller as long as it may run.
    pub(in crate::controller) life: Weak<()>,
}

/// One watch of a controller.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Watched {
    /// What it is called in probes and metrics: the resource as `deployments.apps`; `-2` and so on where several watches of
    /// one controller are of one kind.
    pub name: String,
    /// What is watched.
    pub kind: ApiResource,
    /// How that goes.
    pub report: Report,
}

/// The store that a controller's objects are in: another one while it is still being configured. Clones are the same.
#[derive(Clone)]
pub(in crate::controller) struct KnownStore(Arc<Mutex<Arc<dyn Knows>>>);

impl KnownStore {
    pub(in crate::controller) fn new<K: Lookup + Send + Sync + 'static>(store: &Store<K>) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(store.clone()))))
    }

    pub(in crate::controller) fn set<K: Lookup + Send + Sync + 'static>(&self, store: &Store<K>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(store.clone());
    }

    pub(in crate::controller) fn get(&self) -> Arc<dyn Knows> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What is asked of a store.
pub(in crate::controller) trait Knows: Send + Sync {
    fn is_ready(&self) -> bool;
    fn undecodable(&self) -> Vec<Undecodable>;
    fn usage(&self) -> StoreUsage;
}

impl<K> Knows for Store<K>
where
    K: Lookup + Send + Sync,
{
    fn is_ready(&self) -> bool {
        Self::is_ready(self)
    }

    fn undecodable(&self) -> Vec<Undecodable> {
        Self::found_undecodable(self)
    }

    fn usage(&self) -> StoreUsage {
        Self::usage(self)
    }
}

impl Readiness {
    /// Whether the controller may work on what it knows: its stream is polled, its store is filled, each of its
    /// watches has had its first list, and none is refused. One that fails for another reason goes on by itself and does
    /// not count, nor do reconciles that fail or take long.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.life.strong_count() > 0
            && self.heartbeat.lock().is_polled(Instant::now())
            && self.store.get().is_ready()
            && !self.watches().iter().any(Watched::is_missing)
    }

    /// Whether it was ever polled: one that waits to become leader may not have been.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.heartbeat.lock().rested(Instant::now()).is_some()
    }

    /// Why the controller itself is not ready, whatever its watches do: it has not begun, has ended, or is not polled.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        if self.life.strong_count() == 0 {
            return Some("the controller has ended".to_owned());
        }
        let (rested, is_polled) = {
            let (state, now) = (self.heartbeat.lock(), Instant::now());
            (state.rested(now), state.is_polled(now))
        };
        match rested {
            None => Some("the controller has not begun: its stream has not been polled".to_owned()),
            Some(rested) if !is_polled => {
                Some(format!("the controller's stream has not been polled for {} s", rested.as_secs()))
            }
            Some(_) => None,
        }
    }

    /// Every watch that the controller has opened, with how it is doing.
    #[must_use]
    pub fn watches(&self) -> Vec<Watched> {
        self.progress.reports()
    }

    /// The controller's objects that were to be reconciled and cannot be read.
    #[must_use]
    pub fn undecodable(&self) -> Vec<Undecodable> {
        self.store.get().undecodable()
    }
}

impl Watched {
    pub(crate) fn new(kind: ApiResource, report: Report) -> Self {
        let name = if kind.group.is_empty() { kind.plural.clone() } else { format!("{}.{}", kind.plural, kind.group) };
        Self { name, kind, report }
    }

    fn is_missing(&self) -> bool {
        !self.report.has_synced || self.report.phase == Phase::Refused
    }

    /// Why the controller is not ready because of it, with what the server said; `None` if it is.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        if !self.is_missing() {
            return None;
        }
        let phase = if self.report.phase == Phase::Refused { "is refused" } else { "has no complete list yet" };
        let problem = format!("{} of {} {phase}", self.kind.plural, self.kind.api_version);
        Some(match &self.report.last_error {
            Some(error) => format!("{problem}: {error}"),
            None => problem,
        })
    }
}

impl fmt::Display for Readiness {
    /// A line each for what is missing, and for reconciles that have run for more than a minute: what a probe should
    /// answer with.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_ready() { "ready" } else { "not ready" })?;
        for problem in self.problem().into_iter().chain(self.watches().iter().filter_map(Watched::problem)) {
            write!(f, "\n{problem}")?;
        }
        for object in self.undecodable() {
            write!(f, "\n{object}")?;
        }
        let overdue = self.heartbeat.lock().overdue(Instant::now());
        for (key, age) in overdue {
            write!(f, "\n{key} has been reconciled for {} s", age.as_secs())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readiness").field("watches", &self.watches()).finish_non_exhaustive()
    }
}
