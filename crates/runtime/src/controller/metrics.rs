//! What a controller has done: counts, durations and results.
//!
//! Cheap to keep and to read at any time from anywhere. An exporter reads [`Metrics::samples`] when it is asked; a
//! program that only wants to know reads [`Metrics::counts`].

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::machine::loop_detector::LoopReport;
use super::reconciler::action::Next;
use super::reconciler::handlers::Ended;
use crate::metrics::{Histogram, Number, QUEUE_DEPTH, QUEUE_DURATION, Sample, Samples};

/// A handle on what a controller counts; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    values: [Number; COUNTS],
    results: [Number; ReconcileResult::ALL.len()],
    /// How long reconciles took.
    reconcile_time: Mutex<Histogram>,
    /// How long objects were due before they were reconciled.
    queue_time: Mutex<Histogram>,
    loops: Mutex<Vec<LoopReport>>,
}

/// So many loops are remembered: one is enough to know what is wrong.
const LOOPS_MAX: usize = 100;

/// How many numbers are kept.
const COUNTS: usize = 14;

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Succeeded,
    Failed,
    Terminal,
    Panicked,
    TimedOut,
    Deletes,
    Held,
    HoldsExpired,
    Loops,
    Waiting,
    Running,
    Holding,
    Scheduled,
    Overdue,
}

/// How a reconcile ended: the label `result`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ReconcileResult {
    /// It ended well and waits for a change.
    Success,
    /// It returned an error.
    Error,
    /// It ended well and asked to be run again after its backoff.
    Requeue,
    /// It ended well and asked to be run again after a while.
    RequeueAfter,
    Panic,
    Timeout,
}

impl ReconcileResult {
    const ALL: [Self; 6] = [Self::Success, Self::Error, Self::Requeue, Self::RequeueAfter, Self::Panic, Self::Timeout];

    pub(super) fn of<E>(ended: &Ended<E>) -> Self {
        match ended {
            Ended::Done(action) => match action.next() {
                Next::Change => Self::Success,
                Next::After(_) => Self::RequeueAfter,
                Next::Backoff => Self::Requeue,
            },
            Ended::Failed(..) => Self::Error,
            Ended::Panicked(..) => Self::Panic,
            Ended::TimedOut(_) => Self::Timeout,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Requeue => "requeue",
            Self::RequeueAfter => "requeue_after",
            Self::Panic => "panic",
            Self::Timeout => "timeout",
        }
    }
}

/// What a controller has counted so far.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// Reconciles that ended well.
    pub succeeded: u64,
    /// Reconciles that ended with an error, terminal ones included.
    pub failed: u64,
    /// Reconciles that ended with an error that trying again cannot fix.
    pub terminal: u64,
    /// Panics, of reconcilers and of functions they depend on.
    pub panicked: u64,
    /// Reconciles that ran into their deadline.
    pub timed_out: u64,
    /// Deletes that were handled.
    pub deletes: u64,
    /// Objects that had to wait until the controller saw its own writes.
    pub held: u64,
    /// Of those, how many waited too long.
    pub holds_expired: u64,
    /// Objects whose reconciler kept waking itself.
    pub loops: u64,
    /// Objects that wait for their turn now: they are due, and no slot is free or not everything is listed yet.
    pub waiting: u64,
    /// Objects that are to be reconciled later: requeued, backed off, or within their debounce.
    pub scheduled: u64,
    /// Reconciles that run now.
    pub running: u64,
    /// Of those, how many have run for more than a minute.
    pub overdue: u64,
    /// Objects that wait now until the controller has seen its own writes.
    pub holding: u64,
}

impl Metrics {
    /// What has been counted so far.
    pub fn counts(&self) -> Counts {
        let of = |count: Count| self.0.values[count as usize].get();
        Counts {
            succeeded: of(Count::Succeeded),
            failed: of(Count::Failed),
            terminal: of(Count::Terminal),
            panicked: of(Count::Panicked),
            timed_out: of(Count::TimedOut),
            deletes: of(Count::Deletes),
            held: of(Count::Held),
            holds_expired: of(Count::HoldsExpired),
            loops: of(Count::Loops),
            waiting: of(Count::Waiting),
            scheduled: of(Count::Scheduled),
            running: of(Count::Running),
            overdue: of(Count::Overdue),
            holding: of(Count::Holding),
        }
    }

    /// Everything for an exporter of metrics, with the label `controller`. The names are those of controller-runtime,
    /// with `pintle_` in place of `controller_runtime_`, and those of client-go's queues.
    pub fn samples(&self, controller: &str) -> Vec<Sample> {
        let counts = self.counts();
        let mut samples = Samples::with_labels(&[("controller", controller)]);
        for result in ReconcileResult::ALL {
            let count = self.0.results[result as usize].get();
            samples.counter_of("pintle_reconcile_total", "Reconciles by result.", ("result", result.label()), count);
        }
        for (name, help, count) in counters(&counts) {
            samples.counter(name, help, count);
        }
        for (name, help, count) in gauges(&counts) {
            samples.gauge(name, help, count);
        }
        let copy = |histogram: &Mutex<Histogram>| *histogram.lock().unwrap_or_else(PoisonError::into_inner);
        samples.histogram("pintle_reconcile_time_seconds", "How long reconciles took.", copy(&self.0.reconcile_time));
        samples.histogram(QUEUE_DURATION.0, QUEUE_DURATION.1, copy(&self.0.queue_time));
        samples.into_vec()
    }

    /// The objects whose reconciler kept waking itself, each once, with the reason; the first 100.
    pub fn loops(&self) -> Vec<LoopReport> {
        self.0.loops.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn found(&self, report: LoopReport) {
        self.add(Count::Loops);
        let mut loops = self.0.loops.lock().unwrap_or_else(PoisonError::into_inner);
        if loops.len() < LOOPS_MAX {
            loops.push(report);
        }
    }

    /// A reconcile ended, and took so long.
    pub(super) fn reconciled(&self, result: ReconcileResult, duration: Duration) {
        self.0.results[result as usize].add_one();
        self.0.reconcile_time.lock().unwrap_or_else(PoisonError::into_inner).observe(duration);
    }

    /// An object was due for so long before it was reconciled.
    pub(super) fn waited(&self, duration: Duration) {
        self.0.queue_time.lock().unwrap_or_else(PoisonError::into_inner).observe(duration);
    }

    pub(super) fn add(&self, count: Count) {
        self.0.values[count as usize].add_one();
    }

    pub(super) fn set(&self, count: Count, value: usize) {
        self.0.values[count as usize].set(value);
    }
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            values: Default::default(),
            results: Default::default(),
            reconcile_time: Mutex::new(Histogram::of_reconciles()),
            queue_time: Mutex::default(),
            loops: Mutex::default(),
        }
    }
}

type Described = (&'static str, &'static str, u64);

fn counters(counts: &Counts) -> [Described; 8] {
    [
        ("pintle_reconcile_errors_total", "Reconciles that returned an error.", counts.failed),
        ("pintle_terminal_reconcile_errors_total", "Errors that trying again cannot fix.", counts.terminal),
        ("pintle_reconcile_panics_total", "Panics of reconcilers and of functions they use.", counts.panicked),
        ("pintle_reconcile_timeouts_total", "Reconciles that ran into their deadline.", counts.timed_out),
        ("pintle_deletes_total", "Deletes that were handled.", counts.deletes),
        ("pintle_own_write_waits_total", "Objects that waited for the controller's own writes.", counts.held),
        ("pintle_own_write_timeouts_total", "Such waits that ended without the write.", counts.holds_expired),
        ("pintle_loops_total", "Objects whose reconciler kept waking itself.", counts.loops),
    ]
}

fn gauges(counts: &Counts) -> [Described; 5] {
    [
        ("pintle_active_workers", "Reconciles that run now.", counts.running),
        ("pintle_overdue_workers", "Reconciles that have run for more than a minute.", counts.overdue),
        ("pintle_own_write_waiting", "Objects that wait for the controller's own writes now.", counts.holding),
        ("pintle_scheduled", "Objects that are to be reconciled later.", counts.scheduled),
        (QUEUE_DEPTH.0, QUEUE_DEPTH.1, counts.waiting),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Value;

    #[test]
    fn results_and_durations_are_samples_with_the_controllers_name() {
        let metrics = Metrics::default();
        metrics.reconciled(ReconcileResult::Success, Duration::from_millis(7));
        metrics.reconciled(ReconcileResult::RequeueAfter, Duration::from_secs(2));
        metrics.waited(Duration::from_micros(3));
        metrics.add(Count::Failed);
        metrics.set(Count::Waiting, 4);
        let samples = metrics.samples("web");
        assert!(samples.iter().all(|sample| sample.labels[0] == ("controller", "web".to_owned())));
        let value = |name: &str, result: Option<&str>| {
            let is_meant = |sample: &&Sample| {
                sample.name == name && sample.labels.get(1).map(|(_, value)| value.as_str()) == result
            };
            samples.iter().find(is_meant).map(|sample| sample.value)
        };
        assert_eq!(value("pintle_reconcile_total", Some("success")), Some(Value::Counter(1)));
        assert_eq!(value("pintle_reconcile_total", Some("requeue_after")), Some(Value::Counter(1)));
        assert_eq!(value("pintle_reconcile_total", Some("panic")), Some(Value::Counter(0)));
        assert_eq!(value("pintle_reconcile_errors_total", None), Some(Value::Counter(1)));
        assert_eq!(value("workqueue_depth", None), Some(Value::Gauge(4.0)));
        let Some(Value::Histogram(times)) = value("pintle_reconcile_time_seconds", None) else {
            panic!("no histogram")
        };
        assert_eq!((times.count(), times.buckets().nth(1)), (2, Some((Duration::from_millis(10), 1))));
    }

    #[test]
    fn samples_of_one_name_follow_each_other() {
        let samples = Metrics::default().samples("web");
        let mut names: Vec<&str> = samples.iter().map(|sample| sample.name).collect();
        names.dedup();
        let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), distinct.len());
    }

    #[test]
    fn every_result_has_a_place_of_its_own() {
        for (at, result) in ReconcileResult::ALL.into_iter().enumerate() {
            assert_eq!(result as usize, at);
        }
    }
}
