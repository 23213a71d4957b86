//! How many requests a client sends in a second, at most: a token bucket, as client-go has one.
//!
//! In: requests that want to be sent. Out: when each may be. A second try is a request like the first; watches are never
//! limited, because a watch that waits misses what it is for. Off unless a program asks for it: servers limit their
//! clients themselves, by priority and fairness.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::Request;
use thiserror::Error;
use tokio::time::Instant;

use super::class::RequestClass;
use super::info::RequestInfo;

/// How many requests may be sent; see [`Client::with_rate_limit`](crate::Client::with_rate_limit). Clones share the bucket.
///
/// ```
/// use pintle_client::client::rate_limit::{InvalidRateLimit, RateLimit};
///
/// let limit = RateLimit::new(20.0, 30)?;
/// assert!(RateLimit::new(0.0, 30).is_err());
/// # Ok::<_, InvalidRateLimit>(())
/// ```
#[derive(Clone)]
pub struct RateLimit(Arc<Bucket>);

/// A rate that would let nothing through.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("a rate limit needs a positive number of requests per second and a burst of at least 1, not {qps} and {burst}")]
pub struct InvalidRateLimit {
    qps: f64,
    burst: u32,
}

struct Bucket {
    qps: f64,
    burst: f64,
    tokens: Mutex<Tokens>,
}

/// Below zero, so many requests wait.
struct Tokens {
    count: f64,
    at: Option<Instant>,
}

impl RateLimit {
    /// So many requests per second in the long run, and so many at once after a quiet time.
    ///
    /// # Errors
    /// When nothing would ever be sent.
    pub fn new(qps: f64, burst: u32) -> Result<Self, InvalidRateLimit> {
        if !(qps.is_finite() && qps > 0.0 && burst > 0) {
            return Err(InvalidRateLimit { qps, burst });
        }
        let tokens = Mutex::new(Tokens { count: burst.into(), at: None });
        Ok(Self(Arc::new(Bucket { qps, burst: burst.into(), tokens })))
    }

    /// Whether `request` is counted.
    pub(in crate::client) fn counts<B>(request: &Request<B>) -> bool {
        !matches!(RequestInfo::of(request).class(), RequestClass::Watch(_))
    }

    /// Waits until one more request may be sent; returns how long that took.
    pub(in crate::client) async fn turn(&self) -> Duration {
        let wait = self.0.take(Instant::now());
        if !wait.is_zero() {
            let mut token = Token { bucket: &self.0, is_used: false };
            tokio::time::sleep(wait).await;
            token.is_used = true;
        }
        wait
    }
}

impl Bucket {
    /// Takes a token; returns how long to wait until it is there.
    fn take(&self, now: Instant) -> Duration {
        let mut tokens = self.tokens();
        if let Some(at) = tokens.at {
            let came = now.saturating_duration_since(at).as_secs_f64() * self.qps;
            tokens.count = (tokens.count + came).min(self.burst);
        }
        (tokens.count, tokens.at) = (tokens.count - 1.0, Some(now));
        if tokens.count >= 0.0 {
            return Duration::ZERO;
        }
        // A rate of one in a thousand years is a rate, too.
        Duration::try_from_secs_f64(-tokens.count / self.qps).unwrap_or(Duration::MAX)
    }

    // Nothing panics while it is locked.
    fn tokens(&self) -> MutexGuard<'_, Tokens> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A token that is waited for; one that is not used is put back.
struct Token<'a> {
    bucket: &'a Bucket,
    is_used: bool,
}

impl Drop for Token<'_> {
    fn drop(&mut self) {
        if !self.is_used {
            self.bucket.tokens().count += 1.0;
        }
    }
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit").field("qps", &self.0.qps).field("burst", &self.0.burst).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_passes_at_once_and_the_rest_at_the_rate() {
        let limit = RateLimit::new(10.0, 5).unwrap();
        let begun = Instant::now();
        let mut passed = Vec::new();
        for _ in 0..8 {
            limit.turn().await;
            passed.push(begun.elapsed().as_millis() / 10 * 10);
        }
        assert_eq!(passed, [0, 0, 0, 0, 0, 100, 200, 300]);
        tokio::time::sleep(Duration::from_secs(60)).await;
        let begun = Instant::now();
        for _ in 0..5 {
            limit.turn().await;
        }
        assert!(begun.elapsed().is_zero(), "what is not used is saved up to the burst");
        assert!(!limit.turn().await.is_zero(), "and not past it");
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_is_given_up_while_it_waits_costs_nothing() {
        let limit = RateLimit::new(1.0, 1).unwrap();
        limit.turn().await;
        for _ in 0..100 {
            assert!(tokio::time::timeout(Duration::from_millis(1), limit.turn()).await.is_err());
        }
        assert!(limit.turn().await <= Duration::from_secs(1));
    }

    #[test]
    fn a_limit_that_lets_nothing_through_is_refused() {
        for (qps, burst) in [(0.0, 1), (-1.0, 1), (f64::NAN, 1), (f64::INFINITY, 1), (1.0, 0)] {
            assert!(RateLimit::new(qps, burst).is_err(), "{qps} {burst}");
        }
    }
}
