//! The server over real sockets.

use std::convert::Infallible;
use std::future::pending;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;
use tower::service_fn;

use super::*;

/// `/panic` panics, `/fail` fails, `/wait` never ends, all else is `hello` in the request's version.
async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, io::Error> {
    match request.uri().path() {
        "/panic" => panic!("it was asked to"),
        "/fail" => Err(io::Error::other("it was asked to")),
        "/wait" => pending().await,
        _ => Ok(Response::new(Full::from(format!("hello by {:?}", request.version())))),
    }
}

async fn server(limits: Limits) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let server = HttpServer::bind("127.0.0.1:0".parse().unwrap()).await.unwrap().limits(limits);
    let address = server.local_addr();
    let (stop, stopped) = oneshot::channel();
    let serving = tokio::spawn(server.serve(service_fn(answer), async { stopped.await.unwrap_or_default() }));
    (address, stop, serving)
}

/// What the server sends for `sent` until it closes the connection.
async fn until_closed(address: SocketAddr, sent: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(sent.as_bytes()).await.unwrap();
    let mut received = String::new();
    stream.read_to_string(&mut received).await.unwrap();
    received
}

/// Reads until the server has sent `end`.
async fn read_until(stream: &mut TcpStream, end: &str) {
    let mut received = String::new();
    while !received.ends_with(end) {
        received.push(char::from(stream.read_u8().await.unwrap()));
    }
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")
}

#[tokio::test]
async fn a_handler_that_panics_or_fails_answers_500_and_the_next_request_is_answered() {
    let (address, _stop, _serving) = server(Limits::default()).await;
    for path in ["/panic", "/fail"] {
        let received = until_closed(address, &get(path)).await;
        assert!(received.starts_with("HTTP/1.1 500 "), "{received}");
        assert!(received.ends_with("internal error; the server's log says more\n"), "{received}");
    }
    assert!(until_closed(address, &get("/")).await.ends_with("hello by HTTP/1.1"));
}

#[tokio::test]
async fn http_2_is_understood_without_tls_and_a_panic_ends_no_other_stream() {
    let (address, _stop, _serving) = server(Limits::default()).await;
    let stream = hyper_util::rt::TokioIo::new(TcpStream::connect(address).await.unwrap());
    let executor = hyper_util::rt::TokioExecutor::new();
    let (mut sender, connection) = hyper::client::conn::http2::handshake(executor, stream).await.unwrap();
    tokio::spawn(connection);
    let get = |path: &str| Request::get(format!("http://here{path}")).body(Full::<Bytes>::default()).unwrap();
    let (panicked, answered) = (sender.send_request(get("/panic")), sender.clone().send_request(get("/")));
    assert_eq!(panicked.await.unwrap().status(), 500);
    let body = answered.await.unwrap().into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "hello by HTTP/2.0");
}

#[tokio::test]
async fn a_client_that_sends_half_a_request_is_cut_off_and_one_that_is_silent_is_closed() {
    let short = Duration::from_millis(20);
    let (address, _stop, _serving) = server(Limits { header_read_timeout: short, ..Limits::default() }).await;
    assert_eq!(until_closed(address, "GET / HTTP/1.1\r\nhost:").await, "");
    assert_eq!(until_closed(address, "").await, "");
    let (address, _stop, _serving) = server(Limits { idle_timeout: short, ..Limits::default() }).await;
    let kept = "GET / HTTP/1.1\r\nhost: here\r\n\r\n";
    assert!(until_closed(address, kept).await.ends_with("hello by HTTP/1.1"), "answered, kept for a while, closed");
}

#[tokio::test]
async fn a_connection_more_than_allowed_waits_until_one_closes() {
    let (address, _stop, _serving) = server(Limits { connections_max: 1, ..Limits::default() }).await;
    let mut first = TcpStream::connect(address).await.unwrap();
    first.write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n").await.unwrap();
    read_until(&mut first, "hello by HTTP/1.1").await;
    let second = tokio::spawn(async move { until_closed(address, &get("/")).await });
    // The first is still served while the second waits.
    first.write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n").await.unwrap();
    read_until(&mut first, "hello by HTTP/1.1").await;
    assert!(!second.is_finished());
    drop(first);
    assert!(second.await.unwrap().ends_with("hello by HTTP/1.1"));
}

#[tokio::test]
async fn stopping_finishes_what_runs_and_cuts_off_what_does_not_end() {
    let (address, stop, serving) = server(Limits::default()).await;
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n").await.unwrap();
    idle.read_exact(&mut [0]).await.unwrap();
    stop.send(()).unwrap();
    serving.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");

    let limits = Limits { shutdown_timeout: Duration::from_millis(20), ..Limits::default() };
    let (address, stop, serving) = server(limits).await;
    let (started, runs) = oneshot::channel();
    let waiting = tokio::spawn(async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(get("/wait").as_bytes()).await.unwrap();
        started.send(()).unwrap();
        stream.read(&mut [0]).await.unwrap_or_default()
    });
    runs.await.unwrap();
    stop.send(()).unwrap();
    serving.await.unwrap();
    assert_eq!(waiting.await.unwrap(), 0);
}

/// An authority, and a certificate for `name` that it signed, with the key.
fn signed(name: &str) -> (rcgen::CertifiedIssuer<'static, rcgen::KeyPair>, rcgen::Certificate, rcgen::KeyPair) {
    let mut authority = rcgen::CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Constrained(0));
    let authority = rcgen::CertifiedIssuer::self_signed(authority, rcgen::KeyPair::generate().unwrap()).unwrap();
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
    (authority, certificate, key)
}

#[tokio::test]
async fn tls_prefers_http_2_and_a_client_authority_refuses_clients_without_its_certificate() {
    let (authority, certificate, key) = signed("localhost");
    let (clients, client, client_key) = signed("api-server");
    let serving = crate::certificates::ServingCertificate::new();
    serving.set_pem(certificate.pem().as_bytes(), key.serialize_pem().as_bytes()).unwrap();
    let tls = Tls::with_client_authority(Arc::new(serving), clients.pem().as_bytes()).unwrap();
    let server = HttpServer::bind("127.0.0.1:0".parse().unwrap()).await.unwrap().tls(tls);
    let address = server.local_addr();
    tokio::spawn(server.serve(service_fn(answer), pending()));

    let mut roots = rustls::RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let builder = || {
        let versions = rustls::ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
        versions.unwrap().with_root_certificates(roots.clone())
    };
    let client_key = rustls::pki_types::PrivatePkcs8KeyDer::from(client_key.serialize_der()).into();
    let known = builder().with_client_auth_cert(vec![client.der().clone()], client_key).unwrap();
    let connect = async |mut config: rustls::ClientConfig| {
        config.alpn_protocols = vec![b"http/1.1".to_vec(), b"h2".to_vec()];
        let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
        let stream = TcpStream::connect(address).await.unwrap();
        let mut stream = connector.connect("localhost".try_into().unwrap(), stream).await?;
        let protocol = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
        // The beginning of HTTP/2 and empty settings, which are answered. In TLS 1.3 a client learns of its refusal when it reads.
        stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await?;
        stream.read_u8().await.map(|_| protocol)
    };
    assert_eq!(connect(known).await.unwrap().as_deref(), Some(b"h2".as_slice()));
    assert!(connect(builder().with_no_client_auth()).await.is_err());
    let error =
        Tls::with_client_authority(Arc::new(crate::certificates::ServingCertificate::new()), b"none").unwrap_err();
    assert!(error.to_string().starts_with("the certificate authority for clients cannot be used: "), "{error}");
}

#[tokio::test]
async fn an_address_in_use_is_an_error_that_names_it() {
    let (address, _stop, _serving) = server(Limits::default()).await;
    let error = HttpServer::bind(address).await.unwrap_err();
    assert!(error.to_string().starts_with(&format!("cannot listen on {address}: ")), "{error}");
}

#[tokio::test]
async fn a_service_that_cannot_fail_is_served_too() {
    let server = HttpServer::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let hello = service_fn(|_: Request<Incoming>| async { Ok::<_, Infallible>(Response::new("hello".to_owned())) });
    let address = server.local_addr();
    let (_stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(server.serve(hello, async { stopped.await.unwrap_or_default() }));
    assert!(until_closed(address, &get("/")).await.ends_with("hello"));
}
