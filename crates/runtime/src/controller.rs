//! Runs a reconciler for every object that needs it.
//!
//! ```text
//!   watches ──► sources ──► Machine ──► engine ──► reconciler ──► Action
//!                              ▲                                    │
//!                              └────────────────────────────────────┘
//! ```
//!
//! A [`Controller`] watches one kind, and others that concern it, and calls the reconciler with what the store holds
//! whenever something changed, or when the last reconcile asked for it. It says which object, never why: a reconciler
//! that looks at what is cannot miss an event.
//!
//! Reading order: `machine` (pure: which key runs when), `source` (a watch turned into keys, by a `Trigger`), `reconciler`
//! (what the program gives), `engine` (the loop that performs what the machine decides), `probes` and `metrics`. The builder
//! methods are here, in `related` (other kinds) and in `user_streams` (streams that the user brings).

mod applier;
mod config;
mod engine;
mod handle;
mod machine;
mod metrics;
mod permit;
mod probes;
mod reconciler;
mod related;
mod sharing;
mod shutdown;
mod source;
mod user_streams;

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::{TryFuture, TryFutureExt};
use futures::stream::{Stream, StreamExt};
use pintle_client::Api;
use pintle_core::Resource;
use pintle_core::reference::ObjectRef;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

pub use applier::applier;
pub use config::Config;
pub use handle::{Handle, NotWatching, Watch};
pub use machine::loop_detector::{LoopCause, LoopReport};
pub use metrics::{Counts, Metrics};
pub(crate) use permit::KeyShare;
pub use permit::{Permit, Permits};
pub use probes::liveness::Liveness;
pub use probes::readiness::{Readiness, Watched};
pub use reconciler::action::Action;
pub use reconciler::boxed_error::BoxedError;
pub use reconciler::error::{Error, RunnerError, TerminalError};
pub use reconciler::handlers::{DeleteHandler, Handlers, Handling, OnDelete, WithoutDeletes};
pub use reconciler::panics::Panic;
pub use reconciler::policy::{AsyncPolicy, Failed, Failure, FailureCause, OnFailure, WithBackoff};
pub use reconciler::request::{ReconcileReason, ReconcileRequest};
pub use shutdown::signals;
pub use source::changed::Changed;
pub use source::namespaces::Namespaces;
pub use source::trigger::streams::{
    trigger_others, trigger_others_shared, trigger_owners, trigger_owners_shared, trigger_self, trigger_with,
};

/// What [`SharedInformers`] are made of.
pub(crate) mod shared {
    pub(crate) use super::source::fan_out::FanOut;
    pub(crate) use super::source::subscription::{
        DeltaStream, SharedWatch, Subscription, WatchState, WholeEntry, as_they_came,
    };
    pub(crate) use super::source::trigger::Owned;
    pub(crate) use super::source::watch_progress::WatchProgress;
    pub(crate) use super::source::watched_object::WatchedObject;
}

use crate::SharedInformers;
use crate::reflector::{Store, Writer};
use crate::utils::Backoff;
use crate::watcher;
use engine::{Engine, Parts};
use machine::gate::MAIN;
use probes::heartbeat::Heartbeat;
use probes::readiness::KnownStore;
use reconciler::handlers::{Ended, Handled, Plain, Reconciles};
use sharing::Sharing;
use shutdown::Shutdown;
use source::merged::Sources;
use source::namespaces::Bounds;
use source::own_watch::{Order, OwnWatch};
use source::shared_backoff::SharedBackoff;
use source::watch_progress::WatchProgresses;
use source::watched_kind::WatchedKind;
use source::{Source, watches};

/// A controller of objects of kind `K`, to be configured and [`run`](Self::run).
pub struct Controller<K>
where
    K: Resource + Clone + fmt::Debug + 'static,
    K::DynamicType: Eq + Hash,
{
    dyntype: K::DynamicType,
    store: Store<K>,
    /// The same for its readiness.
    known_store: KnownStore,
    main: Planned<K>,
    others: Vec<Planned<K>>,
    changed: Option<Changed>,
    keeps_managed_fields: bool,
    /// Set while its watches are shared with other controllers.
    sharing: Option<Sharing<K>>,
    config: Config,
    backoff: Option<SharedBackoff>,
    shutdown: Shutdown,
    metrics: Metrics,
    permits: Option<Permits>,
    /// What says that it may still run.
    life: Arc<()>,
    heartbeat: Heartbeat,
    handle: Handle<K>,
    added: mpsc::UnboundedReceiver<Source<K>>,
}

/// A source that has not begun; it begins when the controller runs, with all that was configured until then.
struct Planned<K> {
    /// The kind, if reconciles wait for its first list.
    awaited: Option<String>,
    begin: Box<dyn FnOnce(Beginning) -> Source<K> + Send>,
}

/// A store, what will fill it, and how that is ordered about.
type OwnMain<K> = (Store<K>, Planned<K>, mpsc::UnboundedSender<Order<K>>);

/// What a source gets when it begins.
struct Beginning {
    backoff: Option<SharedBackoff>,
    /// For the controller's own objects.
    changed: Option<Changed>,
    /// For the controller's own objects.
    keeps_managed_fields: bool,
    /// Where its progress is filed.
    progress: WatchProgresses,
    /// Which namespaces it looks at.
    bounds: Bounds,
    /// Who has the watches that it shares.
    informers: Option<SharedInformers>,
}

impl<K> Controller<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
    K::DynamicType: Eq + Hash + Clone,
{
    /// A controller of the objects of `main_api` that `wc` selects.
    #[must_use]
    pub fn new(main_api: Api<K>, wc: watcher::Config) -> Self
    where
        K::DynamicType: Default,
    {
        Self::new_with(main_api, wc, K::DynamicType::default())
    }

    /// As [`new`](Self::new), for a kind known only at run time.
    #[must_use]
    pub fn new_with(main_api: Api<K>, wc: watcher::Config, dyntype: K::DynamicType) -> Self {
        let (store, main, orders) = Self::own_main(main_api, wc, &dyntype);
        Self::of(dyntype, store, main, orders)
    }

    /// The store of its objects, filled by a watch of its own, and how that is ordered about.
    fn own_main(main_api: Api<K>, wc: watcher::Config, dyntype: &K::DynamicType) -> OwnMain<K> {
        let (writer, kind) = (Writer::new(dyntype.clone()), dyntype.clone());
        let store = writer.as_reader();
        let (orders, received) = mpsc::unbounded_channel();
        let begin = move |beginning: Beginning| {
            let watched = WatchedKind::new::<K>(&kind, beginning.changed);
            let (progress, bound) = (beginning.progress.add(&watched.kind), beginning.bounds.follow());
            let watch = OwnWatch::new(main_api, wc, Some(received), beginning.backoff, progress, bound);
            let writer = if beginning.keeps_managed_fields { writer.with_managed_fields() } else { writer };
            watches::main(watch, writer, watched)
        };
        let awaited = Some(K::kind(dyntype).into_owned());
        (store, Planned { awaited, begin: Box::new(begin) }, orders)
    }

    fn of(dyntype: K::DynamicType, store: Store<K>, main: Planned<K>, orders: mpsc::UnboundedSender<Order<K>>) -> Self {
        let (adding, added) = mpsc::unbounded_channel();
        Self {
            handle: Handle {
                main: orders,
                added: adding,
                dyntype: dyntype.clone(),
                progress: WatchProgresses::default(),
                bounds: Bounds::default(),
            },
            dyntype,
            known_store: KnownStore::new(&store),
            store,
            main,
            others: Vec::new(),
            changed: None,
            keeps_managed_fields: false,
            sharing: None,
            config: Config::default(),
            backoff: None,
            shutdown: Shutdown::default(),
            metrics: Metrics::default(),
            permits: None,
            life: Arc::default(),
            heartbeat: Heartbeat::default(),
            added,
        }
    }

    /// How it runs.
    #[must_use]
    pub fn with_config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Works in these namespaces alone: its own objects, those they own and those it watches are looked at there and
    /// nowhere else. One watch for each kind serves them all; what the server can select it does.
    /// [`Handle::namespaces`] changes that while it runs. Streams that it was given stay as they are.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "a builder takes what it is given")]
    pub fn namespaces(self, namespaces: Namespaces) -> Self {
        let alone = self.without_sharing();
        alone.handle.bounds.set(&namespaces);
        alone
    }

    /// Waits after errors of its watches as `backoff` says, each watch by itself, and ends a watch where that ends.
    /// Unless set: 800 ms, doubled up to 30 s.
    #[must_use]
    pub fn trigger_backoff(self, backoff: impl Backoff + 'static) -> Self {
        Self { backoff: Some(SharedBackoff::new(backoff)), ..self.without_sharing() }
    }

    /// Reconciles an object only when this of it has changed; its arrival, its deletion, another object under its name and
    /// whatever follows a version that could not be read always count. A controller that was given a stream filters that instead.
    #[must_use]
    pub fn only_when(mut self, changed: Changed) -> Self {
        self.changed = Some(changed);
        self
    }

    /// Lets its objects have their `metadata.managedFields`, which are otherwise not decoded: they cost as much as the
    /// rest of most objects. A controller that was given a stream has what the stream has.
    #[must_use]
    pub fn with_managed_fields(mut self) -> Self {
        self.keeps_managed_fields = true;
        self.share_again()
    }

    /// Reconciles only what `permits` says, from now on and whenever that changes; its watches and stores do not depend on
    /// that. This is how a replica that does not lead stands by with everything it needs to take over.
    #[must_use]
    pub fn permitted_by(mut self, permits: &Permits) -> Self {
        self.permits = Some(permits.clone());
        self
    }

    /// Reconciles everything at once and always, on every replica, though the manager it was made by has a lease.
    #[must_use]
    pub fn without_leader(mut self) -> Self {
        self.permits = None;
        self
    }

    /// The store of its objects.
    pub fn store(&self) -> Store<K> {
        self.store.clone()
    }

    /// What it counts.
    pub fn metrics(&self) -> Metrics {
        let (heartbeat, progress) = (self.heartbeat.clone(), self.handle.progress.clone());
        self.metrics.clone().looking_at(heartbeat, progress, self.known_store.clone())
    }

    /// Whether it is ready, and which of its watches is refused, since when and why: for probes, now and while it runs.
    pub fn readiness(&self) -> Readiness {
        Readiness {
            progress: self.handle.progress.clone(),
            store: self.known_store.clone(),
            heartbeat: self.heartbeat.clone(),
            life: Arc::downgrade(&self.life),
        }
    }

    /// Whether it can still do anything: for liveness probes, now and while it runs.
    pub fn liveness(&self) -> Liveness {
        Liveness { heartbeat: self.heartbeat.clone(), life: Arc::downgrade(&self.life) }
    }

    /// Changes what it watches while it runs.
    pub fn handle(&self) -> Handle<K> {
        self.handle.clone()
    }

    /// Stops when `trigger` ends: no new reconciles begin, and the stream ends when those that run have ended. They have 30
    /// seconds for that, or as long as [`graceful_shutdown_timeout`](Self::graceful_shutdown_timeout) says.
    #[must_use]
    pub fn graceful_shutdown_on(mut self, trigger: impl Future<Output = ()> + Send + Sync + 'static) -> Self {
        self.shutdown.gently_on(trigger);
        self
    }

    /// How long running reconciles have to end when the controller stops: 30 seconds unless set, which is what Kubernetes
    /// gives a pod; `None` for as long as they take, as in kube. What has not ended by then is cut off: it is dropped,
    /// logged by name at `warn`, and comes out of the stream as [`RunnerError::CutOff`].
    #[must_use]
    pub fn graceful_shutdown_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.shutdown.within(timeout.into().unwrap_or(Duration::MAX));
        self
    }

    /// Stops on SIGINT or SIGTERM as by [`graceful_shutdown_on`](Self::graceful_shutdown_on), and at once on a second: what
    /// runs then is cut off.
    #[must_use]
    pub fn shutdown_on_signal(mut self) -> Self {
        self.shutdown.gently_on(signals(1));
        self.shutdown.promptly_on(signals(2));
        self
    }

    /// Runs `reconciler`; the stream must be polled for anything to happen, and has an item for every reconcile and error.
    /// Errors are logged as well, with the object, the attempt and the next try, unless
    /// [`Config::log_failures`] says that the program does it.
    ///
    /// `error_policy` says when to try again after an error; [`Action::backoff`] is a good answer.
    /// [`run_with`](Self::run_with) is the same with more: no policy or one that awaits, and deletes.
    pub fn run<ReconcilerFut, Ctx>(
        self,
        reconciler: impl FnMut(Arc<K>, Arc<Ctx>) -> ReconcilerFut,
        error_policy: impl Fn(Arc<K>, &ReconcilerFut::Error, Arc<Ctx>) -> Action,
        context: Arc<Ctx>,
    ) -> impl Stream<Item = Result<(ObjectRef<K>, Action), Error<ReconcilerFut::Error, watcher::Error>>>
    where
        ReconcilerFut: TryFuture<Ok = Action> + Send + 'static,
        ReconcilerFut::Error: std::error::Error + Send + 'static,
    {
        self.reconcile(Plain { reconciler, policy: error_policy, context })
    }

    /// Runs `handlers`, as [`run`](Self::run) does: a reconciler, and if they are given a handler of deletes and a
    /// policy that may await and sees how often an object has failed. Without a policy failures are retried after a
    /// delay per object that doubles.
    pub fn run_with<ReconcilerFut, Ctx, F, D, P>(
        self,
        handlers: Handlers<F, D, P>,
        context: Arc<Ctx>,
    ) -> impl Stream<Item = Result<(ObjectRef<K>, Action), Error<ReconcilerFut::Error, watcher::Error>>>
    where
        F: FnMut(Arc<K>, Arc<Ctx>) -> ReconcilerFut,
        ReconcilerFut: TryFuture<Ok = Action> + Send + 'static,
        ReconcilerFut::Error: std::error::Error + Send + Sync + 'static,
        D: DeleteHandler<K, Ctx, ReconcilerFut::Error>,
        P: for<'a> AsyncPolicy<'a, K, ReconcilerFut::Error, Ctx>,
        Ctx: Send + Sync + 'static,
    {
        self.reconcile(Handled::new(handlers, context))
    }

    /// As [`run`](Self::run), for a reconciler whose error is anything that can be boxed, `anyhow::Error` or
    /// `Box<dyn Error + Send + Sync>` itself: `run` takes only what implements [`std::error::Error`], as in kube.
    pub fn run_boxed<ReconcilerFut, Ctx>(
        self,
        mut reconciler: impl FnMut(Arc<K>, Arc<Ctx>) -> ReconcilerFut,
        error_policy: impl Fn(Arc<K>, &BoxedError, Arc<Ctx>) -> Action,
        context: Arc<Ctx>,
    ) -> impl Stream<Item = Result<(ObjectRef<K>, Action), Error<BoxedError, watcher::Error>>>
    where
        ReconcilerFut: TryFuture<Ok = Action> + Send + 'static,
        ReconcilerFut::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
    {
        let reconciler = move |object, context| reconciler(object, context).map_err(BoxedError::new);
        self.reconcile(Plain { reconciler, policy: error_policy, context })
    }

    fn reconcile<R, F, E>(
        self,
        reconciler: R,
    ) -> impl Stream<Item = Result<(ObjectRef<K>, Action), Error<E, watcher::Error>>>
    where
        R: Reconciles<K, E, Future = F>,
        F: Future<Output = Ended<E>>,
        E: std::error::Error + 'static,
    {
        let is_foreign = self.main.awaited.is_none();
        let comes_back = !self.others.is_empty();
        let mut awaited = BTreeMap::from([(MAIN, K::kind(&self.dyntype).into_owned())]);
        let mut begun = Vec::with_capacity(1 + self.others.len());
        for (number, planned) in std::iter::once(self.main).chain(self.others).enumerate() {
            awaited.extend(planned.awaited.map(|kind| (number, kind)));
            let changed = self.changed.clone().filter(|_| number == MAIN);
            let (keeps_managed_fields, backoff) = (self.keeps_managed_fields, self.backoff.clone());
            let (progress, bounds) = (self.handle.progress.clone(), self.handle.bounds.clone());
            let informers = self.sharing.as_ref().map(Sharing::informers);
            let beginning = Beginning { backoff, changed, keeps_managed_fields, progress, bounds, informers };
            begun.push((planned.begin)(beginning));
        }
        let progress = self.handle.progress.clone();
        // What can still be added is added by handles that the user took.
        drop(self.handle);
        let parts = Parts {
            dyntype: Arc::new(OnceLock::from(self.dyntype)),
            store: self.store,
            sources: Sources::new(begun, self.added),
            awaited,
            awaits_store: is_foreign,
            comes_back,
            config: self.config,
            shutdown: self.shutdown,
            metrics: self.metrics,
            life: Some(self.life),
            heartbeat: self.heartbeat,
            progress,
            permits: self.permits.as_ref().map(Permits::follow),
        };
        items(Engine::new(parts, Some, reconciler))
    }
}

/// The items of an engine, until it has stopped and ever after.
fn items<K, S, R, F, E, Q>(engine: Engine<K, S, R, F, E, Q>) -> impl Stream<Item = engine::Item<K, E, Q>>
where
    K: Resource + 'static,
    K::DynamicType: Clone,
    S: Stream<Item = (usize, Result<source::Triggered<K, Q>, Q>)>,
    R: Reconciles<K, E, Future = F>,
    F: Future<Output = Ended<E>>,
    E: std::error::Error + 'static,
    Q: std::error::Error + 'static,
{
    // Loops around `select!` poll a stream that has ended once more.
    futures::stream::unfold(engine, |mut engine| async move { Some((engine.next().await?, engine)) }).fuse()
}

impl<K> fmt::Debug for Controller<K>
where
    K: Resource + Clone + fmt::Debug + 'static,
    K::DynamicType: Eq + Hash,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("kind", &K::kind(&self.dyntype))
            .field("sources", &(1 + self.others.len()))
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
