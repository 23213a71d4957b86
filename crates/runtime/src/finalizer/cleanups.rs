//! The clean-ups of this process: which are running, and which keep failing.
//!
//! A clean-up runs once at a time per object and finalizer, however often it is asked for. One that keeps failing holds its object for
//! ever, so it is reported with the age of the deletion: at a minute, and whenever the age has doubled. It is pure but for
//! the one register of the process: the time is passed in.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::reflector::Key;

/// Which clean-up: of which object, for which finalizer.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Which {
    pub(super) kind: String,
    pub(super) key: Key,
    pub(super) uid: Option<String>,
    pub(super) finalizer: String,
}

/// A clean-up that has failed and not succeeded since.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct FailingCleanup {
    /// The kind of the object.
    pub kind: String,
    /// Which object.
    pub key: Key,
    /// The finalizer that holds it.
    pub finalizer: String,
    /// How often its clean-up has failed.
    pub failures: u32,
    /// How long ago the deletion was asked for.
    pub age: Duration,
}

/// So often it must have failed before it is reported: a first failure is often a neighbour that is slower.
const FAILURES_TO_REPORT: u32 = 3;
/// So old the deletion must be before it is reported.
const AGE_TO_REPORT: Duration = Duration::from_secs(60);
/// A failure that did not recur for so long is of an object that is gone.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(2 * 60 * 60);

#[derive(Debug, Default)]
pub(super) struct Cleanups(BTreeMap<Which, Cleanup>);

#[derive(Debug)]
struct Cleanup {
    is_running: bool,
    failures: u32,
    /// When the deletion was asked for, in this process's time.
    deleted: Instant,
    last_seen: Instant,
    report_at: Duration,
}

impl Cleanups {
    /// Begins one whose object was deleted `age` ago; `false` if it is running already.
    pub(super) fn begin(&mut self, which: &Which, age: Duration, now: Instant) -> bool {
        self.0.retain(|_, it| it.is_running || now.duration_since(it.last_seen) < FORGOTTEN_AFTER);
        let cleanup = self.0.entry(which.clone()).or_insert_with(|| Cleanup {
            is_running: false,
            failures: 0,
            deleted: now.checked_sub(age).unwrap_or(now),
            last_seen: now,
            report_at: AGE_TO_REPORT,
        });
        cleanup.last_seen = now;
        !std::mem::replace(&mut cleanup.is_running, true)
    }

    /// It ended well.
    pub(super) fn succeeded(&mut self, which: &Which) {
        self.0.remove(which);
    }

    /// It ended without a result: its caller is gone.
    pub(super) fn cancelled(&mut self, which: &Which) {
        if let Some(cleanup) = self.0.get_mut(which) {
            cleanup.is_running = false;
        }
    }

    /// It failed; what to report, if it is time to.
    pub(super) fn failed(&mut self, which: &Which, now: Instant) -> Option<FailingCleanup> {
        let cleanup = self.0.get_mut(which)?;
        (cleanup.is_running, cleanup.last_seen) = (false, now);
        cleanup.failures += 1;
        let age = now.duration_since(cleanup.deleted);
        if cleanup.failures < FAILURES_TO_REPORT || age < cleanup.report_at {
            return None;
        }
        cleanup.report_at = age * 2;
        Some(report(which, cleanup, now))
    }

    pub(super) fn failing(&self, now: Instant) -> Vec<FailingCleanup> {
        self.0.iter().filter(|(_, it)| it.failures > 0).map(|(which, it)| report(which, it, now)).collect()
    }
}

fn report(which: &Which, cleanup: &Cleanup, now: Instant) -> FailingCleanup {
    FailingCleanup {
        kind: which.kind.clone(),
        key: which.key.clone(),
        finalizer: which.finalizer.clone(),
        failures: cleanup.failures,
        age: now.duration_since(cleanup.deleted),
    }
}

/// The register of the process: `finalizer()` is a function, so there is nowhere else to remember.
pub(super) fn register() -> MutexGuard<'static, Cleanups> {
    static REGISTER: Mutex<Cleanups> = Mutex::new(Cleanups(BTreeMap::new()));
    // Nothing panics while it is locked, so a poisoned lock still guards a whole state.
    REGISTER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A clean-up that is running. Dropped without a word it counts as cancelled.
pub(super) struct Running(Option<Which>);

impl Running {
    /// Begins; `None` if it is running already.
    pub(super) fn begin(which: Which, age: Duration) -> Option<Self> {
        let has_begun = register().begin(&which, age, Instant::now());
        has_begun.then(|| Self(Some(which)))
    }

    pub(super) fn succeeded(mut self) {
        if let Some(which) = self.0.take() {
            register().succeeded(&which);
        }
    }

    pub(super) fn failed(mut self) -> Option<FailingCleanup> {
        let which = self.0.take()?;
        register().failed(&which, Instant::now())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(which) = self.0.take() {
            register().cancelled(&which);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn which(uid: &str) -> Which {
        let key = Key { namespace: None, name: "a".into() };
        Which { kind: "K".into(), key, uid: Some(uid.into()), finalizer: "example.com/f".into() }
    }

    #[test]
    fn one_that_keeps_failing_is_reported_at_a_minute_and_whenever_its_age_has_doubled() {
        let (mut cleanups, start, one) = (Cleanups::default(), Instant::now(), which("1"));
        let mut reported = Vec::new();
        for second in 0..1000 {
            let now = start + Duration::from_secs(second);
            assert!(cleanups.begin(&one, Duration::ZERO, now));
            reported.extend(cleanups.failed(&one, now).map(|it| it.age.as_secs()));
        }
        assert_eq!(reported, [60, 120, 240, 480, 960]);
        assert_eq!(cleanups.failing(start + Duration::from_secs(1000))[0].failures, 1000);
        cleanups.succeeded(&one);
        assert!(cleanups.failing(start).is_empty());
    }

    #[test]
    fn an_old_deletion_is_reported_after_three_failures() {
        let (mut cleanups, now) = (Cleanups::default(), Instant::now() + Duration::from_secs(9000));
        let reported: Vec<_> = (0..5)
            .map(|_| {
                cleanups.begin(&which("1"), Duration::from_secs(600), now);
                cleanups.failed(&which("1"), now).is_some()
            })
            .collect();
        assert_eq!(reported, [false, false, true, false, false]);
    }

    #[test]
    fn it_runs_once_at_a_time_and_another_object_of_the_name_is_another() {
        let (mut cleanups, now) = (Cleanups::default(), Instant::now());
        assert!(cleanups.begin(&which("1"), Duration::ZERO, now));
        assert!(!cleanups.begin(&which("1"), Duration::ZERO, now));
        assert!(cleanups.begin(&which("2"), Duration::ZERO, now));
        cleanups.cancelled(&which("1"));
        assert!(cleanups.begin(&which("1"), Duration::ZERO, now));
    }

    #[test]
    fn what_was_not_seen_for_hours_is_forgotten() {
        let (mut cleanups, now) = (Cleanups::default(), Instant::now());
        cleanups.begin(&which("1"), Duration::ZERO, now);
        cleanups.failed(&which("1"), now);
        cleanups.begin(&which("2"), Duration::ZERO, now + FORGOTTEN_AFTER);
        assert!(cleanups.failing(now + FORGOTTEN_AFTER).is_empty());
    }
}
