//! What a request passes through on its way to the cluster, and why in that order.
//!
//! ```text
//!        request                                                                                        answer
//!           │                                                                                              ▲
//!   ┌───────▼──────────────────────────────────────────────────────────────────────────────────────────────┴──────┐
//!   │ BaseUri        the cluster's URL: everything inside sees where the request really goes                      │
//!   │ CallSpan       the span of the call, its name on errors: one for all tries                                  │
//!   │ Retry          tries again: outside of the credentials, so that a second try carries fresh ones             │
//!   │ RateLimit      waits as the program's own limit says: inside of retry, so that every try counts             │
//!   │ Auth           credentials                                                                                  │
//!   │ ExtraHeaders   headers of the configuration: inside of the credentials, which one of them may replace       │
//!   │ Attempt        the span of one try: sees each answer as the server sent it, with its warnings               │
//!   │ Decompression  gzip: outside of the time limits, which count what arrives                                   │
//!   │ InFlight       waits for a turn: outside of the time limits, which count the server's time only             │
//!   │ Timeouts       time limits                                                                                  │
//!   │ Guard          refuses writes of a task that may not write any more: as late as can be, and for each try    │
//!   └───────┬──────────────────────────────────────────────────────────────────────────────────────────────▲──────┘
//!           ▼                                                                                              │
//!     connection_pool ════════════════════════════════ bytes ════════════════════════════════════════► cluster
//! ```
//! [`LAYERS`] is the one place that decides the order. A layer is one file, which says what it does with a call;
//! [`wrapped`] makes a service of that.

pub(super) mod attempt;
pub(super) mod auth;
pub(super) mod base_uri;
pub(super) mod call_span;
#[cfg(feature = "gzip")]
pub(super) mod decompression;
pub(super) mod extra_headers;
pub(super) mod guard;
pub(super) mod in_flight;
pub(super) mod rate_limit;
pub mod retry;
pub(super) mod timeouts;
pub(super) mod wrapped;

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body::Body as HttpBody;
use hyper_util::client::legacy::Builder;
use tower::retry::RetryLayer;
use tower::util::{BoxCloneSyncService, BoxService};
use tower::{BoxError, Layer as _, ServiceExt};

use super::Plugged;
use super::auth::{Credentials, Identity};
use super::body::Body;
use super::builder::{DynBody, GenericService};
use super::connection::connection_pool::ConnectionPool;
use super::connection::write_fence::WriteFence;
use super::connection::{Connectors, tls};
use super::reporter::Reporter;
use crate::config::Config;
use crate::error::{Error, Result};
use attempt::AttemptLayer;
use auth::AuthLayer;
use base_uri::{BaseUriLayer, locate};
use call_span::CallSpanLayer;
use extra_headers::ExtraHeadersLayer;
use guard::GuardLayer;
use in_flight::{IN_FLIGHT_MAX, InFlightLayer};
use rate_limit::RateLimitLayer;
use retry::RetryPolicy;
use timeouts::TimeoutsLayer;
use wrapped::WrapsCalls as _;

/// The layers around the connections, outside in.
pub(super) const LAYERS: [Layer; 11] = [
    Layer::BaseUri,
    Layer::CallSpan,
    Layer::Retry,
    Layer::RateLimit,
    Layer::Auth,
    Layer::ExtraHeaders,
    Layer::Attempt,
    Layer::Decompression,
    Layer::InFlight,
    Layer::Timeouts,
    Layer::Guard,
];

/// The same around a service that needs no connection: it has no URL, asks for no credentials and packs nothing.
const LAYERS_OF_SERVICE: [Layer; 8] = [
    Layer::CallSpan,
    Layer::Retry,
    Layer::RateLimit,
    Layer::ExtraHeaders,
    Layer::Attempt,
    Layer::InFlight,
    Layer::Timeouts,
    Layer::Guard,
];

/// One layer of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    BaseUri,
    CallSpan,
    Retry,
    RateLimit,
    Auth,
    ExtraHeaders,
    Attempt,
    Decompression,
    InFlight,
    Timeouts,
    Guard,
}

/// A service with layers around it.
type Stacked = BoxCloneSyncService<Request<Body>, Response<Body>, BoxError>;

/// The service that `config` describes. Nothing is connected yet.
pub(super) fn service(config: &Config, builder: Builder, reporter: Arc<Reporter>) -> Result<GenericService> {
    tls::install_provider();
    let stack = Stack::new(config, reporter)?;
    let connectors = Connectors::new(config, stack.identity.as_ref(), &stack.reporter, &stack.fence)?;
    let pool = BoxCloneSyncService::new(ConnectionPool::new(connectors, builder, stack.identity.clone()));
    let stacked = LAYERS.iter().rev().fold(pool, |inner, layer| stack.around(inner, *layer));
    Ok(BoxService::new(stacked.map_response(|response| response.map(dynamic))))
}

/// The layers of a configuration around a service of one's own.
pub(super) fn around<S, B>(service: S, reporter: Arc<Reporter>) -> Plugged
where
    S: tower::Service<Request<Body>, Response = Response<B>> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    // Nothing is sent to this URL: it only has to be one.
    let config = Config::new(Uri::from_static("http://in.this.process"));
    let stack = Stack::new(&config, reporter).expect("a configuration that names nothing has nothing wrong");
    let service = service.map_response(|response: Response<B>| response.map(Body::wrap_body)).map_err(Into::into);
    let stacked = LAYERS_OF_SERVICE.iter().rev().fold(boxed(service), |inner, layer| stack.around(inner, *layer));
    BoxService::new(stacked)
}

fn dynamic(body: Body) -> Box<DynBody> {
    use http_body_util::BodyExt;
    Box::new(body.map_err(Into::into))
}

/// What the layers are made from.
struct Stack<'a> {
    config: &'a Config,
    headers: ExtraHeadersLayer,
    credentials: Arc<Credentials>,
    identity: Option<Arc<Identity>>,
    reporter: Arc<Reporter>,
    fence: Arc<WriteFence>,
}

impl<'a> Stack<'a> {
    fn new(config: &'a Config, reporter: Arc<Reporter>) -> Result<Self> {
        // A URL that is not complete is noticed here and not at the first request.
        locate(&config.cluster_url, &Uri::default()).map_err(Error::HttpError)?;
        let identity = Identity::new(&config.auth_info, tls::provider()).map_err(Error::RustlsTls)?.map(Arc::new);
        Ok(Self {
            config,
            headers: ExtraHeadersLayer::new(config).map_err(Error::HttpError)?,
            credentials: Arc::new(Credentials::new(config, identity.clone()).map_err(Error::Auth)?),
            identity,
            reporter,
            fence: Arc::default(),
        })
    }

    fn around(&self, inner: Stacked, layer: Layer) -> Stacked {
        let config = self.config;
        match layer {
            Layer::BaseUri => boxed(BaseUriLayer::new(config.cluster_url.clone()).layer(inner)),
            Layer::CallSpan => boxed(CallSpanLayer::new(self.reporter.clone()).layer(inner)),
            Layer::Retry => boxed(RetryLayer::new(RetryPolicy::of(config)).layer(inner)),
            Layer::RateLimit => boxed(RateLimitLayer::new(self.reporter.metrics().clone()).layer(inner)),
            Layer::Auth => boxed(AuthLayer::new(self.credentials.clone()).layer(inner)),
            Layer::ExtraHeaders => boxed(self.headers.layer(inner)),
            Layer::Attempt => boxed(AttemptLayer::new(config.warnings.clone(), self.reporter.clone()).layer(inner)),
            #[cfg(feature = "gzip")]
            Layer::Decompression if !config.disable_compression => {
                boxed(decompression::DecompressionLayer.layer(inner))
            }
            // It is not asked for, so none comes.
            Layer::Decompression => inner,
            Layer::InFlight => boxed(InFlightLayer::new(IN_FLIGHT_MAX).layer(inner)),
            Layer::Timeouts => boxed(TimeoutsLayer::new(config.read_timeout).layer(inner)),
            Layer::Guard => boxed(GuardLayer::new(Arc::clone(&self.fence)).layer(inner)),
        }
    }
}

fn boxed<S>(service: S) -> Stacked
where
    S: tower::Service<Request<Body>, Response = Response<Body>, Error = BoxError> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    BoxCloneSyncService::new(service)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_without_a_scheme_is_refused_when_the_client_is_built() {
        assert!(Stack::new(&Config::new("localhost:8080".parse().unwrap()), Arc::default()).is_err());
    }

    #[test]
    fn a_second_try_has_fresh_credentials_because_retry_is_outside_them() {
        let place = |layer| LAYERS.iter().position(|other| *other == layer).unwrap();
        assert!(place(Layer::Retry) < place(Layer::Auth) && place(Layer::CallSpan) < place(Layer::Retry));
        assert!(place(Layer::Retry) < place(Layer::RateLimit), "a second try is a request like the first");
        assert!(
            place(Layer::BaseUri) == 0 && place(Layer::Guard) == LAYERS.len() - 1,
            "nothing waits behind the guard"
        );
    }
}
