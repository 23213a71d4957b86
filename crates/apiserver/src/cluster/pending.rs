//! What the writes so far leave to be done by controllers, and what is on its way for them.
//!
//! ```text
//!  stored, removed ─► followups ─► a controller ─► its write ─┬─► committed at once
//!        ▲                                                    └─► intents ─► in flight ─┬─► done ──► the object again
//!        └────────────────────────── deferred ◄──────────────────────────────────────── refused
//! ```
//! In: objects that were stored or removed, and writes that must ask webhooks. Out: the next object to look at, the writes to
//! start, and when there is something to do. Invariant: while a write for an object is in flight, its controllers are not
//! run: they would want the same again. It reads no store and no clock.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use pintle_core::backoff::Exponential;
use tokio::time::Instant;

use crate::controllers::intents::Intent;
use crate::storage::entry::Entry;
use crate::storage::store::StorageKey;

/// The work of controllers.
#[derive(Default)]
pub(crate) struct PendingWork {
    followups: VecDeque<Followup>,
    /// Writes that must ask webhooks, to be started.
    intents: Vec<Intent>,
    /// How many writes for an object are on their way.
    in_flight: BTreeMap<StorageKey, usize>,
    /// How often in a row a write for an object was refused.
    refusals: BTreeMap<StorageKey, u32>,
    /// Objects that are looked at again at a moment.
    deferred: Vec<(Instant, StorageKey)>,
}

/// An object that controllers look at.
pub(crate) enum Followup {
    Stored(StorageKey),
    Removed(StorageKey, Arc<Entry>),
}

impl PendingWork {
    /// An object was stored, or is to be looked at as if it had just been.
    pub(crate) fn stored(&mut self, place: StorageKey) {
        self.followups.push_back(Followup::Stored(place));
    }

    pub(crate) fn removed(&mut self, place: StorageKey, last: Arc<Entry>) {
        self.followups.push_back(Followup::Removed(place, last));
    }

    /// The next object for controllers. One for which a write is in flight comes again when that is over.
    pub(crate) fn next(&mut self) -> Option<Followup> {
        loop {
            match self.followups.pop_front()? {
                Followup::Stored(place) if self.in_flight.contains_key(&place) => {}
                other => return Some(other),
            }
        }
    }

    /// Whether a write for an object is on its way.
    pub(crate) fn is_in_flight(&self, place: &StorageKey) -> bool {
        self.in_flight.contains_key(place)
    }

    /// Notes a write that is to be started.
    pub(crate) fn start_later(&mut self, intent: Intent) {
        *self.in_flight.entry(intent.place.clone()).or_default() += 1;
        self.intents.push(intent);
    }

    /// The writes that are to be started.
    pub(crate) fn take_intents(&mut self) -> Vec<Intent> {
        std::mem::take(&mut self.intents)
    }

    /// A write for an object is over.
    pub(crate) fn done(&mut self, place: &StorageKey) {
        self.refusals.remove(place);
        if self.has_landed(place) {
            self.stored(place.clone());
        }
    }

    /// A write for an object was refused; its controllers try again later, and later each time.
    pub(crate) fn refused(&mut self, place: &StorageKey, now: Instant) {
        let refusals = self.refusals.entry(place.clone()).or_default();
        let delay = RETRY.delay(*refusals, 0.0);
        *refusals += 1;
        if self.has_landed(place) {
            self.deferred.push((now + delay, place.clone()));
        }
    }

    /// Whether it was the last write in flight for its object.
    fn has_landed(&mut self, place: &StorageKey) -> bool {
        match self.in_flight.get_mut(place) {
            Some(count) if *count > 1 => {
                *count -= 1;
                false
            }
            _ => {
                self.in_flight.remove(place);
                true
            }
        }
    }

    /// Brings objects back whose time has come.
    pub(crate) fn bring_back(&mut self, now: Instant) {
        for (_, place) in self.deferred.extract_if(.., |(at, _)| *at <= now).collect::<Vec<_>>() {
            self.stored(place);
        }
    }

    /// Brings all objects back that are deferred: their time may have come, because the clock was moved.
    pub(crate) fn bring_back_all(&mut self) {
        for (_, place) in std::mem::take(&mut self.deferred) {
            self.stored(place);
        }
    }

    /// Whether nothing is to be done and nothing is in flight; what is deferred does not count.
    pub(crate) fn is_done(&self) -> bool {
        self.followups.is_empty() && self.in_flight.is_empty()
    }

    /// When there is something to do; `soon` is for what can be done already.
    pub(crate) fn due(&self, soon: Instant) -> Option<Instant> {
        let ready = (!self.followups.is_empty()).then_some(soon);
        ready.into_iter().chain(self.deferred.iter().map(|(at, _)| *at)).min()
    }
}

/// After a refusal: soon enough for a test that mends the cause, and a minute at most, so that a webhook is not flooded.
const RETRY: Exponential = Exponential::new(Duration::from_millis(500), Duration::from_secs(60));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::intents::Action;
    use crate::registry::delete::Propagation;
    use crate::storage::store::Resource;

    fn place() -> StorageKey {
        StorageKey { resource: Resource::new("", "pods"), key: "n/p".into() }
    }

    fn intent() -> Intent {
        let delete = Action::Delete { place: place(), propagation: Propagation::Background, grace_period: None };
        Intent::new("c", &place(), delete)
    }

    #[test]
    fn an_object_is_not_looked_at_while_a_write_for_it_is_in_flight() {
        let mut pending = PendingWork::default();
        pending.start_later(intent());
        pending.start_later(intent());
        pending.stored(place());
        assert!(pending.next().is_none() && !pending.is_done());
        pending.done(&place());
        assert!(pending.next().is_none(), "one is left");
        pending.done(&place());
        assert!(matches!(pending.next(), Some(Followup::Stored(_))));
        assert!(pending.next().is_none() && pending.is_done());
    }

    #[test]
    fn each_refusal_in_a_row_is_waited_for_longer() {
        let (mut pending, mut now) = (PendingWork::default(), Instant::now());
        for milliseconds in [500, 1000, 2000] {
            pending.start_later(intent());
            pending.refused(&place(), now);
            let due = pending.due(now).unwrap();
            assert_eq!(due - now, Duration::from_millis(milliseconds));
            pending.bring_back(now);
            assert!(pending.next().is_none(), "not yet");
            pending.bring_back(due);
            assert!(pending.next().is_some());
            now = due;
        }
        pending.start_later(intent());
        pending.done(&place());
        pending.refused(&place(), now);
        assert_eq!(pending.deferred[0].0 - now, Duration::from_millis(500), "it begins anew after a success");
    }
}
