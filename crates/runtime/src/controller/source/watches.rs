//! The watches that a controller opens itself, as sources.
//!
//! Each has its own watch, its own backoff and its own cache, so a delete that a relist hid wakes as well. A long list is
//! handed on in pieces: decoding and mapping thousands of objects at once would keep the whole task from anything else.

use std::collections::{HashSet, VecDeque};
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::stream::{Stream, StreamExt};
use pintle_core::reference::{Lookup, ObjectRef};
use pintle_core::{PartialObjectMeta, Resource};
use pintle_wire::{Body, Head, Packed};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::own_watch::{Observed, OwnWatch};
use super::shared_shelf::SharedShelf;
use super::trigger::{Cause, Itself, Keys, Mapper, Owned, Owners, Trigger};
use super::watched_kind::WatchedKind;
use super::watched_object::WatchedObject;
use super::{Source, Triggered, Wake};
use crate::queue::{PRIORITY_LOW, PRIORITY_NORMAL};
use crate::reflector::entry::packed_key;
use crate::reflector::memory::storage::Storage;
use crate::reflector::shelf::{Change, Key};
use crate::reflector::{Entry, Writer};
use crate::watcher::{self, Event};

/// So many changes of a list are handed on at once: decoding and mapping them takes a few milliseconds.
const PIECE: usize = 64;

/// The controller's own objects: fills the store, wakes what changed.
pub(in crate::controller) fn main<K>(watch: OwnWatch<K>, mut writer: Writer<K>, mut kind: WatchedKind) -> Source<K>
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
            let is_list_complete = matches!(event, Event::InitDone);
            let mut triggered = Triggered { is_list_complete, ..Triggered::default() };
            let priority = if is_list_complete && !has_synced { PRIORITY_LOW } else { PRIORITY_NORMAL };
            has_synced |= is_list_complete;
            for change in writer.apply_packed(event) {
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

/// Objects that belong to the controller's: remembers heads, wakes owners.
pub(in crate::controller) fn owned<C, K>(
    watch: OwnWatch<PartialObjectMeta<C>>,
    owners: Owners,
    kind: WatchedKind,
) -> Source<K>
where
    C: Resource + DeserializeOwned + Send + 'static,
    K: 'static,
{
    let mut shelf = SharedShelf::default();
    let progress = watch.progress();
    shelf.shown_to(&progress, |owned: &Owned, see| see(&owned.head, owned.body.as_deref().map(Body::json)));
    let changes = move |event: Event<Packed<PartialObjectMeta<C>>>| {
        let remember = |packed: Packed<_>| {
            let key = packed_key(&packed);
            let body = progress.is_suspect(&key).then(|| packed.body().bytes().into());
            Ok::<_, Infallible>((key, Owned { head: Arc::new(packed.into_head()), body }))
        };
        let Ok(event) = event.try_map(remember);
        shelf.apply(event)
    };
    Related::new(watch, changes, |owned: &Owned| &owned.head, owners, kind).boxed()
}

/// Objects that concern the controller's: remembers them packed, wakes whom `mapper` names for what was there before
/// and for what is there now.
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
    let (mut shelf, storage) = (SharedShelf::default(), Arc::<Storage>::default());
    shelf.shown_to(&watch.progress(), |object: &WatchedObject<O>, see| object.show(see));
    let changes = move |event: Event<Packed<O>>| {
        let remember = |packed| Ok::<_, Infallible>((packed_key(&packed), WatchedObject::new(packed, &storage)));
        let Ok(event) = event.try_map(remember);
        shelf.apply(event)
    };
    Related::new(watch, changes, WatchedObject::head, Mapper::<_, K>::new(mapper), kind).boxed()
}

/// A source of objects that are not the controller's own: a watch of `W`s, remembered as `T`s.
struct Related<W, T, A, G, K> {
    watch: OwnWatch<W>,
    /// Takes an event into the cache, and returns what that changed.
    changes: A,
    head: fn(&T) -> &Head,
    trigger: G,
    kind: WatchedKind,
    /// What a list brought and was not handed on yet.
    pending: Pending<T>,
    has_synced: bool,
    owner: std::marker::PhantomData<fn() -> K>,
}

struct Pending<T> {
    changes: VecDeque<Change<T>>,
    is_list_complete: bool,
    unsure_since: Option<Instant>,
    /// The keys that were named already: a mapper may name the same ones for each object of a list.
    named: HashSet<Key>,
}

impl<W, T, A, G, K> Related<W, T, A, G, K>
where
    W: Resource + DeserializeOwned + Send + 'static,
    A: FnMut(Event<Packed<W>>) -> Vec<Change<T>>,
    G: Trigger<T>,
{
    fn new(watch: OwnWatch<W>, changes: A, head: fn(&T) -> &Head, trigger: G, kind: WatchedKind) -> Self {
        let named = HashSet::new();
        let pending = Pending { changes: VecDeque::new(), is_list_complete: false, unsure_since: None, named };
        let owner = std::marker::PhantomData;
        Self { watch, changes, head, trigger, kind, pending, has_synced: false, owner }
    }

    fn take(&mut self, observed: Observed<W>) {
        let Observed::Event { event, unsure_since, .. } = observed else { return };
        self.pending.is_list_complete = matches!(event, Event::InitDone);
        self.pending.unsure_since = unsure_since;
        self.pending.changes = (self.changes)(event).into();
    }

    /// The next piece of what is pending; the last one completes the list.
    fn piece(&mut self) -> Triggered<K, watcher::Error> {
        let mut triggered = Triggered::default();
        let priority = if self.pending.is_list_complete && !self.has_synced { PRIORITY_LOW } else { PRIORITY_NORMAL };
        for _ in 0..PIECE {
            let Some(change) = self.pending.changes.pop_front() else { break };
            self.wake(&change, priority, &mut triggered);
        }
        if self.pending.changes.is_empty() {
            triggered.is_list_complete = std::mem::take(&mut self.pending.is_list_complete);
            triggered.unsure_since = self.pending.unsure_since.take();
            self.has_synced |= triggered.is_list_complete;
            self.pending.named.clear();
        } else {
            triggered.has_more = true;
        }
        triggered
    }

    fn wake(&mut self, change: &Change<T>, priority: i32, triggered: &mut Triggered<K, watcher::Error>) {
        let (old, new) = (change.old.as_ref().map(self.head), change.new.as_ref().map(self.head));
        if !self.trigger.is_news(change) && !self.kind.admits(&change.key, old, new, triggered) {
            return;
        }
        let mut found = Keys::default();
        self.trigger.keys(&self.kind, change, &mut found);
        let origin = self.kind.origin(&change.key, old, new);
        let news = found.keys.into_iter().filter(|key| self.pending.named.insert(key.clone()));
        let wake = |key| Wake { priority, origin: origin.clone(), ..Wake::new(key, self.kind.related(&change.key)) };
        triggered.wakes.extend(news.map(wake));
        triggered.errors.extend(found.errors);
    }
}

impl<W, T, A, G, K> Stream for Related<W, T, A, G, K>
where
    W: Resource + DeserializeOwned + Send + 'static,
    A: FnMut(Event<Packed<W>>) -> Vec<Change<T>>,
    G: Trigger<T>,
{
    type Item = watcher::Result<Triggered<K, watcher::Error>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.pending.changes.is_empty() {
            match std::task::ready!(this.watch.poll_next_unpin(cx)) {
                Some(Ok(observed)) => this.take(observed),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        Poll::Ready(Some(Ok(this.piece())))
    }
}

impl<W, T, A, G, K> Unpin for Related<W, T, A, G, K> {}
