//! The server on a socket: HTTPS on loopback, for kubectl and for programs in other processes.
//!
//! In: an address. Out: a [`Serving`] with everything needed to connect: address, certificate authority, token,
//! kubeconfig. It is for development and tests: only loopback addresses are served, and only whoever has the token
//! is answered. One task accepts; each connection has its own; both end when the `Serving` is dropped.

mod kubeconfig;
mod tls;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha512};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::Service;

use crate::body::{Body, Interrupted};
use crate::reply;
use crate::server::Server;
use crate::status::refuse;

/// Why a server could not be put on a socket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is one that other machines could reach.
    #[error(
        "refusing to serve on {0}: this API server is for development and tests and listens on loopback only; use \
         127.0.0.1 or [::1], and forward a port if another machine must reach it"
    )]
    NotLoopback(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// A certificate could not be made.
    #[error("cannot make a certificate for the loopback addresses")]
    Certificate(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A server that is being served.
pub struct Serving {
    address: SocketAddr,
    ca_pem: String,
    token: SecretString,
    stop: watch::Sender<()>,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Serves HTTPS on a loopback address; port 0 takes a free one. Certificate authority, certificate and token are
    /// made anew each time.
    pub async fn serve(&self, address: SocketAddr) -> Result<Serving, ServeError> {
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback(address));
        }
        let certificates = tls::Certificates::make().map_err(ServeError::Certificate)?;
        let listen = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let token = SecretString::from(format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple()));
        self.refurnish(certificates.ca_pem.clone(), address.port());
        let (stop, stopped) = watch::channel(());
        let door = Door { server: self.clone(), token: digest(token.expose_secret()) };
        let accepting = tokio::spawn(accept(listener, certificates.acceptor, Arc::new(door), stopped));
        Ok(Serving { address, ca_pem: certificates.ca_pem, token, stop, accepting })
    }
}

impl Serving {
    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The certificate authority to trust, as PEM.
    pub fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// The bearer token that is asked for.
    pub fn token(&self) -> &SecretString {
        &self.token
    }

    /// A kubeconfig with all of that; its context, cluster and user are called `pintle`. It holds the token.
    pub fn kubeconfig(&self) -> String {
        kubeconfig::print(self.address, &self.ca_pem, &self.token)
    }

    /// Writes the kubeconfig to a file that only its owner can read. The file is there whole or not at all.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> io::Result<()> {
        kubeconfig::write(path.as_ref(), &self.kubeconfig())
    }

    /// Takes no more connections, lets running requests end, and closes what is still open shortly after: watches
    /// do not end by themselves.
    pub async fn shutdown(self) {
        // Nobody listening any more is as good as everybody having heard.
        self.stop.send(()).unwrap_or_default();
        if let Err(error) = self.accepting.await {
            tracing::warn!("the accepting task ended badly: {error}");
        }
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Lets in whoever has the token.
struct Door {
    server: Server,
    token: [u8; 64],
}

impl Door {
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Body>, Interrupted> {
        let is_open = matches!(request.uri().path(), "/healthz" | "/livez" | "/readyz" | "/version");
        if is_open || self.admits(&request) {
            return self.server.clone().call(request).await;
        }
        Ok(reply::refusal(&refuse(401, "Unauthorized", "Unauthorized")))
    }

    /// Digests are compared, all of their bytes, so that the time taken says nothing about the token.
    fn admits(&self, request: &Request<Incoming>) -> bool {
        let said = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = said.strip_prefix("Bearer ").unwrap_or_default();
        let difference = digest(token).iter().zip(self.token).fold(0, |sum, (a, b)| sum | (a ^ b));
        difference == 0
    }
}

fn digest(token: &str) -> [u8; 64] {
    Sha512::digest(token.as_bytes()).into()
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, door: Arc<Door>, mut stopped: watch::Receiver<()>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            // First, because a busy listener must not keep a stop waiting.
            _ = stopped.changed() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, acceptor.clone(), Arc::clone(&door), stopped.clone()));
                }
                Err(error) => {
                    tracing::warn!("cannot accept a connection: {error}");
                    sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    if timeout(GRACE, async { while connections.join_next().await.is_some() {} }).await.is_err() {
        tracing::debug!("closing connections that are still open");
    }
}

async fn connection(stream: TcpStream, acceptor: TlsAcceptor, door: Arc<Door>, mut stopped: watch::Receiver<()>) {
    // Events are small and should not wait for company; a socket that cannot be told so works all the same.
    stream.set_nodelay(true).unwrap_or_default();
    let Ok(Ok(stream)) = timeout(HANDSHAKE_MAX, acceptor.accept(stream)).await else {
        tracing::debug!("a connection ended before its TLS handshake did");
        return;
    };
    let service = hyper::service::service_fn(move |request| {
        let door = Arc::clone(&door);
        async move { door.answer(request).await }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http2().max_concurrent_streams(STREAMS_MAX);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("a connection ended: {error}");
    }
}

/// A client that says nothing is not waited for longer than this.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);

/// How long running requests have when the server stops; those that are not watches take milliseconds.
const GRACE: Duration = Duration::from_millis(500);

/// After a failed accept (most often: too many open files) trying again at once would only burn a core.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// One connection may carry so many watches: a large controller has dozens, kubectl one.
const STREAMS_MAX: u32 = 1000;
