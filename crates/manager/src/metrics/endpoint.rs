//! Answers scrapes: `GET /metrics`, to everyone or to those whom the cluster allows it.

use std::convert::Infallible;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::{BoxFuture, FutureExt};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use tower::Service;

use super::access::{Access, Refusal};
use super::{Format, Registry};
use crate::text_answer::{text_answer, unless_reading};

/// The service behind `/metrics`.
///
/// ```
/// use http::Request;
/// use pintle_manager::metrics::{Endpoint, Registry};
/// use tower::ServiceExt;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let endpoint = Endpoint::new(Registry::new());
/// let answer = endpoint.oneshot(Request::get("/metrics").body(())?).await?;
/// assert_eq!(answer.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Endpoint {
    registry: Registry,
    access: Option<Access>,
}

/// Where metrics are.
const PATH: &str = "/metrics";

impl Endpoint {
    /// Shows `registry` to everyone.
    #[must_use]
    pub fn new(registry: Registry) -> Self {
        Self { registry, access: None }
    }

    /// Shows it only to those whom `access` allows it. Tokens travel in the requests: serve it by TLS.
    #[must_use]
    pub fn protected_by(mut self, access: Access) -> Self {
        self.access = Some(access);
        self
    }

    async fn answer(self, method: Method, path: String, headers: HeaderMap) -> Response<Full<Bytes>> {
        if path != PATH {
            return text_answer(StatusCode::NOT_FOUND, format!("404 page not found: metrics are at {PATH}\n"));
        }
        if let Some(refused) = unless_reading(&method) {
            return refused;
        }
        if let Some(access) = &self.access
            && let Err(refusal) = access.check(&headers, &method, &path).await
        {
            return refused(&refusal);
        }
        let format = Format::negotiated(&headers);
        let mut answer = text_answer(StatusCode::OK, self.registry.encode(format));
        let content_type = HeaderValue::from_static(format.content_type());
        answer.headers_mut().insert(CONTENT_TYPE, content_type);
        answer
    }
}

fn refused(refusal: &Refusal) -> Response<Full<Bytes>> {
    let code = match refusal {
        Refusal::Unauthenticated => StatusCode::UNAUTHORIZED,
        Refusal::Denied(_) => StatusCode::FORBIDDEN,
        Refusal::AuthenticationFailed | Refusal::AuthorizationFailed(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    text_answer(code, format!("{refusal}\n"))
}

impl<B> Service<Request<B>> for Endpoint {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (parts, _) = request.into_parts();
        self.clone().answer(parts.method, parts.uri.path().to_owned(), parts.headers).map(Ok).boxed()
    }
}
