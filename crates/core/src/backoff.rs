//! How long to wait after the nth failure in a row: the one exponential backoff that everything here uses.
//!
//! In: how often something has failed, and a random number. Out: a delay. It is pure: it keeps no count and draws no
//! number, so its user decides what counts as a failure and where randomness comes from.

use std::time::Duration;

/// Delays that grow by a factor from a first to a longest one, each stretched by a random part.
///
/// ```
/// use std::time::Duration;
/// use pintle_core::backoff::Exponential;
/// let backoff = Exponential::new(Duration::from_millis(5), Duration::from_secs(1000)).jitter(0.1);
/// assert_eq!(backoff.delay(0, 0.0), Duration::from_millis(5));
/// assert_eq!(backoff.delay(3, 0.0), Duration::from_millis(40));
/// assert_eq!(backoff.delay(40, 1.0), Duration::from_secs(1100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    min: Duration,
    max: Duration,
    factor: f64,
    jitter: f64,
}

/// What is longer than any caller waits is not stretched: it might not be a duration any more.
const STRETCHED_MAX: Duration = Duration::from_secs(100 * 365 * 86_400);

impl Exponential {
    /// From `min` on, doubled by each failure, up to `max`; `min` counts where it is larger.
    #[must_use]
    pub const fn new(min: Duration, max: Duration) -> Self {
        Self { min, max, factor: 2.0, jitter: 0.0 }
    }

    /// Multiplies by this instead of two.
    #[must_use]
    pub const fn factor(mut self, factor: f64) -> Self {
        self.factor = factor;
        self
    }

    /// Stretches each delay by up to this part of it, the longest too: 1.0 makes it up to twice as long.
    #[must_use]
    pub const fn jitter(mut self, part: f64) -> Self {
        self.jitter = part;
        self
    }

    /// The delay after `failures` earlier ones; `random` is between 0 and 1.
    #[must_use]
    pub fn delay(&self, failures: u32, random: f64) -> Duration {
        self.unjittered(failures).min(STRETCHED_MAX).mul_f64(1.0 + self.jitter * random)
    }

    fn unjittered(&self, failures: u32) -> Duration {
        let max = self.max.max(self.min);
        // Doubling is exact; any other factor is as exact as a float.
        let grown = if self.factor == 2.0 {
            self.min.saturating_mul(1_u32.checked_shl(failures).unwrap_or(u32::MAX))
        } else {
            let factor = self.factor.powi(i32::try_from(failures).unwrap_or(i32::MAX));
            Duration::try_from_secs_f64(self.min.as_secs_f64() * factor).unwrap_or(max)
        };
        grown.min(max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(backoff: Exponential, random: f64) -> Vec<u128> {
        [0, 1, 2, 3, 31, 32, u32::MAX].map(|failures| backoff.delay(failures, random).as_millis()).into()
    }

    fn exponential(min: u64, max: u64) -> Exponential {
        Exponential::new(Duration::from_millis(min), Duration::from_millis(max))
    }

    #[test]
    fn delays_grow_up_to_the_longest_and_stay_there() {
        assert_eq!(millis(exponential(5, 1_000), 0.7), [5, 10, 20, 40, 1000, 1000, 1000], "no jitter unless asked for");
        assert_eq!(millis(exponential(100, 1_000).factor(3.0), 0.0), [100, 300, 900, 1000, 1000, 1000, 1000]);
        assert_eq!(millis(exponential(50, 10), 0.0), [50; 7], "a longest one below the first is the first");
        assert_eq!(millis(exponential(0, 10), 0.0)[..2], [0, 0]);
    }

    #[test]
    fn jitter_stretches_and_never_shortens() {
        assert_eq!(millis(exponential(100, 400).jitter(1.0), 0.0), [100, 200, 400, 400, 400, 400, 400]);
        assert_eq!(millis(exponential(100, 400).jitter(1.0), 1.0), [200, 400, 800, 800, 800, 800, 800]);
        assert_eq!(millis(exponential(100, 400).jitter(0.1), 0.5)[..2], [105, 210]);
    }

    #[test]
    fn no_numbers_overflow() {
        let endless = Exponential::new(Duration::MAX, Duration::MAX).jitter(1.0);
        assert!(endless.delay(u32::MAX, 1.0) > Duration::from_secs(1_000_000));
        let wild = Exponential::new(Duration::from_secs(1), Duration::from_secs(60));
        for factor in [f64::NAN, f64::INFINITY, -2.0, 1e300] {
            assert!(wild.factor(factor).delay(9, 1.0) <= Duration::from_secs(60));
        }
    }
}
