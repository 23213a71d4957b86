//! What is due begins, unless it is held, slowed down or not there.

use pintle_core::backoff::Exponential;
use std::time::Duration;
use tokio::time::Instant;

use super::failures::Failures;
use super::pending_deletes::PendingDelete;
use super::record::LastRun;
use super::{AwaitedStore, Machine, Output, Report, Stage, View, later};
use crate::controller::reconciler::request::ReconcileReason;
use crate::controller::source::trigger::Cause;
use crate::reflector::Key;

/// How often a key that must exist is looked for: five seconds in all, in which a list that is under way should have
/// reached the store.
const LOOKS_MAX: u32 = 10;
/// The pauses between those looks.
const LOOKS: Exponential = Exponential::new(Duration::from_millis(5), Duration::from_secs(1000));

impl<D> Machine<D> {
    pub(super) fn tick(&mut self, now: Instant, view: &impl View, outputs: &mut Vec<Output<D>>) {
        if matches!(self.awaited_store, AwaitedStore::Until(then) if then <= now) {
            self.awaited_store = AwaitedStore::Reported;
            outputs.push(Output::Report(Report::StoreNotReady));
        }
        self.free_expired(now, outputs);
        self.sweep_old(now, view);
        if self.stage == Stage::Stopping || self.gate.opening().is_none_or(|opens| opens > now) {
            return;
        }
        outputs.extend(self.gate.given_up(now).into_iter().map(|kind| Output::Report(Report::KindGivenUp(kind))));
        while self.has_slot() {
            let Some(key) = self.queue.pop(now) else { return };
            if !self.rests(&key, outputs) {
                self.start(key, now, view, outputs);
            }
        }
    }

    /// Lets those go on that have been held long enough.
    pub(super) fn free_expired(&mut self, now: Instant, outputs: &mut Vec<Output<D>>) {
        while self.held.first().is_some_and(|(until, _)| *until <= now) {
            let Some((_, key)) = self.held.pop_first() else { return };
            if let Some(record) = self.records.get_mut(&key) {
                (record.object.writes, record.object.held_until) = (None, None);
            }
            self.queue.add(key.clone(), now);
            outputs.extend([Output::StopAwaiting(key.clone()), Output::Report(Report::HoldExpired(key))]);
        }
    }

    /// What `key` waited for may have been seen: it goes on, or waits for its next write.
    pub(super) fn seen(&mut self, key: Key, now: Instant, view: &impl View, outputs: &mut Vec<Output<D>>) {
        let Some(record) = self.records.get_mut(&key) else { return };
        let Some(until) = record.object.held_until else { return };
        let writes = record.object.writes.as_mut();
        if let Some(write) = writes.and_then(|writes| writes.awaited(now, |write| view.is_unseen(write))) {
            outputs.push(Output::Await(key, Box::new(write.clone())));
            return;
        }
        (record.object.writes, record.object.held_until) = (None, None);
        self.held.remove(&(until, key.clone()));
        self.queue.add(key, now);
    }

    /// Begins to work on a key that is due.
    pub(super) fn start(&mut self, key: Key, now: Instant, view: &impl View, outputs: &mut Vec<Output<D>>) {
        let record = self.records.entry(key.clone()).or_default();
        if let Some(delete) = record.deletes.take_due(now) {
            return self.start_delete(key, delete, now, view, outputs);
        }
        if self.hold(&key, now, view, outputs) || self.slow_down(&key, now) {
            return;
        }
        let record = self.records.entry(key.clone()).or_default();
        let wake = record.object.wake.take();
        let (cause, due) = wake.unwrap_or_else(|| (Cause::Said(Box::new(ReconcileReason::Unknown)), now));
        if let Some(due) = record.deletes.next_due() {
            self.queue.add(key.clone(), due);
        }
        if view.resolve(&key).is_some_and(|found| found == key) {
            self.reconcile(key, (cause, due), now, view, outputs);
        } else {
            self.queue.done(&key);
            self.look_again(key, cause, now, view, outputs);
        }
    }

    /// Holds `key` if what its last reconcile wrote was not seen yet; returns whether it does.
    pub(super) fn hold(&mut self, key: &Key, now: Instant, view: &impl View, outputs: &mut Vec<Output<D>>) -> bool {
        let Some(record) = self.records.get_mut(key) else { return false };
        let object = &mut record.object;
        let writes = object.writes.as_mut();
        let awaited = writes.and_then(|writes| writes.awaited(now, |write| view.is_unseen(write)).cloned());
        let until = object.writes.as_ref().map(|writes| writes.until()).filter(|_| awaited.is_some());
        let held_before = std::mem::replace(&mut object.held_until, until);
        if until.is_none() {
            object.writes = None;
        }
        if let Some(before) = held_before {
            self.held.remove(&(before, key.clone()));
        }
        let (Some(until), Some(write)) = (until, awaited) else { return false };
        self.held.insert((until, key.clone()));
        outputs.extend([Output::Await(key.clone(), Box::new(write)), Output::Report(Report::Held)]);
        let delete_due = record.deletes.next_due();
        self.queue.done(key);
        if let Some(due) = delete_due {
            self.queue.add(key.clone(), due);
        }
        true
    }

    /// Lets `key` wait if only its loop wakes it; returns whether it does.
    pub(super) fn slow_down(&mut self, key: &Key, now: Instant) -> bool {
        let Some(record) = self.records.get(key) else { return false };
        let Some(until) = record.object.loops.as_ref().and_then(|loops| loops.pause(now)) else { return false };
        let until = record.deletes.next_due().map_or(until, |due| due.min(until));
        self.queue.done(key);
        self.queue.add(key.clone(), until);
        true
    }

    pub(super) fn reconcile(
        &mut self,
        key: Key,
        (cause, due): (Cause, Instant),
        now: Instant,
        view: &impl View,
        outputs: &mut Vec<Output<D>>,
    ) {
        let waited = now.saturating_duration_since(due);
        let record = self.records.entry(key.clone()).or_default();
        let object = &mut record.object;
        object.looks = None;
        let attempt = match object.failures.count() {
            0 => 1,
            _ => object.failures.attempt(view.uid(&key).as_deref()),
        };
        let loops = self.settings.loop_rounds.map(|rounds| (rounds, object.loops.get_or_insert_default()));
        let suspected = loops.and_then(|(rounds, loops)| loops.started(rounds, now));
        record.run = LastRun::Running { is_lost: false };
        self.running += 1;
        outputs.push(Output::Reconcile { key, cause, attempt, waited, suspected });
    }

    pub(super) fn start_delete(
        &mut self,
        key: Key,
        delete: PendingDelete<D>,
        now: Instant,
        view: &impl View,
        outputs: &mut Vec<Output<D>>,
    ) {
        let is_there = view.resolve(&key).is_some_and(|found| found == key);
        let record = self.records.entry(key.clone()).or_default();
        // The key stays woken, for its own time, for the object that came under its name since.
        record.object.wake = record.object.wake.take().filter(|_| is_there);
        let wake = record.object.wake.as_ref().map(|(_, due)| (*due).max(now));
        for due in wake.into_iter().chain(record.deletes.next_due()) {
            self.queue.add(key.clone(), due);
        }
        self.running += 1;
        outputs.push(Output::HandleDelete(key, delete));
    }

    /// What was started could not begin.
    pub(super) fn not_begun(&mut self, key: &Key, now: Instant) {
        self.running -= 1;
        if let Some(record) = self.records.get_mut(key) {
            record.run = LastRun::Ended(now);
            if let Some(loops) = &mut record.object.loops {
                loops.not_begun(now);
            }
        }
        self.queue.done(key);
        self.sweep_later(now);
    }

    /// The object is not there under this key: under another, not yet, or not any more.
    pub(super) fn look_again(
        &mut self,
        key: Key,
        cause: Cause,
        now: Instant,
        view: &impl View,
        outputs: &mut Vec<Output<D>>,
    ) {
        let record = self.records.entry(key.clone()).or_default();
        let looks = record.object.looks.take();
        let (key, due) = match (view.resolve(&key), looks) {
            (Some(found), _) => {
                self.forget_if_blank(&key);
                (found, now)
            }
            (None, Some(looks)) if looks < LOOKS_MAX => {
                record.object.looks = Some(looks + 1);
                (key, later(now, LOOKS.delay(looks, 0.0)))
            }
            (None, _) => {
                record.object.failures = Failures::default();
                self.forget_if_blank(&key);
                self.sweep_later(now);
                return outputs.push(Output::Report(Report::NotFound(key)));
            }
        };
        self.records.entry(key.clone()).or_default().note(cause, due);
        self.queue.add(key, due);
    }
}
