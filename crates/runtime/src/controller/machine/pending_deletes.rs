//! Deleted objects of one name whose delete handler has not succeeded yet.
//!
//! Several objects may have had one name, one after the other: the delete of each is handled. One whose handler fails is
//! tried again at a time of its own, and the object that has the name now does not wait for it.

use std::collections::VecDeque;

use tokio::time::Instant;

/// The deletes of one name, in the order they came. They lie apart, because hardly any name has one.
#[derive(Clone, Debug)]
pub(in crate::controller) struct PendingDeletes<D> {
    pending: Option<Box<Pending<D>>>,
}

/// Each with the time at which it is due; at least one.
type Pending<D> = VecDeque<(Instant, PendingDelete<D>)>;

/// One object that is gone.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::controller) struct PendingDelete<D> {
    /// The object as it was last known.
    pub(in crate::controller) last: D,
    /// How often its handler has failed.
    pub(in crate::controller) failures: u32,
}

/// At most this many of one name wait: more have a handler that never succeeds.
pub(super) const PENDING_MAX: usize = 100;

impl<D> Default for PendingDeletes<D> {
    fn default() -> Self {
        Self { pending: None }
    }
}

impl<D> PendingDeletes<D> {
    /// One more object of this name is gone. Returns one that is given up for it.
    pub(super) fn add(&mut self, last: D, now: Instant) -> Option<PendingDelete<D>> {
        let pending = self.pending.get_or_insert_default();
        pending.push_back((now, PendingDelete { last, failures: 0 }));
        if pending.len() > PENDING_MAX { pending.pop_front().map(|(_, oldest)| oldest) } else { None }
    }

    /// Takes the first one that is due.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<PendingDelete<D>> {
        let pending = self.pending.as_mut()?;
        let place = pending.iter().position(|(due, _)| *due <= now)?;
        let taken = pending.remove(place).map(|(_, delete)| delete);
        self.pending = self.pending.take().filter(|pending| !pending.is_empty());
        taken
    }

    /// One that was taken is due again then.
    pub(super) fn put_back(&mut self, delete: PendingDelete<D>, due: Instant) {
        self.pending.get_or_insert_default().push_front((due, delete));
    }

    /// When the next one is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.pending.as_ref()?.iter().map(|(due, _)| *due).min()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_none()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_comes_once_in_its_order_and_one_that_failed_at_its_time() {
        let (mut deletes, now) = (PendingDeletes::default(), Instant::now());
        let later = now + Duration::from_secs(5);
        for last in [1, 2] {
            assert_eq!(deletes.add(last, now), None);
        }
        let first = deletes.take_due(now).unwrap();
        deletes.put_back(PendingDelete { failures: 1, ..first }, later);
        assert_eq!(deletes.next_due(), Some(now));
        let second = PendingDelete { last: 2, failures: 0 };
        assert_eq!(deletes.take_due(now), Some(second), "it does not wait for the other");
        assert_eq!((deletes.take_due(now), deletes.next_due()), (None, Some(later)));
        assert_eq!(deletes.take_due(later), Some(PendingDelete { last: 1, failures: 1 }));
        assert!(deletes.next_due().is_none() && deletes.is_empty());
    }

    #[test]
    fn only_so_many_of_one_name_are_kept() {
        let (mut deletes, now) = (PendingDeletes::default(), Instant::now());
        let given_up: Vec<_> = (0..PENDING_MAX + 2).filter_map(|last| deletes.add(last, now)).collect();
        assert_eq!(given_up.iter().map(|delete| delete.last).collect::<Vec<_>>(), [0, 1]);
    }
}
