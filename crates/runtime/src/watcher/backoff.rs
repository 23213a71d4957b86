//! How long to wait after a failure.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use pintle_core::backoff::Exponential;
use tokio::time::Instant;

use crate::random;
use crate::scheduler::DELAY_MAX;

/// Delays, each for one more failure, until it is [`reset`](Backoff::reset).
pub trait Backoff: Iterator<Item = Duration> + Send + Sync + Unpin {
    /// Begins anew.
    fn reset(&mut self);
}

impl<B: Backoff + ?Sized> Backoff for Box<B> {
    fn reset(&mut self) {
        (**self).reset();
    }
}

/// Delays that grow by a factor up to a maximum; never ending, unless made from a builder that ends.
#[derive(Debug)]
pub struct ExponentialBackoff(Delays);

#[derive(Debug)]
enum Delays {
    Growing(Growing),
    /// As backon makes them, which is how kube's are made.
    Built {
        builder: ExponentialBuilder,
        delays: backon::ExponentialBackoff,
    },
}

#[derive(Debug)]
struct Growing {
    backoff: Exponential,
    is_jittered: bool,
    failures: u32,
}

impl ExponentialBackoff {
    /// From `min` to `max`, each `factor` times the one before; jittered delays are up to twice as long.
    pub fn new(min: Duration, max: Duration, factor: f32, enable_jitter: bool) -> Self {
        let backoff = Exponential::new(min.min(max), max).factor(factor.into()).jitter(1.0);
        Self(Delays::Growing(Growing { backoff, is_jittered: enable_jitter, failures: 0 }))
    }
}

impl From<ExponentialBuilder> for ExponentialBackoff {
    fn from(builder: ExponentialBuilder) -> Self {
        Self(Delays::Built { builder, delays: builder.build() })
    }
}

impl Default for ExponentialBackoff {
    /// 1 s, 2 s, 4 s, … 60 s.
    fn default() -> Self {
        Self::new(Duration::from_secs(1), Duration::from_secs(60), 2.0, false)
    }
}

impl Iterator for ExponentialBackoff {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        match &mut self.0 {
            // kube's iterators take no random number, so it is drawn here.
            Delays::Growing(growing) => Some(growing.next(random::fraction())),
            Delays::Built { delays, .. } => delays.next(),
        }
    }
}

impl Growing {
    /// The next delay; a jittered one is longer by `random` times itself.
    fn next(&mut self, random: f64) -> Duration {
        let delay = self.backoff.delay(self.failures, if self.is_jittered { random } else { 0.0 });
        self.failures = self.failures.saturating_add(1);
        delay
    }
}

impl Backoff for ExponentialBackoff {
    fn reset(&mut self) {
        match &mut self.0 {
            Delays::Growing(growing) => growing.failures = 0,
            Delays::Built { builder, delays } => *delays = builder.build(),
        }
    }
}

/// What a watch does unless configured otherwise: 800 ms, doubled up to 30 s, jittered; client-go's numbers.
#[derive(Debug)]
pub struct DefaultBackoff(ExponentialBackoff);

impl Default for DefaultBackoff {
    fn default() -> Self {
        Self(ExponentialBackoff::new(Duration::from_millis(800), Duration::from_secs(30), 2.0, true))
    }
}

impl Iterator for DefaultBackoff {
    type Item = Duration;
    fn next(&mut self) -> Option<Duration> {
        self.0.next()
    }
}

impl Backoff for DefaultBackoff {
    fn reset(&mut self) {
        self.0.reset();
    }
}

/// The pauses of one watch: they begin anew only after a stable time, because a list that works and a watch that does
/// not would otherwise take turns at full speed.
pub(crate) struct Pauses {
    backoff: Box<dyn Backoff>,
    healthy_since: Option<Instant>,
}

/// So long between the first success and the next failure counts as health.
pub(crate) const HEALTHY_AFTER: Duration = Duration::from_secs(120);

impl Pauses {
    pub(crate) fn new(backoff: Box<dyn Backoff>) -> Self {
        Self { backoff, healthy_since: None }
    }

    /// Something worked at `now`.
    pub(crate) fn succeeded(&mut self, now: Instant) {
        self.healthy_since.get_or_insert(now);
    }

    /// How long to wait after a failure at `now`; `None` if the backoff gives up.
    pub(crate) fn failed(&mut self, now: Instant) -> Option<Duration> {
        let healthy_since = self.healthy_since.take();
        if healthy_since.is_some_and(|since| now.saturating_duration_since(since) >= HEALTHY_AFTER) {
            self.backoff.reset();
        }
        self.backoff.next().map(|pause| pause.min(DELAY_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_backoff_has_the_numbers_of_the_documents() {
        let seconds: Vec<_> = ExponentialBackoff::default().take(8).map(|delay| delay.as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60]);
    }

    #[test]
    fn a_builder_of_backon_makes_a_backoff_that_begins_anew() {
        let builder = ExponentialBuilder::default().with_min_delay(Duration::from_secs(2)).with_max_times(3);
        let mut backoff = ExponentialBackoff::from(builder);
        let seconds = |backoff: &mut ExponentialBackoff| backoff.map(|delay| delay.as_secs()).collect::<Vec<_>>();
        assert_eq!(seconds(&mut backoff), [2, 4, 8]);
        backoff.reset();
        assert_eq!(seconds(&mut backoff), [2, 4, 8]);
    }

    #[test]
    fn a_jittered_delay_is_longer_by_what_was_drawn_and_another_one_is_not() {
        for (is_jittered, expected) in [(true, [1000, 3000, 7000]), (false, [1000, 2000, 4000])] {
            let backoff = Exponential::new(Duration::from_secs(1), Duration::from_secs(60)).jitter(1.0);
            let mut growing = Growing { backoff, is_jittered, failures: 0 };
            assert_eq!([0.0, 0.5, 0.75].map(|random| growing.next(random).as_millis()), expected);
        }
    }

    #[test]
    fn jitter_stretches_but_never_shortens() {
        let mut backoff = DefaultBackoff::default();
        for floor in [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000] {
            let delay = backoff.next().unwrap().as_millis();
            assert!((floor..=2 * floor).contains(&delay), "{delay} for {floor}");
        }
    }

    #[test]
    fn pauses_begin_anew_only_after_a_stable_time() {
        let mut pauses = Pauses::new(Box::new(ExponentialBackoff::default()));
        let mut now = Instant::now();
        let mut seconds = Vec::new();
        for healthy in [0, 5, 60, 119, 120, 0] {
            pauses.succeeded(now);
            now += Duration::from_secs(healthy);
            seconds.push(pauses.failed(now).unwrap().as_secs());
        }
        assert_eq!(seconds, [1, 2, 4, 8, 1, 2]);
    }

    #[test]
    fn a_call_that_takes_long_to_fail_is_not_health() {
        let mut pauses = Pauses::new(Box::new(ExponentialBackoff::default()));
        let mut now = Instant::now();
        let mut pause = || {
            now += Duration::from_secs(300);
            pauses.failed(now).unwrap().as_secs()
        };
        assert_eq!([pause(), pause(), pause()], [1, 2, 4]);
    }
}
