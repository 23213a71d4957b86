//! Durations, counted by size as Prometheus does.

use std::time::Duration;

/// How many durations there were, and how many were at most as long as each of some bounds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Histogram {
    bounds: &'static [Duration],
    counts: Box<[u64]>,
    count: u64,
    sum: Duration,
}

/// How long something waits in a queue, is worked on, or a webhook takes: 10 ns to 1000 s by tens, as
/// controller-runtime has it.
pub const QUEUE_BOUNDS: &[Duration] = &[
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

/// How long a reconcile takes: controller-runtime's bounds, 5 ms to a minute, so that its dashboards fit.
pub const RECONCILE_BOUNDS: &[Duration] = &milliseconds([
    5, 10, 25, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 900, 1000, 1250, 1500, 1750, 2000, 2500,
    3000, 3500, 4000, 4500, 5000, 6000, 7000, 8000, 9000, 10_000, 15_000, 20_000, 25_000, 30_000, 40_000, 50_000,
    60_000,
]);

/// How long a call to a server takes: the bounds of Kubernetes' own clients, 5 ms to a minute.
pub const CALL_BOUNDS: &[Duration] =
    &milliseconds([5, 25, 100, 250, 500, 1000, 2000, 4000, 8000, 15_000, 30_000, 60_000]);

const fn milliseconds<const N: usize>(numbers: [u64; N]) -> [Duration; N] {
    let mut durations = [Duration::ZERO; N];
    let mut at = 0;
    while at < N {
        durations[at] = Duration::from_millis(numbers[at]);
        at += 1;
    }
    durations
}

/// One with the bounds of queues.
impl Default for Histogram {
    fn default() -> Self {
        Self::new(QUEUE_BOUNDS)
    }
}

impl Histogram {
    /// One with these bounds, which have to rise.
    pub fn new(bounds: &'static [Duration]) -> Self {
        debug_assert!(bounds.is_sorted(), "the bounds of a histogram rise");
        Self { bounds, counts: vec![0; bounds.len()].into(), count: 0, sum: Duration::ZERO }
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
        self.bounds.iter().zip(&self.counts).scan(0, |sum, (bound, count)| {
            *sum += count;
            Some((*bound, *sum))
        })
    }

    /// One more duration.
    pub fn observe(&mut self, duration: Duration) {
        self.count += 1;
        self.sum = self.sum.saturating_add(duration);
        let bucket = self.bounds.partition_point(|bound| *bound < duration);
        // What is longer than every bound is in the count alone.
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
        }
    }

    /// What another one with the same bounds has counted, too; one with other bounds is not taken in.
    pub fn merge(&mut self, other: &Self) {
        if self.bounds != other.bounds {
            return;
        }
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
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
    fn two_histograms_of_the_same_bounds_become_one() {
        let (mut one, mut other) = (Histogram::default(), Histogram::default());
        one.observe(Duration::from_secs(1));
        other.observe(Duration::from_secs(100));
        one.merge(&other);
        assert_eq!((one.count(), one.buckets().last().unwrap().1, one.sum()), (2, 2, Duration::from_secs(101)));
        one.merge(&Histogram::new(CALL_BOUNDS));
        assert_eq!(one.count(), 2, "other bounds, other durations");
    }

    #[test]
    fn bounds_rise() {
        for bounds in [QUEUE_BOUNDS, RECONCILE_BOUNDS, CALL_BOUNDS] {
            assert!(bounds.is_sorted_by(|one, next| one < next));
        }
    }
}
