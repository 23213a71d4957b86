//! Which objects wait until the controller has seen what their last reconcile wrote.
//!
//! A reconciler that runs on a cache older than its own writes creates what it has created and repeats what it has done.
//! So a key whose writes are not seen yet is parked when its turn comes, takes no place, and is given back when they are
//! seen or [`PATIENCE`] is over. It is pure: it is told the time, and which writes are seen.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use pintle_client::client::writes::Write;
use tokio::time::Instant;

use crate::reflector::Key;

/// How long a write is waited for: a watch that lags more than this has trouble of its own, and is told of.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// What is waited for, and by whom.
#[derive(Debug, Default)]
pub(super) struct Holds {
    unseen: HashMap<Key, Hold>,
    parked: BTreeMap<Key, Instant>,
    /// In the order they end; a key may have ended sooner.
    expiries: VecDeque<(Instant, Key)>,
}

#[derive(Debug)]
struct Hold {
    writes: Vec<Write>,
    until: Instant,
}

/// A key that may go on.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Freed {
    pub(super) key: Key,
    /// Whether it waited in vain.
    pub(super) is_expired: bool,
}

impl Holds {
    /// A reconcile of `key` has ended and wrote `writes`.
    pub(super) fn wrote(&mut self, key: &Key, mut writes: Vec<Write>, now: Instant, awaits: impl Fn(&Write) -> bool) {
        self.expire(now);
        writes.retain(|write| awaits(write));
        if writes.is_empty() {
            self.unseen.remove(key);
        } else {
            let until = now + PATIENCE;
            self.unseen.insert(key.clone(), Hold { writes, until });
            self.expiries.push_back((until, key.clone()));
        }
    }

    /// Forgets what nobody asked for in time.
    fn expire(&mut self, now: Instant) {
        while self.expiries.front().is_some_and(|(until, _)| *until <= now) {
            let Some((_, key)) = self.expiries.pop_front() else { return };
            let is_over = self.unseen.get(&key).is_some_and(|hold| hold.until <= now);
            if is_over && !self.parked.contains_key(&key) {
                self.unseen.remove(&key);
            }
        }
    }

    /// Parks `key` if it must wait; says whether it does.
    pub(super) fn park(&mut self, key: &Key, now: Instant, awaits: impl Fn(&Write) -> bool) -> bool {
        let Some(hold) = self.unseen.get_mut(key) else { return false };
        hold.writes.retain(|write| awaits(write));
        if hold.writes.is_empty() || hold.until <= now {
            self.unseen.remove(key);
            return false;
        }
        self.parked.insert(key.clone(), hold.until);
        true
    }

    /// Gives back those who have waited long enough.
    pub(super) fn freed(&mut self, now: Instant, awaits: impl Fn(&Write) -> bool) -> Vec<Freed> {
        let mut freed = Vec::new();
        self.parked.retain(|key, until| {
            let is_seen = self.unseen.get(key).is_none_or(|hold| !hold.writes.iter().any(&awaits));
            if !is_seen && *until > now {
                return true;
            }
            self.unseen.remove(key);
            freed.push(Freed { key: key.clone(), is_expired: !is_seen });
            false
        });
        freed
    }

    /// Nobody waits for what `key` wrote: it is gone. It is given back if it was parked.
    pub(super) fn forget(&mut self, key: &Key) {
        self.unseen.remove(key);
    }

    /// When the next of the parked has waited long enough.
    pub(super) fn next_expiry(&self) -> Option<Instant> {
        self.parked.values().min().copied()
    }

    /// How many are parked.
    pub(super) fn len(&self) -> usize {
        self.parked.len()
    }
}
