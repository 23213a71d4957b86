//! The state machine of a controller: which key runs when, and what follows from how it ended.
//!
//! ```text
//!              woken                 due                        Action, woken meanwhile
//!     idle ───────────► waiting ──────────────► running ──────────────────┐
//!      ▲                 ▲  │ ▲  slowed: a loop    │                      │
//!      │                 │  │ └───────────────┐    └──► idle              │
//!      │      seen, 5 s  │  ▼ its own writes  │                           │
//!      └────── lost ── held   are not seen ───┘◄──────────────────────────┘
//! ```
//!
//! | | woken | seen | due | ended | lost |
//! |---|---|---|---|---|---|
//! | **idle** | waiting | – | – | – | idle |
//! | **waiting** | waiting, for the earlier time | – | running; held if its writes are unseen; waiting if it is slowed | – | idle |
//! | **held** | waiting | waiting, now | waiting, after 5 s | – | idle |
//! | **running** | running, and again | – | – | waiting as its [`Action`](super::Action) says, or idle | running |
//!
//! A key that is due and may not be reconciled is idle again; it is woken when it may be.
//!
//! A delete that is to be handled waits and runs under the name of the lost object, and is never held or slowed.
//!
//! In: an [`Input`], the time, and a [`View`] of what is known now. Out: [`Output`]s, which the engine performs. It awaits
//! nothing, logs nothing, draws no random number and reads no clock. Its invariants: one run per key at a time, no more than
//! the configured number at once, and a key that was woken after its last run began runs again.

mod ending;
mod failures;
pub(super) mod gate;
mod inputs;
pub(super) mod loop_detector;
pub(super) mod pending_deletes;
pub(super) mod pending_writes;
mod permitting;
mod record;
mod starting;
#[cfg(test)]
mod tests;
mod waking;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use foldhash::fast::RandomState;
use pintle_core::backoff::Exponential;
use tokio::time::Instant;

pub(super) use inputs::{Ended, Input, Output, Report, RunResult, View, Work};

use crate::controller::permit::Scope;
use crate::queue::{Priority, Queue};
use crate::reflector::Key;
use crate::scheduler::DELAY_MAX;
use gate::{Gate, MAIN};
use record::Record;

/// How a machine works.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// How many runs at once; `None` for any number.
    pub(super) slots: Option<usize>,
    pub(super) debounce: Duration,
    /// The delays after failures.
    pub(super) backoff: Exponential,
    /// How many rounds in a row are a loop; `None` to look for none.
    pub(super) loop_rounds: Option<u32>,
    /// Whether keys are held until their own writes are seen.
    pub(super) reads_own_writes: bool,
    pub(super) handles_deletes: bool,
}

/// How much there is to do.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Load {
    /// Keys that are due.
    pub(super) waiting: usize,
    /// Of those, how many have each priority.
    pub(super) depths: BTreeMap<Priority, usize>,
    /// Keys that were added and did not wait already, ever.
    pub(super) adds: u64,
    /// Keys that are due later.
    pub(super) scheduled: usize,
    pub(super) held: usize,
    /// Keys of which something is remembered.
    pub(super) remembered: usize,
}

/// A controller without its effects; `D` is what is known of a deleted object.
#[derive(Clone, Debug)]
pub(super) struct Machine<D> {
    settings: Settings,
    records: HashMap<Key, Record<D>, RandomState>,
    /// Which of the keys is next.
    queue: Queue<Key>,
    /// The held keys, in the order their patience ends.
    held: BTreeSet<(Instant, Key)>,
    gate: Gate,
    /// Which keys may be reconciled.
    permitted: Scope,
    /// How many run.
    running: usize,
    stage: Stage,
    /// How many records were left when they were last looked through.
    records_kept: usize,
    /// When they are looked through again, however few came since; set while one of them ran lately.
    sweep_due: Option<Instant>,
    awaited_store: AwaitedStore,
}

/// How far a controller is from its end.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Stage {
    Running,
    /// What is queued is done, and then it is over.
    Draining,
    /// Nothing more is started.
    Stopping,
}

/// Whether a store that the program fills is waited for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum AwaitedStore {
    /// No longer, or it never was.
    No,
    /// It should be ready by then.
    Until(Instant),
    /// It should have been, and that was reported.
    Reported,
}

/// How long a store that the program fills may take before that is reported.
const STORE_PATIENCE: Duration = Duration::from_secs(30);
/// After so long a run is of no interest any more, where no watch is in trouble.
const RECORD_PATIENCE: Duration = Duration::from_secs(120);
/// So many records are kept before the idle ones among them are looked for.
const RECORDS_UNSWEPT: usize = 256;

impl<D> Machine<D> {
    /// A machine that waits for the first lists of the sources in `awaited`, by their kinds. `awaits_store` where the program
    /// fills the store.
    pub(super) fn new(settings: Settings, awaited: BTreeMap<usize, String>, awaits_store: bool, now: Instant) -> Self {
        let awaited_store = if awaits_store { AwaitedStore::Until(now + STORE_PATIENCE) } else { AwaitedStore::No };
        Self {
            settings,
            records: HashMap::default(),
            queue: Queue::default(),
            held: BTreeSet::new(),
            gate: Gate::new(awaited),
            permitted: Scope::All,
            running: 0,
            stage: Stage::Running,
            records_kept: 0,
            sweep_due: None,
            awaited_store,
        }
    }

    /// Takes one input.
    pub(super) fn on(&mut self, input: Input<D>, now: Instant, view: &impl View) -> Vec<Output<D>> {
        let mut outputs = Vec::new();
        match input {
            Input::Tick => self.tick(now, view, &mut outputs),
            Input::Woken(wake) => self.wake(wake, now, view),
            Input::WokenAll if view.is_ready() => self.wake_all(now, view),
            Input::WokenAll => {}
            Input::Lost(key, last) => self.lose(key, last, now, &mut outputs),
            Input::Unsure(since) => self.wake_recent(since, now),
            // What went before a late list was complete was shown by no watch: what was reconciled without it looks again.
            Input::Synced(source) => {
                if self.gate.synced(source, now) {
                    self.wake_all(now, view);
                }
            }
            Input::Refused(source) => {
                outputs.extend(self.gate.refused(source, now).map(|kind| Output::Report(Report::KindRefused(kind))));
            }
            Input::StoreReady => {
                self.awaited_store = AwaitedStore::No;
                self.gate.synced(MAIN, now);
            }
            Input::Seen(keys) => keys.into_iter().for_each(|key| self.seen(key, now, view, &mut outputs)),
            Input::Shown(key, object, body) => {
                if let Some(loops) = self.records.get_mut(&key).and_then(|record| record.object.loops.as_mut()) {
                    loops.show(object, body);
                }
            }
            Input::Unreadable(key) => self.not_begun(&key, now),
            Input::Vanished(key, cause) => {
                self.not_begun(&key, now);
                self.look_again(key, cause, now, view, &mut outputs);
            }
            Input::Ended(ended) => self.ended(ended, now, view, &mut outputs),
            Input::SourcesEnded => self.stage = self.stage.max(Stage::Draining),
            Input::StoreDropped => {
                self.awaited_store = AwaitedStore::No;
                self.stage = self.stage.max(Stage::Draining);
            }
            Input::Permitted(scope) => self.permit(scope, now, view, &mut outputs),
            Input::Wrote(key, writes) => self.wrote(&key, writes, &[], now, view, &mut outputs),
            Input::Stop => self.stage = Stage::Stopping,
            Input::StopNow => (self.stage, self.running) = (Stage::Stopping, 0),
        }
        outputs
    }

    /// When the next `Tick` is needed, if nothing else happens before.
    pub(super) fn next_tick(&self) -> Option<Instant> {
        if self.stage == Stage::Stopping {
            return None;
        }
        let start = self.queue.next_due().filter(|_| self.has_slot());
        let start = start.and_then(|due| self.gate.opening().map(|opens| due.max(opens)));
        let report = match self.awaited_store {
            AwaitedStore::Until(then) => Some(then),
            AwaitedStore::Reported | AwaitedStore::No => None,
        };
        let held = self.held.first().map(|(until, _)| *until);
        [start, report, held, self.sweep_due, self.queue.next_delayed()].into_iter().flatten().min()
    }

    /// Whether nothing will ever happen again: it has stopped, or its sources have ended and what they asked for is done.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        let is_due = || self.queue.next_due().is_some_and(|due| due <= later(now, self.settings.debounce));
        self.running == 0
            && match self.stage {
                Stage::Stopping => true,
                Stage::Running => false,
                Stage::Draining => {
                    self.awaited_store == AwaitedStore::No && (self.gate.opening().is_none() || !is_due())
                }
            }
    }

    /// Whether a store that the program fills is waited for.
    pub(super) fn awaits_store(&self) -> bool {
        self.awaited_store != AwaitedStore::No
    }

    /// How much there is to do.
    pub(super) fn load(&mut self, now: Instant) -> Load {
        let waiting = self.queue.due_len(now);
        let (depths, adds) = (self.queue.depths(), self.queue.adds());
        Load {
            waiting,
            depths,
            adds,
            scheduled: self.queue.delayed_len(),
            held: self.held.len(),
            remembered: self.records.len(),
        }
    }

    fn has_slot(&self) -> bool {
        self.settings.slots.is_none_or(|slots| self.running < slots)
    }

    fn forget_if_blank(&mut self, key: &Key) {
        if self.records.get(key).is_some_and(Record::is_blank) {
            self.records.remove(key);
        }
    }

    /// What ran is remembered for a while, because its run may have seen more than the watches.
    fn sweep_later(&mut self, now: Instant) {
        if !self.records.is_empty() {
            self.sweep_due.get_or_insert(now + RECORD_PATIENCE);
        }
    }

    /// Forgets the records of which nothing is of interest any more, once there are many.
    fn sweep_many(&mut self, now: Instant, view: &impl View) {
        if self.records.len() > 2 * self.records_kept + RECORDS_UNSWEPT {
            self.sweep(now, view);
        }
    }

    /// Forgets them if they were left for long.
    fn sweep_old(&mut self, now: Instant, view: &impl View) {
        if self.sweep_due.is_some_and(|due| due <= now) {
            self.sweep(now, view);
            // What ran shortly before has its turn next time.
            let unsure_since = view.unsure_since().unwrap_or(now);
            let is_recent = |record: &Record<D>| record.may_have_seen_more_than(unsure_since);
            self.sweep_due = self.records.values().any(is_recent).then(|| now + RECORD_PATIENCE);
        }
    }

    fn sweep(&mut self, now: Instant, view: &impl View) {
        let unsure_since = view.unsure_since().unwrap_or(now);
        self.records.retain(|_, record| !record.is_idle(now, unsure_since));
        self.records_kept = self.records.len();
        if self.records.capacity() > 4 * self.records_kept + RECORDS_UNSWEPT {
            self.records.shrink_to(2 * self.records_kept);
        }
    }
}

fn later(now: Instant, delay: Duration) -> Instant {
    now + delay.min(DELAY_MAX)
}
