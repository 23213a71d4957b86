//! A client under construction: a service and the layers put around it.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as HttpBody;
use hyper::rt::Executor;
use hyper_util::client::legacy::Builder;
use hyper_util::rt::TokioExecutor;
use jiff::Timestamp;
use tower::util::BoxService;
use tower::{BoxError, Layer, Service};

use super::body::Body;
use super::reporter::Reporter;
use super::{Client, layers};
use crate::config::{Config, without_user};
use crate::error::{Error, Result};

/// Any response body.
pub type DynBody = dyn HttpBody<Data = Bytes, Error = BoxError> + Send + Unpin;

/// The service made from a [`Config`].
pub type GenericService = BoxService<Request<Body>, Response<Box<DynBody>>, BoxError>;

/// Puts layers around a service before it becomes a [`Client`].
#[derive(Debug)]
pub struct ClientBuilder<Svc> {
    service: Svc,
    default_namespace: String,
    valid_until: Option<Timestamp>,
    reporter: Arc<Reporter>,
}

impl<Svc> ClientBuilder<Svc> {
    /// Starts from a service. [`TryFrom<Config>`] starts from a configuration.
    pub fn new(service: Svc, default_namespace: impl Into<String>) -> Self
    where
        Svc: Service<Request<Body>>,
    {
        Self { service, default_namespace: default_namespace.into(), valid_until: None, reporter: Arc::default() }
    }

    /// Puts a layer around what is there.
    pub fn with_layer<L: Layer<Svc>>(self, layer: &L) -> ClientBuilder<L::Service> {
        ClientBuilder {
            service: layer.layer(self.service),
            default_namespace: self.default_namespace,
            valid_until: self.valid_until,
            reporter: self.reporter,
        }
    }

    /// Says until when the client can be used; see [`Client::valid_until`].
    pub fn with_valid_until(self, valid_until: Option<Timestamp>) -> Self {
        Self { valid_until, ..self }
    }

    /// The client.
    pub fn build<B>(self) -> Client
    where
        Svc: Service<Request<Body>, Response = Response<B>> + Send + 'static,
        Svc::Future: Send + 'static,
        Svc::Error: Into<BoxError>,
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Client::new(self.service, self.default_namespace)
            .with_valid_until(self.valid_until)
            .with_reporter(self.reporter)
    }
}

/// The layers of a configuration are around the connections; those that are added come outside.
impl TryFrom<Config> for ClientBuilder<GenericService> {
    type Error = Error;

    fn try_from(config: Config) -> Result<Self> {
        Self::try_from((config, TokioExecutor::new()))
    }
}

/// The same, with the tasks of its connections spawned by the given executor.
impl<E> TryFrom<(Config, E)> for ClientBuilder<GenericService>
where
    E: Executor<Pin<Box<dyn Future<Output = ()> + Send>>> + Send + Sync + Clone + 'static,
{
    type Error = Error;

    fn try_from((config, executor): (Config, E)) -> Result<Self> {
        let reporter = Arc::new(Reporter::new(without_user(&config.cluster_url)));
        let service = layers::service(&config, Builder::new(executor), reporter.clone())?;
        Ok(Self { service, default_namespace: config.default_namespace, valid_until: None, reporter })
    }
}
