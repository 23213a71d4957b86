//! Objects that are gone, and whose end was not handled yet.
//!
//! Several may have had one name, one after the other: the end of each is handled. One whose handler fails comes again at a
//! time of its own, and whoever has the name now does not wait for it. It is pure: it is told the time.

use std::collections::{HashMap, VecDeque};

use tokio::time::Instant;

use crate::reflector::Key;

/// Those who are gone, by the name they had.
#[derive(Debug)]
pub(super) struct Gone<E> {
    late: HashMap<Key, VecDeque<(Instant, Late<E>)>>,
}

/// One that is gone.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Late<E> {
    /// As it was last known.
    pub(super) entry: E,
    /// How often its handler has failed.
    pub(super) failures: u32,
}

/// So many of one name wait at most: more have a handler that never succeeds.
const LATE_MAX: usize = 100;

impl<E> Default for Gone<E> {
    fn default() -> Self {
        Self { late: HashMap::new() }
    }
}

impl<E> Gone<E> {
    /// The object that was called `key` is gone. Gives back one that is given up for it.
    pub(super) fn add(&mut self, key: &Key, entry: E, now: Instant) -> Option<Late<E>> {
        let late = self.late.entry(key.clone()).or_default();
        late.push_back((now, Late { entry, failures: 0 }));
        if late.len() > LATE_MAX { late.pop_front().map(|(_, late)| late) } else { None }
    }

    /// Takes the first of those called `key` whose time has come.
    pub(super) fn take(&mut self, key: &Key, now: Instant) -> Option<Late<E>> {
        let late = self.late.get_mut(key)?;
        let place = late.iter().position(|(due, _)| *due <= now)?;
        let taken = late.remove(place);
        if late.is_empty() {
            self.late.remove(key);
        }
        taken.map(|(_, late)| late)
    }

    /// One that was taken comes again then.
    pub(super) fn put_back(&mut self, key: &Key, late: Late<E>, due: Instant) {
        self.late.entry(key.clone()).or_default().push_front((due, late));
    }

    /// When the next of those called `key` is to be handled.
    pub(super) fn next_due(&self, key: &Key) -> Option<Instant> {
        self.late.get(key)?.iter().map(|(due, _)| *due).min()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.into() }
    }

    #[test]
    fn each_comes_once_in_its_order_and_one_that_failed_at_its_time() {
        let (mut gone, now, a) = (Gone::default(), Instant::now(), key("a"));
        let later = now + Duration::from_secs(5);
        for entry in [1, 2] {
            assert_eq!(gone.add(&a, entry, now), None);
        }
        assert_eq!(gone.take(&key("b"), now), None);
        let first = gone.take(&a, now).unwrap();
        gone.put_back(&a, Late { failures: 1, ..first }, later);
        assert_eq!(gone.next_due(&a), Some(now));
        assert_eq!(gone.take(&a, now), Some(Late { entry: 2, failures: 0 }), "it does not wait for the other");
        assert_eq!((gone.take(&a, now), gone.next_due(&a)), (None, Some(later)));
        assert_eq!(gone.take(&a, later), Some(Late { entry: 1, failures: 1 }));
        assert!(gone.next_due(&a).is_none() && gone.late.is_empty());
    }

    #[test]
    fn only_so_many_of_one_name_are_kept() {
        let (mut gone, now) = (Gone::default(), Instant::now());
        let given_up: Vec<_> = (0..LATE_MAX + 2).filter_map(|entry| gone.add(&key("a"), entry, now)).collect();
        assert_eq!(given_up.iter().map(|late| late.entry).collect::<Vec<_>>(), [0, 1]);
    }
}
