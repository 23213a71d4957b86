//! A server on a loopback socket whose every answer the test decides: for faults that no API server would make, and
//! for looking at what really arrives.
//!
//! Plain HTTP/1.1, or TLS with a generated authority, client certificates and HTTP/2. It counts connections, and a
//! test sees when one of them, or one answer, ends.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use pintle_client::Config;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tower::BoxError;

pub(crate) type Authority = CertifiedIssuer<'static, KeyPair>;

/// An answer of the server.
pub(crate) type Answer = Response<UnsyncBoxBody<Bytes, BoxError>>;

/// What `apiserver_version` wants to hear.
pub(crate) const VERSION: &str = r#"{"major":"1","minor":"37","gitVersion":"v1.37.0","gitCommit":"","gitTreeState":"",
    "buildDate":"","goVersion":"","compiler":"","platform":""}"#;

/// A request as it arrived.
pub(crate) struct Asked {
    pub(crate) request: Request<Incoming>,
    /// The number of its connection, from 1.
    pub(crate) connection: usize,
    /// The certificate that the client showed.
    pub(crate) certificate: Option<CertificateDer<'static>>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.request.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn path(&self) -> &str {
        self.request.uri().path()
    }

    pub(crate) fn is_watch(&self) -> bool {
        self.request.uri().query().unwrap_or_default().contains("watch=true")
    }
}

/// The server; it ends with its runtime.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    authority: Option<Vec<u8>>,
}

impl Served {
    /// Plain HTTP/1.1.
    pub(crate) async fn plain<F, A>(answer: A) -> Self
    where
        A: Fn(Asked) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Answer> + Send + 'static,
    {
        Self::start(None, None, answer).await
    }

    /// TLS with what `tls` says.
    pub(crate) async fn secured<F, A>(tls: &Tls<'_>, answer: A) -> Self
    where
        A: Fn(Asked) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Answer> + Send + 'static,
    {
        let authority = tls.authority.der().to_vec();
        Self::start(Some(TlsAcceptor::from(Arc::new(tls.server_config()))), Some(authority), answer).await
    }

    /// TLS and HTTP/2, with an authority of its own.
    pub(crate) async fn http2<F, A>(answer: A) -> Self
    where
        A: Fn(Asked) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Answer> + Send + 'static,
    {
        Self::secured(&Tls::of(&authority()), answer).await
    }

    async fn start<F, A>(acceptor: Option<TlsAcceptor>, authority: Option<Vec<u8>>, answer: A) -> Self
    where
        A: Fn(Asked) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Answer> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let served = Self { address, connections: Arc::clone(&connections), authority };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                let number = connections.fetch_add(1, Ordering::SeqCst) + 1;
                tokio::spawn(connection(stream, acceptor.clone(), number, answer.clone()));
            }
        });
        served
    }

    /// How to reach it, trusting its authority.
    pub(crate) fn config(&self) -> Config {
        let scheme = if self.authority.is_some() { "https" } else { "http" };
        let mut config = Config::new(format!("{scheme}://{}", self.address).parse().unwrap());
        config.root_cert = self.authority.clone().map(|authority| vec![authority]);
        config
    }

    /// How many connections were made so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn connection<F, A>(stream: TcpStream, acceptor: Option<TlsAcceptor>, number: usize, answer: A)
where
    A: Fn(Asked) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Answer> + Send + 'static,
{
    let Some(acceptor) = acceptor else {
        return speak(stream, number, None, answer).await;
    };
    // Clients that do not trust this server leave here.
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let certificate = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first()).cloned();
    speak(stream, number, certificate.map(CertificateDer::into_owned), answer).await;
}

async fn speak<S, F, A>(stream: S, connection: usize, certificate: Option<CertificateDer<'static>>, answer: A)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Fn(Asked) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Answer> + Send + 'static,
{
    let service = service_fn(move |request| {
        let asked = Asked { request, connection, certificate: certificate.clone() };
        let answer = answer(asked);
        async { Ok::<_, Infallible>(answer.await) }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // As kube-apiserver does.
    builder.http2().max_concurrent_streams(100);
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

/// How a server proves who it is, and whom it lets in.
pub(crate) struct Tls<'a> {
    pub(crate) authority: &'a Authority,
    pub(crate) name: &'a str,
    pub(crate) protocols: &'a [&'a str],
    pub(crate) clients: Option<&'a Authority>,
}

impl<'a> Tls<'a> {
    /// For this machine, with HTTP/2, for every client.
    pub(crate) fn of(authority: &'a Authority) -> Self {
        Self { authority, name: "127.0.0.1", protocols: &["h2", "http/1.1"], clients: None }
    }

    pub(crate) fn server_config(&self) -> ServerConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone());
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let builder = match self.clients {
            None => builder.with_no_client_auth(),
            Some(clients) => {
                let mut roots = RootCertStore::empty();
                roots.add(clients.der().clone()).unwrap();
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let (certificate, key) = leaf(self.authority, self.name);
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let mut config = builder.with_single_cert(vec![certificate.der().clone()], key).unwrap();
        config.alpn_protocols = self.protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        config
    }
}

pub(crate) fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    // OpenSSL takes a certificate whose issuer has its own name for its own issuer.
    params.distinguished_name.push(DnType::CommonName, "an authority");
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate for `name`, with its key.
pub(crate) fn leaf(authority: &Authority, name: &str) -> (rcgen::Certificate, KeyPair) {
    let key = KeyPair::generate().unwrap();
    (CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, authority).unwrap(), key)
}

pub(crate) fn base64(text: impl AsRef<[u8]>) -> String {
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// 200 and this JSON.
pub(crate) fn json(text: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(whole(text));
    answer.headers_mut().insert("content-type", "application/json".parse().unwrap());
    answer
}

/// A refusal with a `Status`.
pub(crate) fn refused(code: u16, reason: &str, message: &str) -> Answer {
    let status = serde_json::json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
        "reason": reason, "message": message});
    let mut answer = json(status.to_string());
    *answer.status_mut() = code.try_into().unwrap();
    answer
}

/// A body that is all there.
pub(crate) fn whole(text: impl Into<Bytes>) -> UnsyncBoxBody<Bytes, BoxError> {
    Full::new(text.into()).map_err(|never| match never {}).boxed_unsync()
}

/// A body of these pieces, then nothing for ever.
pub(crate) fn unending(pieces: Vec<&'static str>) -> UnsyncBoxBody<Bytes, BoxError> {
    use futures::{StreamExt, stream};
    let pieces = stream::iter(pieces).map(|piece| Ok(Frame::data(Bytes::from(piece))));
    StreamBody::new(pieces.chain(stream::pending())).boxed_unsync()
}

/// Rings when it is dropped: the other side has gone.
pub(crate) struct Bell(pub(crate) Arc<tokio::sync::Semaphore>);

impl Drop for Bell {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

/// Lets a paused clock run in small steps. Left alone it would jump to the next time limit while bytes are still on
/// their way through the kernel.
pub(crate) fn tick() {
    tokio::spawn(async {
        loop {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
}

/// What a test wants to remember.
#[derive(Clone)]
pub(crate) struct Notes<T>(Arc<Mutex<Vec<T>>>);

impl<T> Default for Notes<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Clone> Notes<T> {
    pub(crate) fn add(&self, note: T) {
        self.0.lock().unwrap().push(note);
    }

    pub(crate) fn all(&self) -> Vec<T> {
        self.0.lock().unwrap().clone()
    }
}
