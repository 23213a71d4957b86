//! Events do not stay: each goes an hour after it was last written, as kube-apiserver's leases in etcd have it.
//!
//! In: writes of events, and the server's time, which a test can move. Out: removals. No task waits for them: the next access
//! to the cluster removes them, and their watchers get the DELETED events then.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Clock;
use crate::cluster::Cluster;
use crate::storage::store::StorageKey;

/// The events that will go, soonest first.
#[derive(Debug, Clone)]
pub(crate) struct Expiries {
    pub(crate) time_to_live: Duration,
    queue: VecDeque<Expiry>,
}

#[derive(Debug, Clone)]
struct Expiry {
    at: Instant,
    place: StorageKey,
    revision: u64,
}

impl Expiries {
    pub(crate) fn new(time_to_live: Duration) -> Expiries {
        Expiries { time_to_live, queue: VecDeque::new() }
    }

    /// Notes a write.
    pub(crate) fn note(&mut self, place: &StorageKey, revision: u64, clock: &Clock) {
        let is_event = &*place.resource.plural == "events" && place.resource.group.is_empty();
        if is_event && let Some(at) = clock.instant().checked_add(self.time_to_live) {
            // The last of all, unless the clock was moved back.
            let before = self.queue.partition_point(|expiry| expiry.at <= at);
            self.queue.insert(before, Expiry { at, place: place.clone(), revision });
        }
    }

    fn next(&mut self, clock: &Clock) -> Option<Expiry> {
        let is_due = self.queue.front().is_some_and(|expiry| expiry.at <= clock.instant());
        if is_due { self.queue.pop_front() } else { None }
    }
}

impl Cluster {
    /// Removes the events whose time is over.
    pub(crate) fn expire_events(&mut self) {
        while let Some(Expiry { place, revision, .. }) = self.expiries.next(&self.clock) {
            let found = self.store.get(&place.resource, &place.key);
            if let Some(entry) = found.filter(|entry| entry.revision == revision)
                && let Err(refusal) = self.remove(&place, &entry.object())
            {
                tracing::warn!(key = %place.key, "an event could not expire: {}", refusal.message);
            }
        }
    }
}
