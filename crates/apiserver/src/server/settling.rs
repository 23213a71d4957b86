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
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::runtime::Handle;
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
use std::sync::Arc;

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
        cluster.store.publish();
        let intents = cluster.take_intents();
        let due = cluster.next_due(Instant::now() + SETTLE_AFTER);
        drop(cluster);
        self.state.start(intents);
        if let Some(due) = due {
            self.state.settle_at(due);
        }
    }
}

impl State {
    /// The cluster as the last write left it. It is consistent after each write, so a panic poisons nothing.
    pub(crate) fn cluster(&self) -> ClusterGuard<'_> {
        let mut cluster = self.cluster.lock().unwrap_or_else(PoisonError::into_inner);
        cluster.expire_events();
        ClusterGuard { state: self, cluster: Some(cluster) }
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

    /// Does what is pending at a moment, unless it is done before. Without a runtime the next request does it.
    fn settle_at(&self, due: Instant) {
        let Ok(runtime) = Handle::try_current() else { return };
        {
            let mut planned = self.settles_at.lock().unwrap_or_else(PoisonError::into_inner);
            if planned.is_some_and(|planned| planned <= due) {
                return;
            }
            *planned = Some(due);
        }
        let state = self.me.clone();
        runtime.spawn(async move {
            tokio::time::sleep_until(due).await;
            if let Some(state) = state.upgrade() {
                *state.settles_at.lock().unwrap_or_else(PoisonError::into_inner) = None;
                drop(state.settled());
            }
        });
    }

    /// Makes the writes of controllers that have to ask webhooks.
    fn start(&self, intents: Vec<Intent>) {
        if intents.is_empty() {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        for intent in intents {
            let state = self.me.clone();
            runtime.spawn(async move {
                if let Some(state) = state.upgrade() {
                    state.perform(intent).await;
                    state.intent_done.notify_waiters();
                }
            });
        }
    }

    async fn perform(&self, mut intent: Intent) {
        let done = self.attempt(&intent).await;
        let mut cluster = self.cluster();
        match done {
            Ok(()) => cluster.intent_done(&intent.place),
            // Another writer was faster; the controller will state what it wants now.
            Err(refusal) if matches!(refusal.code, 404 | 409) => cluster.intent_done(&intent.place),
            Err(refusal) => {
                let (controller, key) = (intent.controller, &intent.place.key);
                tracing::warn!(controller, %key, "a controller's write was refused: {}", refusal.message);
                intent.refused += 1;
                cluster.intent_refused(intent);
            }
        }
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
            let attempted = intent.attempt(&write, &snapshot).await?;
            drop(snapshot);
            if attempted.commit(|ready| self.commit(ready))?.is_ok() {
                return Ok(());
            }
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
            if self.state.settled().has_settled() {
                return;
            }
            done.await;
        }
    }
}

/// How long a controller of a real cluster takes at least to notice a change: time for a client to begin a watch first.
const SETTLE_AFTER: Duration = Duration::from_millis(10);
