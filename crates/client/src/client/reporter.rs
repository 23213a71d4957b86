//! Logs what keeps a client's calls from being answered: one line when it begins, not one per try or call.
//!
//! ```text
//!   each try (layers/attempt.rs)     no connection, no TLS                ┐
//!   each call (client.rs)     no answer, no credentials, 401       ├─► warn, once per problem and minute
//!   each answer (client.rs)   anything but 401                     └─► info, where there was a warning
//!   a call without an answer for five seconds (layers/call_span.rs)              ─► info, or warn where there is no connection
//! ```
//! A client and its clones share one. What a server answers otherwise (403, 404, 409 …) is the caller's business: a call
//! returns it, and watchers, leases and the like log it themselves. They need not log what is logged here, which is
//! what [`Error::is_logged_by_client`](crate::Error::is_logged_by_client) says.

pub(super) mod call_name;
mod outage;
pub(super) mod remedy;
pub(super) mod stalled;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{Request, StatusCode, Uri};
use tokio::time::Instant;

use super::layers::call_span::Unanswered;
use super::layers::retry::GaveUp;
use super::metrics::Metrics;
use crate::error::{Error, ErrorKind, Result, kind_of_service};
use crate::error_chain::error_chain;
use call_name::CallName;
use outage::{Outage, Report};
use remedy::{UNAUTHORIZED, remedy};
use stalled::Stage;

/// After how long a call without an answer is worth a line: a person begins to wonder.
pub(super) const WAITING_AFTER: Duration = Duration::from_secs(5);

/// What a client has logged so far about its calls.
#[derive(Debug, Default)]
pub(super) struct Reporter {
    /// The server, where it is known.
    base: Option<Uri>,
    metrics: Metrics,
    /// Whether layers below the client see each try.
    is_layered: AtomicBool,
    /// Whether there is anything that an answer could end.
    is_troubled: AtomicBool,
    said: Mutex<Known>,
    dialing: AtomicUsize,
    shaking_hands: AtomicUsize,
}

#[derive(Debug, Default)]
struct Known {
    /// Between here and the server.
    connection: Outage,
    /// Between the server and whom it takes us for.
    credentials: Outage,
    waiting: Outage,
}

/// Whether a failed call is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It may be.
    Try,
    /// It is not.
    Final,
}

impl Reporter {
    /// Reports on the calls to the server at `base`.
    pub(super) fn new(base: Uri) -> Self {
        Self { base: Some(base), ..Self::default() }
    }

    /// What is counted of the calls.
    pub(super) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Layers see each try, and count it.
    pub(super) fn note_layers(&self) {
        self.is_layered.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_layered(&self) -> bool {
        self.is_layered.load(Ordering::Relaxed)
    }

    /// What a request is called in its lines.
    pub(super) fn name<B>(&self, request: &Request<B>) -> CallName {
        CallName::of(request).to(self.base.as_ref())
    }

    /// What became of a call.
    pub(super) fn ended<T>(&self, call: &CallName, code: impl FnOnce(&T) -> u16, result: &Result<T>) {
        match result {
            Ok(answer) => self.answered(call, code(answer)),
            Err(Error::Api(status)) => self.answered(call, status.code),
            Err(Error::Service(error)) => self.failed(call, error.as_ref(), Outcome::Final),
            Err(Error::HyperError(error)) => self.failed(call, error, Outcome::Final),
            Err(error @ Error::Auth(_)) => self.lacks_credentials(call, error),
            Err(_) => {}
        }
    }

    /// A try or call got no answer.
    pub(super) fn failed(
        &self,
        call: &CallName,
        error: &(dyn std::error::Error + Send + Sync + 'static),
        outcome: Outcome,
    ) {
        let error = innermost(error);
        let kind = kind_of_service(error);
        if !matches!(kind, ErrorKind::Unreachable | ErrorKind::Untrusted | ErrorKind::Interrupted) {
            return;
        }
        let mut known = self.lock();
        // A connection that breaks once is normal, and the next try succeeds.
        let is_hiccup = kind == ErrorKind::Interrupted || super::layers::retry::was_refused_unprocessed(error);
        if is_hiccup && outcome == Outcome::Try && !known.connection.is_any() {
            known.connection.noted(Instant::now());
            self.is_troubled.store(true, Ordering::Release);
            return;
        }
        let text = error_chain(error);
        self.is_troubled.store(true, Ordering::Release);
        if let Some(said) = known.connection.failed(&text, Instant::now()) {
            drop(known);
            warn(call, "got no answer", &text, remedy(error), &said);
        }
    }

    /// There are no credentials to send a call with.
    fn lacks_credentials(&self, call: &CallName, error: &Error) {
        self.unauthorized(call, "cannot be sent", &error.to_string(), None);
    }

    /// The server answered something.
    fn answered(&self, call: &CallName, code: u16) {
        let is_unauthorized = code == StatusCode::UNAUTHORIZED.as_u16();
        if is_unauthorized {
            self.unauthorized(call, "was refused", "401 Unauthorized", Some(UNAUTHORIZED));
        }
        if !self.is_troubled.load(Ordering::Acquire) {
            return;
        }
        let now = Instant::now();
        let mut known = self.lock();
        let reached = known.connection.answered(now);
        let accepted = if is_unauthorized { None } else { known.credentials.answered(now) };
        self.is_troubled.store(known.credentials.is_any(), Ordering::Release);
        drop(known);
        let server = call.server().unwrap_or_else(|| "the API server".to_owned());
        if let Some(lasted) = reached {
            tracing::info!("{server} answers again, after {:.1} s", lasted.as_secs_f64());
        }
        if let Some(lasted) = accepted {
            tracing::info!("{server} accepts the credentials again, after {:.1} s", lasted.as_secs_f64());
        }
    }

    /// A call has waited for [`WAITING_AFTER`].
    pub(super) fn waits(&self, call: &CallName) {
        let mut known = self.lock();
        // That the server does not answer has been logged.
        if known.connection.is_any() || known.credentials.is_any() {
            return;
        }
        let (is_dialing, is_shaking_hands) = (count(&self.dialing) > 0, count(&self.shaking_hands) > 0);
        let what = match (is_dialing, is_shaking_hands) {
            (true, _) => "there is no connection yet; is the address right, and does a firewall let it through?",
            (false, true) => "there is a connection, but the TLS handshake has not ended",
            (false, false) => "it was sent, and there is no answer yet",
        };
        let now = Instant::now();
        let is_due = known.waiting.failed(what, now).is_some();
        drop(known);
        let seconds = WAITING_AFTER.as_secs();
        if is_due && (is_dialing || is_shaking_hands) {
            tracing::warn!("still waiting for {call} after {seconds} s: {what}");
        } else if is_due {
            tracing::info!("still waiting for {call} after {seconds} s: {what}");
        }
    }

    /// Notes that a connection is being made, until what it returns is dropped.
    pub(super) fn connecting(self: &Arc<Self>, stage: Stage) -> Connecting {
        let connecting = Connecting { reporter: self.clone(), stage };
        if let Some(counter) = connecting.counter() {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        connecting
    }

    fn unauthorized(&self, call: &CallName, what: &str, text: &str, remedy: Option<&str>) {
        self.is_troubled.store(true, Ordering::Release);
        let said = self.lock().credentials.failed(text, Instant::now());
        if let Some(said) = said {
            warn(call, what, text, remedy, &said);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn warn(call: &CallName, what: &str, text: &str, remedy: Option<&str>, said: &Report) {
    let remedy = remedy.map_or_else(String::new, |remedy| format!(" ({remedy})"));
    let lasts = said.lasts.map_or_else(String::new, |(time, count)| {
        format!("; {count} tries have failed within {:.0} s", time.as_secs_f64())
    });
    tracing::warn!("{call} {what}: {text}{remedy}{lasts}");
}

/// What a call failed of, without what its layers put around it: each try and the call in the end have the same.
fn innermost<'a>(
    error: &'a (dyn std::error::Error + Send + Sync + 'static),
) -> &'a (dyn std::error::Error + Send + Sync + 'static) {
    let inner = error.downcast_ref::<Unanswered>().map(Unanswered::cause);
    let inner = inner.or_else(|| error.downcast_ref::<GaveUp>().map(GaveUp::last));
    inner.map_or(error, |inner| innermost(inner.as_ref()))
}

fn count(counter: &AtomicUsize) -> usize {
    counter.load(Ordering::Relaxed)
}

/// A connection that is being made.
pub(super) struct Connecting {
    reporter: Arc<Reporter>,
    stage: Stage,
}

impl Connecting {
    fn counter(&self) -> Option<&AtomicUsize> {
        match self.stage {
            Stage::Connect => Some(&self.reporter.dialing),
            Stage::Tls => Some(&self.reporter.shaking_hands),
            _ => None,
        }
    }
}

impl Drop for Connecting {
    fn drop(&mut self) {
        if let Some(counter) = self.counter() {
            counter.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
