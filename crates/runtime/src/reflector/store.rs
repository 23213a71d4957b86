//! The store, seen by its readers.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use pintle_core::{Lookup, ObjectRef, Resource, Selector};
use pintle_wire::DecodeError;
use tokio::sync::watch;

use super::entry::Entry;
use super::mailbox::Letters;
use super::shelf::Key;
use super::stock::Stock;
use super::subscribe::Changes;
pub use super::writer::Writer;

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

/// A store that can be subscribed to, and the writer that fills it. What `buf_size` means is said at
/// [`Writer::new_shared`].
pub fn store_shared<K>(buf_size: usize) -> (Store<K>, Writer<K>)
where
    K: Lookup + Clone + 'static,
    K::DynamicType: Eq + Hash + Clone + Default,
{
    let writer = Writer::new_shared(buf_size, K::DynamicType::default());
    (writer.as_reader(), writer)
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

/// Reads what exists; as many as are needed, all of one [`Writer`].
pub struct Store<K: Lookup> {
    stock: Arc<Stock<K>>,
    ready: watch::Receiver<bool>,
}

impl<K: Lookup> Store<K> {
    pub(super) fn new(stock: Arc<Stock<K>>, ready: watch::Receiver<bool>) -> Self {
        Self { stock, ready }
    }

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
        let key = Key { namespace, name: key.name.as_str().into() };
        let entry = {
            let contents = self.stock.look();
            contents.shelf.get(&key).or_else(|| contents.shelf.get(&Key { namespace: None, ..key.clone() })).cloned()
        };
        readable(&entry?)
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
        self.scan().into_iter().filter_map(|entry| readable(&entry)).find(|object| predicate(object))
    }

    /// All objects that `predicate` accepts.
    pub fn state_filter<P>(&self, predicate: P) -> Vec<Arc<K>>
    where
        P: Fn(&K) -> bool,
    {
        self.scan().into_iter().filter_map(|entry| readable(&entry)).filter(|object| predicate(object)).collect()
    }

    /// All objects whose labels match; only those are decoded.
    pub fn state_filter_selector(&self, selector: &Selector) -> Vec<Arc<K>>
    where
        K: Resource,
    {
        self.scan().into_iter().filter(|entry| entry.matches(selector)).filter_map(|entry| readable(&entry)).collect()
    }

    /// All objects as they lie there, none of them decoded, in the order of their namespaces and names.
    pub fn scan(&self) -> Vec<Entry<K>> {
        self.stock.look().shelf.iter().map(|(_, entry)| entry.clone()).collect()
    }

    /// Every change from now on, old and new, deletes included, beginning with what is there.
    pub fn changes(&self) -> Changes<K> {
        Changes::new(self.listen())
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.stock.look().shelf.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn listen(&self) -> Letters<Entry<K>> {
        self.stock.listen()
    }

    /// The key under which an object lies: `key`, or the same without its namespace.
    pub(crate) fn resolve(&self, key: Key) -> Option<Key> {
        let contents = self.stock.read();
        if contents.shelf.get(&key).is_some() {
            return Some(key);
        }
        let clusterwide = Key { namespace: None, ..key };
        contents.shelf.get(&clusterwide).is_some().then_some(clusterwide)
    }

    /// What lies under `key`, decoded outside the lock.
    pub(crate) fn get_by(&self, key: &Key) -> Option<Result<Arc<K>, DecodeError>> {
        let entry = self.stock.read().shelf.get(key).cloned()?;
        Some(entry.get())
    }
}

/// The object, or a warning that names it.
fn readable<K>(entry: &Entry<K>) -> Option<Arc<K>> {
    entry.get().map_err(|error| tracing::warn!(%error, "an object in the store cannot be read")).ok()
}

impl<K: Lookup> Clone for Store<K> {
    fn clone(&self) -> Self {
        Self { stock: Arc::clone(&self.stock), ready: self.ready.clone() }
    }
}

impl<K: Lookup> fmt::Debug for Store<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.stock.read().shelf.len();
        f.debug_struct("Store").field("len", &len).field("is_ready", &self.is_ready()).finish()
    }
}
