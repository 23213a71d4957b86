//! What a controller has counted, as an exporter of metrics wants it.
//!
//! In: counters, and what its watches and its store know of themselves. Out: samples; no label holds the name of an object,
//! so their number depends on the program alone.

use tokio::time::Instant;

use super::{Count, Counts, Metrics, ReconcileResult};
use crate::controller::probes::readiness::Watched;
use crate::metrics::{QueueNumbers, Sample, Samples};
use crate::watcher::Phase;

impl Metrics {
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
        let Some(usage) = self.store.as_ref().map(|store| store.get().usage()) else { return };
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
}

/// A name, what it means, and its value.
type Described = (&'static str, &'static str, u64);

const TERMINAL: &str = "Reconciles that failed in a way that trying again cannot fix.";
const SLOTS_MAX: &str = "How many reconciles may run at once; 0 for any number.";
