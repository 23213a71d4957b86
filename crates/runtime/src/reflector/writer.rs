//! The one who fills a store.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use pintle_core::reference::Lookup;
use pintle_wire::Packed;
use tokio::sync::watch;

use super::cold::SharedPress;
use super::entry::{Entry, ManagedFields, packed_key};
use super::shelf::{Change, Key};
use super::stock::Stock;
use super::store::Store;
use super::subscribe::ReflectHandle;
use crate::watcher::{Event, Health};

/// Fills a store; there is one.
pub struct Writer<K: Lookup> {
    stock: Arc<Stock<K>>,
    ready: watch::Sender<bool>,
    dyntype: K::DynamicType,
    is_shared: bool,
    managed_fields: ManagedFields,
    press: SharedPress,
}

impl<K: Lookup> Writer<K>
where
    K::DynamicType: Clone,
{
    /// A writer whose store is empty and not ready.
    pub fn new(dyntype: K::DynamicType) -> Self {
        Self {
            stock: Arc::default(),
            ready: watch::Sender::new(false),
            dyntype,
            is_shared: false,
            managed_fields: ManagedFields::default(),
            press: SharedPress::default(),
        }
    }

    /// Lets the objects of its store have their `metadata.managedFields`. Unless this is asked for, a store that is
    /// filled by `watcher(…).reflect(writer)`, a controller or an informer decodes its objects without them; objects
    /// that come decoded are never changed.
    #[must_use]
    pub fn with_managed_fields(mut self) -> Self {
        self.managed_fields = ManagedFields::Kept;
        self
    }

    /// A writer whose store can be [subscribed](Self::subscribe) to.
    ///
    /// `buf_size` is kube's and means nothing here: a subscriber's backlog holds each object once, and nobody waits
    /// for a slow one.
    pub fn new_shared(buf_size: usize, dyntype: K::DynamicType) -> Self {
        let _ = buf_size;
        let mut writer = Self::new(dyntype);
        writer.is_shared = true;
        writer
    }

    /// A reader of its store.
    #[must_use]
    pub fn as_reader(&self) -> Store<K> {
        Store::new(Arc::clone(&self.stock), self.ready.subscribe())
    }

    /// The objects as they come and change, beginning with what is there; `None` unless the writer is
    /// [shared](Self::new_shared).
    pub fn subscribe(&self) -> Option<ReflectHandle<K>>
    where
        K: Clone + 'static,
        K::DynamicType: Eq + std::hash::Hash,
    {
        self.is_shared.then(|| ReflectHandle::new(self.as_reader()))
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
            let entry = Entry::plain(object.clone());
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

    /// Brings the store to where `event` says, without decoding its object, and says what that changed.
    pub(crate) fn apply_packed(&mut self, event: Event<Packed<K>>) -> Vec<Change<Entry<K>>> {
        let Ok(event) = event.try_map(|packed| Ok::<_, Infallible>(self.entry(packed)));
        self.apply(event)
    }

    /// A packed object as it will lie in the store.
    pub(crate) fn entry(&self, packed: Packed<K>) -> (Key, Entry<K>) {
        (packed_key(&packed), Entry::packed(packed, self.managed_fields, &self.press))
    }

    /// What compresses the objects of its store.
    #[cfg(test)]
    pub(crate) fn press(&self) -> SharedPress {
        Arc::clone(&self.press)
    }

    /// Says which watch fills the store, so that the store knows its version.
    pub(crate) fn fed_by(&self, health: Health) {
        self.stock.fed_by(health);
    }

    pub(crate) fn apply(&mut self, delta: Event<(Key, Entry<K>)>) -> Vec<Change<Entry<K>>> {
        let completes = matches!(delta, Event::InitDone);
        let changes = self.stock.apply(delta);
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

impl<K: Lookup> Drop for Writer<K> {
    fn drop(&mut self) {
        self.stock.abandon();
    }
}

impl<K: Lookup> fmt::Debug for Writer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("len", &self.stock.read().shelf.len()).finish_non_exhaustive()
    }
}
