//! How long each object waits after failing, by how often it has failed in a row.
//!
//! Counted per object, not per name: one that was deleted and created again begins anew. Pure: the jitter is told.

use std::collections::HashMap;
use std::time::Duration;

use crate::reflector::Key;

/// Failures in a row, per object.
#[derive(Debug, Default)]
pub(super) struct Retries {
    failures: HashMap<Key, Failures>,
    delays: Delays,
}

/// The first and the longest delay; it doubles in between.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Delays {
    min: Duration,
    max: Duration,
}

#[derive(Debug, Default)]
struct Failures {
    uid: Option<String>,
    count: u32,
}

/// The first delay: client-go's number, short enough for a conflict with somebody else's write.
const DELAY_MIN: Duration = Duration::from_millis(5);
/// The longest delay: client-go's number.
pub(super) const DELAY_MAX: Duration = Duration::from_secs(1000);
/// Delays are stretched by up to this part, so that objects that failed together do not come back together.
const JITTER: f64 = 0.1;

/// A first delay of nothing would never grow.
const DELAY_LEAST: Duration = Duration::from_millis(1);

impl Default for Delays {
    fn default() -> Self {
        Self { min: DELAY_MIN, max: DELAY_MAX }
    }
}

impl Delays {
    pub(super) fn new(min: Duration, max: Duration) -> Self {
        let min = min.max(DELAY_LEAST);
        Self { min, max: max.max(min) }
    }

    /// The delay after `failures` earlier ones, without jitter.
    pub(super) fn after(self, failures: u32) -> Duration {
        self.min.saturating_mul(1_u32.checked_shl(failures).unwrap_or(u32::MAX)).min(self.max)
    }

    /// The same; `jitter` is between 0 and 1.
    pub(super) fn jittered(self, failures: u32, jitter: f64) -> Duration {
        // What is longer than anybody waits is not stretched: it might not be a duration any more.
        let delay = self.after(failures).min(crate::scheduler::DELAY_MAX);
        delay.mul_f64(1.0 + JITTER * jitter)
    }
}

impl Retries {
    pub(super) fn new(delays: Delays) -> Self {
        Self { failures: HashMap::new(), delays }
    }

    /// One more failure of the object `uid` called `key`.
    pub(super) fn failed(&mut self, key: &Key, uid: Option<&str>) {
        let failures = self.failures.entry(key.clone()).or_default();
        if failures.uid.as_deref() != uid {
            *failures = Failures { uid: uid.map(str::to_owned), count: 0 };
        }
        failures.count = failures.count.saturating_add(1);
    }

    /// How long `key` waits after its last failure; `jitter` is between 0 and 1.
    pub(super) fn delay(&self, key: &Key, jitter: f64) -> Duration {
        let failures = self.failures.get(key).map_or(1, |failures| failures.count);
        self.delays.jittered(failures.saturating_sub(1), jitter)
    }

    /// Which attempt the next one is: 1 unless the object has failed.
    pub(super) fn attempt(&self, key: &Key, uid: Option<&str>) -> u32 {
        let known = self.failures.get(key).filter(|failures| failures.uid.as_deref() == uid);
        known.map_or(0, |failures| failures.count).saturating_add(1)
    }

    /// `key` succeeded, or is gone.
    pub(super) fn forget(&mut self, key: &Key) {
        self.failures.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key { namespace: None, name: "a".into() }
    }

    fn fail(retries: &mut Retries, uid: &str, jitter: f64) -> Duration {
        retries.failed(&key(), Some(uid));
        retries.delay(&key(), jitter)
    }

    #[test]
    fn delays_double_up_to_a_maximum_and_begin_anew_after_success() {
        let mut retries = Retries::default();
        let delays: Vec<_> = (0..40).map(|_| fail(&mut retries, "u", 0.0).as_millis()).collect();
        assert_eq!(delays[..5], [5, 10, 20, 40, 80]);
        assert_eq!(delays[18..], [1_000_000; 22]);
        assert_eq!(retries.attempt(&key(), Some("u")), 41);
        retries.forget(&key());
        assert_eq!(retries.attempt(&key(), Some("u")), 1);
        assert_eq!(fail(&mut retries, "u", 1.0), Duration::from_micros(5500));
    }

    #[test]
    fn the_first_and_the_longest_delay_can_be_set() {
        let delays = |first: u64, max: u64| {
            let delays = Delays::new(Duration::from_millis(first), Duration::from_millis(max));
            [0, 1, 2, 40].map(|failures| delays.after(failures).as_millis())
        };
        assert_eq!(delays(1000, 3000), [1000, 2000, 3000, 3000]);
        assert_eq!(delays(0, 60_000), [1, 2, 4, 60_000], "nothing doubled is nothing");
        assert_eq!(delays(50, 10), [50; 4]);
        assert!(Delays::new(Duration::MAX, Duration::MAX).jittered(3, 1.0) > Duration::from_secs(1_000_000));
    }

    #[test]
    fn another_object_of_the_same_name_begins_anew() {
        let mut retries = Retries::default();
        for _ in 0..10 {
            fail(&mut retries, "old", 0.0);
        }
        assert_eq!(retries.attempt(&key(), Some("new")), 1);
        assert_eq!(fail(&mut retries, "new", 0.0), Duration::from_millis(5));
        assert_eq!(fail(&mut retries, "new", 0.0), Duration::from_millis(10));
    }
}
