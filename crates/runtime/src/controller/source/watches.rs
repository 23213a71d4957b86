//! The watches of a controller as sources: those that it opens itself, and those that it shares.
//!
//! A watch of its own has a backoff and a cache of its own, so a delete that a relist hid wakes as well; a shared one has
//! a cache that all share. A long list is handed on in pieces: decoding and mapping thousands of objects at once would keep the whole task from anything else.

use std::collections::{HashSet, VecDeque};
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::stream::{Stream, StreamExt};
use pintle_core::reference::{Lookup, ObjectRef};
use pintle_core::{PartialObjectMeta, Resource};
use pintle_wire::{Head, Packed};
use serde::de::DeserializeOwned;

use super::delta::{Delta, Deltas};
use super::fan_out::FanOut;
use super::own_watch::{Observed, OwnWatch};
use super::shared_shelf::SharedShelf;
use super::subscription::{Subscription, WholeEntry};
use super::trigger::{Cause, Itself, Keys, Mapper, Owned, Owners, Trigger};
use super::watched_kind::WatchedKind;
use super::watched_object::WatchedObject;
use super::{Source, Triggered, Wake};
use crate::queue::{PRIORITY_LOW, PRIORITY_NORMAL};
use crate::reflector::entry::packed_key;
use crate::reflector::memory::storage::Storage;
use crate::reflector::shelf::{Change, Key};
use crate::reflector::{Entry, Writer};
use crate::shared_informers::SharedObjects;
use crate::watcher;

/// So many changes of a list are handed on at once: decoding and mapping them takes a few milliseconds.
const PIECE: usize = 64;

/// The controller's own objects by a watch of its own: fills the store, wakes what changed.
pub(in crate::controller) fn main<K>(watch: OwnWatch<K>, mut writer: Writer<K>, kind: WatchedKind) -> Source<K>
where
    K: Resource + DeserializeOwned + Send + Sync + 'static,
    K::DynamicType: Clone,
{
    let (store, mut deltas) = (writer.as_reader(), Deltas::new());
    watch.progress().look_by(move |key, see| {
        if let Some(entry) = store.entry_by(key) {
            entry.show(|head, body| see(head, Some(body)));
        }
    });
    let deltas = watch.map(move |observed| {
        let Observed::Event { event, is_rescoped, health, .. } = observed? else { return Ok(Delta::default()) };
        if let Some(health) = health {
            writer.fed_by(health);
        }
        Ok(deltas.of(event, is_rescoped, None, |event| writer.apply_packed(event)))
    });
    itself(deltas, kind)
}

/// The controller's own objects, whose store is filled elsewhere.
pub(in crate::controller) fn itself<K>(
    deltas: impl Stream<Item = watcher::Result<Delta<Entry<K>>>> + Send + 'static,
    mut kind: WatchedKind,
) -> Source<K>
where
    K: Resource + Send + Sync + 'static,
{
    deltas
        .map(move |delta| {
            let Delta { changes, are_initial, is_list_complete, is_rescoped, is_refused, .. } = delta?;
            let mut triggered = Triggered { is_list_complete, is_refused, ..Triggered::default() };
            let priority = if are_initial { PRIORITY_LOW } else { PRIORITY_NORMAL };
            for change in changes {
                wake_itself(&mut kind, &change, priority, &mut triggered);
                let Change { key, old, new } = change;
                let is_another = matches!((&old, &new), (Some(old), Some(new)) if !old.is_same_object(new));
                if (new.is_none() || is_another) && !is_rescoped {
                    triggered.deleted.extend(old.map(|old| (key, old)));
                }
            }
            Ok(triggered)
        })
        .boxed()
}

fn wake_itself<K>(
    kind: &mut WatchedKind,
    change: &Change<Entry<K>>,
    priority: i32,
    triggered: &mut Triggered<K, watcher::Error>,
) {
    let (old, new) = (change.old.as_ref().and_then(Entry::head), change.new.as_ref().and_then(Entry::head));
    if Itself.is_news(change) || kind.admits(&change.key, old, new, triggered) {
        let mut found = Keys::default();
        Itself.keys(kind, change, &mut found);
        let origin = kind.origin(&change.key, old, new);
        let wake = |key| Wake { priority, origin: origin.clone(), ..Wake::new(key, Cause::Itself) };
        triggered.wakes.extend(found.keys.into_iter().map(wake));
    }
}

/// Objects that belong to the controller's, by a watch of its own: remembers heads, wakes owners.
pub(in crate::controller) fn owned<C, K>(
    watch: OwnWatch<PartialObjectMeta<C>>,
    owners: Owners,
    kind: WatchedKind,
) -> Source<K>
where
    C: Resource + DeserializeOwned + Send + 'static,
    K: 'static,
{
    let (mut shelf, mut deltas) = (SharedShelf::default(), Deltas::new());
    let progress = watch.progress();
    shelf.shown_to(&progress, Owned::show);
    let deltas = watch.map(move |observed| {
        let Observed::Event { event, is_rescoped, unsure_since, .. } = observed? else { return Ok(Delta::default()) };
        let remember = |packed: Packed<_>| Ok::<_, Infallible>(Owned::of(packed, |key| progress.is_suspect(key)));
        let Ok(event) = event.try_map(remember);
        Ok(deltas.of(event, is_rescoped, unsure_since, |event| shelf.apply(event)))
    });
    Related::new(deltas, Owned::head, owners, kind).boxed()
}

/// The same, where all who own such objects share one watch of them.
pub(in crate::controller) fn owned_shared<K: 'static>(
    shared: Subscription<FanOut<Owned>>,
    owners: Owners,
    kind: WatchedKind,
) -> Source<K> {
    Related::new(shared, Owned::head, owners, kind).boxed()
}

/// Objects that concern the controller's, by a watch of its own: remembers them packed, wakes whom `mapper` names for what
/// was there before and for what is there now.
pub(in crate::controller) fn watched<O, K, I>(
    watch: OwnWatch<O>,
    mapper: impl Fn(O) -> I + Send + Sync + 'static,
    kind: WatchedKind,
) -> Source<K>
where
    O: Resource + DeserializeOwned + fmt::Debug + Send + 'static,
    K: Lookup + 'static,
    I: IntoIterator<Item = ObjectRef<K>>,
{
    let (mut shelf, storage, mut deltas) = (SharedShelf::default(), Arc::<Storage>::default(), Deltas::new());
    shelf.shown_to(&watch.progress(), |object: &WatchedObject<O>, see| object.show(see));
    let deltas = watch.map(move |observed| {
        let Observed::Event { event, is_rescoped, unsure_since, .. } = observed? else { return Ok(Delta::default()) };
        let remember = |packed| Ok::<_, Infallible>((packed_key(&packed), WatchedObject::new(packed, &storage)));
        let Ok(event) = event.try_map(remember);
        Ok(deltas.of(event, is_rescoped, unsure_since, |event| shelf.apply(event)))
    });
    Related::new(deltas, |object: &WatchedObject<O>| Some(object.head()), Mapper::<_, K>::new(mapper), kind).boxed()
}

/// The same, where all who look at such objects share one watch of them.
pub(in crate::controller) fn watched_shared<O, K, I>(
    shared: SharedObjects<O>,
    mapper: impl Fn(O) -> I + Send + Sync + 'static,
    kind: WatchedKind,
) -> Source<K>
where
    O: 'static,
    K: Lookup + 'static,
    I: IntoIterator<Item = ObjectRef<K>>,
{
    let mapper = Mapper::<_, K>::new(mapper);
    match shared {
        SharedObjects::OfStore(shared) => Related::new(shared, WholeEntry::head, mapper, kind).boxed(),
        SharedObjects::FannedOut(shared) => {
            Related::new(shared, |object: &WatchedObject<O>| Some(object.head()), mapper, kind).boxed()
        }
    }
}

/// A source of objects that are not the controller's own, remembered as `T`s.
struct Related<S, T, G, K> {
    deltas: S,
    head: fn(&T) -> Option<&Head>,
    trigger: G,
    kind: WatchedKind,
    /// What a list brought and was not handed on yet.
    pending: Pending<T>,
    owner: std::marker::PhantomData<fn() -> K>,
}

struct Pending<T> {
    delta: Delta<T>,
    changes: VecDeque<Change<T>>,
    /// The keys that were named already: a mapper may name the same ones for each object of a list.
    named: HashSet<Key>,
}

impl<S, T, G, K> Related<S, T, G, K>
where
    S: Stream<Item = watcher::Result<Delta<T>>> + Unpin,
    G: Trigger<T>,
{
    fn new(deltas: S, head: fn(&T) -> Option<&Head>, trigger: G, kind: WatchedKind) -> Self {
        let pending = Pending { delta: Delta::default(), changes: VecDeque::new(), named: HashSet::new() };
        Self { deltas, head, trigger, kind, pending, owner: std::marker::PhantomData }
    }

    fn take(&mut self, mut delta: Delta<T>) {
        self.pending.changes = std::mem::take(&mut delta.changes).into();
        self.pending.delta = delta;
    }

    /// The next piece of what is pending; the last one completes the list.
    fn piece(&mut self) -> Triggered<K, watcher::Error> {
        let mut triggered = Triggered::default();
        let priority = if self.pending.delta.are_initial { PRIORITY_LOW } else { PRIORITY_NORMAL };
        for _ in 0..PIECE {
            let Some(change) = self.pending.changes.pop_front() else { break };
            self.wake(&change, priority, &mut triggered);
        }
        if self.pending.changes.is_empty() {
            let delta = std::mem::take(&mut self.pending.delta);
            triggered.is_list_complete = delta.is_list_complete;
            triggered.is_refused = delta.is_refused;
            triggered.unsure_since = delta.unsure_since;
            self.pending.named.clear();
        } else {
            triggered.has_more = true;
        }
        triggered
    }

    fn wake(&mut self, change: &Change<T>, priority: i32, triggered: &mut Triggered<K, watcher::Error>) {
        let head = self.head;
        let (old, new) = (change.old.as_ref().and_then(head), change.new.as_ref().and_then(head));
        if !self.trigger.is_news(change) && !self.kind.admits(&change.key, old, new, triggered) {
            return;
        }
        let mut found = Keys::default();
        self.trigger.keys(&self.kind, change, &mut found);
        let origin = self.kind.origin(&change.key, old, new);
        let news = found.keys.into_iter().filter(|key| self.pending.named.insert(key.clone()));
        let unshown = self.kind.unshown(&change.key, old, new).map(Box::new);
        let wake = |key| Wake {
            priority,
            origin: origin.clone(),
            unshown: unshown.clone(),
            ..Wake::new(key, self.kind.related(&change.key))
        };
        triggered.wakes.extend(news.map(wake));
        triggered.errors.extend(found.errors);
    }
}

impl<S, T, G, K> Stream for Related<S, T, G, K>
where
    S: Stream<Item = watcher::Result<Delta<T>>> + Unpin,
    G: Trigger<T>,
{
    type Item = watcher::Result<Triggered<K, watcher::Error>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.pending.changes.is_empty() {
            match std::task::ready!(this.deltas.poll_next_unpin(cx)) {
                Some(Ok(delta)) => this.take(delta),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        Poll::Ready(Some(Ok(this.piece())))
    }
}

impl<S, T, G, K> Unpin for Related<S, T, G, K> {}
