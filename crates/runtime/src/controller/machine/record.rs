//! Everything a controller knows of one key, in one place.
//!
//! What belongs to the object that has the name now is [`Tracked`], and is dropped whole when that object is lost. What
//! outlives it is beside it: deletes that were not handled yet, and when the key was last reconciled.

use std::time::Duration;

use tokio::time::Instant;

use super::failures::Failures;
use super::loop_detector::LoopDetector;
use super::pending_deletes::PendingDeletes;
use super::pending_writes::PendingWrites;
use crate::controller::source::trigger::Cause;

/// How far a watch may lag behind what the server would have answered: much more than a healthy one ever does, and few
/// objects are reconciled in that time that do not want to be again.
const LAG: Duration = Duration::from_secs(60);

/// One key.
#[derive(Clone, Debug)]
pub(super) struct Record<D> {
    /// What belongs to the object that has the name now.
    pub(super) object: Tracked,
    /// Objects that had the name before.
    pub(super) deletes: PendingDeletes<D>,
    /// Its last reconcile.
    pub(super) run: LastRun,
}

/// What is known of the object that has a name now.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracked {
    /// Why it waits, and until when: a delete under its name may come before.
    pub(super) wake: Option<(Cause, Instant)>,
    /// How often it was looked for and not found; set for one that must exist.
    pub(super) looks: Option<u32>,
    pub(super) failures: Failures,
    pub(super) writes: Option<Box<PendingWrites>>,
    /// Until when it is held because of its pending writes; the machine's index has the same.
    pub(super) held_until: Option<Instant>,
    pub(super) loops: Option<Box<LoopDetector>>,
}

/// The last reconcile of a key.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum LastRun {
    #[default]
    Never,
    Running {
        /// Whether its object was lost meanwhile, so that nothing follows from its end.
        is_lost: bool,
    },
    Ended(Instant),
}

impl<D> Default for Record<D> {
    fn default() -> Self {
        Self { object: Tracked::default(), deletes: PendingDeletes::default(), run: LastRun::Never }
    }
}

impl<D> Record<D> {
    /// The object that has the name now is gone. The caller takes it out of the machine's indexes first.
    pub(super) fn lose(&mut self) -> Tracked {
        self.run = match self.run {
            LastRun::Running { .. } => LastRun::Running { is_lost: true },
            LastRun::Never | LastRun::Ended(_) => LastRun::Never,
        };
        std::mem::take(&mut self.object)
    }

    /// Remembers why the key waits, and until when: the first news count, and they count more than a wish to look again.
    pub(super) fn note(&mut self, cause: Cause, due: Instant) {
        match &mut self.object.wake {
            Some((known, known_due)) => {
                *known_due = due.min(*known_due);
                if matches!(known, Cause::Again | Cause::Failed) {
                    *known = cause;
                }
            }
            wake @ None => *wake = Some((cause, due)),
        }
    }

    /// Whether a reconcile of it may have seen what a watch did not that is unsure of everything since then.
    pub(super) fn may_have_seen_more_than(&self, unsure_since: Instant) -> bool {
        match self.run {
            LastRun::Never => false,
            LastRun::Running { .. } => true,
            LastRun::Ended(ended) => ended + LAG >= unsure_since,
        }
    }

    /// Whether it is as if nothing had ever happened to the key.
    pub(super) fn is_blank(&self) -> bool {
        let Tracked { wake, looks, failures, writes, held_until, loops } = &self.object;
        let is_untouched = wake.is_none() && looks.is_none() && held_until.is_none() && writes.is_none();
        is_untouched
            && loops.is_none()
            && failures.count() == 0
            && self.deletes.is_empty()
            && self.run == LastRun::Never
    }

    /// Whether nothing of it need be remembered, where no watch is unsure of anything before `unsure_since`.
    pub(super) fn is_idle(&self, now: Instant, unsure_since: Instant) -> bool {
        let Tracked { wake, looks, failures, writes, held_until, loops } = &self.object;
        wake.is_none()
            && looks.is_none()
            && failures.count() == 0
            && held_until.is_none()
            && writes.as_ref().is_none_or(|writes| writes.until() <= now)
            && loops.as_ref().is_none_or(|loops| loops.is_at_rest(now))
            && self.deletes.is_empty()
            && !self.may_have_seen_more_than(unsure_since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_ran_since_or_shortly_before_or_still_runs_may_have_seen_more() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let runs = [
            (LastRun::Never, false),
            (LastRun::Ended(at(39)), false),
            (LastRun::Ended(at(40)), true),
            (LastRun::Ended(at(200)), true),
            (LastRun::Running { is_lost: false }, true),
        ];
        for (run, expected) in runs {
            let record = Record::<()> { run, ..Record::default() };
            assert_eq!(record.may_have_seen_more_than(at(100)), expected, "{run:?}");
            assert_eq!(record.is_idle(at(300), at(100)), !expected, "{run:?}");
        }
    }

    /// A controller remembers each of its keys for a while, and many of them for ever.
    #[test]
    fn a_record_is_small() {
        assert!(size_of::<Record<String>>() <= 112, "{}", size_of::<Record<String>>());
    }

    #[test]
    fn the_first_news_is_the_cause_and_the_earliest_time_counts() {
        let now = Instant::now();
        let later = now + Duration::from_secs(1);
        let mut record = Record::<()>::default();
        record.note(Cause::Failed, later);
        record.note(Cause::Itself, now);
        record.note(Cause::All, later);
        assert!(matches!(record.object.wake, Some((Cause::Itself, due)) if due == now));
    }
}
