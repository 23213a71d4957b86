//! What a queue has counted: client-go's numbers under its words.

use std::collections::BTreeMap;
use std::time::Duration;

use slab::Slab;
use tokio::time::Instant;

use crate::metrics::{Histogram, QueueNumbers, Sample};
use crate::queue::Priority;

/// What a queue has counted so far.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Metrics {
    /// `workqueue_depth`: how many items are due and wait for their turn.
    pub depth: usize,
    /// Of those, how many have each priority.
    pub depths: BTreeMap<Priority, usize>,
    /// How many items are being worked on.
    pub working: usize,
    /// `workqueue_adds_total`: what was added and did not wait already.
    pub adds: u64,
    /// `workqueue_retries_total`: how many of them were retries.
    pub retries: u64,
    /// `workqueue_queue_duration_seconds`: how long items were due before their turn came.
    pub queue_duration: Histogram,
    /// `workqueue_work_duration_seconds`: how long they were worked on.
    pub work_duration: Histogram,
    /// `workqueue_unfinished_work_seconds`: how long what is being worked on has taken so far, together.
    pub unfinished_work: Duration,
    /// `workqueue_longest_running_processor_seconds`: the longest of those.
    pub longest_running: Duration,
}

impl Metrics {
    /// Everything for an exporter of metrics, under client-go's names, with the labels `name` and `controller`, as
    /// controller-runtime has them.
    pub fn samples(&self, name: &str) -> Vec<Sample> {
        let numbers = QueueNumbers {
            depths: &self.depths,
            adds: self.adds,
            retries: self.retries,
            queue_duration: self.queue_duration.clone(),
            work_duration: self.work_duration.clone(),
            unfinished_work: self.unfinished_work,
            longest_running: self.longest_running,
        };
        numbers.samples(name)
    }
}

/// Counts for one queue.
#[derive(Default)]
pub(super) struct Meter {
    /// When each piece of work that is under way began.
    working: Slab<Instant>,
    retries: u64,
    queue_duration: Histogram,
    work_duration: Histogram,
}

impl Meter {
    pub(super) fn retried(&mut self) {
        self.retries += 1;
    }

    /// What is due since `due` is worked on from now on; returns what [`ended`](Self::ended) is told.
    pub(super) fn began(&mut self, due: Instant, now: Instant) -> usize {
        self.queue_duration.observe(now.saturating_duration_since(due));
        self.working.insert(now)
    }

    pub(super) fn ended(&mut self, turn: usize, now: Instant) {
        let began = self.working.remove(turn);
        self.work_duration.observe(now.saturating_duration_since(began));
    }

    pub(super) fn working(&self) -> usize {
        self.working.len()
    }

    pub(super) fn metrics(&self, depths: BTreeMap<Priority, usize>, adds: u64, now: Instant) -> Metrics {
        let running = || self.working.iter().map(|(_, began)| now.saturating_duration_since(*began));
        Metrics {
            depth: depths.values().sum(),
            depths,
            working: self.working.len(),
            adds,
            retries: self.retries,
            queue_duration: self.queue_duration.clone(),
            work_duration: self.work_duration.clone(),
            unfinished_work: running().sum(),
            longest_running: running().max().unwrap_or_default(),
        }
    }
}
