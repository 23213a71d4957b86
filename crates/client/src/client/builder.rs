//! A client under construction: a service and the layers put around it.

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as HttpBody;
use tower::util::BoxService;
use tower::{BoxError, Layer, Service};

use super::body::Body;
use super::{Client, transport};
use crate::config::Config;
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
}

impl<Svc> ClientBuilder<Svc> {
    /// Starts from a service. [`TryFrom<Config>`] starts from a configuration.
    pub fn new(service: Svc, default_namespace: impl Into<String>) -> Self
    where
        Svc: Service<Request<Body>>,
    {
        Self { service, default_namespace: default_namespace.into() }
    }

    /// Puts a layer around what is there.
    pub fn with_layer<L: Layer<Svc>>(self, layer: &L) -> ClientBuilder<L::Service> {
        ClientBuilder { service: layer.layer(self.service), default_namespace: self.default_namespace }
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
    }
}

impl TryFrom<Config> for ClientBuilder<GenericService> {
    type Error = Error;

    fn try_from(config: Config) -> Result<Self> {
        let service = transport::service(&config)?;
        Ok(Self { service, default_namespace: config.default_namespace })
    }
}
