//! What the last reconcile of one object wrote and the controller's watches have not shown yet; and what has woken it and
//! a store that it reads does not have yet.
//!
//! A reconciler that runs on a cache older than its own writes creates what it has created and repeats what it has done.
//! So an object with pending writes is held when its turn comes: it takes no slot, and goes on when they are seen or
//! [`PATIENCE`] is over. Its writes are looked at one after the other, so that a watch event costs nothing for the objects
//! that wait for something else.

use std::time::Duration;

use pintle_client::client::writes::Write;
use tokio::time::Instant;

/// How long a write is waited for: a watch that lags more than this has trouble of its own, and reports it.
pub(in crate::controller) const PATIENCE: Duration = Duration::from_secs(5);

/// So many are waited for: those that came last.
const WRITES_MAX: usize = 1024;

/// What is waited for before an object is reconciled again. It lies apart, because hardly any object waits.
#[derive(Clone, Debug)]
pub(in crate::controller) struct PendingWrites {
    writes: Vec<Write>,
    until: Instant,
}

impl PendingWrites {
    /// A reconcile has ended and wrote `unseen`; `None` if there is nothing to wait for.
    pub(super) fn new(unseen: Vec<Write>, now: Instant) -> Option<Box<Self>> {
        (!unseen.is_empty()).then(|| Box::new(Self { writes: unseen, until: now + PATIENCE }))
    }

    /// One more is waited for; for all of them no longer than for the first.
    pub(super) fn add(pending: &mut Option<Box<Self>>, unseen: Write, now: Instant) {
        let pending = pending.get_or_insert_with(|| Box::new(Self { writes: Vec::new(), until: now + PATIENCE }));
        // A later change of the same object is enough to wait for.
        pending.writes.retain(|known| known.target != unseen.target);
        pending.writes.push(unseen);
        if pending.writes.len() > WRITES_MAX {
            pending.writes.remove(0);
        }
    }

    /// A reconcile has ended and wrote `unseen`.
    pub(super) fn add_all(pending: &mut Option<Box<Self>>, unseen: Vec<Write>, now: Instant) {
        let known = pending.take().map(|known| known.writes).unwrap_or_default();
        *pending = Self::new(known.into_iter().chain(unseen).collect(), now);
    }

    /// The write that is still waited for, if there is one; the others are not looked at before it is seen.
    pub(super) fn awaited(&mut self, now: Instant, is_unseen: impl Fn(&Write) -> bool) -> Option<&Write> {
        if self.until <= now {
            self.writes.clear();
        }
        while self.writes.pop_if(|write| !is_unseen(write)).is_some() {}
        self.writes.last()
    }

    /// When they have been waited for long enough.
    pub(super) fn until(&self) -> Instant {
        self.until
    }
}

#[cfg(test)]
mod tests {
    use pintle_client::client::writes::Effect;
    use pintle_core::call::Target;

    use super::*;

    fn write(version: u64) -> Write {
        let target = Target { name: Some("child".into()), ..Target::default() };
        Write::new(target, "u".into(), Effect::Stored(version.to_string()), None)
    }

    fn version(write: &Write) -> u64 {
        let Effect::Stored(version) = &write.effect else { panic!("nothing is deleted here") };
        version.parse().unwrap()
    }

    /// The version that is waited for where a watch has come to `reached`.
    fn awaited(pending: &mut PendingWrites, now: Instant, reached: u64) -> Option<u64> {
        pending.awaited(now, |write| version(write) > reached).map(version)
    }

    #[test]
    fn writes_are_waited_for_one_after_the_other_until_all_are_seen() {
        let now = Instant::now();
        let mut pending = PendingWrites::new(vec![write(3), write(1), write(2)], now).unwrap();
        assert_eq!([0, 1, 2, 3].map(|reached| awaited(&mut pending, now, reached)), [Some(2), Some(2), Some(3), None]);
        assert_eq!(awaited(&mut pending, now, 0), None, "what was seen is not waited for again");
    }

    #[test]
    fn what_wakes_an_object_is_waited_for_beside_what_it_wrote_and_no_longer_than_the_first() {
        let (now, other) = (Instant::now(), Target { name: Some("other".into()), ..Target::default() });
        let mut pending = None;
        PendingWrites::add(&mut pending, write(1), now);
        PendingWrites::add(&mut pending, write(4), now + Duration::from_secs(1));
        let mut of_another = write(2);
        of_another.target = other;
        PendingWrites::add(&mut pending, of_another, now + Duration::from_secs(2));
        let woken = pending.as_mut().unwrap();
        assert_eq!((woken.writes.len(), woken.until()), (2, now + PATIENCE), "one of each object");
        assert_eq!([1, 2, 4].map(|reached| awaited(woken, now, reached)), [Some(2), Some(4), None]);
        let mut pending = PendingWrites::new(vec![write(1)], now);
        PendingWrites::add_all(&mut pending, vec![write(2)], now);
        assert_eq!(awaited(pending.as_mut().unwrap(), now, 1), Some(2));
        PendingWrites::add_all(&mut pending, vec![], now);
        assert!(pending.is_some(), "what woke it while it ran is still waited for");
        let mut pending = None;
        PendingWrites::add_all(&mut pending, vec![], now);
        assert!(pending.is_none());
    }

    #[test]
    fn they_are_not_waited_for_for_ever() {
        let now = Instant::now();
        let mut pending = PendingWrites::new(vec![write(1)], now).unwrap();
        assert_eq!(awaited(&mut pending, now + PATIENCE - Duration::from_millis(1), 0), Some(1));
        assert_eq!((awaited(&mut pending, now + PATIENCE, 0), pending.until()), (None, now + PATIENCE));
        assert!(PendingWrites::new(vec![], now).is_none());
    }
}
