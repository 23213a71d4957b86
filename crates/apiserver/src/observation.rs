//! What is seen of requests from outside: metrics, the audit log, and a log line for each.
//!
//! ```text
//!  request ─► Seen ─┬─ who asks, what was decided, what came out ─┬─► Metrics   /metrics
//!                   └─ the end of its body, where it is a stream ─┼─► AuditLog  lines of audit.k8s.io/v1
//!                                                                 └─► tracing   target `pintle::requests`
//! ```
//! In: a request at each station of its way. Out: nothing that changes it. All of it is off unless asked for, and then a request
//! has no [`Seen`] and pays for one comparison.

mod audit;
mod metrics;
mod seen;

use std::sync::Arc;

use http::request::Parts;

use crate::clock::Clock;
use crate::request::user::User;
use crate::storage::store::Objects;

pub(crate) use audit::AuditLog;
pub(crate) use metrics::Metrics;
pub(crate) use seen::{Seen, SourceAddress};

/// What is kept or written about the requests of a server.
pub(crate) struct Observation {
    clock: Clock,
    metrics: Option<Metrics>,
    audit: Option<AuditLog>,
}

impl Observation {
    pub(crate) fn new(clock: Clock, metrics: Option<Metrics>, audit: Option<AuditLog>) -> Arc<Observation> {
        Arc::new(Observation { clock, metrics, audit })
    }

    /// The same for a copy of the server, which has this clock: it counts for itself, and writes no audit log.
    pub(crate) fn fork(&self, clock: Clock) -> Arc<Observation> {
        let metrics = self.metrics.as_ref().map(|_| Metrics::default());
        Observation::new(clock, metrics, None)
    }

    /// Whether anybody wants to know of each request.
    pub(crate) fn is_on(&self) -> bool {
        self.metrics.is_some() || self.audit.is_some() || is_logged()
    }

    /// Begins to watch a request, if anybody wants to know.
    pub(crate) fn begin(self: &Arc<Self>, parts: &Parts, holder: &Arc<User>) -> Option<Arc<Seen>> {
        if !self.is_on() {
            return None;
        }
        let seen = Seen::new(Arc::clone(self), parts, holder);
        if let Some(audit) = &self.audit {
            audit.received(&seen, &self.now());
        }
        Some(Arc::new(seen))
    }

    /// Notes a request whose credentials are wrong: nobody's, and answered with 401.
    #[cfg(feature = "serve")]
    pub(crate) fn unauthorized(self: &Arc<Self>, parts: &Parts) {
        if !self.is_on() {
            return;
        }
        let seen = Seen::new(Arc::clone(self), parts, &Arc::new(User::bare("", Vec::new())));
        seen.refused_unknown();
    }

    /// Metrics as a scraper reads them, if they are kept.
    pub(crate) fn exposition(&self, objects: impl FnOnce() -> Objects) -> Option<String> {
        Some(self.metrics.as_ref()?.print(&objects()))
    }

    /// Now, as audit events have it: to the microsecond.
    fn now(&self) -> String {
        self.clock.microsecond()
    }
}

/// Whether each request gets a line.
fn is_logged() -> bool {
    tracing::enabled!(target: LOG_TARGET, tracing::Level::DEBUG)
}

/// The target of a request's log line, by which it is chosen alone.
const LOG_TARGET: &str = "pintle::requests";
