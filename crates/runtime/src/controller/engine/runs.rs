//! Beginning reconciles, and handing their ends to the machine.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::Stream;
use pintle_client::client::writes::Writes;
use pintle_core::Resource;
use pintle_core::reference::ObjectRef;
use tokio::time::Instant;
use tracing::Span;

use super::Engine;
use super::reports::RunFailure;
use super::run::{Left, Run, Ticket};
use crate::controller::machine::loop_detector::Object;
use crate::controller::machine::pending_deletes::PendingDelete;
use crate::controller::machine::{Ended as EndedRun, Input, Output, RunResult, Work};
use crate::controller::metrics::{Count, ReconcileResult};
use crate::controller::reconciler::action::{Action, Next};
use crate::controller::reconciler::error::{Error, is_terminal};
use crate::controller::reconciler::handlers::{Attempt, Ended, Reconciles};
use crate::controller::reconciler::panics::{Panic, catch};
use crate::controller::source::Triggered;
use crate::controller::source::trigger::Cause;
use crate::random;
use crate::reflector::{Entry, Key};
use crate::scheduler::DELAY_MAX;
use crate::watcher::undecodable;

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
    pub(super) fn reconcile(&mut self, key: Key, cause: Cause, attempt: u32, suspected: Option<Vec<Object>>) {
        let Some(entry) = self.store.entry_by(&key) else { return self.feed(Input::Vanished(key, cause)) };
        let weight = entry.weight();
        let spare = || self.spares.take(weight, Instant::now());
        let object = match self.store.read_to_reconcile(&entry, self.comes_back, spare) {
            Ok(object) => object,
            Err(error) => {
                self.report_unreadable(&key, undecodable(&error));
                return self.feed(Input::Unreadable(key));
            }
        };
        let writes = self.guarded(&key, if suspected.is_some() { Writes::keeping_bodies() } else { Writes::new() });
        for shown in suspected.into_iter().flatten() {
            if let Some(body) = self.progress.body(&shown) {
                self.feed(Input::Shown(key.clone(), shown, body));
            }
        }
        let span = self.span(&object, &cause, attempt);
        let call = Attempt { number: attempt, span: span.clone(), writes: &writes };
        // What a reconciler does before its first await runs here, and its panic must not end the loop either.
        let begun = catch(|| self.reconciler.reconcile(Arc::clone(&object), call));
        let reached = self.progress.reached();
        self.begin(
            begun,
            Ticket {
                key,
                object,
                weight,
                delete: None,
                attempt,
                span,
                began: Instant::now(),
                timed_out_after: None,
                writes,
                reached,
            },
        );
    }

    pub(super) fn handle_delete(&mut self, key: Key, delete: PendingDelete<Entry<K>>) {
        // An object that was readable once was reconciled then, and its delete is handled in that version.
        let object = match delete.last.get().or_else(|error| delete.last.last_readable().ok_or(error)) {
            Ok(object) => object,
            Err(error) => {
                self.report_unreadable(&key, undecodable(&error));
                return self.end_without_run(key);
            }
        };
        let attempt = delete.failures.saturating_add(1);
        let span = self.span(&object, &Cause::Itself, attempt);
        let writes = self.guarded(&key, Writes::new());
        let call = Attempt { number: attempt, span: span.clone(), writes: &writes };
        let begun = match catch(|| self.reconciler.deleted(Arc::clone(&object), call)) {
            Ok(None) => return self.end_without_run(key),
            Ok(Some(begun)) => Ok(begun),
            Err(panic) => Err(panic),
        };
        let (weight, delete, reached) = (delete.last.weight(), Some(delete), self.progress.reached());
        self.begin(
            begun,
            Ticket {
                key,
                object,
                weight,
                delete,
                attempt,
                span,
                began: Instant::now(),
                timed_out_after: None,
                writes,
                reached,
            },
        );
    }

    fn end_without_run(&mut self, key: Key) {
        let (work, result, next) = (Work::Nothing, RunResult::Succeeded, Next::Change);
        self.feed(Input::Ended(EndedRun { key, work, result, next, random: 0.0 }));
    }

    pub(super) fn begin(&mut self, begun: Result<F, Panic>, ticket: Ticket<K>) {
        let now = Instant::now();
        let deadline = |period: Duration| tokio::time::sleep_until(now + period.min(DELAY_MAX));
        match begun {
            Ok(future) => {
                self.heartbeat.lock().began(&ticket.key, now);
                self.running.push(Run::new(future, self.config.deadline_period().map(deadline), ticket));
            }
            Err(panic) => self.finish(ticket, Ended::Panicked(panic, None)),
        }
    }

    /// kube's span with its two fields, and what a tracing system groups by; how it ended is recorded when it has.
    fn span(&self, object: &K, cause: &Cause, attempt: u32) -> Span {
        let reference = ObjectRef::from_obj_with(object, self.dyntype());
        let span = tracing::info_span!(
            "reconciling object",
            object.ref = %reference,
            object.reason = %cause.reason(),
            object.kind = tracing::field::Empty,
            object.namespace = tracing::field::Empty,
            object.name = %reference.name,
            attempt,
            outcome = tracing::field::Empty,
            error.type = tracing::field::Empty,
            otel.name = tracing::field::Empty,
            otel.kind = "internal",
            otel.status_code = tracing::field::Empty,
        );
        if !span.is_disabled() {
            let kind = K::kind(&reference.dyntype);
            span.record("object.kind", &*kind);
            span.record("otel.name", format!("reconcile {kind}"));
            reference.namespace.as_deref().map(|namespace| span.record("object.namespace", namespace));
        }
        span
    }

    /// `writes`, which wait for a place each where those are counted, and let nothing through once `key` may not be
    /// reconciled any more.
    fn guarded(&self, key: &Key, writes: Writes) -> Writes {
        let writes = writes.sharing(self.write_places.clone());
        match &self.permits {
            Some(permits) => writes.guarded_by(permits.write_guard(key)),
            None => writes,
        }
    }

    /// Takes in a run that has ended or was cut off; the machine has done with the latter.
    pub(super) fn left(&mut self, (ticket, ended): Left<K, E>) {
        match ended {
            Some(ended) => self.finish(ticket, ended),
            None => self.report_withdrawn(&ticket),
        }
    }

    fn finish(&mut self, mut ticket: Ticket<K>, ended: Ended<E>) {
        if matches!(ended, Ended::TimedOut(None)) && ticket.timed_out_after.is_none() {
            let Some(unhandled) = self.handle_timeout(ticket) else { return };
            ticket = unhandled;
        }
        self.heartbeat.lock().ended(&ticket.key);
        let took = ticket.timed_out_after.unwrap_or_else(|| ticket.began.elapsed());
        self.metrics.worked(took);
        if ticket.delete.is_none() {
            self.metrics.reconciled(ReconcileResult::of(&ended), took);
        }
        record_outcome(&ticket.span, &ended);
        match ended {
            Ended::Done(action) => self.succeeded(ticket, action),
            Ended::Failed(error, decided) => self.failed(ticket, error, decided),
            Ended::Panicked(panic, decided) => {
                let failure = self.failure(&ticket, || RunFailure::Panicked(panic.clone()));
                self.emit_panic(self.reference(&ticket).erase(), panic);
                self.end_failed(ticket, RunResult::Failed, decided, failure);
            }
            Ended::TimedOut(decided) => {
                let period = self.emit_timeout(self.reference(&ticket).erase());
                let failure = self.failure(&ticket, || RunFailure::TimedOut(period));
                self.end_failed(ticket, RunResult::Failed, decided, failure);
            }
        }
    }

    fn succeeded(&mut self, ticket: Ticket<K>, action: Action) {
        self.metrics.add(if ticket.delete.is_some() { Count::Deletes } else { Count::Succeeded });
        let reference = self.reference(&ticket);
        self.end(ticket, RunResult::Succeeded, action.next());
        self.items.push_back(Ok((reference, action)));
    }

    fn failed(&mut self, ticket: Ticket<K>, error: E, decided: Option<Action>) {
        self.metrics.add(Count::Failed);
        let failure = self.failure(&ticket, || RunFailure::failed(&error));
        let action = decided.unwrap_or_else(|| self.ask_policy(&ticket, &error));
        let result = if is_terminal(&error) { RunResult::FailedForGood } else { RunResult::Failed };
        let reference = Box::new(self.reference(&ticket).erase());
        self.items.push_back(Err(Error::ReconcilerFailed(error, reference)));
        self.end_failed(ticket, result, Some(action), failure);
    }

    /// What the policy says; a policy that panics says to back off.
    fn ask_policy(&mut self, ticket: &Ticket<K>, error: &E) -> Action {
        let ask = || ticket.span.in_scope(|| self.reconciler.decide(Arc::clone(&ticket.object), error));
        catch(ask).unwrap_or_else(|panic| {
            let reference = self.reference(ticket);
            if self.config.logs_failures() {
                tracing::error!("the error policy panicked on {reference}: {panic}");
            }
            self.emit_panic(reference.erase(), panic);
            Action::backoff()
        })
    }

    /// Ends a run that failed, and logs it with the time of the next attempt.
    fn end_failed(
        &mut self,
        ticket: Ticket<K>,
        result: RunResult,
        decided: Option<Action>,
        failure: Option<super::reports::FailedRun>,
    ) {
        let span = ticket.span.clone();
        let wait = self.end(ticket, result, decided.unwrap_or_else(Action::backoff).next());
        if let Some(failure) = failure {
            failure.log(&span, wait);
        }
    }

    /// Feeds the end of a run to the machine; returns after how long it is tried again, unless it waits for a change.
    fn end(&mut self, ticket: Ticket<K>, result: RunResult, next: Next) -> Option<Duration> {
        let Ticket { key, object, weight, delete, writes, reached, .. } = ticket;
        let work = match delete {
            Some(delete) => Work::Delete(delete),
            None => {
                let writes = writes.take();
                let changes = writes.iter().filter(|write| reached.is_before(write)).cloned().collect();
                Work::Reconcile { uid: object.meta().uid.clone(), writes, changes }
            }
        };
        self.spares.keep(object, weight);
        let is_retry = next == Next::Backoff;
        let outputs = self.ask(Input::Ended(EndedRun { key, work, result, next, random: random::fraction() }));
        let mut wait = None;
        for output in outputs {
            match output {
                Output::Scheduled(scheduled) => wait = scheduled,
                output => self.perform(output),
            }
        }
        if is_retry && wait.is_some() {
            self.metrics.add(Count::Retries);
        }
        wait
    }

    /// Lets the program's handler of failures run for a reconcile that ran into its deadline; returns the ticket if there
    /// is none.
    fn handle_timeout(&mut self, mut ticket: Ticket<K>) -> Option<Ticket<K>> {
        let call = Attempt { number: ticket.attempt, span: ticket.span.clone(), writes: &ticket.writes };
        let deadline = self.config.deadline_period().unwrap_or_default();
        match catch(|| self.reconciler.timed_out(&ticket.object, deadline, call)) {
            Ok(Some(future)) => {
                ticket.timed_out_after = Some(ticket.began.elapsed());
                self.begin(Ok(future), ticket);
                None
            }
            Ok(None) | Err(_) => Some(ticket),
        }
    }

    pub(super) fn reference(&self, ticket: &Ticket<K>) -> ObjectRef<K> {
        ObjectRef::from_obj_with(ticket.object.as_ref(), self.dyntype())
    }
}

/// Notes on the span of a reconcile how it ended.
fn record_outcome<E>(span: &Span, ended: &Ended<E>) {
    span.record("outcome", ReconcileResult::of(ended).label());
    let error = match ended {
        Ended::Done(_) => return,
        Ended::Failed(..) => "error",
        Ended::Panicked(..) => "panic",
        Ended::TimedOut(_) => "timeout",
    };
    span.record("error.type", error);
    span.record("otel.status_code", "ERROR");
}
