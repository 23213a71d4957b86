//! The times of a lease, and which of them are safe together. Random numbers are passed in.

use std::time::Duration;

/// How long leases are good for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Terms {
    pub(super) lease: Duration,
    pub(super) renew: Duration,
    pub(super) retry: Duration,
}

/// Times with which two could lead at once.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "a lease must be good for longer ({}s) than its holder tries to renew it ({}s), and that for longer than 2.2 pauses \
     between two tries ({}s)",
    .0.lease.as_secs_f64(), .0.renew.as_secs_f64(), .0.retry.as_secs_f64()
)]
pub struct UnsafeTerms(Terms);

/// How much longer than the pause between two tries a pause may be, at random: as in client-go.
const JITTER: f64 = 1.2;
/// A lease's duration is written in whole seconds.
const SECOND: Duration = Duration::from_secs(1);

impl Default for Terms {
    /// 15 s, renewed for 10 s, every 2 s: client-go's numbers.
    fn default() -> Self {
        Self { lease: Duration::from_secs(15), renew: Duration::from_secs(10), retry: Duration::from_secs(2) }
    }
}

impl Terms {
    /// A lease is good for `lease` after it was renewed, its holder gives up after trying for `renew`, and tries every
    /// `retry`.
    ///
    /// # Errors
    /// If two could lead at once with these, or none for long.
    pub fn new(lease: Duration, renew: Duration, retry: Duration) -> Result<Self, UnsafeTerms> {
        let terms = Self { lease: Duration::from_secs(lease.as_secs()), renew, retry };
        let is_safe = terms.lease >= SECOND && terms.lease > renew && renew > retry.mul_f64(1.0 + JITTER);
        if is_safe && !retry.is_zero() { Ok(terms) } else { Err(UnsafeTerms(terms)) }
    }

    /// How long a lease is good for.
    pub(crate) fn lease(&self) -> Duration {
        self.lease
    }

    /// How long its holder tries to renew it.
    pub(crate) fn renew(&self) -> Duration {
        self.renew
    }

    /// The pause between two tries.
    pub(crate) fn retry(&self) -> Duration {
        self.retry
    }

    /// How long a candidate waits before it tries again; `random`, from 0 to 1, makes it longer.
    pub(super) fn pause(&self, random: f64) -> Duration {
        self.retry.mul_f64(1.0 + JITTER * random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_that_wait_drift_apart_by_what_they_draw() {
        let pauses = [0.0, 0.5, 1.0].map(|random| Terms::default().pause(random));
        assert_eq!(pauses, [2000, 3200, 4400].map(Duration::from_millis));
    }
}
