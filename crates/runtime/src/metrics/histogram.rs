//! Durations, counted by size as Prometheus does.

use std::time::Duration;

/// How many durations there were, and how many were at most as long as each of some bounds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Histogram {
    bounds: &'static [Duration],
    counts: [u64; BOUNDS_MAX],
    count: u64,
    sum: Duration,
}

/// The most bounds that a histogram has: those below have no more, and a histogram is copied when it is read.
const BOUNDS_MAX: usize = 14;

/// How long something waits in a queue or is worked on: client-go's bounds, 10 ns to 10 s by tens, and two more as
/// controller-runtime has them.
const QUEUE_BOUNDS: &[Duration] = &[
    Duration::from_nanos(10),
    Duration::from_nanos(100),
    Duration::from_micros(1),
    Duration::from_micros(10),
    Duration::from_micros(100),
    Duration::from_millis(1),
    Duration::from_millis(10),
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(10),
    Duration::from_secs(100),
    Duration::from_secs(1000),
];

/// How long a reconcile takes: from a look into a store to some calls is 5 ms to 1 s, and a minute is overdue.
const RECONCILE_BOUNDS: &[Duration] = &[
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_millis(2500),
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_secs(60),
    Duration::from_secs(600),
];

/// One with the bounds of queues.
impl Default for Histogram {
    fn default() -> Self {
        Self::new(QUEUE_BOUNDS)
    }
}

impl Histogram {
    fn new(bounds: &'static [Duration]) -> Self {
        debug_assert!(bounds.len() <= BOUNDS_MAX, "BOUNDS_MAX is the length of the longest bounds");
        Self { bounds, counts: [0; BOUNDS_MAX], count: 0, sum: Duration::ZERO }
    }

    /// One with the bounds of reconciles.
    pub(crate) fn of_reconciles() -> Self {
        Self::new(RECONCILE_BOUNDS)
    }

    /// How many durations there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// All of them together.
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// The bounds, each with how many durations were at most that long.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> {
        let counts = self.counts;
        self.bounds.iter().zip(counts).scan(0, |sum, (bound, count)| {
            *sum += count;
            Some((*bound, *sum))
        })
    }

    pub(crate) fn observe(&mut self, duration: Duration) {
        self.count += 1;
        self.sum = self.sum.saturating_add(duration);
        let bucket = self.bounds.partition_point(|bound| *bound < duration);
        // What is longer than every bound is in the count alone.
        if bucket < self.bounds.len() {
            self.counts[bucket] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_counts_in_every_bucket_that_holds_it() {
        let mut histogram = Histogram::default();
        for seconds in [0, 1, 2, 5000] {
            histogram.observe(Duration::from_secs(seconds));
        }
        let buckets: Vec<_> = histogram.buckets().map(|(_, count)| count).collect();
        assert_eq!(buckets, [1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3]);
        assert_eq!((histogram.count(), histogram.sum()), (4, Duration::from_secs(5003)));
    }

    #[test]
    fn bounds_rise_and_fit() {
        for bounds in [QUEUE_BOUNDS, RECONCILE_BOUNDS] {
            assert!(bounds.is_sorted() && bounds.len() <= BOUNDS_MAX);
        }
    }
}
