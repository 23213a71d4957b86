//! Webhooks over HTTPS: connections that are kept and shared, one set of them per place and certificate authority.
//!
//! In: a request and where it goes. Out: its response, or Go's words for why there is none. A place gets a bounded number
//! of calls at once; more wait, within their timeout, until a call to the same place ends. Calls to other places never
//! delay them.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::client::WebPkiServerVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig as TlsConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tower::Service;

use super::in_process::boxed;
use super::verifier::BundleVerifier;
use super::{CallError, ClientConfig, ResponseBody};

/// The places that were called.
#[derive(Default)]
pub(super) struct Connections(Mutex<BTreeMap<Place, Destination>>);

/// Where a webhook is, and who must have signed its certificate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// `host:port` to connect to.
    address: String,
    /// Whose certificate it must show.
    host: String,
    ca_bundle: Vec<u8>,
}

#[derive(Clone)]
struct Destination {
    client: Client<HttpsConnector<Dial>, Full<Bytes>>,
    slots: Arc<Semaphore>,
}

impl Connections {
    /// Sends a request; `address` is where its Service is, if it goes to one.
    pub(super) async fn send(
        &self,
        config: &ClientConfig,
        address: Option<&str>,
        request: Request<Bytes>,
    ) -> Result<Response<ResponseBody>, CallError> {
        let place = Place::of(request.uri(), address, config);
        let destination = self.destination(&place)?;
        let slot = destination.slots.acquire().await.map_err(|error| CallError::Call(error.to_string()))?;
        let sent = destination.client.request(request.map(Full::new)).await;
        drop(slot);
        sent.map(|response| response.map(boxed)).map_err(|error| CallError::Call(go_words(&place, &error)))
    }

    fn destination(&self, place: &Place) -> Result<Destination, CallError> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = places.get(place) {
            return Ok(known.clone());
        }
        if places.len() >= PLACES_MAX {
            places.clear();
        }
        let made = Destination::new(place)?;
        places.insert(place.clone(), made.clone());
        Ok(made)
    }
}

impl Place {
    fn of(uri: &Uri, address: Option<&str>, config: &ClientConfig) -> Place {
        let host = uri.host().unwrap_or_default();
        let own = || format!("{host}:{}", uri.port_u16().unwrap_or(HTTPS_PORT));
        // A Service answers to its short name too, without its port.
        let name = config.service().map(|service| format!("{}.{}.svc", service.name, service.namespace));
        Place {
            address: address.map_or_else(own, str::to_owned),
            host: name.unwrap_or_else(|| host.trim_matches(['[', ']']).to_owned()),
            ca_bundle: config.ca_bundle().to_vec(),
        }
    }
}

impl Destination {
    fn new(place: &Place) -> Result<Destination, CallError> {
        let name = ServerName::try_from(place.host.clone())
            .map_err(|error| CallError::Client(format!("{:?} is not a host: {error}", place.host)))?;
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls_config(&place.ca_bundle)?)
            .https_only()
            .with_server_name_resolver(FixedServerNameResolver::new(name))
            .enable_all_versions()
            .wrap_connector(Dial { address: place.address.clone() });
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_MAX)
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .build(connector);
        Ok(Destination { client, slots: Arc::new(Semaphore::new(CALLS_AT_ONCE)) })
    }
}

/// Trusts what the bundle has signed or has in it, and no certificate without a bundle: this server is for development and tests,
/// and no public authority signs for its webhooks.
fn tls_config(ca_bundle: &[u8]) -> Result<TlsConfig, CallError> {
    let unparsable =
        || CallError::Client("unable to load root certificates: unable to parse bytes as PEM block".to_owned());
    let (mut roots, mut bundle) = (RootCertStore::empty(), Vec::new());
    for certificate in CertificateDer::pem_slice_iter(ca_bundle) {
        let certificate = certificate.map_err(|_| unparsable())?;
        roots.add(certificate.clone()).map_err(|_| unparsable())?;
        bundle.push(certificate);
    }
    if roots.is_empty() && !ca_bundle.is_empty() {
        return Err(unparsable());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = TlsConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| CallError::Client(error.to_string()))?;
    if roots.is_empty() {
        return Ok(config.with_root_certificates(roots).with_no_client_auth());
    }
    let signed = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| CallError::Client(error.to_string()))?;
    let verifier = Arc::new(BundleVerifier::new(bundle, signed));
    Ok(config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Connects to one address, whatever the URL says.
#[derive(Debug, Clone)]
struct Dial {
    address: String,
}

impl Service<Uri> for Dial {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = futures::future::BoxFuture<'static, io::Result<TokioIo<TcpStream>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let address = self.address.clone();
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok(TokioIo::new(stream))
        })
    }
}

/// What Go says where a call fails before its response.
fn go_words(place: &Place, error: &(dyn Error + 'static)) -> String {
    let causes = || std::iter::successors(Some(error), |error| cause(*error));
    if let Some(tls) = causes().find_map(|error| error.downcast_ref::<rustls::Error>()) {
        return format!("tls: {}", tls_words(place, tls));
    }
    if let Some(io) = causes().filter_map(|error| error.downcast_ref::<io::Error>()).last() {
        return io_words(place, io);
    }
    if causes().any(|error| error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_incomplete_message)) {
        return "EOF".to_owned();
    }
    causes().last().map(ToString::to_string).unwrap_or_default()
}

/// What is behind an error; of an `io::Error` that is what it wraps.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>() {
        Some(io) => io.get_ref().map(|inner| inner as &(dyn Error + 'static)),
        None => error.source(),
    }
}

fn io_words(place: &Place, error: &io::Error) -> String {
    let Place { address, .. } = place;
    match error.kind() {
        io::ErrorKind::ConnectionRefused => format!("dial tcp {address}: connect: connection refused"),
        io::ErrorKind::ConnectionReset => format!("read tcp {address}: read: connection reset by peer"),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => "EOF".to_owned(),
        // What a resolver says has no kind of its own.
        _ if error.to_string().contains("lookup") => {
            format!("dial tcp: lookup {}: no such host", address.rsplit_once(':').map_or(address.as_str(), |it| it.0))
        }
        _ => format!("dial tcp {address}: {error}"),
    }
}

fn tls_words(place: &Place, error: &rustls::Error) -> String {
    let failed = |why: &str| format!("failed to verify certificate: x509: {why}");
    match error {
        rustls::Error::InvalidCertificate(wrong) => match wrong {
            CertificateError::UnknownIssuer => failed("certificate signed by unknown authority"),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                failed("certificate has expired or is not yet valid")
            }
            CertificateError::NotValidForName => failed(&format!("certificate is not valid for {}", place.host)),
            CertificateError::NotValidForNameContext { presented, .. } => failed(&other_name(place, presented)),
            other => failed(&other.to_string()),
        },
        rustls::Error::InvalidMessage(_) => "first record does not look like a TLS handshake".to_owned(),
        other => other.to_string(),
    }
}

fn other_name(place: &Place, presented: &[String]) -> String {
    let is_address = |host: &str| host.parse::<std::net::IpAddr>().is_ok();
    let names = shown(presented);
    if is_address(&place.host) && !names.split(", ").any(is_address) {
        return format!("cannot validate certificate for {} because it doesn't contain any IP SANs", place.host);
    }
    format!("certificate is valid for {names}, not {}", place.host)
}

/// The names in a certificate, as Go lists them.
fn shown(presented: &[String]) -> String {
    let name = |said: &String| {
        let inner = said.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(said);
        inner.trim_matches('"').to_owned()
    };
    presented.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The port of a URL that names none.
const HTTPS_PORT: u16 = 443;

/// So many calls to one place at once. With HTTP/2 they share a connection; with HTTP/1.1 each has one.
const CALLS_AT_ONCE: usize = 100;

/// As long as Go keeps a connection that is not used.
const IDLE_MAX: Duration = Duration::from_secs(90);

/// Connections that are kept for the next burst of calls; more are made when they are needed.
const IDLE_CONNECTIONS_MAX: usize = 32;

/// Each new certificate makes a new place, and old places are no longer called. So once there are this many places, all
/// of them are dropped.
const PLACES_MAX: usize = 64;
