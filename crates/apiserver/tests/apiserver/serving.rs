//! The server on a socket.

use std::net::SocketAddr;
use std::sync::Arc;

use pintle_apiserver::{ServeError, Server, Serving};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use secrecy::ExposeSecret;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

async fn get(serving: &Serving, path: &str, token: &str) -> String {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(serving.ca_pem().as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(serving.local_addr()).await.unwrap();
    let name = ServerName::from(serving.local_addr().ip());
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

#[tokio::test]
async fn only_the_token_opens_and_health_is_open() {
    let serving = Server::new().serve(loopback()).await.unwrap();
    let token = serving.token().expose_secret().to_owned();
    assert!(get(&serving, "/api/v1/namespaces", &token).await.starts_with("HTTP/1.1 200"));
    let refused = get(&serving, "/api/v1/namespaces", "guess").await;
    assert!(refused.starts_with("HTTP/1.1 401") && refused.contains("\"reason\":\"Unauthorized\""), "{refused}");
    assert!(get(&serving, "/healthz", "").await.ends_with("ok"));
    assert!(!format!("{serving:?}").contains(&token));
    serving.shutdown().await;
}

#[tokio::test]
async fn addresses_that_others_could_reach_are_refused() {
    let error = Server::new().serve("0.0.0.0:0".parse().unwrap()).await.unwrap_err();
    assert!(matches!(error, ServeError::NotLoopback(_)));
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn the_kubeconfig_names_the_server_and_is_private() {
    let serving = Server::new().serve(loopback()).await.unwrap();
    let text = serving.kubeconfig();
    for part in [
        format!("server: https://{}", serving.local_addr()),
        "current-context: pintle".to_owned(),
        "namespace: default".to_owned(),
    ] {
        assert!(text.contains(&part), "{part}");
    }
    let folder = std::env::temp_dir().join(format!("pintle-apiserver-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("kubeconfig");
    serving.write_kubeconfig(&path).unwrap();
    serving.write_kubeconfig(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no draft is left behind");
    std::fs::remove_dir_all(&folder).unwrap();
}
