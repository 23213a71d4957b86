//! The span of a call, and its name on whatever goes wrong.
//!
//! Everything logged below happens inside a span with verb and path. The query is left out: the arguments of an exec
//! stand there. An error, also one in the middle of the answer, says which call it belongs to.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::{BoxFuture, FutureExt};
use http::{Method, Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use thiserror::Error;
use tower::{BoxError, Service};
use tracing::Instrument;

use super::body::Body;
use crate::error::Error;

/// A call that got no answer, or only the beginning of one.
#[derive(Debug, Error)]
#[error("{} {} {}", named.method, named.path, if *has_begun { "got an answer that broke off" } else { "got no answer" })]
pub(crate) struct Unanswered {
    named: Arc<Named>,
    has_begun: bool,
    #[source]
    cause: BoxError,
}

impl Unanswered {
    /// A call that its caller has given up.
    pub(super) fn new(method: Method, path: &str, cause: BoxError) -> Self {
        Self { named: Arc::new(Named { method, path: path.to_owned() }), has_begun: false, cause }
    }

    /// Whether the call would change something.
    pub(crate) fn is_write(&self) -> bool {
        !self.named.method.is_safe()
    }

    /// Whether the server had begun to answer: then it has done what it was asked.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }
}

/// What a call is known by.
#[derive(Debug)]
struct Named {
    method: Method,
    path: String,
}

impl Named {
    /// Errors of this crate say themselves what is wrong, and are matched by variant.
    fn explain(self: &Arc<Self>, error: BoxError, has_begun: bool) -> BoxError {
        if error.is::<Error>() {
            return error;
        }
        Box::new(Unanswered { named: self.clone(), has_begun, cause: error })
    }
}

/// The service around a whole call.
#[derive(Clone)]
pub(super) struct Called<S> {
    pub(super) inner: S,
}

impl<S> Service<Request<Body>> for Called<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = BoxError>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<Body>, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let named = Arc::new(Named { method: request.method().clone(), path: request.uri().path().to_owned() });
        let span = tracing::debug_span!(
            "call",
            otel.kind = "client",
            http.method = %named.method,
            http.path = %named.path,
            http.status_code = tracing::field::Empty,
        );
        let answer = span.in_scope(|| self.inner.call(request));
        let entered = span.clone();
        async move {
            let response = answer.await.map_err(|error| named.explain(error, false))?;
            entered.record("http.status_code", response.status().as_u16());
            Ok(response.map(|body| Body::wrap_body(NamedBody { body, named })))
        }
        .instrument(span)
        .boxed()
    }
}

/// A body whose errors say which call they belong to.
struct NamedBody {
    body: Body,
    named: Arc<Named>,
}

impl HttpBody for NamedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Pin::new(&mut self.body).poll_frame(context).map(|frame| {
            frame.map(|frame| {
                frame.map_err(|error| match error {
                    Error::Service(cause) => self.named.explain(cause, true),
                    Error::HyperError(cause) => self.named.explain(cause.into(), true),
                    error => error.into(),
                })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
