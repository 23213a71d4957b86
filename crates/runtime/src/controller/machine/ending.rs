//! What follows from the end of a run: what it wrote is remembered, and the next look is filed.

use std::time::Duration;

use pintle_client::client::writes::Write;
use tokio::time::Instant;

use super::failures::Failures;
use super::pending_deletes::PendingDelete;
use super::pending_writes::PendingWrites;
use super::record::LastRun;
use super::{Ended, Machine, Output, Report, RunResult, View, Work, later};
use crate::controller::reconciler::action::Next;
use crate::controller::source::trigger::Cause;
use crate::queue::PRIORITY_NORMAL;
use crate::reflector::Key;

impl<D> Machine<D> {
    pub(super) fn ended(&mut self, ended: Ended<D>, now: Instant, view: &impl View, outputs: &mut Vec<Output<D>>) {
        let Ended { key, work, result, next, random } = ended;
        self.running -= 1;
        let next = if next == Next::Backoff && result == RunResult::FailedForGood {
            outputs.push(Output::Report(Report::Terminal));
            Next::Change
        } else {
            next
        };
        let wait = match work {
            Work::Reconcile { uid, writes, changes } => {
                let record = self.records.entry(key.clone()).or_default();
                let is_lost =
                    std::mem::replace(&mut record.run, LastRun::Ended(now)) == LastRun::Running { is_lost: true };
                // An object that came under this name since must not run before those writes are seen either.
                self.wrote(&key, writes, &changes, now, view, outputs);
                if is_lost { None } else { self.follow(&key, uid.as_deref(), result, next, random, now) }
            }
            Work::Delete(delete) => self.handle_again(&key, delete, result, next, random, now),
            Work::Nothing => None,
        };
        self.queue.done(&key);
        self.forget_if_blank(&key);
        outputs.push(Output::Scheduled(wait));
        self.sweep_many(now, view);
        self.sweep_later(now);
    }

    /// Takes note of what a reconcile wrote.
    pub(super) fn wrote(
        &mut self,
        key: &Key,
        mut writes: Vec<Write>,
        changes: &[Write],
        now: Instant,
        view: &impl View,
        outputs: &mut Vec<Output<D>>,
    ) {
        let object = &mut self.records.entry(key.clone()).or_default().object;
        if self.settings.reads_own_writes {
            writes.retain(|write| view.is_unseen(write));
            PendingWrites::add_all(&mut object.writes, writes, now);
        }
        if let (Some(rounds), Some(loops)) = (self.settings.loop_rounds, &mut object.loops) {
            let report = loops.ended(key, changes, rounds, now);
            outputs.extend(report.map(|report| Output::Report(Report::Loop(Box::new(report)))));
            outputs.extend(Some(loops.take_cleared()).filter(|cleared| !cleared.is_empty()).map(Output::Cleared));
            if loops.is_at_rest(now) {
                object.loops = None;
            }
        }
    }

    /// Files the next look at an object; returns after how long that is.
    pub(super) fn follow(
        &mut self,
        key: &Key,
        uid: Option<&str>,
        result: RunResult,
        next: Next,
        random: f64,
        now: Instant,
    ) -> Option<Duration> {
        let record = self.records.entry(key.clone()).or_default();
        let failures = &mut record.object.failures;
        match (result, next) {
            (RunResult::Succeeded, Next::Change | Next::After(_)) => *failures = Failures::default(),
            (RunResult::Succeeded, Next::Backoff) | (RunResult::Failed | RunResult::FailedForGood, _) => {
                failures.add(uid);
            }
        }
        let wait = match next {
            Next::Change => return None,
            Next::After(wait) => wait,
            Next::Backoff => self.settings.backoff.delay(failures.count().saturating_sub(1), random),
        };
        let due = later(now, wait);
        record.note(if result == RunResult::Succeeded { Cause::Again } else { Cause::Failed }, due);
        self.queue.add_with(key.clone(), due, PRIORITY_NORMAL);
        Some(wait)
    }

    /// A delete that was not handled is tried again, apart from the object that has its name now.
    pub(super) fn handle_again(
        &mut self,
        key: &Key,
        mut delete: PendingDelete<D>,
        result: RunResult,
        next: Next,
        random: f64,
        now: Instant,
    ) -> Option<Duration> {
        // What is gone is not looked at again, whatever its handler asks for.
        if result == RunResult::Succeeded {
            return None;
        }
        let wait = match next {
            Next::Change => return None,
            Next::After(wait) => wait,
            Next::Backoff => self.settings.backoff.delay(delete.failures, random),
        };
        delete.failures = delete.failures.saturating_add(1);
        let due = later(now, wait);
        self.records.entry(key.clone()).or_default().deletes.put_back(delete, due);
        self.queue.add(key.clone(), due);
        Some(wait)
    }
}
