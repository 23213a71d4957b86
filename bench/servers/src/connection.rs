//! A connection to either server for one request at a time: HTTP/1.1 over TLS, with a token.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::BufReader;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::BoxError;

/// Where a server is, and what makes it trust a client and a client it.
#[derive(Clone)]
pub(crate) struct Address {
    socket: SocketAddr,
    config: Arc<ClientConfig>,
    authorization: String,
}

/// What a connection is made of. rustls asks for 4 KB at a time; the system is asked for more.
pub(crate) type Stream = TlsStream<BufReader<TcpStream>>;

/// An open connection.
pub(crate) struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    host: String,
    authorization: String,
    unpacks: bool,
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

    /// The name under which requests ask for it.
    pub(crate) fn host(&self) -> String {
        self.socket.to_string()
    }

    /// What requests say about who sends them.
    pub(crate) fn authorization(&self) -> &str {
        &self.authorization
    }

    /// Opens a connection on which one of these protocols is spoken, or HTTP/1.1 where none is named.
    pub(crate) async fn connect(&self, protocols: &[&[u8]]) -> Result<Stream, BoxError> {
        let stream = TcpStream::connect(self.socket).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::IpAddress(self.socket.ip().into());
        let mut config = (*self.config).clone();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        let stream = BufReader::with_capacity(READ_BYTES, stream);
        Ok(TlsConnector::from(Arc::new(config)).connect(name, stream).await?)
    }
}

impl Connection {
    /// Opens one.
    pub(crate) async fn open(address: &Address) -> Result<Self, BoxError> {
        let (sender, connection) = http1::handshake(TokioIo::new(address.connect(&[]).await?)).await?;
        // It ends with the sender or with the server, and a caller that waits for an answer gets an error.
        tokio::spawn(connection);
        Ok(Self { sender, host: address.host(), authorization: address.authorization.clone(), unpacks: false })
    }

    /// Asks for answers packed by gzip, as Go's clients do. They are counted as they come.
    pub(crate) fn unpacking(mut self) -> Self {
        self.unpacks = true;
        self
    }

    /// Sends a request; its answer has begun, whatever it says.
    async fn begin(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: Bytes,
    ) -> Result<Response<Incoming>, BoxError> {
        let mut request = Request::builder().method(method).uri(path).header("host", &self.host);
        request = request.header("authorization", &self.authorization).header("accept", "application/json");
        if !content_type.is_empty() {
            request = request.header("content-type", content_type);
        }
        if self.unpacks {
            request = request.header("accept-encoding", "gzip");
        }
        self.sender.ready().await?;
        Ok(self.sender.send_request(request.body(Full::new(body))?).await?)
    }

    /// Sends a request; its answer has begun, and says that it was done.
    async fn begin_done(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: Bytes,
    ) -> Result<Incoming, BoxError> {
        let response = self.begin(method, path, content_type, body).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response.into_body());
        }
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
        let mut body = self.begin_done(method, path, content_type, body).await?;
        let mut bytes = 0;
        while let Some(frame) = body.frame().await {
            bytes += frame?.data_ref().map_or(0, Bytes::len);
        }
        Ok(bytes)
    }

    /// The answer to a GET, as text.
    pub(crate) async fn read(&mut self, path: &str) -> Result<String, BoxError> {
        let body = self.begin_done("GET", path, "", Bytes::new()).await?.collect().await?.to_bytes();
        Ok(String::from_utf8(body.to_vec())?)
    }

    /// The answer to a GET as it comes.
    pub(crate) async fn stream(&mut self, path: &str) -> Result<Incoming, BoxError> {
        self.begin_done("GET", path, "", Bytes::new()).await
    }

    /// Sends a request and reads its answer, whatever it says.
    pub(crate) async fn exchange(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), BoxError> {
        let response = self.begin(method, path, content_type, body).await?;
        Ok((response.status(), response.into_body().collect().await?.to_bytes()))
    }
}

/// As much as a server sends at a time.
const READ_BYTES: usize = 128 * 1024;
