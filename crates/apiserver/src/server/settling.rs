//! What follows from writes, after their answers: the work of controllers, and when it is done.
//!
//! ```text
//!  a write is committed ─► answered ─► pending ─┬─ a read of most recent data, or a write: done before it looks
//!                                               ├─ nothing of the kind for 10 ms: done by a task that ends with it
//!                                               └─ Server::settle: done now
//! ```
//! In: a cluster that is given back with work left. Out: the work done, and tasks for controllers' writes that must ask
//! webhooks, each on its own, so that none waits for another. A watch does not do pending work before it begins: it sees
//! what a real server would show it, and then what follows.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde_json::json;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::{Server, State};
use crate::admission::Record;
use crate::catalog::crd::converter::Converter;
use crate::cluster::commit::{Lost, Ready};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::cluster::{Cluster, DryRun};
use crate::controllers::intents::Intent;
use crate::registry::write::Write;
use crate::response::status::Answer;
use crate::storage::entry::Entry;
use crate::storage::store::StorageKey;

/// The cluster, for one request at a time. When it is given back, its changes are published and what they entail is scheduled.
pub(crate) struct ClusterGuard<'a> {
    state: &'a State,
    /// There until it is dropped.
    cluster: Option<MutexGuard<'a, Cluster>>,
}

impl Deref for ClusterGuard<'_> {
    type Target = Cluster;

    fn deref(&self) -> &Cluster {
        self.cluster.as_ref().expect("a guard has its cluster until it is dropped")
    }
}

impl DerefMut for ClusterGuard<'_> {
    fn deref_mut(&mut self) -> &mut Cluster {
        self.cluster.as_mut().expect("a guard has its cluster until it is dropped")
    }
}

impl Drop for ClusterGuard<'_> {
    fn drop(&mut self) {
        let Some(mut cluster) = self.cluster.take() else { return };
        let must_flush = cluster.store.publication.publish_or_journal();
        // Without a runtime the next request does it.
        let Ok(runtime) = Handle::try_current() else {
            drop(cluster);
            if must_flush {
                self.state.flush_all();
            }
            return;
        };
        let intents = cluster.pending.take_intents();
        let due = cluster.pending.due(Instant::now() + SETTLE_AFTER).into_iter().chain(cluster.next_alarm()).min();
        drop(cluster);
        if must_flush {
            self.state.begin_flush(&runtime);
        }
        intents.into_iter().for_each(|intent| self.state.start(&runtime, intent));
        if let Some(due) = due {
            self.state.settle_at(&runtime, due);
        }
    }
}

impl State {
    /// The cluster as the last write left it. It is consistent after each write, so a panic poisons nothing.
    pub(crate) fn cluster(&self) -> ClusterGuard<'_> {
        let mut cluster = self.locked();
        cluster.expire_events();
        ClusterGuard { state: self, cluster: Some(cluster) }
    }

    /// The same as it is; nothing is published or scheduled when it is given back.
    pub(super) fn locked(&self) -> MutexGuard<'_, Cluster> {
        self.cluster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cluster with everything done that follows from the writes so far.
    pub(crate) fn settled(&self) -> ClusterGuard<'_> {
        let mut cluster = self.cluster();
        cluster.settle();
        cluster
    }

    /// What a write looks at.
    pub(crate) fn snapshot(&self) -> ClusterSnapshot {
        self.settled().snapshot()
    }

    /// What asks conversion webhooks.
    pub(crate) fn converter(&self) -> Converter {
        self.cluster().converter()
    }

    /// Stores what a write came to.
    pub(crate) fn commit(&self, ready: Ready) -> Answer<Result<Arc<Entry>, Lost>> {
        self.cluster().commit(ready)
    }

    /// Does what is pending at a moment, unless it is done before.
    fn settle_at(&self, runtime: &Handle, due: Instant) {
        let mut planned = self.settles_at();
        if planned.as_ref().is_some_and(|planned| planned.due <= due) {
            return;
        }
        let later = planned.replace(Planned { due, task: None });
        // A runtime that is shutting down drops a task at once, and a plan that is dropped takes the lock.
        drop(planned);
        // Controllers wait for hours: tasks must not gather meanwhile.
        later.into_iter().for_each(Planned::cancel);
        let plan = Plan { state: self.me.clone(), due };
        let task = runtime.spawn(async move {
            tokio::time::sleep_until(due).await;
            let state = plan.state.upgrade();
            drop(plan);
            if let Some(state) = state {
                drop(state.settled());
            }
        });
        self.planned(Planned { due, task: Some(task.abort_handle()) });
    }

    /// Notes the task of what was planned. If that is done, or was planned anew for an earlier moment, the task ends.
    fn planned(&self, new: Planned) {
        let mut planned = self.settles_at();
        if let Some(planned) = planned.as_mut().filter(|planned| planned.due == new.due) {
            *planned = new;
            return;
        }
        drop(planned);
        new.cancel();
    }

    /// Ends the task that waits for the next moment: controllers wait for hours, and it holds the memory of this server.
    pub(super) fn cancel_settling(&mut self) {
        let planned = self.settles_at.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        planned.into_iter().for_each(Planned::cancel);
    }

    fn settles_at(&self) -> MutexGuard<'_, Option<Planned>> {
        self.settles_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a write of a controller that has to ask webhooks, in a task of its own.
    fn start(&self, runtime: &Handle, intent: Intent) {
        let flight = Flight { state: self.me.clone(), place: Some(intent.place.clone()) };
        runtime.spawn(async move {
            let Some(state) = flight.state.upgrade() else { return };
            let done = state.attempt(&intent).await;
            flight.landed();
            state.land(&intent, done);
        });
    }

    fn land(&self, intent: &Intent, done: Answer<()>) {
        match done {
            // With 404 and 409 another writer was faster; the controller will state what it wants now.
            Err(refusal) if !matches!(refusal.code, 404 | 409) => {
                let (controller, key) = (intent.controller, &intent.place.key);
                tracing::warn!(controller, %key, "a controller's write was refused: {}", refusal.message);
                self.cluster().pending.refused(&intent.place, Instant::now());
            }
            _ => self.cluster().pending.done(&intent.place),
        }
        self.intent_done.notify_waiters();
    }

    async fn attempt(&self, intent: &Intent) -> Answer<()> {
        let (user, options, record) = (intent.user(), json!({}), Record::default());
        loop {
            let snapshot = self.cluster().snapshot();
            let target = intent.target(&snapshot)?;
            let write = Write {
                admission: &self.admission,
                target,
                user: &user,
                options: &options,
                dry_run: DryRun::No,
                record: &record,
            };
            let attempted = intent.action.attempt(&write, &snapshot).await?;
            drop(snapshot);
            if attempted.commit(|ready| self.commit(ready))?.is_ok() {
                return Ok(());
            }
        }
    }
}

/// When pending work is done by itself.
pub(super) struct Planned {
    due: Instant,
    /// What waits for it, once it is spawned.
    task: Option<AbortHandle>,
}

impl Planned {
    fn cancel(self) {
        if let Some(task) = self.task {
            task.abort();
        }
    }
}

/// A moment at which pending work is done. A runtime that ends before drops it with its task, and another plan is made.
struct Plan {
    state: Weak<State>,
    due: Instant,
}

impl Drop for Plan {
    fn drop(&mut self) {
        if let Some(state) = self.state.upgrade() {
            let mut planned = state.settles_at();
            if planned.as_ref().is_some_and(|planned| planned.due == self.due) {
                *planned = None;
            }
        }
    }
}

/// A write of a controller that is in flight. If its task ends without an answer, the controller looks at its object again.
struct Flight {
    state: Weak<State>,
    place: Option<StorageKey>,
}

impl Flight {
    /// It has its answer.
    fn landed(mut self) {
        self.place = None;
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if let (Some(place), Some(state)) = (self.place.take(), self.state.upgrade()) {
            state.cluster().pending.done(&place);
            state.intent_done.notify_waiters();
        }
    }
}

impl Server {
    /// Does everything now that follows from the writes so far: the end of what deleted owners, namespaces and definitions
    /// leave behind, and what simulated workloads do. By itself it happens a moment later, or when something is read or
    /// written next; a test that only watches need not wait for that moment.
    ///
    /// ```
    /// # async fn settle(server: pintle_apiserver::Server) {
    /// server.settle().await;
    /// # }
    /// ```
    pub async fn settle(&self) {
        loop {
            let done = self.state.intent_done.notified();
            tokio::pin!(done);
            done.as_mut().enable();
            if self.state.settled().pending.is_done() {
                return;
            }
            done.await;
        }
    }
}

/// How long a controller of a real cluster takes at least to notice a change: time for a client to begin a watch first.
const SETTLE_AFTER: Duration = Duration::from_millis(10);
