//! A watch, a store, its indexes and its handlers as one thing.
//!
//! ```text
//!   watch ══► Writer ══► Store ──► get, state, by_index
//!                          └─────► handlers, each in a task of its own ──► WorkQueue ──► workers
//! ```
//!
//! It is what client-go calls a shared informer, put together from the parts of [`mod@crate::reflector`]. A controller
//! has one inside; an `Informer` is for programs that want the cache and the notifications without reconciling.

use std::fmt;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures::stream::StreamExt;
use pintle_client::Api;
use pintle_core::Resource;
use serde::de::DeserializeOwned;

use crate::queue::{PRIORITY_LOW, PRIORITY_NORMAL};
use crate::reflector::{Handler, IndexExists, ObjectRef, Store, Writer};
use crate::utils::Backoff;
use crate::watcher::{self, Health, PackedWatcher};
use crate::workqueue::{Options, WorkQueue};

/// A store that fills itself, to be configured and [`run`](Self::run).
///
/// ```no_run
/// # use k8s_openapi::api::core::v1::Pod;
/// # use pintle_client::{Api, Client};
/// # use pintle_runtime::{Informer, reflector::{Handler, IndexExists}, watcher};
/// # async fn inform(client: Client) -> Result<(), IndexExists> {
/// let informer = Informer::new(Api::<Pod>::all(client), watcher::Config::default())
///     .index("node", |pod| pod.spec.as_ref().and_then(|spec| spec.node_name.clone()))?
///     .handle(Handler::<Pod>::new().on_delete(|pod| async move { println!("{:?} is gone", pod.metadata.name) }));
/// let pods = informer.store();
/// tokio::spawn(informer.run());
/// # Ok(())
/// # }
/// ```
#[must_use = "an informer does nothing until it is run"]
pub struct Informer<K: Resource + 'static> {
    watcher: PackedWatcher<K>,
    writer: Writer<K>,
    store: Store<K>,
    handlers: Vec<Handler<K>>,
    on_error: Option<OnError>,
}

type OnError = Box<dyn FnMut(&watcher::Error) + Send>;

impl<K> Informer<K>
where
    K: Resource + DeserializeOwned + Send + Sync + 'static,
    K::DynamicType: Clone + Eq + Hash + Send + Sync,
{
    /// An informer of the objects of `api` that `config` selects.
    pub fn new(api: Api<K>, config: watcher::Config) -> Self
    where
        K::DynamicType: Default,
    {
        Self::new_with(api, config, K::DynamicType::default())
    }

    /// As [`new`](Self::new), for a kind known only at run time.
    pub fn new_with(api: Api<K>, config: watcher::Config, dyntype: K::DynamicType) -> Self {
        let (watcher, writer) = (PackedWatcher::new(api, config), Writer::new(dyntype));
        writer.fed_by(watcher.health());
        Self { watcher, store: writer.as_reader(), writer, handlers: Vec::new(), on_error: None }
    }

    /// Adds an index; see [`Store::add_index`].
    ///
    /// # Errors
    /// If there is one of that name.
    pub fn index<V>(self, name: &str, values: impl Fn(&K) -> V + Send + Sync + 'static) -> Result<Self, IndexExists>
    where
        V: IntoIterator<Item: AsRef<str>>,
    {
        self.store.add_index(name, values)?;
        Ok(self)
    }

    /// Adds a handler. More can be added to the [store](Self::store) at any time.
    pub fn handle(mut self, handler: Handler<K>) -> Self {
        self.handlers.push(handler);
        self
    }

    /// Adds the reference of each object that comes, changes or goes to `queue`; those of the first list behind what
    /// happens live. A worker gets one and looks into the [store](Self::store): if the object is not there it is gone.
    pub fn enqueue(self, queue: &WorkQueue<ObjectRef<K>>) -> Self
    where
        ObjectRef<K>: Send,
    {
        let feed = || {
            let (queue, dyntype) = (queue.clone(), self.writer.dyntype().clone());
            move |object: Arc<K>, options: Options| {
                queue.add_with(ObjectRef::from_obj_with(object.as_ref(), dyntype.clone()), options);
                std::future::ready(())
            }
        };
        let (add, update, delete) = (feed(), feed(), feed());
        let priority = |is_initial| if is_initial { PRIORITY_LOW } else { PRIORITY_NORMAL };
        let handler = Handler::new()
            .on_add(move |object, is_initial| add(object, Options::new().priority(priority(is_initial))))
            .on_update(move |_, object| update(object, Options::new()))
            .on_delete(move |object| delete(object, Options::new()));
        self.handle(handler)
    }

    /// Calls `f` with every error of the watch, which goes on by itself after each, also should `f` panic. Unless set they
    /// are logged at `warn`: at once, when they change, and once a minute. [`health`](Self::health) knows them either way.
    pub fn on_error(mut self, f: impl FnMut(&watcher::Error) + Send + 'static) -> Self {
        self.on_error = Some(Box::new(f));
        self
    }

    /// Waits after errors as `backoff` says, and ends if that ends.
    pub fn backoff<B: Backoff + 'static>(mut self, backoff: B) -> Self {
        self.watcher = self.watcher.backoff(backoff);
        self
    }

    /// Lets the objects have their `metadata.managedFields`; see [`Writer::with_managed_fields`].
    pub fn with_managed_fields(mut self) -> Self {
        self.writer = self.writer.with_managed_fields();
        self
    }

    /// A reader of its store.
    #[must_use]
    pub fn store(&self) -> Store<K> {
        self.store.clone()
    }

    /// Reads how its watch is doing.
    #[must_use]
    pub fn health(&self) -> Health {
        self.watcher.health()
    }

    /// Watches, fills the store and calls the handlers, until the watch's backoff gives up or this is dropped.
    pub async fn run(mut self) {
        let handlers = std::mem::take(&mut self.handlers);
        let registrations: Vec<_> = handlers.into_iter().map(|handler| self.store.handle(handler)).collect();
        if self.on_error.is_none() {
            self.watcher = self.watcher.logged();
        }
        while let Some(event) = self.watcher.next().await {
            match event {
                Ok(event) => drop(self.writer.apply_packed(event)),
                Err(error) => report(self.on_error.as_mut(), &error, std::any::type_name::<K>()),
            }
        }
        drop(self.writer);
        for registration in registrations {
            registration.finished().await;
        }
    }
}

/// Passes an error on to the program's function; the watch itself logs it otherwise.
fn report(on_error: Option<&mut OnError>, error: &watcher::Error, kind: &str) {
    let Some(on_error) = on_error else { return };
    if catch_unwind(AssertUnwindSafe(|| on_error(error))).is_err() {
        tracing::error!(kind, "the function for errors of an informer panicked");
    }
}

impl<K: Resource + 'static> fmt::Debug for Informer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Informer").field("store", &self.store).field("handlers", &self.handlers).finish_non_exhaustive()
    }
}
