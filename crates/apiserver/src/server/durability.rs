//! A server with a data directory: what is committed is stored and synced, then published, then answered.
//!
//! ```text
//!  guard given back ─► begin_flush, unless one runs ─► all that is unpublished, one transaction ─► publish ─► waiters
//!                           ▲                                                                        │
//!                           └──────────────── committed meanwhile: all of that, one transaction ─────┘
//! ```
//! In: commits. Out: the same on the disk. Many writers share a sync: who commits while one is made is in the next. The sync
//! is made by a blocking task, which tokio's paused clock waits for, or in place where there is no runtime. Invariant:
//! whoever holds both locks took the journal's first. Without a directory, nothing here does anything.

use std::path::Path;
use std::sync::{Arc, PoisonError, Weak};

use tokio::runtime::Handle;

use super::{Server, State};
use crate::cluster::Cluster;
use crate::data::error::DataError;
use crate::data::journal::Journal;
use crate::data::snapshot;
use crate::response::status::{Answer, internal};

impl State {
    /// Waits until everything that was committed so far is stored and published; a failure of the disk is the answer.
    pub(crate) async fn durable(&self) -> Answer<()> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let steps = self.locked().store.publication.committed();
        journal.wait_for(steps).await.map_err(|error| internal(&error.to_string()))
    }

    /// Has a task store and publish what is committed.
    pub(super) fn begin_flush(&self, runtime: &Handle) {
        let flush = Flush(Weak::clone(&self.me));
        runtime.spawn_blocking(move || drop(flush));
    }

    /// Stores and publishes until nothing is left of it, for whoever was told to by the store.
    pub(super) fn flush_all(&self) {
        // If it fails, the journal has logged why, and tells everybody who waits.
        drop(self.flush_to(u64::MAX));
    }

    /// Stores and publishes what was committed so far, in place.
    pub(super) fn flush_committed(&self) -> Result<(), DataError> {
        let steps = self.locked().store.publication.committed();
        self.flush_to(steps)
    }

    fn flush_to(&self, steps: u64) -> Result<(), DataError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let writing = journal.writing();
        loop {
            let (batch, step) = {
                let mut cluster = self.locked();
                if cluster.store.publication.published() >= steps {
                    return Ok(());
                }
                if cluster.store.publication.committed() == cluster.store.publication.published() {
                    cluster.store.publication.journalled_all();
                    return Ok(());
                }
                cluster.store.unjournalled()
            };
            writing.write(&batch)?;
            self.locked().store.publication.publish_to(step);
            journal.reached(step);
        }
    }

    /// Replaces what is stored as a whole, in memory and on the disk; returns what the change returns, which says whether it
    /// was made.
    pub(super) fn replace_stored(&self, change: impl FnOnce(&mut Cluster) -> bool) -> bool {
        let Some(journal) = &self.journal else { return change(&mut self.cluster()) };
        let writing = journal.writing();
        let mut cluster = self.cluster();
        let (batch, _) = cluster.store.unjournalled();
        if writing.write(&batch).is_err() {
            return false;
        }
        cluster.store.publication.publish();
        let is_made = change(&mut cluster);
        if is_made {
            let (objects, revision) = (cluster.store.objects(), cluster.store.revision());
            let stored = writing.perform(|database| database.replace(&objects, revision));
            // If that failed, the journal says so to everybody who asks from now on.
            drop(stored);
        }
        journal.reached(cluster.store.publication.published());
        // First, because a cluster that is given back may have something to write.
        drop(writing);
        drop(cluster);
        is_made
    }

    /// Everything that is stored, as text; who shows it waits until it is durable.
    pub(crate) fn backup(&self) -> String {
        let (objects, revision) = {
            let cluster = self.settled();
            (cluster.store.objects(), cluster.store.revision())
        };
        snapshot::print(&objects, revision)
    }

    /// Whether the data directory is well; without one it is.
    pub(super) fn check_journal(&self) -> Result<(), DataError> {
        self.journal.as_ref().map_or(Ok(()), Journal::check)
    }

    /// A value that the data directory keeps; none without one.
    #[cfg(feature = "serve")]
    pub(crate) fn kept(&self, name: &str) -> Option<Vec<u8>> {
        let journal = self.journal.as_ref()?;
        journal.writing().database().value(name).unwrap_or_else(|error| {
            tracing::warn!("{error}");
            None
        })
    }

    /// Has the data directory keep a value, if there is one.
    #[cfg(feature = "serve")]
    pub(crate) fn keep(&self, name: &str, value: &[u8]) -> Result<(), DataError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        journal.writing().perform(|database| database.keep(name, value))
    }
}

impl Drop for State {
    /// Stores what was committed and not waited for. Nobody else writes any more, and what was planned is not done.
    fn drop(&mut self) {
        self.cancel_settling();
        let Some(journal) = self.journal.take() else { return };
        let cluster = self.cluster.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (batch, _) = cluster.store.unjournalled();
        // If it fails, the journal has logged it, and nobody was told that it succeeded.
        drop(journal.writing().write(&batch));
    }
}

/// A flush that is due. It is made when this is dropped: a runtime that ends drops its blocking tasks without running them.
struct Flush(Weak<State>);

impl Drop for Flush {
    fn drop(&mut self) {
        if let Some(state) = self.0.upgrade() {
            state.flush_all();
        }
    }
}

impl Server {
    /// A server with default settings whose objects are in a directory; see [`Builder::open`](super::Builder::open).
    ///
    /// # Errors
    /// If the directory cannot be used.
    pub fn open(directory: impl AsRef<Path>) -> Result<Server, DataError> {
        Server::builder().open(directory)
    }

    /// Waits until the data directory fails: a full disk, for instance. Every request is answered with 500 and the same
    /// sentence then, because what memory holds may not be on the disk; start anew once its cause is gone. Without a data
    /// directory it waits for ever.
    pub async fn data_failure(&self) -> DataError {
        let state = Arc::clone(&self.state);
        match &state.journal {
            Some(journal) => journal.failed().await,
            None => std::future::pending().await,
        }
    }
}
