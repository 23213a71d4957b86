//! Lists and watches object by object: as they came, with their head read and their body left as bytes, or in any other form.
//!
//! ```text
//!   LIST  ══chunks══► Cutter ─► ReadObject ─► Packed<K>, or another T        ListOf<T>
//!   WATCH ══chunks══► Framer ─► ReadObject ─► Packed<K>, or another T        WatchOf<T>
//! ```
//! The runtime lives on this road. A list is never collected whole: each object leaves as soon as its last byte is
//! there. A `Packed<K>` is decoded by its reader. Kinds whose [`Resource::metadata_api`] is true are asked for in
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
use pintle_wire::{Body as ObjectBody, CutError, Cutter, HeadReader, Limits, MediaType, Packed};
use serde::de::DeserializeOwned;

use super::Api;
use super::verbs::print;
use crate::client::{Body, Broken, Events, RawWatch, ReadEvent};
use crate::error::{Error, Result};

/// Reads one object of a list or watch out of its bytes. What one list or watch repeats (namespaces, labels) is held once by
/// its reader of heads, for those who read heads.
pub type ReadObject<T> = fn(&mut HeadReader, ObjectBody<'_>) -> Result<T>;

/// A list whose objects stay packed.
pub type PackedList<K> = ListOf<Packed<K>>;

/// A watch whose objects stay packed.
pub type PackedWatch<K> = WatchOf<Packed<K>>;

impl<K> Api<K>
where
    K: Resource + DeserializeOwned + 'static,
{
    /// The objects that `lp` selects, one by one as they arrive.
    ///
    /// # Errors
    /// When the server refuses, cannot be reached, or answers neither in JSON nor in protobuf.
    pub async fn list_packed(&self, lp: &ListParams) -> Result<PackedList<K>> {
        self.list_of(lp, read_packed).await
    }

    /// What happens from `resource_version` on to the objects that `wp` selects. It is tried once: this is for callers that
    /// repair watches and wait in between by themselves.
    ///
    /// # Errors
    /// When the watch cannot be started.
    pub async fn watch_packed(&self, wp: &WatchParams, resource_version: &str) -> Result<PackedWatch<K>> {
        self.watch_of(wp, resource_version, read_packed).await
    }
}

impl<K: Resource> Api<K> {
    /// As [`list_packed`](Self::list_packed), of objects in the form that `read` brings them into. Nothing else is made of them.
    ///
    /// # Errors
    /// As there.
    pub async fn list_of<T>(&self, lp: &ListParams, read: ReadObject<T>) -> Result<ListOf<T>> {
        let call = Call::list(self.collection.clone(), lp).map(|call| self.in_form(call));
        let (media_type, body) = self.stream(print(call)?).await?;
        Ok(ListOf::new(media_type, body, read))
    }

    /// As [`watch_packed`](Self::watch_packed), of objects in the form that `read` brings them into.
    ///
    /// # Errors
    /// As there.
    pub async fn watch_of<T>(
        &self,
        wp: &WatchParams,
        resource_version: &str,
        read: ReadObject<T>,
    ) -> Result<WatchOf<T>> {
        let call = Call::watch(self.collection.clone(), wp, resource_version).map(|call| self.in_form(call));
        let (media_type, body) = self.stream(print(call)?).await?;
        Ok(WatchOf { events: Events::new(media_type, body, Reader::new(read), Broken::End) })
    }

    /// As [`watch_of`](Self::watch_of), opened as [`Api::watch`] is: tried again where that can help.
    ///
    /// # Errors
    /// When the watch cannot be started.
    pub async fn open_watch_of<T>(
        &self,
        wp: &WatchParams,
        resource_version: &str,
        read: ReadObject<T>,
    ) -> Result<WatchOf<T>> {
        let call = Call::watch(self.collection.clone(), wp, resource_version).map(|call| self.in_form(call));
        let (media_type, body) = RawWatch::open(print(call)?, |request| self.stream(request)).await?;
        Ok(WatchOf { events: Events::new(media_type, body, Reader::new(read), Broken::End) })
    }
}

/// Reads the head and keeps the bytes.
///
/// # Errors
/// When the object has no head that can be read.
pub fn read_packed<K: DeserializeOwned + 'static>(heads: &mut HeadReader, body: ObjectBody<'_>) -> Result<Packed<K>> {
    let head = heads.read_body(body).map_err(|error| Error::SerdeError(serde::de::Error::custom(error)))?;
    Ok(Packed::new(head, body))
}

/// A list on its way, object by object.
pub struct ListOf<T> {
    body: Body,
    // Gone once the list is over.
    cutter: Option<Cutter>,
    reader: Reader<T>,
    ready: VecDeque<Result<T>>,
    metadata: Option<ListMeta>,
}

impl<T> ListOf<T> {
    fn new(media_type: MediaType, body: Body, read: ReadObject<T>) -> Self {
        let cutter = Some(Cutter::new(media_type, Limits::default()));
        Self { body, cutter, reader: Reader::new(read), ready: VecDeque::new(), metadata: None }
    }

    /// The next object; `None` behind the last.
    ///
    /// An object that cannot be read is an error, and the list goes on. A list that breaks off or is malformed is
    /// an error, and nothing follows.
    pub async fn next(&mut self) -> Option<Result<T>> {
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
        let Self { cutter: Some(cutter), reader, ready, .. } = self else {
            return;
        };
        let pushed: Result<(), CutError> = cutter.push(chunk, &mut |item: ObjectBody<'_>| {
            ready.push_back(reader.read(item));
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

impl<T> fmt::Debug for ListOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListOf").field("metadata", &self.metadata).finish_non_exhaustive()
    }
}

/// A watch, event by event.
///
/// The stream ends quietly when the server ends it or the connection breaks. An object that cannot be read is an
/// error item, and the stream goes on.
pub struct WatchOf<T> {
    events: Events<Reader<T>>,
}

impl<T> Stream for WatchOf<T> {
    type Item = Result<WatchEvent<T>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.events).poll_next(context)
    }
}

impl<T> fmt::Debug for WatchOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchOf").finish_non_exhaustive()
    }
}

/// What one list or watch is read with.
struct Reader<T> {
    heads: HeadReader,
    read: ReadObject<T>,
}

impl<T> Reader<T> {
    fn new(read: ReadObject<T>) -> Self {
        Self { heads: HeadReader::new(), read }
    }
}

impl<T> ReadEvent for Reader<T> {
    type Object = T;

    fn read(&mut self, object: ObjectBody<'_>) -> Result<T> {
        (self.read)(&mut self.heads, object)
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
