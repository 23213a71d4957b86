//! Fills a store with what a watch brings.
//!
//! In: one event after the other. Out: what each changed. An object that lies there in the same state already is
//! recognized by its head, before anything is made of what came; a list is gathered here, where no reader and no lock is,
//! until it is complete.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use pintle_core::reference::Lookup;
use pintle_core::resource_version::ResourceVersion;
use pintle_wire::Packed;
use tokio::sync::watch;

use super::entry::{Entry, Verdict, key_of, packed_key};
use super::index::Rule;
use super::memory::budget::DecodedBudget;
use super::memory::compress_queue::Turn;
use super::memory::storage::{ManagedFields, Storage};
use super::shared_cache::SharedCache;
use super::shelf::{Change, Incoming, Key};
use super::store::Store;
use super::subscribers::subscribe::ReflectHandle;
use crate::watcher::handover::HandedOver;
use crate::watcher::{Event, Health};

/// Fills a store; there is one.
pub struct Writer<K: Lookup + 'static> {
    cache: Arc<SharedCache<K>>,
    ready: watch::Sender<bool>,
    dyntype: K::DynamicType,
    is_shared: bool,
    storage: Arc<Storage>,
    incoming: Incoming<Entry<K>>,
    /// What the list that is being read takes the place of.
    superseded: Vec<Entry<K>>,
    /// Whether something came while there was room to keep it decoded.
    has_within_budget: bool,
    /// The indexes there were when the list began.
    rules: Vec<Arc<Rule<K>>>,
    /// The latest version of an object.
    latest: Option<ResourceVersion>,
}

/// An object on its way into a store.
enum Arrival<'a, K> {
    /// And whether it decodes, if that is known.
    Packed(Packed<K>, Option<Verdict>),
    /// And how it is copied, should the store not have it.
    Plain(&'a K, fn(&K) -> K),
}

impl<K: Lookup + 'static> Writer<K>
where
    K::DynamicType: Clone,
{
    /// A writer whose store is empty and not ready.
    pub fn new(dyntype: K::DynamicType) -> Self {
        Self {
            cache: Arc::default(),
            ready: watch::Sender::new(false),
            dyntype,
            is_shared: false,
            storage: Arc::default(),
            incoming: Incoming::default(),
            superseded: Vec::new(),
            has_within_budget: false,
            rules: Vec::new(),
            latest: None,
        }
    }

    /// Lets the objects of its store have their `metadata.managedFields`. Unless this is asked for, a store that is
    /// filled by `watcher(…).reflect(writer)`, a controller or an informer decodes its objects without them; one that is
    /// filled by [`reflector`](super::reflector()) has them, and objects that come decoded are never changed.
    #[must_use]
    pub fn with_managed_fields(mut self) -> Self {
        Arc::make_mut(&mut self.storage).managed_fields = ManagedFields::Kept;
        self
    }

    /// Counts the objects that come from now on in `budget` instead of in that of the process.
    #[must_use]
    pub fn with_budget(mut self, budget: &DecodedBudget) -> Self {
        Arc::make_mut(&mut self.storage).budget = budget.clone();
        self
    }

    /// A writer whose store can be [subscribed](Self::subscribe) to.
    ///
    /// `buf_size` is kube's and means nothing here: a subscriber's backlog holds each object once, and no writer waits
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
        Store::new(Arc::clone(&self.cache), self.ready.subscribe())
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
        self.apply(match event {
            Event::Init => Event::Init,
            Event::InitDone => Event::InitDone,
            Event::InitApply(object) => Event::InitApply(Arrival::Plain(object, K::clone)),
            Event::Apply(object) => Event::Apply(Arrival::Plain(object, K::clone)),
            Event::Delete(object) => Event::Delete(Arrival::Plain(object, K::clone)),
        });
    }

    /// Brings the store to where `event` says, without decoding its object, and returns what that changed.
    pub(crate) fn apply_packed(&mut self, event: Event<Packed<K>>) -> Vec<Change<Entry<K>>> {
        self.apply_judged(event, None)
    }

    /// As [`apply_packed`](Self::apply_packed), for what a watcher also passes on decoded.
    pub(crate) fn apply_handed_over(&mut self, came: HandedOver<K>) {
        if let Some(health) = came.health {
            self.fed_by(health);
        }
        self.apply_judged(came.event, came.verdict);
    }

    fn apply_judged(&mut self, event: Event<Packed<K>>, verdict: Option<Verdict>) -> Vec<Change<Entry<K>>> {
        let Ok(event) = event.try_map(|packed| Ok::<_, Infallible>(Arrival::Packed(packed, verdict)));
        self.apply(event)
    }

    /// How its objects are kept.
    #[cfg(test)]
    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Names the watch that fills the store, so that the store knows its version.
    pub(crate) fn fed_by(&self, health: Health) {
        self.cache.fed_by(health);
    }
}

impl<K: Lookup + 'static> Writer<K> {
    fn apply(&mut self, event: Event<Arrival<'_, K>>) -> Vec<Change<Entry<K>>> {
        self.cache.hot.relax();
        match event {
            Event::Init => {
                self.rules = self.cache.rules();
                self.incoming.begin();
                self.superseded.drain(..).for_each(|entry| entry.reinstate());
                Vec::new()
            }
            Event::InitApply(arrival) => {
                let (key, entry) = self.admit(arrival, Turn::Next);
                self.rules.iter().for_each(|rule| rule.prepare(&entry));
                self.incoming.insert(key, entry);
                if !self.is_synced() && self.must_let_go_of_decoded() {
                    for entry in self.incoming.entries_mut() {
                        if let Some(lean) = entry.without_decoded() {
                            lean.take_over_values(entry);
                            *entry = lean;
                        }
                    }
                }
                Vec::new()
            }
            Event::InitDone => {
                let changes = self.cache.replace(self.incoming.complete(), self.latest.as_ref());
                self.superseded = Vec::new();
                self.ready.send_if_modified(|is_ready| !std::mem::replace(is_ready, true));
                self.make_room();
                changes
            }
            Event::Apply(arrival) => {
                let (key, entry) = self.admit(arrival, Turn::AfterRest);
                let change = self.cache.insert(key, entry, self.latest.as_ref());
                self.make_room();
                vec![change]
            }
            Event::Delete(arrival) => {
                self.note_version(&arrival);
                self.cache.remove(arrival.key(), self.latest.as_ref()).into_iter().collect()
            }
        }
    }

    /// What lies in the store already, if it is the same state of the same object; else an entry of what came, which
    /// follows the state before it.
    fn admit(&mut self, arrival: Arrival<'_, K>, turn: Turn) -> (Key, Entry<K>) {
        self.note_version(&arrival);
        let key = arrival.key();
        let known = self.cache.entry(&key);
        let entry = match (arrival, known) {
            (Arrival::Packed(packed, verdict), Some(known)) if known.is_state(&packed) => {
                if let Some(verdict) = verdict {
                    known.judge(verdict);
                }
                known
            }
            (Arrival::Packed(packed, verdict), known) => {
                if let Some(known) = known.as_ref().filter(|_| turn == Turn::Next) {
                    known.supersede();
                    self.superseded.push(known.clone());
                }
                let before = known.filter(|known| known.is_object(&packed));
                Entry::packed(packed, verdict, before.as_ref(), turn, &self.storage)
            }
            (Arrival::Plain(object, _), Some(known)) if known.is_plain_state(object) => known,
            (Arrival::Plain(object, copy), _) => Entry::plain(key.clone(), copy(object)),
        };
        self.has_within_budget |= entry.is_within_budget();
        (key, entry)
    }

    /// Where a store turns out to be too large, what came first is kept as what came later. No list is being read then: what lies in the
    /// store would be taken for changed.
    fn make_room(&mut self) {
        if self.must_let_go_of_decoded() {
            self.cache.let_go_of_decoded();
        }
    }

    fn must_let_go_of_decoded(&mut self) -> bool {
        let must = self.has_within_budget && self.storage.budget.is_far_exceeded();
        self.has_within_budget &= !must;
        must
    }

    fn is_synced(&self) -> bool {
        *self.ready.borrow()
    }

    /// What a stream that is not a watch of ours lets one know of how far it came.
    fn note_version(&mut self, arrival: &Arrival<'_, K>) {
        let version = match arrival {
            Arrival::Packed(packed, _) => packed.head().resource_version().cloned(),
            Arrival::Plain(object, _) => object.resource_version().as_deref().and_then(ResourceVersion::parse),
        };
        let is_older = |new: &ResourceVersion| self.latest.as_ref().is_some_and(|latest| latest.is_newer_than(new));
        if let Some(version) = version.filter(|version| !is_older(version)) {
            self.latest = Some(version);
        }
    }
}

impl<K: Lookup> Arrival<'_, K> {
    fn key(&self) -> Key {
        match self {
            Self::Packed(packed, _) => packed_key(packed),
            Self::Plain(object, _) => key_of(*object),
        }
    }
}

impl<K> Default for Writer<K>
where
    K: Lookup + 'static,
    K::DynamicType: Default + Clone,
{
    fn default() -> Self {
        Self::new(K::DynamicType::default())
    }
}

impl<K: Lookup + 'static> Drop for Writer<K> {
    fn drop(&mut self) {
        // What a broken list was to take the place of stays.
        self.superseded.drain(..).for_each(|entry| entry.reinstate());
        self.cache.abandon();
    }
}

impl<K: Lookup + 'static> fmt::Debug for Writer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("len", &self.cache.read().shelf.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
