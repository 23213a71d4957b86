//! How long each stage of a call may take, and the error when it takes longer.
//!
//! ```text
//!   connect (TCP) ─► TLS ─► headers ─► body, piece by piece
//! ```
//! A watch waits for its headers like any other call, but its body may be silent for as long as it likes: a peer that
//! is really gone is noticed by the connection's own pings.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures::future::{BoxFuture, FutureExt};
use http::{Request, Response, Uri};
use http_body::{Body as HttpBody, Frame, SizeHint};
use thiserror::Error;
use tokio::time::{Instant, Sleep};
use tower::{BoxError, Service};

use super::body::Body;
use super::builder::DynBody;

/// How long headers may take: the server gives up at 60 s and then says so, which is worth five more.
pub(super) const HEADERS_TIMEOUT: Duration = Duration::from_secs(65);

/// How long a plain answer may pause: no server thinks for a minute in the middle of a list.
pub(super) const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);

/// A stage took longer than it may.
#[derive(Clone, Copy, Debug, Error)]
#[error("{stage} took longer than {limit:?}")]
pub(crate) struct Stalled {
    stage: Stage,
    limit: Duration,
}

impl Stalled {
    /// Whether nothing was sent yet.
    pub(crate) fn is_connect(&self) -> bool {
        matches!(self.stage, Stage::Connect | Stage::Tls)
    }
}

/// What was waited for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    Connect,
    Tls,
    Headers,
    Body,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting to the API server",
            Self::Tls => "the TLS handshake with the API server",
            Self::Headers => "the API server's answer",
            Self::Body => "the next piece of the API server's answer",
        })
    }
}

/// A connector that gives up.
#[derive(Clone)]
pub(super) struct BoundedConnector<C> {
    pub(super) inner: C,
    pub(super) stage: Stage,
    pub(super) limit: Option<Duration>,
}

impl<C> Service<Uri> for BoundedConnector<C>
where
    C: Service<Uri>,
    C::Future: Send + 'static,
    C::Response: 'static,
    C::Error: Into<BoxError>,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<C::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (connecting, stage, limit) = (self.inner.call(uri), self.stage, self.limit);
        async move {
            let Some(limit) = limit else {
                return connecting.await.map_err(Into::into);
            };
            match tokio::time::timeout(limit, connecting).await {
                Ok(connection) => connection.map_err(Into::into),
                Err(_) => Err(Stalled { stage, limit }.into()),
            }
        }
        .boxed()
    }
}

/// A service whose answers must come, and go on coming.
pub(super) struct BoundedAnswers<S> {
    pub(super) inner: S,
    pub(super) headers: Duration,
    pub(super) silence: Duration,
}

impl<S, B> Service<Request<Body>> for BoundedAnswers<S>
where
    S: Service<Request<Body>, Response = Response<B>>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Box<DynBody>>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let silence = (!may_be_silent(request.uri())).then_some(self.silence);
        let limit = self.headers;
        let answer = self.inner.call(request);
        async move {
            let Ok(answer) = tokio::time::timeout(limit, answer).await else {
                return Err(Stalled { stage: Stage::Headers, limit }.into());
            };
            Ok(answer.map_err(Into::into)?.map(|body| BoundedBody::boxed(body, silence)))
        }
        .boxed()
    }
}

/// Whether the answer to a request is open-ended: a watch, or a log that is followed.
fn may_be_silent(uri: &Uri) -> bool {
    let words = uri.query().unwrap_or_default().split('&');
    words.into_iter().any(|word| matches!(word, "watch=true" | "watch=1" | "follow=true" | "follow=1"))
}

/// A body that may pause for a limited time only.
struct BoundedBody<B> {
    inner: B,
    limit: Option<Duration>,
    // Made when the body first pauses: most never do.
    pause: Option<Pin<Box<Sleep>>>,
    is_paused: bool,
}

impl<B> BoundedBody<B>
where
    B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<BoxError>,
{
    fn boxed(inner: B, limit: Option<Duration>) -> Box<DynBody> {
        Box::new(Self { inner, limit, pause: None, is_paused: false })
    }

    fn poll_pause(&mut self, context: &mut Context<'_>) -> Poll<Stalled> {
        let Some(limit) = self.limit else { return Poll::Pending };
        let pause = self.pause.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        if !self.is_paused {
            pause.as_mut().reset(Instant::now() + limit);
            self.is_paused = true;
        }
        pause.as_mut().poll(context).map(|()| Stalled { stage: Stage::Body, limit })
    }
}

impl<B> HttpBody for BoundedBody<B>
where
    B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) {
            self.is_paused = false;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let stalled = ready!(self.poll_pause(context));
        Poll::Ready(Some(Err(stalled.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::{StreamExt, stream};
    use http_body_util::{BodyExt, StreamBody};
    use tower::{ServiceExt, service_fn};

    use super::*;
    use crate::error::{Error, ErrorKind};

    /// Headers after `headers` seconds, then two pieces, each after `piece` seconds.
    fn slow(
        headers: u64,
        piece: u64,
    ) -> impl Service<Request<Body>, Response = Response<Box<DynBody>>, Error = BoxError> {
        let wait = |seconds| tokio::time::sleep(Duration::from_secs(seconds));
        let inner = service_fn(move |_: Request<Body>| async move {
            wait(headers).await;
            let pieces = stream::iter(["a", "b"]).then(move |text| async move {
                wait(piece).await;
                Ok::<_, Infallible>(Frame::data(Bytes::from(text)))
            });
            Ok::<_, Infallible>(Response::new(StreamBody::new(pieces.boxed())))
        });
        BoundedAnswers { inner, headers: HEADERS_TIMEOUT, silence: SILENCE_TIMEOUT }
    }

    async fn ask(uri: &str, headers: u64, piece: u64) -> Result<Bytes, ErrorKind> {
        let request = Request::builder().uri(uri).body(Body::empty()).unwrap();
        let kind = |error| Error::of_service(error).kind();
        let response = slow(headers, piece).oneshot(request).await.map_err(kind)?;
        Ok(response.into_body().collect().await.map_err(kind)?.to_bytes())
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_may_be_slow_but_not_silent() {
        let whole = Ok(Bytes::from("ab"));
        assert_eq!(ask("/api/v1/pods?", 64, 59).await, whole);
        assert_eq!(ask("/api/v1/pods?", 66, 0).await, Err(ErrorKind::Interrupted));
        assert_eq!(ask("/api/v1/pods?", 0, 61).await, Err(ErrorKind::Interrupted));
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_may_be_silent_but_has_to_begin() {
        for uri in ["/api/v1/pods?&watch=true&timeoutSeconds=290", "/api/v1/namespaces/a/pods/b/log?&follow=true"] {
            assert_eq!(ask(uri, 1, 3600).await, Ok(Bytes::from("ab")));
            assert_eq!(ask(uri, 66, 0).await, Err(ErrorKind::Interrupted));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_not_made_in_time_is_unreachable() {
        let limit = Some(Duration::from_secs(30));
        let inner = service_fn(|_: Uri| std::future::pending::<Result<(), Infallible>>());
        for stage in [Stage::Connect, Stage::Tls] {
            let connector = BoundedConnector { inner, stage, limit };
            let error = connector.oneshot(Uri::default()).await.unwrap_err();
            assert_eq!(Error::of_service(error).kind(), ErrorKind::Unreachable);
        }
    }
}
