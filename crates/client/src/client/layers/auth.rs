//! Adds credentials to requests.
//!
//! Inside of retry, so that a second try carries fresh ones; outside of the extra headers, which may replace them.
//!
//! It notes which credentials a request carried. When the server refuses them (401), they are stale, and the answer is
//! marked so that the retry layer outside sends the request once more: the second try then carries new ones.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::{BoxFuture, FutureExt};
use http::header::AUTHORIZATION;
use http::{Request, Response, StatusCode};
use tower::{BoxError, Layer, Service};

use crate::client::auth::Credentials;
use crate::client::layers::wrapped::take_ready;
use crate::error::Error;

/// Puts the credentials of a configuration on each request; see `ConfigExt::auth_layer`.
#[derive(Clone)]
pub struct AuthLayer {
    credentials: Arc<Credentials>,
}

impl AuthLayer {
    pub(crate) fn new(credentials: Arc<Credentials>) -> Self {
        Self { credentials }
    }
}

impl<S> Layer<S> for AuthLayer {
    type Service = Auth<S>;

    fn layer(&self, inner: S) -> Auth<S> {
        Auth { inner, credentials: self.credentials.clone() }
    }
}

/// The service that [`AuthLayer`] makes.
#[derive(Clone)]
pub struct Auth<S> {
    inner: S,
    credentials: Arc<Credentials>,
}

/// On a 401: another try will carry other credentials.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CredentialsRenewed;

impl<S, B, R> Service<Request<B>> for Auth<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    B: Send + 'static,
{
    type Response = Response<R>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<R>, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let credentials = self.credentials.clone();
        let mut inner = take_ready(&mut self.inner);
        async move {
            // A header that the caller has set is the caller's will and stays.
            if request.headers().contains_key(AUTHORIZATION) {
                return inner.call(request).await.map_err(Into::into);
            }
            let carried = credentials.carried().await.map_err(Error::Auth)?;
            if let Some(header) = carried.header {
                request.headers_mut().insert(AUTHORIZATION, header);
            }
            let mut response = inner.call(request).await.map_err(Into::into)?;
            if response.status() != StatusCode::UNAUTHORIZED {
                credentials.accepted(carried.generation);
            } else if credentials.refused(carried.generation) {
                response.extensions_mut().insert(CredentialsRenewed);
            }
            Ok(response)
        }
        .boxed()
    }
}
