//! A connection to either server: HTTP/1.1 or HTTP/2 over TLS, with a token.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::BoxError;

/// Where a server is, and what makes it trust a client and a client it.
#[derive(Clone)]
pub(crate) struct Address {
    socket: SocketAddr,
    config: Arc<ClientConfig>,
    authorization: String,
}

/// An open connection.
pub(crate) struct Connection {
    sender: Sender,
    host: String,
    authorization: String,
}

enum Sender {
    One(http1::SendRequest<Full<Bytes>>),
    Many(http2::SendRequest<Full<Bytes>>),
}

/// How many requests a connection carries at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// One, over HTTP/1.1.
    One,
    /// Many, over HTTP/2.
    Many,
}

impl Address {
    pub(crate) fn new(socket: &str, authority: &[u8], token: &str) -> Result<Self, BoxError> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority)?)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { socket: socket.parse()?, config: Arc::new(config), authorization: format!("Bearer {token}") })
    }
}

impl Connection {
    /// Opens one for a request at a time.
    pub(crate) async fn open(address: &Address) -> Result<Self, BoxError> {
        Self::open_with(address, Protocol::One).await
    }

    pub(crate) async fn open_with(address: &Address, protocol: Protocol) -> Result<Self, BoxError> {
        let stream = TcpStream::connect(address.socket).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::IpAddress(address.socket.ip().into());
        let mut config = (*address.config).clone();
        if protocol == Protocol::Many {
            config.alpn_protocols = vec![b"h2".to_vec()];
        }
        let stream = TokioIo::new(TlsConnector::from(Arc::new(config)).connect(name, stream).await?);
        // The connection ends with the sender or with the server, and whoever waits for an answer is told.
        let sender = match protocol {
            Protocol::One => {
                let (sender, connection) = http1::handshake(stream).await?;
                tokio::spawn(connection);
                Sender::One(sender)
            }
            Protocol::Many => {
                let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await?;
                tokio::spawn(connection);
                Sender::Many(sender)
            }
        };
        Ok(Self { sender, host: address.socket.to_string(), authorization: address.authorization.clone() })
    }

    /// Sends a request and returns its answer, whose body is still to come.
    pub(crate) async fn begin(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: Bytes,
    ) -> Result<Response<Incoming>, BoxError> {
        let mut request = match &self.sender {
            Sender::One(_) => Request::builder().uri(path).header("host", &self.host),
            Sender::Many(_) => Request::builder().uri(format!("https://{}{path}", self.host)),
        };
        request =
            request.method(method).header("authorization", &self.authorization).header("accept", "application/json");
        if !content_type.is_empty() {
            request = request.header("content-type", content_type);
        }
        let request = request.body(Full::new(body))?;
        let response = match &mut self.sender {
            Sender::One(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
            Sender::Many(sender) => sender.send_request(request).await?,
        };
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let why = response.into_body().collect().await?.to_bytes();
        Err(format!("{method} {path}: {status}: {}", String::from_utf8_lossy(&why)).into())
    }

    /// Sends a request and reads its answer; says how many bytes its body had.
    pub(crate) async fn send(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: Bytes,
    ) -> Result<usize, BoxError> {
        let mut body = self.begin(method, path, content_type, body).await?.into_body();
        let mut bytes = 0;
        while let Some(frame) = body.frame().await {
            bytes += frame?.data_ref().map_or(0, Bytes::len);
        }
        Ok(bytes)
    }
}
