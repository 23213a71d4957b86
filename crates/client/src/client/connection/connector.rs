//! From an address to a connection: TCP, through a proxy where there is one, and TLS.
//!
//! ```text
//!   TCP (keep-alive, write limit) ─► CONNECT or SOCKS5 ─► TLS (ALPN) ─► Socket
//! ```
//! Each stage has its time limit. What differs between connectors is gone in the end: a [`Connector`] gives
//! [`Socket`]s, whatever is below.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{FixedServerNameResolver, HttpsConnectorBuilder};
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceExt};

use crate::client::auth::Identity;
use crate::client::connection::bounded::BoundedConnector;
use crate::client::connection::tls;
use crate::client::connection::write_fence::WriteFence;
use crate::client::reporter::Reporter;
use crate::client::reporter::stalled::Stage;
use crate::config::{Config, without_user};
use crate::error::{Error, Result};

/// Makes connections.
pub(in crate::client) type Connector = BoxCloneSyncService<Uri, Socket, BoxError>;

/// How long a TLS handshake may take once TCP is connected: three round trips and a certificate check.
const TLS_TIMEOUT: Duration = Duration::from_secs(10);

/// On HTTP/1.1 the kernel asks a silent peer for a sign of life: after 30 s, three times, 5 s apart, so that a dead
/// one is noticed within 45 s.
const PROBE_AFTER: Duration = Duration::from_secs(30);
const PROBE_INTERVAL: Duration = Duration::from_secs(5);
const PROBES: u32 = 3;

/// Which HTTP versions TLS offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum Versions {
    /// HTTP/2 where the server has it.
    All,
    /// HTTP/1.1, the only one that can become another protocol.
    Http1,
}

/// TCP and proxy, without TLS.
pub(in crate::client) fn plain(config: &Config, fence: &Arc<WriteFence>) -> Result<Connector> {
    let tcp = tcp(config, fence);
    let Some(proxy) = &config.proxy_url else {
        return Ok(bounded(tcp, Stage::Connect, config.connect_timeout));
    };
    let through = match proxy.scheme_str() {
        Some("http") => http_proxy(proxy, tcp)?,
        Some("https") => {
            // The proxy has a certificate of its own, which the cluster's authority knows nothing about.
            let mut to_proxy = Config::new(proxy.clone());
            to_proxy.connect_timeout = config.connect_timeout;
            http_proxy(proxy, secured(tcp, &to_proxy, None, Versions::Http1)?)?
        }
        Some("socks5" | "socks5h") => socks5_proxy(proxy, tcp)?,
        _ => return Err(Error::ProxyProtocolUnsupported { proxy_url: Box::new(without_user(proxy)) }),
    };
    Ok(bounded(through, Stage::Connect, config.connect_timeout))
}

/// TLS over `inner`.
pub(in crate::client) fn secured(
    inner: Connector,
    config: &Config,
    identity: Option<Arc<Identity>>,
    versions: Versions,
) -> Result<Connector> {
    // The TCP stage has its own, earlier end, so what is left when this one strikes is the handshake.
    let limit = config.connect_timeout.map(|limit| limit + TLS_TIMEOUT);
    // As in kube, rustls is used where both are there.
    #[cfg(feature = "openssl-tls")]
    if !cfg!(feature = "rustls-tls") {
        let connections = crate::client::connection::openssl::Connections::new(inner, config, identity, versions);
        return Ok(bounded(connections.map_err(Error::OpensslTls)?, Stage::Tls, limit));
    }
    let client_config = tls::client_config(config, identity).map_err(Error::RustlsTls)?;
    let mut builder = HttpsConnectorBuilder::new().with_tls_config(client_config).https_only();
    if let Some(name) = tls::server_name(config).map_err(Error::RustlsTls)? {
        builder = builder.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    Ok(match versions {
        Versions::All => bounded(builder.enable_all_versions().wrap_connector(inner), Stage::Tls, limit),
        Versions::Http1 => bounded(builder.enable_http1().wrap_connector(inner), Stage::Tls, limit),
    })
}

/// The same connector; `reporter` knows while it is at work.
pub(in crate::client) fn noted(inner: Connector, reporter: &Arc<Reporter>, stage: Stage) -> Connector {
    let reporter = reporter.clone();
    BoxCloneSyncService::new(tower::service_fn(move |uri: Uri| {
        let (connecting, inner) = (reporter.connecting(stage), inner.clone());
        async move {
            let socket = inner.oneshot(uri).await;
            drop(connecting);
            socket
        }
    }))
}

fn tcp(config: &Config, fence: &Arc<WriteFence>) -> Connector {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(PROBE_AFTER));
    tcp.set_keepalive_interval(Some(PROBE_INTERVAL));
    tcp.set_keepalive_retries(Some(PROBES));
    let mut tcp = TimeoutConnector::new(tcp);
    tcp.set_write_timeout(config.write_timeout);
    let fence = Arc::clone(fence);
    // Below TLS, so that nothing is buffered behind it.
    boxed(tcp.map_response(move |io| fence.around(io)))
}

#[cfg(feature = "http-proxy")]
fn http_proxy(proxy: &Uri, inner: Connector) -> Result<Connector> {
    use base64::Engine;
    use http::header::HeaderValue;
    use hyper_util::client::legacy::connect::proxy::Tunnel;
    let tunnel = Tunnel::new(without_user(proxy), inner);
    let Some((user, password)) = user_of(proxy) else {
        return Ok(boxed(tunnel));
    };
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    let header = HeaderValue::try_from(format!("Basic {pair}")).map_err(|error| Error::HttpError(error.into()))?;
    // The tunnel marks it as sensitive.
    Ok(boxed(tunnel.with_auth(header)))
}

#[cfg(not(feature = "http-proxy"))]
fn http_proxy(proxy: &Uri, _inner: Connector) -> Result<Connector> {
    Err(Error::ProxyProtocolDisabled { proxy_url: Box::new(without_user(proxy)), protocol_feature: "kube/http-proxy" })
}

#[cfg(feature = "socks5")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
fn socks5_proxy(proxy: &Uri, inner: Connector) -> Result<Connector> {
    use hyper_util::client::legacy::connect::proxy::SocksV5;
    let socks = SocksV5::new(without_user(proxy), inner);
    Ok(match user_of(proxy) {
        Some((user, password)) => boxed(socks.with_auth(user, password)),
        None => boxed(socks),
    })
}

#[cfg(not(feature = "socks5"))]
fn socks5_proxy(proxy: &Uri, _inner: Connector) -> Result<Connector> {
    Err(Error::ProxyProtocolDisabled { proxy_url: Box::new(without_user(proxy)), protocol_feature: "kube/socks5" })
}

/// User name and password of a URL, decoded.
#[cfg(any(feature = "http-proxy", feature = "socks5"))]
fn user_of(uri: &Uri) -> Option<(String, String)> {
    let (user, _) = uri.authority()?.as_str().rsplit_once('@')?;
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    Some((decode(name), decode(password)))
}

fn bounded<C>(inner: C, stage: Stage, limit: Option<Duration>) -> Connector
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Future: Send + 'static,
    C::Error: Into<BoxError>,
    C::Response: Io + 'static,
{
    boxed(BoundedConnector { inner, stage, limit })
}

fn boxed<C>(connector: C) -> Connector
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Future: Send + 'static,
    C::Error: Into<BoxError>,
    C::Response: Io + 'static,
{
    BoxCloneSyncService::new(connector.map_response(|io| Socket(Box::new(io))).map_err(Into::into))
}

/// What HTTP can be spoken over.
trait Io: Read + Write + Connection + Send + Unpin {}

impl<T: Read + Write + Connection + Send + Unpin> Io for T {}

/// A connection, whatever it is made of.
pub(in crate::client) struct Socket(Box<dyn Io>);

impl Read for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl Write for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, slices)
    }
}

impl Connection for Socket {
    fn connected(&self) -> Connected {
        self.0.connected()
    }
}

#[cfg(any(feature = "http-proxy", feature = "socks5"))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_password_of_a_proxy_are_decoded() {
        let user = |url: &str| user_of(&url.parse().unwrap());
        assert_eq!(user("http://me:p%40ss%3Aword@proxy"), Some(("me".to_owned(), "p@ss:word".to_owned())));
        assert_eq!(user("http://me@proxy"), Some(("me".to_owned(), String::new())));
        assert_eq!(user("http://proxy"), None);
    }
}
