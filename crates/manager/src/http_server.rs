//! A listener for a tower service: probes, metrics and webhooks are all served by it.
//!
//! ```text
//!   HttpServer::bind(address) ─► [.tls(Tls)] ─► .serve(service, stop) ─┬─► one task per connection: HTTP/1.1 or HTTP/2
//!                                                                      └─► on stop: finish what runs, within a deadline
//! ```
//! In: an address, optionally [`Tls`] with a certificate that may change while it serves, and a service for requests. Out:
//! answers. What a client may hold is bounded by [`Limits`]; a handler that panics answers 500 and harms no other request.
//! How large a body may be is for the service to say, because it knows what it reads.

mod activity;
mod connection;
mod tls;

use std::fmt::Display;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::Service;

pub use tls::{Tls, TlsError};

pub(crate) use connection::panic_message;
pub(crate) use tls::provider;

use connection::Connection;

/// A socket that listens, and what is spoken on it.
///
/// ```
/// use std::convert::Infallible;
///
/// use http::{Request, Response};
/// use hyper::body::Incoming;
/// use pintle_manager::http_server::HttpServer;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = HttpServer::bind("127.0.0.1:0".parse()?).await?;
/// println!("http://{}", server.local_addr());
/// let hello = tower::service_fn(|_: Request<Incoming>| async { Ok::<_, Infallible>(Response::new("hello".to_owned())) });
/// let stop = std::future::ready(()); // A signal, or the manager's end.
/// server.serve(hello, stop).await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<Tls>,
    limits: Limits,
}

/// Why an address cannot be served.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {source}")]
pub struct BindError {
    /// The address.
    pub address: SocketAddr,
    /// What the system says.
    pub source: io::Error,
}

/// How much and how long a client may hold of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// How long the headers of a request may take to arrive, from its first byte, or from the start of the connection: 32 s,
    /// as controller-runtime's servers wait.
    pub header_read_timeout: Duration,
    /// How long a connection may stay open without a request: 90 s, as long as Go's clients keep one.
    pub idle_timeout: Duration,
    /// How many connections may be open; further ones wait until one closes. 1024 is far more than the API servers and
    /// scrapers of a cluster open, and far less than the files a process may have.
    pub connections_max: usize,
    /// How long requests may take to finish once the server is to stop: 30 s, as long as a Pod usually has.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_read_timeout: Duration::from_secs(32),
            idle_timeout: Duration::from_secs(90),
            connections_max: 1024,
            shutdown_timeout: Duration::from_secs(30),
        }
    }
}

impl HttpServer {
    /// Listens on an address; port 0 takes a free one. Connections are accepted from [`serve`](Self::serve) on.
    ///
    /// # Errors
    /// When the system refuses the address.
    pub async fn bind(address: SocketAddr) -> Result<Self, BindError> {
        let refused = |source| BindError { address, source };
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(Self { listener, address, tls: None, limits: Limits::default() })
    }

    /// Serves HTTPS instead of HTTP.
    #[must_use]
    pub fn tls(self, tls: Tls) -> Self {
        Self { tls: Some(tls), ..self }
    }

    /// Other limits than the default ones.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests with `service` until `stop` completes, then finishes those that run and returns; what takes longer
    /// than [`Limits::shutdown_timeout`] is cut off. A service that fails answers 500, and its error is logged.
    pub async fn serve<S, B>(self, service: S, stop: impl Future<Output = ()>)
    where
        S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Error: Display,
        S::Future: Send,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let permits = Arc::new(Semaphore::new(self.limits.connections_max));
        let (stopping, stopped) = watch::channel(());
        let acceptor = self.tls.map(|tls| TlsAcceptor::from(tls.into_config()));
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            let (stream, permit) = tokio::select! {
                // Nothing is accepted once the server is to stop, and finished tasks are let go before new ones start.
                biased;
                () = &mut stop => break,
                Some(_) = connections.join_next() => continue,
                accepted = accept(&self.listener, &permits) => accepted,
            };
            let connection = Connection::new(acceptor.clone(), self.limits.clone(), stopped.clone());
            let answering = connection.answer(stream, service.clone());
            connections.spawn(async move {
                answering.await;
                drop(permit);
            });
        }
        drop(self.listener);
        drop((stopping, stopped));
        finish(connections, self.limits.shutdown_timeout, self.address).await;
    }
}

/// The next connection, once there may be one more. An error is the system's lack of something, such as open files, and
/// passes: it is waited for, longer each time.
async fn accept(listener: &TcpListener, permits: &Arc<Semaphore>) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed; if it were, connections would only not be counted.
    let permit = Arc::clone(permits).acquire_owned().await.ok();
    let mut delay = ACCEPT_DELAY_MIN;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, permit),
            Err(error) => tracing::warn!("a connection cannot be accepted, trying again in {delay:?}: {error}"),
        }
        sleep(delay).await;
        delay = ACCEPT_DELAY_MAX.min(delay * 2);
    }
}

/// Waits for what runs, no longer than the deadline.
async fn finish(mut connections: JoinSet<()>, deadline: Duration, address: SocketAddr) {
    let all = async { while connections.join_next().await.is_some() {} };
    if timeout(deadline, all).await.is_err() {
        let left = connections.len();
        tracing::warn!("{left} connections to {address} did not finish within {deadline:?} and are cut off");
        connections.shutdown().await;
    }
}

/// After a first failure to accept: most pass at once.
const ACCEPT_DELAY_MIN: Duration = Duration::from_millis(5);
/// A process without file handles gets some back when its connections end, and logs one line a second until then.
const ACCEPT_DELAY_MAX: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
