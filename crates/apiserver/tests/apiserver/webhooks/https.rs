//! Webhooks over HTTPS, on real sockets: certificates, connections that are kept, and what goes wrong on the way.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use pintle_apiserver::Server;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::VALIDATING;
use super::program::{Program, hook, validating};
use crate::apiserver::world::{MAPS, World};

/// A webhook that listens.
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    /// Base64 of PEM, as configurations have it.
    pub(crate) ca_bundle: String,
    /// Its own certificate, in the same form.
    certificate: String,
    connections: Arc<AtomicUsize>,
}

impl Listening {
    /// Puts a program on a socket, with a certificate for these names.
    pub(crate) async fn start(program: &Program, names: &[&str], protocols: &[&str]) -> Listening {
        let (ca_bundle, certificate, acceptor) = certified(names, protocols);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, connections) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let (program, count) = (program.clone(), Arc::clone(&connections));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, program) = (acceptor.clone(), program.clone());
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service = hyper::service::service_fn(move |request: http::Request<Incoming>| {
                        let program = program.clone();
                        async move { Ok::<_, std::convert::Infallible>(program.respond(request).await) }
                    });
                    drop(
                        auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await,
                    );
                });
            }
        });
        Listening { address, ca_bundle, certificate, connections }
    }

    pub(crate) fn config(&self, path: &str) -> Value {
        json!({"url": format!("https://{}{path}", self.address), "caBundle": self.ca_bundle})
    }
}

/// The authority, its certificate for these names, and what shows that.
fn certified(names: &[&str], protocols: &[&str]) -> (String, String, TlsAcceptor) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, format!("authority of {}", names.join(", ")));
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = params.self_signed(&key).unwrap();
    let ca_bundle = STANDARD.encode(authority.pem());
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    (ca_bundle, STANDARD.encode(certificate.pem()), TlsAcceptor::from(Arc::new(config)))
}

async fn configured(world: &World, config: Value) {
    let mut hook = hook("v");
    hook["clientConfig"] = config;
    hook["timeoutSeconds"] = 2.into();
    world.post(VALIDATING, validating("v", &[hook])).await.expect(201);
}

async fn refused(world: &World) -> String {
    let reply = world.post(MAPS, json!({"metadata": {"name": "a"}})).await;
    let message = reply.message();
    reply.expect(500);
    let prefix = "Internal error occurred: failed calling webhook \"v.example.com\": ";
    message.strip_prefix(prefix).unwrap_or_else(|| panic!("{message}")).to_owned()
}

#[tokio::test]
async fn one_connection_carries_many_reviews() {
    for protocols in [&["h2"][..], &["http/1.1"], &[]] {
        let program = Program::new(|_, _| json!({"allowed": true}));
        let listening = Listening::start(&program, &["127.0.0.1"], protocols).await;
        let world = World::new();
        configured(&world, listening.config("/v")).await;
        for number in 0..20 {
            world.post(MAPS, json!({"metadata": {"name": format!("m{number}")}})).await.expect(201);
        }
        assert_eq!(program.reviews().len(), 20);
        assert_eq!(listening.connections.load(Ordering::SeqCst), 1, "{protocols:?}");
    }
}

#[tokio::test]
async fn a_service_is_reached_at_the_address_it_was_given_under_its_name_in_the_cluster() {
    let program = Program::new(|_, _| json!({"allowed": false, "status": {"message": "heard"}}));
    let listening = Listening::start(&program, &["hook.operators.svc"], &["h2", "http/1.1"]).await;
    let server = Server::builder().service_address("operators/hook", listening.address.to_string()).build();
    let world = World { server };
    let service = json!({"namespace": "operators", "name": "hook", "path": "/validate"});
    configured(&world, json!({"service": service, "caBundle": listening.ca_bundle})).await;
    let reply = world.post(MAPS, json!({"metadata": {"name": "a"}})).await;
    assert_eq!(reply.message(), "admission webhook \"v.example.com\" denied the request: heard");
}

#[tokio::test]
async fn a_certificate_must_be_signed_by_the_bundle_and_for_the_name() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let listening = Listening::start(&program, &["127.0.0.1"], &[]).await;
    let other = Listening::start(&program, &["hooks.test"], &[]).await;
    let url = format!("https://{}/v", listening.address);
    let call = |address: SocketAddr| {
        format!(
            "failed to call webhook: Post \"https://{address}/v?timeout=2s\": tls: failed to verify certificate: x509: "
        )
    };
    let unknown = format!("{}certificate signed by unknown authority", call(listening.address));
    for bundle in [json!({"url": url, "caBundle": other.ca_bundle}), json!({"url": url})] {
        let world = World::new();
        configured(&world, bundle).await;
        assert_eq!(refused(&world).await, unknown);
    }
    let world = World::new();
    configured(&world, other.config("/v")).await;
    let why = "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs";
    assert_eq!(refused(&world).await, format!("{}{why}", call(other.address)));
    let world = World { server: Server::builder().service_address("a/b", other.address.to_string()).build() };
    let service = json!({"namespace": "a", "name": "b", "path": "/v"});
    configured(&world, json!({"service": service, "caBundle": other.ca_bundle})).await;
    let why = refused(&world).await;
    assert!(why.ends_with("x509: certificate is valid for hooks.test, not b.a.svc"), "{why}");
    let world = World::new();
    configured(&world, json!({"url": url, "caBundle": STANDARD.encode("garbage")})).await;
    let why = "could not get REST client: unable to load root certificates: unable to parse bytes as PEM block";
    assert_eq!(refused(&world).await, why);
}

/// envtest's bundle is the certificate itself, and Go trusts what is in a bundle without asking who signed it.
#[tokio::test]
async fn a_certificate_that_is_in_the_bundle_is_trusted_for_its_names() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let listening = Listening::start(&program, &["127.0.0.1"], &[]).await;
    let world = World::new();
    let url = format!("https://{}/v", listening.address);
    configured(&world, json!({"url": url, "caBundle": listening.certificate})).await;
    world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);

    let other = Listening::start(&program, &["hooks.test"], &[]).await;
    let world = World::new();
    configured(&world, json!({"url": format!("https://{}/v", other.address), "caBundle": other.certificate})).await;
    let why = refused(&world).await;
    assert!(why.ends_with("cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"), "{why}");
}

#[tokio::test]
async fn a_webhook_that_does_not_listen_hangs_up_or_says_nothing_is_reported_so() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closing = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = |listener: &TcpListener| listener.local_addr().unwrap();
    let (at_silent, at_gone, at_closing) = (address(&silent), address(&gone), address(&closing));
    drop(gone);
    tokio::spawn(async move {
        while let Ok((stream, _)) = closing.accept().await {
            drop(stream);
        }
    });
    let world_of = async |address: SocketAddr| {
        let world = World::new();
        configured(&world, json!({"url": format!("https://{address}/v")})).await;
        refused(&world).await
    };
    let post = |address: SocketAddr| format!("failed to call webhook: Post \"https://{address}/v?timeout=2s\": ");
    assert_eq!(world_of(at_gone).await, format!("{}dial tcp {at_gone}: connect: connection refused", post(at_gone)));
    assert_eq!(world_of(at_silent).await, format!("{}context deadline exceeded", post(at_silent)));
    let why = world_of(at_closing).await;
    assert!(why.starts_with(&post(at_closing)) && (why.ends_with("EOF") || why.ends_with("reset by peer")), "{why}");
}
