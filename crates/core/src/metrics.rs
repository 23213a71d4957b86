//! Numbers for exporters of metrics: counters, gauges and durations, each with its name, help and labels.
//!
//! ```text
//!   Client::metrics()     ─► samples()                ─┐
//!   Controller::metrics() ─► samples("my-controller") ─┼► Sample { name, help, labels, value } ─► an exporter
//!   WorkQueue::metrics()  ─► samples("my-queue")      ─┘
//! ```
//! In: what clients, controllers and queues count. Out: samples that have all an exporter of Prometheus' format needs.
//! Samples of one source and one name follow each other. Names and labels are those of client-go (`workqueue_…`,
//! `rest_client_…`) and of controller-runtime (`controller_runtime_…`); what only Pintle counts begins with `pintle_`.
//! Nothing is registered anywhere, and no exporter is part of this: `pintle-manager` has one.

mod histogram;

use std::sync::atomic::{AtomicU64, Ordering};

pub use histogram::{CALL_BOUNDS, Histogram, QUEUE_BOUNDS, RECONCILE_BOUNDS};

/// One number, or one histogram, at the time it was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// Its name, such as `controller_runtime_reconcile_total`.
    pub name: &'static str,
    /// What it means, in one line.
    pub help: &'static str,
    /// Its labels, such as `controller` and `result`.
    pub labels: Vec<(&'static str, String)>,
    /// What it is.
    pub value: Value,
}

/// The value of a sample.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A number that only rises.
    Counter(u64),
    /// A number that rises and falls; durations are in seconds.
    Gauge(f64),
    /// Durations.
    Histogram(Histogram),
}

/// Makes samples that share some labels.
///
/// ```
/// use pintle_core::metrics::Samples;
///
/// let mut samples = Samples::with_labels(&[("webhook", "/validate")]);
/// samples.counter("example_requests_total", "Requests that were answered.", 3);
/// samples.counter_of("example_codes_total", "Requests by code.", &[("code", "200")], 3);
/// assert_eq!(samples.into_vec()[1].labels[1], ("code", "200".to_owned()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Samples {
    labels: Vec<(&'static str, String)>,
    all: Vec<Sample>,
}

impl Samples {
    /// Samples that all have these labels.
    pub fn with_labels(labels: &[(&'static str, &str)]) -> Self {
        Self { labels: owned(labels), all: Vec::new() }
    }

    /// A counter.
    pub fn counter(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.counter_of(name, help, &[], value);
    }

    /// A counter with more labels.
    pub fn counter_of(&mut self, name: &'static str, help: &'static str, labels: &[(&'static str, &str)], value: u64) {
        self.add(name, help, labels, Value::Counter(value));
    }

    /// A gauge.
    pub fn gauge(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.gauge_of(name, help, &[], value);
    }

    /// A gauge with more labels.
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, and metrics are floating point")]
    pub fn gauge_of(&mut self, name: &'static str, help: &'static str, labels: &[(&'static str, &str)], value: u64) {
        self.add(name, help, labels, Value::Gauge(value as f64));
    }

    /// A gauge of a duration.
    pub fn seconds(&mut self, name: &'static str, help: &'static str, value: std::time::Duration) {
        self.seconds_of(name, help, &[], value);
    }

    /// A gauge of a duration, with more labels.
    pub fn seconds_of(
        &mut self,
        name: &'static str,
        help: &'static str,
        labels: &[(&'static str, &str)],
        value: std::time::Duration,
    ) {
        self.add(name, help, labels, Value::Gauge(value.as_secs_f64()));
    }

    /// Durations.
    pub fn histogram(&mut self, name: &'static str, help: &'static str, value: Histogram) {
        self.histogram_of(name, help, &[], value);
    }

    /// Durations with more labels.
    pub fn histogram_of(
        &mut self,
        name: &'static str,
        help: &'static str,
        labels: &[(&'static str, &str)],
        value: Histogram,
    ) {
        self.add(name, help, labels, Value::Histogram(value));
    }

    /// All of them.
    pub fn into_vec(self) -> Vec<Sample> {
        self.all
    }

    fn add(&mut self, name: &'static str, help: &'static str, more: &[(&'static str, &str)], value: Value) {
        let mut labels = self.labels.clone();
        labels.extend(owned(more));
        self.all.push(Sample { name, help, labels, value });
    }
}

fn owned(labels: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    labels.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

/// A number that many threads may change; readers see it at some moment, not together with others.
#[derive(Debug, Default)]
pub struct Number(AtomicU64);

impl Number {
    /// One more.
    pub fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// This and nothing else.
    pub fn set(&self, value: usize) {
        self.0.store(u64::try_from(value).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// What it is now.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
