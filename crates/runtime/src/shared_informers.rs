//! One watch and one store for each kind, however many controllers and readers want it.
//!
//! ```text
//!   controller A ─┐                    ┌─ Pod, all namespaces, full        ══► Store<Pod>
//!   controller B ─┼─► SharedInformers ─┼─ ConfigMap, all, metadata         ══► heads
//!   readers      ─┘                    └─ ConfigMap, shop, labels app=web  ══► Store<ConfigMap>
//! ```
//!
//! client-go calls it a `SharedInformerFactory`. Those share a watch who ask the same client for the same kind in the same
//! scope with the same selectors, freshness and form (whole objects, or metadata alone); what else a
//! [`watcher::Config`] says is taken from whoever asks first. A watch ends when none of them is left.
//! [`run`](SharedInformers::run) drives them all.

mod driver;
mod identity;
mod watch_scope;

use std::any::Any;
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;

use futures::future::{BoxFuture, FutureExt};
use pintle_client::Api;
use pintle_core::discovery::ApiResource;
use pintle_core::{PartialObjectMeta, Resource};
use pintle_wire::Packed;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::controller::Watched;
use crate::controller::shared::{
    DeltaStream, FanOut, Owned, SharedWatch, Subscription, WatchProgress, WatchState, WatchedObject, WholeEntry,
    as_they_came,
};
use crate::reflector::entry::packed_key;
use crate::reflector::memory::storage::{ManagedFields, Storage};
use crate::reflector::{Store, Writer};
use crate::watcher::{self, Event, Health, PackedWatcher};
use driver::drive;
use identity::Identity;
pub use watch_scope::WatchScope;

/// Watches and stores that are shared; clones are the same. See the [module](self).
///
/// ```no_run
/// # use k8s_openapi::api::core::v1::Pod;
/// # use pintle_client::{Api, Client};
/// # use pintle_runtime::{SharedInformers, watcher};
/// # fn example(client: Client) {
/// let informers = SharedInformers::new();
/// let pods = informers.store(Api::<Pod>::all(client), watcher::Config::default());
/// tokio::spawn(informers.run());
/// # }
/// ```
#[derive(Clone)]
pub struct SharedInformers(Arc<Registry>);

struct Registry {
    entries: Mutex<Vec<Registered>>,
    /// What nobody but this holds.
    declared: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
    opened: mpsc::UnboundedSender<BoxFuture<'static, ()>>,
    /// Until they are driven.
    drivers: Mutex<Option<mpsc::UnboundedReceiver<BoxFuture<'static, ()>>>>,
}

/// One watch.
struct Registered {
    id: Identity,
    state: WatchState,
    health: Health,
    watch: Weak<dyn Any + Send + Sync>,
    /// Where it fills a store: its objects as they came, a [`DeltaStream`] of [`WholeEntry`]s, to those who share only that.
    as_they_came: Option<AsTheyCame>,
}

type AsTheyCame = Box<dyn Fn(Arc<WatchProgress>) -> Option<Box<dyn Any + Send>> + Send + Sync>;

/// Whole objects of a shared watch, for those who only look at them as they came.
pub(crate) enum SharedObjects<O: 'static> {
    /// Somebody needs a store of them.
    OfStore(DeltaStream<WholeEntry<O>>),
    /// Nobody does.
    FannedOut(Subscription<FanOut<WatchedObject<O>>>),
}

/// A watch that is shared, for probes and metrics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SharedWatchStatus {
    /// What is watched.
    pub kind: ApiResource,
    /// Which objects of it.
    pub scope: WatchScope,
    /// How that goes.
    pub health: Health,
}

impl SharedWatchStatus {
    /// What probes say about it.
    #[must_use]
    pub fn watched(&self) -> Watched {
        Watched::new(self.kind.clone(), self.health.report())
    }
}

impl SharedInformers {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        let (opened, drivers) = mpsc::unbounded_channel();
        Self(Arc::new(Registry {
            entries: Mutex::default(),
            declared: Mutex::default(),
            opened,
            drivers: Mutex::new(Some(drivers)),
        }))
    }

    /// The store of the objects of `api` that `config` selects, kept up to date for as long as these informers
    /// [run](Self::run).
    pub fn store<K>(&self, api: Api<K>, config: watcher::Config) -> Store<K>
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
        K::DynamicType: Default + Clone,
    {
        self.store_with(api, config, &K::DynamicType::default())
    }

    /// As [`store`](Self::store), for a kind known only at run time.
    pub fn store_with<K>(&self, api: Api<K>, config: watcher::Config, dyntype: &K::DynamicType) -> Store<K>
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
        K::DynamicType: Clone,
    {
        let watch = self.whole(api, config, dyntype, ManagedFields::Skipped);
        let store = watch.cache.clone();
        let mut declared = locked(&self.0.declared);
        let watch: Arc<dyn Any + Send + Sync> = watch;
        if !declared.iter().any(|known| Arc::ptr_eq(known, &watch)) {
            declared.push(watch);
        }
        store
    }

    /// The stores of whole objects of kind `K` that there are, with what each of them holds.
    #[must_use]
    pub fn stores<K>(&self, dyntype: &K::DynamicType) -> Vec<(WatchScope, Store<K>)>
    where
        K: Resource + Send + Sync + 'static,
    {
        let kind = ApiResource::erase::<K>(dyntype);
        let entries = self.entries();
        let of_kind = entries.iter().filter(|entry| entry.id.kind == kind);
        of_kind.filter_map(|entry| Some((entry.id.scope.clone(), entry.get::<Store<K>>()?.cache.clone()))).collect()
    }

    /// Every watch there is.
    #[must_use]
    pub fn watches(&self) -> Vec<SharedWatchStatus> {
        let status = |entry: &Registered| SharedWatchStatus {
            kind: entry.id.kind.clone(),
            scope: entry.id.scope.clone(),
            health: entry.health.clone(),
        };
        self.entries().iter().filter(|entry| entry.watch.strong_count() > 0).map(status).collect()
    }

    /// Drives every watch, also those that are asked for later; it does not end. A second one drives nothing.
    pub fn run(&self) -> impl Future<Output = ()> + Send + 'static {
        let drivers = locked(&self.0.drivers).take();
        async move {
            let Some(mut drivers) = drivers else { return std::future::pending().await };
            // A task each, so that the first lists of several kinds are read side by side; they end with this.
            let mut running = JoinSet::new();
            loop {
                // New ones come first: there are few.
                tokio::select! {
                    biased;
                    Some(driver) = drivers.recv() => drop(running.spawn(driver)),
                    Some(_) = running.join_next(), if !running.is_empty() => {}
                    else => std::future::pending().await,
                }
            }
        }
    }

    /// Ends when each watch that there is has had its first list, or is refused.
    pub async fn settled(&self) {
        let states: Vec<_> = self.entries().iter().map(|entry| (entry.watch.clone(), entry.state.clone())).collect();
        std::future::poll_fn(|cx| {
            let mut is_settled = true;
            for (watch, state) in &states {
                state.wait(cx);
                is_settled &= state.is_settled() || watch.strong_count() == 0;
            }
            if is_settled { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// The watch that fills a store of whole objects.
    pub(crate) fn whole<K>(
        &self,
        api: Api<K>,
        config: watcher::Config,
        dyntype: &K::DynamicType,
        managed_fields: ManagedFields,
    ) -> Arc<SharedWatch<Store<K>>>
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
        K::DynamicType: Clone,
    {
        let id = Identity::new::<K, Store<K>>(&api, &config, ApiResource::erase::<K>(dyntype), managed_fields);
        let watch = self.watch(id, api, config, |health| {
            let mut writer = Writer::new(dyntype.clone());
            if managed_fields == ManagedFields::Kept {
                writer = writer.with_managed_fields();
            }
            writer.fed_by(health.clone());
            (writer.as_reader(), move |event| drop(writer.apply_packed(event)))
        });
        self.let_look::<K>(&watch);
        watch
    }

    /// Lets those look at the objects of a store who need none.
    fn let_look<K>(&self, watch: &Arc<SharedWatch<Store<K>>>)
    where
        K: Resource + Send + Sync + 'static,
    {
        let mut entries = self.entries();
        let registered = entries.iter_mut().find(|entry| std::ptr::addr_eq(entry.watch.as_ptr(), Arc::as_ptr(watch)));
        if let Some(entry) = registered.filter(|entry| entry.as_they_came.is_none()) {
            let watch = Arc::downgrade(watch);
            entry.as_they_came = Some(Box::new(move |progress| {
                let stream = as_they_came(Subscription::new(watch.upgrade()?, progress));
                Some(Box::new(stream))
            }));
        }
    }

    /// A subscription to whole objects, from a store if there is one.
    pub(crate) fn objects<O>(
        &self,
        api: Api<O>,
        config: watcher::Config,
        kind: &ApiResource,
        progress: Arc<WatchProgress>,
    ) -> SharedObjects<O>
    where
        O: Resource + DeserializeOwned + Send + 'static,
    {
        let skipped = ManagedFields::Skipped;
        let id = Identity::new::<O, FanOut<WatchedObject<O>>>(&api, &config, kind.clone(), skipped);
        let of_store = {
            let entries = self.entries();
            let same = entries.iter().filter(|entry| entry.id.has_same_objects(&id));
            let mut looks = same.filter_map(|entry| (entry.as_they_came.as_ref()?)(Arc::clone(&progress)));
            looks.find_map(|stream| stream.downcast::<DeltaStream<WholeEntry<O>>>().ok())
        };
        if let Some(stream) = of_store {
            return SharedObjects::OfStore(*stream);
        }
        let watch = self.watch(id, api, config, |_| {
            let cache = FanOut::new(|object: &WatchedObject<O>, see| object.show(see));
            let (mut fill, storage) = (cache.fill(), Arc::<Storage>::default());
            (cache, move |event: Event<Packed<O>>| {
                let remember =
                    |packed| Ok::<_, Infallible>((packed_key(&packed), WatchedObject::new(packed, &storage)));
                let Ok(event) = event.try_map(remember);
                fill.apply(event);
            })
        });
        SharedObjects::FannedOut(Subscription::new(watch, progress))
    }

    /// A subscription to the heads of the objects of `api`.
    pub(crate) fn heads<C>(
        &self,
        api: Api<PartialObjectMeta<C>>,
        config: watcher::Config,
        kind: &ApiResource,
        progress: Arc<WatchProgress>,
    ) -> Subscription<FanOut<Owned>>
    where
        C: Resource + DeserializeOwned + Send + 'static,
    {
        let skipped = ManagedFields::Skipped;
        let id = Identity::new::<PartialObjectMeta<C>, FanOut<Owned>>(&api, &config, kind.clone(), skipped);
        let watch = self.watch(id, api, config, |_| {
            let cache = FanOut::new(Owned::show);
            let (mut fill, suspects) = (cache.fill(), cache.clone());
            (cache, move |event: Event<Packed<PartialObjectMeta<C>>>| {
                let remember = |packed| Ok::<_, Infallible>(Owned::of(packed, |key| suspects.is_suspect(key)));
                let Ok(event) = event.try_map(remember);
                fill.apply(event);
            })
        });
        Subscription::new(watch, progress)
    }

    /// The watch that is the same, or a new one whose cache and what fills it `make` gives.
    fn watch<W, C, A>(
        &self,
        id: Identity,
        api: Api<W>,
        config: watcher::Config,
        make: impl FnOnce(&Health) -> (C, A),
    ) -> Arc<SharedWatch<C>>
    where
        W: Resource + DeserializeOwned + Send + 'static,
        C: Clone + Send + Sync + 'static,
        A: FnMut(Event<Packed<W>>) + Send + 'static,
    {
        let mut entries = self.entries();
        entries.retain(|entry| entry.watch.strong_count() > 0);
        let same = entries.iter().filter(|entry| entry.id.is_same(&id)).find_map(Registered::get::<C>);
        if let Some(watch) = same {
            return watch;
        }
        let watcher = PackedWatcher::new(api, config).logged();
        let health = watcher.health();
        let ((cache, apply), state, (alive, dropped)) = (make(&health), WatchState::default(), oneshot::channel());
        let watch = Arc::new(SharedWatch { cache, health: health.clone(), state: state.clone(), _alive: alive });
        // A receiver that is gone ran with informers that are gone.
        drop(self.0.opened.send(drive(watcher, apply, state.clone(), dropped).boxed()));
        let weak = Arc::downgrade(&watch);
        entries.push(Registered { id, state, health, watch: weak, as_they_came: None });
        watch
    }

    // Nothing panics while it is locked.
    fn entries(&self) -> MutexGuard<'_, Vec<Registered>> {
        locked(&self.0.entries)
    }
}

impl Registered {
    fn get<C: Send + Sync + 'static>(&self) -> Option<Arc<SharedWatch<C>>> {
        self.watch.upgrade()?.downcast().ok()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for SharedInformers {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SharedInformers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.watches()).finish()
    }
}
