//! The webhooks of a program as one service: paths, limits and counters; what is asked and answered is for each webhook.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Body;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use tower::Service;

use super::admission::{self, Expected, Purpose};
use super::conversion::{self, Conversion};
use super::exchange::{BoxError, Refusal, check_head, json, read, time_limit};
use super::handler::{Handler, Reviewed};
use super::metrics::Metrics;

/// Answers the body of a review, whatever it is about.
type Hook = Arc<dyn Fn(Bytes) -> BoxFuture<'static, Result<Bytes, Refusal>> + Send + Sync>;

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
    hooks: Arc<BTreeMap<String, Hook>>,
    metrics: Metrics,
    permits: Arc<Semaphore>,
}

impl Webhooks {
    /// None yet.
    pub fn new() -> Self {
        let permits = Arc::new(Semaphore::new(REQUESTS_MAX));
        Self { hooks: Arc::default(), metrics: Metrics::default(), permits }
    }

    /// A webhook that admits or refuses writes of a `K`, at this path. The write's object is not changed: a handler that returns
    /// another one is a mistake, and answered as an error.
    #[must_use]
    pub fn validating<K: Reviewed<DynamicType = ()>>(self, path: &str, handler: impl Handler<K>) -> Self {
        self.admission(path, Purpose::Validating, admission::kind_of::<K>(), handler)
    }

    /// A webhook that may also change the object before it is stored, by [`Decision::change_to`].
    #[must_use]
    pub fn mutating<K: Reviewed<DynamicType = ()>>(self, path: &str, handler: impl Handler<K>) -> Self {
        self.admission(path, Purpose::Mutating, admission::kind_of::<K>(), handler)
    }

    /// [`validating`](Self::validating) for whatever kinds the webhook's configuration names; `K` is
    /// [`DynamicObject`](pintle_core::DynamicObject) or another type that reads all of them.
    #[must_use]
    pub fn validating_any<K: Reviewed>(self, path: &str, handler: impl Handler<K>) -> Self {
        self.admission(path, Purpose::Validating, None, handler)
    }

    /// [`mutating`](Self::mutating) for whatever kinds the webhook's configuration names.
    #[must_use]
    pub fn mutating_any<K: Reviewed>(self, path: &str, handler: impl Handler<K>) -> Self {
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
        self.hooks.keys().map(String::as_str)
    }

    fn admission<K: Reviewed>(
        self,
        path: &str,
        purpose: Purpose,
        expected: Expected,
        handler: impl Handler<K>,
    ) -> Self {
        let (handler, panics) = (Arc::new(handler), Arc::clone(&self.metrics.admission_panics));
        self.hook(path, move |body| {
            let (handler, expected, panics) = (Arc::clone(&handler), expected.clone(), Arc::clone(&panics));
            async move { admission::answer(&body, purpose, expected.as_ref(), &panics, &*handler).await }.boxed()
        })
    }

    fn hook(
        mut self,
        path: &str,
        hook: impl Fn(Bytes) -> BoxFuture<'static, Result<Bytes, Refusal>> + Send + Sync + 'static,
    ) -> Self {
        assert!(path.starts_with('/'), "the path of a webhook begins with a slash: {path:?}");
        self.metrics.hook(path);
        let before = Arc::make_mut(&mut self.hooks).insert(path.to_owned(), Arc::new(hook));
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
        let Some(answer) = self.hooks.get(&path) else {
            let paths: Vec<_> = self.paths().collect();
            let why = format!("no webhook has the path {path}; there are {}", paths.join(", "));
            return Refusal { code: StatusCode::NOT_FOUND, why }.into_response(&path);
        };
        let (hook, begun) = (self.metrics.hook(&path), Instant::now());
        let in_flight = hook.begin();
        let limit = time_limit(request.uri());
        let answered = timeout(limit, self.answer_within(request, answer)).await;
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

    async fn answer_within<B>(&self, request: Request<B>, answer: &Hook) -> Result<Bytes, Refusal>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        check_head(&request)?;
        // Before the body is read, so that what bodies take is bounded. It is never closed.
        let _permit = self.permits.acquire().await;
        answer(read(request.into_body()).await?).await
    }
}

impl Default for Webhooks {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks").field("paths", &self.hooks.keys()).finish_non_exhaustive()
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

#[cfg(test)]
mod tests;
