//! Numbers for exporters of metrics, of controllers, queues, leases and stores; see [`pintle_core::metrics`].
//!
//! Names and labels that several of them share stand here: an exporter shows one text for each name.

pub use pintle_core::metrics::{
    CALL_BOUNDS, Histogram, Number, QUEUE_BOUNDS, RECONCILE_BOUNDS, Sample, Samples, Value,
};

use std::collections::BTreeMap;
use std::time::Duration;

use crate::queue::Priority;

/// What a queue has counted, a controller's or one of the program's: client-go's seven numbers.
#[derive(Debug)]
pub(crate) struct QueueNumbers<'a> {
    /// Of those that are due, how many have each priority.
    pub(crate) depths: &'a BTreeMap<Priority, usize>,
    pub(crate) adds: u64,
    pub(crate) retries: u64,
    pub(crate) queue_duration: Histogram,
    pub(crate) work_duration: Histogram,
    pub(crate) unfinished_work: Duration,
    pub(crate) longest_running: Duration,
}

/// So many priorities have a depth of their own, the highest first; the others are counted together. controller-runtime's
/// number.
const PRIORITIES_MAX: usize = 25;
/// The label of all the others.
const OTHER_PRIORITIES: &str = "other";

impl QueueNumbers<'_> {
    /// The samples of the queue `name`. They have the labels `name` and `controller`, as controller-runtime's.
    pub(crate) fn samples(self, name: &str) -> Vec<Sample> {
        let mut samples = Samples::with_labels(&[("controller", name), ("name", name)]);
        for (priority, depth) in self.depths_by_label() {
            let (name, help) = ("workqueue_depth", "Items that are due and wait for their turn.");
            samples.gauge_of(name, help, &[("priority", &priority)], depth);
        }
        samples.counter("workqueue_adds_total", "Items that were added and did not wait already.", self.adds);
        samples.counter("workqueue_retries_total", "Items that were added after a backoff.", self.retries);
        let help = "How long items were due before their turn came.";
        samples.histogram("workqueue_queue_duration_seconds", help, self.queue_duration);
        samples.histogram("workqueue_work_duration_seconds", "How long items were worked on.", self.work_duration);
        let help = "How long what is being worked on has taken so far, together.";
        samples.seconds("workqueue_unfinished_work_seconds", help, self.unfinished_work);
        let help = "How long the oldest work that is not done has taken so far.";
        samples.seconds("workqueue_longest_running_processor_seconds", help, self.longest_running);
        samples.into_vec()
    }

    /// A queue without anything due has depth 0 at the priority that most have.
    fn depths_by_label(&self) -> Vec<(String, u64)> {
        let count = |depth: usize| u64::try_from(depth).unwrap_or(u64::MAX);
        let mut depths = self.depths.clone();
        depths.entry(crate::queue::PRIORITY_NORMAL).or_default();
        let mut labelled: Vec<_> =
            depths.iter().rev().map(|(priority, depth)| (priority.to_string(), count(*depth))).collect();
        if labelled.len() > PRIORITIES_MAX {
            let others = labelled.split_off(PRIORITIES_MAX - 1).into_iter().map(|(_, depth)| depth).sum();
            labelled.push((OTHER_PRIORITIES.to_owned(), others));
        }
        labelled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depths(depths: &BTreeMap<Priority, usize>) -> Vec<(String, u64)> {
        let numbers = QueueNumbers {
            depths,
            adds: 0,
            retries: 0,
            queue_duration: Histogram::default(),
            work_duration: Histogram::default(),
            unfinished_work: Duration::ZERO,
            longest_running: Duration::ZERO,
        };
        numbers.depths_by_label()
    }

    #[test]
    fn an_empty_queue_has_depth_zero_and_priorities_are_labels() {
        assert_eq!(depths(&BTreeMap::new()), [("0".to_owned(), 0)]);
        let some = BTreeMap::from([(-100, 7), (0, 1)]);
        assert_eq!(depths(&some), [("0".to_owned(), 1), ("-100".to_owned(), 7)]);
    }

    #[test]
    fn a_thousand_priorities_are_twenty_five_series_and_no_item_is_missing() {
        let many: BTreeMap<Priority, usize> = (0..1000).map(|priority| (priority, 2)).collect();
        let depths = depths(&many);
        assert_eq!((depths.len(), depths[0].0.as_str(), depths[24].0.as_str()), (25, "999", "other"));
        assert_eq!(depths.iter().map(|(_, depth)| depth).sum::<u64>(), 2000);
    }
}
