//! How long each object waits after failing, by how often it has failed in a row.

use std::collections::HashMap;
use std::time::Duration;

use crate::reflector::Key;

/// Failures in a row, per object. Pure: the jitter is told.
#[derive(Debug, Default)]
pub(super) struct Retries {
    failures: HashMap<Key, u32>,
}

/// The first delay: client-go's number, short enough for a conflict with somebody else's write.
const DELAY_MIN: Duration = Duration::from_millis(5);
/// The longest delay: client-go's number.
const DELAY_MAX: Duration = Duration::from_secs(1000);
/// Delays are stretched by up to this part, so that objects that failed together do not come back together.
const JITTER: f64 = 0.1;

impl Retries {
    /// One more failure of `key`; `jitter` is between 0 and 1.
    pub(super) fn failed(&mut self, key: &Key, jitter: f64) -> Duration {
        let failures = self.failures.entry(key.clone()).or_default();
        let delay = DELAY_MIN.saturating_mul(1_u32.checked_shl(*failures).unwrap_or(u32::MAX)).min(DELAY_MAX);
        *failures = failures.saturating_add(1).min(31);
        delay.mul_f64(1.0 + JITTER * jitter)
    }

    /// `key` succeeded, or is gone.
    pub(super) fn forget(&mut self, key: &Key) {
        self.failures.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_maximum_and_begin_anew_after_success() {
        let mut retries = Retries::default();
        let key = Key { namespace: None, name: "a".into() };
        let delays: Vec<_> = (0..40).map(|_| retries.failed(&key, 0.0).as_millis()).collect();
        assert_eq!(delays[..5], [5, 10, 20, 40, 80]);
        assert_eq!(delays[18..], [1_000_000; 22]);
        retries.forget(&key);
        assert_eq!(retries.failed(&key, 1.0), Duration::from_micros(5500));
    }
}
