//! The body of requests and of responses.
//!
//! Either bytes that are all there (requests, and answers of services in this process) or another body, boxed.

use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;
use tower::BoxError;

use super::builder::DynBody;
use super::request::write_guard::WriteGuard;
use crate::error::{Error, Result};

/// The body of a request or response.
pub struct Body {
    kind: Kind,
    // What is released when the body is dropped: a turn, a place on a connection. Layers add to it, so that none of
    // them has to wrap the body for that.
    held: Vec<Box<dyn Any + Send>>,
    // Asked before each piece is given away; copies have the same.
    guard: Option<WriteGuard>,
}

enum Kind {
    /// All there, until it is taken.
    Whole(Option<Bytes>),
    Wrapped(Pin<Box<dyn HttpBody<Data = Bytes, Error = BoxError> + Send>>),
}

/// A response is larger than what is collected in memory at once.
#[derive(Debug, thiserror::Error)]
#[error("the answer is larger than {limit} bytes; list in pages (ListParams::limit)")]
pub(crate) struct BodyTooLarge {
    limit: usize,
}

impl Body {
    /// A body with nothing in it.
    pub const fn empty() -> Self {
        Self { kind: Kind::Whole(None), held: Vec::new(), guard: None }
    }

    /// Any other body.
    pub fn wrap_body<B>(body: B) -> Self
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        // What is such a body already is not wrapped once more: each wrapping costs a call per piece.
        let mut body = Some(body);
        if let Some(body) = (&mut body as &mut dyn Any).downcast_mut::<Option<Self>>() {
            return body.take().unwrap_or_default();
        }
        if let Some(body) = (&mut body as &mut dyn Any).downcast_mut::<Option<Box<DynBody>>>() {
            return body.take().map_or_else(Self::empty, |body| Self::of(Kind::Wrapped(Box::into_pin(body))));
        }
        body.map_or_else(Self::empty, |body| Self::of(Kind::Wrapped(Box::pin(body.map_err(Into::into)))))
    }

    fn of(kind: Kind) -> Self {
        Self { kind, held: Vec::new(), guard: None }
    }

    /// The same body, which drops `guard` when it is dropped.
    pub(super) fn holding(mut self, guard: impl Send + 'static) -> Self {
        self.held.push(Box::new(guard));
        self
    }

    /// The same body, which breaks off where `guard` says no.
    pub(super) fn guarded_by(mut self, guard: WriteGuard) -> Self {
        self.guard = Some(guard);
        self
    }

    /// What it asks before it gives itself away.
    pub(super) fn guard(&self) -> Option<&WriteGuard> {
        self.guard.as_ref()
    }

    /// The whole body.
    ///
    /// # Errors
    /// When the body breaks off.
    pub async fn collect_bytes(self) -> Result<Bytes> {
        self.collect_at_most(usize::MAX).await
    }

    /// A copy, where the body is all there.
    pub fn try_clone(&self) -> Option<Self> {
        match &self.kind {
            Kind::Whole(bytes) => Some(Self { guard: self.guard.clone(), ..Self::of(Kind::Whole(bytes.clone())) }),
            Kind::Wrapped(_) => None,
        }
    }

    /// The bytes, where the body is all there.
    pub(super) fn whole(&self) -> Option<&[u8]> {
        match &self.kind {
            Kind::Whole(bytes) => Some(bytes.as_deref().unwrap_or_default()),
            Kind::Wrapped(_) => None,
        }
    }

    /// The whole body, unless it is larger than `limit`.
    pub(crate) async fn collect_at_most(mut self, limit: usize) -> Result<Bytes> {
        let mut chunks: Vec<Bytes> = Vec::new();
        let mut length: usize = 0;
        while let Some(frame) = self.frame().await {
            let Ok(data) = frame?.into_data() else { continue };
            length = length.saturating_add(data.len());
            if length > limit {
                return Err(Error::Service(Box::new(BodyTooLarge { limit })));
            }
            chunks.push(data);
        }
        // Most answers come in one piece, which then needs no copy.
        if chunks.len() == 1 {
            return Ok(chunks.swap_remove(0));
        }
        let mut whole = BytesMut::with_capacity(length);
        for chunk in chunks {
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(Err(error)) = self.guard.as_ref().map(WriteGuard::check) {
            self.kind = Kind::Whole(None);
            return Poll::Ready(Some(Err(error)));
        }
        match &mut self.kind {
            Kind::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Wrapped(body) => {
                body.as_mut().poll_frame(context).map(|frame| frame.map(|frame| frame.map_err(Error::of_service)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            Kind::Whole(bytes) => bytes.is_none(),
            Kind::Wrapped(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Kind::Wrapped(body) => body.size_hint(),
        }
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::empty()
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        // A frame of no bytes would be sent as a body; there is none.
        Self::of(Kind::Whole(Some(bytes).filter(|bytes| !bytes.is_empty())))
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from(Bytes::from(bytes))
    }
}

impl fmt::Debug for Body {
    /// Sizes only: bodies hold Secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Whole(bytes) => write!(f, "Body({} bytes)", bytes.as_ref().map_or(0, Bytes::len)),
            Kind::Wrapped(_) => f.write_str("Body(stream)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::{FutureExt, stream};
    use http_body_util::StreamBody;

    use super::*;
    use crate::error::ErrorKind;

    fn pieces(texts: &'static [&'static str]) -> Body {
        let frames = texts.iter().map(|text| Ok::<_, Infallible>(Frame::data(Bytes::from_static(text.as_bytes()))));
        Body::wrap_body(StreamBody::new(stream::iter(frames)))
    }

    fn collect(body: Body, limit: usize) -> Result<Bytes> {
        body.collect_at_most(limit).now_or_never().expect("the body is all there")
    }

    #[test]
    fn a_body_is_collected_up_to_its_limit_and_not_beyond() {
        assert_eq!(collect(pieces(&["ab", "", "cd"]), 4).unwrap(), "abcd");
        let error = collect(pieces(&["ab", "cde"]), 4).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Malformed);
        assert_eq!(collect(Body::from(vec![1, 2]), 2).unwrap().len(), 2);
        assert!(collect(Body::empty(), 0).unwrap().is_empty());
    }

    #[test]
    fn a_body_is_wrapped_once_and_gives_back_what_it_holds_when_it_is_dropped() {
        let place = std::sync::Arc::new(());
        let body = Body::from(vec![1]).holding(place.clone());
        let again = Body::wrap_body(body);
        assert!(again.try_clone().is_some(), "it is still bytes that are all there");
        let boxed: Box<DynBody> = Box::new(again.map_err(Into::into));
        let body = Body::wrap_body(boxed);
        assert_eq!(std::sync::Arc::strong_count(&place), 2);
        assert_eq!(collect(body, 9).unwrap().as_ref(), [1]);
        assert_eq!(std::sync::Arc::strong_count(&place), 1);
    }

    #[test]
    fn only_a_body_that_is_all_there_can_be_cloned_and_none_shows_its_content() {
        let body = Body::from(b"hunter2".to_vec());
        assert_eq!(collect(body.try_clone().unwrap(), 99).unwrap(), "hunter2");
        assert_eq!(format!("{body:?} {:?}", pieces(&["hunter2"])), "Body(7 bytes) Body(stream)");
        assert!(pieces(&["a"]).try_clone().is_none());
    }
}
