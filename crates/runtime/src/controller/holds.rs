//! Which objects wait until the controller has seen what their last reconcile wrote.
//!
//! A reconciler that runs on a cache older than its own writes creates what it has created and repeats what it has done.
//! So a key whose writes are not seen yet is parked when its turn comes, takes no place, and is given back when they are
//! seen or [`PATIENCE`] is over. It is pure: it is told the time, and which writes are seen.

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

/// Whether any watch has told anything since those who wait were looked at.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum News {
    Some,
    #[default]
    None,
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
        self.ends.insert((hold.until, key.clone()));
        true
    }

    /// Gives back those who have waited long enough, and after news those whose writes are seen: without news nobody who
    /// waits need be looked at.
    pub(super) fn freed(&mut self, now: Instant, news: News, awaits: impl Fn(&Write) -> bool) -> Vec<Freed> {
        let is_seen = |key: &Key| self.unseen.get(key).is_none_or(|hold| !hold.writes.iter().any(&awaits));
        let ends: Vec<_> = match news {
            News::Some => self.ends.iter().filter(|(until, key)| *until <= now || is_seen(key)).cloned().collect(),
            News::None => self.ends.iter().take_while(|(until, _)| *until <= now).cloned().collect(),
        };
        let freed = ends.iter().map(|(_, key)| Freed { key: key.clone(), is_expired: !is_seen(key) }).collect();
        for end in ends {
            self.parked.remove(&end.1);
            self.unseen.remove(&end.1);
            self.ends.remove(&end);
        }
        freed
    }

    /// Nobody waits for what `key` wrote: it is gone. It is given back if it was parked.
    pub(super) fn forget(&mut self, key: &Key) {
        self.unseen.remove(key);
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

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.into() }
    }

    fn write(version: u64) -> Write {
        let target = Target { name: Some("child".into()), ..Target::default() };
        Write::new(target, "u".into(), Effect::Stored(version.to_string()), None)
    }

    /// Whether a watch that has come to `reached` has yet to tell of a write.
    fn behind(reached: u64) -> impl Fn(&Write) -> bool {
        move |write| matches!(&write.effect, Effect::Stored(version) if version.parse::<u64>().unwrap() > reached)
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
    fn who_waits_is_given_back_when_its_write_is_seen_and_looked_at_only_after_news() {
        let now = Instant::now();
        let mut holds = parked(now);
        assert!(holds.freed(now, News::None, |_| panic!("nobody is looked at")).is_empty());
        assert_eq!(holds.freed(now, News::Some, behind(1)), [Freed { key: key("a"), is_expired: false }]);
        assert_eq!((holds.len(), holds.next_expiry()), (1, Some(now + PATIENCE)));
        holds.forget(&key("b"));
        assert_eq!(holds.freed(now, News::Some, behind(1)), [Freed { key: key("b"), is_expired: false }]);
        assert_eq!((holds.len(), holds.next_expiry()), (0, None));
    }

    #[test]
    fn who_has_waited_long_enough_is_given_back_without_news() {
        let now = Instant::now();
        let mut holds = parked(now);
        let late = now + PATIENCE;
        let freed = ["a", "b"].map(|name| Freed { key: key(name), is_expired: true });
        assert_eq!(holds.freed(late, News::None, behind(0)), freed);
        assert_eq!((holds.len(), holds.next_expiry()), (0, None));
        assert!(!holds.park(&key("a"), late, behind(0)), "it is not held again for the same");
    }
}
