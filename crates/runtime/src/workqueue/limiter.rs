//! How long a retry waits.
//!
//! Pure: each is passed the item and the time. The numbers are client-go's.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use pintle_core::backoff::Exponential;
use tokio::time::Instant;

/// Says how long each retry waits.
pub trait RateLimiter<T>: Send + 'static {
    /// `item` failed once more: how long it should wait.
    fn when(&mut self, item: &T, now: Instant) -> Duration;
    /// `item` succeeded.
    fn forget(&mut self, item: &T);
    /// How often `item` failed since it last succeeded.
    fn retries(&self, item: &T) -> u32;
}

/// Each item by itself, doubling.
#[derive(Clone, Debug)]
pub struct ItemExponential<T> {
    backoff: Exponential,
    failures: HashMap<T, u32>,
}

/// client-go's numbers for controllers.
impl<T> Default for ItemExponential<T> {
    fn default() -> Self {
        Self::new(Duration::from_millis(5), Duration::from_secs(1000))
    }
}

impl<T> ItemExponential<T> {
    /// The first retry waits `base`, each further one twice as long, none longer than `max`.
    #[must_use]
    pub fn new(base: Duration, max: Duration) -> Self {
        Self { backoff: Exponential::new(base.min(max), max), failures: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> RateLimiter<T> for ItemExponential<T> {
    fn when(&mut self, item: &T, _: Instant) -> Duration {
        let before = failed(&mut self.failures, item) - 1;
        self.backoff.delay(before, 0.0)
    }

    fn forget(&mut self, item: &T) {
        self.failures.remove(item);
    }

    fn retries(&self, item: &T) -> u32 {
        self.failures.get(item).copied().unwrap_or_default()
    }
}

/// Each item by itself: a few quick retries, then slow ones.
#[derive(Clone, Debug)]
pub struct ItemFastSlow<T> {
    fast: Duration,
    slow: Duration,
    fast_max: u32,
    failures: HashMap<T, u32>,
}

impl<T> ItemFastSlow<T> {
    /// The first `fast_max` retries wait `fast`, all others `slow`.
    #[must_use]
    pub fn new(fast: Duration, slow: Duration, fast_max: u32) -> Self {
        Self { fast, slow, fast_max, failures: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> RateLimiter<T> for ItemFastSlow<T> {
    fn when(&mut self, item: &T, _: Instant) -> Duration {
        if failed(&mut self.failures, item) <= self.fast_max { self.fast } else { self.slow }
    }

    fn forget(&mut self, item: &T) {
        self.failures.remove(item);
    }

    fn retries(&self, item: &T) -> u32 {
        self.failures.get(item).copied().unwrap_or_default()
    }
}

/// All items together: so many a second, and a burst beyond that.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    period: Duration,
    burst: u32,
    /// When the bucket would be full if nothing were taken any more.
    full_at: Option<Instant>,
}

impl TokenBucket {
    /// `per_second` retries a second for all items together, `burst` of them at once; both are at least 1.
    #[must_use]
    pub fn new(per_second: u32, burst: u32) -> Self {
        Self { period: Duration::from_secs(1) / per_second.max(1), burst: burst.max(1), full_at: None }
    }
}

/// client-go's numbers for controllers.
impl Default for TokenBucket {
    fn default() -> Self {
        Self::new(10, 100)
    }
}

impl<T> RateLimiter<T> for TokenBucket {
    fn when(&mut self, _: &T, now: Instant) -> Duration {
        let full_at = self.full_at.filter(|full_at| *full_at > now).unwrap_or(now) + self.period;
        self.full_at = Some(full_at);
        full_at.saturating_duration_since(now).saturating_sub(self.period * self.burst)
    }

    fn forget(&mut self, _: &T) {}

    fn retries(&self, _: &T) -> u32 {
        0
    }
}

/// The longer of two waits.
#[derive(Clone, Debug)]
pub struct MaxOf<A, B>(pub A, pub B);

impl<T, A: RateLimiter<T>, B: RateLimiter<T>> RateLimiter<T> for MaxOf<A, B> {
    fn when(&mut self, item: &T, now: Instant) -> Duration {
        self.0.when(item, now).max(self.1.when(item, now))
    }

    fn forget(&mut self, item: &T) {
        self.0.forget(item);
        self.1.forget(item);
    }

    fn retries(&self, item: &T) -> u32 {
        self.0.retries(item).max(self.1.retries(item))
    }
}

/// Another limiter's waits, none longer than this.
#[derive(Clone, Debug)]
pub struct WithMaxWait<L> {
    limiter: L,
    max: Duration,
}

impl<L> WithMaxWait<L> {
    /// What `limiter` says, at most `max`.
    #[must_use]
    pub fn new(limiter: L, max: Duration) -> Self {
        Self { limiter, max }
    }
}

impl<T, L: RateLimiter<T>> RateLimiter<T> for WithMaxWait<L> {
    fn when(&mut self, item: &T, now: Instant) -> Duration {
        self.limiter.when(item, now).min(self.max)
    }

    fn forget(&mut self, item: &T) {
        self.limiter.forget(item);
    }

    fn retries(&self, item: &T) -> u32 {
        self.limiter.retries(item)
    }
}

/// Counts one more failure and returns how many there are.
fn failed<T: Clone + Eq + Hash>(failures: &mut HashMap<T, u32>, item: &T) -> u32 {
    let count = failures.entry(item.clone()).or_default();
    *count = count.saturating_add(1);
    *count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(limiter: &mut impl RateLimiter<u8>, item: u8, times: usize) -> Vec<u128> {
        let now = Instant::now();
        (0..times).map(|_| limiter.when(&item, now).as_millis()).collect()
    }

    #[test]
    fn waits_double_per_item_up_to_the_maximum_and_begin_anew_when_forgotten() {
        let mut limiter = ItemExponential::default();
        assert_eq!(waits(&mut limiter, 1, 4), [5, 10, 20, 40]);
        assert_eq!(waits(&mut limiter, 2, 1), [5]);
        assert_eq!(waits(&mut limiter, 1, 60).last(), Some(&1_000_000));
        limiter.forget(&1);
        assert_eq!((limiter.retries(&1), limiter.retries(&2)), (0, 1));
        assert_eq!(waits(&mut limiter, 1, 1), [5]);
    }

    #[test]
    fn a_few_retries_are_fast_and_the_others_slow() {
        let mut limiter = ItemFastSlow::new(Duration::from_millis(1), Duration::from_secs(1), 2);
        assert_eq!(waits(&mut limiter, 1, 4), [1, 1, 1000, 1000]);
    }

    #[test]
    fn a_bucket_lets_a_burst_through_and_then_so_many_a_second() {
        let mut bucket = TokenBucket::new(10, 3);
        let now = Instant::now();
        let mut wait = |after: u64| bucket.when(&(), now + Duration::from_millis(after)).as_millis();
        assert_eq!([wait(0), wait(0), wait(0), wait(0), wait(0)], [0, 0, 0, 100, 200]);
        assert_eq!(wait(250), 50, "a token comes every 100 ms");
        assert_eq!([wait(60_000), wait(60_000), wait(60_000), wait(60_000)], [0, 0, 0, 100], "and no more than three");
    }

    #[test]
    fn the_longer_wait_counts_and_a_maximum_cuts_it() {
        let item = ItemExponential::new(Duration::from_millis(1), Duration::from_secs(1));
        let mut both = MaxOf(item.clone(), TokenBucket::new(1, 1));
        assert_eq!(waits(&mut both, 1, 3), [1, 1000, 2000]);
        assert_eq!(RateLimiter::<u8>::retries(&both, &1), 3);
        let mut cut = WithMaxWait::new(item, Duration::from_millis(3));
        assert_eq!(waits(&mut cut, 1, 4), [1, 2, 3, 3]);
    }
}
