//! What a controller has done: counts, durations and results.
//!
//! Cheap to keep, and to read at any time from anywhere. An exporter reads [`Metrics::samples`] when it is asked; a
//! program that only wants to know reads [`Metrics::counts`].

mod samples;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::machine::loop_detector::LoopReport;
use super::probes::heartbeat::Heartbeat;
use super::probes::readiness::KnownStore;
use super::reconciler::action::Next;
use super::reconciler::handlers::Ended;
use super::source::watch_progress::WatchProgresses;
use crate::metrics::{Histogram, Number, RECONCILE_BOUNDS};
use crate::queue::Priority;

/// A handle on what a controller counts; clones share it.
#[derive(Clone, Default)]
pub struct Metrics {
    counters: Arc<Counters>,
    heartbeat: Heartbeat,
    progress: WatchProgresses,
    store: Option<KnownStore>,
}

#[derive(Debug)]
struct Counters {
    values: [Number; COUNTS],
    results: [Number; ReconcileResult::ALL.len()],
    times: Mutex<Times>,
    queued: Mutex<Queued>,
    loops: Mutex<Vec<LoopReport>>,
}

#[derive(Clone, Debug)]
struct Times {
    /// How long reconciles took.
    reconcile: Histogram,
    /// How long objects were due before they were reconciled.
    queue: Histogram,
    /// How long reconciles and the handling of deletes took.
    work: Histogram,
}

#[derive(Clone, Debug, Default)]
struct Queued {
    depths: BTreeMap<Priority, usize>,
    adds: u64,
}

/// So many loops are remembered: one is enough to know what is wrong.
const LOOPS_MAX: usize = 100;

/// How many numbers are kept.
const COUNTS: usize = 17;

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
    Retries,
    SlotsMax,
    Remembered,
}

/// How a reconcile ended: the label `result`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ReconcileResult {
    /// It ended well and waits for a change.
    Success,
    /// It returned an error, panicked or ran into its deadline.
    Error,
    /// It ended well and asked to be run again after its backoff.
    Requeue,
    /// It ended well and asked to be run again after a while.
    RequeueAfter,
}

impl ReconcileResult {
    const ALL: [Self; 4] = [Self::Success, Self::Error, Self::Requeue, Self::RequeueAfter];

    pub(super) fn of<E>(ended: &Ended<E>) -> Self {
        match ended {
            Ended::Done(action) => match action.next() {
                Next::Change => Self::Success,
                Next::After(_) => Self::RequeueAfter,
                Next::Backoff => Self::Requeue,
            },
            Ended::Failed(..) | Ended::Panicked(..) | Ended::TimedOut(_) => Self::Error,
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Requeue => "requeue",
            Self::RequeueAfter => "requeue_after",
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
    /// Objects of which it remembers something now, beside what its store has: why they wait, failures, writes, a recent
    /// reconcile. An object that is deleted is forgotten, and so are idle ones once there are many.
    pub remembered: u64,
    /// Objects that a watch notifies when it has shown their writes; those that are holding, and no others.
    pub awaited: u64,
}

impl Metrics {
    /// What has been counted so far.
    pub fn counts(&self) -> Counts {
        let of = |count: Count| self.counters.values[count as usize].get();
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
            remembered: of(Count::Remembered),
            awaited: u64::try_from(self.progress.waiting_len()).unwrap_or(u64::MAX),
        }
    }

    /// The objects whose reconciler kept waking itself, each once, with the reason; the first 100.
    pub fn loops(&self) -> Vec<LoopReport> {
        locked(&self.counters.loops).clone()
    }

    pub(super) fn found(&self, report: LoopReport) {
        self.add(Count::Loops);
        let mut loops = locked(&self.counters.loops);
        if loops.len() < LOOPS_MAX {
            loops.push(report);
        }
    }

    /// The same, which also knows these.
    pub(super) fn looking_at(self, heartbeat: Heartbeat, progress: WatchProgresses, store: KnownStore) -> Self {
        Self { heartbeat, progress, store: Some(store), ..self }
    }

    /// A reconcile ended, and took so long.
    pub(super) fn reconciled(&self, result: ReconcileResult, duration: Duration) {
        self.counters.results[result as usize].add_one();
        self.times().reconcile.observe(duration);
    }

    /// A reconcile or the handling of a delete ended, and took so long.
    pub(super) fn worked(&self, duration: Duration) {
        self.times().work.observe(duration);
    }

    /// An object was due for so long before it was reconciled.
    pub(super) fn waited(&self, duration: Duration) {
        self.times().queue.observe(duration);
    }

    /// So many objects of each priority are due, and so many were ever added.
    pub(super) fn queued(&self, depths: &BTreeMap<Priority, usize>, adds: u64) {
        let mut queued = self.queue();
        queued.adds = adds;
        if queued.depths != *depths {
            queued.depths.clone_from(depths);
        }
    }

    pub(super) fn add(&self, count: Count) {
        self.counters.values[count as usize].add_one();
    }

    pub(super) fn set(&self, count: Count, value: usize) {
        self.counters.values[count as usize].set(value);
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        locked(&self.counters.times)
    }

    fn queue(&self) -> MutexGuard<'_, Queued> {
        locked(&self.counters.queued)
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counters.fmt(f)
    }
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            values: Default::default(),
            results: Default::default(),
            times: Mutex::new(Times {
                reconcile: Histogram::new(RECONCILE_BOUNDS),
                queue: Histogram::default(),
                work: Histogram::default(),
            }),
            queued: Mutex::default(),
            loops: Mutex::default(),
        }
    }
}

// Nothing panics while one of them is locked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Sample, Value};

    #[test]
    fn results_and_durations_are_samples_with_the_controllers_name() {
        let metrics = Metrics::default();
        metrics.reconciled(ReconcileResult::Success, Duration::from_millis(7));
        metrics.reconciled(ReconcileResult::RequeueAfter, Duration::from_secs(2));
        metrics.waited(Duration::from_micros(3));
        metrics.reconciled(ReconcileResult::Error, Duration::from_micros(1));
        metrics.queued(&BTreeMap::from([(0, 4)]), 9);
        let samples = metrics.samples("web");
        assert!(samples.iter().all(|sample| sample.labels[0] == ("controller", "web".to_owned())));
        let value = |name: &str, result: Option<&str>| {
            let is_meant = |sample: &&Sample| {
                sample.name == name && sample.labels.get(1).map(|(_, value)| value.as_str()) == result
            };
            samples.iter().find(is_meant).map(|sample| sample.value.clone())
        };
        assert_eq!(value("controller_runtime_reconcile_total", Some("success")), Some(Value::Counter(1)));
        assert_eq!(value("controller_runtime_reconcile_total", Some("requeue_after")), Some(Value::Counter(1)));
        assert_eq!(value("controller_runtime_reconcile_errors_total", None), Some(Value::Counter(1)));
        assert_eq!(value("workqueue_depth", Some("web")), Some(Value::Gauge(4.0)));
        assert_eq!(value("workqueue_adds_total", Some("web")), Some(Value::Counter(9)));
        let Some(Value::Histogram(times)) = value("controller_runtime_reconcile_time_seconds", None) else {
            panic!("no histogram")
        };
        assert_eq!((times.count(), times.buckets().nth(1)), (3, Some((Duration::from_millis(10), 2))));
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
