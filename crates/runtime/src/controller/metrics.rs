//! What a controller has done: counts, durations and results.
//!
//! Cheap to keep, and to read at any time from anywhere. An exporter reads [`Metrics::samples`] when it is asked; a
//! program that only wants to know reads [`Metrics::counts`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::machine::loop_detector::LoopReport;
use super::probes::heartbeat::Heartbeat;
use super::probes::readiness::{Knows, Watched};
use super::reconciler::action::Next;
use super::reconciler::handlers::Ended;
use super::source::watch_progress::WatchProgresses;
use crate::metrics::{Histogram, Number, QueueNumbers, RECONCILE_BOUNDS, Sample, Samples};
use crate::queue::Priority;
use crate::watcher::Phase;

/// A handle on what a controller counts; clones share it.
#[derive(Clone, Default)]
pub struct Metrics {
    counters: Arc<Counters>,
    heartbeat: Heartbeat,
    progress: WatchProgresses,
    store: Option<Arc<dyn Knows>>,
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
const COUNTS: usize = 16;

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
        }
    }

    /// Everything for an exporter of metrics: controller-runtime's numbers with the label `controller`, client-go's of a
    /// queue, and what only Pintle knows: how each watch is doing, and what the store takes.
    pub fn samples(&self, controller: &str) -> Vec<Sample> {
        let mut samples = Samples::with_labels(&[("controller", controller)]);
        let counts = self.counts();
        for result in ReconcileResult::ALL {
            let (name, count) = ("controller_runtime_reconcile_total", self.results(result));
            samples.counter_of(name, "Reconciles by result.", &[("result", result.label())], count);
        }
        for (name, help, count) in self.counters(&counts) {
            samples.counter(name, help, count);
        }
        for (name, help, count) in self.gauges(&counts) {
            samples.gauge(name, help, count);
        }
        let help = "How long reconciles took.";
        samples.histogram("controller_runtime_reconcile_time_seconds", help, self.times().reconcile.clone());
        self.add_watches(&mut samples);
        self.add_store(&mut samples);
        let mut all = samples.into_vec();
        all.extend(self.queue_samples(controller));
        all
    }

    fn queue_samples(&self, controller: &str) -> Vec<Sample> {
        let (unfinished_work, longest_running) = self.heartbeat.lock().unfinished(Instant::now());
        let (times, queued) = (self.times().clone(), self.queue().clone());
        let numbers = QueueNumbers {
            depths: &queued.depths,
            adds: queued.adds,
            retries: self.counters.values[Count::Retries as usize].get(),
            queue_duration: times.queue,
            work_duration: times.work,
            unfinished_work,
            longest_running,
        };
        numbers.samples(controller)
    }

    /// How each watch is doing, by the name that probes give it, too.
    fn add_watches(&self, samples: &mut Samples) {
        let (watches, now) = (self.progress.reports(), Instant::now());
        for Watched { name, report, .. } in &watches {
            for phase in Phase::ALL {
                let labels = [("watch", name.as_str()), ("phase", phase.label())];
                let help = "1 for where the watch stands, 0 for where it does not.";
                samples.gauge_of("pintle_watch_phase", help, &labels, u64::from(report.phase == phase));
            }
        }
        for Watched { name, report, .. } in &watches {
            let Some(heard) = report.last_heard else { continue };
            let help = "How long ago the server last sent an event or a bookmark; it sends one each minute.";
            samples.seconds_of("pintle_watch_last_event_age_seconds", help, &[("watch", name)], now - heard);
        }
        for Watched { name, report, .. } in &watches {
            let help = "Lists that were begun after the first.";
            samples.counter_of("pintle_watch_relists_total", help, &[("watch", name)], report.lists.saturating_sub(1));
        }
        for Watched { name, report, .. } in &watches {
            let help = "Lists and watches that failed or were refused.";
            samples.counter_of("pintle_watch_failures_total", help, &[("watch", name)], report.failures_total);
        }
    }

    fn add_store(&self, samples: &mut Samples) {
        let Some(usage) = self.store.as_ref().map(|store| store.usage()) else { return };
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        samples.gauge("pintle_store_objects", "Objects in the controller's store.", count(usage.objects));
        for (form, bytes) in
            [("packed", usage.packed_bytes), ("compressed", usage.compressed_bytes), ("decoded", usage.decoded_bytes)]
        {
            let help =
                "What the objects of the store take: as they came, compressed, and decoded beside that (by estimate).";
            samples.gauge_of("pintle_store_bytes", help, &[("form", form)], count(bytes));
        }
    }

    fn counters(&self, counts: &Counts) -> [Described; 8] {
        let failed = self.results(ReconcileResult::Error);
        [
            ("controller_runtime_reconcile_errors_total", "Reconciles that failed.", failed),
            ("controller_runtime_terminal_reconcile_errors_total", TERMINAL, counts.terminal),
            ("controller_runtime_reconcile_panics_total", "Panics of reconcilers and what they use.", counts.panicked),
            ("controller_runtime_reconcile_timeouts_total", "Reconciles that met their deadline.", counts.timed_out),
            ("pintle_deletes_total", "Deletes that were handled.", counts.deletes),
            ("pintle_own_write_waits_total", "Objects that waited for the controller's own writes.", counts.held),
            ("pintle_own_write_timeouts_total", "Such waits that ended without the write.", counts.holds_expired),
            ("pintle_loops_total", "Objects whose reconciler kept waking itself.", counts.loops),
        ]
    }

    fn gauges(&self, counts: &Counts) -> [Described; 5] {
        let slots_max = self.counters.values[Count::SlotsMax as usize].get();
        [
            ("controller_runtime_active_workers", "Reconciles that run now.", counts.running),
            ("controller_runtime_max_concurrent_reconciles", SLOTS_MAX, slots_max),
            ("pintle_overdue_workers", "Reconciles that have run for more than a minute.", counts.overdue),
            ("pintle_own_write_waiting", "Objects that wait for the controller's own writes now.", counts.holding),
            ("pintle_scheduled", "Objects that are to be reconciled later.", counts.scheduled),
        ]
    }

    fn results(&self, result: ReconcileResult) -> u64 {
        self.counters.results[result as usize].get()
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
    pub(super) fn looking_at(self, heartbeat: Heartbeat, progress: WatchProgresses, store: Arc<dyn Knows>) -> Self {
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

/// A name, what it means, and its value.
type Described = (&'static str, &'static str, u64);

const TERMINAL: &str = "Reconciles that failed in a way that trying again cannot fix.";
const SLOTS_MAX: &str = "How many reconciles may run at once; 0 for any number.";

// Nothing panics while one of them is locked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
