//! Runs a reconciler for every object that needs it.
//!
//! ```text
//!   watches ──► sources ──► queue ──► reconciler ──► Action
//!                             ▲                        │
//!                             └────────────────────────┘
//! ```
//!
//! A [`Controller`] watches one kind, and others that concern it, and calls the reconciler with what the store holds
//! whenever something changed, or when the last reconcile asked for it. It says which object, never why: a reconciler
//! that looks at what is cannot miss an event. The loop is in `engine`; what it owns is in `source`, `trigger`,
//! `queue` and `retries`.

mod action;
mod config;
mod engine;
mod error;
pub mod queue;
mod retries;
mod shutdown;
mod source;
mod trigger;

use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;

use futures::future::TryFuture;
use futures::stream::{Stream, StreamExt};
use pintle_client::Api;
use pintle_core::{ObjectRef, Resource};
use serde::de::DeserializeOwned;

pub use action::Action;
pub use config::Config;
pub use error::{Error, RunnerError};

use crate::reflector::{Store, Writer};
use crate::watcher::{self, PackedWatcher};
use engine::{Engine, Parts};
use shutdown::{Shutdown, signals};
use source::Source;
use trigger::Owners;

/// A controller of objects of kind `K`, to be configured and [`run`](Self::run).
pub struct Controller<K>
where
    K: Resource + Clone + fmt::Debug + 'static,
    K::DynamicType: Eq + Hash,
{
    dyntype: K::DynamicType,
    store: Store<K>,
    main: Source,
    others: Vec<Source>,
    config: Config,
    shutdown: Shutdown,
}

impl<K> Controller<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
    K::DynamicType: Eq + Hash + Clone,
{
    /// A controller of the objects of `main_api` that `config` selects.
    #[must_use]
    pub fn new(main_api: Api<K>, config: watcher::Config) -> Self
    where
        K::DynamicType: Default,
    {
        Self::new_with(main_api, config, K::DynamicType::default())
    }

    /// As [`new`](Self::new), for a kind known only at run time.
    #[must_use]
    pub fn new_with(main_api: Api<K>, config: watcher::Config, dyntype: K::DynamicType) -> Self {
        let writer = Writer::new(dyntype.clone());
        let store = writer.as_reader();
        let main = source::main(PackedWatcher::new(main_api, config), writer);
        Self { dyntype, store, main, others: Vec::new(), config: Config::default(), shutdown: Shutdown::default() }
    }

    /// How it runs.
    #[must_use]
    pub fn with_config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// The store of its objects.
    pub fn store(&self) -> Store<K> {
        self.store.clone()
    }

    /// Reconciles the owner when an object of `api` changes that a `K` owns. Only metadata is watched.
    #[must_use]
    pub fn owns<Child>(self, api: Api<Child>, config: watcher::Config) -> Self
    where
        Child: Resource + DeserializeOwned + fmt::Debug + Send + 'static,
        Child::DynamicType: Default,
    {
        self.owns_with(api, Child::DynamicType::default(), config)
    }

    /// As [`owns`](Self::owns), for a kind known only at run time.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "kube's signature; the Api knows the kind already")]
    pub fn owns_with<Child>(mut self, api: Api<Child>, dyntype: Child::DynamicType, config: watcher::Config) -> Self
    where
        Child: Resource + DeserializeOwned + fmt::Debug + Send + 'static,
    {
        let _ = dyntype;
        let owners = Owners { group: K::group(&self.dyntype).into(), kind: K::kind(&self.dyntype).into() };
        self.others.push(source::owned(api, config, owners));
        self
    }

    /// Reconciles those objects that `mapper` names when an object of `api` changes.
    #[must_use]
    pub fn watches<Other, I>(
        self,
        api: Api<Other>,
        config: watcher::Config,
        mapper: impl Fn(Other) -> I + Send + Sync + 'static,
    ) -> Self
    where
        Other: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
        Other::DynamicType: Default,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
        I::IntoIter: Send,
    {
        self.watches_with(api, Other::DynamicType::default(), config, mapper)
    }

    /// As [`watches`](Self::watches), for a kind known only at run time.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "kube's signature; the Api knows the kind already")]
    pub fn watches_with<Other, I>(
        mut self,
        api: Api<Other>,
        dyntype: Other::DynamicType,
        config: watcher::Config,
        mapper: impl Fn(Other) -> I + Send + Sync + 'static,
    ) -> Self
    where
        Other: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
        I::IntoIter: Send,
    {
        let _ = dyntype;
        self.others.push(source::watched(api, config, mapper));
        self
    }

    /// Stops when `trigger` ends: no new reconciles, running ones have 30 seconds.
    #[must_use]
    pub fn graceful_shutdown_on(mut self, trigger: impl Future<Output = ()> + Send + Sync + 'static) -> Self {
        self.shutdown.gently_on(trigger);
        self
    }

    /// Stops on SIGINT or SIGTERM as by [`graceful_shutdown_on`](Self::graceful_shutdown_on), and at once on a second.
    #[must_use]
    pub fn shutdown_on_signal(mut self) -> Self {
        self.shutdown.gently_on(signals(1));
        self.shutdown.promptly_on(signals(2));
        self
    }

    /// Runs `reconciler`; the stream must be polled for anything to happen, and tells of every reconcile and error.
    ///
    /// `error_policy` says when to try again after an error; [`Action::backoff`] is a good answer.
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
        let mut sources = vec![self.main];
        sources.extend(self.others);
        let parts =
            Parts { dyntype: self.dyntype, store: self.store, sources, config: self.config, shutdown: self.shutdown };
        let engine = Engine::new(parts, reconciler, error_policy, context);
        let told = futures::stream::unfold(engine, |mut engine| async move { Some((engine.next().await?, engine)) });
        // Loops around `select!` poll a stream that has ended once more.
        told.fuse()
    }
}

impl<K> fmt::Debug for Controller<K>
where
    K: Resource + Clone + fmt::Debug + 'static,
    K::DynamicType: Eq + Hash,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("store", &self.store)
            .field("sources", &(1 + self.others.len()))
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
