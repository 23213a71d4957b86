//! From a configuration to a service that speaks HTTP with the cluster.
//!
//! ```text
//!   request ─► Address ─► Credentials ─► BoundedAnswers ─► Lanes ─► hyper ─► TLS ─► TCP
//! ```
//! HTTP/2 where the server offers it (ALPN), else HTTP/1.1; plain `http://` is HTTP/1.1. Redirects are not followed:
//! one could carry the token to another host.

use std::time::Duration;

use http::uri::Scheme;
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower::util::BoxService;

use super::address::Address;
use super::auth::Credentials;
use super::body::Body;
use super::builder::GenericService;
use super::deadline::{BoundedAnswers, BoundedConnector, HEADERS_TIMEOUT, SILENCE_TIMEOUT, Stage};
use super::lanes::Lanes;
use super::prepare::Prepare;
use super::tls;
use crate::config::Config;
use crate::error::{Error, Result};

/// How long a TLS handshake may take once TCP is connected: three round trips and a certificate check.
const TLS_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an HTTP/2 connection with open streams may be silent before it is asked for a sign of life. With the next
/// constant a dead peer is noticed within 45 s, before a person would ask why nothing happens.
const PING_AFTER: Duration = Duration::from_secs(30);

/// How long the sign of life may take: a slow network, not a dead one.
const PING_TIMEOUT: Duration = Duration::from_secs(15);

/// On HTTP/1.1 the kernel asks: after 30 s of silence, three times, 5 s apart, which again makes 45 s.
const PROBE_INTERVAL: Duration = Duration::from_secs(5);
const PROBES: u32 = 3;

/// What a server may send on one stream before somebody reads it: enough to keep a fast network busy, and all that a
/// list nobody reads can cost.
const STREAM_WINDOW_BYTES: u32 = 1 << 20;

/// As large as HTTP/2 allows: bodies that wait for their reader must not keep other answers of the connection waiting.
const CONNECTION_WINDOW_BYTES: u32 = (1 << 31) - 1;

/// The service that `config` describes. Nothing is connected yet.
pub(super) fn service(config: &Config) -> Result<GenericService> {
    let address = Address::new(config).map_err(Error::HttpError)?;
    let credentials = Credentials::new(&config.auth_info).map_err(Error::Auth)?;
    let answers = if config.cluster_url.scheme() == Some(&Scheme::HTTP) {
        over(tcp(config), config)
    } else {
        over(tls_over(tcp(config), config)?, config)
    };
    let authorized =
        Prepare { inner: answers, prepare: move |request| credentials.authorize(request).map_err(Error::Auth) };
    let addressed =
        Prepare { inner: authorized, prepare: move |request| address.complete(request).map_err(Error::HttpError) };
    Ok(BoxService::new(addressed))
}

type Tcp = BoundedConnector<HttpConnector>;

fn tcp(config: &Config) -> Tcp {
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_keepalive(Some(PING_AFTER));
    connector.set_keepalive_interval(Some(PROBE_INTERVAL));
    connector.set_keepalive_retries(Some(PROBES));
    BoundedConnector { inner: connector, stage: Stage::Connect, limit: config.connect_timeout }
}

fn tls_over(tcp: Tcp, config: &Config) -> Result<BoundedConnector<HttpsConnector<Tcp>>> {
    let client_config = tls::client_config(config).map_err(Error::RustlsTls)?;
    let mut builder = HttpsConnectorBuilder::new().with_tls_config(client_config).https_only();
    if let Some(name) = tls::server_name(config).map_err(Error::RustlsTls)? {
        builder = builder.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    let inner = builder.enable_all_versions().wrap_connector(tcp);
    // The TCP stage has its own, earlier end, so what is left when this one strikes is the handshake.
    let limit = config.connect_timeout.map(|limit| limit + TLS_TIMEOUT);
    Ok(BoundedConnector { inner, stage: Stage::Tls, limit })
}

fn over<C: Connect + Clone + Send + Sync + 'static>(connector: C, config: &Config) -> GenericService {
    let new_lane = move || -> HyperClient<C, Body> {
        HyperClient::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .http2_initial_stream_window_size(STREAM_WINDOW_BYTES)
            .http2_initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .http2_keep_alive_interval(PING_AFTER)
            .http2_keep_alive_timeout(PING_TIMEOUT)
            // Without open streams nobody waits for anything, and a fleet of idle clients should be silent.
            .http2_keep_alive_while_idle(false)
            .build(connector.clone())
    };
    BoxService::new(BoundedAnswers {
        inner: Lanes::new(new_lane),
        headers: config.read_timeout.unwrap_or(HEADERS_TIMEOUT),
        silence: config.read_timeout.unwrap_or(SILENCE_TIMEOUT),
    })
}
