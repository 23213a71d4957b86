//! A watch body as a stream of events.
//!
//! In: pieces of a body, cut anywhere. Out: one item per event. Where the stream is read by what resumes it, whatever ends the
//! body ends the stream quietly: whether the server closed it, the network broke, or half an event is missing. Other readers get
//! as a last error, as from kube, what a layer says that is about no connection. An
//! object that cannot be read is an error item and the stream goes on; a frame that is not an event ends it with an error.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::Stream;
use http_body::Body as _;
use pintle_core::watch::Bookmark;
use pintle_core::{Status, WatchEvent};
use pintle_wire::{Body as ObjectBody, End, Frame, FrameError, FrameKind, Framer, Limits, MediaType};
use serde::de::DeserializeOwned;

use crate::client::answer;
use crate::client::body::Body;
use crate::client::request::raw_watch::is_early_end;
use crate::error::{Error, Result};

/// What becomes of the object in an event.
pub(crate) trait ReadEvent: Unpin {
    /// What it becomes.
    type Object;

    /// Reads one object.
    fn read(&mut self, object: ObjectBody<'_>) -> Result<Self::Object>;
}

/// Decodes objects at once.
pub(in crate::client) struct Decoded<T>(PhantomData<fn() -> T>);

impl<T> Default for Decoded<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: DeserializeOwned> ReadEvent for Decoded<T> {
    type Object = T;

    fn read(&mut self, object: ObjectBody<'_>) -> Result<T> {
        answer::decode_object(object)
    }
}

/// The events of a watch.
pub(crate) struct Events<R: ReadEvent> {
    // Gone once the stream is over, so that the connection is free at once.
    body: Option<Body>,
    framer: Framer,
    reader: R,
    ready: VecDeque<Result<WatchEvent<R::Object>>>,
    broken: Broken,
}

/// What a body that fails is for the reader of a watch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Broken {
    /// The end: it goes on from its last version by itself.
    End,
    /// An error, unless only the connection broke.
    Error,
}

impl<R: ReadEvent> Events<R> {
    pub(crate) fn new(media_type: MediaType, body: Body, reader: R, broken: Broken) -> Self {
        let framer = Framer::new(media_type, Limits::default());
        Self { body: Some(body), framer, reader, ready: VecDeque::new(), broken }
    }

    fn push(&mut self, chunk: &[u8]) {
        let Self { framer, reader, ready, .. } = self;
        let pushed = framer.push(chunk, &mut |frame: Frame<'_>| {
            ready.push_back(event(frame, reader)?);
            Ok(())
        });
        if let Err(NotAnEvent(error)) = pushed {
            self.ready.push_back(Err(error));
            self.body = None;
        }
    }

    fn finish(&mut self) {
        self.body = None;
        if self.framer.finish() == End::Cut {
            tracing::debug!("the watch was cut within an event");
        }
    }
}

impl<R: ReadEvent> Unpin for Events<R> {}

impl<R: ReadEvent> Stream for Events<R> {
    type Item = Result<WatchEvent<R::Object>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Poll::Ready(Some(item));
            }
            let Some(body) = &mut self.body else {
                return Poll::Ready(None);
            };
            match ready!(Pin::new(body).poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.push(&data);
                    }
                }
                Some(Err(error)) => {
                    tracing::debug!(%error, "the watch broke off");
                    self.body = None;
                    if self.broken == Broken::Error && !is_early_end(&error) {
                        return Poll::Ready(Some(Err(Error::ReadEvents(std::io::Error::other(error)))));
                    }
                }
                None => self.finish(),
            }
        }
    }
}

/// Why the rest of a body cannot be understood.
struct NotAnEvent(Error);

impl From<FrameError> for NotAnEvent {
    fn from(error: FrameError) -> Self {
        if matches!(error, FrameError::TooLarge { .. }) {
            return Self(Error::LinesCodecMaxLineLengthExceeded);
        }
        Self(Error::SerdeError(serde::de::Error::custom(error)))
    }
}

/// The outer error ends the stream, the inner one does not.
fn event<R: ReadEvent>(frame: Frame<'_>, reader: &mut R) -> Result<Result<WatchEvent<R::Object>>, NotAnEvent> {
    Ok(match frame.kind {
        FrameKind::Added => reader.read(frame.object).map(WatchEvent::Added),
        FrameKind::Modified => reader.read(frame.object).map(WatchEvent::Modified),
        FrameKind::Deleted => reader.read(frame.object).map(WatchEvent::Deleted),
        FrameKind::Bookmark => {
            Ok(WatchEvent::Bookmark(answer::decode_object::<Bookmark>(frame.object).map_err(NotAnEvent)?))
        }
        FrameKind::Error => {
            Ok(WatchEvent::Error(Box::new(answer::decode_object::<Status>(frame.object).map_err(NotAnEvent)?)))
        }
    })
}
