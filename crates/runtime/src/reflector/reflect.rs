//! `watcher(…).reflect(writer)`: the store is filled with the packed object, the stream goes on with the decoded one.

use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{Stream, StreamExt};
use pintle_core::Resource;
use pintle_core::reference::Lookup;
use serde::de::DeserializeOwned;

use super::store::Writer;
use crate::watcher::{self, Event, PackedWatcher, own_backoff, undecodable};

/// A watcher that keeps a store.
#[derive(Debug)]
pub struct ReflectPacked<K: Lookup> {
    watcher: PackedWatcher<K>,
    writer: Writer<K>,
}

impl<K: Lookup> ReflectPacked<K> {
    pub(crate) fn new(watcher: PackedWatcher<K>, writer: Writer<K>) -> Self {
        Self { watcher, writer }
    }
}

// Neither field is pinned: the watcher is boxed inside and the writer is plain data.
impl<K: Lookup> Unpin for ReflectPacked<K> {}

impl<K> Stream for ReflectPacked<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
    K::DynamicType: Eq + Hash + Clone,
{
    type Item = watcher::Result<Event<K>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        // One object that cannot be read is nothing to wait after.
        own_backoff::mark(this.watcher.poll_next_unpin(cx).map(|next| {
            next.map(|event| {
                let event = event?;
                let mut verdict = None;
                let decoded = event.clone().try_map(|packed| {
                    let decoded = packed.decode();
                    verdict = Some(decoded.as_ref().map(drop).map_err(Clone::clone));
                    decoded.map_err(|error| undecodable(&error))
                });
                this.writer.apply_judged(event, verdict);
                decoded
            })
        }))
    }
}
