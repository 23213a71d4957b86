//! Who may reconcile: the replica that holds the lease, or every one where there is none.
//!
//! ```text
//!   Candidate ──lead──► Permits: all, while the guard is open   ──► controllers
//!                 └───► Leader: term and guard                  ──► runnables of the leader
//!             ──lost──► Permits: none, then it stands by again, with warm stores
//! ```
//!
//! The lease is renewed until the controllers have drained, and released after that: the stage of the lease stops after
//! theirs.

use std::future::Future;

use pintle_client::client::writes::Writes;
use pintle_runtime::controller::{Permit, Permits};
use pintle_runtime::lease::{Candidate, Guard, Leading};
use tokio::sync::watch;

use crate::error::BoxError;
use crate::runnable::Runnable;
use crate::stage::Stage;
use crate::stop::Stop;

/// Whether this replica leads, for all who depend on it; clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Leadership {
    candidate: Option<Candidate>,
    permits: Permits,
    leader: watch::Sender<Option<Leader>>,
}

/// This replica leads.
#[derive(Clone, Debug)]
struct Leader {
    leading: Option<Leading>,
    guard: Option<Guard>,
}

impl Leadership {
    /// By `candidate`; without one this replica always leads.
    pub(crate) fn new(candidate: Option<Candidate>) -> Self {
        let first = if candidate.is_some() { Permit::none() } else { Permit::all() };
        let leader = candidate.is_none().then_some(Leader { leading: None, guard: None });
        Self { candidate, permits: Permits::new(first), leader: watch::Sender::new(leader) }
    }

    pub(crate) fn candidate(&self) -> Option<&Candidate> {
        self.candidate.as_ref()
    }

    pub(crate) fn permits(&self) -> &Permits {
        &self.permits
    }

    /// What runs for the lease, if there is one.
    pub(crate) fn runnable(&self) -> Option<Runnable> {
        let (leadership, candidate) = (self.clone(), self.candidate.clone()?);
        Some(Runnable::new("the lease", Stage::Lease, |stop| async move {
            leadership.take_part(&candidate, &stop).await;
            Ok::<_, BoxError>(())
        }))
    }

    /// Leads whenever it can, until it is time to stop.
    async fn take_part(&self, candidate: &Candidate, stop: &Stop) {
        while !stop.is_requested() {
            let lead = candidate.lead_guarded(|leading, guard| {
                self.permits.set(Permit::all().guarded_by(guard.clone()));
                self.leader.send_replace(Some(Leader { leading: Some(leading), guard: Some(guard) }));
                stop.requested()
            });
            let stand_by = async {
                stop.requested().await;
                // A leader stops by itself, and releases its lease.
                if self.leader.borrow().is_some() {
                    std::future::pending::<()>().await;
                }
            };
            // Who stops leads no more in any case; the lease comes first, so that it is released.
            tokio::select! {
                biased;
                // Why it was lost is logged by the candidate.
                _ = lead => {}
                () = stand_by => {}
            }
            self.permits.set(Permit::none());
            self.leader.send_replace(None);
        }
    }

    /// Runs what `start` returns while this replica leads, each time it does; drops it when the lease is lost.
    pub(crate) async fn while_leading<F, E>(
        &self,
        mut start: impl FnMut(Option<Leading>) -> F,
        stop: &Stop,
    ) -> Result<(), E>
    where
        F: Future<Output = Result<(), E>>,
    {
        let mut leader = self.leader.subscribe();
        loop {
            let leads = async { leader.wait_for(Option::is_some).await.map(|leader| leader.clone()) };
            // To stop is the first wish.
            let led = tokio::select! {
                biased;
                () = stop.requested() => return Ok(()),
                led = leads => led,
            };
            let Ok(Some(Leader { leading, guard })) = led else { return Ok(()) };
            let writes = match guard {
                Some(guard) => Writes::new().guarded_by(guard.write_guard()),
                None => Writes::new(),
            };
            tokio::select! {
                biased;
                () = stop.requested() => return Ok(()),
                _ = leader.wait_for(Option::is_none) => {}
                ended = writes.scope(start(leading)) => ended?,
            }
            // What is done is done for this term.
            tokio::select! {
                biased;
                () = stop.requested() => return Ok(()),
                _ = leader.wait_for(Option::is_none) => {}
            }
        }
    }
}
