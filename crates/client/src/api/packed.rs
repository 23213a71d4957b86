//! Objects as they came: head read, body left as bytes.
//!
//! ```text
//!   LIST  ══chunks══► Cutter ─► HeadReader ─► Packed<K>        PackedList
//!   WATCH ══chunks══► Framer ─► HeadReader ─► Packed<K>        PackedWatch
//! ```
//! The runtime lives on this road. A list is never collected whole: each object leaves as soon as its last byte is
//! there. `K` is decoded by its reader. Kinds whose [`Resource::metadata_api`] is true are asked for in
//! their metadata form.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;
use http_body_util::BodyExt;
use pintle_core::call::Call;
use pintle_core::params::{ListParams, WatchParams};
use pintle_core::{ListMeta, Resource, WatchEvent};
use pintle_wire::{Body as ObjectBody, CutError, Cutter, Head, HeadReader, Limits, MediaType, Packed};
use serde::de::DeserializeOwned;

use super::Api;
use super::verbs::print;
use crate::client::{Body, Events, RawWatch, ReadEvent};
use crate::error::{Error, Result};

impl<K> Api<K>
where
    K: Resource + DeserializeOwned + 'static,
{
    /// The objects that `lp` selects, one by one as they arrive.
    ///
    /// # Errors
    /// When the server refuses, cannot be reached, or answers neither in JSON nor in protobuf.
    pub async fn list_packed(&self, lp: &ListParams) -> Result<PackedList<K>> {
        let call = Call::list(self.collection.clone(), lp).map(|call| self.in_form(call));
        let (media_type, body) = self.stream(print(call)?).await?;
        Ok(PackedList::new(media_type, body, Packer::new()))
    }

    /// What happens from `resource_version` on to the objects that `wp` selects. It is tried once: this is for callers that
    /// repair watches and wait in between by themselves.
    ///
    /// # Errors
    /// When the watch cannot be started.
    pub async fn watch_packed(&self, wp: &WatchParams, resource_version: &str) -> Result<PackedWatch<K>> {
        let call = Call::watch(self.collection.clone(), wp, resource_version).map(|call| self.in_form(call));
        let (media_type, body) = self.stream(print(call)?).await?;
        Ok(PackedWatch { events: Events::new(media_type, body, Packer::new()) })
    }

    /// As [`watch_packed`](Self::watch_packed), opened as [`Api::watch`] is: tried again where that can help.
    ///
    /// # Errors
    /// When the watch cannot be started.
    pub async fn open_watch_packed(&self, wp: &WatchParams, resource_version: &str) -> Result<PackedWatch<K>> {
        let call = Call::watch(self.collection.clone(), wp, resource_version).map(|call| self.in_form(call));
        let (media_type, body) = RawWatch::open(print(call)?, |request| self.stream(request)).await?;
        Ok(PackedWatch { events: Events::new(media_type, body, Packer::new()) })
    }
}

/// A list on its way, object by object.
pub struct PackedList<K> {
    body: Body,
    // Gone once the list is over.
    cutter: Option<Cutter>,
    packer: Packer<K>,
    ready: VecDeque<Result<Packed<K>>>,
    metadata: Option<ListMeta>,
}

impl<K> PackedList<K> {
    fn new(media_type: MediaType, body: Body, packer: Packer<K>) -> Self {
        let cutter = Some(Cutter::new(media_type, Limits::default()));
        Self { body, cutter, packer, ready: VecDeque::new(), metadata: None }
    }

    /// The next object; `None` behind the last.
    ///
    /// An object without a readable head is an error, and the list goes on. A list that breaks off or is malformed is
    /// an error, and nothing follows.
    pub async fn next(&mut self) -> Option<Result<Packed<K>>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            self.cutter.as_ref()?;
            match self.body.frame().await {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.push(&data);
                    }
                }
                Some(Err(error)) => self.end(Err(error)),
                None => {
                    let end = self.cutter.take()?.finish();
                    self.end(end.map_err(cut_error));
                }
            }
        }
    }

    /// The list's own metadata (its version, the token of the next page), once [`next`](Self::next) has said `None`.
    pub fn metadata(&self) -> Option<&ListMeta> {
        self.metadata.as_ref()
    }

    fn push(&mut self, chunk: &[u8]) {
        let Self { cutter: Some(cutter), packer, ready, .. } = self else {
            return;
        };
        let pushed: Result<(), CutError> = cutter.push(chunk, &mut |item: ObjectBody<'_>| {
            ready.push_back(packer.read(item));
            Ok(())
        });
        if let Err(error) = pushed {
            self.end(Err(cut_error(error)));
        }
    }

    fn end(&mut self, metadata: Result<ListMeta>) {
        self.cutter = None;
        self.body = Body::empty();
        match metadata {
            Ok(metadata) => self.metadata = Some(metadata),
            Err(error) => self.ready.push_back(Err(error)),
        }
    }
}

impl<K> fmt::Debug for PackedList<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedList").field("metadata", &self.metadata).finish_non_exhaustive()
    }
}

/// A watch whose objects stay packed.
///
/// The stream ends quietly when the server ends it or the connection breaks. An object without a readable head is an
/// error item, and the stream goes on.
pub struct PackedWatch<K> {
    events: Events<Packer<K>>,
}

impl<K> Stream for PackedWatch<K> {
    type Item = Result<WatchEvent<Packed<K>>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.events).poll_next(context)
    }
}

impl<K> fmt::Debug for PackedWatch<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedWatch").finish_non_exhaustive()
    }
}

/// Reads heads and keeps bytes. What one list or watch repeats (namespaces, labels) is held once.
struct Packer<K> {
    heads: HeadReader,
    // Captured where `K` is known to decode, so that types that hold a list or watch need not say so.
    pack: fn(Head, ObjectBody<'_>) -> Packed<K>,
}

impl<K: DeserializeOwned + 'static> Packer<K> {
    fn new() -> Self {
        Self { heads: HeadReader::new(), pack: |head, body| Packed::new(head, body) }
    }
}

impl<K> ReadEvent for Packer<K> {
    type Object = Packed<K>;

    fn read(&mut self, object: ObjectBody<'_>) -> Result<Packed<K>> {
        let head = self.heads.read_body(object).map_err(|error| Error::SerdeError(serde::de::Error::custom(error)))?;
        Ok((self.pack)(head, object))
    }
}

/// A list that ends too early was interrupted; one that is not a list never will be.
fn cut_error(error: CutError) -> Error {
    let kind = match error {
        CutError::Incomplete { .. } => std::io::ErrorKind::UnexpectedEof,
        _ => std::io::ErrorKind::InvalidData,
    };
    Error::ReadEvents(std::io::Error::new(kind, error))
}
