//! A watch that the controller opened itself, and that can be pointed elsewhere while it runs.
//!
//! In: what a watch tells, and orders. Out: the same events, marked where they come from a change of scope: an object
//! that is out of sight is not gone. Whoever keeps a shelf sees the difference between the scopes as one relist.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{Stream, StreamExt};
use pintle_client::Api;
use pintle_core::Resource;
use pintle_wire::Packed;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use crate::controller::pauses::SharedBackoff;
use crate::watcher::{self, Event, PackedWatcher};

/// What a watch can be told while it runs.
pub(in crate::controller) enum Order<K> {
    /// To look elsewhere.
    Rescope(Box<(Api<K>, watcher::Config)>),
    /// To end.
    Remove,
}

/// An event, and whether it comes from a change of scope.
pub(in crate::controller) struct Observed<K> {
    pub(in crate::controller) event: Event<Packed<K>>,
    pub(in crate::controller) is_rescoped: bool,
    /// How the watch that tells it is doing, with the beginning of each list.
    pub(in crate::controller) health: Option<watcher::Health>,
}

/// A watch of the controller's own.
pub(in crate::controller) struct OwnWatch<K> {
    watcher: PackedWatcher<K>,
    orders: Option<mpsc::UnboundedReceiver<Order<K>>>,
    backoff: Option<SharedBackoff>,
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
    ) -> Self {
        Self { watcher: opened(api, config, backoff.as_ref()), orders, backoff, is_rescoped: false }
    }

    /// Whether the watch goes on.
    fn obey(&mut self, cx: &mut Context<'_>) -> bool {
        while let Some(orders) = &mut self.orders {
            match orders.poll_recv(cx) {
                Poll::Ready(Some(Order::Rescope(scope))) => {
                    self.watcher = opened(scope.0, scope.1, self.backoff.as_ref());
                    self.is_rescoped = true;
                }
                Poll::Ready(Some(Order::Remove)) => return false,
                Poll::Ready(None) => self.orders = None,
                Poll::Pending => break,
            }
        }
        true
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
        this.watcher.poll_next_unpin(cx).map_ok(|event| {
            let is_rescoped = this.is_rescoped;
            this.is_rescoped &= !matches!(event, Event::InitDone);
            let health = matches!(event, Event::Init).then(|| this.watcher.health());
            Observed { event, is_rescoped, health }
        })
    }
}

impl<K> Unpin for OwnWatch<K> {}

fn opened<K>(api: Api<K>, config: watcher::Config, backoff: Option<&SharedBackoff>) -> PackedWatcher<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    let watcher = PackedWatcher::new(api, config);
    match backoff {
        Some(backoff) => watcher.backoff(backoff.clone()),
        None => watcher,
    }
}
