//! The parts of the client's stack, one by one, for a stack of one's own.

use std::sync::Arc;

use hyper_rustls::{FixedServerNameResolver, HttpsConnector};
use hyper_util::client::legacy::connect::HttpConnector;

use super::auth::{Credentials, Identity};
use super::connection::tls;
use super::middleware::{AuthLayer, BaseUriLayer, ExtraHeadersLayer};
use crate::config::Config;
use crate::error::{Error, Result};

/// What [`Config`] gives to a [`Client`](super::Client) that is put together by hand.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use hyper_util::rt::TokioExecutor;
/// use pintle_client::client::{Body, ConfigExt};
/// use pintle_client::{Client, Config};
/// use tower::{BoxError, ServiceBuilder};
///
/// let config = Config::infer().await?;
/// let https = config.rustls_https_connector()?;
/// let service = ServiceBuilder::new()
///     .layer(config.base_uri_layer())
///     .option_layer(config.auth_layer()?)
///     .map_err(BoxError::from)
///     .service(hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build::<_, Body>(https));
/// let client = Client::new(service, config.default_namespace);
/// # Ok(())
/// # }
/// ```
///
/// It cannot be implemented elsewhere.
pub trait ConfigExt: private::Sealed {
    /// Sends requests to the cluster's URL.
    fn base_uri_layer(&self) -> BaseUriLayer;

    /// Puts credentials on requests; `None` where there are none beside a client certificate.
    ///
    /// # Errors
    /// When the credentials cannot be used.
    fn auth_layer(&self) -> Result<Option<AuthLayer>>;

    /// Adds the configuration's headers, and whom to act as.
    ///
    /// # Errors
    /// When a name cannot stand in a header.
    fn extra_headers_layer(&self) -> Result<ExtraHeadersLayer>;

    /// Connects over TLS, speaking HTTP/1.1.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    fn rustls_https_connector(&self) -> Result<HttpsConnector<HttpConnector>>;

    /// The same over another connector, such as one that goes through a proxy.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    fn rustls_https_connector_with_connector<H>(&self, connector: H) -> Result<HttpsConnector<H>>;

    /// Whom to trust and who to be. A credential plugin runs now, and the caller waits for it; in the client's own
    /// stack it runs in the background, and again when it has to.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    fn rustls_client_config(&self) -> Result<rustls::ClientConfig>;

    /// Connects over TLS with OpenSSL.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    #[cfg(feature = "openssl-tls")]
    fn openssl_https_connector(&self) -> Result<hyper_openssl::client::legacy::HttpsConnector<HttpConnector>>;

    /// The same over another connector, such as one that goes through a proxy.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    #[cfg(feature = "openssl-tls")]
    fn openssl_https_connector_with_connector<H>(
        &self,
        connector: H,
    ) -> Result<hyper_openssl::client::legacy::HttpsConnector<H>>
    where
        H: tower::Service<http::Uri> + Send,
        H::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        H::Future: Send + 'static,
        H::Response: hyper::rt::Read + hyper::rt::Write + hyper_util::client::legacy::connect::Connection + Unpin;

    /// Whom to trust and who to be, for OpenSSL.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    #[cfg(feature = "openssl-tls")]
    fn openssl_ssl_connector_builder(&self) -> Result<openssl::ssl::SslConnectorBuilder>;
}

mod private {
    pub trait Sealed {}
    impl Sealed for crate::config::Config {}
}

impl ConfigExt for Config {
    fn base_uri_layer(&self) -> BaseUriLayer {
        BaseUriLayer::new(self.cluster_url.clone())
    }

    fn auth_layer(&self) -> Result<Option<AuthLayer>> {
        let credentials = Credentials::new(self, None).map_err(Error::Auth)?;
        Ok(credentials.has_source().then(|| AuthLayer::new(Arc::new(credentials))))
    }

    fn extra_headers_layer(&self) -> Result<ExtraHeadersLayer> {
        ExtraHeadersLayer::new(self).map_err(Error::HttpError)
    }

    fn rustls_https_connector(&self) -> Result<HttpsConnector<HttpConnector>> {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        self.rustls_https_connector_with_connector(connector)
    }

    fn rustls_https_connector_with_connector<H>(&self, connector: H) -> Result<HttpsConnector<H>> {
        let client_config = self.rustls_client_config()?;
        let mut builder = hyper_rustls::HttpsConnectorBuilder::new().with_tls_config(client_config).https_or_http();
        if let Some(name) = tls::server_name(self).map_err(Error::RustlsTls)? {
            builder = builder.with_server_name_resolver(FixedServerNameResolver::new(name));
        }
        Ok(builder.enable_http1().wrap_connector(connector))
    }

    fn rustls_client_config(&self) -> Result<rustls::ClientConfig> {
        tls::install_provider();
        tls::warn_of_trust_in_anyone(self);
        let identity = Identity::new(&self.auth_info, tls::provider()).map_err(Error::RustlsTls)?.map(Arc::new);
        if self.auth_info.exec.is_some() {
            let credentials = Credentials::new(self, identity.clone()).map_err(Error::Auth)?;
            credentials.show_identity_blocking().map_err(Error::Auth)?;
        }
        tls::client_config(self, identity).map_err(Error::RustlsTls)
    }

    #[cfg(feature = "openssl-tls")]
    fn openssl_https_connector(&self) -> Result<hyper_openssl::client::legacy::HttpsConnector<HttpConnector>> {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        self.openssl_https_connector_with_connector(connector)
    }

    #[cfg(feature = "openssl-tls")]
    fn openssl_https_connector_with_connector<H>(
        &self,
        connector: H,
    ) -> Result<hyper_openssl::client::legacy::HttpsConnector<H>>
    where
        H: tower::Service<http::Uri> + Send,
        H::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        H::Future: Send + 'static,
        H::Response: hyper::rt::Read + hyper::rt::Write + hyper_util::client::legacy::connect::Connection + Unpin,
    {
        tls::warn_of_trust_in_anyone(self);
        super::connection::openssl::https_connector(self, connector).map_err(Error::OpensslTls)
    }

    #[cfg(feature = "openssl-tls")]
    fn openssl_ssl_connector_builder(&self) -> Result<openssl::ssl::SslConnectorBuilder> {
        super::connection::openssl::connector_builder(self)
            .map_err(|error| Error::OpensslTls(super::connection::openssl::OpensslTlsError::CreateSslConnector(error)))
    }
}
