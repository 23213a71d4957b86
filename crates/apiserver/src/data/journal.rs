//! How far what is committed is also stored: writers share a sync, and wait for it here.
//!
//! In: batches, one after the other, from whoever holds the database. Out: a wake-up for everyone whose steps are stored
//! and published, or the failure, which is final: what is in memory then is ahead of the disk, so nothing of it may be seen.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::DataDirectory;
use super::database::{Batch, Database};
use super::error::DataError;

/// The way to the disk.
pub(crate) struct Journal {
    directory: Mutex<DataDirectory>,
    reached: watch::Sender<Reached>,
}

#[derive(Default)]
struct Reached {
    /// How many steps of the store are stored and published.
    steps: u64,
    failure: Option<DataError>,
}

/// The right to write. Who also wants the cluster locks that second.
pub(crate) struct Writing<'a> {
    journal: &'a Journal,
    directory: MutexGuard<'a, DataDirectory>,
}

impl Journal {
    pub(crate) fn new(directory: DataDirectory) -> Journal {
        Journal { directory: Mutex::new(directory), reached: watch::Sender::default() }
    }

    pub(crate) fn writing(&self) -> Writing<'_> {
        Writing { journal: self, directory: self.directory.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Waits until so many steps are stored and published.
    pub(crate) async fn wait_for(&self, steps: u64) -> Result<(), DataError> {
        let mut reached = self.reached.subscribe();
        let is_over = |reached: &Reached| reached.steps >= steps || reached.failure.is_some();
        // It fails only without a sender, and that is ours.
        match reached.wait_for(is_over).await.ok().and_then(|reached| reached.failure.clone()) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Waits for a failure, which may never come.
    pub(crate) async fn failed(&self) -> DataError {
        match self.wait_for(u64::MAX).await {
            Err(failure) => failure,
            Ok(()) => std::future::pending().await,
        }
    }

    /// So many steps are stored and published.
    pub(crate) fn reached(&self, steps: u64) {
        self.reached.send_modify(|reached| reached.steps = steps);
    }

    pub(crate) fn check(&self) -> Result<(), DataError> {
        self.reached.borrow().failure.clone().map_or(Ok(()), Err)
    }
}

impl Writing<'_> {
    /// Stores a batch.
    pub(crate) fn write(&self, batch: &Batch) -> Result<(), DataError> {
        if batch.changes.is_empty() { self.journal.check() } else { self.perform(|database| database.write(batch)) }
    }

    /// Does something to the database. After a failure nothing is done any more: the next could succeed, and what failed
    /// would be missing in the middle.
    pub(crate) fn perform(&self, work: impl FnOnce(&Database) -> Result<(), DataError>) -> Result<(), DataError> {
        self.journal.check()?;
        let done = work(&self.directory.database);
        if let Err(failure) = &done {
            tracing::error!("{failure}; nothing is answered any more");
            self.journal.reached.send_modify(|reached| reached.failure = Some(failure.clone()));
        }
        done
    }

    #[cfg(feature = "serve")]
    pub(crate) fn database(&self) -> &Database {
        &self.directory.database
    }
}
