//! Which objects wait until the controller has seen what their last reconcile wrote.
//!
//! A reconciler that runs on a cache older than its own writes creates what it has created and repeats what it has done.
//! So a key whose writes are not seen yet is parked when its turn comes, takes no place, and is given back when they are
//! seen or [`PATIENCE`] is over. It is pure: it is told the time, and whose writes may have been seen. Only those are
//! looked at, and each of them waits for one write after the other: what a watch tells costs nothing for the rest.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
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
    /// When each of the parked has waited long enough, in that order.
    ends: BTreeSet<(Instant, Key)>,
    /// In the order they end; a key may have ended sooner.
    expiries: VecDeque<(Instant, Key)>,
    /// The parked that have nothing to wait for any more.
    forgotten: Vec<Key>,
}

#[derive(Debug)]
struct Hold {
    writes: Vec<Write>,
    until: Instant,
}

impl Hold {
    /// Whether one of the writes is still waited for; the others are not looked at before that one is seen.
    fn awaits_one(&mut self, mut awaits: impl FnMut(&Write) -> bool) -> bool {
        while self.writes.pop_if(|write| !awaits(write)).is_some() {}
        !self.writes.is_empty()
    }
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

    /// Parks `key` if it must wait; says whether it does. Where `awaits` says that a write was not seen yet, `key` is given
    /// to [`freed`](Self::freed) once that may have changed.
    pub(super) fn park(&mut self, key: &Key, now: Instant, awaits: impl FnMut(&Write) -> bool) -> bool {
        let Some(hold) = self.unseen.get_mut(key) else { return false };
        if hold.until <= now || !hold.awaits_one(awaits) {
            self.unseen.remove(key);
            return false;
        }
        self.parked.insert(key.clone(), hold.until);
        self.ends.insert((hold.until, key.clone()));
        true
    }

    /// Gives back those of `ripe` whose writes are all seen, and those who have waited long enough.
    pub(super) fn freed(
        &mut self,
        now: Instant,
        ripe: Vec<Key>,
        mut awaits: impl FnMut(&Key, &Write) -> bool,
    ) -> Vec<Freed> {
        let mut freed = Vec::new();
        for key in ripe.into_iter().chain(std::mem::take(&mut self.forgotten)) {
            let hold = self.unseen.get_mut(&key);
            let is_seen = hold.is_none_or(|hold| !hold.awaits_one(|write| awaits(&key, write)));
            if is_seen && self.unpark(&key) {
                freed.push(Freed { key, is_expired: false });
            }
        }
        while let Some((_, key)) = self.ends.first().filter(|(until, _)| *until <= now).cloned() {
            self.unpark(&key);
            freed.push(Freed { key, is_expired: true });
        }
        freed
    }

    /// Whether `key` was parked; it is not any more.
    fn unpark(&mut self, key: &Key) -> bool {
        let Some(until) = self.parked.remove(key) else { return false };
        self.ends.remove(&(until, key.clone()));
        self.unseen.remove(key);
        true
    }

    /// Nobody waits for what `key` wrote: it is gone. It is given back if it was parked.
    pub(super) fn forget(&mut self, key: &Key) {
        self.unseen.remove(key);
        if self.parked.contains_key(key) {
            self.forgotten.push(key.clone());
        }
    }

    /// When the next of the parked has waited long enough.
    pub(super) fn next_expiry(&self) -> Option<Instant> {
        self.ends.first().map(|(until, _)| *until)
    }

    /// How many are parked.
    pub(super) fn len(&self) -> usize {
        self.parked.len()
    }
}

#[cfg(test)]
mod tests {
    use pintle_client::client::writes::Effect;
    use pintle_core::call::Target;

    use super::*;
    use crate::controller::waiting::{Awaited, Waiting};

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.into() }
    }

    fn write(version: u64) -> Write {
        let target = Target { name: Some("child".into()), ..Target::default() };
        Write::new(target, "u".into(), Effect::Stored(version.to_string()), None)
    }

    fn version(write: &Write) -> u64 {
        let Effect::Stored(version) = &write.effect else { panic!("nothing is deleted here") };
        version.parse().unwrap()
    }

    /// Whether a watch that has come to `reached` has yet to tell of a write.
    fn behind(reached: u64) -> impl Fn(&Write) -> bool {
        move |write| version(write) > reached
    }

    fn parked(now: Instant) -> Holds {
        let mut holds = Holds::default();
        for (name, version) in [("a", 1), ("b", 2)] {
            holds.wrote(&key(name), vec![write(version)], now, behind(0));
            assert!(holds.park(&key(name), now, behind(0)));
        }
        holds
    }

    #[test]
    fn who_waits_is_given_back_when_its_write_is_seen_and_nobody_else_is_looked_at() {
        let now = Instant::now();
        let mut holds = parked(now);
        assert!(holds.freed(now, vec![], |_, _| panic!("nobody is looked at")).is_empty());
        let freed = holds.freed(now, vec![key("a")], |key, write| {
            assert_eq!(key.name.as_ref(), "a");
            behind(1)(write)
        });
        assert_eq!(freed, [Freed { key: key("a"), is_expired: false }]);
        assert_eq!((holds.len(), holds.next_expiry()), (1, Some(now + PATIENCE)));
        assert!(holds.freed(now, vec![key("b")], |_, write| behind(1)(write)).is_empty(), "it has to wait on");
        holds.forget(&key("b"));
        let freed = holds.freed(now, vec![], |_, _| panic!("nothing is waited for"));
        assert_eq!(freed, [Freed { key: key("b"), is_expired: false }]);
        assert_eq!((holds.len(), holds.next_expiry()), (0, None));
    }

    #[test]
    fn who_has_waited_long_enough_is_given_back_without_news() {
        let now = Instant::now();
        let mut holds = parked(now);
        let late = now + PATIENCE;
        let freed = ["a", "b"].map(|name| Freed { key: key(name), is_expired: true });
        assert_eq!(holds.freed(late, vec![], |_, _| panic!("nobody is looked at")), freed);
        assert_eq!((holds.len(), holds.next_expiry()), (0, None));
        assert!(!holds.park(&key("a"), late, behind(0)), "it is not held again for the same");
    }

    /// Ten thousand objects of two writes each wait, and a watch tells of one version after the other: each write is looked
    /// at when its object is parked or the write before it is seen, and when it is seen itself. Looking at everybody each
    /// time would be two hundred million looks.
    #[test]
    fn what_a_watch_tells_costs_a_look_at_those_who_waited_for_it_and_at_nobody_else() {
        const OBJECTS: u64 = 10_000;
        let (mut holds, mut waiting, now) = (Holds::default(), Waiting::default(), Instant::now());
        let looks = std::cell::Cell::new(0_u64);
        let look = |waiting: &mut Waiting, reached: u64, key: &Key, write: &Write| {
            looks.set(looks.get() + 1);
            let is_awaited = version(write) > reached;
            if is_awaited {
                waiting.add(key, Awaited::Version(version(write)));
            }
            is_awaited
        };
        for number in 1..=OBJECTS {
            let (key, writes) = (key(&number.to_string()), vec![write(number), write(OBJECTS + number)]);
            holds.wrote(&key, writes, now, behind(0));
            assert!(holds.park(&key, now, |write| look(&mut waiting, 0, &key, write)));
        }
        let mut freed = 0;
        for reached in 1..=2 * OBJECTS {
            let mut ripe = Vec::new();
            waiting.reached(reached, &mut ripe);
            freed += holds.freed(now, ripe, |key, write| look(&mut waiting, reached, key, write)).len() as u64;
        }
        assert_eq!((freed, holds.len()), (OBJECTS, 0));
        assert!(looks.get() <= 4 * OBJECTS, "{} looks", looks.get());
    }
}
