//! TLS with OpenSSL: connectors for stacks of one's own, as kube has them, and the connections of the client's own stack
//! where rustls is not among the features (`connections.rs`).

mod connections;

use hyper_openssl::client::legacy::HttpsConnector;
use openssl::error::ErrorStack;
use openssl::pkey::{PKey, Private};
use openssl::ssl::{SslConnector, SslConnectorBuilder, SslFiletype, SslMethod, SslVerifyMode};
use openssl::x509::X509;
use openssl::x509::store::{X509Lookup, X509StoreBuilderRef};
use thiserror::Error;

pub(in crate::client) use connections::Connections;

use crate::config::Config;
use crate::error_chain::error_chain;

/// Why OpenSSL cannot be set up; kube's variants.
#[derive(Debug, Error)]
pub enum OpensslTlsError {
    /// The connector cannot be made.
    #[error("the OpenSSL connector cannot be made: {}", error_chain(.0))]
    CreateHttpsConnector(#[source] ErrorStack),
    /// The configuration does not work.
    #[error("OpenSSL cannot be configured: {}", error_chain(.0))]
    CreateSslConnector(#[source] SslConnectorError),
}

/// What of the configuration does not work.
#[derive(Debug, Error)]
pub enum SslConnectorError {
    /// OpenSSL itself.
    #[error("OpenSSL does not start: {}", error_chain(.0))]
    CreateBuilder(#[source] ErrorStack),
    /// The client's certificates are not PEM, or cannot be loaded.
    #[error("the client certificate cannot be read: {}", error_chain(.0))]
    DeserializeCertificateChain(#[source] ErrorStack),
    /// The client's key is not PEM, or cannot be loaded.
    #[error("the client key cannot be read: {}", error_chain(.0))]
    DeserializePrivateKey(#[source] ErrorStack),
    /// The client's key cannot be used.
    #[error("the client key cannot be used: {}", error_chain(.0))]
    SetPrivateKey(#[source] ErrorStack),
    /// There is a client key and no certificate.
    #[error("the client certificate is empty")]
    GetLeafCertificate,
    /// The client's certificate cannot be used.
    #[error("the client certificate cannot be used: {}", error_chain(.0))]
    SetLeafCertificate(#[source] ErrorStack),
    /// A certificate of the client's chain cannot be used.
    #[error("a certificate of the client's chain cannot be used: {}", error_chain(.0))]
    AppendCertificate(#[source] ErrorStack),
    /// A certificate to trust is not a certificate.
    #[error("a certificate authority cannot be read: {}", error_chain(.0))]
    DeserializeRootCertificate(#[source] ErrorStack),
    /// A certificate to trust cannot be used.
    #[error("a certificate authority cannot be used: {}", error_chain(.0))]
    AddRootCertificate(#[source] ErrorStack),
}

/// Connects with OpenSSL over `connector`.
pub(in crate::client) fn https_connector<H>(
    config: &Config,
    connector: H,
) -> Result<HttpsConnector<H>, OpensslTlsError> {
    let builder = connector_builder(config).map_err(OpensslTlsError::CreateSslConnector)?;
    named(HttpsConnector::with_connector(connector, builder), config)
}

/// A connector that expects the name of the configuration in the server's certificate.
fn named<H>(
    made: Result<HttpsConnector<H>, ErrorStack>,
    config: &Config,
) -> Result<HttpsConnector<H>, OpensslTlsError> {
    let mut made = made.map_err(OpensslTlsError::CreateHttpsConnector)?;
    let (name, anyone) = (config.tls_server_name.clone(), config.accept_invalid_certs);
    made.set_callback(move |connection, _| {
        if anyone {
            connection.set_verify(SslVerifyMode::NONE);
        }
        let Some(name) = &name else { return Ok(()) };
        // The connector takes the URL's host otherwise.
        connection.set_use_server_name_indication(false);
        connection.set_verify_hostname(false);
        connection.set_hostname(name)?;
        match name.parse() {
            Ok(address) => connection.param_mut().set_ip(address),
            Err(_) => connection.param_mut().set_host(name),
        }
    });
    Ok(made)
}

/// Whom to trust and who to be.
pub(in crate::client) fn connector_builder(config: &Config) -> Result<SslConnectorBuilder, SslConnectorError> {
    let mut builder = SslConnector::builder(SslMethod::tls()).map_err(SslConnectorError::CreateBuilder)?;
    show_identity(&mut builder, config)?;
    trust(builder.cert_store_mut(), config)?;
    Ok(builder)
}

/// Puts the authorities that the configuration names into `store`, from their file where there is one.
fn trust(store: &mut X509StoreBuilderRef, config: &Config) -> Result<(), SslConnectorError> {
    if let Some(path) = config.authority_file() {
        // The wrapper of OpenSSL panics at other paths.
        let path = path.to_str().filter(|path| !path.contains('\0'));
        let path = path.ok_or_else(|| SslConnectorError::DeserializeRootCertificate(ErrorStack::get()))?;
        let file = store.add_lookup(X509Lookup::file()).map_err(SslConnectorError::AddRootCertificate)?;
        return file.load_cert_file(path, SslFiletype::PEM).map_err(SslConnectorError::DeserializeRootCertificate);
    }
    for der in config.root_cert.iter().flatten() {
        let authority = X509::from_der(der).map_err(SslConnectorError::DeserializeRootCertificate)?;
        store.add_cert(authority).map_err(SslConnectorError::AddRootCertificate)?;
    }
    Ok(())
}

fn show_identity(builder: &mut SslConnectorBuilder, config: &Config) -> Result<(), SslConnectorError> {
    let none = |_| ErrorStack::get();
    let chain = config.auth_info.load_client_certificate().map_err(none);
    let key = config.auth_info.load_client_key().map_err(none);
    let chain = chain.map_err(SslConnectorError::DeserializeCertificateChain)?;
    let Some(key) = key.map_err(SslConnectorError::DeserializePrivateKey)? else {
        return Ok(());
    };
    let key = PKey::private_key_from_pem(&key).map_err(SslConnectorError::DeserializePrivateKey)?;
    let chain = X509::stack_from_pem(&chain.unwrap_or_default());
    show(builder, chain.map_err(SslConnectorError::DeserializeCertificateChain)?, &key)
}

/// Shows a certificate, whose key is `key`, to servers that ask for one.
fn show(builder: &mut SslConnectorBuilder, chain: Vec<X509>, key: &PKey<Private>) -> Result<(), SslConnectorError> {
    let mut chain = chain.into_iter();
    let leaf = chain.next().ok_or(SslConnectorError::GetLeafCertificate)?;
    builder.set_certificate(&leaf).map_err(SslConnectorError::SetLeafCertificate)?;
    builder.set_private_key(key).map_err(SslConnectorError::SetPrivateKey)?;
    for certificate in chain {
        builder.add_extra_chain_cert(certificate).map_err(SslConnectorError::AppendCertificate)?;
    }
    Ok(())
}
