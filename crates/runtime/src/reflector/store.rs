//! The store, seen from its one writer and from its many readers.

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, RwLock};

use pintle_core::{Lookup, ObjectRef, Resource, Selector};
use pintle_wire::{DecodeError, Packed};
use tokio::sync::watch;

use super::entry::{Entry, packed_key};
use super::shelf::{Change, Key, Shelf};
use crate::watcher::Event;

/// The writer went away, so the store will never be ready.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the Writer was dropped before the store became ready: nothing fills this store")]
pub struct WriterDropped;

/// A store and the writer that fills it.
pub fn store<K>() -> (Store<K>, Writer<K>)
where
    K: Lookup + Clone + 'static,
    K::DynamicType: Eq + Hash + Clone + Default,
{
    store_with(K::DynamicType::default())
}

/// A store of the kind `dyntype` says, and the writer that fills it.
pub fn store_with<K>(dyntype: K::DynamicType) -> (Store<K>, Writer<K>)
where
    K: Lookup,
    K::DynamicType: Clone,
{
    let writer = Writer::new(dyntype);
    (writer.as_reader(), writer)
}

/// Fills a store; there is one.
pub struct Writer<K: Lookup> {
    shelf: Arc<RwLock<Shelf<Entry<K>>>>,
    ready: watch::Sender<bool>,
    dyntype: K::DynamicType,
}

/// Reads what exists; as many as are needed, all of one [`Writer`].
pub struct Store<K: Lookup> {
    shelf: Arc<RwLock<Shelf<Entry<K>>>>,
    ready: watch::Receiver<bool>,
}

/// The shelf is changed by code that cannot panic halfway, so a poisoned lock still guards a whole state.
macro_rules! whole {
    ($guard:expr) => {
        $guard.unwrap_or_else(std::sync::PoisonError::into_inner)
    };
}

impl<K: Lookup> Writer<K>
where
    K::DynamicType: Clone,
{
    /// A writer whose store is empty and not ready.
    pub fn new(dyntype: K::DynamicType) -> Self {
        Self { shelf: Arc::default(), ready: watch::Sender::new(false), dyntype }
    }

    /// A reader of its store.
    pub fn as_reader(&self) -> Store<K> {
        Store { shelf: Arc::clone(&self.shelf), ready: self.ready.subscribe() }
    }

    /// The kind of its objects.
    pub fn dyntype(&self) -> &K::DynamicType {
        &self.dyntype
    }

    /// Brings the store to where `event` says, keeping a copy of its object.
    pub fn apply_watcher_event(&mut self, event: &Event<K>)
    where
        K: Clone,
    {
        let entry = |object: &K| {
            let entry = Entry::Plain(Arc::new(object.clone()));
            (entry.key(), entry)
        };
        self.apply(match event {
            Event::Init => Event::Init,
            Event::InitDone => Event::InitDone,
            Event::InitApply(object) => Event::InitApply(entry(object)),
            Event::Apply(object) => Event::Apply(entry(object)),
            Event::Delete(object) => Event::Delete(entry(object)),
        });
    }

    /// Brings the store to where `event` says, without decoding its object.
    pub(crate) fn apply_packed(&mut self, event: Event<Packed<K>>) -> Vec<Change<Entry<K>>> {
        let entry = |packed: Packed<K>| Ok::<_, std::convert::Infallible>((packed_key(&packed), Entry::packed(packed)));
        let Ok(event) = event.try_map(entry);
        self.apply(event)
    }

    fn apply(&mut self, delta: Event<(Key, Entry<K>)>) -> Vec<Change<Entry<K>>> {
        let completes = matches!(delta, Event::InitDone);
        let changes = whole!(self.shelf.write()).apply(delta);
        if completes {
            self.ready.send_if_modified(|is_ready| !std::mem::replace(is_ready, true));
        }
        changes
    }
}

impl<K> Default for Writer<K>
where
    K: Lookup,
    K::DynamicType: Default + Clone,
{
    fn default() -> Self {
        Self::new(K::DynamicType::default())
    }
}

impl<K: Lookup> Store<K> {
    /// Waits until the first list is complete.
    ///
    /// # Errors
    /// If the writer is dropped before that.
    pub async fn wait_until_ready(&self) -> Result<(), WriterDropped> {
        self.ready.clone().wait_for(|is_ready| *is_ready).await.map(|_| ()).map_err(|_| WriterDropped)
    }

    /// Whether the first list is complete.
    pub fn is_ready(&self) -> bool {
        *self.ready.borrow()
    }

    /// The object `key` names. A key with a namespace also finds an object that lives in none, which is how owners
    /// without a namespace are named by what they own.
    pub fn get(&self, key: &ObjectRef<K>) -> Option<Arc<K>> {
        let namespace = key.namespace.as_deref().map(Arc::from);
        let key = self.resolve(Key { namespace, name: key.name.as_str().into() })?;
        self.get_by(&key)?.map_err(|error| tracing::warn!(%error, "an object in the store cannot be read")).ok()
    }

    /// All objects, in the order of their namespaces and names.
    pub fn state(&self) -> Vec<Arc<K>> {
        self.state_filter(|_| true)
    }

    /// The first object that `predicate` accepts.
    pub fn find<P>(&self, predicate: P) -> Option<Arc<K>>
    where
        P: Fn(&K) -> bool,
    {
        self.decoded(self.entries()).find(|object| predicate(object))
    }

    /// All objects that `predicate` accepts.
    pub fn state_filter<P>(&self, predicate: P) -> Vec<Arc<K>>
    where
        P: Fn(&K) -> bool,
    {
        self.decoded(self.entries()).filter(|object| predicate(object)).collect()
    }

    /// All objects whose labels match; only those are decoded.
    pub fn state_filter_selector(&self, selector: &Selector) -> Vec<Arc<K>>
    where
        K: Resource,
    {
        let matching = self.entries().into_iter().filter(|entry| entry.matches(selector)).collect();
        self.decoded(matching).collect()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        whole!(self.shelf.read()).len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key under which an object lies: `key`, or the same without its namespace.
    pub(crate) fn resolve(&self, key: Key) -> Option<Key> {
        let shelf = whole!(self.shelf.read());
        if shelf.get(&key).is_some() {
            return Some(key);
        }
        let clusterwide = Key { namespace: None, ..key };
        shelf.get(&clusterwide).is_some().then_some(clusterwide)
    }

    /// What lies under `key`, decoded outside the lock.
    pub(crate) fn get_by(&self, key: &Key) -> Option<Result<Arc<K>, DecodeError>> {
        let entry = whole!(self.shelf.read()).get(key).cloned()?;
        Some(entry.get())
    }

    fn entries(&self) -> Vec<Entry<K>> {
        whole!(self.shelf.read()).iter().map(|(_, entry)| entry.clone()).collect()
    }

    fn decoded(&self, entries: Vec<Entry<K>>) -> impl Iterator<Item = Arc<K>> {
        entries.into_iter().filter_map(|entry| {
            entry.get().map_err(|error| tracing::warn!(%error, "an object in the store cannot be read")).ok()
        })
    }
}

impl<K: Lookup> Clone for Store<K> {
    fn clone(&self) -> Self {
        Self { shelf: Arc::clone(&self.shelf), ready: self.ready.clone() }
    }
}

impl<K: Lookup> fmt::Debug for Store<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("len", &self.len()).field("is_ready", &self.is_ready()).finish()
    }
}

impl<K: Lookup> fmt::Debug for Writer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("len", &whole!(self.shelf.read()).len()).finish_non_exhaustive()
    }
}
