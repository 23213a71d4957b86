//! The stream of changes of one resource, shared by all its watchers.
//!
//! In: changes, from the store, under its lock. Out: a wake-up for everyone who waits, and the changes after a
//! revision. No watcher has a queue here: each keeps the revision it has read to, so a slow one costs nothing
//! and is cut when the cache has overtaken it. A closed broadcaster still hands out what it holds.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::storage::waiters::{Waiter, Waiters};
use crate::storage::watch_cache::{Capacity, Change, WatchCache};

/// The changes of one resource.
pub(crate) struct Broadcaster {
    cache: Mutex<WatchCache>,
    /// The revision of the last change: who has read that far need not look into the cache.
    newest: AtomicU64,
    waiters: Arc<Waiters>,
    closed: AtomicBool,
}

/// The reader was too slow: changes it has not seen are gone.
#[derive(Debug)]
pub(crate) struct Overtaken;

impl Broadcaster {
    /// A broadcaster that knows nothing of what happened up to `forgotten`.
    pub(crate) fn new(capacity: Capacity, forgotten: u64) -> Broadcaster {
        Broadcaster {
            cache: Mutex::new(WatchCache::new(capacity, forgotten)),
            newest: AtomicU64::new(forgotten),
            waiters: Arc::default(),
            closed: AtomicBool::new(false),
        }
    }

    pub(crate) fn push(&self, change: Change) {
        let revision = change.revision();
        self.cache().push(Arc::new(change), Instant::now());
        self.newest.store(revision, Ordering::Release);
        self.waiters.wake();
    }

    /// Ends every watch once it has read what there is.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.waiters.wake();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// A place to wait for the next change, or for the end.
    pub(crate) fn wait(&self) -> Waiter {
        self.waiters.join()
    }

    /// Whether there are changes after a revision.
    pub(crate) fn has_changes(&self, after: u64) -> bool {
        self.newest.load(Ordering::Acquire) > after
    }

    /// Adds at most `limit` changes after a revision to those that a reader has, oldest first; maybe none, maybe more to come.
    pub(crate) fn read(&self, after: u64, limit: usize, changes: &mut Vec<Arc<Change>>) -> Result<(), Overtaken> {
        if self.has_changes(after) {
            changes.extend(self.cache().after(after).ok_or(Overtaken)?.take(limit).cloned());
        }
        Ok(())
    }

    /// All changes after a revision, newest first, or `None` when some are gone: what undoing them takes.
    pub(crate) fn newest_first(&self, after: u64) -> Option<Vec<Arc<Change>>> {
        Some(self.cache().after(after)?.rev().cloned().collect())
    }

    /// The last revision that is no longer here.
    pub(crate) fn forgotten(&self) -> u64 {
        self.cache().forgotten()
    }

    fn cache(&self) -> MutexGuard<'_, WatchCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
