//! One watch as the server sends it: event types, bookmarks, errors, and the version up to which it was read.
//!
//! It is client-go's `StreamWatcher`: its opening is tried again where that can help, and then it ends when the connection
//! does and repairs nothing. The caller opens the next one, from the version it chooses; [`watcher`](super::watcher()) does all
//! that by itself.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{Stream, StreamExt};
use pintle_client::Error as ClientErr;
use pintle_client::api::Api;
use pintle_client::api::packed::WatchOf;
use pintle_core::params::WatchParams;
use pintle_core::resource_version::ResourceVersion;
use pintle_core::{Resource, WatchEvent};
use serde::de::DeserializeOwned;

use super::arrival::{self, Arrival};
use super::machine::is_later;

/// What kind of event a watch sent, as the server spells it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum EventType {
    /// `ADDED`: an object came to be, or was there.
    Added,
    /// `MODIFIED`: it changed.
    Modified,
    /// `DELETED`: it went.
    Deleted,
    /// `BOOKMARK`: nothing happened up to a version.
    Bookmark,
    /// `ERROR`: the watch failed and will end.
    Error,
}

impl<K> From<&WatchEvent<K>> for EventType {
    fn from(event: &WatchEvent<K>) -> Self {
        match event {
            WatchEvent::Added(_) => Self::Added,
            WatchEvent::Modified(_) => Self::Modified,
            WatchEvent::Deleted(_) => Self::Deleted,
            WatchEvent::Bookmark(_) => Self::Bookmark,
            WatchEvent::Error(_) => Self::Error,
        }
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::Bookmark => "BOOKMARK",
            Self::Error => "ERROR",
        })
    }
}

/// One open watch. Dropping it ends it.
#[must_use = "streams do nothing unless polled"]
pub struct StreamWatcher<K> {
    stream: WatchOf<Arrival<K>>,
    last: Option<ResourceVersion>,
    /// Whether everything up to `last` was sent: a watch from no version begins with what exists, in any order.
    is_ordered: bool,
}

impl<K> StreamWatcher<K>
where
    K: Resource + DeserializeOwned + 'static,
{
    /// Opens a watch of `api` from `resource_version`: what changed since then. An empty version, or `"0"`, begins with
    /// what exists.
    ///
    /// As [`Api::watch`], it is opened again where the server asks for that, or where the connection breaks meanwhile; if
    /// it breaks each time, this is a watch without events.
    ///
    /// # Errors
    /// If the server does not let it be opened; 410 says that the version is too old and that a list is due.
    pub async fn open(api: &Api<K>, params: &WatchParams, resource_version: &str) -> Result<Self, ClientErr> {
        let stream = api.open_watch_of(params, resource_version, arrival::decoded).await?;
        let last = ResourceVersion::parse(resource_version).filter(|version| version.number() != Some(0));
        Ok(Self { stream, is_ordered: last.is_some(), last })
    }

    /// The version up to which everything was sent: where to [`open`](Self::open) the next watch. `None` while a watch
    /// from no version may still be sending what exists, for then any version would skip some of it; a bookmark, or
    /// the first change of something, settles that.
    pub fn last_resource_version(&self) -> Option<Cow<'_, str>> {
        self.last.as_ref().map(ResourceVersion::text)
    }

    fn reached(&mut self, version: Option<&ResourceVersion>) {
        let Some(version) = version.filter(|_| self.is_ordered) else { return };
        if self.last.as_ref().is_none_or(|last| is_later(last, version)) {
            self.last = Some(version.clone());
        }
    }

    fn note(&mut self, event: &WatchEvent<Arrival<K>>) {
        match event {
            WatchEvent::Added(object) => self.reached(object.version.as_ref()),
            WatchEvent::Modified(object) | WatchEvent::Deleted(object) => {
                self.is_ordered = true;
                self.reached(object.version.as_ref());
            }
            WatchEvent::Bookmark(bookmark) => {
                self.is_ordered = true;
                self.reached(ResourceVersion::parse(&bookmark.metadata.resource_version).as_ref());
            }
            WatchEvent::Error(_) => {}
        }
    }
}

impl<K> Stream for StreamWatcher<K>
where
    K: Resource + DeserializeOwned + 'static,
{
    /// An object that does not decode is an error that names it; its version counts, and the next event follows.
    type Item = Result<WatchEvent<K>, ClientErr>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        this.stream.poll_next_unpin(cx).map(|next| {
            next.map(|event| {
                let event = event?;
                this.note(&event);
                Ok(match event {
                    WatchEvent::Added(object) => WatchEvent::Added(object.into_object()?),
                    WatchEvent::Modified(object) => WatchEvent::Modified(object.into_object()?),
                    WatchEvent::Deleted(object) => WatchEvent::Deleted(object.into_object()?),
                    WatchEvent::Bookmark(bookmark) => WatchEvent::Bookmark(bookmark),
                    WatchEvent::Error(status) => WatchEvent::Error(status),
                })
            })
        })
    }
}

impl<K> Unpin for StreamWatcher<K> {}

impl<K> fmt::Debug for StreamWatcher<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamWatcher").field("last_resource_version", &self.last).finish_non_exhaustive()
    }
}
