//! Signs of life of a running controller: when its loop last beat, and how long each of its reconciles has run.
//!
//! In: what begins and ends, and the time. Out: which reconciles are overdue, each once for the log, and whether all
//! slots are held by ones that hang. The engine writes it; probes read it from anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::reflector::Key;

/// What a controller and its probes share.
#[derive(Clone, Default)]
pub(in crate::controller) struct Heartbeat(Arc<Mutex<State>>);

#[derive(Debug, Default)]
pub(in crate::controller) struct State {
    beat: Option<Instant>,
    /// When each reconcile began that runs.
    began: BTreeMap<Key, Instant>,
    /// Those of them that were not found overdue, the oldest first.
    young: BTreeSet<(Instant, Key)>,
    /// How many may run at once, and after how long one that does not end hangs.
    limits: Limits,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::controller) struct Limits {
    pub(in crate::controller) slots: Option<usize>,
    pub(in crate::controller) hangs_after: Duration,
}

/// A reconcile that takes longer is worth a line in the log: most take less than a second.
pub(in crate::controller) const OVERDUE_AFTER: Duration = Duration::from_secs(60);
/// Where no deadline is set, a reconcile hangs that has run for so long.
pub(in crate::controller) const HANGS_AFTER: Duration = Duration::from_secs(600);
/// How often the loop turns, at least.
pub(in crate::controller) const HEARTBEAT: Duration = Duration::from_secs(10);
/// A loop that has not beat for so long is not polled.
pub(in crate::controller) const STILL_AFTER: Duration = Duration::from_secs(60);

impl Default for Limits {
    fn default() -> Self {
        Self { slots: None, hangs_after: HANGS_AFTER }
    }
}

impl Heartbeat {
    // Nothing panics while it is locked.
    pub(in crate::controller) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    pub(in crate::controller) fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The loop beat.
    pub(in crate::controller) fn beat(&mut self, now: Instant) {
        self.beat = Some(now);
    }

    pub(in crate::controller) fn began(&mut self, key: &Key, now: Instant) {
        self.ended(key);
        self.began.insert(key.clone(), now);
        self.young.insert((now, key.clone()));
    }

    pub(in crate::controller) fn ended(&mut self, key: &Key) {
        if let Some(began) = self.began.remove(key) {
            self.young.remove(&(began, key.clone()));
        }
    }

    /// Those that became overdue since this was last asked, with their age.
    pub(in crate::controller) fn newly_overdue(&mut self, now: Instant) -> Vec<(Key, Duration)> {
        let mut overdue = Vec::new();
        while let Some((began, _)) = self.young.first()
            && *began + OVERDUE_AFTER <= now
            && let Some((began, key)) = self.young.pop_first()
        {
            overdue.push((key, now - began));
        }
        overdue
    }

    /// When the next one becomes overdue.
    pub(in crate::controller) fn next_overdue(&self) -> Option<Instant> {
        self.young.first().map(|(began, _)| *began + OVERDUE_AFTER)
    }

    /// How many were found overdue.
    pub(in crate::controller) fn overdue_count(&self) -> usize {
        self.began.len() - self.young.len()
    }

    /// All that are overdue, with their age, in the order of their keys.
    pub(in crate::controller) fn overdue(&self, now: Instant) -> Vec<(Key, Duration)> {
        let aged = self.began.iter().map(|(key, began)| (key.clone(), now.saturating_duration_since(*began)));
        aged.filter(|(_, age)| *age >= OVERDUE_AFTER).collect()
    }

    /// How long the reconciles that run have taken so far, together, and the oldest of them.
    pub(in crate::controller) fn unfinished(&self, now: Instant) -> (Duration, Duration) {
        let ages = || self.began.values().map(|began| now.saturating_duration_since(*began));
        (ages().sum(), ages().max().unwrap_or_default())
    }

    /// For how long the loop has not beat; `None` if it never has.
    pub(in crate::controller) fn rested(&self, now: Instant) -> Option<Duration> {
        self.beat.map(|beat| now.saturating_duration_since(beat))
    }

    /// Whether the loop is polled.
    pub(in crate::controller) fn is_polled(&self, now: Instant) -> bool {
        self.rested(now).is_some_and(|rested| rested < STILL_AFTER)
    }

    /// Whether nothing can begin because all that runs hangs.
    pub(in crate::controller) fn is_jammed(&self, now: Instant) -> bool {
        let hangs = |began: &Instant| now.saturating_duration_since(*began) > self.limits.hangs_after;
        self.limits.slots.is_some_and(|slots| self.began.len() >= slots) && self.began.values().all(hangs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.into() }
    }

    #[test]
    fn each_reconcile_is_found_overdue_once_and_counted_while_it_runs() {
        let (start, mut state) = (Instant::now(), State::default());
        let at = |seconds| start + Duration::from_secs(seconds);
        state.began(&key("a"), at(0));
        state.began(&key("b"), at(30));
        assert_eq!((state.newly_overdue(at(59)), state.next_overdue()), (vec![], Some(at(60))));
        assert_eq!(state.newly_overdue(at(70)), [(key("a"), Duration::from_secs(70))]);
        assert_eq!((state.newly_overdue(at(71)), state.overdue_count()), (vec![], 1));
        assert_eq!((state.overdue(at(95)).len(), state.next_overdue()), (2, Some(at(90))));
        state.ended(&key("a"));
        state.ended(&key("b"));
        assert_eq!((state.overdue_count(), state.next_overdue(), state.overdue(at(200))), (0, None, vec![]));
    }

    #[test]
    fn it_is_jammed_when_every_slot_is_held_by_one_that_hangs() {
        let (start, mut state) = (Instant::now(), State::default());
        let at = |seconds| start + Duration::from_secs(seconds);
        state.limit(Limits { slots: Some(2), hangs_after: Duration::from_secs(100) });
        state.began(&key("a"), at(0));
        assert!(!state.is_jammed(at(1000)), "one slot is free");
        state.began(&key("b"), at(50));
        assert!(!state.is_jammed(at(120)) && state.is_jammed(at(151)));
        state.limit(Limits { slots: None, hangs_after: Duration::ZERO });
        assert!(!state.is_jammed(at(1000)), "there is always another slot");
    }

    #[test]
    fn a_loop_that_never_turned_or_not_for_a_minute_is_not_polled() {
        let (start, mut state) = (Instant::now(), State::default());
        assert!(!state.is_polled(start));
        state.beat(start);
        assert!(state.is_polled(start + Duration::from_secs(59)) && !state.is_polled(start + STILL_AFTER));
    }
}
