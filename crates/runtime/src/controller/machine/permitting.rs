//! Which keys may be reconciled: what is due and may not be rests, what runs and may not go on is cut off.
//!
//! A key that rests is not remembered: the replica that may reconcile it knows more of it by now. So what becomes permitted
//! is looked at once, as when a controller begins.

use tokio::time::Instant;

use super::record::LastRun;
use super::{Machine, Output, View};
use crate::controller::machine::pending_deletes::PendingDeletes;
use crate::controller::permit::Scope;
use crate::reflector::Key;

impl<D> Machine<D> {
    /// `scope` is permitted from now on.
    pub(super) fn permit(&mut self, scope: Scope, now: Instant, view: &impl View, outputs: &mut Vec<Output<D>>) {
        let before = std::mem::replace(&mut self.permitted, scope);
        for key in self.queue.running() {
            if !self.permitted.lets_go_on(&key) {
                self.running -= 1;
                self.rest(&key, outputs);
                self.queue.done(&key);
                outputs.push(Output::CutOff(key));
            }
        }
        if view.is_ready() {
            for key in view.keys() {
                if self.permitted.admits(&key) && !before.admits(&key) {
                    self.wake_calmly(key, now);
                }
            }
        }
    }

    /// Puts a key to rest that is due and may not be reconciled; returns whether it is such a one.
    pub(super) fn rests(&mut self, key: &Key, outputs: &mut Vec<Output<D>>) -> bool {
        if self.permitted.admits(key) {
            return false;
        }
        self.queue.done(key);
        self.rest(key, outputs);
        true
    }

    /// Forgets what is known of the object and of deletes under its name, but for what it wrote.
    fn rest(&mut self, key: &Key, outputs: &mut Vec<Output<D>>) {
        if let Some(record) = self.records.get_mut(key) {
            let mut tracked = record.lose();
            record.object.writes = tracked.writes.take();
            (record.run, record.deletes) = (LastRun::Never, PendingDeletes::default());
            self.drop_tracked(key, tracked, outputs);
        }
        self.queue.forget(key);
        self.forget_if_blank(key);
    }
}
