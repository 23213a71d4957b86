//! `watcher(…).reflect(writer)`: the store is filled with the packed object, the stream goes on with the decoded one.

use std::convert::Infallible;
use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{Stream, StreamExt};
use pintle_core::Resource;
use pintle_core::reference::Lookup;
use serde::de::DeserializeOwned;

use super::entry::Entry;
use super::shelf::Key;
use super::store::Writer;
use crate::watcher::{self, Event, PackedWatcher, undecodable, waited_for};

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
        waited_for::tell(this.watcher.poll_next_unpin(cx).map(|next| {
            next.map(|event| {
                let event = event?;
                let Ok(kept) = event.clone().try_map(|packed| Ok::<_, Infallible>(this.writer.entry(packed)));
                let entry = object(&kept).cloned();
                this.writer.apply(kept);
                event.try_map(|packed| {
                    let decoded = packed.decode();
                    if let Some(entry) = entry {
                        entry.judge(decoded.as_ref().map(drop).map_err(Clone::clone));
                    }
                    decoded.map_err(|error| undecodable(&error))
                })
            })
        }))
    }
}

/// The object an event is about.
fn object<K>(event: &Event<(Key, Entry<K>)>) -> Option<&Entry<K>> {
    match event {
        Event::Apply((_, entry)) | Event::Delete((_, entry)) | Event::InitApply((_, entry)) => Some(entry),
        Event::Init | Event::InitDone => None,
    }
}
