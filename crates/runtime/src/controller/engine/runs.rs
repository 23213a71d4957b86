//! Beginning reconciles, and what follows from how they end.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::Stream;
use pintle_client::client::writes::{Write, Writes};
use pintle_client::error_chain::error_chain;
use pintle_core::Resource;
use pintle_core::reference::ObjectRef;
use tokio::time::Instant;
use tracing::Span;

use super::failures::RunFailure;
use super::run::{Run, Ticket, Work};
use super::{Engine, later};
use crate::controller::action::{Action, Next};
use crate::controller::error::{Error, is_terminal};
use crate::controller::gone::Late;
use crate::controller::handlers::{Call, Ended, Reconciles};
use crate::controller::holds::Freed;
use crate::controller::metrics::{Count, ReconcileResult};
use crate::controller::panics::{Panic, catch};
use crate::controller::queue::PRIORITY_NORMAL;
use crate::controller::request::ReconcileReason;
use crate::controller::retries::Delays;
use crate::controller::shutdown::Phase;
use crate::controller::sight::Reached;
use crate::controller::source::Woken;
use crate::controller::trigger::Cause;
use crate::reflector::{Entry, Key};
use crate::watcher::undecodable;

/// How often a key that must exist is looked for: five seconds in all, in which a list that is under way should have
/// reached the store.
const LOOKS_MAX: u32 = 10;

impl<K, S, R, E, Q> Engine<K, S, R, E, Q>
where
    K: Resource + 'static,
    K::DynamicType: Clone,
    S: Stream<Item = (usize, Result<Woken<K, Q>, Q>)>,
    R: Reconciles<K, E>,
    E: std::error::Error + 'static,
    Q: std::error::Error + 'static,
{
    pub(super) fn start_due(&mut self) {
        let now = Instant::now();
        self.free_held(now);
        if self.shutdown.phase() != Phase::Running || self.gate.opening().is_none_or(|opens| opens > now) {
            return;
        }
        for kind in self.gate.given_up(now) {
            tracing::warn!(%kind, "this kind could not be listed in time: reconciles do not wait for it any longer");
        }
        while self.has_place() {
            let Some(key) = self.queue.pop(now) else { return };
            if !self.must_wait(&key, now) {
                self.start(key);
            }
        }
    }

    /// Whether `key` is held because what its last reconcile wrote was not seen yet, or because only a loop wakes it; a
    /// delete does not look at either.
    fn must_wait(&mut self, key: &Key, now: Instant) -> bool {
        let sights = &self.sights;
        if self.gone.next_due(key).is_some_and(|due| due <= now) {
            return false;
        }
        if self.holds.park(key, now, |write| sights.keep_waiting(key, write)) {
            self.metrics.add(Count::Held);
            self.queue.done(key);
            if let Some(due) = self.gone.next_due(key) {
                self.queue.add(key.clone(), due);
            }
            return true;
        }
        let Some(until) = self.guard.pause(key, now) else { return false };
        let until = self.gone.next_due(key).map_or(until, |due| due.min(until));
        self.queue.done(key);
        self.queue.add(key.clone(), until);
        true
    }

    /// Gives back those whose writes were seen, or who have waited long enough.
    fn free_held(&mut self, now: Instant) {
        let sights = &self.sights;
        let awaits = |key: &Key, write: &Write| sights.keep_waiting(key, write);
        for Freed { key, is_expired } in self.holds.freed(now, sights.take_ripe(), awaits) {
            if is_expired {
                sights.let_go(&key);
                self.metrics.add(Count::HoldsExpired);
                tracing::debug!(%key, "reconciled though the watches have not shown what was written before");
            }
            self.queue.add(key, now);
        }
    }

    fn wrote(&mut self, key: &Key, mut writes: Vec<Write>, reached: &Reached) {
        let now = Instant::now();
        if self.config.reads_own_writes() {
            let sights = &self.sights;
            self.holds.wrote(key, writes.clone(), now, |write| sights.await_any(write));
        }
        writes.retain(|write| reached.is_before(write));
        if let Some(report) = self.guard.ended(key, &writes, now) {
            tracing::warn!(%key, "this object's reconciler keeps waking itself and is slowed down: {report}; write only \
                what differs, and nothing that is new each time (see Config::loop_guard)");
            self.metrics.found(report);
        }
    }

    fn start(&mut self, key: Key) {
        let (woken, now) = (self.causes.remove(&key), Instant::now());
        let late = self.gone.take(&key, now);
        if let Some(due) = self.gone.next_due(&key) {
            self.queue.add(key.clone(), due);
        }
        if let Some(late) = late {
            // The key stays woken, for its own time, for whatever came under its name since.
            if let Some((cause, due)) = woken.filter(|_| self.store.entry_by(&key).is_some()) {
                self.causes.insert(key.clone(), (cause, due));
                self.queue.add(key.clone(), due.max(now));
            }
            return self.start_delete(key, late);
        }
        if let Some((_, due)) = &woken {
            self.metrics.waited(now.saturating_duration_since(*due));
        }
        let cause = woken.map_or(Cause::Said(ReconcileReason::Unknown), |(cause, _)| cause);
        match self.store.get_by(&key) {
            Some(Ok(object)) => {
                self.missing.remove(&key);
                self.reconcile(key, object, &cause);
            }
            Some(Err(error)) => {
                self.missing.remove(&key);
                self.queue.done(&key);
                self.unreadable(&key, undecodable(&error));
            }
            None => self.look_again(key, cause),
        }
    }

    /// The object is not there under this key: under another, not yet, or no more.
    fn look_again(&mut self, key: Key, cause: Cause) {
        self.queue.done(&key);
        let now = Instant::now();
        if let Some(found) = self.store.resolve(key.clone()) {
            self.missing.remove(&key);
            self.note(&found, cause, now);
            return self.queue.add(found, now);
        }
        match self.missing.get_mut(&key) {
            Some(looks) if *looks < LOOKS_MAX => {
                let due = later(now, Delays::default().after(*looks));
                *looks += 1;
                self.note(&key, cause, due);
                self.queue.add(key, due);
            }
            _ => {
                tracing::debug!(name = %key.name, namespace = ?key.namespace, "gone before it was reconciled");
                self.missing.remove(&key);
                self.retries.forget(&key);
            }
        }
    }

    fn reconcile(&mut self, key: Key, object: Arc<K>, cause: &Cause) {
        let attempt = self.retries.attempt(&key, object.meta().uid.as_deref());
        self.recent.started(&key);
        let span = self.span(&object, cause);
        let (writes, reached) = (self.watched_writes(&key), self.sights.reached());
        let call = Call { attempt, span: span.clone(), writes: &writes };
        // What a reconciler does before its first await runs here, and its panic must not end the loop either.
        let begun = catch(|| self.reconciler.reconcile(Arc::clone(&object), call));
        self.begin(
            begun,
            Ticket { key, object, work: Work::Reconcile, attempt, span, is_late: false, writes, reached },
        );
    }

    /// Where a round of `key` notes its writes; a suspect's are kept, and so is what they replace.
    fn watched_writes(&mut self, key: &Key) -> Writes {
        let Some(objects) = self.guard.started(key, Instant::now()) else { return Writes::new() };
        for object in objects {
            if let Some(body) = self.sights.body(&object) {
                self.guard.show(key, object, body);
            }
        }
        Writes::keeping_bodies()
    }

    fn start_delete(&mut self, key: Key, late: Late<Entry<K>>) {
        // Who could be read once was reconciled then, and its end is told in that version.
        let object = match late.entry.get().or_else(|error| late.entry.last_readable().ok_or(error)) {
            Ok(object) => object,
            Err(error) => {
                self.queue.done(&key);
                return self.unreadable(&key, undecodable(&error));
            }
        };
        let attempt = late.failures.saturating_add(1);
        let span = self.span(&object, &Cause::Itself);
        let (writes, reached) = (Writes::new(), self.sights.reached());
        let call = Call { attempt, span: span.clone(), writes: &writes };
        let begun = match catch(|| self.reconciler.deleted(Arc::clone(&object), call)) {
            Ok(None) => return self.queue.done(&key),
            Ok(Some(begun)) => Ok(begun),
            Err(panic) => Err(panic),
        };
        let work = Work::Delete(late);
        self.begin(begun, Ticket { key, object, work, attempt, span, is_late: false, writes, reached });
    }

    pub(super) fn begin(&mut self, begun: Result<R::Future, Panic>, ticket: Ticket<K>) {
        let now = Instant::now();
        let deadline = self.config.deadline_period().map(|period| tokio::time::sleep_until(later(now, period)));
        match begun {
            Ok(future) => {
                self.vitals.lock().began(&ticket.key, now);
                self.running.push(Run::new(future, deadline, ticket));
            }
            Err(panic) => self.finish((ticket, Ended::Panicked(panic, None))),
        }
    }

    fn span(&self, object: &K, cause: &Cause) -> Span {
        let reference = ObjectRef::from_obj_with(object, self.dyntype());
        tracing::info_span!("reconciling object", object.ref = %reference, object.reason = %cause.reason())
    }

    pub(super) fn finish(&mut self, (mut ticket, ended): (Ticket<K>, Ended<E>)) {
        if matches!(ended, Ended::TimedOut(None)) && !ticket.is_late {
            let Some(unasked) = self.ask_about_late(ticket) else { return };
            ticket = unasked;
        }
        let began = self.vitals.lock().ended(&ticket.key);
        // What handles an end is no round of whoever has the name now.
        if matches!(ticket.work, Work::Reconcile) {
            let took = began.map(|began| began.elapsed()).unwrap_or_default();
            self.metrics.reconciled(ReconcileResult::of(&ended), took);
            self.wrote(&ticket.key, ticket.writes.take(), &ticket.reached);
            self.recent.ended(&ticket.key, Instant::now(), self.sights.unsure_since());
        }
        match ended {
            Ended::Done(action) => self.succeeded(&ticket, action),
            ended => self.failed(ticket, ended),
        }
    }

    fn succeeded(&mut self, ticket: &Ticket<K>, action: Action) {
        let key = &ticket.key;
        // What is gone is not looked at again, whatever its handler asks for.
        if matches!(ticket.work, Work::Reconcile) {
            self.metrics.add(Count::Succeeded);
            match action.next() {
                Next::Backoff => self.retries.failed(key, ticket.object.meta().uid.as_deref()),
                Next::Change | Next::After(_) => self.retries.forget(key),
            }
            self.schedule(key, &action, Cause::Again);
        } else {
            self.metrics.add(Count::Deletes);
        }
        self.release(key);
        self.told.push_back(Ok((ObjectRef::from_obj_with(ticket.object.as_ref(), self.dyntype()), action)));
    }

    fn failed(&mut self, ticket: Ticket<K>, ended: Ended<E>) {
        let reference = ObjectRef::from_obj_with(ticket.object.as_ref(), self.dyntype());
        let (action, failed_run) = match ended {
            Ended::Done(_) => unreachable!("what ended well has succeeded"),
            Ended::Failed(error, decided) => {
                let failed_run = self.failed_run(&ticket, || RunFailure::Failed(error_chain(&error)));
                let action = self.decide(&ticket, &error, decided, &reference);
                self.told.push_back(Err(Error::ReconcilerFailed(error, Box::new(reference.erase()))));
                (Some(action), failed_run)
            }
            Ended::Panicked(panic, decided) => {
                let failed_run = self.failed_run(&ticket, || RunFailure::Panicked(panic.clone()));
                self.panicked(reference.erase(), panic);
                (decided, failed_run)
            }
            Ended::TimedOut(decided) => {
                let period = self.timed_out(reference.erase());
                (decided, self.failed_run(&ticket, || RunFailure::TimedOut(period)))
            }
        };
        let span = ticket.span.clone();
        let next = self.try_again(ticket, &action.unwrap_or_else(Action::backoff));
        if let Some(failed_run) = failed_run {
            failed_run.log(&span, next);
        }
    }

    /// After a failure: as `action` says; returns after how long that is, unless it waits for a change.
    fn try_again(&mut self, ticket: Ticket<K>, action: &Action) -> Option<Duration> {
        let Ticket { key, object, work, .. } = ticket;
        let next = match work {
            Work::Reconcile => {
                self.retries.failed(&key, object.meta().uid.as_deref());
                self.schedule(&key, action, Cause::Failed)
            }
            Work::Delete(late) => self.delete_again(&key, late, action),
        };
        self.release(&key);
        next
    }

    /// The end of an object was not handled: tries again as `action` says, apart from whoever has its name now.
    fn delete_again(&mut self, key: &Key, mut late: Late<Entry<K>>, action: &Action) -> Option<Duration> {
        let wait = match action.next() {
            Next::Change => return None,
            Next::After(wait) => wait,
            Next::Backoff => self.config.delays().jittered(late.failures, fastrand::f64()),
        };
        late.failures = late.failures.saturating_add(1);
        let due = later(Instant::now(), wait);
        self.gone.put_back(key, late, due);
        self.queue.add(key.clone(), due);
        Some(wait)
    }

    /// What the policy says; a policy that panics says to back off, and a terminal error is not backed off for.
    fn decide(&mut self, ticket: &Ticket<K>, error: &E, decided: Option<Action>, reference: &ObjectRef<K>) -> Action {
        self.metrics.add(Count::Failed);
        let ask = || ticket.span.in_scope(|| self.reconciler.decide(Arc::clone(&ticket.object), error));
        let decided = decided.map_or_else(|| catch(ask), Ok);
        let action = decided.unwrap_or_else(|panic| {
            if self.config.logs_failures() {
                tracing::error!("the error policy panicked on {reference}: {panic}");
            }
            self.panicked(reference.clone().erase(), panic);
            Action::backoff()
        });
        if action.next() == Next::Backoff && is_terminal(error) {
            self.metrics.add(Count::Terminal);
            return Action::await_change();
        }
        action
    }

    /// Files the next look; returns after how long that is.
    fn schedule(&mut self, key: &Key, action: &Action, cause: Cause) -> Option<Duration> {
        let wait = match action.next() {
            Next::Change => return None,
            Next::After(delay) => delay,
            Next::Backoff => self.retries.delay(key, fastrand::f64()),
        };
        let due = later(Instant::now(), wait);
        self.note(key, cause, due);
        self.queue.add_with(key.clone(), due, PRIORITY_NORMAL);
        Some(wait)
    }

    /// The key may run again.
    fn release(&mut self, key: &Key) {
        self.queue.done(key);
    }
}
