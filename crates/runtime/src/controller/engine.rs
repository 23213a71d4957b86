//! The one loop of a running controller: it performs what the [`Machine`](super::machine::Machine) decides.
//!
//! ```text
//!   sources ──► Input ──► Machine ──► Output ──► reconciler ──Ended──┐
//!                 ▲                     └──────► log, metrics        │
//!                 └──────────────────────────────────────────────────┘
//! ```
//!
//! Six causes of work, in this order: a wish to stop, a change of what may be reconciled, a store that became ready, a watch
//! that brought something, a reconcile that ended, a moment that was waited for. No channel leads from here back to here. The clock is read and
//! random numbers are drawn here and nowhere else. Beginning and ending reconciles is in `engine/runs.rs`, what is logged
//! and emitted about them in `engine/reports.rs`.

mod reports;
mod run;
mod runs;
mod spares;

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use futures::stream::{FuturesUnordered, Stream, StreamExt};
use pintle_client::client::writes::Write;
use pintle_core::Resource;
use pintle_core::reference::ObjectRef;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::config::Config;
use super::machine::{Input, Machine, Output, View};
use super::metrics::{Count, Metrics};
use super::permit::Follower;
use super::probes::heartbeat::{HEARTBEAT, Heartbeat};
use super::reconciler::action::Action;
use super::reconciler::error::{Error, RunnerError};
use super::reconciler::handlers::{Ended, Reconciles};
use super::shutdown::{Phase, Shutdown};
use super::source::watch_progress::WatchProgresses;
use super::source::{Triggered, is_refused};
use crate::reflector::{Entry, Key, Store, WriterDropped};
use crate::watcher;
use run::Run;
use spares::Spares;

/// An item of a controller's stream.
pub(super) type Item<K, E, Q> = Result<(ObjectRef<K>, Action), Error<E, Q>>;

/// The parts of a controller that is about to run.
pub(super) struct Parts<K: Resource, S> {
    /// The kind; known by the time a key is woken.
    pub(super) dyntype: Arc<OnceLock<K::DynamicType>>,
    pub(super) store: Store<K>,
    /// What wakes, each with the number of its source.
    pub(super) sources: S,
    /// The kinds of the sources that are waited for, by number.
    pub(super) awaited: BTreeMap<usize, String>,
    /// Whether the program fills the store.
    pub(super) awaits_store: bool,
    /// Whether there is more than its own objects that wakes, so that one version is likely to be reconciled more than once.
    pub(super) comes_back: bool,
    pub(super) config: Config,
    pub(super) shutdown: Shutdown,
    pub(super) metrics: Metrics,
    /// Held as long as it runs.
    pub(super) life: Option<Arc<()>>,
    pub(super) heartbeat: Heartbeat,
    /// How far its own watches have come.
    pub(super) progress: WatchProgresses,
    /// What says which objects may be reconciled, if anything does.
    pub(super) permits: Option<Follower>,
}

/// Turns the error of a watch into one of a stream whose errors are `Q`s; `None` if there is none for it.
pub(super) type ToQueueError<Q> = fn(watcher::Error) -> Option<Q>;

/// What a source brought, and which one.
type News<K, Q> = (usize, Result<Triggered<K, Q>, Q>);

/// `F` is `R::Future`, under a name of its own: programs spawn controllers from generic functions, and there the compiler
/// cannot show that a stream is `Send` if what is inside is only known through what a reconciler promises.
pub(super) struct Engine<K: Resource, S, R, F, E: 'static, Q: 'static> {
    dyntype: Arc<OnceLock<K::DynamicType>>,
    store: Store<K>,
    config: Config,
    shutdown: Shutdown,
    sources: Pin<Box<S>>,
    has_sources: bool,
    machine: Machine<Entry<K>>,
    progress: WatchProgresses,
    permits: Option<Follower>,
    running: FuturesUnordered<Run<K, F>>,
    spares: Spares<K>,
    comes_back: bool,
    items: VecDeque<Item<K, E, Q>>,
    to_queue_error: ToQueueError<Q>,
    reconciler: R,
    metrics: Metrics,
    heartbeat: Heartbeat,
    /// A place for each write of a reconciler that may be under way, if that is limited.
    write_places: Option<Arc<Semaphore>>,
    _life: Option<Arc<()>>,
}

/// Enough that what a turn costs is little beside them, and so few that neither what has ended nor a request to stop waits for long.
const NEWS_PER_TURN: u32 = 32;

impl<K, S, R, F, E, Q> Engine<K, S, R, F, E, Q>
where
    K: Resource + 'static,
    K::DynamicType: Clone,
    S: Stream<Item = News<K, Q>>,
    R: Reconciles<K, E, Future = F>,
    F: Future<Output = Ended<E>>,
    E: std::error::Error + 'static,
    Q: std::error::Error + 'static,
{
    pub(super) fn new(parts: Parts<K, S>, to_queue_error: ToQueueError<Q>, reconciler: R) -> Self {
        parts.heartbeat.lock().limit(parts.config.limits());
        parts.metrics.set(Count::SlotsMax, parts.config.concurrency_max().unwrap_or_default());
        let settings = parts.config.settings(reconciler.wants_deletes());
        Self {
            machine: Machine::new(settings, parts.awaited, parts.awaits_store, Instant::now()),
            dyntype: parts.dyntype,
            store: parts.store,
            write_places: parts.config.write_places(),
            config: parts.config,
            shutdown: parts.shutdown,
            sources: Box::pin(parts.sources),
            has_sources: true,
            progress: parts.progress,
            permits: parts.permits,
            running: FuturesUnordered::new(),
            spares: Spares::new(Instant::now()),
            comes_back: parts.comes_back,
            items: VecDeque::new(),
            to_queue_error,
            reconciler,
            metrics: parts.metrics,
            heartbeat: parts.heartbeat,
            _life: parts.life,
        }
    }

    /// The next item of the stream; `None` once the controller has stopped.
    pub(super) async fn next(&mut self) -> Option<Item<K, E, Q>> {
        loop {
            self.feed_permitted();
            self.finish_ended();
            self.feed_seen();
            self.feed(Input::Tick);
            self.publish();
            if let Some(item) = self.items.pop_front() {
                return Some(item);
            }
            if self.machine.is_over(Instant::now()) {
                return None;
            }
            self.wait().await;
        }
    }

    /// Waits for one of the causes of work and takes it in.
    async fn wait(&mut self) {
        let is_running = self.shutdown.phase() == Phase::Running;
        let awaits_store = self.machine.awaits_store();
        let alarm = self.next_alarm();
        // To stop comes first. News come before what ended, because whatever has ended by then is taken in each round
        // anyway: neither a flood of news nor one of short reconciles keeps the other waiting.
        tokio::select! {
            biased;
            () = self.shutdown.advance() => self.stop(),
            () = changed(&mut self.permits) => {}
            ready = self.store.wait_until_ready(), if awaits_store => self.store_opened(ready),
            news = self.sources.next(), if is_running && self.has_sources => if self.take_news(news) {
                tokio::task::yield_now().await;
            },
            Some(ended) = self.running.next(), if !self.running.is_empty() => self.left(ended),
            () = tokio::time::sleep_until(alarm) => {}
        }
    }

    /// Lets the machine take `input`, and does what it says.
    fn feed(&mut self, input: Input<Entry<K>>) {
        for output in self.ask(input) {
            self.perform(output);
        }
    }

    fn ask(&mut self, input: Input<Entry<K>>) -> Vec<Output<Entry<K>>> {
        let known = Known { store: &self.store, progress: &self.progress };
        self.machine.on(input, Instant::now(), &known)
    }

    fn perform(&mut self, output: Output<Entry<K>>) {
        match output {
            Output::Reconcile { key, cause, attempt, waited, suspected } => {
                self.metrics.waited(waited);
                self.reconcile(key, cause, attempt, suspected);
            }
            Output::HandleDelete(key, delete) => self.handle_delete(key, delete),
            Output::CutOff(key) => self.cut(&key),
            Output::Await(key, write) => self.progress.notify_when_shown(&key, &write),
            Output::StopAwaiting(key) => self.progress.stop_waiting(&key),
            Output::Cleared(objects) => objects.iter().for_each(|object| self.progress.forget_suspect(object)),
            Output::Scheduled(_) => {}
            Output::Report(report) => self.report(report),
        }
    }

    fn stop(&mut self) {
        match self.shutdown.phase() {
            Phase::Running => {}
            Phase::Stopping(_) => self.feed(Input::Stop),
            Phase::Stopped => {
                self.cut_off();
                self.feed(Input::StopNow);
            }
        }
    }

    fn end_sources(&mut self) {
        self.has_sources = false;
        self.feed(Input::SourcesEnded);
    }

    /// The store that the program fills is ready, or never will be.
    fn store_opened(&mut self, ready: Result<(), WriterDropped>) {
        match ready {
            Ok(()) => self.feed(Input::StoreReady),
            Err(dropped) => {
                self.items.push_back(Err(Error::RunnerError(RunnerError::Readiness(dropped))));
                self.has_sources = false;
                self.feed(Input::StoreDropped);
            }
        }
    }

    fn finish_ended(&mut self) {
        while let Some(Some(ended)) = self.running.next().now_or_never() {
            self.left(ended);
        }
    }

    /// Takes in what may be reconciled from now on.
    fn feed_permitted(&mut self) {
        for scope in self.permits.as_mut().map(Follower::news).unwrap_or_default() {
            self.feed(Input::Permitted(scope));
        }
    }

    /// Ends what runs under `key`; it leaves as soon as it is looked at.
    fn cut(&mut self, key: &Key) {
        let mut writes = Vec::new();
        for run in Pin::new(&self.running).iter_pin_ref() {
            if let Some(ticket) = run.ticket().filter(|ticket| ticket.key == *key) {
                writes.extend(ticket.writes.take());
                run.cut();
            }
        }
        self.heartbeat.lock().ended(key);
        self.feed(Input::Wrote(key.clone(), writes));
    }

    fn feed_seen(&mut self) {
        let seen = self.progress.take_shown();
        if !seen.is_empty() {
            self.feed(Input::Seen(seen));
        }
    }

    /// Notes that the loop turns, and how much there is to do.
    fn publish(&mut self) {
        let now = Instant::now();
        self.heartbeat.lock().beat(now);
        self.spares.rest(now);
        self.report_overdue(now);
        let load = self.machine.load(now);
        self.metrics.queued(&load.depths, load.adds);
        self.metrics.set(Count::Waiting, load.waiting);
        self.metrics.set(Count::Scheduled, load.scheduled);
        self.metrics.set(Count::Holding, load.held);
        self.metrics.set(Count::Remembered, load.remembered);
        self.metrics.set(Count::Running, self.running.len());
        self.metrics.set(Count::Overdue, self.heartbeat.lock().overdue_count());
    }

    /// Takes in what the sources bring, and what they have ready beside it: a watch brings many events at once, and a turn of the
    /// loop for each would cost more than the events. Returns whether one of them has more that it did not get to.
    fn take_news(&mut self, mut news: Option<News<K, Q>>) -> bool {
        for taken in 1.. {
            let Some((source, triggered)) = news else {
                self.end_sources();
                break;
            };
            let has_more = triggered.as_ref().is_ok_and(|triggered| triggered.has_more);
            self.take(source, triggered);
            if has_more || taken == NEWS_PER_TURN {
                return has_more;
            }
            // What is not ready is polled again in the next turn, and wakes the controller then.
            match self.sources.next().now_or_never() {
                Some(next) => news = next,
                None => break,
            }
        }
        false
    }

    /// Takes in what a source brought.
    fn take(&mut self, source: usize, triggered: Result<Triggered<K, Q>, Q>) {
        match triggered {
            Ok(triggered) => {
                let Triggered {
                    wakes,
                    deleted,
                    errors,
                    wakes_all,
                    unsure_since,
                    is_list_complete,
                    is_refused,
                    has_more: _,
                } = triggered;
                deleted.into_iter().for_each(|(key, last)| self.feed(Input::Lost(key, last)));
                wakes.into_iter().for_each(|wake| self.feed(Input::Woken(wake)));
                unsure_since.into_iter().for_each(|since| self.feed(Input::Unsure(since)));
                if wakes_all {
                    self.feed(Input::WokenAll);
                }
                errors.into_iter().for_each(|error| self.report_source_error(error));
                if is_list_complete {
                    self.feed(Input::Synced(source));
                }
                if is_refused {
                    self.feed(Input::Refused(source));
                }
            }
            Err(error) => {
                if is_refused(&error) {
                    self.feed(Input::Refused(source));
                }
                self.items.push_back(Err(Error::QueueError(error)));
            }
        }
    }

    /// When the next moment comes that is waited for: the next heartbeat at the latest.
    fn next_alarm(&self) -> Instant {
        let heartbeat = Instant::now() + HEARTBEAT;
        let guard = self.permits.as_ref().and_then(Follower::deadline);
        let alarms = [self.machine.next_tick(), self.heartbeat.lock().next_overdue(), guard];
        alarms.into_iter().flatten().fold(heartbeat, Instant::min)
    }

    /// The kind of the controller's objects.
    fn dyntype(&self) -> K::DynamicType {
        self.dyntype.get().expect("the source that wakes a key knows the kind").clone()
    }
}

/// Waits until something else may be reconciled.
async fn changed(permits: &mut Option<Follower>) {
    match permits {
        Some(permits) => permits.changed().await,
        None => std::future::pending().await,
    }
}

/// What the machine may look at: the store and the watches.
struct Known<'a, K: Resource + 'static> {
    store: &'a Store<K>,
    progress: &'a WatchProgresses,
}

impl<K> View for Known<'_, K>
where
    K: Resource + 'static,
    K::DynamicType: Clone,
{
    fn resolve(&self, key: &Key) -> Option<Key> {
        self.store.resolve(key.clone())
    }

    fn uid(&self, key: &Key) -> Option<String> {
        self.store.entry_by(key)?.uid()
    }

    fn is_ready(&self) -> bool {
        self.store.is_ready()
    }

    fn keys(&self) -> Vec<Key> {
        self.store.scan().iter().map(Entry::key).collect()
    }

    fn is_unseen(&self, write: &Write) -> bool {
        self.progress.is_unseen(write)
    }

    fn unsure_since(&self) -> Option<Instant> {
        self.progress.unsure_since()
    }
}
