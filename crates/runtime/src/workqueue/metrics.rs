//! What a queue has counted: client-go's numbers under its words.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::time::Duration;

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
pub(super) struct Meter<T> {
    due: HashMap<T, Instant>,
    working: HashMap<T, Instant>,
    adds: u64,
    retries: u64,
    queue_duration: Histogram,
    work_duration: Histogram,
}

impl<T> Default for Meter<T> {
    fn default() -> Self {
        Self {
            due: HashMap::new(),
            working: HashMap::new(),
            adds: 0,
            retries: 0,
            queue_duration: Histogram::default(),
            work_duration: Histogram::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Meter<T> {
    pub(super) fn added(&mut self, item: &T, due: Instant) {
        match self.due.get_mut(item) {
            Some(known) => *known = due.min(*known),
            None => {
                self.adds += 1;
                self.due.insert(item.clone(), due);
            }
        }
    }

    pub(super) fn retried(&mut self) {
        self.retries += 1;
    }

    pub(super) fn began(&mut self, item: &T, now: Instant) {
        if let Some(due) = self.due.remove(item) {
            self.queue_duration.observe(now.saturating_duration_since(due));
        }
        self.working.insert(item.clone(), now);
    }

    pub(super) fn ended(&mut self, item: &T, now: Instant) {
        if let Some(began) = self.working.remove(item) {
            self.work_duration.observe(now.saturating_duration_since(began));
        }
    }

    pub(super) fn dropped(&mut self, item: &T) {
        self.due.remove(item);
    }

    pub(super) fn working(&self) -> usize {
        self.working.len()
    }

    pub(super) fn metrics(&self, depths: BTreeMap<Priority, usize>, now: Instant) -> Metrics {
        let running = || self.working.values().map(|began| now.saturating_duration_since(*began));
        Metrics {
            depth: depths.values().sum(),
            depths,
            working: self.working.len(),
            adds: self.adds,
            retries: self.retries,
            queue_duration: self.queue_duration.clone(),
            work_duration: self.work_duration.clone(),
            unfinished_work: running().sum(),
            longest_running: running().max().unwrap_or_default(),
        }
    }
}
