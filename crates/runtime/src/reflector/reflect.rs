//! A stream that keeps a store: [`reflector`](super::reflector()) and `reflect`.

use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::Stream;
use pin_project_lite::pin_project;
use pintle_core::reference::Lookup;

use super::Writer;
use crate::watcher::handover::asking;
use crate::watcher::{self, Event};

pin_project! {
    /// A stream that keeps a store.
    #[must_use = "streams do nothing unless polled"]
    pub struct Reflect<S, K>
    where
        K: Lookup,
        K: 'static,
    {
        #[pin]
        stream: S,
        writer: Writer<K>,
    }
}

impl<S, K: Lookup + 'static> Reflect<S, K> {
    pub(crate) fn new(stream: S, writer: Writer<K>) -> Self {
        Self { stream, writer }
    }
}

impl<S, K> Stream for Reflect<S, K>
where
    S: Stream<Item = watcher::Result<Event<K>>>,
    K: Lookup + Clone + 'static,
    K::DynamicType: Eq + Hash + Clone,
{
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let (next, came) = asking::<S, K, _>(|| this.stream.poll_next(cx));
        match (came, &next) {
            (Some(came), _) => this.writer.apply_handed_over(came),
            // Not a watcher, or one that ran before it came here and decodes as it did then.
            (None, Poll::Ready(Some(Ok(event)))) => this.writer.apply_watcher_event(event),
            (None, _) => {}
        }
        next
    }
}
