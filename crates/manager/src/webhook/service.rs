//! The webhooks of a program as one service: paths, limits and counters; what is asked and answered is for each webhook.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Body;
use pintle_core::Resource;
use pintle_core::admission::AdmissionRequest;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use tower::Service;

use super::admission::{self, Expected, Purpose};
use super::conversion::{self, Conversion};
use super::decision::Decision;
use super::metrics::Metrics;

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Handler = Arc<dyn Fn(Bytes) -> BoxFuture<'static, Result<Bytes, Refusal>> + Send + Sync>;

/// The largest body that is read: what controller-runtime reads, and more than twice the largest object that etcd takes, because
/// a review may hold two.
pub const BODY_MAX: usize = 7 * 1024 * 1024;

/// How many requests are answered at once, unless set: with the largest bodies they hold under 1 GiB.
pub const REQUESTS_MAX: usize = 128;

/// Webhooks by path.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use pintle_core::ResourceExt;
/// use pintle_core::admission::AdmissionRequest;
/// use pintle_manager::webhook::{Decision, Webhooks};
///
/// let webhooks = Webhooks::new()
///     .mutating("/default-owner", |request: AdmissionRequest<ConfigMap>| async move {
///         let Some(mut map) = request.object else { return Decision::allow() };
///         map.labels_mut().entry("owner".into()).or_insert_with(|| request.user_info.username.unwrap_or_default());
///         Decision::change_to(&map)
///     })
///     .validating("/validate", |request: AdmissionRequest<ConfigMap>| async move {
///         match request.object.and_then(|map| map.data) {
///             Some(data) if data.len() > 100 => Decision::deny("data may have 100 keys at most"),
///             _ => Decision::allow(),
///         }
///     });
/// ```
/// It is a service for `Request<B>` of any body `B`: give it to an [`HttpServer`](crate::http_server::HttpServer), or in tests
/// to the embedded API server.
#[derive(Clone)]
pub struct Webhooks {
    handlers: Arc<BTreeMap<String, Handler>>,
    metrics: Metrics,
    permits: Arc<Semaphore>,
}

impl Webhooks {
    /// None yet.
    pub fn new() -> Self {
        let permits = Arc::new(Semaphore::new(REQUESTS_MAX));
        Self { handlers: Arc::default(), metrics: Metrics::default(), permits }
    }

    /// A webhook that admits or refuses writes of a `K`, at this path. The write's object is not changed: a handler that returns
    /// another one is a mistake, and answered as an error.
    #[must_use]
    pub fn validating<K, F, D>(
        self,
        path: &str,
        handler: impl Fn(AdmissionRequest<K>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Serialize + Send + 'static,
        F: Future<Output = D> + Send + 'static,
        D: Into<Decision> + 'static,
    {
        self.admission(path, Purpose::Validating, admission::kind_of::<K>(), handler)
    }

    /// A webhook that may also change the object before it is stored, by [`Decision::change_to`].
    #[must_use]
    pub fn mutating<K, F, D>(
        self,
        path: &str,
        handler: impl Fn(AdmissionRequest<K>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Serialize + Send + 'static,
        F: Future<Output = D> + Send + 'static,
        D: Into<Decision> + 'static,
    {
        self.admission(path, Purpose::Mutating, admission::kind_of::<K>(), handler)
    }

    /// [`validating`](Self::validating) for whatever kinds the webhook's configuration names; `K` is
    /// [`DynamicObject`](pintle_core::DynamicObject) or another type that reads all of them.
    #[must_use]
    pub fn validating_any<K, F, D>(
        self,
        path: &str,
        handler: impl Fn(AdmissionRequest<K>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource + DeserializeOwned + Serialize + Send + 'static,
        F: Future<Output = D> + Send + 'static,
        D: Into<Decision> + 'static,
    {
        self.admission(path, Purpose::Validating, None, handler)
    }

    /// [`mutating`](Self::mutating) for whatever kinds the webhook's configuration names.
    #[must_use]
    pub fn mutating_any<K, F, D>(
        self,
        path: &str,
        handler: impl Fn(AdmissionRequest<K>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource + DeserializeOwned + Serialize + Send + 'static,
        F: Future<Output = D> + Send + 'static,
        D: Into<Decision> + 'static,
    {
        self.admission(path, Purpose::Mutating, None, handler)
    }

    /// A webhook that converts objects between versions, for the `conversion` of a CustomResourceDefinition.
    #[must_use]
    pub fn conversion(self, path: &str, conversion: Conversion) -> Self {
        let (conversion, panics) = (Arc::new(conversion), Arc::clone(&self.metrics.conversion_panics));
        self.hook(path, move |body| {
            let (conversion, panics) = (Arc::clone(&conversion), Arc::clone(&panics));
            async move { conversion::answer(&body, &conversion, &panics) }.boxed()
        })
    }

    /// How many requests are answered at once; others wait as long as their API server does. [`REQUESTS_MAX`] unless set.
    #[must_use]
    pub fn requests_max(self, requests: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(requests)), ..self }
    }

    /// What is counted, for an exporter.
    pub fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    /// The paths that are answered.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.handlers.keys().map(String::as_str)
    }

    fn admission<K, F, D>(
        self,
        path: &str,
        purpose: Purpose,
        expected: Expected,
        handler: impl Fn(AdmissionRequest<K>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource + DeserializeOwned + Serialize + Send + 'static,
        F: Future<Output = D> + Send + 'static,
        D: Into<Decision> + 'static,
    {
        let (handler, panics) = (Arc::new(handler), Arc::clone(&self.metrics.admission_panics));
        self.hook(path, move |body| {
            let (handler, expected, panics) = (Arc::clone(&handler), expected.clone(), Arc::clone(&panics));
            admission::answer(body, purpose, expected, panics, move |request| handler(request)).boxed()
        })
    }

    fn hook(
        mut self,
        path: &str,
        handler: impl Fn(Bytes) -> BoxFuture<'static, Result<Bytes, Refusal>> + Send + Sync + 'static,
    ) -> Self {
        assert!(path.starts_with('/'), "the path of a webhook begins with a slash: {path:?}");
        self.metrics.hook(path);
        let before = Arc::make_mut(&mut self.handlers).insert(path.to_owned(), Arc::new(handler));
        assert!(before.is_none(), "two webhooks have the path {path}");
        self
    }

    /// The answer to one request.
    async fn answer<B>(self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        let path = request.uri().path().to_owned();
        let Some(handler) = self.handlers.get(&path) else {
            let paths: Vec<_> = self.paths().collect();
            let why = format!("no webhook has the path {path}; there are {}", paths.join(", "));
            return Refusal { code: StatusCode::NOT_FOUND, why }.into_response(&path);
        };
        let (hook, begun) = (self.metrics.hook(&path), Instant::now());
        let in_flight = hook.begin();
        let limit = time_limit(request.uri());
        let answered = timeout(limit, self.answer_within(request, handler)).await;
        let late = |_| {
            let why = format!("the webhook did not answer within {limit:?}, which is what its caller waits for");
            Err(Refusal { code: StatusCode::GATEWAY_TIMEOUT, why })
        };
        let response = match answered.unwrap_or_else(late) {
            Ok(review) => json(review),
            Err(refusal) => refusal.into_response(&path),
        };
        hook.ended(response.status().as_u16(), begun.elapsed());
        drop(in_flight);
        response
    }

    async fn answer_within<B>(&self, request: Request<B>, handler: &Handler) -> Result<Bytes, Refusal>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        if request.method() != Method::POST {
            let why = format!("a webhook is called by POST, not by {}", request.method());
            return Err(Refusal { code: StatusCode::METHOD_NOT_ALLOWED, why });
        }
        check_content_type(request.headers().get(CONTENT_TYPE))?;
        // Before the body is read, so that what bodies take is bounded. It is never closed.
        let _permit = self.permits.acquire().await;
        handler(read(request.into_body()).await?).await
    }
}

impl Default for Webhooks {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks").field("paths", &self.handlers.keys()).finish_non_exhaustive()
    }
}

impl<B> Service<Request<B>> for Webhooks
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        self.clone().answer(request).map(Ok).boxed()
    }
}

/// A request that is not answered with a review: the API server treats it as a call that failed.
#[derive(Debug)]
pub(super) struct Refusal {
    code: StatusCode,
    why: String,
}

impl Refusal {
    pub(super) fn bad_request(why: impl Into<String>) -> Self {
        Self { code: StatusCode::BAD_REQUEST, why: why.into() }
    }

    fn into_response(self, path: &str) -> Response<Full<Bytes>> {
        tracing::warn!("a request for {path} is answered with {}: {}", self.code.as_u16(), self.why);
        let mut response = Response::new(Full::from(format!("{}\n", self.why)));
        *response.status_mut() = self.code;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        if self.code == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        }
        response
    }
}

fn json(review: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(review));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn check_content_type(content_type: Option<&HeaderValue>) -> Result<(), Refusal> {
    let said = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = said.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let why = format!("a review is sent as application/json, and this came as {said:?}");
    Err(Refusal { code: StatusCode::UNSUPPORTED_MEDIA_TYPE, why })
}

async fn read<B>(body: B) -> Result<Bytes, Refusal>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    let failed = |error: BoxError| {
        if error.is::<LengthLimitError>() {
            let why = format!("the review is larger than {} MiB", BODY_MAX / 1024 / 1024);
            return Refusal { code: StatusCode::PAYLOAD_TOO_LARGE, why };
        }
        Refusal::bad_request(format!("the body could not be read: {error}"))
    };
    Ok(Limited::new(body, BODY_MAX).collect().await.map_err(failed)?.to_bytes())
}

/// How long a request may take: what its caller waits (`?timeout=10s`) less a tenth, so that the answer arrives in time.
fn time_limit(uri: &Uri) -> Duration {
    let query = uri.query().unwrap_or_default().as_bytes();
    let named = form_urlencoded::parse(query).find(|(name, _)| name == "timeout");
    let asked = named.and_then(|(_, value)| value.parse::<pintle_core::Duration>().ok());
    let asked = asked.filter(|asked| !asked.is_negative()).map_or(TIMEOUT_MAX, Duration::from).min(TIMEOUT_MAX);
    asked - (asked / 10).min(MARGIN_MAX)
}

/// The longest that an API server waits for a webhook, and what is assumed of a caller that does not say.
const TIMEOUT_MAX: Duration = Duration::from_secs(30);
/// An answer within a cluster needs no longer to arrive.
const MARGIN_MAX: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
