//! Which slots have something running, so that a slot is given up only when nothing of it runs any more.
//!
//! In: the slots that may be started, and each run as it begins and ends. Out: which slots are idle. A run counts until the
//! last of what it was about to send is gone, too. The invariant: a run that begins is either counted in a slot that may be
//! started at that moment, or refused.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::slots::{SLOTS, Slots};

/// What runs, by slot.
#[derive(Debug)]
pub(super) struct InUse {
    state: Mutex<State>,
    ended: Notify,
}

#[derive(Debug)]
struct State {
    startable: Slots,
    counts: Vec<u32>,
}

/// A run; it has ended when this is dropped.
#[derive(Debug)]
pub(crate) struct Run {
    in_use: Arc<InUse>,
    slot: usize,
}

impl InUse {
    pub(super) fn new() -> Self {
        Self { state: Mutex::new(State { startable: Slots::NONE, counts: vec![0; SLOTS] }), ended: Notify::new() }
    }

    /// Lets only these slots be started from now on.
    pub(super) fn restrict(&self, startable: Slots) {
        self.state().startable = startable;
    }

    /// Begins a run in `slot`, if that may be started.
    pub(super) fn begin(self: &Arc<Self>, slot: usize) -> Option<Run> {
        let mut state = self.state();
        if !state.startable.contains(slot) {
            return None;
        }
        state.counts[slot] += 1;
        Some(Run { in_use: Arc::clone(self), slot })
    }

    /// Those of `slots` in which nothing runs.
    pub(super) fn idle(&self, slots: Slots) -> Slots {
        let state = self.state();
        (0..SLOTS).filter(|slot| slots.contains(*slot) && state.counts[*slot] == 0).collect()
    }

    /// Waits until a run has ended since this was last called.
    pub(super) async fn ended(&self) {
        self.ended.notified().await;
    }

    // Nothing panics while it is locked.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.in_use.state().counts[self.slot] -= 1;
        self.in_use.ended.notify_one();
    }
}
