//! What goes into the machine and what comes out of it.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use pintle_client::client::writes::Write;
use tokio::time::Instant;

use super::loop_detector::{LoopReport, Object};
use super::pending_deletes::PendingDelete;
use crate::controller::permit::Scope;
use crate::controller::reconciler::action::Next;
use crate::controller::source::Wake;
use crate::controller::source::trigger::Cause;
use crate::reflector::Key;

/// What happened.
#[derive(Clone, Debug)]
pub(in crate::controller) enum Input<D> {
    /// Time has passed, or a slot may be free: whatever is due starts.
    Tick,
    /// A watch or a stream wakes a key.
    Woken(Wake),
    /// All keys of the store are woken.
    WokenAll,
    /// The controller's own object of this name is gone; this is how it was last known.
    Lost(Key, D),
    /// A list is complete, and its watch may have missed what came and went since then.
    Unsure(Instant),
    /// The first list of a source is complete.
    Synced(usize),
    /// A source may not be watched, or its kind does not exist.
    Refused(usize),
    /// The store that the program fills is ready.
    StoreReady,
    /// What these keys waited for may have been seen.
    Seen(Vec<Key>),
    /// What a suspected loop wrote to looks like this now.
    Shown(Key, Object, Bytes),
    /// A reconcile could not begin, because the object cannot be read.
    Unreadable(Key),
    /// A reconcile could not begin, because the store does not have the object any more.
    Vanished(Key, Cause),
    /// A run has ended.
    Ended(Ended<D>),
    /// No source will bring anything any more.
    SourcesEnded,
    /// The store that the program fills will never be ready.
    StoreDropped,
    /// These may be reconciled from now on, and no others.
    Permitted(Scope),
    /// What was cut off had written this before.
    Wrote(Key, Vec<Write>),
    /// Nothing more is to be started.
    Stop,
    /// What runs is cut off, too.
    StopNow,
}

/// A run that has ended.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Ended<D> {
    pub(in crate::controller) key: Key,
    pub(in crate::controller) work: Work<D>,
    pub(in crate::controller) result: RunResult,
    /// When to look again, as the reconciler or its policy says.
    pub(in crate::controller) next: Next,
    /// Between 0 and 1, for the jitter of a delay.
    pub(in crate::controller) random: f64,
}

/// What was run.
#[derive(Clone, Debug)]
pub(in crate::controller) enum Work<D> {
    /// A reconcile.
    Reconcile {
        /// Of which object.
        uid: Option<String>,
        /// What it wrote.
        writes: Vec<Write>,
        /// Those of its writes that changed something the controller watches.
        changes: Vec<Write>,
    },
    /// The handler of a delete.
    Delete(PendingDelete<D>),
    /// A delete without a handler, or whose object cannot be read.
    Nothing,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::controller) enum RunResult {
    Succeeded,
    /// Trying again may succeed.
    Failed,
    /// Trying again cannot succeed.
    FailedForGood,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(in crate::controller) enum Output<D> {
    /// Reconcile this object. Every one of these is answered by `Ended`, `Unreadable` or `Vanished`.
    Reconcile {
        key: Key,
        cause: Cause,
        /// 1 for the first attempt.
        attempt: u32,
        /// For how long it was due.
        waited: Duration,
        /// Set if its writes are to be kept with their bodies: the objects to be shown first.
        suspected: Option<Vec<Object>>,
    },
    /// Handle this delete. Every one of these is answered by `Ended`.
    HandleDelete(Key, PendingDelete<D>),
    /// End what runs under this key: it may not be reconciled any more. It is not answered.
    CutOff(Key),
    /// Feed `Seen` with the key once a watch may have shown the write. In a box, so that the outputs of a reconcile that
    /// writes nothing stay small.
    Await(Key, Box<Write>),
    /// The key does not wait for any write any more.
    StopAwaiting(Key),
    /// The bodies of these objects need not be kept any more: no loop is suspected of writing them.
    Cleared(BTreeSet<Object>),
    /// What follows from a run that has ended: it is tried again after so long, or waits for a change.
    Scheduled(Option<Duration>),
    /// For the log and the metrics.
    Report(Report),
}

/// What is worth a line in the log or a count.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::controller) enum Report {
    /// A key waits until its own writes are seen.
    Held,
    /// It waited too long.
    HoldExpired(Key),
    /// A reconciler keeps waking itself.
    Loop(Box<LoopReport>),
    /// A terminal error is not tried again.
    Terminal,
    /// A kind is not waited for, because it may not be watched or does not exist.
    KindRefused(String),
    /// A kind is not waited for any longer.
    KindGivenUp(String),
    /// A delete is not handled, because too many of its name wait.
    DeleteGivenUp(Key),
    /// A key was woken and its object is not there.
    NotFound(Key),
    /// The store that the program fills is not ready, and should be.
    StoreNotReady,
}

/// What the machine may look at.
pub(in crate::controller) trait View {
    /// The key under which the store has the object: `key`, or the same without its namespace.
    fn resolve(&self, key: &Key) -> Option<Key>;
    /// The identity of the object under `key`.
    fn uid(&self, key: &Key) -> Option<String>;
    /// Whether the store is filled.
    fn is_ready(&self) -> bool;
    /// Every key of the store.
    fn keys(&self) -> Vec<Key>;
    /// Whether a watch is expected to show `write` and has not.
    fn is_unseen(&self, write: &Write) -> bool;
    /// The first moment of which one of the watches cannot be sure.
    fn unsure_since(&self) -> Option<Instant>;
}
