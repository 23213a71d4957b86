//! The body of a response: all at once, or as it comes.
//!
//! Small answers are one piece of bytes. Lists and watches are streams, so that a large list is never in memory as
//! one text and a watch has no end.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use http_body::{Frame, SizeHint};

/// What a [`Server`](crate::Server) answers with.
pub struct Body(Kind);

enum Kind {
    Full(Option<Bytes>),
    Pieces(VecDeque<Bytes>),
    Stream(Pin<Box<dyn Stream<Item = Bytes> + Send>>),
    Fallible(Pieces),
}

/// The pieces of a body, which a fault may break off.
pub(crate) type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, Interrupted>> + Send>>;

/// The connection broke, because a [`Fault`](crate::Fault) says so. Nothing else makes a server fail to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection broke: a fault of the embedded API server took effect")
    }
}

impl std::error::Error for Interrupted {}

impl Body {
    pub(crate) fn full(bytes: impl Into<Bytes>) -> Body {
        Body(Kind::Full(Some(bytes.into())))
    }

    /// Bytes that lie in several places.
    pub(crate) fn pieces(pieces: impl Into<VecDeque<Bytes>>) -> Body {
        Body(Kind::Pieces(pieces.into()))
    }

    pub(crate) fn stream(stream: impl Stream<Item = Bytes> + Send + 'static) -> Body {
        Body(Kind::Stream(Box::pin(stream)))
    }

    pub(crate) fn fallible(stream: impl Stream<Item = Result<Bytes, Interrupted>> + Send + 'static) -> Body {
        Body(Kind::Fallible(Box::pin(stream.fuse())))
    }

    /// The body piece by piece.
    pub(crate) fn into_pieces(self) -> Pieces {
        match self.0 {
            Kind::Full(bytes) => Box::pin(stream::iter(bytes.map(Ok))),
            Kind::Pieces(pieces) => Box::pin(stream::iter(pieces.into_iter().map(Ok))),
            Kind::Stream(stream) => Box::pin(stream.map(Ok)),
            Kind::Fallible(pieces) => pieces,
        }
    }

    /// The bytes of a body that is one piece, and not sent yet.
    pub(crate) fn text(&self) -> Option<&Bytes> {
        match &self.0 {
            Kind::Full(bytes) => bytes.as_ref(),
            _ => None,
        }
    }

    pub(crate) fn empty() -> Body {
        Body(Kind::Full(None))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Interrupted;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Interrupted>>> {
        match &mut self.0 {
            Kind::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Pieces(pieces) => Poll::Ready(pieces.pop_front().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Stream(stream) => stream.as_mut().poll_next(cx).map(|next| next.map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Fallible(pieces) => {
                pieces.as_mut().poll_next(cx).map(|next| next.map(|piece| piece.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Full(bytes) => bytes.is_none(),
            Kind::Pieces(pieces) => pieces.is_empty(),
            Kind::Stream(_) | Kind::Fallible(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Full(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Kind::Pieces(pieces) => SizeHint::with_exact(pieces.iter().map(|piece| piece.len() as u64).sum()),
            Kind::Stream(_) | Kind::Fallible(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Full(_) | Kind::Pieces(_) => "Body::Full",
            Kind::Stream(_) | Kind::Fallible(_) => "Body::Stream",
        })
    }
}
