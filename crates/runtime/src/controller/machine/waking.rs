//! Which keys are woken, and which are lost.

use tokio::time::Instant;

use super::pending_writes::PendingWrites;
use super::record::{Record, Tracked};
use super::{Machine, Output, Report, View, later};
use crate::controller::source::Wake;
use crate::controller::source::trigger::Cause;
use crate::queue::PRIORITY_LOW;
use crate::reflector::Key;

impl<D> Machine<D> {
    pub(super) fn wake(&mut self, wake: Wake, now: Instant, view: &impl View) {
        // An owner that is not there, or not yet, is woken by its own arrival.
        let key = match view.resolve(&wake.key) {
            Some(key) => key,
            None if wake.insists || !view.is_ready() => wake.key,
            None => return,
        };
        let due = later(now, self.settings.debounce);
        let record = self.records.entry(key.clone()).or_default();
        if wake.insists {
            record.object.looks.get_or_insert(0);
        }
        record.note(wake.cause, due);
        if let Some(change) = wake.unshown.filter(|_| self.settings.reads_own_writes) {
            PendingWrites::add(&mut record.object.writes, *change, now);
        }
        if let Some(loops) = &mut record.object.loops {
            loops.woken(wake.origin, now);
        }
        self.queue.add_with(key, due, wake.priority);
    }

    pub(super) fn wake_all(&mut self, now: Instant, view: &impl View) {
        for key in view.keys() {
            self.wake_calmly(key, now);
        }
    }

    /// A reconciler can know more than the watches: it has written, or it has asked the server. What came and went before a
    /// watch had shown it leaves no trace in the list that follows, so no key would be woken for it. What was reconciled
    /// meanwhile looks again; there are few of those.
    pub(super) fn wake_recent(&mut self, unsure_since: Instant, now: Instant) {
        let is_recent = |record: &Record<D>| record.may_have_seen_more_than(unsure_since);
        let mut recent: Vec<_> =
            self.records.iter().filter(|(_, record)| is_recent(record)).map(|(key, _)| key.clone()).collect();
        recent.sort_unstable();
        for key in recent {
            self.wake_calmly(key, now);
        }
    }

    pub(super) fn wake_calmly(&mut self, key: Key, now: Instant) {
        let due = later(now, self.settings.debounce);
        self.records.entry(key.clone()).or_default().note(Cause::All, due);
        self.queue.add_with(key, due, PRIORITY_LOW);
    }

    pub(super) fn lose(&mut self, key: Key, last: D, now: Instant, outputs: &mut Vec<Output<D>>) {
        let record = self.records.entry(key.clone()).or_default();
        let lost = record.lose();
        let is_handled = self.settings.handles_deletes && self.permitted.admits(&key);
        if is_handled && record.deletes.add(last, now).is_some() {
            outputs.push(Output::Report(Report::DeleteGivenUp(key.clone())));
        }
        let due = record.deletes.next_due();
        self.queue.forget(&key);
        self.forget_if_blank(&key);
        self.drop_tracked(&key, lost, outputs);
        if let Some(due) = due {
            self.queue.add(key, due);
        }
    }

    /// Takes what was known of an object out of the machine's indexes, and lets nothing wait for it any more.
    pub(super) fn drop_tracked(&mut self, key: &Key, lost: Tracked, outputs: &mut Vec<Output<D>>) {
        if let Some(until) = lost.held_until {
            self.held.remove(&(until, key.clone()));
            outputs.push(Output::StopAwaiting(key.clone()));
        }
        let suspects = lost.loops.map(|loops| loops.into_suspects()).filter(|suspects| !suspects.is_empty());
        outputs.extend(suspects.map(Output::Cleared));
    }
}
