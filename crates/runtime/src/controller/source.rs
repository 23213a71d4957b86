//! The watches of a controller, each turned into a stream of the keys it wakes.
//!
//! ```text
//!   watch of K             ──► Writer's shelf       ──► Changed ──► itself  ─┐
//!   watch of owned heads   ──► shelf of heads       ──► Changed ──► Owners  ─┼──► Triggered
//!   watch of others        ──► shelf, packed        ──► Changed ──► mapper  ─┤
//!   streams of the user    ────────────────────────────────────► mapper  ────┘   (source/foreign.rs)
//! ```
//!
//! Each has its own watch, its own backoff and its own shelf, so a delete that a relist hid wakes as well. What the
//! user's functions do when they panic is caught here: it is told, and nobody else is touched.

pub(super) mod changed;
pub(super) mod merged;
pub(super) mod namespaces;
pub(super) mod own_watch;
pub(super) mod read_store;
pub(super) mod shared_backoff;
pub(super) mod trigger;
pub(super) mod user_stream;
pub(super) mod version_waiters;
pub(super) mod watch_progress;

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::stream::{BoxStream, StreamExt};
use pintle_core::discovery::ApiResource;
use pintle_core::reference::{Lookup, ObjectRef};
use pintle_core::{DynamicObject, PartialObjectMeta, Resource};
use pintle_wire::{Body, Head, Packed};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::controller::machine::loop_detector::{Origin, State};
use crate::controller::reconciler::panics::{Panic, catch};
use crate::controller::source::changed::{Changed, Judgement};
use crate::controller::source::trigger::{Cause, Owned, Owners, key_named};
use crate::controller::source::watch_progress::WatchProgress;
use crate::queue::{PRIORITY_LOW, PRIORITY_NORMAL, Priority};
use crate::reflector::Writer;
use crate::reflector::early_reads::allowing_early_reads;
use crate::reflector::entry::{Entry, packed_key};
use crate::reflector::shelf::{Change, Incoming, Key, Shelf, Shelved};
use crate::watcher::{self, Event, undecodable};
use own_watch::{Observed, OwnWatch};

/// What one event of a watch brought.
pub(super) struct Triggered<K, Q> {
    /// Who should be reconciled.
    pub(super) wakes: Vec<Wake>,
    /// Which of the controller's own objects are gone, as they were last known.
    pub(super) deleted: Vec<(Key, Entry<K>)>,
    /// What went wrong on the way, so that somebody may not have been woken.
    pub(super) errors: Vec<SourceError<Q>>,
    /// Whether a list is complete with it.
    pub(super) is_list_complete: bool,
    /// Whether everybody should be reconciled.
    pub(super) wakes_all: bool,
    /// Whoever was reconciled since then may have seen what came and went unseen here.
    pub(super) unsure_since: Option<Instant>,
}

/// One key that is woken.
#[derive(Clone, Debug)]
pub(super) struct Wake {
    pub(super) key: Key,
    pub(super) cause: Cause,
    pub(super) priority: Priority,
    /// Whether the object is believed to exist though the store does not have it yet.
    pub(super) insists: bool,
    /// The object whose change woke it, if that is known.
    pub(super) origin: Option<Origin>,
}

/// What goes wrong in a source without ending it.
pub(super) enum SourceError<Q> {
    /// An object could not be read.
    Watch(Q),
    /// A function of the user panicked on this object.
    Panicked(Box<ObjectRef<DynamicObject>>, Panic),
}

/// Whether the server refuses a watch until somebody changes the cluster.
pub(super) fn is_refused(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref().is_some_and(watcher::Error::is_refused)
}

/// The keys one watch wakes.
pub(super) type Source<K> = BoxStream<'static, watcher::Result<Triggered<K, watcher::Error>>>;

impl<K, Q> Default for Triggered<K, Q> {
    fn default() -> Self {
        Self {
            wakes: Vec::new(),
            deleted: Vec::new(),
            errors: Vec::new(),
            is_list_complete: false,
            wakes_all: false,
            unsure_since: None,
        }
    }
}

impl Wake {
    pub(super) fn new(key: Key, cause: Cause) -> Self {
        Self { key, cause, priority: PRIORITY_NORMAL, insists: false, origin: None }
    }

    fn by(mut self, origin: Option<Origin>) -> Self {
        self.origin = origin;
        self
    }
}

/// What is known of a source besides its stream.
pub(super) struct Lens {
    /// The kind it watches.
    pub(super) kind: Arc<ApiResource>,
    /// Which changes wake.
    pub(super) changed: Option<Changed>,
    has_warned: bool,
}

impl Lens {
    pub(super) fn new<K: Lookup>(dyntype: &K::DynamicType, changed: Option<Changed>) -> Self {
        let kind = ApiResource {
            group: K::group(dyntype).into(),
            version: K::version(dyntype).into(),
            api_version: K::api_version(dyntype).into(),
            kind: K::kind(dyntype).into(),
            plural: K::plural(dyntype).into(),
        };
        Self { kind: Arc::new(kind), changed, has_warned: false }
    }

    /// Whether a change matters; a judgement that panics is told, and the change matters.
    fn admits<K, Q>(&mut self, key: &Key, old: Option<&Head>, new: Option<&Head>, woken: &mut Triggered<K, Q>) -> bool {
        match self.changed.as_ref().map_or(Judgement::Matters, |changed| changed.judge(old, new)) {
            Judgement::Matters => true,
            Judgement::Hidden => false,
            Judgement::HiddenFinalizers => {
                if !std::mem::replace(&mut self.has_warned, true) {
                    let (kind, name) = (&self.kind.kind, &key.name);
                    tracing::warn!(%kind, %name, "a change of finalizers wakes nobody, because only the generation is \
                        looked at: use Changed::generation().or(Changed::finalizers())");
                }
                false
            }
            Judgement::Panicked(panic) => {
                woken.errors.push(SourceError::Panicked(Box::new(self.name(key)), panic));
                true
            }
        }
    }

    fn name(&self, key: &Key) -> ObjectRef<DynamicObject> {
        let name = ObjectRef::new_with(&key.name, ApiResource::clone(&self.kind));
        match &key.namespace {
            Some(namespace) => name.within(namespace),
            None => name,
        }
    }

    /// A change, as what woke somebody.
    fn origin(&self, key: &Key, old: Option<&Head>, new: Option<&Head>) -> Option<Origin> {
        let state = match new {
            Some(new) => State::Version(new.resource_version()?.number()?),
            None => State::Gone(old?.uid()?.into_owned()),
        };
        Some(Origin { kind: Arc::clone(&self.kind), key: key.clone(), state })
    }

    fn related(&self, key: &Key) -> Cause {
        Cause::Related { kind: Arc::clone(&self.kind), key: key.clone() }
    }
}

/// The controller's own objects: fills the store, wakes what changed.
pub(super) fn main<K>(watch: OwnWatch<K>, mut writer: Writer<K>, mut lens: Lens) -> Source<K>
where
    K: Resource + DeserializeOwned + Send + Sync + 'static,
    K::DynamicType: Clone,
{
    let mut has_synced = false;
    let store = writer.as_reader();
    watch.progress().look_by(move |key, see| {
        if let Some(entry) = store.entry_by(key) {
            entry.show(|head, body| see(head, Some(body)));
        }
    });
    watch
        .map(move |observed| {
            let Observed::Event { event, is_rescoped, health, .. } = observed? else { return Ok(Triggered::default()) };
            if let Some(health) = health {
                writer.fed_by(health);
            }
            let completes = matches!(event, Event::InitDone);
            let mut woken = Triggered { is_list_complete: completes, ..Triggered::default() };
            let priority = if completes && !has_synced { PRIORITY_LOW } else { PRIORITY_NORMAL };
            has_synced |= completes;
            for Change { key, old, new } in writer.apply_packed(event) {
                let (before, after) = (old.as_ref().and_then(Entry::head), new.as_ref().and_then(Entry::head));
                let is_another = matches!((before, after), (Some(old), Some(new)) if old.uid() != new.uid());
                // Nobody was reconciled by what could not be read, so whatever follows it is news.
                let was_unread = old.as_ref().is_some_and(Entry::is_found_unreadable);
                let wakes = new.is_some() && (was_unread || lens.admits(&key, before, after, &mut woken));
                let origin = lens.origin(&key, before, after);
                if (new.is_none() || is_another) && !is_rescoped {
                    woken.deleted.extend(old.map(|old| (key.clone(), old)));
                }
                if wakes {
                    woken.wakes.push(Wake { priority, origin, ..Wake::new(key, Cause::Itself) });
                }
            }
            Ok(woken)
        })
        .boxed()
}

/// Objects that belong to the controller's: remembers heads, wakes owners.
pub(super) fn owned<C, K>(watch: OwnWatch<PartialObjectMeta<C>>, owners: Owners, mut lens: Lens) -> Source<K>
where
    C: Resource + DeserializeOwned + Send + 'static,
    K: 'static,
{
    let mut shelf = SharedShelf::default();
    let progress = watch.progress();
    shelf.shown_to(&progress, |owned: &Owned| (&owned.head, owned.body.as_deref().map(Body::json)));
    shelved(watch, move |event, woken| {
        let remember = |packed: Packed<_>| {
            let key = packed_key(&packed);
            let body = progress.is_suspect(&key).then(|| packed.body().bytes().into());
            Ok::<_, Infallible>((key, Owned { head: Arc::new(packed.into_head()), body }))
        };
        let Ok(event) = event.try_map(remember);
        for change in shelf.apply(event) {
            let (old, new) = (change.old.as_ref().map(|old| &*old.head), change.new.as_ref().map(|new| &*new.head));
            if lens.admits(&change.key, old, new, woken) {
                let origin = lens.origin(&change.key, old, new);
                let wake = |key| Wake::new(key, lens.related(&change.key)).by(origin.clone());
                woken.wakes.extend(owners.wake(&change).into_iter().map(wake));
            }
        }
    })
}

/// Objects that concern the controller's: remembers them packed, wakes whom `mapper` names for what was there before
/// and for what is there now.
pub(super) fn watched<O, K, I>(
    watch: OwnWatch<O>,
    mapper: impl Fn(O) -> I + Send + Sync + 'static,
    mut lens: Lens,
) -> Source<K>
where
    O: Resource + DeserializeOwned + fmt::Debug + Send + 'static,
    K: Lookup + 'static,
    I: IntoIterator<Item = ObjectRef<K>>,
{
    let mut shelf = SharedShelf::default();
    shelf.shown_to(&watch.progress(), |packed: &Packed<O>| (packed.head(), Some(packed.body())));
    // Those of which nobody could say whom they concern: whatever follows is news.
    let mut unread = HashSet::new();
    shelved(watch, move |event, woken| {
        let Ok(event) = event.try_map(|packed| Ok::<_, Infallible>((packed_key(&packed), packed)));
        // A mapper may name thousands, and the same ones for each object of a list.
        let mut named = HashSet::new();
        for Change { key, old, new } in shelf.apply(event) {
            let (before, after) = (old.as_ref().map(Packed::head), new.as_ref().map(Packed::head));
            let was_unread = unread.remove(&key);
            if !was_unread && !lens.admits(&key, before, after, woken) {
                continue;
            }
            let origin = lens.origin(&key, before, after);
            let concerns = |packed| concerned(&mapper, &packed, &lens, &key);
            // That the old one could not be read was told when it came.
            let (before, now) = (old.filter(|_| !was_unread).map(concerns), new.map(concerns));
            if matches!(now, Some(Err(SourceError::Watch(_)))) {
                unread.insert(key.clone());
            }
            for told in [before, now].into_iter().flatten() {
                match told {
                    Ok(targets) => {
                        let new = targets.into_iter().filter(|target| named.insert(target.clone()));
                        woken.wakes.extend(new.map(|target| Wake::new(target, lens.related(&key)).by(origin.clone())));
                    }
                    Err(trouble) => woken.errors.push(trouble),
                }
            }
        }
    })
}

/// Whom an object concerns, or why nobody can say.
fn concerned<O, K: Lookup, I: IntoIterator<Item = ObjectRef<K>>>(
    mapper: impl Fn(O) -> I,
    packed: &Packed<O>,
    lens: &Lens,
    key: &Key,
) -> Result<Vec<Key>, SourceError<watcher::Error>> {
    let object = packed.decode().map_err(|error| SourceError::Watch(undecodable(&error)))?;
    map(mapper, object).map_err(|panic| SourceError::Panicked(Box::new(lens.name(key)), panic))
}

/// Whom `mapper` names; nobody can say if it panics. It may look into stores that are not ready yet: whoever is in them
/// is reconciled once they are.
fn map<O, K: Lookup, I: IntoIterator<Item = ObjectRef<K>>>(
    mapper: impl Fn(O) -> I,
    object: O,
) -> Result<Vec<Key>, Panic> {
    let map = || mapper(object).into_iter().map(|reference| key_named(&reference)).collect();
    catch(|| allowing_early_reads(map))
}

/// A source that keeps a shelf of its own; what the first list wakes is not urgent.
fn shelved<T, K: 'static>(
    watch: OwnWatch<T>,
    mut wake: impl FnMut(Event<Packed<T>>, &mut Triggered<K, watcher::Error>) + Send + 'static,
) -> Source<K>
where
    T: Resource + DeserializeOwned + Send + 'static,
{
    let mut has_synced = false;
    watch
        .map(move |observed| {
            let Observed::Event { event, unsure_since, .. } = observed? else { return Ok(Triggered::default()) };
            let completes = matches!(event, Event::InitDone);
            let mut woken = Triggered { is_list_complete: completes, unsure_since, ..Triggered::default() };
            wake(event, &mut woken);
            if completes && !std::mem::replace(&mut has_synced, true) {
                woken.wakes.iter_mut().for_each(|wake| wake.priority = PRIORITY_LOW);
            }
            Ok(woken)
        })
        .boxed()
}

/// A shelf that a [`WatchProgress`] looks at, too, and the list on its way to it, which nobody else sees.
struct SharedShelf<E> {
    shelf: Arc<Mutex<Shelf<E>>>,
    incoming: Incoming<E>,
}

impl<E: Shelved> SharedShelf<E> {
    fn apply(&mut self, event: Event<(Key, E)>) -> Vec<Change<E>> {
        let event = match event {
            Event::InitApply((key, entry)) => Event::InitApply(self.carried_over(key, entry)),
            other => other,
        };
        locked(&self.shelf).apply(&mut self.incoming, event)
    }

    /// What lies there already, if it is the same state; compared outside the lock, as it may have to be decoded.
    fn carried_over(&self, key: Key, entry: E) -> (Key, E) {
        let known = locked(&self.shelf).get(&key).cloned();
        let carried = known.filter(|known| known.is_same_state(&entry)).unwrap_or(entry);
        (key, carried)
    }

    fn shown_to(&self, progress: &WatchProgress, shown: fn(&E) -> (&Head, Option<Body<'_>>))
    where
        E: Send + 'static,
    {
        let shelf = Arc::clone(&self.shelf);
        progress.look_by(move |key, see| {
            if let Some(entry) = locked(&shelf).get(key) {
                let (head, body) = shown(entry);
                see(head, body);
            }
        });
    }
}

// Nothing panics while it is locked.
fn locked<E>(shelf: &Mutex<Shelf<E>>) -> MutexGuard<'_, Shelf<E>> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<E> Default for SharedShelf<E> {
    fn default() -> Self {
        Self { shelf: Arc::default(), incoming: Incoming::default() }
    }
}

impl<K> Shelved for Packed<K> {
    fn is_same_state(&self, other: &Self) -> bool {
        let is_mended =
            || self.body().bytes() != other.body().bytes() && self.decode().is_err() && other.decode().is_ok();
        self.head().is_same_state(other.head()) && !is_mended()
    }

    fn is_carried_over(&self, other: &Self) -> bool {
        std::ptr::eq(self.head(), other.head())
    }
}
