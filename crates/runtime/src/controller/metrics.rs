//! What a controller has done, counted.
//!
//! Cheap to keep and to read at any time from anywhere; whoever exports metrics reads a [`Counts`] when asked.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::controller::machine::loop_detector::LoopReport;

/// A handle on what a controller counts; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    values: [AtomicU64; COUNTS],
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

/// What a controller has counted so far.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// Reconciles that ended well.
    pub succeeded: u64,
    /// Reconciles that ended with an error, terminal ones included.
    pub failed: u64,
    /// Reconciles that ended with an error that trying again cannot mend.
    pub terminal: u64,
    /// Panics, of reconcilers and of functions they depend on.
    pub panicked: u64,
    /// Reconciles that ran into their deadline.
    pub timed_out: u64,
    /// Deletes that were handled.
    pub deletes: u64,
    /// Objects that had to wait until the controller saw its own writes.
    pub held: u64,
    /// Of those, how many waited in vain.
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
        let of = |count: Count| self.0.values[count as usize].load(Ordering::Relaxed);
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

    pub(super) fn add(&self, count: Count) {
        self.0.values[count as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn set(&self, count: Count, value: usize) {
        self.0.values[count as usize].store(u64::try_from(value).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}
