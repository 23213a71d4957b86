//! Which of several copies of a program leads.
//!
//! ```text
//!   wait ──free, or silent for its duration──► claim ──► lead ──renewed every 2 s──► lead
//!                                                         │ the work ends: the lease is released
//!                                                         └ 10 s without a renewal, or taken: the work is dropped
//! ```
//!
//! A [`Candidate`] leads while a `Lease` names it. Who waits goes by its own clock alone: a lease is free when nothing about
//! it has changed for as long as it is good for, so clocks need not agree. Who leads counts from before each renewal was
//! sent and stops five seconds before anybody else could begin. What it sent before that may still arrive later: whoever
//! must exclude even this sends the number of its [term](Leading::term) along and refuses older ones.

mod record;

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use pintle_client::{Api, Client, Error};
use pintle_core::params::PostParams;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use record::{Claim, Seen, holder, released, renewed, term};

/// One of those who may lead.
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
    standing: watch::Sender<bool>,
}

/// How long leases are good for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Terms {
    lease: Duration,
    renew: Duration,
    retry: Duration,
}

/// Times with which two could lead at once.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "a lease must be good for longer ({}s) than its holder tries to renew it ({}s), and that for longer than 2.2 pauses \
     between two tries ({}s)",
    .0.lease.as_secs_f64(), .0.renew.as_secs_f64(), .0.retry.as_secs_f64()
)]
pub struct UnsafeTerms(Terms);

/// Why somebody leads no more.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Lost {
    /// The lease could not be renewed in time; somebody else may lead soon.
    #[error("the lease could not be renewed within {} s", .0.as_secs_f64())]
    Unrenewed(Duration),
    /// The lease names somebody else, or is gone.
    #[error("the lease is held by {}", .0.as_deref().unwrap_or("nobody"))]
    Taken(Option<String>),
}

/// What somebody knows who leads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Leading {
    /// How often the lease has changed hands: larger for whoever leads later.
    pub term: i32,
}

/// Whether a [`Candidate`] leads, for probes and metrics.
#[derive(Clone, Debug)]
pub struct Standing(watch::Receiver<bool>);

/// How much longer than the pause between two tries a pause may be, at random: as in client-go.
const JITTER: f64 = 1.2;
/// A lease's duration is told in whole seconds.
const SECOND: Duration = Duration::from_secs(1);

impl Default for Terms {
    /// 15 s, renewed for 10 s, every 2 s: client-go's numbers.
    fn default() -> Self {
        Self { lease: Duration::from_secs(15), renew: Duration::from_secs(10), retry: Duration::from_secs(2) }
    }
}

impl Terms {
    /// A lease is good for `lease` after it was renewed, its holder gives up after trying for `renew`, and tries every
    /// `retry`.
    ///
    /// # Errors
    /// If two could lead at once with these, or nobody for long.
    pub fn new(lease: Duration, renew: Duration, retry: Duration) -> Result<Self, UnsafeTerms> {
        let terms = Self { lease: Duration::from_secs(lease.as_secs()), renew, retry };
        let is_safe = terms.lease >= SECOND && terms.lease > renew && renew > retry.mul_f64(1.0 + JITTER);
        if is_safe && !retry.is_zero() { Ok(terms) } else { Err(UnsafeTerms(terms)) }
    }
}

impl Candidate {
    /// One who may lead what the lease `name` is about. It is called after this host and a number of its own, so that no
    /// two are called the same.
    pub fn new(client: Client, namespace: &str, name: &str) -> Self {
        let host = hostname::get().ok().and_then(|host| host.into_string().ok()).unwrap_or_default();
        Self {
            api: Api::namespaced(client, namespace),
            name: name.to_owned(),
            identity: format!("{host}_{:016x}", fastrand::u64(..)),
            terms: Terms::default(),
            standing: watch::Sender::new(false),
        }
    }

    /// Is called this instead. Two of the same name take each other for themselves, and both lead.
    #[must_use]
    pub fn called(mut self, identity: &str) -> Self {
        identity.clone_into(&mut self.identity);
        self
    }

    /// Goes by other times; all candidates for a lease should go by the same.
    #[must_use]
    pub fn with_terms(mut self, terms: Terms) -> Self {
        self.terms = terms;
        self
    }

    /// What it is called.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Whether it leads, now and later.
    pub fn standing(&self) -> Standing {
        Standing(self.standing.subscribe())
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
        let mut held = self.acquire().await;
        let leading = Leading { term: term(&held.lease) };
        tracing::info!(lease = self.name, identity = self.identity, term = leading.term, "leads");
        let _standing = Stands::begin(&self.standing);
        let outcome = {
            let work = pin!(work(leading));
            // Who has lost does nothing more.
            tokio::select! {
                biased;
                lost = self.keep(&mut held) => Err(lost),
                done = work => Ok(done),
            }
        };
        match &outcome {
            Ok(_) => self.release(&held).await,
            Err(lost) => tracing::warn!(lease = self.name, identity = self.identity, %lost, "leads no more"),
        }
        outcome
    }

    /// Waits until the lease is this candidate's.
    async fn acquire(&self) -> Held {
        let mut seen = Seen::new(Instant::now());
        loop {
            let begun = Instant::now();
            match timeout_at(begun + self.terms.renew, self.claim(&mut seen)).await {
                Ok(Ok(Some(lease))) => return Held { lease, renewed: begun },
                Ok(Ok(None)) => {}
                Ok(Err(error)) => tracing::debug!(lease = self.name, %error, "the lease could not be claimed"),
                Err(_) => tracing::debug!(lease = self.name, "the lease could not be claimed: no answer"),
            }
            sleep(self.terms.retry.mul_f64(1.0 + JITTER * fastrand::f64())).await;
        }
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
            // Somebody was faster.
            Err(Error::Api(status)) if status.is_conflict() || status.is_already_exists() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Renews the lease until that fails for too long.
    async fn keep(&self, held: &mut Held) -> Lost {
        loop {
            let deadline = held.renewed + self.terms.renew;
            sleep_until(deadline.min(Instant::now() + self.terms.retry)).await;
            if Instant::now() >= deadline {
                return Lost::Unrenewed(self.terms.renew);
            }
            match timeout_at(deadline, self.renew(held)).await {
                Ok(Ok(())) => {}
                Ok(Err(Failed::Lost(lost))) => return lost,
                Ok(Err(Failed::Call(error))) => tracing::debug!(lease = self.name, %error, "the lease was not renewed"),
                Err(_) => return Lost::Unrenewed(self.terms.renew),
            }
        }
    }

    async fn renew(&self, held: &mut Held) -> Result<(), Failed> {
        let begun = Instant::now();
        let next = renewed(&held.lease, self.terms.lease, Timestamp::now());
        match self.api.replace(&self.name, &PostParams::default(), &next).await {
            Ok(lease) => *held = Held { lease, renewed: begun },
            Err(Error::Api(status)) if status.is_conflict() || status.is_not_found() => {
                // An answer that was lost looks the same as somebody else's write.
                match self.api.get_opt(&self.name).await? {
                    Some(lease) if holder(&lease) == Some(&self.identity) => held.lease = lease,
                    other => return Err(Failed::Lost(Lost::Taken(other.as_ref().and_then(holder).map(str::to_owned)))),
                }
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Lets the next one lead at once. If that fails, it does when the lease has run out.
    async fn release(&self, held: &Held) {
        let deadline = held.renewed + self.terms.renew;
        let free = released(&held.lease, Timestamp::now());
        match timeout_at(deadline, self.api.replace(&self.name, &PostParams::default(), &free)).await {
            Ok(Ok(_)) => tracing::info!(lease = self.name, identity = self.identity, "has released its lease"),
            Ok(Err(error)) => tracing::debug!(lease = self.name, %error, "the lease could not be released"),
            Err(_) => tracing::debug!(lease = self.name, "the lease could not be released: no answer"),
        }
    }
}

impl Standing {
    /// Whether it leads.
    pub fn is_leading(&self) -> bool {
        *self.0.borrow()
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_leading() { "leads" } else { "waits" })
    }
}

/// A lease that is this candidate's.
struct Held {
    lease: Lease,
    /// When the renewal was sent that is known to have arrived.
    renewed: Instant,
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

/// Leads as long as it lives, also if it is dropped on the way.
struct Stands<'a>(&'a watch::Sender<bool>);

impl<'a> Stands<'a> {
    fn begin(standing: &'a watch::Sender<bool>) -> Self {
        standing.send_replace(true);
        Self(standing)
    }
}

impl Drop for Stands<'_> {
    fn drop(&mut self) {
        self.0.send_replace(false);
    }
}
