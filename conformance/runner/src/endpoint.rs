//! The way to a server: one HTTP/1.1 connection for each request.
//!
//! In: a kubeconfig and requests. Out: answers as they came, with nothing added, retried or interpreted: what a server
//! says is what a transcript is about.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, HOST, HeaderValue};
use http::uri::Scheme;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use pintle_client::config::Config;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use secrecy::ExposeSecret;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A server and how to reach it.
pub(crate) struct Endpoint {
    url: Uri,
    authorization: Option<HeaderValue>,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl Endpoint {
    /// An endpoint for the cluster and user that a configuration names.
    pub(crate) fn new(config: &Config) -> Result<Endpoint, String> {
        let url = config.cluster_url.clone();
        let host = url.host().ok_or_else(|| format!("the kubeconfig's server `{url}` names no host"))?.to_owned();
        let tls = match url.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => {
                let name = config.tls_server_name.clone().unwrap_or(host);
                let name = name.trim_matches(['[', ']']).to_owned();
                let name = ServerName::try_from(name).map_err(|error| format!("the kubeconfig's server: {error}"))?;
                Some((TlsConnector::from(Arc::new(client_config(config)?)), name))
            }
            _ => None,
        };
        Ok(Endpoint { url, authorization: authorization(config)?, tls })
    }

    /// Sends a request. Its credentials are this endpoint's, unless it has its own; an empty `Authorization` sends none.
    pub(crate) async fn send(&self, mut request: Request<Full<Bytes>>) -> Result<Response<Incoming>, String> {
        let unreachable = |error: &dyn std::fmt::Display| format!("{}: {error}", self.url);
        let address = self.url.authority().map(ToString::to_string).unwrap_or_default();
        let host = HeaderValue::from_str(&address).map_err(|error| unreachable(&error))?;
        request.headers_mut().insert(HOST, host);
        match (request.headers().get(AUTHORIZATION), &self.authorization) {
            (Some(own), _) if own.is_empty() => drop(request.headers_mut().remove(AUTHORIZATION)),
            (None, Some(ours)) => drop(request.headers_mut().insert(AUTHORIZATION, ours.clone())),
            _ => {}
        }
        let host = self.url.host().unwrap_or_default().trim_matches(['[', ']']);
        let port = self.url.port_u16().unwrap_or(if self.tls.is_some() { 443 } else { 80 });
        let stream = TcpStream::connect((host, port)).await.map_err(|error| unreachable(&error))?;
        match &self.tls {
            None => converse(stream, request).await,
            Some((connector, name)) => {
                let stream = connector.connect(name.clone(), stream).await.map_err(|error| unreachable(&error))?;
                converse(stream, request).await
            }
        }
    }
}

async fn converse<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let target = request.uri().to_string();
    let failed = |error: hyper::Error| format!("{target}: {error}");
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(failed)?;
    // It ends with the answer's body; a body that broke off says so itself.
    tokio::spawn(async move { connection.await.unwrap_or_default() });
    sender.send_request(request).await.map_err(failed)
}

fn authorization(config: &Config) -> Result<Option<HeaderValue>, String> {
    let user = &config.auth_info;
    let token = match (&user.token, &user.token_file) {
        (Some(token), _) => token.expose_secret().to_owned(),
        (None, Some(file)) => std::fs::read_to_string(file).map_err(|error| format!("token file {file}: {error}"))?,
        (None, None) => return Ok(None),
    };
    let unusable = |_| "the kubeconfig's token holds characters that a header cannot hold".to_owned();
    let mut header = HeaderValue::from_str(&format!("Bearer {}", token.trim())).map_err(unusable)?;
    header.set_sensitive(true);
    Ok(Some(header))
}

fn client_config(config: &Config) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    for certificate in config.root_cert.iter().flatten() {
        let added = roots.add(CertificateDer::from(certificate.clone()));
        added.map_err(|error| format!("the kubeconfig's certificate authority: {error}"))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS: {error}"))?
        .with_root_certificates(roots);
    match identity(config)? {
        None => Ok(builder.with_no_client_auth()),
        Some((chain, key)) => {
            builder.with_client_auth_cert(chain, key).map_err(|error| format!("the kubeconfig's client key: {error}"))
        }
    }
}

type ClientIdentity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// The client certificate, where the kubeconfig holds one.
fn identity(config: &Config) -> Result<Option<ClientIdentity>, String> {
    let user = &config.auth_info;
    let (Some(certificate), Some(key)) = (&user.client_certificate_data, &user.client_key_data) else {
        return Ok(None);
    };
    let unusable = |what: &str| format!("the kubeconfig's client {what} is not base64 of PEM");
    let certificate = decode(certificate).ok_or_else(|| unusable("certificate"))?;
    let chain = CertificateDer::pem_slice_iter(&certificate).collect::<Result<_, _>>();
    let key = decode(key.expose_secret()).and_then(|key| PrivateKeyDer::from_pem_slice(&key).ok());
    Ok(Some((chain.map_err(|_| unusable("certificate"))?, key.ok_or_else(|| unusable("key"))?)))
}

fn decode(text: &str) -> Option<Vec<u8>> {
    base64::Engine::decode(&base64::engine::general_purpose::STANDARD, text).ok()
}
