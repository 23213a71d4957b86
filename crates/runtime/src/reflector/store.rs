//! The store, seen by its readers.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use pintle_core::reference::{Lookup, ObjectRef};
use pintle_core::{Resource, Selector};
use pintle_wire::DecodeError;
use tokio::sync::watch;

use super::entry::Entry;
use super::index::{IndexExists, NoSuchIndex, Rule};
use super::query::{OWNER, Query};
use super::shared_cache::SharedCache;
use super::shelf::Key;
use super::subscribers::handler::{self, Handler, Registration};
use super::subscribers::mailbox::Inbox;
use super::subscribers::subscribe::Changes;
pub use super::writer::Writer;
use crate::watcher::Health;

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

/// A store that can be subscribed to, and the writer that fills it. For `buf_size` see
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

/// Reads what exists; there can be many readers of one [`Writer`].
pub struct Store<K: Lookup> {
    cache: Arc<SharedCache<K>>,
    ready: watch::Receiver<bool>,
}

impl<K: Lookup> Store<K> {
    pub(super) fn new(cache: Arc<SharedCache<K>>, ready: watch::Receiver<bool>) -> Self {
        Self { cache, ready }
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
        let (namespace, name) = (key.namespace.as_deref(), key.name.as_str());
        let entry = {
            let contents = self.cache.look();
            contents.get(&(namespace, name)).or_else(|| contents.get(&(None, name))).cloned()
        };
        self.read(&entry?)
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
        self.scan_all().iter().filter_map(|entry| self.read(entry)).find(|object| predicate(object))
    }

    /// All objects that `predicate` accepts.
    pub fn state_filter<P>(&self, predicate: P) -> Vec<Arc<K>>
    where
        P: Fn(&K) -> bool,
    {
        let entries = self.scan_all();
        entries.iter().filter_map(|entry| self.read(entry)).filter(|object| predicate(object)).collect()
    }

    /// All objects whose labels match; only those are decoded.
    pub fn state_filter_selector(&self, selector: &Selector) -> Vec<Arc<K>>
    where
        K: Resource,
    {
        let entries = self.scan();
        entries.iter().filter(|entry| entry.matches(selector)).filter_map(|entry| self.read(entry)).collect()
    }

    /// All objects as they lie there, none of them decoded, in the order of their namespaces and names.
    pub fn scan(&self) -> Vec<Entry<K>> {
        self.cache.look().shelf.iter().map(|(_, entry)| entry.clone()).collect()
    }

    /// The objects whose latest version does not decode, in the order of their namespaces and names. They count in
    /// [`len`](Self::len) and stay in the store; [`get`](Self::get) and [`state`](Self::state) show the last version
    /// that was read, if there was one.
    ///
    /// Objects that were not read yet are decoded to find out, each version once.
    pub fn undecodable(&self) -> Vec<Undecodable> {
        self.scan().iter().filter_map(Self::fault).collect()
    }

    /// Those of [`undecodable`](Self::undecodable) that were read already; decodes nothing.
    pub(crate) fn found_undecodable(&self) -> Vec<Undecodable> {
        let entries: Vec<_> = {
            let contents = self.cache.read();
            let found = contents.shelf.iter().filter(|(_, entry)| entry.is_found_unreadable());
            found.map(|(_, entry)| entry.clone()).collect()
        };
        entries.iter().filter_map(Self::fault).collect()
    }

    fn fault(entry: &Entry<K>) -> Option<Undecodable> {
        let error = entry.fault()?;
        Some(Undecodable { key: entry.key(), error, is_kept: entry.last_readable().is_some() })
    }

    /// Whether readers see every object there is. Ask this before deleting what the store does not show: where
    /// it is not complete, an object exists that [`state`](Self::state) cannot show in any version.
    pub fn is_complete(&self) -> bool {
        self.is_ready() && self.undecodable().iter().all(|it| it.is_kept)
    }

    /// The version up to which the store has seen the world: that of the last change, list or bookmark of the watch
    /// that fills it. For a stream that is not a [`watcher`](crate::watcher()) itself, the latest version of an object.
    pub fn resource_version(&self) -> Option<String> {
        self.cache.read().seen.version()
    }

    /// Adds an index: `values` yields the values under which an object is found. It can be added at any time and is then
    /// kept up to date; the function is called once for each version of an object, by the writer of the store, and
    /// must not block. An object for which it panics is in the store but not in the index.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use pintle_runtime::reflector;
    /// let (pods, _writer) = reflector::store::<Pod>();
    /// pods.add_index("node", |pod| pod.spec.as_ref().and_then(|spec| spec.node_name.clone()))?;
    /// assert!(pods.by_index("node", "n1")?.is_empty());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is one of that name.
    pub fn add_index<V>(&self, name: &str, values: impl Fn(&K) -> V + Send + Sync + 'static) -> Result<(), IndexExists>
    where
        V: IntoIterator<Item: AsRef<str>>,
    {
        let function = move |entry: &Entry<K>| match entry.last_readable() {
            Some(object) => values(&object).into_iter().map(|value| Arc::from(value.as_ref())).collect(),
            None => Vec::new(),
        };
        self.cache.add_index(name, &Rule::new(name, Box::new(function)))
    }

    /// Drops an index; returns whether there was one of that name.
    pub fn remove_index(&self, name: &str) -> bool {
        self.cache.remove_index(name)
    }

    /// The values by which the index `name` finds anything, in their order.
    ///
    /// # Errors
    /// If there is no index of that name.
    pub fn index_values(&self, name: &str) -> Result<Vec<String>, NoSuchIndex> {
        self.cache.look().indexes.values(name)
    }

    /// The objects that the index `name` finds under `value`.
    ///
    /// # Errors
    /// If there is no index of that name.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Vec<Arc<K>>, NoSuchIndex>
    where
        K: Resource + 'static,
    {
        self.select(&Query::new().by(name, value))
    }

    /// The objects that the object with this uid owns. The index for it is made when it is first asked for.
    pub fn owned_by(&self, uid: &str) -> Vec<Arc<K>>
    where
        K: Resource + 'static,
    {
        self.select(&Query::new().owned_by(uid)).unwrap_or_default()
    }

    /// The objects of one namespace.
    pub fn within(&self, namespace: &str) -> Vec<Arc<K>>
    where
        K: Resource + 'static,
    {
        self.select(&Query::new().within(namespace)).unwrap_or_default()
    }

    /// The objects for which all of `query` holds; only those are decoded.
    ///
    /// # Errors
    /// If it names an index that is not there.
    pub fn select(&self, query: &Query) -> Result<Vec<Arc<K>>, NoSuchIndex>
    where
        K: Resource + 'static,
    {
        Ok(self.scan_by(query)?.iter().filter_map(|entry| self.read(entry)).collect())
    }

    /// As [`select`](Self::select), and nothing is decoded.
    ///
    /// # Errors
    /// If it names an index that is not there.
    pub fn scan_by(&self, query: &Query) -> Result<Vec<Entry<K>>, NoSuchIndex>
    where
        K: Resource + 'static,
    {
        if query.asks_for_owners() && !self.cache.read().indexes.has(OWNER) {
            // Another thread adding it at the same time is as good.
            let _ = self.cache.add_index(OWNER, &Rule::new(OWNER, Box::new(Entry::owner_uids)));
        }
        query.find(&self.cache.look())
    }

    /// Calls `look` with each object, decoding one at a time and keeping none of them.
    pub fn for_each(&self, mut look: impl FnMut(&K)) {
        for entry in self.scan() {
            if let Some(object) = entry.last_readable() {
                look(&object);
            }
        }
    }

    /// Every change from now on, old and new, deletes included, beginning with what is there.
    pub fn changes(&self) -> Changes<K> {
        Changes::new(self.listen())
    }

    /// Calls `handler` for what is there and for what comes, changes and goes, in a task of its own, until the
    /// registration is dropped. Call it on a tokio runtime.
    pub fn handle(&self, handler: Handler<K>) -> Registration
    where
        K: Send + Sync + 'static,
        K::DynamicType: Send + Sync,
    {
        handler::register(self.clone(), handler)
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.cache.look().shelf.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks at every entry under the lock; also before the store is ready.
    pub(super) fn for_each_entry(&self, look: impl FnMut(&Entry<K>)) {
        self.cache.read().shelf.iter().map(|(_, entry)| entry).for_each(look);
    }

    /// What lies under `key`.
    pub(crate) fn entry_by(&self, key: &Key) -> Option<Entry<K>> {
        self.cache.entry(key)
    }

    /// The object of `entry` for a reconcile. `comes_back` says whether its controller is likely to come back to this version:
    /// one that others wake, too. What is not kept is decoded over what `spare` gives.
    ///
    /// # Errors
    /// If it is not a `K`.
    pub(crate) fn read_to_reconcile(
        &self,
        entry: &Entry<K>,
        comes_back: bool,
        spare: impl FnOnce() -> Option<Arc<K>>,
    ) -> Result<Arc<K>, DecodeError> {
        entry.read_to_reconcile(&self.cache.hot, comes_back, spare)
    }

    /// The object for a reader who may come back to it.
    fn read(&self, entry: &Entry<K>) -> Option<Arc<K>> {
        entry.read(&self.cache.hot)
    }

    /// As [`scan`](Self::scan), for a caller that will decode all of it; that is logged once where it is not cheap.
    fn scan_all(&self) -> Vec<Entry<K>> {
        let entries = self.scan();
        if entries.iter().any(Entry::is_beyond_budget) {
            self.cache.mention_size(entries.len());
        }
        entries
    }

    pub(crate) fn listen(&self) -> Inbox<Entry<K>> {
        self.cache.listen()
    }

    /// The key under which an object lies: `key`, or the same without its namespace.
    pub(crate) fn resolve(&self, key: Key) -> Option<Key> {
        let contents = self.cache.read();
        if contents.get(&key).is_some() {
            return Some(key);
        }
        let clusterwide = Key { namespace: None, ..key };
        contents.get(&clusterwide).is_some().then_some(clusterwide)
    }

    /// How the watch that fills it is doing, if it is one of ours.
    pub(crate) fn health(&self) -> Option<Health> {
        self.cache.read().seen.health().cloned()
    }
}

/// An object in a store whose latest version is not of the store's type.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Undecodable {
    /// Which object.
    pub key: Key,
    /// Why; it names the place and shows nothing of the object.
    pub error: DecodeError,
    /// Whether an earlier version did decode, so that readers see that one. If not, they see no object.
    pub is_kept: bool,
}

impl fmt::Display for Undecodable {
    /// Names the object and the place in it; `error` does both.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = if self.is_kept { "an earlier version is in use" } else { "it is not in use" };
        write!(f, "{}; {kept}", self.error)
    }
}

impl<K: Lookup> Clone for Store<K> {
    fn clone(&self) -> Self {
        Self { cache: Arc::clone(&self.cache), ready: self.ready.clone() }
    }
}

impl<K: Lookup> fmt::Debug for Store<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.cache.read().shelf.len();
        f.debug_struct("Store").field("len", &len).field("is_ready", &self.is_ready()).finish()
    }
}
