//! How a controller runs.

use std::time::Duration;

/// How many reconciles run at once unless said otherwise: enough to hide the latency of a server, too few to flood it.
const CONCURRENCY: usize = 16;

/// How a controller runs.
#[derive(Clone, Debug, Default)]
pub struct Config {
    debounce: Duration,
    concurrency: Option<u16>,
    deadline: Option<Duration>,
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

    /// Ends a reconcile that takes longer, tells of it, and tries again as after an error; no limit unless set.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    pub(super) fn debounce_period(&self) -> Duration {
        self.debounce
    }

    pub(super) fn concurrency_max(&self) -> Option<usize> {
        match self.concurrency {
            None => Some(CONCURRENCY),
            Some(0) => None,
            Some(max) => Some(max.into()),
        }
    }

    pub(super) fn deadline_period(&self) -> Option<Duration> {
        self.deadline
    }
}
