//! Whether a controller can still do anything, for a liveness probe.

use std::fmt;
use std::sync::Weak;

use tokio::time::Instant;

use crate::controller::probes::heartbeat::Heartbeat;

/// Whether a controller is alive; from [`Controller::liveness`](crate::controller::Controller::liveness). Clones give the same answer.
///
/// A controller is alive while its loop turns and at least one slot is free or held by a reconcile that may still end.
/// One that was never polled is alive: it may wait for its turn to lead. A watch that fails, an object that cannot be
/// read or a reconcile that fails again and again does not count, as a restart would not help:
/// [`Readiness`](crate::controller::Readiness) has those.
#[derive(Clone)]
pub struct Liveness {
    pub(in crate::controller) heartbeat: Heartbeat,
    /// Held by the controller as long as it may run.
    pub(in crate::controller) life: Weak<()>,
}

/// What keeps a controller from doing anything.
enum Dead {
    Ended,
    Still(u64),
    Jammed,
}

impl Liveness {
    /// Whether the controller can still do anything. It cannot when it has ended; when its loop has not turned for a
    /// minute, because its stream is not polled or something blocks the thread; or when all slots are held by reconciles
    /// older than [`Config::deadline`](crate::controller::Config::deadline), or than ten minutes where that is not set.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.dead().is_none()
    }

    /// Whether the controller has ended, or was dropped before it ran.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.life.strong_count() == 0
    }

    fn dead(&self) -> Option<Dead> {
        let (state, now) = (self.heartbeat.lock(), Instant::now());
        if self.life.strong_count() == 0 {
            return Some(Dead::Ended);
        }
        let rested = state.rested(now)?;
        if !state.is_polled(now) {
            return Some(Dead::Still(rested.as_secs()));
        }
        state.is_jammed(now).then_some(Dead::Jammed)
    }
}

impl fmt::Display for Liveness {
    /// What a probe should answer with.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dead() {
            None => return f.write_str("alive"),
            Some(Dead::Ended) => f.write_str("not alive\nthe controller has ended")?,
            Some(Dead::Still(seconds)) => write!(
                f,
                "not alive\nthe controller's loop has not turned for {seconds} s: its stream is not polled, or something \
                 blocks its thread"
            )?,
            Some(Dead::Jammed) => f.write_str("not alive\nevery slot is held by a reconcile that does not end")?,
        }
        for (key, age) in self.heartbeat.lock().overdue(Instant::now()) {
            write!(f, "\n{key} has been reconciled for {} s", age.as_secs())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Liveness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Liveness").field("is_alive", &self.is_alive()).finish_non_exhaustive()
    }
}
