//! Which of several copies of a program leads.
//!
//! ```text
//!   wait ──free, or silent for its duration──► claim ──► lead ──renewed every 2 s──► lead
//!                                                         │ the work ends: the lease is released
//!                                                         └ 10 s without a renewal, or taken: the work is dropped
//! ```
//!
//! A [`Candidate`] leads while a `Lease` names it. One that waits uses its own clock only: a lease is free when nothing about
//! it has changed for its duration, so clocks need not agree. A leader counts from before each renewal was
//! sent and stops five seconds before another could begin. What it sent before that may still arrive later: a program that
//! must exclude even this sends the number of its [term](Leading::term) along and refuses older ones.
//!
//! A candidate that stands by watches the lease and wakes at the moment when it has rested for its duration, so another one
//! leads at most the lease's duration after its leader died, plus the time of a read and a write; and after a leader that
//! stopped by itself, at once. Where it is not allowed to `watch` the lease, it reads it every 2 to 4.4 s, and both take as
//! much longer.
//!
//! Terms are counted in the Lease. If it is deleted, the leader stops within two seconds, and the next one goes on
//! counting well above the highest term that it has seen, by 100 and ten a second since: terms go up as long as one
//! candidate lives that remembers them and claims it. Only if the first to claim a deleted Lease is one that has never seen
//! it do they begin at 0 again, so do not delete it.
//!
//! What changes is logged at `info`: which candidate leads, which ones stand by and for whom, which one lost or released the lease. A lease
//! that cannot be read or written is logged at `warn`, at once, when the reason changes and once a minute.

mod guard;
mod metrics;
mod record;
mod renewals;
mod standing;
mod terms;

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use pintle_client::client::unrepeated::once;
use pintle_client::{Api, Client, Error};
use pintle_core::params::PostParams;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::failure_log::FailureLog;
use crate::metrics::Number;
use crate::random;
use crate::remedy::Calls;
pub(crate) use guard::Until;
pub use guard::{Guard, NotLeading};
pub use metrics::Metrics;
pub(crate) use record::is_later;
use record::{Claim, Highest, Seen, holder, released, renewed, term};
use renewals::Renewals;
use standing::TakesPart;
pub use standing::{Role, Standing};
pub use terms::{Terms, UnsafeTerms};

/// A process that may lead.
///
/// ```no_run
/// # use pintle_client::Client;
/// # use pintle_runtime::lease::{Candidate, Lost};
/// # async fn run_controllers() {}
/// # async fn example(client: Client) -> Result<(), Lost> {
/// let candidate = Candidate::new(client, "my-system", "my-controller");
/// candidate.lead(async |_| run_controllers().await).await
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Candidate {
    api: Api<Lease>,
    name: String,
    identity: String,
    terms: Terms,
    standing: watch::Sender<Role>,
    /// The highest term that was seen, also by clones.
    highest: Arc<Mutex<Option<Highest>>>,
    /// How often a renewal was not as simple as it mostly is, also of clones.
    slow_renewals: Arc<Number>,
}

/// Why a candidate does not lead any more.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Lost {
    /// The lease could not be renewed in time; another candidate may lead soon.
    #[error("the lease {lease} could not be renewed within {} s: {cause}", .period.as_secs_f64())]
    #[non_exhaustive]
    Unrenewed {
        /// The lease.
        lease: String,
        /// How long it was tried.
        period: Duration,
        /// Why the last try failed.
        cause: String,
    },
    /// The lease names another candidate, or is gone.
    #[error("the lease {lease} is held by {}", .holder.as_deref().unwrap_or("no one"))]
    #[non_exhaustive]
    Taken {
        /// The lease.
        lease: String,
        /// Who holds it; `None` if it has no holder, or was deleted.
        holder: Option<String>,
    },
}

/// What a leader knows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Leading {
    /// How often the lease has changed hands: larger for later leaders, also after the Lease was deleted, as long as
    /// one candidate lives that remembers it.
    pub term: i32,
}

impl Candidate {
    /// A candidate for the lease `name`. Its identity is this host's name and a random number, so that no
    /// two have the same.
    pub fn new(client: Client, namespace: &str, name: &str) -> Self {
        Self {
            api: Api::namespaced(client, namespace),
            name: name.to_owned(),
            identity: default_identity(),
            terms: Terms::default(),
            standing: watch::Sender::new(Role::outside()),
            highest: Arc::default(),
            slow_renewals: Arc::default(),
        }
    }

    /// Sets its identity. Two with the same identity take each other for themselves, and both lead.
    #[must_use]
    pub fn called(mut self, identity: &str) -> Self {
        identity.clone_into(&mut self.identity);
        self
    }

    /// Sets its times; all candidates for a lease should have the same.
    #[must_use]
    pub fn with_terms(mut self, terms: Terms) -> Self {
        self.terms = terms;
        self
    }

    /// Its identity.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Where it stands, now and later: whether it leads, stands by, or does not know.
    pub fn standing(&self) -> Standing {
        Standing(self.standing.subscribe())
    }

    /// What is counted of it, under client-go's names.
    pub fn metrics(&self) -> Metrics {
        Metrics::new(&self.name, self.standing(), Arc::clone(&self.slow_renewals))
    }

    /// Waits until it leads, then does `work`, and releases the lease when that is done. A controller that stops gracefully
    /// is such work: the next one leads as soon as its last reconcile has ended.
    ///
    /// # Errors
    /// If the lease is lost before the work is done; the work is dropped then, wherever it was.
    pub async fn lead<T, W>(&self, work: impl FnOnce(Leading) -> W) -> Result<T, Lost>
    where
        W: Future<Output = T>,
    {
        self.lead_guarded(|leading, _| work(leading)).await
    }

    /// As [`lead`](Self::lead), for work that goes on in other tasks, too: its [`Guard`] says at any moment whether this one
    /// may still act, and closes before another one leads, also if the whole process stood still meanwhile.
    ///
    /// # Errors
    /// As `lead`.
    pub async fn lead_guarded<T, W>(&self, work: impl FnOnce(Leading, Guard) -> W) -> Result<T, Lost>
    where
        W: Future<Output = T>,
    {
        let _takes_part = TakesPart(&self.standing);
        let mut held = self.acquire().await;
        let guard = Guard::new(&self.name, held.until(&self.terms));
        // Also if this is dropped on the way.
        let _closes = Closes(&guard);
        let leading = Leading { term: term(&held.lease) };
        // Also for the case that this is dropped on the way.
        self.remember(Highest { term: leading.term, at: held.renewed });
        self.standing.send_replace(Role::Leading { term: leading.term });
        tracing::info!(lease = self.name, identity = self.identity, term = leading.term, "this one leads now");
        let outcome = {
            let work = pin!(work(leading, guard.clone()));
            // A candidate that has lost the lease does nothing more.
            tokio::select! {
                biased;
                lost = self.keep(&mut held, &guard) => Err(lost),
                done = work => Ok(done),
            }
        };
        guard.close();
        self.remember(Highest { term: leading.term, at: held.renewed });
        match &outcome {
            Ok(_) => self.release(&held).await,
            Err(lost) => {
                tracing::info!(lease = self.name, identity = self.identity, "this one does not lead any more: {lost}");
            }
        }
        outcome
    }

    /// Waits until the lease is this candidate's.
    async fn acquire(&self) -> Held {
        let (mut seen, mut log) = (Seen::new(Instant::now(), *self.highest()), FailureLog::default());
        let mut renewals = Renewals::new(self.api.clone(), &self.name);
        loop {
            let (begun, begun_at) = (Instant::now(), Timestamp::now());
            let claimed = timeout_at(begun + self.terms.renew, once(self.claim(&mut seen))).await;
            let pause = self.terms.pause(random::fraction());
            if let Some(highest) = seen.highest() {
                self.remember(highest);
            }
            match claimed {
                Ok(Ok(Some(lease))) => return Held { lease, renewed: begun, renewed_at: begun_at },
                Ok(Ok(None)) => self.stands_by(seen.holder(), &mut log),
                Ok(Err(error)) => self.failed("claimed", &error.to_string(), Some(&error), pause, &mut log),
                Err(_) => self.failed("claimed", &self.silence(), None, pause, &mut log),
            }
            self.rest(&mut seen, &mut renewals, pause).await;
        }
    }

    /// Waits until the lease should be read again: at the moment when it has rested for its duration, when it is released, and
    /// after `pause` in any case.
    async fn rest(&self, seen: &mut Seen, renewals: &mut Renewals, pause: Duration) {
        let next = Instant::now() + pause;
        loop {
            let free = seen.free_at(&self.identity, self.terms.lease).filter(|free| *free > Instant::now());
            let version = seen.version().map(str::to_owned);
            // A renewal that has arrived comes first: it moves the moment away.
            let lease = tokio::select! {
                biased;
                lease = renewals.next(version.as_deref()) => lease,
                () = sleep_until(free.map_or(next, |free| free.min(next))) => return,
            };
            seen.hear(lease, Instant::now());
            if seen.holder().is_none() {
                return;
            }
        }
    }

    /// Another candidate leads.
    fn stands_by(&self, holder: Option<&str>, log: &mut FailureLog) {
        let role = Role::Standby { holder: holder.map(str::to_owned) };
        let is_healed = log.worked(Instant::now()).is_some();
        let before = self.standing.send_replace(role.clone());
        if is_healed || (before != role && holder.is_some()) {
            tracing::info!(lease = self.name, identity = self.identity, "this one {role}");
        }
    }

    /// The lease could not be reached; logs it where that is worth a line.
    fn failed(&self, done: &str, text: &str, error: Option<&Error>, pause: Duration, log: &mut FailureLog) {
        self.standing.send_modify(|role| {
            if !matches!(role, Role::Leading { .. }) {
                *role = role.after(text.to_owned(), Instant::now());
            }
        });
        if log.failed(text, Instant::now()) {
            let calls = Calls::new(&self.api, "get, watch, create and update");
            let remedy = error.map(|error| calls.remedy(error)).unwrap_or_default();
            let (name, identity, seconds) = (&self.name, &self.identity, pause.as_secs_f64());
            tracing::warn!(
                identity,
                "the lease {name} of {calls} could not be {done}: {text}{remedy}; next try in {seconds:.1} s"
            );
        }
    }

    fn silence(&self) -> String {
        format!("no answer within {} s", self.terms.renew.as_secs_f64())
    }

    fn highest(&self) -> std::sync::MutexGuard<'_, Option<Highest>> {
        // Nothing panics while it is locked.
        self.highest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, seen: Highest) {
        let mut highest = self.highest();
        *highest = Some(seen.max(*highest));
    }

    /// Takes the lease if it is free.
    async fn claim(&self, seen: &mut Seen) -> Result<Option<Lease>, Error> {
        let lease = self.api.get_opt(&self.name).await?;
        seen.see(lease, Instant::now());
        let claimed = match seen.claim(&self.identity, self.terms.lease, Instant::now(), Timestamp::now()) {
            Claim::Wait => return Ok(None),
            Claim::Create(mut lease) => {
                lease.metadata.name = Some(self.name.clone());
                self.api.create(&PostParams::default(), &lease).await
            }
            Claim::Replace(lease) => self.api.replace(&self.name, &PostParams::default(), &lease).await,
        };
        match claimed {
            Ok(lease) => Ok(Some(lease)),
            // Another candidate was faster.
            Err(Error::Api(status)) if status.is_conflict() || status.is_already_exists() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Renews the lease until that fails for too long.
    async fn keep(&self, held: &mut Held, guard: &Guard) -> Lost {
        let (mut log, mut cause) = (FailureLog::default(), self.silence());
        loop {
            let deadline = held.renewed + self.terms.renew;
            sleep_until(deadline.min(Instant::now() + self.terms.retry)).await;
            if Instant::now() >= deadline {
                return self.unrenewed(cause);
            }
            match timeout_at(deadline, once(self.renew(held))).await {
                Ok(Ok(())) if !guard.extend(held.until(&self.terms)) => return self.unrenewed(cause),
                Ok(Ok(())) => {
                    if log.worked(Instant::now()).is_some() {
                        tracing::info!(lease = self.name, identity = self.identity, "the lease is renewed again");
                    }
                }
                Ok(Err(Failed::Lost(lost))) => return lost,
                Ok(Err(Failed::Call(error))) => {
                    cause = error.to_string();
                    self.failed("renewed", &cause, Some(&error), self.terms.retry, &mut log);
                }
                Err(_) => return self.unrenewed(self.silence()),
            }
        }
    }

    fn unrenewed(&self, cause: String) -> Lost {
        Lost::Unrenewed { lease: self.name.clone(), period: self.terms.renew, cause }
    }

    async fn renew(&self, held: &mut Held) -> Result<(), Failed> {
        let (begun, begun_at) = (Instant::now(), Timestamp::now());
        let next = renewed(&held.lease, self.terms.lease, Timestamp::now());
        match self.api.replace(&self.name, &PostParams::default(), &next).await {
            Ok(lease) => *held = Held { lease, renewed: begun, renewed_at: begun_at },
            Err(Error::Api(status)) if status.is_conflict() || status.is_not_found() => {
                self.slow_renewals.add_one();
                // An answer that was lost looks the same as another candidate's write.
                match self.api.get_opt(&self.name).await? {
                    Some(lease) if holder(&lease) == Some(&self.identity) => held.lease = lease,
                    other => {
                        let holder = other.as_ref().and_then(holder).map(str::to_owned);
                        return Err(Failed::Lost(Lost::Taken { lease: self.name.clone(), holder }));
                    }
                }
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Lets the next one lead at once. If that fails, it does when the lease has run out.
    async fn release(&self, held: &Held) {
        let deadline = held.renewed + self.terms.renew;
        match timeout_at(deadline, self.try_release(&held.lease)).await {
            Ok(Ok(())) => {
                tracing::info!(lease = self.name, identity = self.identity, "this one has released its lease");
            }
            Ok(Err(error)) => {
                let remedy = Calls::new(&self.api, "update").remedy(&error);
                tracing::warn!(
                    lease = self.name,
                    "the lease could not be released and has to run out: {error}{remedy}"
                );
            }
            Err(_) => {
                tracing::warn!(lease = self.name, "the lease could not be released and has to run out: no answer");
            }
        }
    }

    async fn try_release(&self, lease: &Lease) -> Result<(), Error> {
        let release = async |lease: &Lease| {
            let free = released(lease, Timestamp::now());
            self.api.replace(&self.name, &PostParams::default(), &free).await.map(drop)
        };
        match release(lease).await {
            // A renewal was under way when the work ended, and has arrived.
            Err(Error::Api(status)) if status.is_conflict() => match self.api.get_opt(&self.name).await? {
                Some(lease) if holder(&lease) == Some(&self.identity) => release(&lease).await,
                _ => Ok(()),
            },
            released => released,
        }
    }
}

/// This host's name and a random number: no two processes have the same.
pub(crate) fn default_identity() -> String {
    let host = hostname::get().ok().and_then(|host| host.into_string().ok()).unwrap_or_default();
    format!("{host}_{:016x}", random::number())
}

/// A lease that is this candidate's.
struct Held {
    lease: Lease,
    /// When the renewal was sent that is known to have arrived.
    renewed: Instant,
    /// The same by the wall clock, which goes on while a machine is suspended.
    renewed_at: Timestamp,
}

impl Held {
    /// Until when its holder may act.
    fn until(&self, terms: &Terms) -> Until {
        let expiry = self.renewed_at.checked_add(terms.lease).unwrap_or(Timestamp::MAX);
        Until { deadline: self.renewed + terms.renew, expiry }
    }
}

/// Closes a guard when it is dropped.
struct Closes<'a>(&'a Guard);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Why a renewal did not work.
enum Failed {
    Call(Error),
    Lost(Lost),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}
