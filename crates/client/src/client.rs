//! `Client`: requests go in, decoded answers come out.
//!
//! ```text
//!   http::Request ─► Client ─► tower service (a cluster, a server in this process, a test) ─► answer.rs, events.rs
//! ```
//! The service under the client is the only seam: everything else is the same whatever is plugged in. It needs to be
//! neither `Clone` nor `Sync`. There is no worker task: a caller locks the service for readiness and call, and awaits
//! the answer outside the lock, so a client can be made outside a runtime and slow answers hold up no other call.

mod answer;
mod auth;
mod body;
mod builder;
mod config_ext;
mod connection;
mod layers;
pub mod metrics;
pub mod middleware;
#[cfg(feature = "unstable-client")]
mod reference;
mod reporter;
mod request;
mod server;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use either::Either;
use futures::{AsyncBufRead, Stream};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::Body as HttpBody;
use jiff::Timestamp;
use pintle_core::{Status, WatchEvent};
use pintle_wire::MediaType;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use tokio::time::Instant;
use tower::util::BoxService;
use tower::{BoxError, Service, ServiceExt};

pub use auth::AuthError;
#[cfg(feature = "oauth")]
pub use auth::OAuthError;
#[cfg(feature = "oidc")]
pub use auth::oidc_errors;
pub use body::Body;
pub use builder::{ClientBuilder, DynBody, GenericService};
pub use config_ext::ConfigExt;
#[cfg(feature = "openssl-tls")]
pub use connection::openssl::OpensslTlsError;
pub use connection::tls::RustlsTlsError;
#[cfg(feature = "ws")]
pub use connection::upgrade::{Connection, UpgradeConnectionError};
pub use layers::retry;
#[doc(no_inline)]
pub use pintle_core::discovery::v2::{
    ACCEPT_AGGREGATED_DISCOVERY_V2, APIGroupDiscovery, APIGroupDiscoveryList, APIResourceDiscovery,
    APISubresourceDiscovery, APIVersionDiscovery, GroupVersionKind as DiscoveryGroupVersionKind,
};
#[cfg(feature = "unstable-client")]
pub use reference::scope;
#[doc(hidden)]
pub use request::applied::AppliedMemory;
pub use request::rate_limit;
#[doc(hidden)]
pub use request::{unrepeated, write_guard, writes};

pub(crate) use answer::UnexpectedContentType;
pub(crate) use answer::events::{Broken, Events, ReadEvent};
pub(crate) use body::BodyTooLarge;
#[cfg(feature = "ws")]
pub(crate) use connection::web_socket::{Heard, Hearing, Speaking, is_over, split};
pub(crate) use layers::call_span::Unanswered;
#[cfg(feature = "gzip")]
pub(crate) use layers::decompression::NotUnpacked;
pub(crate) use reporter::remedy::UNAUTHORIZED;
pub(crate) use reporter::stalled::Stalled;
pub(crate) use request::info::RequestInfo;
pub(crate) use request::raw_watch::RawWatch;
pub(crate) use server::aggregated;

use answer::events::Decoded;
use answer::reader::BodyReader;
use answer::{Question, media_type, media_type_or_json, refuse_failures};
use metrics::Metrics;
use rate_limit::RateLimit;
use reporter::Reporter;
use request::limit::Limit;
use request::negotiation::Negotiation;
use request::trace_context::TraceContext;
use request::writes::Writing;

use crate::config::{Config, Kubeconfig};
use crate::error::{Error, Result};

/// A connection to a cluster; clones share it.
#[derive(Clone)]
pub struct Client {
    service: Arc<Mutex<Plugged>>,
    default_namespace: Arc<str>,
    valid_until: Option<Timestamp>,
    limit: Limit,
    negotiation: Arc<Negotiation>,
    applied: Arc<AppliedMemory>,
    reporter: Arc<Reporter>,
    // The field manager of writes that do not name one.
    field_manager: Option<Arc<str>>,
    rate_limit: Option<RateLimit>,
    trace_context: Option<TraceContext>,
}

/// Whatever service was plugged in.
type Plugged = BoxService<Request<Body>, Response<Body>, BoxError>;

impl Client {
    /// A client over any HTTP service. Requests have a path and no host.
    pub fn new<S, B, T>(service: S, default_namespace: T) -> Self
    where
        S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
        T: Into<String>,
    {
        let service = service.map_response(|response: Response<B>| response.map(Body::wrap_body)).map_err(Into::into);
        Self::over(BoxService::new(service), default_namespace.into())
    }

    /// A client over any HTTP service, with the layers that a client has that is made from a [`Config`]: calls are tried
    /// again where that is safe, limited in time and number, have spans, and log the server's warnings. Not in kube.
    ///
    /// ```
    /// # use http::{Request, Response};
    /// # use pintle_client::Client;
    /// # use pintle_client::client::Body;
    /// let service = tower::service_fn(|_: Request<Body>| async {
    ///     Ok::<_, std::convert::Infallible>(Response::new(Body::empty()))
    /// });
    /// let client = Client::layered(service, "default");
    /// ```
    pub fn layered<S, B, T>(service: S, default_namespace: T) -> Self
    where
        S: Service<Request<Body>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
        T: Into<String>,
    {
        let reporter = Arc::<Reporter>::default();
        Self::over(layers::around(service, reporter.clone()), default_namespace.into()).with_reporter(reporter)
    }

    fn over(service: Plugged, default_namespace: String) -> Self {
        Self {
            service: Arc::new(Mutex::new(service)),
            default_namespace: default_namespace.into(),
            valid_until: None,
            limit: Limit::default(),
            negotiation: Arc::default(),
            applied: Arc::default(),
            reporter: Arc::default(),
            field_manager: None,
            rate_limit: None,
            trace_context: None,
        }
    }

    /// What was last applied through this client and its clones.
    pub(crate) fn applied(&self) -> &AppliedMemory {
        &self.applied
    }

    /// With what was logged about its calls so far, where layers below log about them too.
    fn with_reporter(self, reporter: Arc<Reporter>) -> Self {
        Self { reporter, ..self }
    }

    /// Says until when the client can be used.
    pub fn with_valid_until(self, valid_until: Option<Timestamp>) -> Self {
        Self { valid_until, ..self }
    }

    /// The same client, each of whose calls takes at most so long, all tries included. A watch, a log or a connection
    /// has to begin within that time.
    ///
    /// A call that takes longer fails with an error for which [`Error::is_timeout`] is true. It is cancelled on the
    /// wire; whether a write was executed is not known.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.limit.timeout = Some(timeout);
        self
    }

    /// The same client, all of whose calls end by `deadline`; otherwise as [`with_timeout`](Self::with_timeout). What is
    /// called later fails at once, and nothing is sent.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.limit.deadline = Some(deadline);
        self
    }

    /// The same client, whose calls are sent at most as often as `limit` says; every try counts, watches do not. Handles
    /// with the same limit share it. Off unless set: servers limit their clients themselves, by priority and fairness.
    ///
    /// ```
    /// # use pintle_client::Client;
    /// # use pintle_client::client::rate_limit::{InvalidRateLimit, RateLimit};
    /// # fn example(client: Client) -> Result<Client, InvalidRateLimit> {
    /// let client = client.with_rate_limit(RateLimit::new(20.0, 30)?);
    /// # Ok(client)
    /// # }
    /// ```
    #[must_use]
    pub fn with_rate_limit(mut self, limit: RateLimit) -> Self {
        self.rate_limit = Some(limit);
        self
    }

    /// The same client, whose calls say to the server which trace they belong to: `write` sets the headers for the current
    /// span, such as W3C's `traceparent`. It is called within the span of the call, and may be called more than once for
    /// one: it should replace what is there. The client itself knows no tracing system.
    ///
    /// ```
    /// # use pintle_client::Client;
    /// # fn example(client: Client) -> Client {
    /// // With the crates opentelemetry and tracing-opentelemetry:
    /// // client.with_trace_context(|headers| {
    /// //     let context = tracing::Span::current().context();
    /// //     get_text_map_propagator(|propagator| propagator.inject_context(&context, &mut HeaderInjector(headers)));
    /// // })
    /// client.with_trace_context(|headers| {
    ///     let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    ///     headers.insert("traceparent", http::HeaderValue::from_static(trace));
    /// })
    /// # }
    /// ```
    #[must_use]
    pub fn with_trace_context(mut self, write: impl Fn(&mut HeaderMap) + Send + Sync + 'static) -> Self {
        self.trace_context = Some(TraceContext::new(write));
        self
    }

    /// What it and its clones have sent, for an exporter of metrics.
    pub fn metrics(&self) -> Metrics {
        self.reporter.metrics().clone()
    }

    /// Whether both send their requests the same way, as the same user to the same cluster: one is a clone of the other.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.service, &other.service)
    }

    /// Until when the client can be used, where that is known. A client made from a configuration renews its
    /// credentials and has no such time.
    pub fn valid_until(&self) -> &Option<Timestamp> {
        &self.valid_until
    }

    /// A client for the cluster that [`Config::infer`] finds.
    ///
    /// # Errors
    /// When no configuration is found or it cannot be used. Nothing is connected yet.
    pub async fn try_default() -> Result<Self> {
        Self::try_from(Config::infer().await.map_err(Error::InferConfig)?)
    }

    /// The namespace used where none is given.
    pub fn default_namespace(&self) -> &str {
        &self.default_namespace
    }

    /// Sends a request and returns the response, whatever its status.
    ///
    /// # Errors
    /// When there is no response.
    pub async fn send(&self, mut request: Request<Body>) -> Result<Response<Body>> {
        RequestInfo::note(&mut request);
        let name = self.reporter.name(&request);
        let answer = self.limit.hold(&name, self.send_unlimited(request)).await;
        self.reporter.ended(&name, |response| response.status().as_u16(), &answer);
        answer
    }

    /// As [`send`](Self::send), where a refusal is an error.
    async fn send_and_refuse(&self, mut request: Request<Body>) -> Result<Response<Body>> {
        RequestInfo::note(&mut request);
        let name = self.reporter.name(&request);
        let response = self.send(request).await?;
        refuse_failures(response).await.map_err(|error| answer::refusal::completed(error, &name))
    }

    async fn send_unlimited(&self, mut request: Request<Body>) -> Result<Response<Body>> {
        self.equip(&mut request);
        if self.reporter.is_layered() {
            return self.pass_on(request).await;
        }
        // A service without layers: what they would do about each try is done here.
        let (metrics, class) = (self.reporter.metrics(), RequestInfo::of(&request).class());
        let labels = metrics.labels(&request);
        if let Some(limit) = self.rate_limit.as_ref().filter(|_| RateLimit::counts(&request)) {
            metrics.waited(&labels, limit.turn().await);
        }
        let begun = Instant::now();
        let answer = self.pass_on(request).await;
        let code = answer.as_ref().ok().map(|response| response.status().as_u16());
        metrics.ended(&labels, class, code, begun.elapsed());
        answer
    }

    /// Gives a request what the layers below should do about it.
    fn equip(&self, request: &mut Request<Body>) {
        if let Some(limit) = &self.rate_limit {
            request.extensions_mut().insert(limit.clone());
        }
        if let Some(context) = &self.trace_context {
            context.write_into(request);
            request.extensions_mut().insert(context.clone());
        }
    }

    async fn pass_on(&self, request: Request<Body>) -> Result<Response<Body>> {
        let answer = {
            let mut service = self.service.lock().await;
            match service.ready().await {
                Ok(service) => service.call(write_guard::guarded(request)?),
                Err(error) => {
                    // A service that is gone says so at once: who asks it again and again must not keep the other tasks of
                    // the thread from running.
                    tokio::task::yield_now().await;
                    return Err(Error::of_service(error));
                }
            }
        };
        answer.await.map_err(Error::of_service)
    }

    /// Sends a request and decodes the answer.
    ///
    /// # Errors
    /// When there is no answer, it is a refusal, or it is not a `T`.
    pub async fn request<T: DeserializeOwned>(&self, request: Request<Vec<u8>>) -> Result<T> {
        let question = Question::of(&request);
        question.decode(&self.request_bytes(request).await?)
    }

    /// Sends a request and returns the answer as text.
    ///
    /// # Errors
    /// When there is no answer, it is a refusal, or it is not text.
    pub async fn request_text(&self, request: Request<Vec<u8>>) -> Result<String> {
        String::from_utf8(self.request_bytes(request).await?.into()).map_err(Error::FromUtf8)
    }

    /// Sends a request and returns the answer to be read as it comes, such as a log that is followed.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub async fn request_stream(&self, request: Request<Vec<u8>>) -> Result<impl AsyncBufRead + use<>> {
        let response = self.send_and_refuse(request.map(Body::from)).await?;
        Ok(BodyReader::new(response.into_body()))
    }

    /// Sends a request that is answered with an object, or with a [`Status`] where the object is gone at once.
    ///
    /// # Errors
    /// When there is no answer, it is a refusal, or it is neither.
    pub async fn request_status<T: DeserializeOwned>(&self, request: Request<Vec<u8>>) -> Result<Either<T, Status>> {
        let question = Question::of(&request);
        let body = self.request_bytes(request).await?;
        let answer: Result<KindOnly, _> = serde_json::from_slice(&body);
        if answer.is_ok_and(|answer| answer.kind.as_deref() == Some("Status")) {
            return question.decode(&body).map(Either::Right);
        }
        question.decode(&body).map(Either::Left)
    }

    /// Sends a watch request and decodes its events as they come.
    ///
    /// The stream ends quietly when the server ends it or the connection breaks: a watch is resumed from the last
    /// version either way. An object that is not a `T` is an error item, and the stream goes on. A client from a
    /// [`Config`] opens it as client-go does: an answer that asks for another try gets it, up to ten in a minute, and so
    /// does a connection that breaks; one that still breaks then is a watch without events.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub async fn request_events<T>(
        &self,
        request: Request<Vec<u8>>,
    ) -> Result<impl Stream<Item = Result<WatchEvent<T>>> + use<T>>
    where
        T: Clone + DeserializeOwned,
    {
        let (media_type, body) = RawWatch::open(request, |request| self.stream(request)).await?;
        Ok(Self::events(media_type, body))
    }

    /// The decoded events of a watch.
    pub(crate) fn events<T>(media_type: MediaType, body: Body) -> impl Stream<Item = Result<WatchEvent<T>>> + use<T>
    where
        T: Clone + DeserializeOwned,
    {
        Events::new(media_type, body, Decoded::<T>::default(), Broken::Error)
    }

    /// Sends a request whose answer is read piece by piece, and says what it is written in.
    pub(crate) async fn stream(&self, request: Request<Vec<u8>>) -> Result<(MediaType, Body)> {
        let is_raw_watch = RawWatch::is(&request);
        let response = self.send_and_refuse(request.map(Body::from)).await?;
        let media_type = if is_raw_watch { media_type_or_json(&response) } else { media_type(&response)? };
        Ok((media_type, response.into_body()))
    }

    /// As [`request`](Self::request), with the status code: 201 for what was created, 200 for what was changed.
    pub(crate) async fn request_with_code<T: DeserializeOwned>(
        &self,
        request: Request<Vec<u8>>,
    ) -> Result<(StatusCode, T)> {
        let question = Question::of(&request);
        let (code, body) = self.request_answer(request).await?;
        Ok((code, question.decode(&body)?))
    }

    async fn request_bytes(&self, request: Request<Vec<u8>>) -> Result<Bytes> {
        Ok(self.request_answer(request).await?.1)
    }

    async fn request_answer(&self, mut request: Request<Vec<u8>>) -> Result<(StatusCode, Bytes)> {
        RequestInfo::note(&mut request);
        let request = self.managed(request);
        let writing = Writing::of(&request);
        let turn = writes::turn(request.method());
        let name = self.reporter.name(&request);
        let answered = async {
            let _place = turn.await;
            let response = self.send_unlimited(request.map(Body::from)).await?;
            Ok((
                response.status(),
                answer::collect(response).await.map_err(|error| answer::refusal::completed(error, &name))?,
            ))
        };
        let answer = self.limit.hold(&name, answered).await;
        self.reporter.ended(&name, |(code, _)| code.as_u16(), &answer);
        let (code, body) = answer?;
        if let Some(writing) = writing {
            writing.answered(&body);
        }
        Ok((code, body))
    }
}

/// Enough of an object to distinguish a `Status` from the rest.
#[derive(Deserialize)]
struct KindOnly {
    kind: Option<String>,
}

impl TryFrom<Config> for Client {
    type Error = Error;

    fn try_from(config: Config) -> Result<Self> {
        Ok(ClientBuilder::try_from(config)?.build())
    }
}

/// For the context that the file itself chooses.
impl TryFrom<Kubeconfig> for Client {
    type Error = Error;

    fn try_from(kubeconfig: Kubeconfig) -> Result<Self> {
        Self::try_from(Config::try_from(kubeconfig)?)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("default_namespace", &self.default_namespace).finish_non_exhaustive()
    }
}
