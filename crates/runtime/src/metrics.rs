//! Numbers for exporters of metrics: counters, gauges and durations, each with its name, help and labels.
//!
//! ```text
//!   Controller::metrics() ─► Metrics::samples("my-controller") ─┐
//!   WorkQueue::metrics()  ─► Metrics::samples("my-queue")      ─┴► Sample { name, help, labels, value } ─► an exporter
//! ```
//! In: what controllers and queues count. Out: samples that have all an exporter of Prometheus' format needs. Samples of
//! one name follow each other. Names are those of client-go (`workqueue_…`) and of controller-runtime, whose prefix
//! `controller_runtime_` is `pintle_` here. Nothing is registered anywhere, and no exporter is part of this.

mod histogram;

use std::sync::atomic::{AtomicU64, Ordering};

pub use histogram::Histogram;

/// The name of how many items a queue holds, and what it means: the same for a controller and a `WorkQueue`, because an
/// exporter shows one text for each name.
pub(crate) const QUEUE_DEPTH: (&str, &str) = ("workqueue_depth", "Items that are due and wait for their turn.");
/// The same of how long they wait.
pub(crate) const QUEUE_DURATION: (&str, &str) =
    ("workqueue_queue_duration_seconds", "How long items were due before their turn came.");

/// One number, or one histogram, at the time it was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// Its name, such as `pintle_reconcile_total`.
    pub name: &'static str,
    /// What it means, in one line.
    pub help: &'static str,
    /// Its labels, such as `controller` and `result`.
    pub labels: Vec<(&'static str, String)>,
    /// What it is.
    pub value: Value,
}

/// The value of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A number that only rises.
    Counter(u64),
    /// A number that rises and falls; durations are in seconds.
    Gauge(f64),
    /// Durations.
    Histogram(Histogram),
}

/// Makes samples that share their labels.
#[derive(Debug)]
pub(crate) struct Samples {
    labels: Vec<(&'static str, String)>,
    all: Vec<Sample>,
}

impl Samples {
    /// Samples that all have these labels.
    pub(crate) fn with_labels(labels: &[(&'static str, &str)]) -> Self {
        let labels = labels.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Self { labels, all: Vec::new() }
    }

    pub(crate) fn counter(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.add(name, help, None, Value::Counter(value));
    }

    /// A counter with one more label.
    pub(crate) fn counter_of(
        &mut self,
        name: &'static str,
        help: &'static str,
        label: (&'static str, &str),
        value: u64,
    ) {
        self.add(name, help, Some(label), Value::Counter(value));
    }

    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, and metrics are floating point")]
    pub(crate) fn gauge(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.add(name, help, None, Value::Gauge(value as f64));
    }

    pub(crate) fn seconds(&mut self, name: &'static str, help: &'static str, value: std::time::Duration) {
        self.add(name, help, None, Value::Gauge(value.as_secs_f64()));
    }

    pub(crate) fn histogram(&mut self, name: &'static str, help: &'static str, value: Histogram) {
        self.add(name, help, None, Value::Histogram(value));
    }

    pub(crate) fn into_vec(self) -> Vec<Sample> {
        self.all
    }

    fn add(&mut self, name: &'static str, help: &'static str, label: Option<(&'static str, &str)>, value: Value) {
        let mut labels = self.labels.clone();
        labels.extend(label.map(|(name, value)| (name, value.to_owned())));
        self.all.push(Sample { name, help, labels, value });
    }
}

/// A number that many threads may change; readers see it at some moment, not together with others.
#[derive(Debug, Default)]
pub(crate) struct Number(AtomicU64);

impl Number {
    pub(crate) fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn set(&self, value: usize) {
        self.0.store(u64::try_from(value).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    #[test]
    fn a_name_means_the_same_for_a_controller_and_a_queue() {
        let controller = crate::controller::Metrics::default().samples("web");
        let queue = crate::workqueue::Metrics::default().samples("web");
        let mut helps = BTreeMap::new();
        for sample in controller.iter().chain(&queue) {
            assert_eq!(*helps.entry(sample.name).or_insert(sample.help), sample.help, "{}", sample.name);
        }
        let shared = |name: &str| [&controller, &queue].iter().all(|samples| samples.iter().any(|it| it.name == name));
        assert!(shared(super::QUEUE_DEPTH.0) && shared(super::QUEUE_DURATION.0));
    }
}
