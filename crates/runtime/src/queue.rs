//! Which key is due, each at most once at a time.
//!
//! ```text
//!   add(key, due, priority) ──► delayed ──due──► ready ──pop(now)──► running ──done(key)──► gone, or delayed again
//! ```
//!
//! A key that waits is not added twice: the earlier time and the higher priority count. A running key is not popped
//! until it is done. Ready keys come out by priority, and within one priority in the order they became ready. No key
//! starves: after `PASSED_OVER_MAX` pops that went past an older key, the oldest is next whatever its priority. Every
//! operation costs O(log n). A key lies there [once](crate::keyed), the orders hold its number. It is pure: the time is an
//! input.

mod ready;

use std::collections::BTreeMap;
use std::hash::Hash;

use tokio::time::Instant;

use crate::keyed::{Found, Keyed, Number};
use ready::Ready;

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
    keys: Keyed<T, Place>,
    delayed: BTreeMap<(Instant, u64), Number>,
    ready: Ready,
    next_ticket: u64,
    passed_over: u32,
    adds: u64,
}

/// Where a key is; a ready one since it was due.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    Delayed { due: Instant, ticket: u64, priority: Priority },
    Ready { due: Instant, ticket: u64, priority: Priority },
    Running { again: Option<(Instant, Priority)> },
}

/// A key whose turn it is.
pub(crate) struct Popped<T> {
    pub(crate) key: T,
    /// Until it is [done](Queue::done_numbered).
    pub(crate) number: Number,
    /// Since when it is due.
    pub(crate) due: Instant,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self {
            keys: Keyed::default(),
            delayed: BTreeMap::new(),
            ready: Ready::default(),
            next_ticket: 0,
            passed_over: 0,
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
        let number = match self.keys.find(&key) {
            Found::Known(number) => number,
            Found::Unknown(hash) => {
                self.adds += 1;
                let ticket = self.ticket();
                let number = self.keys.insert(key, hash, Place::Delayed { due, ticket, priority });
                self.delayed.insert((due, ticket), number);
                return;
            }
        };
        match *self.keys.value(number) {
            Place::Running { again } => {
                self.adds += u64::from(again.is_none());
                let (earlier, higher) = again.unwrap_or((due, priority));
                let again = Some((earlier.min(due), higher.max(priority)));
                *self.keys.value_mut(number) = Place::Running { again };
            }
            Place::Delayed { due: known_due, priority: known, .. } if known_due <= due && known >= priority => {}
            Place::Delayed { due: known_due, ticket, priority: known } => {
                self.delayed.remove(&(known_due, ticket));
                self.delay(number, due.min(known_due), priority.max(known));
            }
            Place::Ready { due, ticket, priority: known } if known < priority => {
                self.ready.remove(known, ticket);
                *self.keys.value_mut(number) = Place::Ready { due, ticket, priority };
                self.ready.insert(priority, ticket, number);
            }
            Place::Ready { .. } => {}
        }
    }

    /// As [`add_with`](Self::add_with) for a key that is due `now`: it is ready at once, unless it runs.
    pub(crate) fn add_due(&mut self, key: T, now: Instant, priority: Priority) {
        // What was due before comes before.
        self.ripen(now);
        match self.keys.find(&key) {
            Found::Known(_) => {
                self.add_with(key, now, priority);
                self.ripen(now);
            }
            Found::Unknown(hash) => {
                self.adds += 1;
                let ticket = self.ticket();
                let number = self.keys.insert(key, hash, Place::Ready { due: now, ticket, priority });
                self.ready.insert(priority, ticket, number);
            }
        }
    }

    /// Takes the ready key that matters most at `now`, or the oldest if that has waited for its turn too long; it runs
    /// until [`done`](Self::done).
    pub(crate) fn pop(&mut self, now: Instant) -> Option<T> {
        self.pop_numbered(now).map(|popped| popped.key)
    }

    /// As [`pop`](Self::pop), with what is known of the key.
    pub(crate) fn pop_numbered(&mut self, now: Instant) -> Option<Popped<T>> {
        self.ripen(now);
        let (oldest, first) = (self.ready.oldest()?, self.ready.first()?);
        self.passed_over = if first == oldest { 0 } else { self.passed_over + 1 };
        let number = if self.passed_over > PASSED_OVER_MAX {
            self.passed_over = 0;
            oldest
        } else {
            first
        };
        let Place::Ready { due, ticket, priority } = *self.keys.value(number) else {
            unreachable!("a key among the ready ones has a ready place");
        };
        self.ready.remove(priority, ticket);
        *self.keys.value_mut(number) = Place::Running { again: None };
        Some(Popped { key: self.keys.key(number).clone(), number, due })
    }

    /// Says that `key` has run.
    pub(crate) fn done(&mut self, key: &T) {
        if let Some(number) = self.keys.number(key) {
            self.done_numbered(number);
        }
    }

    /// Says that the key which was popped with this number has run; returns whether it waits now, because it was added meanwhile.
    pub(crate) fn done_numbered(&mut self, number: Number) -> bool {
        match *self.keys.value(number) {
            Place::Running { again: Some((due, priority)) } => {
                self.delay(number, due, priority);
                true
            }
            Place::Running { again: None } => {
                self.keys.remove(number);
                false
            }
            Place::Delayed { .. } | Place::Ready { .. } => true,
        }
    }

    /// Forgets `key` if it waits; one that runs is not run again.
    pub(crate) fn forget(&mut self, key: &T) {
        let Some(number) = self.keys.number(key) else { return };
        match *self.keys.value(number) {
            Place::Delayed { due, ticket, .. } => {
                self.delayed.remove(&(due, ticket));
                self.keys.remove(number);
            }
            Place::Ready { ticket, priority, .. } => {
                self.ready.remove(priority, ticket);
                self.keys.remove(number);
            }
            Place::Running { .. } => *self.keys.value_mut(number) = Place::Running { again: None },
        }
    }

    /// Forgets every key that is not due at `now`. One that runs and should run again later does not.
    pub(crate) fn forget_delayed(&mut self, now: Instant) {
        self.ripen(now);
        for place in self.keys.values_mut() {
            if let Place::Running { again } = place {
                *again = again.filter(|(due, _)| *due <= now);
            }
        }
        for number in std::mem::take(&mut self.delayed).into_values() {
            self.keys.remove(number);
        }
    }

    /// When the next key is due.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        let Some(oldest) = self.ready.oldest() else { return self.next_delayed() };
        match self.keys.value(oldest) {
            Place::Ready { due, .. } => Some(*due),
            Place::Delayed { .. } | Place::Running { .. } => {
                unreachable!("a key among the ready ones has a ready place")
            }
        }
    }

    /// How many keys are due at `now`.
    pub(crate) fn due_len(&mut self, now: Instant) -> usize {
        self.ripen(now);
        self.ready.len()
    }

    /// How many keys of each priority were due when the queue was last asked about a moment, the lowest first.
    pub(crate) fn depths(&self) -> BTreeMap<Priority, usize> {
        self.ready.depths()
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
        matches!(self.place(key), Some(Place::Running { .. }))
    }

    /// The keys that are being worked on, in their order; looks at every key.
    pub(crate) fn running(&self) -> Vec<T>
    where
        T: Ord,
    {
        let running = self.keys.iter().filter(|(_, place)| matches!(place, Place::Running { .. }));
        let mut running: Vec<_> = running.map(|(key, _)| key.clone()).collect();
        running.sort_unstable();
        running
    }

    /// Whether `key` waits, or will wait again once it has run.
    pub(crate) fn is_wanted(&self, key: &T) -> bool {
        self.place(key).is_some_and(|place| !matches!(place, Place::Running { again: None }))
    }

    /// Whether any key waits, or will wait again once it has run; looks at every key.
    pub(crate) fn is_any_wanted(&self) -> bool {
        self.keys.iter().any(|(_, place)| !matches!(place, Place::Running { again: None }))
    }

    fn place(&self, key: &T) -> Option<&Place> {
        self.keys.number(key).map(|number| self.keys.value(number))
    }

    fn delay(&mut self, number: Number, due: Instant, priority: Priority) {
        let ticket = self.ticket();
        *self.keys.value_mut(number) = Place::Delayed { due, ticket, priority };
        self.delayed.insert((due, ticket), number);
    }

    /// Moves what is due from the delayed to the ready.
    fn ripen(&mut self, now: Instant) {
        while let Some(first) = self.delayed.first_entry().filter(|first| first.key().0 <= now) {
            let ((due, _), number) = first.remove_entry();
            let Place::Delayed { priority, .. } = *self.keys.value(number) else {
                unreachable!("a delayed key has a delayed place");
            };
            let ticket = self.ticket();
            *self.keys.value_mut(number) = Place::Ready { due, ticket, priority };
            self.ready.insert(priority, ticket, number);
        }
    }

    fn ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }
}

#[cfg(test)]
mod tests;
