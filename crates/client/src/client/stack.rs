//! From a configuration to a service that speaks with the cluster: the layers and their order.
//!
//! HTTP/2 where the server offers it (ALPN), else HTTP/1.1; plain `http://` is HTTP/1.1. Redirects are not followed:
//! one could carry the credentials to another host.

use std::sync::Arc;

use bytes::Bytes;
use http::uri::Scheme;
use http::{Request, Response, Uri};
use http_body::Body as HttpBody;
use hyper_util::client::legacy::Builder;
use tower::retry::Retry;
use tower::util::{BoxCloneSyncService, BoxService};
use tower::{BoxError, Layer as _, ServiceExt};

use super::Plugged;
use super::attempt::{Attempted, Warnings};
use super::auth::{AuthLayer, Credentials, Identity};
use super::body::Body;
use super::builder::{DynBody, GenericService};
use super::call::Called;
use super::connector::{self, Connector, Versions};
use super::deadline::{BoundedAnswers, HEADERS_TIMEOUT, SILENCE_TIMEOUT, Stage};
use super::in_flight::{IN_FLIGHT_MAX, InFlight};
use super::lanes::{Connectors, Lanes};
use super::middleware::{BaseUriLayer, ExtraHeadersLayer};
use super::reporter::Reporter;
use super::retry::RetryPolicy;
use super::tls;
use crate::config::Config;
use crate::error::{Error, Result};

/// The layers around the connections, outside in.
///
/// - The base URI comes first: everything below sees where the request really goes.
/// - The span of the call holds all its tries, and names the call on whatever error comes out.
/// - Retry is outside the credentials, so that a second try carries fresh ones.
/// - Headers come after the credentials: an extra header may replace them.
/// - The span of the attempt sees each answer as the server sent it, with its warnings.
/// - Decompression is outside the time limits, which count what arrives.
/// - A call waits for its turn outside the time limits, so that they count the server's time only.
pub(super) const LAYERS: [Layer; 8] = [
    Layer::BaseUri,
    Layer::Call,
    Layer::Retry,
    Layer::Auth,
    Layer::Headers,
    Layer::Attempt,
    Layer::Decompression,
    Layer::Timeouts,
];

/// The same around a service that needs no connection: it has no URL, asks for no credentials and packs nothing.
const LAYERS_OF_SERVICE: [Layer; 5] = [Layer::Call, Layer::Retry, Layer::Headers, Layer::Attempt, Layer::Timeouts];

/// One layer of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    BaseUri,
    Call,
    Retry,
    Auth,
    Headers,
    Attempt,
    Decompression,
    Timeouts,
}

/// A service with layers around it.
type Stacked = BoxCloneSyncService<Request<Body>, Response<Body>, BoxError>;

/// The service that `config` describes. Nothing is connected yet.
pub(super) fn service(config: &Config, builder: Builder, reporter: Arc<Reporter>) -> Result<GenericService> {
    tls::install_provider();
    let stack = Stack::new(config, reporter)?;
    let connections = BoxCloneSyncService::new(Lanes::new(stack.connectors()?, builder, stack.identity.clone()));
    let stacked = LAYERS.iter().rev().fold(connections, |inner, layer| stack.around(inner, *layer));
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
    warnings: Arc<Warnings>,
    reporter: Arc<Reporter>,
}

impl<'a> Stack<'a> {
    fn new(config: &'a Config, reporter: Arc<Reporter>) -> Result<Self> {
        // A URL that is not complete is noticed here and not at the first request.
        super::middleware::locate(&config.cluster_url, &Uri::default()).map_err(Error::HttpError)?;
        let identity = Identity::new(&config.auth_info, tls::provider()).map_err(Error::RustlsTls)?.map(Arc::new);
        Ok(Self {
            config,
            headers: ExtraHeadersLayer::new(config).map_err(Error::HttpError)?,
            credentials: Arc::new(Credentials::new(config, identity.clone()).map_err(Error::Auth)?),
            identity,
            warnings: Arc::new(Warnings::new(config.warnings.clone())),
            reporter,
        })
    }

    fn connectors(&self) -> Result<Connectors> {
        let plain = connector::noted(connector::plain(self.config)?, &self.reporter, Stage::Connect);
        if self.config.cluster_url.scheme() == Some(&Scheme::HTTP) {
            return Ok(Connectors { all: plain.clone(), http1: plain });
        }
        tls::warn_of_trust_in_anyone(self.config);
        let secured = |versions| -> Result<Connector> {
            let secured = connector::secured(plain.clone(), self.config, self.identity.clone(), versions)?;
            Ok(connector::noted(secured, &self.reporter, Stage::Tls))
        };
        Ok(Connectors { all: secured(Versions::All)?, http1: secured(Versions::Http1)? })
    }

    fn around(&self, inner: Stacked, layer: Layer) -> Stacked {
        match layer {
            Layer::BaseUri => boxed(BaseUriLayer::new(self.config.cluster_url.clone()).layer(inner)),
            Layer::Call => boxed(Called { inner, reporter: self.reporter.clone() }),
            Layer::Retry if self.config.default_retry => boxed(Retry::new(RetryPolicy::careful(), inner)),
            Layer::Retry => boxed(Retry::new(RetryPolicy::renewal_only(), inner)),
            Layer::Auth => boxed(AuthLayer::new(self.credentials.clone()).layer(inner)),
            Layer::Headers => boxed(self.headers.layer(inner)),
            Layer::Attempt => {
                let (warnings, reporter) = (self.warnings.clone(), self.reporter.clone());
                boxed(Attempted { inner, warnings, reporter })
            }
            Layer::Decompression => self.decompressed(inner),
            Layer::Timeouts => boxed(InFlight::new(self.bounded(inner), IN_FLIGHT_MAX)),
        }
    }

    fn bounded(&self, inner: Stacked) -> BoundedAnswers<Stacked> {
        BoundedAnswers {
            inner,
            headers: self.config.read_timeout.unwrap_or(HEADERS_TIMEOUT),
            silence: self.config.read_timeout.unwrap_or(SILENCE_TIMEOUT),
        }
    }

    #[cfg(feature = "gzip")]
    fn decompressed(&self, inner: Stacked) -> Stacked {
        if self.config.disable_compression { inner } else { boxed(super::compression::Unpacked { inner }) }
    }

    /// Nobody asks for compression, so none comes.
    #[cfg(not(feature = "gzip"))]
    #[expect(clippy::unused_self, reason = "with the feature the configuration is asked")]
    fn decompressed(&self, inner: Stacked) -> Stacked {
        inner
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
        assert!(place(Layer::Retry) < place(Layer::Auth) && place(Layer::Call) < place(Layer::Retry));
        assert!(place(Layer::BaseUri) == 0 && place(Layer::Timeouts) == LAYERS.len() - 1);
    }
}
