//! How a controller runs.

use std::sync::Arc;
use std::time::Duration;

use pintle_core::backoff::Exponential;
use tokio::sync::Semaphore;

use crate::controller::machine::Settings;
use crate::controller::machine::loop_detector::ROUNDS;
use crate::controller::probes::heartbeat::{HANGS_AFTER, Limits};

/// How many reconciles run at once unless said otherwise: enough to hide the latency of a server, too few to flood it.
const CONCURRENCY: usize = 16;

/// The delays after failures unless set: client-go's numbers. The first is short enough for a conflict with another
/// client's write.
const BACKOFF: Exponential =
    Exponential::new(Duration::from_millis(5), Duration::from_secs(1000)).jitter(BACKOFF_JITTER);
/// Delays are stretched by up to this part, so that objects that failed together do not come back together.
const BACKOFF_JITTER: f64 = 0.1;
/// A first delay of nothing would never grow.
const BACKOFF_LEAST: Duration = Duration::from_millis(1);

/// How a controller runs.
#[derive(Clone, Debug, Default)]
pub struct Config {
    debounce: Duration,
    concurrency: Option<u16>,
    deadline: Option<Duration>,
    reads_stale: bool,
    loop_rounds: Option<u32>,
    backoff: Option<Exponential>,
    is_silent: bool,
    concurrent_writes: Option<usize>,
}

impl Config {
    /// The first change to an object opens a window of this length; what comes within it is one reconcile at its end.
    #[must_use]
    pub fn debounce(mut self, debounce: Duration) -> Self {
        self.debounce = debounce;
        self
    }

    /// At most so many reconciles at once; 0 for no limit, 16 unless set.
    #[must_use]
    pub fn concurrency(mut self, concurrency: u16) -> Self {
        self.concurrency = Some(concurrency);
        self
    }

    /// Ends a reconcile that takes longer, reports it, and tries again as after an error; no limit unless set. Without one,
    /// a reconcile that has run for a minute is logged, counted in [`Counts::overdue`](super::Counts::overdue) and named by
    /// [`Readiness`](super::Readiness), and goes on.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Reconciles an object also while the controller's watches have not seen yet what its last reconcile wrote. Unless
    /// this is set it waits for that, five seconds at most: a reconciler that runs on what was before its own writes
    /// creates what it has created.
    ///
    /// What a reconciler writes in tasks that it spawns itself is not waited for, nor what it writes to kinds,
    /// namespaces and labels that this controller does not watch.
    #[must_use]
    pub fn without_read_your_own_writes(mut self) -> Self {
        self.reads_stale = true;
        self
    }

    /// How many reconciles in a row an object's own writes may wake before that is taken for a loop, reported once and slowed
    /// down: 20 unless set, 0 to look for none. A reconcile that changes nothing ends the row.
    #[must_use]
    pub fn loop_guard(mut self, rounds: u32) -> Self {
        self.loop_rounds = Some(rounds);
        self
    }

    /// The first and the longest delay of [`Action::backoff`](super::Action::backoff), which doubles in between: 5 ms and
    /// 1000 s unless set. A first delay under a millisecond is taken for one.
    #[must_use]
    pub fn backoff(mut self, first: Duration, max: Duration) -> Self {
        self.backoff = Some(Exponential::new(first.max(BACKOFF_LEAST), max).jitter(BACKOFF_JITTER));
        self
    }

    /// At most so many of the reconcilers' writes are under way at once; the others wait for their turn, and reads do not
    /// count. No limit unless set, and none by 0: a server refuses what is too much for it, and clients try again. Writes in
    /// tasks that a reconciler spawns itself are not counted.
    #[must_use]
    pub fn concurrent_writes(mut self, max: usize) -> Self {
        self.concurrent_writes = Some(max).filter(|max| *max > 0);
        self
    }

    /// Whether the controller logs what its reconciler returns as an error, its panics and its timeouts: the object, the
    /// error with its causes, how often it was tried and when it is tried next. It does unless this says `false`, which is
    /// for programs that log the errors of its stream themselves; the library cannot know whether one does.
    #[must_use]
    pub fn log_failures(mut self, is_logging: bool) -> Self {
        self.is_silent = !is_logging;
        self
    }

    pub(super) fn logs_failures(&self) -> bool {
        !self.is_silent
    }

    /// What its liveness is judged by.
    pub(super) fn limits(&self) -> Limits {
        Limits { slots: self.concurrency_max(), hangs_after: self.deadline.unwrap_or(HANGS_AFTER) }
    }

    /// What its machine is to go by.
    pub(super) fn settings(&self, handles_deletes: bool) -> Settings {
        Settings {
            slots: self.concurrency_max(),
            debounce: self.debounce,
            backoff: self.backoff.unwrap_or(BACKOFF),
            loop_rounds: Some(self.loop_rounds.unwrap_or(ROUNDS)).filter(|rounds| *rounds > 0),
            reads_own_writes: !self.reads_stale,
            handles_deletes,
        }
    }

    pub(super) fn concurrency_max(&self) -> Option<usize> {
        match self.concurrency {
            None => Some(CONCURRENCY),
            Some(0) => None,
            Some(max) => Some(max.into()),
        }
    }

    /// A place for each write that may be under way.
    pub(super) fn write_places(&self) -> Option<Arc<Semaphore>> {
        self.concurrent_writes.map(|max| Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS))))
    }

    pub(super) fn deadline_period(&self) -> Option<Duration> {
        self.deadline
    }
}
