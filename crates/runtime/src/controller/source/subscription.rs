//! A controller's part in a watch that several share.
//!
//! ```text
//!   one watch ══► one cache ──► mailbox of each subscription ──► Delta ──► the controller's source
//!            └──► WatchState: lists, version, refusals ──┘
//! ```
//!
//! The watch is driven elsewhere ([`SharedInformers`](crate::SharedInformers)). A change is in the cache and in every mailbox
//! before the state says that its version was reached; so the state is read first and the mailbox emptied after that:
//! whatever the state knew has then been received.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures::stream::{BoxStream, Stream, StreamExt};
use pintle_core::Resource;
use pintle_wire::{DecodeError, Head, Packed};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::delta::Delta;
use super::trigger::Decodes;
use super::watch_progress::{See, WatchProgress};
use crate::reflector::mailbox::Inbox;
use crate::reflector::shelf::{Change, Key};
use crate::reflector::{Entry, Store};
use crate::watcher::{self, Health};

/// What a shared watch fills.
pub(crate) trait SharedCache: Clone + Send + Sync + 'static {
    type Entry: Clone + Send + 'static;

    /// A new listener, which gets first what is there.
    fn listen(&self) -> Inbox<Self::Entry>;

    /// Shows what is known of `key`.
    fn look(&self, key: &Key, see: See<'_>);

    /// One more controller looks at it.
    fn follow(&self, progress: &Arc<WatchProgress>) {
        let _ = progress;
    }
}

impl<K> SharedCache for Store<K>
where
    K: Resource + Send + Sync + 'static,
{
    type Entry = Entry<K>;

    fn listen(&self) -> Inbox<Entry<K>> {
        Store::listen(self)
    }

    fn look(&self, key: &Key, see: See<'_>) {
        if let Some(entry) = self.entry_by(key) {
            entry.show(|head, body| see(head, Some(body)));
        }
    }
}

/// A watch that several share; it ends when none of them holds it any more.
pub(crate) struct SharedWatch<C> {
    pub(crate) cache: C,
    pub(crate) health: Health,
    pub(crate) state: WatchState,
    pub(crate) _alive: oneshot::Sender<()>,
}

/// How far a shared watch has come; clones are the same.
#[derive(Clone, Default)]
pub(crate) struct WatchState(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// How many lists were complete, and when the last of them began.
    lists: u64,
    list_began: Option<Instant>,
    /// Everything up to here is in the cache.
    version: Option<u64>,
    refusals: u64,
    waiting: Vec<Waker>,
}

impl WatchState {
    /// A list that began then is complete.
    pub(crate) fn listed(&self, began: Instant) {
        self.change(|state| {
            state.lists += 1;
            state.list_began = Some(began);
        });
    }

    /// Everything up to `version` is in the cache.
    pub(crate) fn reached(&self, version: u64) {
        if self.state().version != Some(version) {
            self.change(|state| state.version = Some(version));
        }
    }

    /// The server refuses the watch.
    pub(crate) fn refused(&self) {
        self.change(|state| state.refusals += 1);
    }

    /// Whether a list was complete, or the server refuses the watch.
    pub(crate) fn is_settled(&self) -> bool {
        let state = self.state();
        state.lists + state.refusals > 0
    }

    /// Waits until something changes.
    pub(crate) fn wait(&self, cx: &Context<'_>) {
        let mut state = self.state();
        if !state.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            state.waiting.push(cx.waker().clone());
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let waiting = {
            let mut state = self.state();
            change(&mut state);
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    // Nothing panics while it is locked.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a subscription brings, of whatever cache.
pub(crate) type DeltaStream<T> = BoxStream<'static, watcher::Result<Delta<T>>>;

/// An object in a store of others, which shares it only as it came: what is done with it need not be `Sync`.
pub(crate) struct WholeEntry<O>(Arc<dyn AsItCame<O> + Send + Sync>);

trait AsItCame<O> {
    fn head(&self) -> Option<&Head>;
    fn whole(&self) -> Option<Packed<O>>;
}

impl<K: Send + Sync> AsItCame<K> for Entry<K> {
    fn head(&self) -> Option<&Head> {
        Entry::head(self)
    }

    fn whole(&self) -> Option<Packed<K>> {
        Entry::whole(self)
    }
}

impl<O> WholeEntry<O> {
    pub(super) fn head(&self) -> Option<&Head> {
        self.0.head()
    }
}

impl<O> Decodes<O> for WholeEntry<O> {
    fn decoded(&self) -> Option<Result<O, DecodeError>> {
        self.0.whole().map(|packed| packed.decode())
    }
}

/// What a subscription to a store brings, for those who only look at the objects as they came.
pub(crate) fn as_they_came<K>(store: Subscription<Store<K>>) -> DeltaStream<WholeEntry<K>>
where
    K: Resource + Send + Sync + 'static,
{
    let came = |entry: Entry<K>| WholeEntry(Arc::new(entry) as Arc<dyn AsItCame<K> + Send + Sync>);
    let changed = move |Change { key, old, new }| Change { key, old: old.map(came), new: new.map(came) };
    store.map(move |delta| Ok(delta?.map(changed))).boxed()
}

/// A controller's part in a shared watch.
pub(crate) struct Subscription<C: SharedCache> {
    watch: Arc<SharedWatch<C>>,
    inbox: Inbox<C::Entry>,
    progress: Arc<WatchProgress>,
    lists: u64,
    refusals: u64,
}

impl<C: SharedCache> Subscription<C> {
    pub(crate) fn new(watch: Arc<SharedWatch<C>>, progress: Arc<WatchProgress>) -> Self {
        let scope = watch.health.scope();
        progress.point_at(scope.namespace.as_deref(), &scope.config);
        progress.set_health(watch.health.clone());
        watch.cache.follow(&progress);
        let cache = watch.cache.clone();
        progress.look_by(move |key, see| cache.look(key, see));
        Self { inbox: watch.cache.listen(), watch, progress, lists: 0, refusals: 0 }
    }

    /// What was received, and whether nothing will be any more.
    fn receive(&mut self, cx: &mut Context<'_>) -> (Vec<Change<C::Entry>>, bool) {
        let mut changes = Vec::new();
        loop {
            match self.inbox.poll_next_unpin(cx) {
                Poll::Ready(Some((key, pending))) => changes.push(Change { key, old: pending.old, new: pending.new }),
                Poll::Ready(None) => return (changes, true),
                Poll::Pending => return (changes, false),
            }
        }
    }
}

impl<C: SharedCache> Stream for Subscription<C> {
    type Item = watcher::Result<Delta<C::Entry>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        this.watch.state.wait(cx);
        let (lists, list_began, version, refusals) = {
            let state = this.watch.state.state();
            (state.lists, state.list_began, state.version, state.refusals)
        };
        let (changes, is_over) = this.receive(cx);
        let now = Instant::now();
        for change in &changes {
            this.progress.shown(None, || change.key.clone(), now);
        }
        let are_initial = this.lists == 0;
        let is_list_complete = std::mem::replace(&mut this.lists, lists) != lists;
        let unsure_since = list_began
            .filter(|_| is_list_complete)
            .and_then(|began| this.progress.listed(began))
            .filter(|_| !are_initial);
        let is_refused = std::mem::replace(&mut this.refusals, refusals) != refusals;
        let is_further = version.is_some_and(|version| this.progress.caught_up(&version.into(), now));
        if changes.is_empty() && !is_list_complete && !is_refused && !is_further {
            return if is_over { Poll::Ready(None) } else { Poll::Pending };
        }
        let is_rescoped = false;
        Poll::Ready(Some(Ok(Delta { changes, are_initial, is_list_complete, is_rescoped, is_refused, unsure_since })))
    }
}

impl<C: SharedCache> Unpin for Subscription<C> {}
