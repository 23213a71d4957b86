//! A watch that the controller opened itself, and that can be pointed elsewhere while it runs.
//!
//! In: the events of a watch, and orders. Out: the same events, marked where they come from a change of scope: an object
//! that is out of scope is not gone. A shelf sees the difference between the scopes as one relist.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::stream::{Stream, StreamExt};
use pintle_client::Api;
use pintle_core::Resource;
use pintle_wire::Packed;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::controller::source::namespaces::Bound;
use crate::controller::source::shared_backoff::SharedBackoff;
use crate::controller::source::watch_progress::WatchProgress;
use crate::reflector::entry::packed_key;
use crate::watcher::{self, Event, PackedWatcher};

/// What a watch can be ordered to do while it runs.
pub(in crate::controller) enum Order<K> {
    /// To look elsewhere.
    Rescope(Box<(Api<K>, watcher::Config)>),
    /// To end.
    Remove,
}

/// What a watch yields.
pub(in crate::controller) enum Observed<K> {
    /// An event.
    Event {
        event: Event<Packed<K>>,
        /// Whether it comes from a change of scope.
        is_rescoped: bool,
        /// How the watch that yields it is doing, with the beginning of each list.
        health: Option<watcher::Health>,
        /// Since when something may have come and gone unseen, with the end of each list but the first.
        unsure_since: Option<Instant>,
    },
    /// Nothing, up to a version that is news.
    Quiet,
}

/// A watch of the controller's own.
pub(in crate::controller) struct OwnWatch<K> {
    api: Api<K>,
    config: watcher::Config,
    watcher: PackedWatcher<K>,
    bound: Bound,
    orders: Option<mpsc::UnboundedReceiver<Order<K>>>,
    backoff: Option<SharedBackoff>,
    progress: Arc<WatchProgress>,
    /// Whether the version it has reached is that of a complete list.
    has_listed: bool,
    /// When the last list began.
    list_began: Instant,
    /// From an order until the list that follows it is complete.
    is_rescoped: bool,
}

impl<K> OwnWatch<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    pub(in crate::controller) fn new(
        api: Api<K>,
        config: watcher::Config,
        orders: Option<mpsc::UnboundedReceiver<Order<K>>>,
        backoff: Option<SharedBackoff>,
        progress: Arc<WatchProgress>,
        bound: Bound,
    ) -> Self {
        progress.point_within(api.namespace(), &config, &bound.namespaces);
        let watcher = opened(&api, bound.namespaces.selected::<K>(&config), backoff.as_ref());
        progress.set_health(watcher.health());
        Self {
            api,
            config,
            watcher,
            bound,
            orders,
            backoff,
            progress,
            has_listed: false,
            list_began: Instant::now(),
            is_rescoped: false,
        }
    }

    /// How far it sees.
    pub(in crate::controller) fn progress(&self) -> Arc<WatchProgress> {
        Arc::clone(&self.progress)
    }

    fn observe(&mut self, event: Event<Packed<K>>) -> Observed<K> {
        let (is_rescoped, now) = (self.is_rescoped, Instant::now());
        let (mut health, mut unsure_since) = (None, None);
        match &event {
            Event::Apply(packed) | Event::Delete(packed) => {
                self.progress.shown(packed.head().resource_version(), || packed_key(packed), now);
            }
            Event::InitDone => {
                (self.has_listed, self.is_rescoped) = (true, false);
                unsure_since = self.progress.listed(self.list_began);
            }
            Event::Init => {
                (self.has_listed, self.list_began) = (false, now);
                health = Some(self.watcher.health());
            }
            Event::InitApply(_) => {}
        }
        Observed::Event { event, is_rescoped, health, unsure_since }
    }

    /// Whether it knows of a version, by a list or a bookmark, that no event has shown.
    fn has_caught_up(&self) -> bool {
        let version = self.watcher.health().resource_version_number();
        self.has_listed && version.is_some_and(|version| self.progress.caught_up(&version.into(), Instant::now()))
    }

    /// Whether the watch goes on.
    fn obey(&mut self, cx: &mut Context<'_>) -> bool {
        while let Some(orders) = &mut self.orders {
            match orders.poll_recv(cx) {
                Poll::Ready(Some(Order::Rescope(scope))) => {
                    (self.api, self.config) = *scope;
                    self.open();
                }
                Poll::Ready(Some(Order::Remove)) => return false,
                Poll::Ready(None) => self.orders = None,
                Poll::Pending => break,
            }
        }
        while let Poll::Ready(Some(namespaces)) = self.bound.changes.poll_recv(cx) {
            if self.bound.namespaces != namespaces {
                self.bound.namespaces = namespaces;
                self.open();
            }
        }
        true
    }

    /// Begins anew, where it is to look now.
    fn open(&mut self) {
        let namespaces = &self.bound.namespaces;
        self.progress.point_within(self.api.namespace(), &self.config, namespaces);
        self.watcher = opened(&self.api, namespaces.selected::<K>(&self.config), self.backoff.as_ref());
        self.progress.set_health(self.watcher.health());
        self.has_listed = false;
        self.is_rescoped = true;
    }

    /// Whether it is to look at the object of an event.
    fn admits(&self, event: &Event<Packed<K>>) -> bool {
        match event {
            Event::Apply(packed) | Event::Delete(packed) | Event::InitApply(packed) => {
                self.bound.namespaces.admit(packed.head().namespace())
            }
            Event::Init | Event::InitDone => true,
        }
    }
}

impl<K> Stream for OwnWatch<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    type Item = watcher::Result<Observed<K>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if !this.obey(cx) {
            return Poll::Ready(None);
        }
        loop {
            return match this.watcher.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(event))) if !this.admits(&event) => continue,
                Poll::Ready(Some(Ok(event))) => Poll::Ready(Some(Ok(this.observe(event)))),
                Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => Poll::Ready(None),
                // Every event was taken.
                Poll::Pending if this.has_caught_up() => Poll::Ready(Some(Ok(Observed::Quiet))),
                Poll::Pending => Poll::Pending,
            };
        }
    }
}

impl<K> Unpin for OwnWatch<K> {}

fn opened<K>(api: &Api<K>, config: watcher::Config, backoff: Option<&SharedBackoff>) -> PackedWatcher<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    // A controller's stream is often read for its end alone.
    let watcher = PackedWatcher::new(api.clone(), config).logged();
    match backoff {
        Some(backoff) => watcher.backoff(backoff.clone()),
        None => watcher,
    }
}
