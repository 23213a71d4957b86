//! What a test did to a clock: how far it was moved, and whether it stands still.
//!
//! In: [`ClockMove`]s. Out: the time that is shown instead of the one that it would be, as a timestamp and for what expires
//! after a while. A clock that nobody moved pays for one comparison.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// What [`Server::move_clock`](crate::Server::move_clock) does to the clock of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClockMove {
    /// So much later than it is; earlier, if it is negative.
    By(SignedDuration),
    /// To this time, from where it goes on, or where it stands.
    To(Timestamp),
    /// It stands still from now on, and can be moved all the same.
    Stop,
    /// It goes on from where it stood.
    Go,
    /// It shows what it would show had nobody moved it.
    Reset,
}

/// A clock cannot be moved there: timestamps have years of four digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the clock cannot be moved so far: Kubernetes writes years from 0001 to 9999")
    }
}

impl std::error::Error for OutOfRange {}

#[derive(Default)]
pub(super) struct Movement {
    /// Whether there is anything to look up.
    any: AtomicBool,
    state: Mutex<Moved>,
}

/// How the time that is shown differs from the one underneath. Both kinds of time are moved together and stopped
/// together; a paused runtime lets them go on differently in between.
#[derive(Clone, Copy, Default)]
struct Moved {
    timestamps: SignedDuration,
    instants: SignedDuration,
    /// The time underneath when it was stopped.
    stopped: Option<(Timestamp, Instant)>,
}

impl Movement {
    /// The same for another clock.
    pub(super) fn fork(&self) -> Movement {
        Movement { any: AtomicBool::new(self.is_any()), state: Mutex::new(*self.state()) }
    }

    pub(super) fn timestamp(&self, base: impl FnOnce() -> Timestamp) -> Timestamp {
        if self.is_any() { self.state().timestamp(base()) } else { base() }
    }

    pub(super) fn instant(&self) -> Instant {
        let now = Instant::now();
        if self.is_any() { self.state().instant(now) } else { now }
    }

    /// Moves the clock, whose time underneath is this.
    pub(super) fn apply(&self, change: ClockMove, base: Timestamp) -> Result<(), OutOfRange> {
        let mut state = self.state();
        *state = state.after(change, base, Instant::now())?;
        self.any.store(true, Ordering::Release);
        Ok(())
    }

    /// How far the clock, whose time underneath is this, was moved, and whether it stands still.
    pub(super) fn moved_by(&self, base: Timestamp) -> (SignedDuration, bool) {
        let state = self.state();
        (state.timestamp(base).duration_since(base), state.stopped.is_some())
    }

    fn is_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    fn state(&self) -> MutexGuard<'_, Moved> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Moved {
    fn timestamp(&self, base: Timestamp) -> Timestamp {
        let base = self.stopped.map_or(base, |(stopped, _)| stopped);
        base.checked_add(self.timestamps).unwrap_or(base)
    }

    fn instant(&self, now: Instant) -> Instant {
        let now = self.stopped.map_or(now, |(_, stopped)| stopped);
        let by = self.instants.unsigned_abs();
        let moved = if self.instants.is_negative() { now.checked_sub(by) } else { now.checked_add(by) };
        moved.unwrap_or(now)
    }

    fn after(self, change: ClockMove, base: Timestamp, now: Instant) -> Result<Moved, OutOfRange> {
        match change {
            ClockMove::By(by) => self.moved(by, base),
            ClockMove::To(time) => self.moved(time.duration_since(self.timestamp(base)), base),
            ClockMove::Stop => Ok(Moved { stopped: self.stopped.or(Some((base, now))), ..self }),
            ClockMove::Go => Ok(self.going(base, now)),
            ClockMove::Reset => Ok(Moved::default()),
        }
    }

    fn moved(self, by: SignedDuration, base: Timestamp) -> Result<Moved, OutOfRange> {
        let timestamps = self.timestamps.checked_add(by).ok_or(OutOfRange)?;
        let instants = self.instants.checked_add(by).ok_or(OutOfRange)?;
        let base = self.stopped.map_or(base, |(stopped, _)| stopped);
        let shown = base.checked_add(timestamps).map_err(|_| OutOfRange)?;
        let has_four_digits = (YEAR_ONE..YEAR_TEN_THOUSAND).contains(&shown.as_second());
        if has_four_digits { Ok(Moved { timestamps, instants, ..self }) } else { Err(OutOfRange) }
    }

    /// What was missed while it stood still is never caught up.
    fn going(self, base: Timestamp, now: Instant) -> Moved {
        let Some((stopped, instant)) = self.stopped else { return self };
        let missed = |time: Duration| SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX);
        Moved {
            timestamps: self.timestamps.saturating_sub(base.duration_since(stopped)),
            instants: self.instants.saturating_sub(missed(now.duration_since(instant))),
            stopped: None,
        }
    }
}

/// The first moments of the years 1 and 10000, in seconds since 1970.
const YEAR_ONE: i64 = -62_135_596_800;
const YEAR_TEN_THOUSAND: i64 = 253_402_300_800;

#[cfg(test)]
mod tests {
    use super::*;

    fn second(at: i64) -> Timestamp {
        Timestamp::from_second(at).unwrap()
    }

    #[test]
    fn a_clock_goes_on_from_where_it_was_moved_or_stood() {
        let movement = Movement::default();
        let shown = |base: i64| movement.timestamp(|| second(base)).as_second();
        let apply = |change, base: i64| movement.apply(change, second(base)).unwrap();
        assert_eq!(shown(10), 10);
        apply(ClockMove::By(SignedDuration::from_secs(100)), 10);
        assert_eq!(shown(20), 120);
        apply(ClockMove::Stop, 20);
        assert_eq!(shown(30), 120);
        apply(ClockMove::By(SignedDuration::from_secs(-5)), 30);
        assert_eq!((shown(30), movement.moved_by(second(30))), (115, (SignedDuration::from_secs(85), true)));
        apply(ClockMove::Go, 40);
        assert_eq!(shown(41), 116);
        apply(ClockMove::To(second(1000)), 50);
        assert_eq!(shown(51), 1001);
        let fork = movement.fork();
        apply(ClockMove::Reset, 60);
        assert_eq!((shown(60), fork.timestamp(|| second(60)).as_second()), (60, 1010));
    }

    #[test]
    fn a_clock_is_not_moved_to_where_there_are_no_timestamps() {
        let movement = Movement::default();
        for by in [SignedDuration::MAX, SignedDuration::MIN, SignedDuration::from_secs(YEAR_TEN_THOUSAND)] {
            assert_eq!(movement.apply(ClockMove::By(by), second(0)), Err(OutOfRange), "{by:?}");
        }
        assert_eq!(movement.timestamp(|| second(7)), second(7));
    }
}
