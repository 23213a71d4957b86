//! Drives one shared watch: its events go into its cache, and how far that has come to all who follow it.

use std::pin::pin;
use std::task::Poll;

use futures::stream::StreamExt;
use pintle_core::Resource;
use pintle_wire::Packed;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::controller::shared::WatchState;
use crate::watcher::{Event, PackedWatcher};

/// Drives one watch, until nobody holds it any more.
pub(super) async fn drive<W>(
    mut watcher: PackedWatcher<W>,
    mut apply: impl FnMut(Event<Packed<W>>),
    state: WatchState,
    dropped: oneshot::Receiver<()>,
) where
    W: Resource + DeserializeOwned + Send + 'static,
{
    let (mut list_began, mut has_listed) = (Instant::now(), false);
    let watching = std::future::poll_fn(|cx| {
        for _ in 0..EVENTS_AT_ONCE {
            match watcher.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(event))) => {
                    let is_complete = matches!(event, Event::InitDone);
                    if matches!(event, Event::Init) {
                        (list_began, has_listed) = (Instant::now(), false);
                    }
                    apply(event);
                    if is_complete {
                        has_listed = true;
                        state.listed(list_began);
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    if error.is_refused() {
                        state.refused();
                    }
                }
                Poll::Ready(None) => return Poll::Ready(()),
                // Every event was taken.
                Poll::Pending => {
                    let version = watcher.health().resource_version_number().filter(|_| has_listed);
                    version.into_iter().for_each(|version| state.reached(version));
                    return Poll::Pending;
                }
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    });
    let watching = pin!(watching);
    // One that nobody wants is not polled.
    tokio::select! {
        biased;
        _ = dropped => {}
        () = watching => {}
    }
}

/// So many events are taken before others get their turn: a few milliseconds' worth.
const EVENTS_AT_ONCE: usize = 128;
