//! Where a candidate stands, for probes and metrics.

use std::fmt;

use tokio::sync::watch;
use tokio::time::Instant;

/// Where a [`Candidate`](super::Candidate) stands.
///
/// A standby has nothing wrong with it: a probe should let it live and be ready to take over. One that cannot reach its
/// lease will never lead, and that would not be noticed before the leader is gone.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Role {
    /// It leads.
    #[non_exhaustive]
    Leading {
        /// As in [`Leading::term`](super::Leading::term).
        term: i32,
    },
    /// It waits until no other candidate leads.
    #[non_exhaustive]
    Standby {
        /// Who leads, as far as is known.
        holder: Option<String>,
    },
    /// It does not know who leads: it does not take part, or cannot reach the lease.
    #[non_exhaustive]
    Unknown {
        /// Since when.
        since: Instant,
        /// Why it cannot reach the lease; `None` if it has not asked yet, or does not take part any more.
        error: Option<String>,
    },
}

/// Shows where a [`Candidate`](super::Candidate) stands; from [`Candidate::standing`](super::Candidate::standing). Clones
/// show the same.
///
/// It says who should work; [`Readiness`](crate::controller::Readiness) says whether a controller that works can. A
/// program of both is ready when it [stands by](Role::Standby), or leads and its controllers are ready:
///
/// ```
/// # use pintle_runtime::controller::Readiness;
/// # use pintle_runtime::lease::{Role, Standing};
/// fn is_ready(standing: &Standing, controller: &Readiness) -> bool {
///     match standing.role() {
///         Role::Leading { .. } => controller.is_ready(),
///         Role::Standby { .. } => true,
///         _ => false,
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Standing(pub(super) watch::Receiver<Role>);

impl Role {
    pub(super) fn outside() -> Self {
        Self::Unknown { since: Instant::now(), error: None }
    }

    /// What it is after `error`: as long unknown as it was before.
    pub(super) fn after(&self, error: String, now: Instant) -> Self {
        let since = match self {
            Self::Unknown { since, error: Some(_) } => *since,
            _ => now,
        };
        Self::Unknown { since, error: Some(error) }
    }
}

impl Standing {
    /// Where it stands.
    pub fn role(&self) -> Role {
        self.0.borrow().clone()
    }

    /// Whether it leads.
    pub fn is_leading(&self) -> bool {
        matches!(*self.0.borrow(), Role::Leading { .. })
    }

    /// Whether it waits for its turn, and could take it.
    pub fn is_standby(&self) -> bool {
        matches!(*self.0.borrow(), Role::Standby { .. })
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.role().fmt(f)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leading { term } => write!(f, "leads in term {term}"),
            Self::Standby { holder: Some(holder) } => write!(f, "stands by: {holder} leads"),
            Self::Standby { holder: None } => f.write_str("stands by: no candidate leads"),
            Self::Unknown { since, error: Some(error) } => {
                write!(f, "has not known for {} s who leads: {error}", since.elapsed().as_secs())
            }
            Self::Unknown { error: None, .. } => f.write_str("does not take part"),
        }
    }
}

/// Takes part as long as it lives, also if it is dropped on the way.
pub(super) struct TakesPart<'a>(pub(super) &'a watch::Sender<Role>);

impl Drop for TakesPart<'_> {
    fn drop(&mut self) {
        self.0.send_replace(Role::outside());
    }
}
