//! Durations, counted by size as Prometheus does.

use std::time::Duration;

/// How many durations there were, and how many were at most so long.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Histogram {
    counts: [u64; Histogram::BOUNDS.len()],
    count: u64,
    sum: Duration,
}

impl Histogram {
    /// The upper bounds of the buckets: client-go's for its queues, 10 ns to 10 s by tens, and two more as
    /// controller-runtime has them.
    pub const BOUNDS: [Duration; 12] = [
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

    /// How many durations there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// All of them together.
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// The bounds, each with how many were at most so long.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> {
        let counts = self.counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        Self::BOUNDS.into_iter().zip(counts.collect::<Vec<_>>())
    }

    pub(super) fn observe(&mut self, duration: Duration) {
        self.count += 1;
        self.sum = self.sum.saturating_add(duration);
        if let Some(count) = self.counts.get_mut(Self::BOUNDS.partition_point(|bound| *bound < duration)) {
            *count += 1;
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
}
