//! What the last reconcile of one object wrote and the controller's watches have not shown yet.
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

/// The writes of one reconcile that were not seen yet.
#[derive(Clone, Debug)]
pub(in crate::controller) struct PendingWrites {
    writes: Vec<Write>,
    until: Instant,
}

impl PendingWrites {
    /// A reconcile has ended and wrote `unseen`; `None` if there is nothing to wait for.
    pub(super) fn new(unseen: Vec<Write>, now: Instant) -> Option<Self> {
        (!unseen.is_empty()).then(|| Self { writes: unseen, until: now + PATIENCE })
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
    fn they_are_not_waited_for_for_ever() {
        let now = Instant::now();
        let mut pending = PendingWrites::new(vec![write(1)], now).unwrap();
        assert_eq!(awaited(&mut pending, now + PATIENCE - Duration::from_millis(1), 0), Some(1));
        assert_eq!((awaited(&mut pending, now + PATIENCE, 0), pending.until()), (None, now + PATIENCE));
        assert!(PendingWrites::new(vec![], now).is_none());
    }
}
