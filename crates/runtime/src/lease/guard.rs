//! Whether a leader may still act, by the clock and now.
//!
//! In: until when the lease is good, after each renewal. Out: yes or no, to whoever is about to do something. A process
//! that was stopped past its lease and continued finds a closed guard wherever it goes on, before any timer has fired or any
//! task has looked at the lease. The invariant: a guard that has closed does not open again; the next term has another.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use pintle_client::client::write_guard::WriteGuard;
use tokio::time::Instant;

/// Whether a leader may still act; from [`Candidate::lead_guarded`](super::Candidate::lead_guarded). Clones say the same.
#[derive(Clone)]
pub struct Guard(Arc<Shared>);

struct Shared {
    lease: String,
    /// `None` once it has closed.
    until: Mutex<Option<Until>>,
}

/// When a guard closes: at the first of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Until {
    /// The leader's own deadline.
    pub(crate) deadline: Instant,
    /// When another could lead, by the wall clock: the other one stands still while a machine is suspended.
    pub(crate) expiry: Timestamp,
}

/// This one does not lead, or cannot be sure that no other does.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("this replica does not hold the lease {lease} any more")]
pub struct NotLeading {
    /// The lease.
    pub lease: String,
}

impl Guard {
    pub(crate) fn new(lease: &str, until: Until) -> Self {
        Self(Arc::new(Shared { lease: lease.to_owned(), until: Mutex::new(Some(until)) }))
    }

    /// Whether the leader may still act.
    ///
    /// # Errors
    /// If not; it stays so.
    pub fn check(&self) -> Result<(), NotLeading> {
        match self.until() {
            Some(_) => Ok(()),
            None => Err(NotLeading { lease: self.0.lease.clone() }),
        }
    }

    /// Whether the leader may still act.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.until().is_some()
    }

    /// When it closes unless the lease is renewed before; `None` if it has closed.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.until().map(|until| until.deadline)
    }

    /// The same for the calls of a task.
    #[must_use]
    pub fn write_guard(&self) -> WriteGuard {
        let guard = self.clone();
        WriteGuard::new(move || guard.check())
    }

    /// Whether both are the guard of one term.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The lease was renewed; returns whether that was in time.
    pub(crate) fn extend(&self, until: Until) -> bool {
        let is_open = self.is_open();
        if is_open {
            *self.locked() = Some(until);
        }
        is_open && self.is_open()
    }

    /// Closes it now.
    pub(crate) fn close(&self) {
        *self.locked() = None;
    }

    fn until(&self) -> Option<Until> {
        let mut until = self.locked();
        *until = until.filter(|until| Instant::now() < until.deadline && Timestamp::now() < until.expiry);
        *until
    }

    // Nothing panics while it is locked.
    fn locked(&self) -> MutexGuard<'_, Option<Until>> {
        self.0.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("lease", &self.0.lease).field("is_open", &self.is_open()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn until(seconds: u64, wall: i64) -> Until {
        let expiry = Timestamp::now() + jiff::SignedDuration::from_secs(wall);
        Until { deadline: Instant::now() + Duration::from_secs(seconds), expiry }
    }

    #[tokio::test(start_paused = true)]
    async fn it_closes_at_its_deadline_and_no_renewal_opens_it_again() {
        let guard = Guard::new("boss", until(10, 3600));
        tokio::time::advance(Duration::from_secs(9)).await;
        assert!(guard.is_open() && guard.extend(until(10, 3600)));
        tokio::time::advance(Duration::from_millis(9_999)).await;
        assert!(guard.check().is_ok());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!guard.extend(until(10, 3600)), "nobody had looked since");
        let error = guard.write_guard().check().unwrap_err();
        assert!(error.to_string().ends_with("this replica does not hold the lease boss any more"), "{error}");
        assert_eq!(guard.deadline(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_machine_that_slept_past_the_lease_finds_it_closed() {
        assert!(!Guard::new("boss", until(10, 0)).is_open(), "the wall clock went on");
        let ended = Guard::new("boss", until(10, 3600));
        ended.close();
        assert!(!ended.is_open());
    }
}
