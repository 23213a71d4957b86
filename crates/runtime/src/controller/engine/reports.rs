//! What a controller logs, counts and emits about its reconciles.
//!
//! Log or return, not both, holds where the caller looks at what is returned. The stream of a controller is often polled
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
use super::run::Ticket;
use crate::controller::machine::Report;
use crate::controller::metrics::Count;
use crate::controller::reconciler::error::{Error, RunnerError};
use crate::controller::reconciler::handlers::{Ended, Reconciles};
use crate::controller::reconciler::panics::Panic;
use crate::controller::source::{SourceError, Triggered};
use crate::reflector::Key;
use crate::watcher;

/// A failure, for the log.
pub(super) struct FailedRun {
    /// What was done, as `reconciling ConfigMap.v1./a.default`.
    work: String,
    failure: RunFailure,
    attempt: u32,
}

/// How it failed.
pub(super) enum RunFailure {
    Failed(String),
    Panicked(Panic),
    TimedOut(Duration),
}

impl RunFailure {
    pub(super) fn failed(error: &(dyn std::error::Error + 'static)) -> Self {
        Self::Failed(error_chain(error))
    }
}

impl FailedRun {
    /// Writes it into the log, within the span of its reconcile.
    pub(super) fn log(&self, span: &Span, next: Option<Duration>) {
        let Self { work, failure, attempt } = self;
        let next = match next {
            Some(wait) => format!("next try in {wait:.3?}"),
            None => "it is not tried again before something changes".to_owned(),
        };
        span.in_scope(|| match failure {
            RunFailure::Failed(error) => tracing::warn!(attempt, "{work} failed: {error}; {next}"),
            RunFailure::Panicked(panic) => tracing::error!(attempt, "{work} panicked: {panic}; {next}"),
            RunFailure::TimedOut(deadline) => {
                tracing::warn!(attempt, "{work} did not end within {deadline:?} and was ended: {next}");
            }
        });
    }
}

impl<K, S, R, F, E, Q> Engine<K, S, R, F, E, Q>
where
    K: Resource + 'static,
    K::DynamicType: Clone,
    S: Stream<Item = (usize, Result<Triggered<K, Q>, Q>)>,
    R: Reconciles<K, E, Future = F>,
    F: Future<Output = Ended<E>>,
    E: std::error::Error + 'static,
    Q: std::error::Error + 'static,
{
    /// Logs and counts what the machine reports.
    pub(super) fn report(&mut self, report: Report) {
        match report {
            Report::Held => self.metrics.add(Count::Held),
            Report::HoldExpired(key) => {
                self.metrics.add(Count::HoldsExpired);
                tracing::debug!(%key, "reconciled though the watches have not shown what was written before");
            }
            Report::Loop(report) => {
                tracing::warn!(key = %report.key, "this object's reconciler keeps waking itself and is slowed down: \
                    {report}; write only what differs, and nothing that is new each time (see Config::loop_guard)");
                self.metrics.found(*report);
            }
            Report::Terminal => self.metrics.add(Count::Terminal),
            Report::KindRefused(kind) => {
                tracing::warn!(%kind, "this kind may not be watched or does not exist: reconciles do not wait for it");
            }
            Report::KindGivenUp(kind) => {
                tracing::warn!(%kind, "this kind could not be listed in time: reconciles do not wait for it any longer");
            }
            Report::DeleteGivenUp(key) => {
                tracing::warn!(%key, "a delete is not handled any more: too many objects of its name were deleted since");
            }
            Report::NotFound(key) => tracing::debug!(%key, "deleted before it was reconciled"),
            Report::StoreNotReady => tracing::warn!(
                kind = std::any::type_name::<K>(),
                "nothing is reconciled because the store given to the controller is not ready: its Writer must see the \
                 whole stream, as in watcher(…).reflect(writer), and that stream must be the one the controller is \
                 given, or be polled elsewhere"
            ),
        }
    }

    /// What to log of a failure, unless the program does that.
    pub(super) fn failure(&self, ticket: &Ticket<K>, failure: impl FnOnce() -> RunFailure) -> Option<FailedRun> {
        let work = if ticket.delete.is_some() { "handling the delete of" } else { "reconciling" };
        self.config.logs_failures().then(|| FailedRun {
            work: format!("{work} {}", self.reference(ticket)),
            failure: failure(),
            attempt: ticket.attempt,
        })
    }

    /// Logs and emits what went wrong in a source.
    pub(super) fn report_source_error(&mut self, error: SourceError<Q>) {
        let is_logging = self.config.logs_failures();
        let error = match error {
            SourceError::Watch(error) => {
                if is_logging {
                    tracing::warn!("an object of a watch cannot be read: {}", error_chain(&error));
                }
                Error::QueueError(error)
            }
            SourceError::Panicked(object, panic) => {
                if is_logging {
                    tracing::error!("a function that is asked about {object} panicked: {panic}");
                }
                self.metrics.add(Count::Panicked);
                Error::RunnerError(RunnerError::Panicked(object, panic))
            }
        };
        self.items.push_back(Err(error));
    }

    pub(super) fn emit_panic(&mut self, reference: ObjectRef<DynamicObject>, panic: Panic) {
        self.metrics.add(Count::Panicked);
        self.items.push_back(Err(Error::RunnerError(RunnerError::Panicked(Box::new(reference), panic))));
    }

    /// Emits that a reconcile ran into its deadline; returns that.
    pub(super) fn emit_timeout(&mut self, reference: ObjectRef<DynamicObject>) -> Duration {
        let period = self.config.deadline_period().unwrap_or_default();
        self.metrics.add(Count::TimedOut);
        self.items.push_back(Err(Error::RunnerError(RunnerError::TimedOut(Box::new(reference), period))));
        period
    }

    /// Logs and emits that an object cannot be read; a queue with errors of its own kind gets kube's nearest one.
    pub(super) fn report_unreadable(&mut self, key: &Key, error: watcher::Error) {
        if self.config.logs_failures() {
            tracing::warn!("{key} is not reconciled because it cannot be read: {}", error_chain(&error));
        }
        let error = match (self.to_queue_error)(error) {
            Some(error) => Error::QueueError(error),
            None => {
                let mut reference = ObjectRef::new_with(&key.name, self.dyntype());
                reference.namespace = key.namespace.as_deref().map(str::to_owned);
                Error::ObjectNotFound(Box::new(ObjectRef::<K>::erase(reference)))
            }
        };
        self.items.push_back(Err(error));
    }

    /// Logs each reconcile once that has run for a minute.
    pub(super) fn report_overdue(&self, now: Instant) {
        for (key, age) in self.heartbeat.lock().newly_overdue(now) {
            let kind = K::kind(&self.dyntype()).into_owned();
            tracing::warn!(
                "reconciling {kind} {key} has taken {} s so far: does it wait for something without a limit? \
                 Config::deadline ends such reconciles",
                age.as_secs()
            );
        }
    }

    /// Logs and emits that a reconcile was cut off because its object may not be reconciled here any more.
    pub(super) fn report_withdrawn(&mut self, ticket: &Ticket<K>) {
        let object = self.reference(ticket).erase();
        tracing::warn!("the reconcile of {object} was cut off: this replica may not reconcile it any more");
        self.items.push_back(Err(Error::RunnerError(RunnerError::CutOff(Box::new(object)))));
    }

    /// Ends, logs and emits what still runs when the time to stop has run out.
    pub(super) fn cut_off(&mut self) {
        let tickets = Pin::new(&self.running).iter_pin_ref().filter_map(|run| run.ticket());
        let mut objects: Vec<_> = tickets.map(|ticket| (ticket.key.clone(), Arc::clone(&ticket.object))).collect();
        objects.sort_by(|one, other| one.0.cmp(&other.0));
        self.running.clear();
        for (key, object) in objects {
            self.heartbeat.lock().ended(&key);
            let object = ObjectRef::from_obj_with(object.as_ref(), self.dyntype()).erase();
            tracing::warn!(
                "the controller has stopped and cut off the reconcile of {object}, which did not end in time"
            );
            self.items.push_back(Err(Error::RunnerError(RunnerError::CutOff(Box::new(object)))));
        }
    }
}
