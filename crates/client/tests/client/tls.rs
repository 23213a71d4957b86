//! The client against a real TLS server on loopback.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use http::{Request, Response, Version};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::api::{ListParams, WatchParams};
use pintle_client::config::{AuthInfo, Config, KubeConfigOptions, Kubeconfig};
use pintle_client::{Api, Client, Error, ErrorKind};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

type Authority = CertifiedIssuer<'static, KeyPair>;

const VERSION: &str = r#"{"major":"1","minor":"37","gitVersion":"v1.37.0","gitCommit":"","gitTreeState":"",
    "buildDate":"","goVersion":"","compiler":"","platform":""}"#;

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate for `name`, with its key.
fn leaf(authority: &Authority, name: &str) -> (rcgen::Certificate, KeyPair) {
    let key = KeyPair::generate().unwrap();
    (CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, authority).unwrap(), key)
}

/// What the server saw of each request: version, user agent, authorization.
type Seen = Arc<Mutex<Vec<(Version, String, String)>>>;

struct Server {
    address: SocketAddr,
    seen: Seen,
}

impl Server {
    async fn start(authority: &Authority, name: &str, protocols: &[&str], clients: Option<&Authority>) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            ServerConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions().unwrap();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(clients) => {
                let mut roots = RootCertStore::empty();
                roots.add(clients.der().clone()).unwrap();
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let (certificate, key) = leaf(authority, name);
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let mut config = builder.with_single_cert(vec![certificate.der().clone()], key).unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self { address: listener.local_addr().unwrap(), seen: Seen::default() };
        tokio::spawn(serve(listener, TlsAcceptor::from(Arc::new(config)), server.seen.clone()));
        server
    }

    fn config(&self, trusted: &Authority) -> Config {
        let mut config = Config::new(format!("https://{}", self.address).parse().unwrap());
        config.root_cert = Some(vec![trusted.der().to_vec()]);
        config
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, seen: Seen) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, seen) = (acceptor.clone(), seen.clone());
        tokio::spawn(async move {
            // Clients that do not trust this server leave here.
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let service = service_fn(move |request: Request<Incoming>| {
                let header = |name| request.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
                seen.lock().unwrap().push((request.version(), header("user-agent"), header("authorization")));
                let answer = answer(request.uri().query().unwrap_or_default());
                async { Ok::<_, Infallible>(Response::new(answer)) }
            });
            let mut builder = auto::Builder::new(TokioExecutor::new());
            // As kube-apiserver does.
            builder.http2().max_concurrent_streams(100);
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// A version, or a list of 6 MiB, or a watch on which nothing happens.
fn answer(query: &str) -> UnsyncBoxBody<bytes::Bytes, Infallible> {
    match query {
        _ if query.contains("watch=true") => StreamBody::new(futures::stream::pending()).boxed_unsync(),
        _ if query.contains("limit=500") => Full::new(bytes::Bytes::from(vec![b' '; 6 << 20])).boxed_unsync(),
        _ => Full::new(bytes::Bytes::from(VERSION)).boxed_unsync(),
    }
}

fn base64(text: String) -> String {
    base64::engine::general_purpose::STANDARD.encode(text)
}

#[tokio::test]
async fn a_kubeconfig_with_ca_and_token_is_all_it_takes() {
    let authority = authority();
    let server = Server::start(&authority, "127.0.0.1", &["h2", "http/1.1"], None).await;
    let (address, ca) = (server.address, base64(authority.pem()));
    let text = format!(
        "current-context: here\ncontexts: [{{name: here, context: {{cluster: c, user: u}}}}]\n\
         clusters: [{{name: c, cluster: {{server: 'https://{address}', certificate-authority-data: {ca}}}}}]\n\
         users: [{{name: u, user: {{token: s3cr3t}}}}]\n"
    );
    let file = Kubeconfig::from_yaml(&text).unwrap();
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
    assert_eq!(server.seen.lock().unwrap()[0].2, "Bearer s3cr3t");
}

#[tokio::test]
async fn the_newest_http_version_that_the_server_offers_is_spoken() {
    let authority = authority();
    let cases: [(&[&str], Version); 3] =
        [(&["h2", "http/1.1"], Version::HTTP_2), (&["http/1.1"], Version::HTTP_11), (&[], Version::HTTP_11)];
    for (protocols, version) in cases {
        let server = Server::start(&authority, "127.0.0.1", protocols, None).await;
        let client = Client::try_from(server.config(&authority)).unwrap();
        assert_eq!(client.apiserver_version().await.unwrap().minor, "37");
        let agent = concat!("pintle/", env!("CARGO_PKG_VERSION")).to_owned();
        assert_eq!(*server.seen.lock().unwrap(), [(version, agent, String::new())]);
    }
}

#[tokio::test]
async fn the_token_is_sent_and_shows_nowhere() {
    let authority = authority();
    let server = Server::start(&authority, "127.0.0.1", &["h2"], None).await;
    let mut config = server.config(&authority);
    config.auth_info = AuthInfo { token: Some(SecretString::from("s3cr3t")), ..AuthInfo::default() };
    assert!(!format!("{config:?}").contains("s3cr3t"));
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
    assert_eq!(server.seen.lock().unwrap()[0].2, "Bearer s3cr3t");
}

#[tokio::test]
async fn a_server_of_another_authority_or_name_is_refused_before_anything_is_sent() {
    let (ours, theirs) = (authority(), authority());
    let other_authority = Server::start(&theirs, "127.0.0.1", &["h2"], None).await;
    let other_name = Server::start(&ours, "elsewhere.example", &["h2"], None).await;
    for server in [&other_authority, &other_name] {
        let mut config = server.config(&ours);
        config.auth_info = AuthInfo { token: Some(SecretString::from("s3cr3t")), ..AuthInfo::default() };
        let error = Client::try_from(config).unwrap().apiserver_version().await.unwrap_err();
        assert!(matches!(error, Error::Service(_)) && error.kind() == ErrorKind::Untrusted, "{error:?}");
        assert!(!format!("{error:?}").contains("s3cr3t"));
        assert!(server.seen.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn another_name_or_any_certificate_is_accepted_only_where_the_config_says_so() {
    let (ours, theirs) = (authority(), authority());
    let server = Server::start(&ours, "elsewhere.example", &["h2"], None).await;
    let mut config = server.config(&ours);
    config.tls_server_name = Some("elsewhere.example".into());
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
    let mut config = server.config(&theirs);
    config.accept_invalid_certs = true;
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
}

#[tokio::test]
async fn a_client_certificate_opens_a_server_that_asks_for_one() {
    let (authority, clients) = (authority(), authority());
    let server = Server::start(&authority, "127.0.0.1", &["h2"], Some(&clients)).await;
    let nobody = Client::try_from(server.config(&authority)).unwrap().apiserver_version().await.unwrap_err();
    assert_eq!(nobody.kind(), ErrorKind::Untrusted, "{nobody:?}");

    let (certificate, key) = leaf(&clients, "somebody");
    let mut config = server.config(&authority);
    config.auth_info.client_certificate_data = Some(base64(certificate.pem()));
    let without_key = Client::try_from(config.clone());
    assert!(matches!(without_key, Err(Error::RustlsTls(_))), "{without_key:?}");
    config.auth_info.client_key_data = Some(base64(key.serialize_pem()).into());
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let mut config = Config::new(format!("http://{address}").parse().unwrap());
    config.default_retry = false;
    let client = Client::try_from(config).unwrap();
    assert_eq!(client.apiserver_version().await.unwrap_err().kind(), ErrorKind::Unreachable);
}

#[tokio::test]
async fn a_root_certificate_that_is_none_is_named_when_the_client_is_built() {
    let mut config = Config::new("https://host".parse().unwrap());
    config.root_cert = Some(vec![CertificateDer::from(vec![1, 2, 3]).to_vec()]);
    let error = Client::try_from(config).unwrap_err();
    assert!(matches!(error, Error::RustlsTls(_)) && error.kind() == ErrorKind::Misuse, "{error:?}");
}

/// A client of a server that speaks HTTP/2, and its config maps.
async fn over_http2() -> (Client, Api<ConfigMap>) {
    let authority = authority();
    let server = Server::start(&authority, "127.0.0.1", &["h2"], None).await;
    let client = Client::try_from(server.config(&authority)).unwrap();
    (client.clone(), Api::all(client))
}

#[tokio::test]
async fn lists_that_nobody_reads_do_not_keep_other_answers_waiting() {
    let (client, maps) = over_http2().await;
    let mut unread = Vec::new();
    for _ in 0..5 {
        unread.push(maps.list_packed(&ListParams::default().limit(500)).await.unwrap());
    }
    timeout(Duration::from_secs(20), client.apiserver_version()).await.expect("it waits for the lists").unwrap();
}

#[tokio::test]
async fn more_watches_than_one_connection_may_carry_do_not_keep_calls_waiting() {
    let (client, maps) = over_http2().await;
    let mut open = Vec::new();
    for _ in 0..250 {
        let watch = timeout(Duration::from_secs(20), maps.watch_packed(&WatchParams::default(), "1")).await;
        open.push(watch.expect("it waits for another watch to end").unwrap());
    }
    timeout(Duration::from_secs(20), client.apiserver_version()).await.expect("it waits for a watch").unwrap();
}
