//! The one loop that owns everything a running controller is made of.
//!
//! ```text
//!   sources ──Woken──► queue ──key──► store ──Arc<K>──► reconciler (a task each) ──Finished──┐
//!                        ▲                                                                   │
//!                        └──────────────────────── Action ◄──────────────────────────────────┘
//! ```
//!
//! Four causes of work, in this order: a wish to stop, a watch that brought something, a reconcile that ended, a key
//! that became due. No channel leads from here back to here. One key never runs twice at once, the queue sees to it.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::future::{TryFuture, TryFutureExt};
use futures::stream::{SelectAll, StreamExt};
use pintle_client::Error as ClientErr;
use pintle_core::{ObjectRef, Resource};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;
use tracing::Instrument;

use super::action::{Action, Next};
use super::config::Config;
use super::error::{Error, RunnerError};
use super::queue::Queue;
use super::retries::Retries;
use super::shutdown::{Phase, Shutdown};
use super::source::{Source, Woken};
use crate::reflector::{Key, Store};
use crate::watcher::{self, undecodable};

/// What the stream of a controller tells.
pub(super) type Told<K, E> = Result<(ObjectRef<K>, Action), Error<E, watcher::Error>>;

/// The parts of a controller that is about to run.
pub(super) struct Parts<K: Resource> {
    pub(super) dyntype: K::DynamicType,
    pub(super) store: Store<K>,
    /// The controller's own watch first.
    pub(super) sources: Vec<Source>,
    pub(super) config: Config,
    pub(super) shutdown: Shutdown,
}

pub(super) struct Engine<K: Resource, F, P, C, E: 'static> {
    dyntype: K::DynamicType,
    store: Store<K>,
    config: Config,
    shutdown: Shutdown,
    sources: SelectAll<Numbered>,
    gate: Gate,
    queue: Queue<Key>,
    retries: Retries,
    running: JoinSet<Result<Action, E>>,
    objects: HashMap<Id, (Key, Arc<K>)>,
    told: VecDeque<Told<K, E>>,
    reconciler: F,
    policy: P,
    context: Arc<C>,
}

type Numbered = futures::stream::BoxStream<'static, (usize, watcher::Result<Woken>)>;

/// What holds reconciles back until enough is known: reconciling before an owned kind has been listed would create what
/// exists.
struct Gate {
    unsynced: BTreeSet<usize>,
    opens: Option<Instant>,
}

/// The number of the controller's own watch.
const MAIN: usize = 0;
/// How long other watches are waited for once the controller's own is ready.
const GATE_PATIENCE: Duration = Duration::from_secs(30);

impl<K, F, Fut, P, C, E> Engine<K, F, P, C, E>
where
    K: Resource + Send + Sync + 'static,
    K::DynamicType: Clone,
    F: FnMut(Arc<K>, Arc<C>) -> Fut,
    Fut: TryFuture<Ok = Action, Error = E> + Send + 'static,
    P: Fn(Arc<K>, &E, Arc<C>) -> Action,
    E: std::error::Error + Send + 'static,
{
    pub(super) fn new(parts: Parts<K>, reconciler: F, policy: P, context: Arc<C>) -> Self {
        let gate = Gate { unsynced: (0..parts.sources.len()).collect(), opens: None };
        let numbered = |(number, source): (usize, Source)| source.map(move |woken| (number, woken)).boxed();
        Self {
            dyntype: parts.dyntype,
            store: parts.store,
            config: parts.config,
            shutdown: parts.shutdown,
            sources: parts.sources.into_iter().enumerate().map(numbered).collect(),
            gate,
            queue: Queue::default(),
            retries: Retries::default(),
            running: JoinSet::new(),
            objects: HashMap::new(),
            told: VecDeque::new(),
            reconciler,
            policy,
            context,
        }
    }

    /// The next thing to tell; `None` once the controller has stopped.
    pub(super) async fn next(&mut self) -> Option<Told<K, E>> {
        loop {
            self.finish_ended();
            self.start_due();
            if let Some(told) = self.told.pop_front() {
                return Some(told);
            }
            match self.shutdown.phase() {
                Phase::Stopped => return None,
                Phase::Stopping(_) if self.running.is_empty() => return None,
                Phase::Running | Phase::Stopping(_) => {}
            }
            let is_running = self.shutdown.phase() == Phase::Running;
            let next_start = self.next_start().filter(|_| is_running);
            // To stop comes first. News come before what ended, because whatever has ended by then is taken in each
            // round anyway: neither a flood of news nor one of short reconciles keeps the other waiting.
            tokio::select! {
                biased;
                () = self.shutdown.advance() => {}
                Some((number, woken)) = self.sources.next(), if is_running => self.wake(number, woken),
                Some(ended) = self.running.join_next_with_id(), if !self.running.is_empty() => self.finish(ended),
                () = sleep_until(next_start) => {}
            }
        }
    }

    fn finish_ended(&mut self) {
        while let Some(ended) = self.running.try_join_next_with_id() {
            self.finish(ended);
        }
    }

    fn wake(&mut self, number: usize, woken: watcher::Result<Woken>) {
        let now = Instant::now();
        match woken {
            Ok(woken) => {
                for key in woken.keys {
                    // An owner that is not there, or not yet, is woken by its own arrival.
                    if let Some(key) = self.store.resolve(key) {
                        self.queue.add(key, later(now, self.config.debounce_period()));
                    }
                }
                woken.gone.iter().for_each(|key| self.retries.forget(key));
                self.told.extend(woken.troubles.into_iter().map(|error| Err(Error::QueueError(error))));
                if woken.completes {
                    self.gate.synced(number, now);
                }
            }
            Err(error) => {
                if is_refused(&error) {
                    self.gate.refused(number);
                }
                self.told.push_back(Err(Error::QueueError(error)));
            }
        }
    }

    /// When a reconcile could start next, if nothing else happens.
    fn next_start(&self) -> Option<Instant> {
        let due = self.queue.next_due().filter(|_| self.has_place())?;
        self.gate.opening().map(|opens| due.max(opens))
    }

    fn has_place(&self) -> bool {
        self.config.concurrency_max().is_none_or(|max| self.running.len() < max)
    }

    fn start_due(&mut self) {
        let now = Instant::now();
        if self.shutdown.phase() != Phase::Running || self.gate.opening().is_none_or(|opens| opens > now) {
            return;
        }
        while self.has_place() {
            let Some(key) = self.queue.pop(now) else { return };
            self.start(key);
        }
    }

    fn start(&mut self, key: Key) {
        match self.store.get_by(&key) {
            Some(Ok(object)) => self.spawn(key, object),
            Some(Err(error)) => {
                self.queue.done(&key);
                self.told.push_back(Err(Error::QueueError(undecodable(&error))));
            }
            None => {
                tracing::debug!(name = %key.name, namespace = ?key.namespace, "gone before it was reconciled");
                self.queue.done(&key);
                self.retries.forget(&key);
            }
        }
    }

    fn spawn(&mut self, key: Key, object: Arc<K>) {
        let reference = ObjectRef::from_obj_with(object.as_ref(), self.dyntype.clone());
        let span = tracing::info_span!("reconciling object", object.ref = %reference);
        let call = || span.in_scope(|| (self.reconciler)(Arc::clone(&object), Arc::clone(&self.context)));
        // What a reconciler does before its first await runs here, and its panic must not end the loop either.
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(future) => {
                let task = self.running.spawn(TryFutureExt::into_future(future).instrument(span));
                self.objects.insert(task.id(), (key, object));
            }
            Err(_) => {
                self.queue.done(&key);
                self.panicked(key, reference);
            }
        }
    }

    fn panicked(&mut self, key: Key, reference: ObjectRef<K>) {
        self.schedule(key, &Action::backoff());
        self.told.push_back(Err(Error::RunnerError(RunnerError::Panicked(Box::new(reference.erase())))));
    }

    fn finish(&mut self, ended: Result<(Id, Result<Action, E>), JoinError>) {
        let (id, outcome) = match ended {
            Ok((id, outcome)) => (id, Some(outcome)),
            Err(error) => (error.id(), None),
        };
        let (key, object) = self.objects.remove(&id).expect("every task was noted when it was spawned");
        let reference = ObjectRef::from_obj_with(object.as_ref(), self.dyntype.clone());
        self.queue.done(&key);
        match outcome {
            Some(Ok(action)) => {
                if action.next() != Next::Backoff {
                    self.retries.forget(&key);
                }
                self.schedule(key, &action);
                self.told.push_back(Ok((reference, action)));
            }
            Some(Err(error)) => {
                let ask = || (self.policy)(object, &error, Arc::clone(&self.context));
                match catch_unwind(AssertUnwindSafe(ask)) {
                    Ok(action) => self.schedule(key, &action),
                    Err(_) => self.panicked(key, reference.clone()),
                }
                self.told.push_back(Err(Error::ReconcilerFailed(error, Box::new(reference.erase()))));
            }
            None => self.panicked(key, reference),
        }
    }

    fn schedule(&mut self, key: Key, action: &Action) {
        let now = Instant::now();
        match action.next() {
            Next::Change => {}
            Next::After(delay) => self.queue.add(key, later(now, delay)),
            Next::Backoff => {
                let delay = self.retries.failed(&key, fastrand::f64());
                self.queue.add(key, later(now, delay));
            }
        }
    }
}

impl Gate {
    fn synced(&mut self, number: usize, now: Instant) {
        self.unsynced.remove(&number);
        if number == MAIN {
            self.opens.get_or_insert(now + GATE_PATIENCE);
        }
        self.open_if_complete(now);
    }

    /// Somebody who may not watch a kind, or whose kind does not exist, is not kept waiting for it.
    fn refused(&mut self, number: usize) {
        if number != MAIN {
            self.unsynced.remove(&number);
            self.open_if_complete(Instant::now());
        }
    }

    fn open_if_complete(&mut self, now: Instant) {
        if self.unsynced.is_empty() {
            self.opens = Some(self.opens.map_or(now, |opens| opens.min(now)));
        }
    }

    /// When it opens, if that is known.
    fn opening(&self) -> Option<Instant> {
        self.opens
    }
}

/// Waits until then; for ever if there is no then.
async fn sleep_until(then: Option<Instant>) {
    match then {
        Some(then) => tokio::time::sleep_until(then).await,
        None => std::future::pending().await,
    }
}

fn is_refused(error: &watcher::Error) -> bool {
    match error {
        watcher::Error::InitialListFailed(ClientErr::Api(status))
        | watcher::Error::WatchStartFailed(ClientErr::Api(status)) => status.is_forbidden() || status.is_not_found(),
        _ => false,
    }
}

/// Half a year: as good as never, and far from what an `Instant` cannot hold.
const DELAY_MAX: Duration = Duration::from_secs(180 * 24 * 60 * 60);

fn later(now: Instant, delay: Duration) -> Instant {
    now + delay.min(DELAY_MAX)
}
