//! The client's own connections over OpenSSL, for builds that have no rustls.
//!
//! In: an address. Out: a connection on which HTTP/2 or HTTP/1.1 was agreed. Whom to trust and who to be is found out
//! anew for each connection: files are replaced while programs run, plugins give other certificates, and a session that
//! was resumed would go on with the certificate it was begun with.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_openssl::client::legacy::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::{Connected, Connection};
use openssl::pkey::PKey;
use openssl::ssl::{SslConnector, SslConnectorBuilder, SslMethod, SslVerifyMode};
use openssl::x509::X509;
use openssl::x509::store::X509StoreBuilder;
use tower::{BoxError, Service};

use super::{OpensslTlsError, SslConnectorError, authorities, named, show};
use crate::client::auth::Identity;
use crate::client::connector::{Connector, Socket, Versions};
use crate::config::Config;

/// Makes connections with OpenSSL.
#[derive(Clone)]
pub(in crate::client) struct Connections {
    inner: Connector,
    config: Arc<Config>,
    identity: Option<Arc<Identity>>,
    versions: Versions,
}

impl Connections {
    /// Connections over those of `inner`.
    pub(in crate::client) fn new(
        inner: Connector,
        config: &Config,
        identity: Option<Arc<Identity>>,
        versions: Versions,
    ) -> Result<Self, OpensslTlsError> {
        let connections = Self { inner, config: Arc::new(config.clone()), identity, versions };
        // What cannot work is told now and not at the first request.
        connections.connector()?;
        Ok(connections)
    }

    fn connector(&self) -> Result<HttpsConnector<Connector>, OpensslTlsError> {
        let builder = self.builder().map_err(OpensslTlsError::CreateSslConnector)?;
        named(HttpsConnector::with_connector(self.inner.clone(), builder), &self.config)
    }

    fn builder(&self) -> Result<SslConnectorBuilder, SslConnectorError> {
        let mut builder = SslConnector::builder(SslMethod::tls()).map_err(SslConnectorError::CreateBuilder)?;
        let protocols: &[u8] = match self.versions {
            Versions::All => b"\x02h2\x08http/1.1",
            Versions::Http1 => b"\x08http/1.1",
        };
        builder.set_alpn_protos(protocols).map_err(SslConnectorError::CreateBuilder)?;
        self.trust(&mut builder)?;
        if let Some((chain, key)) = self.identity.as_ref().and_then(|identity| identity.der()) {
            let chain: Result<Vec<X509>, _> = chain.iter().map(|der| X509::from_der(der)).collect();
            let chain = chain.map_err(SslConnectorError::DeserializeCertificateChain)?;
            let key = PKey::private_key_from_der(key.secret_der()).map_err(SslConnectorError::DeserializePrivateKey)?;
            show(&mut builder, chain, &key)?;
        }
        Ok(builder)
    }

    /// The authorities of the configuration and no others; those of the platform where it names none.
    fn trust(&self, builder: &mut SslConnectorBuilder) -> Result<(), SslConnectorError> {
        if self.config.accept_invalid_certs {
            builder.set_verify(SslVerifyMode::NONE);
        }
        let Some(authorities) = authorities(&self.config) else { return Ok(()) };
        let mut store = X509StoreBuilder::new().map_err(SslConnectorError::CreateBuilder)?;
        for authority in authorities {
            store.add_cert(authority?).map_err(SslConnectorError::AddRootCertificate)?;
        }
        builder.set_cert_store(store.build());
        Ok(())
    }
}

impl Service<Uri> for Connections {
    type Response = Secured;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Secured, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.connector().map(|mut connector| connector.call(uri));
        async move { Ok(Secured(connecting?.await?)) }.boxed()
    }
}

/// A connection whose TLS errors are of the kind that rustls gives them: HTTP/2 keeps nothing else of them.
pub(in crate::client) struct Secured(MaybeHttpsStream<Socket>);

fn sorted<T>(outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
    outcome.map_err(|error| match error.get_ref() {
        Some(inner) if inner.is::<openssl::ssl::Error>() => io::Error::new(io::ErrorKind::InvalidData, error),
        _ => error,
    })
}

impl Read for Secured {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        sorted(Pin::new(&mut self.0).poll_read(context, buffer))
    }
}

impl Write for Secured {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        sorted(Pin::new(&mut self.0).poll_write(context, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        sorted(Pin::new(&mut self.0).poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        sorted(Pin::new(&mut self.0).poll_shutdown(context))
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        sorted(Pin::new(&mut self.0).poll_write_vectored(context, slices))
    }
}

impl Connection for Secured {
    fn connected(&self) -> Connected {
        self.0.connected()
    }
}
