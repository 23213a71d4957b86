//! The client's own connections over OpenSSL, for builds that have no rustls.
//!
//! In: an address. Out: a connection on which HTTP/2 or HTTP/1.1 was agreed. Whom to trust and who to be is set up once
//! and shared: OpenSSL takes 50 ms of a processor to read a platform's authorities. It is set up anew where the client
//! certificate has changed, and once a minute where the authorities stand in a file, because files are replaced while
//! programs run. Sessions end with what they were begun with: one that was resumed would go on with an old certificate.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_openssl::client::legacy::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::{Connected, Connection};
use openssl::pkey::PKey;
use openssl::ssl::{SslConnector, SslConnectorBuilder, SslMethod};
use openssl::x509::X509;
use openssl::x509::store::X509StoreBuilder;
use tokio::time::Instant;
use tower::{BoxError, Service};

use super::{OpensslTlsError, SslConnectorError, named, show, trust};
use crate::client::auth::{AGE_MAX, Identity};
use crate::client::connection::connector::{Connector, Socket, Versions};
use crate::config::Config;

/// Makes connections with OpenSSL; clones share what was set up.
#[derive(Clone)]
pub(in crate::client) struct Connections {
    inner: Connector,
    setup: Arc<Setup>,
    current: Arc<Mutex<Current>>,
}

/// What connectors are made from.
struct Setup {
    config: Config,
    identity: Option<Arc<Identity>>,
    versions: Versions,
}

/// The connector in use.
struct Current {
    connector: HttpsConnector<Connector>,
    // Of the client certificate that it shows.
    generation: u64,
    made_at: Instant,
}

impl Connections {
    /// Connections over those of `inner`. What cannot work is an error now and not at the first request.
    pub(in crate::client) fn new(
        inner: Connector,
        config: &Config,
        identity: Option<Arc<Identity>>,
        versions: Versions,
    ) -> Result<Self, OpensslTlsError> {
        let setup = Setup { config: config.clone(), identity, versions };
        let current = setup.make(&inner)?;
        Ok(Self { inner, setup: Arc::new(setup), current: Arc::new(Mutex::new(current)) })
    }

    fn connector(&self) -> Result<HttpsConnector<Connector>, OpensslTlsError> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if self.setup.generation() != current.generation {
            *current = self.setup.make(&self.inner)?;
        } else if self.setup.config.authority_file().is_some() && current.made_at.elapsed() >= AGE_MAX {
            current.made_at = Instant::now();
            match self.setup.make(&self.inner) {
                Ok(made) => *current = made,
                Err(error) => tracing::warn!(%error, "keeping the last authorities"),
            }
        }
        Ok(current.connector.clone())
    }
}

impl Setup {
    fn make(&self, inner: &Connector) -> Result<Current, OpensslTlsError> {
        // Looked at first, so that a certificate that changes meanwhile is noticed the next time.
        let generation = self.generation();
        let builder = self.builder().map_err(OpensslTlsError::CreateSslConnector)?;
        let connector = named(HttpsConnector::with_connector(inner.clone(), builder), &self.config)?;
        Ok(Current { connector, generation, made_at: Instant::now() })
    }

    fn generation(&self) -> u64 {
        self.identity.as_ref().map_or(0, |identity| identity.generation())
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
        if self.config.authority_file().is_none() && self.config.root_cert.is_none() {
            return Ok(());
        }
        let mut store = X509StoreBuilder::new().map_err(SslConnectorError::CreateBuilder)?;
        trust(&mut store, &self.config)?;
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
