//! Functions that are called for what happens to the objects of a store.
//!
//! ```text
//!   store ──Change──► mailbox ──► task: on_add, on_update, on_delete, one after the other
//! ```
//!
//! Each handler has a task and a mailbox of its own: a slow one stalls no other, and what happens to an object while it is
//! busy is one change, from the first old to the last new. A call that panics is logged, and the next one follows.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use futures::stream::StreamExt;
use pintle_core::reference::Lookup;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::subscribe::{Changes, Notice};
use crate::reflector::entry::Entry;
use crate::reflector::shelf::Key;
use crate::reflector::store::Store;
use crate::utils::CancelableJoinHandle;

/// What to do when objects come, change and go.
///
/// ```no_run
/// # use k8s_openapi::api::core::v1::Pod;
/// # use pintle_runtime::reflector::{Handler, Store};
/// # fn handle(pods: &Store<Pod>) {
/// let handler = Handler::<Pod>::new()
///     .on_add(|pod, is_initial| async move { println!("{:?} {is_initial}", pod.metadata.name) })
///     .on_delete(|pod| async move { println!("{:?} is gone", pod.metadata.name) });
/// let registration = pods.handle(handler);
/// # }
/// ```
#[must_use = "a handler does nothing until a store or an informer has it"]
pub struct Handler<K> {
    on_add: Option<Function<(Arc<K>, bool)>>,
    on_update: Option<Function<(Arc<K>, Arc<K>)>>,
    on_delete: Option<Function<Arc<K>>>,
    resync: Option<Duration>,
}

type Function<A> = Box<dyn FnMut(A) -> BoxFuture<'static, ()> + Send>;

/// Shorter periods only burn time: client-go's number.
const RESYNC_MIN: Duration = Duration::from_secs(1);

impl<K> Default for Handler<K> {
    fn default() -> Self {
        Self { on_add: None, on_update: None, on_delete: None, resync: None }
    }
}

impl<K: Send + Sync + 'static> Handler<K> {
    /// A handler that does nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `f` for each object that comes, and whether it was there already when the store became ready or the
    /// handler came.
    pub fn on_add<F, Fut>(mut self, mut f: F) -> Self
    where
        F: FnMut(Arc<K>, bool) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.on_add = Some(Box::new(move |(object, is_initial)| f(object, is_initial).boxed()));
        self
    }

    /// Calls `f` with the object before and after each change. Both are of one object: one that was deleted and made
    /// anew under its name is a delete and an add, also where the watch saw neither.
    pub fn on_update<F, Fut>(mut self, mut f: F) -> Self
    where
        F: FnMut(Arc<K>, Arc<K>) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.on_update = Some(Box::new(move |(old, new)| f(old, new).boxed()));
        self
    }

    /// Calls `f` for each object that goes, as it was last known; also for those whose delete only a relist showed.
    pub fn on_delete<F, Fut>(mut self, mut f: F) -> Self
    where
        F: FnMut(Arc<K>) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.on_delete = Some(Box::new(move |object| f(object).boxed()));
        self
    }

    /// Calls [`on_update`](Self::on_update) for every object each `period`, with the same object as old and new. At
    /// least a second.
    pub fn resync_every(mut self, period: Duration) -> Self {
        self.resync = Some(period.max(RESYNC_MIN));
        self
    }
}

/// A handler at work. It stops when this is dropped.
#[must_use = "the handler stops when this is dropped"]
pub struct Registration {
    synced: watch::Receiver<bool>,
    task: CancelableJoinHandle<()>,
}

impl Registration {
    /// Whether the handler has been called for everything that was there when the store became ready.
    pub fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Waits until [`has_synced`](Self::has_synced); for ever if the store never becomes ready.
    pub async fn wait_until_synced(&self) {
        if self.synced.clone().wait_for(|is_synced| *is_synced).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until the store's writer is gone and the handler was called for everything.
    pub async fn finished(self) {
        self.task.await;
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration").field("has_synced", &self.has_synced()).finish_non_exhaustive()
    }
}

/// Puts `handler` to work on `store`, in a task of its own.
pub(crate) fn register<K: Lookup + Send + Sync + 'static>(store: Store<K>, handler: Handler<K>) -> Registration
where
    K::DynamicType: Send + Sync,
{
    let (sender, synced) = watch::channel(false);
    let known = handler.resync.is_some().then(BTreeMap::new);
    let work = Work { changes: store.changes(), store, handler, known, sender };
    Registration { synced, task: CancelableJoinHandle::spawn(work.run(), &tokio::runtime::Handle::current()) }
}

struct Work<K: Lookup> {
    changes: Changes<K>,
    store: Store<K>,
    handler: Handler<K>,
    /// What the handler was called for, if it is to be called again.
    known: Option<BTreeMap<Key, Entry<K>>>,
    sender: watch::Sender<bool>,
}

impl<K: Lookup + Send + Sync + 'static> Work<K> {
    async fn run(mut self) {
        if !self.begin().await {
            return;
        }
        let period = self.handler.resync.unwrap_or(RESYNC_MIN);
        let mut resync = interval_at(Instant::now() + period, period);
        resync.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                // The rarer first, or a busy store would never be resynced.
                biased;
                _ = resync.tick(), if self.known.is_some() => self.resync().await,
                notice = self.changes.next() => match notice {
                    Some(notice) => self.notify(notice).await,
                    None => return,
                },
            }
        }
    }

    /// Calls the handler for what was there; returns whether there is more to come.
    async fn begin(&mut self) -> bool {
        loop {
            tokio::select! {
                biased;
                notice = self.changes.next() => match notice {
                    Some(notice) => self.notify(notice).await,
                    None => return false,
                },
                ready = self.store.wait_until_ready() => {
                    if ready.is_err() {
                        return false;
                    }
                    break;
                }
            }
        }
        // Everything that was there when the store became ready lies in the mailbox by now.
        while let Some(next) = self.changes.next().now_or_never() {
            let Some(notice) = next else { return false };
            self.notify(notice).await;
        }
        self.sender.send_replace(true);
        true
    }

    async fn notify(&mut self, notice: Notice<K>) {
        let Notice { key, old, new, is_initial } = notice;
        if let Some(known) = &mut self.known {
            match &new {
                Some(new) => known.insert(key.clone(), new.clone()),
                None => known.remove(&key),
            };
        }
        let is_another = matches!((&old, &new), (Some(old), Some(new)) if !old.is_same_object(new));
        let (before, after) = (old.and_then(|it| it.last_readable()), new.and_then(|it| it.last_readable()));
        let handler = &mut self.handler;
        match (before, after) {
            (Some(old), Some(new)) if is_another => {
                call(&mut handler.on_delete, old, &key).await;
                call(&mut handler.on_add, (new, false), &key).await;
            }
            (Some(old), Some(new)) => call(&mut handler.on_update, (old, new), &key).await,
            (None, Some(new)) => call(&mut handler.on_add, (new, is_initial), &key).await,
            (Some(old), None) => call(&mut handler.on_delete, old, &key).await,
            // Never readable: the store logs it.
            (None, None) => {}
        }
    }

    async fn resync(&mut self) {
        for (key, mut entry) in self.known.clone().unwrap_or_default() {
            // The store may keep the same version in less memory by now.
            if let Some(kept) = self.store.entry_by(&key).filter(|kept| kept.is_same_version(&entry)) {
                entry = kept.clone();
                self.known.get_or_insert_default().insert(key.clone(), kept);
            }
            if let Some(object) = entry.last_readable() {
                call(&mut self.handler.on_update, (Arc::clone(&object), object), &key).await;
            }
        }
    }
}

/// Calls a function of the user's and survives it.
async fn call<A>(function: &mut Option<Function<A>>, argument: A, key: &Key) {
    let Some(function) = function else { return };
    let called = AssertUnwindSafe(async { function(argument).await }).catch_unwind();
    if called.await.is_err() {
        tracing::error!(%key, "a handler panicked; it is called for the next change as before");
    }
}

impl<K> fmt::Debug for Handler<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler")
            .field("on_add", &self.on_add.is_some())
            .field("on_update", &self.on_update.is_some())
            .field("on_delete", &self.on_delete.is_some())
            .field("resync", &self.resync)
            .finish()
    }
}
