//! Adds tries: which calls are tried again, when, and how often.
//!
//! Inside of the span of the call, which holds all tries; outside of the credentials, so that each try has fresh ones.
//!
//! ```text
//!   surely not executed: no connection, 429, 503 with Retry-After, a stream the server refused   any verb
//!   maybe executed: the connection broke, 500 or 504 with Retry-After                            reads, and applies
//!   401 with credentials that have been renewed since                                            any verb, once
//! ```
//! An apply counts as repeatable where it carries no resourceVersion. An eviction's 429 is its answer. A watch that is not
//! repaired is opened again as client-go does it (`raw_watch.rs`). Other watches, and other answers without an end, are
//! tried again by their readers; only a 401 is handled here for them too.
//! [`RetryPolicy`] is a `tower` policy: another one can take its place (`Config::default_retry`).

mod failure;
mod verdict;

use std::time::Duration;

use http::{Request, Response};
use pintle_core::backoff::Exponential;
use tokio::time::{Instant, Sleep};
use tower::BoxError;
use tower::retry::Policy;
use tower::retry::backoff::ExponentialBackoffMaker;
pub use tower::retry::backoff::InvalidBackoff;
use tower::util::rng::HasherRng;

use super::auth::CredentialsRenewed;
use crate::client::body::Body;
use crate::client::reporter::call_name::CallName;
use crate::client::request::unrepeated::is_once;
use crate::config::Config;
use crate::random;
use verdict::Verdict;

pub(in crate::client) use failure::GaveUp;
pub(crate) use verdict::was_refused_unprocessed;

/// When a call is tried again.
///
/// kube's constructors answer 429, 503 and 504 with another try, and this type adds what kube does not look at: a
/// request that changes something is sent again only where the server surely did not execute it.
#[derive(Clone, Debug)]
pub struct RetryPolicy {
    backoff: Exponential,
    tries_max: u32,
    /// How long all tries together may take.
    budget: Duration,
    obeys_retry_after: bool,
    rules: Rules,
    progress: Progress,
}

/// Marks a try that is not the first of its call.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct Retry;

/// Which failures count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum Rules {
    /// What this client does by default.
    Careful,
    /// kube's: 429, 503 and 504, and no failure below HTTP.
    Kube,
    /// Only a 401.
    Renewal,
}

/// How far one call is.
#[derive(Clone, Debug, Default)]
struct Progress {
    started: Option<Instant>,
    tries: u32,
    has_renewed: bool,
    earlier: Vec<String>,
}

/// The first pause: a hiccup is over by then.
const DELAY_MIN: Duration = Duration::from_millis(50);

/// The longest pause, unless the server asks for a longer one. Ten tries then take some 25 s: long enough for an API
/// server to restart, short enough for a person whose cluster is not there.
const DELAY_MAX: Duration = Duration::from_secs(5);

/// How often a call is tried, the first time included.
const TRIES_MAX: u32 = 10;

/// How long a call is tried: a caller waits for its answer.
const BUDGET: Duration = Duration::from_secs(60);

/// kube has no such limit; this is as long as its sixteen tries can take.
const BUDGET_OF_KUBE: Duration = Duration::from_secs(3600);

impl RetryPolicy {
    /// A policy with kube's parameters: the first and the longest pause, how often to try again, and whether the
    /// server's `Retry-After` makes a pause longer.
    ///
    /// # Errors
    /// When the longest pause is shorter than the first, or nothing.
    pub fn new(
        min_delay: Duration,
        max_delay: Duration,
        max_retries: u32,
        server_retry: bool,
    ) -> Result<Self, InvalidBackoff> {
        // Only tower can make its error, so tower judges.
        ExponentialBackoffMaker::new(min_delay, max_delay, 1.0, HasherRng::default())?;
        Ok(Self {
            backoff: backoff(min_delay, max_delay),
            tries_max: max_retries.saturating_add(1),
            budget: BUDGET_OF_KUBE,
            obeys_retry_after: server_retry,
            rules: Rules::Kube,
            progress: Progress::default(),
        })
    }

    /// kube's policy for controllers: 15 more tries, 5 ms to 1000 s apart, honouring `Retry-After`.
    pub fn server_retry() -> Self {
        Self::new(Duration::from_millis(5), Duration::from_secs(1000), 15, true).expect("5 ms are less than 1000 s")
    }

    /// What a client made from a configuration does: 10 tries within 60 s, honouring `Retry-After`. Not in kube.
    pub fn careful() -> Self {
        Self {
            backoff: backoff(DELAY_MIN, DELAY_MAX),
            tries_max: TRIES_MAX,
            budget: BUDGET,
            obeys_retry_after: true,
            rules: Rules::Careful,
            progress: Progress::default(),
        }
    }

    /// The policy that a configuration asks for.
    pub(in crate::client) fn of(config: &Config) -> Self {
        if config.default_retry { Self::careful() } else { Self::renewal_only() }
    }

    /// Nothing is tried again but a 401.
    fn renewal_only() -> Self {
        Self { rules: Rules::Renewal, ..Self::careful() }
    }

    /// How long to wait before the next try; `None` where there is none.
    fn pause(&self, retry_after: Option<Duration>, random: f64) -> Option<Duration> {
        if self.progress.tries >= self.tries_max {
            return None;
        }
        let own = self.backoff.delay(self.progress.tries.saturating_sub(1), random);
        let asked = retry_after.filter(|_| self.obeys_retry_after).unwrap_or_default();
        let elapsed = self.progress.started.map_or(Duration::ZERO, |started| started.elapsed());
        let left = self.budget.checked_sub(elapsed)?;
        let least = asked.max(own);
        (least <= left).then(|| least.max(spread(asked, random)).min(left))
    }

    /// Once per call where people look, and then where they look for details.
    fn say(&self, request: &Request<Body>, why: &str, time: Duration) {
        let (call, next) = (CallName::of(request), self.progress.tries + 1);
        if self.progress.tries == 1 {
            tracing::info!("{call} is tried again in {time:.1?} ({next} of {}): {why}", self.tries_max);
        } else {
            tracing::debug!("{call} is tried again in {time:.1?} ({next} of {}): {why}", self.tries_max);
        }
    }

    fn give_up(&mut self, result: &mut Result<impl Sized, BoxError>) {
        let earlier = std::mem::take(&mut self.progress.earlier);
        if let Err(error) = result
            && !earlier.is_empty()
            && !error.is::<crate::Error>()
        {
            let last = std::mem::replace(error, "taken".into());
            *error = Box::new(GaveUp::new(self.progress.tries, earlier, last));
        }
    }
}

/// What the server asked for and up to half of that again: those that it sent away together must not come back together.
fn spread(asked: Duration, random: f64) -> Duration {
    asked.saturating_add(asked.mul_f64(random / 2.0))
}

/// Each pause is up to twice as long, so that calls that failed together spread.
fn backoff(min: Duration, max: Duration) -> Exponential {
    Exponential::new(min, max).jitter(1.0)
}

impl Default for RetryPolicy {
    /// kube's default: 3 more tries, 0.5 to 5 s apart.
    fn default() -> Self {
        Self::new(Duration::from_millis(500), Duration::from_secs(5), 3, false).expect("0.5 s are less than 5 s")
    }
}

impl<R> Policy<Request<Body>, Response<R>, BoxError> for RetryPolicy {
    type Future = Sleep;

    fn retry(
        &mut self,
        request: &mut Request<Body>,
        result: &mut Result<Response<R>, BoxError>,
    ) -> Option<Self::Future> {
        request.extensions_mut().insert(Retry);
        let pause = |time| Some(tokio::time::sleep(time));
        if let Ok(response) = result
            && response.extensions().get::<CredentialsRenewed>().is_some()
            && !std::mem::replace(&mut self.progress.has_renewed, true)
        {
            return pause(Duration::ZERO);
        }
        self.progress.tries += 1;
        let rules = if is_once() { Rules::Renewal } else { self.rules };
        let verdict = Verdict::of(request, result, rules);
        let Some(time) =
            verdict.is_repeatable(request).then(|| self.pause(verdict.retry_after(), random::fraction())).flatten()
        else {
            self.give_up(result);
            return None;
        };
        let why = failure::describe(result);
        self.say(request, &why, time);
        self.progress.earlier.push(why);
        pause(time)
    }

    fn clone_request(&mut self, request: &Request<Body>) -> Option<Request<Body>> {
        if self.progress.tries == 0 {
            self.progress.started = Some(Instant::now());
        }
        let mut clone = Request::new(request.body().try_clone()?);
        *clone.method_mut() = request.method().clone();
        *clone.uri_mut() = request.uri().clone();
        *clone.version_mut() = request.version();
        *clone.headers_mut() = request.headers().clone();
        *clone.extensions_mut() = request.extensions().clone();
        Some(clone)
    }
}

#[cfg(test)]
mod tests;
