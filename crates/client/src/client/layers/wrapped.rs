//! The shape of the layers that only this client uses: what one does with a call is all that its file says.
//!
//! In: a layer and the service inside of it. Out: a service for `tower`, which is ready when the inner one is. Layers that
//! programs put into stacks of their own ([`auth`](super::auth), [`base_uri`](super::base_uri),
//! [`extra_headers`](super::extra_headers)) take any body and answer, and are written out.

use std::task::{Context, Poll};

use futures::future::BoxFuture;
use http::{Request, Response};
use tower::{BoxError, Service};

use crate::client::body::Body;

/// What comes of a call.
pub(in crate::client) type Answer = BoxFuture<'static, Result<Response<Body>, BoxError>>;

/// The service inside of a layer.
pub(in crate::client) trait Inner:
    Service<Request<Body>, Response = Response<Body>, Error = BoxError, Future: Send + 'static> + Clone + Send + 'static
{
}

impl<S> Inner for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = BoxError, Future: Send + 'static>
        + Clone
        + Send
        + 'static
{
}

/// What one layer does with a call.
pub(in crate::client) trait WrapsCalls: Clone {
    /// Calls `inner`, which is ready, with what comes before and behind that.
    fn call<S: Inner>(&self, inner: &mut S, request: Request<Body>) -> Answer;

    /// The service that this makes of `inner`.
    fn layer<S: Inner>(&self, inner: S) -> Wrapped<S, Self> {
        Wrapped { inner, layer: self.clone() }
    }
}

/// A service with one layer around it.
#[derive(Clone)]
pub(in crate::client) struct Wrapped<S, L> {
    inner: S,
    layer: L,
}

impl<S: Inner, L: WrapsCalls> Service<Request<Body>> for Wrapped<S, L> {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = Answer;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        self.layer.call(&mut self.inner, request)
    }
}

/// Takes the service that is ready, for a call that comes later; its clone gets ready for the next.
pub(in crate::client) fn take_ready<S: Clone>(service: &mut S) -> S {
    let next = service.clone();
    std::mem::replace(service, next)
}
