//! When objects are to be looked at again, by the server's clock.
//!
//! In: an object and a time. Out: those whose time has come, and how long it is until the next. An object has one alarm, the
//! earliest. Invariant: an alarm that has gone off is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use crate::storage::store::StorageKey;

#[derive(Debug, Clone)]
pub(super) struct Alarms {
    by_time: BTreeSet<(Timestamp, StorageKey)>,
    by_place: BTreeMap<StorageKey, Timestamp>,
    /// What time it was at a moment of tokio's time.
    origin: (Instant, Timestamp),
}

impl Alarms {
    pub(super) fn new() -> Alarms {
        let origin = (Instant::now(), Timestamp::now());
        Alarms { by_time: BTreeSet::new(), by_place: BTreeMap::new(), origin }
    }

    /// The time at a moment of tokio's time.
    pub(super) fn time_at(&self, moment: Instant) -> Timestamp {
        let (instant, time) = self.origin;
        let gone = SignedDuration::try_from(moment.saturating_duration_since(instant)).unwrap_or_default();
        time.checked_add(gone).unwrap_or(time)
    }

    /// Looks at an object at a time, unless it is looked at before.
    pub(super) fn set(&mut self, place: StorageKey, at: Timestamp) {
        match self.by_place.get(&place) {
            Some(known) if *known <= at => return,
            Some(known) => drop(self.by_time.remove(&(*known, place.clone()))),
            None => {}
        }
        self.by_time.insert((at, place.clone()));
        self.by_place.insert(place, at);
    }

    /// The objects whose time has come.
    pub(super) fn take_due(&mut self, now: Timestamp) -> Vec<StorageKey> {
        let mut due = Vec::new();
        while self.by_time.first().is_some_and(|(at, _)| *at <= now) {
            let Some((_, place)) = self.by_time.pop_first() else { break };
            self.by_place.remove(&place);
            due.push(place);
        }
        due
    }

    /// The moment of the next alarm. A clock of a test stands still or jumps: it is asked once a second at most.
    pub(super) fn next(&self, now: Timestamp, is_system: bool) -> Option<Instant> {
        let (at, _) = self.by_time.first()?;
        let least = if is_system { TICK } else { TEST_TICK };
        let wait = Duration::try_from(at.duration_since(now)).unwrap_or_default().max(least);
        Some(Instant::now() + wait)
    }
}

/// Timers are as fine as this.
const TICK: Duration = Duration::from_millis(1);

const TEST_TICK: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::store::Resource;

    fn place(name: &str) -> StorageKey {
        StorageKey { resource: Resource::new("", "pods"), key: name.into() }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn an_object_has_one_alarm_the_earliest() {
        let mut alarms = Alarms::new();
        alarms.set(place("a"), at(5));
        alarms.set(place("b"), at(3));
        alarms.set(place("a"), at(9));
        alarms.set(place("a"), at(2));
        assert_eq!(alarms.take_due(at(1)), []);
        assert_eq!(alarms.take_due(at(3)), [place("a"), place("b")]);
        assert_eq!(alarms.take_due(at(100)), [], "each goes off once");
        assert!(alarms.next(at(100), true).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn its_time_follows_the_time_of_the_runtime() {
        let alarms = Alarms::new();
        let before = alarms.time_at(Instant::now());
        tokio::time::advance(Duration::from_secs(90)).await;
        assert_eq!(alarms.time_at(Instant::now()).duration_since(before).as_secs(), 90);
    }
}
