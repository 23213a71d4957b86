//! What a controller reports of reconciles that did not end well: to its stream, to its counts, and to the log.
//!
//! Log or return, not both, holds where somebody looks at what is returned. The stream of a controller is often polled
//! for its end alone, so failures are logged, too, unless the program says that it does that itself.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::Stream;
use pintle_client::error_chain::error_chain;
use pintle_core::reference::ObjectRef;
use pintle_core::{DynamicObject, Resource};
use tokio::time::Instant;
use tracing::Span;

use super::Engine;
use super::run::{Ticket, Work};
use crate::controller::error::{Error, RunnerError};
use crate::controller::handlers::{Call, Reconciles};
use crate::controller::metrics::Count;
use crate::controller::panics::{Panic, catch};
use crate::controller::shutdown::Phase;
use crate::controller::source::{Trouble, Woken};
use crate::reflector::Key;
use crate::watcher;

/// A failure, for the log.
pub(super) struct FailedRun {
    /// What was done, as `reconciling ConfigMap.v1./a.default`.
    pub(super) work: String,
    pub(super) kind: RunFailure,
    pub(super) attempt: u32,
}

/// How it failed.
pub(super) enum RunFailure {
    Failed(String),
    Panicked(Panic),
    TimedOut(Duration),
}

impl FailedRun {
    /// Writes it into the log, within the span of its reconcile.
    pub(super) fn log(&self, span: &Span, next: Option<Duration>) {
        let Self { work, kind, attempt } = self;
        let next = match next {
            Some(wait) => format!("next try in {wait:.3?}"),
            None => "it is not tried again before something changes".to_owned(),
        };
        span.in_scope(|| match kind {
            RunFailure::Failed(error) => tracing::warn!(attempt, "{work} failed: {error}; {next}"),
            RunFailure::Panicked(panic) => tracing::error!(attempt, "{work} panicked: {panic}; {next}"),
            RunFailure::TimedOut(deadline) => {
                tracing::warn!(attempt, "{work} did not end within {deadline:?} and was ended: {next}");
            }
        });
    }
}

impl<K, S, R, E, Q> Engine<K, S, R, E, Q>
where
    K: Resource + 'static,
    K::DynamicType: Clone,
    S: Stream<Item = (usize, Result<Woken<K, Q>, Q>)>,
    R: Reconciles<K, E>,
    E: std::error::Error + 'static,
    Q: std::error::Error + 'static,
{
    /// What to log of a failure, unless the program does that.
    pub(super) fn failed_run(&self, ticket: &Ticket<K>, kind: impl FnOnce() -> RunFailure) -> Option<FailedRun> {
        let work = match ticket.work {
            Work::Reconcile => "reconciling",
            Work::Delete(_) => "handling the end of",
        };
        self.config.logs_failures().then(|| FailedRun {
            work: format!("{work} {}", ObjectRef::from_obj_with(ticket.object.as_ref(), self.dyntype())),
            kind: kind(),
            attempt: ticket.attempt,
        })
    }

    /// Asks whoever wants to know of a reconcile that ran into its deadline; gives the ticket back if nobody does.
    pub(super) fn ask_about_late(&mut self, mut ticket: Ticket<K>) -> Option<Ticket<K>> {
        let call = Call { attempt: ticket.attempt, span: ticket.span.clone(), writes: &ticket.writes };
        let deadline = self.config.deadline_period().unwrap_or_default();
        let begin = || self.reconciler.timed_out(&ticket.object, deadline, call);
        match catch(begin) {
            Ok(Some(future)) => {
                ticket.is_late = true;
                self.begin(Ok(future), ticket);
                None
            }
            Ok(None) | Err(_) => Some(ticket),
        }
    }

    /// Reports what went wrong in a source.
    pub(super) fn trouble(&mut self, trouble: Trouble<Q>) {
        let is_logging = self.config.logs_failures();
        let error = match trouble {
            Trouble::Watch(error) => {
                if is_logging {
                    tracing::warn!("an object of a watch cannot be read: {}", error_chain(&error));
                }
                Error::QueueError(error)
            }
            Trouble::Panicked(object, panic) => {
                if is_logging {
                    tracing::error!("a function that is asked about {object} panicked: {panic}");
                }
                self.metrics.add(Count::Panicked);
                Error::RunnerError(RunnerError::Panicked(object, panic))
            }
        };
        self.told.push_back(Err(error));
    }

    pub(super) fn panicked(&mut self, reference: ObjectRef<DynamicObject>, panic: Panic) {
        self.metrics.add(Count::Panicked);
        self.told.push_back(Err(Error::RunnerError(RunnerError::Panicked(Box::new(reference), panic))));
    }

    /// Reports a reconcile that ran into its deadline; returns that.
    pub(super) fn timed_out(&mut self, reference: ObjectRef<DynamicObject>) -> Duration {
        let period = self.config.deadline_period().unwrap_or_default();
        self.metrics.add(Count::TimedOut);
        self.told.push_back(Err(Error::RunnerError(RunnerError::TimedOut(Box::new(reference), period))));
        period
    }

    /// Reports an object that cannot be read; whose queue has errors of its own kind gets kube's nearest one.
    pub(super) fn unreadable(&mut self, key: &Key, error: watcher::Error) {
        if self.config.logs_failures() {
            tracing::warn!("{key} is not reconciled because it cannot be read: {}", error_chain(&error));
        }
        let error = match (self.troubled)(error) {
            Some(error) => Error::QueueError(error),
            None => {
                let mut reference = ObjectRef::new_with(&key.name, self.dyntype());
                reference.namespace = key.namespace.as_deref().map(str::to_owned);
                Error::ObjectNotFound(Box::new(ObjectRef::<K>::erase(reference)))
            }
        };
        self.told.push_back(Err(error));
    }

    /// Logs each reconcile once that has run for a minute.
    pub(super) fn mention_overdue(&self, now: Instant) {
        for (key, age) in self.vitals.lock().newly_overdue(now) {
            let kind = K::kind(&self.dyntype()).into_owned();
            tracing::warn!(
                "reconciling {kind} {key} has taken {} s so far: does it wait for something without a limit? \
                 Config::deadline ends such reconciles",
                age.as_secs()
            );
        }
    }

    /// Ends and names what still runs when the time to stop has run out.
    pub(super) fn cut_off(&mut self) {
        if self.shutdown.phase() != Phase::Stopped || self.running.is_empty() {
            return;
        }
        let tickets = Pin::new(&self.running).iter_pin_ref().filter_map(|run| run.ticket());
        let mut objects: Vec<_> = tickets.map(|ticket| (ticket.key.clone(), Arc::clone(&ticket.object))).collect();
        objects.sort_by(|one, other| one.0.cmp(&other.0));
        self.running.clear();
        for (key, object) in objects {
            self.vitals.lock().ended(&key);
            let object = ObjectRef::from_obj_with(object.as_ref(), self.dyntype()).erase();
            tracing::warn!(
                "the controller has stopped and cut off the reconcile of {object}, which did not end in time"
            );
            self.told.push_back(Err(Error::RunnerError(RunnerError::CutOff(Box::new(object)))));
        }
    }
}
