//! The one loop that owns everything a running controller is made of.
//!
//! ```text
//!   sources ──Woken──► queue ──key──► store ──Arc<K>──► reconciler ──Ended──┐
//!                        ▲                                                  │
//!                        └──────────────────── Action ◄─────────────────────┘
//! ```
//!
//! Five causes of work, in this order: a wish to stop, a store that became ready, a watch that brought something, a
//! reconcile that ended, a moment that was waited for. No channel leads from here back to here. One key never runs
//! twice at once, the queue sees to it. Beginning and ending reconciles is in `engine/runs.rs`.

mod failures;
mod run;
mod runs;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt;
use futures::stream::{FuturesUnordered, Stream, StreamExt};
use pintle_client::Error as ClientErr;
use pintle_core::Resource;
use pintle_core::reference::ObjectRef;
use tokio::time::Instant;

use super::action::Action;
use super::config::Config;
use super::error::{Error, RunnerError};
use super::gate::{Gate, MAIN};
use super::gone::Gone;
use super::guard::Guard;
use super::handlers::Reconciles;
use super::holds::Holds;
use super::metrics::{Count, Metrics};
use super::queue::{PRIORITY_LOW, Queue};
use super::recent::Recent;
use super::retries::Retries;
use super::shutdown::{Phase, Shutdown};
use super::sight::Sights;
use super::source::{Wake, Woken};
use super::trigger::Cause;
use super::vitals::{HEARTBEAT, Vitals};
use crate::reflector::{Entry, Key, Store, WriterDropped};
use crate::scheduler::DELAY_MAX;
use crate::watcher;
use run::Run;

/// What the stream of a controller tells.
pub(super) type Told<K, E, Q> = Result<(ObjectRef<K>, Action), Error<E, Q>>;

/// The parts of a controller that is about to run.
pub(super) struct Parts<K: Resource, S> {
    /// The kind; known by the time somebody is woken.
    pub(super) dyntype: Arc<OnceLock<K::DynamicType>>,
    pub(super) store: Store<K>,
    /// What wakes, each with the number of its watch.
    pub(super) sources: S,
    /// The kinds of the watches that are waited for, by number.
    pub(super) awaited: BTreeMap<usize, String>,
    /// Whether somebody else fills the store.
    pub(super) is_foreign: bool,
    pub(super) config: Config,
    pub(super) shutdown: Shutdown,
    pub(super) metrics: Metrics,
    /// Held as long as it runs.
    pub(super) life: Option<Arc<()>>,
    pub(super) vitals: Vitals,
    /// How far its own watches see.
    pub(super) sights: Sights,
}

/// How trouble of a watch is told by a stream whose errors are `Q`s; `None` if they cannot tell it.
pub(super) type Troubled<Q> = fn(watcher::Error) -> Option<Q>;

pub(super) struct Engine<K, S, R, E, Q>
where
    K: Resource,
    R: Reconciles<K, E>,
    E: 'static,
    Q: 'static,
{
    dyntype: Arc<OnceLock<K::DynamicType>>,
    store: Store<K>,
    config: Config,
    shutdown: Shutdown,
    sources: Pin<Box<S>>,
    has_sources: bool,
    /// Set while a store that somebody else fills is waited for: when to mention that.
    awaits_store: Option<AwaitsStore>,
    gate: Gate,
    queue: Queue<Key>,
    /// Why each waiting key waits, the first cause counts, and until when: a delete under its name may come before.
    causes: HashMap<Key, (Cause, Instant)>,
    /// How often a key that must exist was looked for in vain.
    missing: HashMap<Key, u32>,
    gone: Gone<Entry<K>>,
    retries: Retries,
    holds: Holds,
    recent: Recent,
    guard: Guard,
    sights: Sights,
    running: FuturesUnordered<Run<K, R::Future>>,
    told: VecDeque<Told<K, E, Q>>,
    troubled: Troubled<Q>,
    reconciler: R,
    metrics: Metrics,
    vitals: Vitals,
    _life: Option<Arc<()>>,
}

/// How the waiting for a store stands.
#[derive(Clone, Copy)]
enum AwaitsStore {
    /// It is mentioned then.
    Until(Instant),
    /// It was mentioned.
    Told,
}

/// How long a store that somebody else fills may take before it is mentioned.
const READY_PATIENCE: Duration = Duration::from_secs(30);

impl<K, S, R, E, Q> Engine<K, S, R, E, Q>
where
    K: Resource + 'static,
    K::DynamicType: Clone,
    S: Stream<Item = (usize, Result<Woken<K, Q>, Q>)>,
    R: Reconciles<K, E>,
    E: std::error::Error + 'static,
    Q: std::error::Error + 'static,
{
    pub(super) fn new(parts: Parts<K, S>, troubled: Troubled<Q>, reconciler: R) -> Self {
        parts.vitals.lock().limited(parts.config.limits());
        Self {
            guard: Guard::new(parts.config.loop_rounds_max()),
            dyntype: parts.dyntype,
            store: parts.store,
            shutdown: parts.shutdown,
            sources: Box::pin(parts.sources),
            has_sources: true,
            awaits_store: parts.is_foreign.then(|| AwaitsStore::Until(Instant::now() + READY_PATIENCE)),
            gate: Gate::new(parts.awaited),
            queue: Queue::default(),
            causes: HashMap::new(),
            missing: HashMap::new(),
            gone: Gone::default(),
            retries: Retries::new(parts.config.delays()),
            holds: Holds::default(),
            recent: Recent::default(),
            sights: parts.sights,
            running: FuturesUnordered::new(),
            told: VecDeque::new(),
            troubled,
            reconciler,
            config: parts.config,
            metrics: parts.metrics,
            vitals: parts.vitals,
            _life: parts.life,
        }
    }

    /// The next thing to tell; `None` once the controller has stopped.
    pub(super) async fn next(&mut self) -> Option<Told<K, E, Q>> {
        loop {
            self.finish_ended();
            self.start_due();
            self.cut_off();
            self.turn();
            if let Some(told) = self.told.pop_front() {
                return Some(told);
            }
            if self.is_over() {
                return None;
            }
            self.happen().await;
        }
    }

    /// Waits for one of the causes and takes it in.
    async fn happen(&mut self) {
        let is_running = self.shutdown.phase() == Phase::Running;
        let awaits_store = self.awaits_store.is_some();
        let alarm = self.next_alarm(is_running);
        // To stop comes first. News come before what ended, because whatever has ended by then is taken in each round
        // anyway: neither a flood of news nor one of short reconciles keeps the other waiting.
        tokio::select! {
            biased;
            () = self.shutdown.advance() => {}
            ready = self.store.wait_until_ready(), if awaits_store => self.opened(ready),
            news = self.sources.next(), if is_running && self.has_sources => match news {
                Some((number, woken)) => self.take(number, woken),
                None => self.has_sources = false,
            },
            Some(ended) = self.running.next(), if !self.running.is_empty() => self.finish(ended),
            () = tokio::time::sleep_until(alarm) => self.mention_store(),
        }
    }

    /// Whether nothing will ever happen again: it has stopped, or its sources have ended and what they asked for is
    /// done.
    fn is_over(&self) -> bool {
        let is_idle = self.running.is_empty();
        match self.shutdown.phase() {
            Phase::Stopped => true,
            Phase::Stopping(_) => is_idle,
            Phase::Running => {
                let is_due = self
                    .queue
                    .next_due()
                    .is_some_and(|due| due <= later(Instant::now(), self.config.debounce_period()));
                !self.has_sources
                    && is_idle
                    && (!is_due || self.gate.opening().is_none())
                    && self.awaits_store.is_none()
            }
        }
    }

    fn finish_ended(&mut self) {
        while let Some(Some(ended)) = self.running.next().now_or_never() {
            self.finish(ended);
        }
    }

    /// Notes that the loop turns, and what there is to do.
    fn turn(&mut self) {
        let now = Instant::now();
        self.vitals.lock().turned(now);
        self.mention_overdue(now);
        self.metrics.set(Count::Waiting, self.queue.due_len(now));
        self.metrics.set(Count::Scheduled, self.queue.delayed_len());
        self.metrics.set(Count::Running, self.running.len());
        self.metrics.set(Count::Holding, self.holds.len());
        self.metrics.set(Count::Overdue, self.vitals.lock().overdue_count());
    }

    /// The store that somebody else fills is ready, or never will be.
    fn opened(&mut self, ready: Result<(), WriterDropped>) {
        self.awaits_store = None;
        match ready {
            Ok(()) => drop(self.gate.synced(MAIN, Instant::now())),
            Err(dropped) => {
                self.told.push_back(Err(Error::RunnerError(RunnerError::Readiness(dropped))));
                self.has_sources = false;
            }
        }
    }

    /// Says once what is wrong if the store is not ready in time.
    fn mention_store(&mut self) {
        if matches!(self.awaits_store, Some(AwaitsStore::Until(then)) if then <= Instant::now()) {
            self.awaits_store = Some(AwaitsStore::Told);
            tracing::warn!(
                kind = std::any::type_name::<K>(),
                "nothing is reconciled because the store given to the controller is not ready: its Writer must see the \
                 whole stream, as in watcher(…).reflect(writer), and that stream must be the one the controller is \
                 given, or be polled elsewhere"
            );
        }
    }

    /// The kind of the controller's objects.
    fn dyntype(&self) -> K::DynamicType {
        self.dyntype.get().expect("whoever wakes somebody has said the kind").clone()
    }

    /// Takes in what a watch brought.
    fn take(&mut self, number: usize, woken: Result<Woken<K, Q>, Q>) {
        let now = Instant::now();
        match woken {
            Ok(woken) => {
                for (key, entry) in woken.gone {
                    self.lost(key, entry, now);
                }
                for wake in woken.wakes {
                    self.wake(wake, now);
                }
                if let Some(blind) = woken.blind_since {
                    self.look_over(blind, now);
                }
                if woken.wakes_all && self.store.is_ready() {
                    self.wake_all(now);
                }
                for trouble in woken.troubles {
                    self.trouble(trouble);
                }
                // What went before a late list was complete is told by nobody: those who were reconciled without it
                // must look again.
                if woken.completes && self.gate.synced(number, now) {
                    self.wake_all(now);
                }
            }
            Err(error) => {
                if is_refused(&error)
                    && let Some(kind) = self.gate.refused(number, now)
                {
                    tracing::warn!(%kind, %error, "this kind may not be watched or does not exist: reconciles do not wait for it");
                }
                self.told.push_back(Err(Error::QueueError(error)));
            }
        }
    }

    fn wake(&mut self, wake: Wake, now: Instant) {
        // An owner that is not there, or not yet, is woken by its own arrival.
        let key = match self.store.resolve(wake.key.clone()) {
            Some(key) => key,
            None if wake.insists || !self.store.is_ready() => wake.key,
            None => return,
        };
        if wake.insists {
            self.missing.entry(key.clone()).or_default();
        }
        let due = later(now, self.config.debounce_period());
        self.note(&key, wake.cause, due);
        self.guard.woken(&key, wake.origin);
        self.queue.add_with(key, due, wake.priority);
    }

    /// Remembers why a key waits, and until when: the first news count, and they count more than a wish to look again.
    fn note(&mut self, key: &Key, cause: Cause, due: Instant) {
        let Some((known, known_due)) = self.causes.get_mut(key) else {
            self.causes.insert(key.clone(), (cause, due));
            return;
        };
        *known_due = due.min(*known_due);
        if matches!(known, Cause::Again | Cause::Failed) {
            *known = cause;
        }
    }

    fn wake_all(&mut self, now: Instant) {
        for entry in self.store.scan() {
            self.wake_calmly(entry.key(), now);
        }
    }

    /// Wakes who may have seen what a watch did not that was blind since then.
    fn look_over(&mut self, blind: Instant, now: Instant) {
        for key in self.recent.since(blind) {
            self.wake_calmly(key, now);
        }
    }

    fn wake_calmly(&mut self, key: Key, now: Instant) {
        let due = later(now, self.config.debounce_period());
        self.note(&key, Cause::All, due);
        self.queue.add_with(key, due, PRIORITY_LOW);
    }

    /// One of the controller's objects is gone.
    fn lost(&mut self, key: Key, entry: Entry<K>, now: Instant) {
        self.retries.forget(&key);
        self.holds.forget(&key);
        self.sights.let_go(&key);
        self.recent.forget(&key);
        self.guard.forget(&key);
        if self.reconciler.wants_deletes() {
            if self.gone.add(&key, entry, now).is_some() {
                tracing::warn!(%key, "the end of an object is not handled any more: too many of its name are gone since");
            }
            self.queue.add(key, now);
        }
    }

    /// When a reconcile could start next, if nothing else happens.
    fn next_start(&self) -> Option<Instant> {
        let due = self.queue.next_due().filter(|_| self.has_place())?;
        self.gate.opening().map(|opens| due.max(opens))
    }

    /// When the next moment comes that is waited for: the next heartbeat at the latest.
    fn next_alarm(&self, is_running: bool) -> Instant {
        let mention = match self.awaits_store {
            Some(AwaitsStore::Until(then)) => Some(then),
            Some(AwaitsStore::Told) | None => None,
        };
        let work = [self.next_start(), mention, self.holds.next_expiry(), self.queue.next_delayed()];
        let work = work.into_iter().flatten().min().filter(|_| is_running);
        let heartbeat = Instant::now() + HEARTBEAT;
        [work, self.vitals.lock().next_overdue()]
            .into_iter()
            .flatten()
            .min()
            .map_or(heartbeat, |due| due.min(heartbeat))
    }

    fn has_place(&self) -> bool {
        self.config.concurrency_max().is_none_or(|max| self.running.len() < max)
    }
}

/// Whether the server said no to a watch, or has no such kind.
fn is_refused(error: &(dyn std::error::Error + 'static)) -> bool {
    match error.downcast_ref() {
        Some(
            watcher::Error::InitialListFailed(ClientErr::Api(status))
            | watcher::Error::WatchStartFailed(ClientErr::Api(status)),
        ) => status.is_forbidden() || status.is_not_found(),
        _ => false,
    }
}

fn later(now: Instant, delay: Duration) -> Instant {
    now + delay.min(DELAY_MAX)
}
