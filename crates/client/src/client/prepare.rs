//! A service that changes each request before it goes on, or refuses it.

use std::task::{Context, Poll};

use futures::future::{BoxFuture, FutureExt};
use http::Request;
use tower::{BoxError, Service};

use super::body::Body;
use crate::error::Error;

/// Calls `prepare` on each request before `inner`.
pub(super) struct Prepare<S, F> {
    pub(super) inner: S,
    pub(super) prepare: F,
}

impl<S, F> Service<Request<Body>> for Prepare<S, F>
where
    S: Service<Request<Body>>,
    S::Future: Send + 'static,
    S::Response: 'static,
    S::Error: Into<BoxError>,
    F: Fn(Request<Body>) -> Result<Request<Body>, Error>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match (self.prepare)(request) {
            Err(error) => async move { Err(error.into()) }.boxed(),
            Ok(request) => {
                let answer = self.inner.call(request);
                async move { answer.await.map_err(Into::into) }.boxed()
            }
        }
    }
}
