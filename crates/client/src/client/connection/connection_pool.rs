//! As many connections as the open answers need.
//!
//! On HTTP/2 all calls share one connection, and a server lets only so many streams be open on it (kube-apiserver: 100
//! by default). With that many watches open the next call would wait for one of them to end. So answers that
//! are being read are counted, and when one connection carries enough of them the next call gets another. Watches and
//! calls have connections of their own, and what is to become another protocol gets HTTP/1.1.
//!
//! In: requests. Out: answers, whose bodies hold their place until they are dropped; the beginning of a refusal is read
//! at once, so that its connection can be used again. A new client certificate means new connections: the old ones end
//! with their answers.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::client::legacy::Builder;
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::rt::TokioTimer;
use tower::{BoxError, Service};

use crate::client::auth::Identity;
use crate::client::body::Body;
use crate::client::connection::Connectors;
use crate::client::connection::connector::Connector;
use crate::client::request::class::RequestClass;
use crate::client::request::info::RequestInfo;

/// Open answers per connection: below the 100 that servers allow, with room for calls that have just begun.
const ANSWERS_PER_CONNECTION: usize = 90;

/// How much of a refusal is read at once: a `Status` is a few hundred bytes.
const REFUSAL_BYTES: usize = 2 * 1024;

/// How long an HTTP/2 connection with open streams may be silent before it is asked for a sign of life. With the next
/// constant a dead peer is noticed within 45 s, before a person would ask why nothing happens.
const PING_AFTER: Duration = Duration::from_secs(30);

/// How long the sign of life may take: a slow network, not a dead one.
const PING_TIMEOUT: Duration = Duration::from_secs(15);

/// What a server may send on one stream before it is read: enough to keep a fast network busy, and all that a
/// list that is not read can cost.
const STREAM_WINDOW_BYTES: u32 = 2 << 20;

/// As large as HTTP/2 allows: bodies that wait for their reader must not keep other answers of the connection waiting.
const CONNECTION_WINDOW_BYTES: u32 = (1 << 31) - 1;

/// The connections to one cluster; clones share them.
#[derive(Clone)]
pub(in crate::client) struct ConnectionPool {
    shared: Arc<Shared>,
}

struct Shared {
    connectors: Connectors,
    builder: Builder,
    identity: Option<Arc<Identity>>,
    open: Mutex<Open>,
}

/// The open connections by what they are for, and the client certificate they were made with.
#[derive(Default)]
struct Open {
    generation: u64,
    calls: Vec<PooledConnection>,
    streams: Vec<PooledConnection>,
    upgrades: Vec<PooledConnection>,
}

struct PooledConnection {
    client: HyperClient<Connector, Body>,
    // Every open answer holds one more.
    places: Arc<()>,
}

impl ConnectionPool {
    pub(in crate::client) fn new(
        connectors: Connectors,
        mut builder: Builder,
        identity: Option<Arc<Identity>>,
    ) -> Self {
        builder
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .http2_initial_stream_window_size(STREAM_WINDOW_BYTES)
            .http2_initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .http2_keep_alive_interval(PING_AFTER)
            .http2_keep_alive_timeout(PING_TIMEOUT)
            // Without open streams nothing is waited for, and a fleet of idle clients should be silent.
            .http2_keep_alive_while_idle(false);
        Self { shared: Arc::new(Shared { connectors, builder, identity, open: Mutex::default() }) }
    }
}

impl Shared {
    /// A client with a free place, and the place.
    fn place(&self, class: RequestClass) -> (HyperClient<Connector, Body>, Arc<()>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = self.identity.as_ref().map_or(0, |identity| identity.generation());
        if open.generation != generation {
            *open = Open { generation, ..Open::default() };
        }
        let (connections, connector) = match class {
            RequestClass::Plain => (&mut open.calls, &self.connectors.all),
            RequestClass::Watch(_) | RequestClass::Follow => (&mut open.streams, &self.connectors.all),
            RequestClass::Upgrade => (&mut open.upgrades, &self.connectors.http1),
        };
        let connection = free(connections, || self.builder.build(connector.clone()));
        (connection.client.clone(), connection.places.clone())
    }
}

/// The first connection with a free place; those that are empty and not the first are let go.
fn free(connections: &mut Vec<PooledConnection>, new: impl Fn() -> HyperClient<Connector, Body>) -> &PooledConnection {
    let is_first = std::cell::Cell::new(true);
    connections.retain(|connection| is_first.replace(false) || connection.open() > 0);
    let free = connections.iter().position(|connection| connection.open() < ANSWERS_PER_CONNECTION);
    let at = free.unwrap_or_else(|| {
        connections.push(PooledConnection { client: new(), places: Arc::new(()) });
        connections.len() - 1
    });
    &connections[at]
}

impl PooledConnection {
    fn open(&self) -> usize {
        Arc::strong_count(&self.places) - 1
    }
}

impl Service<Request<Body>> for ConnectionPool {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<Body>, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        // A connection is made when there is a request for it.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let (client, place) = self.shared.place(RequestInfo::of(&request).class());
        async move {
            let response = client.request(request).await?;
            if !response.status().is_client_error() && !response.status().is_server_error() {
                return Ok(response.map(|body| Body::wrap_body(body).holding(place)));
            }
            let (parts, body) = response.into_parts();
            Ok(Response::from_parts(parts, read_ahead(body).await.holding(place)))
        }
        .boxed()
    }
}

/// Reads the beginning of a body. Where that is all, the connection is free again, however the answer is dropped.
async fn read_ahead(mut body: Incoming) -> Body {
    let mut beginning = BytesMut::new();
    while beginning.len() < REFUSAL_BYTES {
        match body.frame().await {
            None => return Body::from(beginning.freeze()),
            Some(Ok(frame)) => beginning.extend_from_slice(&frame.into_data().unwrap_or_default()),
            // What came before it broke off may still be read; then the error comes again.
            Some(Err(error)) => {
                return Body::wrap_body(Ahead { beginning: beginning.freeze(), rest: Err(Some(error)) });
            }
        }
    }
    Body::wrap_body(Ahead { beginning: beginning.freeze(), rest: Ok(body) })
}

/// What was read already, and the rest.
struct Ahead {
    beginning: Bytes,
    rest: Result<Incoming, Option<hyper::Error>>,
}

impl HttpBody for Ahead {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        if !self.beginning.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut self.beginning)))));
        }
        match &mut self.rest {
            Ok(body) => Pin::new(body).poll_frame(context),
            Err(error) => Poll::Ready(error.take().map(Err)),
        }
    }
}
