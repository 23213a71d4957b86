//! A watch that does not end: it lists, follows, resumes where it was cut, and lists again when it must.
//!
//! ```text
//!   Machine ──want──► driver ──call──► Api::{list_packed, watch_packed}
//!      ▲                │ ◄──────────── objects, ends, errors
//!      └────input───────┘ ──► Event<Packed<K>> ──► Watcher (decodes) ──► Event<K>
//! ```
//!
//! [`watcher`] gives the stream of the documents: decoded objects, errors as items, never an end. Backoff is inside it:
//! an error is told, then waited after. [`Watcher::packed`] is the same without decoding; the controller lives on it.

pub mod backoff;
mod config;
mod driver;
mod event;
pub mod machine;

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{BoxStream, Stream, StreamExt};
use pintle_client::{Api, Error as ClientErr};
use pintle_core::{Resource, Status};
use pintle_wire::Packed;
use serde::de::{DeserializeOwned, Error as _};

use crate::reflector::Writer;
use crate::reflector::reflect::ReflectPacked;
pub use backoff::{DefaultBackoff, ExponentialBackoff};
pub use config::{Config, InitialListStrategy, ListSemantic};
pub use event::Event;

use backoff::Backoff;

/// Why a watcher could not go on for a moment. It goes on by itself after every one of them.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The first list failed, or a later one.
    #[error("failed to perform initial object list")]
    InitialListFailed(#[source] ClientErr),
    /// The watch could not be opened.
    #[error("failed to start watching object")]
    WatchStartFailed(#[source] ClientErr),
    /// The server told of an error in the watch.
    #[error("error returned by apiserver during watch")]
    WatchError(#[source] Box<Status>),
    /// The watch brought something that could not be read.
    #[error("watch stream failed")]
    WatchFailed(#[source] ClientErr),
    /// The list had no version to watch from.
    #[error("no metadata.resourceVersion in watch result (does resource support watch?)")]
    NoResourceVersion,
}

/// The result of a step of a watcher.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Follows the objects of `api` that `config` selects.
///
/// The stream never ends and backs off by itself after an error.
pub fn watcher<K>(api: Api<K>, config: Config) -> Watcher<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
{
    Watcher {
        packed: PackedWatcher::new(api, config),
    }
}

/// The stream of [`watcher`]. Its own [`default_backoff`](Self::default_backoff), [`backoff`](Self::backoff) and
/// [`reflect`](Self::reflect) are found before those of [`WatchStreamExt`](crate::WatchStreamExt): the first two set
/// its one backoff, the third fills a store without decoding anything twice.
pub struct Watcher<K> {
    packed: PackedWatcher<K>,
}

impl<K> Watcher<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
{
    /// What it does anyway.
    #[must_use]
    pub fn default_backoff(self) -> Self {
        self
    }

    /// Waits after errors as `backoff` says, and ends if that ends.
    #[must_use]
    pub fn backoff<B: Backoff + 'static>(self, backoff: B) -> Self {
        Self {
            packed: self.packed.backoff(Box::new(backoff)),
        }
    }

    /// Keeps `writer`'s store at what the watch tells, packed, and passes everything on decoded.
    pub fn reflect(self, writer: Writer<K>) -> ReflectPacked<K>
    where
        K::DynamicType: Clone + Eq + std::hash::Hash,
    {
        ReflectPacked::new(self.packed, writer)
    }

    /// The same without decoding.
    pub fn packed(self) -> PackedWatcher<K> {
        self.packed
    }
}

impl<K> Stream for Watcher<K>
where
    K: DeserializeOwned + Send + 'static,
{
    type Item = Result<Event<K>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.packed
            .poll_next_unpin(cx)
            .map(|next| next.map(|event| decode(event?)))
    }
}

impl<K> fmt::Debug for Watcher<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").finish_non_exhaustive()
    }
}

/// An event with its object decoded; one that does not decode is an error that names it.
pub(crate) fn decode<K>(event: Event<Packed<K>>) -> Result<Event<K>> {
    event.try_map(|packed| packed.decode().map_err(|error| undecodable(&error)))
}

pub(crate) fn undecodable(error: &pintle_wire::DecodeError) -> Error {
    Error::WatchFailed(ClientErr::SerdeError(serde_json::Error::custom(error)))
}

/// A watcher that leaves its objects packed.
pub struct PackedWatcher<K> {
    // Nothing is asked for before the first poll, so that the backoff may still be set.
    start: Option<Start<K>>,
    running: BoxStream<'static, Result<Event<Packed<K>>>>,
}

type Start<K> = Box<dyn FnOnce(Box<dyn Backoff>) -> BoxStream<'static, Result<Event<Packed<K>>>> + Send>;

impl<K> PackedWatcher<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    /// Follows the objects of `api` that `config` selects.
    pub fn new(api: Api<K>, config: Config) -> Self {
        let start: Start<K> = Box::new(move |backoff| driver::run(api, config, backoff).boxed());
        Self {
            start: Some(start),
            running: futures::stream::empty().boxed(),
        }
    }
}

impl<K: Send + 'static> PackedWatcher<K> {
    /// Waits after errors as `backoff` says, and ends if that ends. Has no effect once the watch runs.
    #[must_use]
    pub fn backoff(mut self, backoff: Box<dyn Backoff>) -> Self {
        if let Some(start) = self.start.take() {
            self.start = Some(Box::new(move |_| start(backoff)));
        }
        self
    }
}

impl<K> Stream for PackedWatcher<K> {
    type Item = Result<Event<Packed<K>>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(start) = self.start.take() {
            self.running = start(Box::<DefaultBackoff>::default());
        }
        self.running.poll_next_unpin(cx)
    }
}

impl<K> fmt::Debug for PackedWatcher<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedWatcher")
            .field("has_started", &self.start.is_none())
            .finish_non_exhaustive()
    }
}
