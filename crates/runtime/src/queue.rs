//! Which key is due, each at most once at a time.
//!
//! ```text
//!   add(key, due, priority) ──► delayed ──due──► ready ──pop(now)──► running ──done(key)──► gone, or delayed again
//! ```
//!
//! A key that waits is not added twice: the earlier time and the higher priority count. A running key is not popped
//! until it is done. Ready keys come out by priority, and within one priority in the order they became ready. No key
//! starves: after `PASSED_OVER_MAX` pops that went past an older key, the oldest is next whatever its priority. Every
//! operation costs O(log n). It is pure: the time is an input.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use foldhash::fast::RandomState;
use tokio::time::Instant;

/// How much a key matters; more is sooner.
pub type Priority = i32;

/// What is not urgent: first lists, resyncs. controller-runtime's number.
pub const PRIORITY_LOW: Priority = -100;
/// What happened now.
pub const PRIORITY_NORMAL: Priority = 0;

/// So many pops in a row may go past an older key of lower priority: a tenth of the work is promised to the old.
const PASSED_OVER_MAX: u32 = 9;

/// Keys, when they are due, and how much they matter.
#[derive(Clone, Debug)]
pub(crate) struct Queue<T> {
    delayed: BTreeMap<(Instant, u64), T>,
    ready: BTreeMap<(Reverse<Priority>, u64), T>,
    /// The ready ones by age.
    ages: BTreeMap<u64, (Priority, Instant)>,
    places: HashMap<T, Place, RandomState>,
    next_ticket: u64,
    passed_over: u32,
    /// How many of the ready ones have each priority; none that no key has.
    depths: BTreeMap<Priority, usize>,
    adds: u64,
}

/// Where a key is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    Delayed { due: Instant, ticket: u64, priority: Priority },
    Ready { ticket: u64, priority: Priority },
    Running { again: Option<(Instant, Priority)> },
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self {
            delayed: BTreeMap::new(),
            ready: BTreeMap::new(),
            ages: BTreeMap::new(),
            places: HashMap::default(),
            next_ticket: 0,
            passed_over: 0,
            depths: BTreeMap::new(),
            adds: 0,
        }
    }
}

impl<T: Clone + Eq + Hash> Queue<T> {
    /// Makes `key` due at `due`, or earlier if it already is.
    pub(crate) fn add(&mut self, key: T, due: Instant) {
        self.add_with(key, due, PRIORITY_NORMAL);
    }

    /// As [`add`](Self::add), with a priority; the highest it was added with counts.
    pub(crate) fn add_with(&mut self, key: T, due: Instant, priority: Priority) {
        match self.places.get_mut(&key) {
            Some(Place::Running { again }) => {
                self.adds += u64::from(again.is_none());
                let (earlier, higher) = again.unwrap_or((due, priority));
                *again = Some((earlier.min(due), higher.max(priority)));
            }
            Some(Place::Delayed { due: known_due, priority: known, .. }) if *known_due <= due && *known >= priority => {
            }
            Some(Place::Delayed { due: known_due, ticket, priority: known }) => {
                let (place, due, priority) = ((*known_due, *ticket), due.min(*known_due), priority.max(*known));
                self.delayed.remove(&place);
                self.delay(key, due, priority);
            }
            Some(Place::Ready { ticket, priority: known }) if *known < priority => {
                let (ticket, known) = (*ticket, *known);
                self.raise(key, ticket, known, priority);
            }
            Some(Place::Ready { .. }) => {}
            None => {
                self.adds += 1;
                self.delay(key, due, priority);
            }
        }
    }

    /// Takes the ready key that matters most at `now`, or the oldest if that has waited for its turn too long; it runs
    /// until [`done`](Self::done).
    pub(crate) fn pop(&mut self, now: Instant) -> Option<T> {
        self.ripen(now);
        let (&oldest, &(priority, _)) = self.ages.first_key_value()?;
        let (&(first_priority, first), _) = self.ready.first_key_value()?;
        self.passed_over = if first == oldest { 0 } else { self.passed_over + 1 };
        let place = if self.passed_over > PASSED_OVER_MAX {
            self.passed_over = 0;
            (Reverse(priority), oldest)
        } else {
            (first_priority, first)
        };
        let key = self.ready.remove(&place).expect("every age belongs to a ready key");
        self.ages.remove(&place.1);
        self.leave(place.0.0);
        self.places.insert(key.clone(), Place::Running { again: None });
        Some(key)
    }

    /// Says that `key` has run.
    pub(crate) fn done(&mut self, key: &T) {
        if let Some(Place::Running { again }) = self.places.get(key).copied() {
            self.places.remove(key);
            if let Some((due, priority)) = again {
                self.delay(key.clone(), due, priority);
            }
        }
    }

    /// Forgets `key` if it waits; one that runs is not run again.
    pub(crate) fn forget(&mut self, key: &T) {
        match self.places.get_mut(key).copied() {
            Some(Place::Delayed { due, ticket, .. }) => {
                self.delayed.remove(&(due, ticket));
                self.places.remove(key);
            }
            Some(Place::Ready { ticket, priority }) => {
                self.ready.remove(&(Reverse(priority), ticket));
                self.ages.remove(&ticket);
                self.leave(priority);
                self.places.remove(key);
            }
            Some(Place::Running { .. }) => drop(self.places.insert(key.clone(), Place::Running { again: None })),
            None => {}
        }
    }

    /// Forgets every key that is not due at `now`, and returns those that only waited. One that runs and should run again
    /// later does not.
    pub(crate) fn forget_delayed(&mut self, now: Instant) -> Vec<T> {
        self.ripen(now);
        for place in self.places.values_mut() {
            if let Place::Running { again } = place {
                *again = again.filter(|(due, _)| *due <= now);
            }
        }
        let forgotten: Vec<T> = std::mem::take(&mut self.delayed).into_values().collect();
        for key in &forgotten {
            self.places.remove(key);
        }
        forgotten
    }

    /// When the next key is due.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        let ready = self.ages.first_key_value().map(|(_, (_, due))| *due);
        ready.or_else(|| self.delayed.first_key_value().map(|((due, _), _)| *due))
    }

    /// How many keys are due at `now`.
    pub(crate) fn due_len(&mut self, now: Instant) -> usize {
        self.ripen(now);
        self.ready.len()
    }

    /// How many keys of each priority were due when the queue was last asked about a moment, the lowest first.
    pub(crate) fn depths(&self) -> &BTreeMap<Priority, usize> {
        &self.depths
    }

    /// How many keys were added that did not wait already.
    pub(crate) fn adds(&self) -> u64 {
        self.adds
    }

    /// How many keys wait for their time; those that were due when this was last asked are not among them.
    pub(crate) fn delayed_len(&self) -> usize {
        self.delayed.len()
    }

    /// When the first of those is due.
    pub(crate) fn next_delayed(&self) -> Option<Instant> {
        self.delayed.first_key_value().map(|((due, _), _)| *due)
    }

    /// How many keys are waiting.
    pub(crate) fn len(&self) -> usize {
        self.delayed.len() + self.ready.len()
    }

    /// Whether no key is waiting.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether `key` is being worked on.
    pub(crate) fn is_running(&self, key: &T) -> bool {
        matches!(self.places.get(key), Some(Place::Running { .. }))
    }

    /// The keys that are being worked on, in their order; looks at every key.
    pub(crate) fn running(&self) -> Vec<T>
    where
        T: Ord,
    {
        let running = self.places.iter().filter(|(_, place)| matches!(place, Place::Running { .. }));
        let mut running: Vec<_> = running.map(|(key, _)| key.clone()).collect();
        running.sort_unstable();
        running
    }

    /// Whether `key` waits, or will wait again once it has run.
    pub(crate) fn is_wanted(&self, key: &T) -> bool {
        self.places.get(key).is_some_and(|place| !matches!(place, Place::Running { again: None }))
    }

    /// Whether any key waits, or will wait again once it has run; looks at every key.
    pub(crate) fn is_any_wanted(&self) -> bool {
        self.places.values().any(|place| !matches!(place, Place::Running { again: None }))
    }

    fn delay(&mut self, key: T, due: Instant, priority: Priority) {
        let ticket = self.ticket();
        self.places.insert(key.clone(), Place::Delayed { due, ticket, priority });
        self.delayed.insert((due, ticket), key);
    }

    /// Moves what is due from the delayed to the ready.
    fn ripen(&mut self, now: Instant) {
        while let Some(first) = self.delayed.first_entry().filter(|first| first.key().0 <= now) {
            let ((due, _), key) = first.remove_entry();
            let Some(Place::Delayed { priority, .. }) = self.places.get(&key).copied() else {
                unreachable!("a delayed key has a delayed place");
            };
            let ticket = self.ticket();
            self.places.insert(key.clone(), Place::Ready { ticket, priority });
            self.ages.insert(ticket, (priority, due));
            self.enter(priority);
            self.ready.insert((Reverse(priority), ticket), key);
        }
    }

    /// One more key of this priority is ready.
    fn enter(&mut self, priority: Priority) {
        *self.depths.entry(priority).or_default() += 1;
    }

    /// One of them is not any more.
    fn leave(&mut self, priority: Priority) {
        if let Some(depth) = self.depths.get_mut(&priority) {
            *depth -= 1;
            if *depth == 0 {
                self.depths.remove(&priority);
            }
        }
    }

    fn raise(&mut self, key: T, ticket: u64, known: Priority, priority: Priority) {
        self.ready.remove(&(Reverse(known), ticket));
        if let Some(age) = self.ages.get_mut(&ticket) {
            age.0 = priority;
        }
        self.leave(known);
        self.enter(priority);
        self.places.insert(key.clone(), Place::Ready { ticket, priority });
        self.ready.insert((Reverse(priority), ticket), key);
    }

    fn ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }
}

#[cfg(test)]
mod tests;
