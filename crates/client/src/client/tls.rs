//! The TLS side of a connection: whom to trust and who to be.
//!
//! The crypto provider is passed explicitly, never taken from the process: two crates with different wishes must not
//! make a client panic at its first connection. Where the configuration names certificates, only those are trusted;
//! otherwise the platform decides.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ConfigBuilder, DigitallySignedStruct, RootCertStore, SignatureScheme, WantsVerifier, client,
};
use rustls_platform_verifier::BuilderVerifierExt;
use thiserror::Error;

use crate::config::{AuthInfo, Config, LoadDataError};

/// Why TLS cannot be set up.
#[derive(Debug, Error)]
pub enum RustlsTlsError {
    /// The client's certificate or key is not PEM.
    #[error("the client certificate or key cannot be read as PEM")]
    InvalidIdentityPem(#[source] pem::Error),
    /// There is a client certificate and no key.
    #[error("there is a client certificate, but no client key")]
    MissingPrivateKey,
    /// There is a client key and no certificate.
    #[error("there is a client key, but no client certificate")]
    MissingCertificate,
    /// The client's key does not fit its certificate, or its kind is not supported.
    #[error("the client key cannot be used")]
    InvalidPrivateKey(#[source] rustls::Error),
    /// The client's key is of a format nobody knows.
    #[error("the client key is of an unknown format")]
    UnknownPrivateKeyFormat,
    /// A certificate to trust is none.
    #[error("a certificate authority cannot be used")]
    AddRootCertificate(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The name to expect in the server's certificate is no name.
    #[error("`tls-server-name` is no host name")]
    InvalidServerName(#[source] InvalidDnsNameError),
    /// The platform's trusted certificates cannot be used.
    #[error("the trusted certificates of this platform cannot be used")]
    NoValidNativeRootCA(#[source] std::io::Error),
}

/// The TLS configuration that `config` asks for.
pub(super) fn client_config(config: &Config) -> Result<ClientConfig, RustlsTlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| RustlsTlsError::AddRootCertificate(error.into()))?;
    let builder = trust(builder, config, provider)?;
    match identity(&config.auth_info)? {
        None => Ok(builder.with_no_client_auth()),
        Some((chain, key)) => builder.with_client_auth_cert(chain, key).map_err(RustlsTlsError::InvalidPrivateKey),
    }
}

/// The name to expect in the server's certificate, where it is not the URL's host.
pub(super) fn server_name(config: &Config) -> Result<Option<ServerName<'static>>, RustlsTlsError> {
    let name = config.tls_server_name.clone();
    name.map(|name| ServerName::try_from(name).map_err(RustlsTlsError::InvalidServerName)).transpose()
}

type Trusting = ConfigBuilder<ClientConfig, client::WantsClientCert>;

fn trust(
    builder: ConfigBuilder<ClientConfig, WantsVerifier>,
    config: &Config,
    provider: Arc<CryptoProvider>,
) -> Result<Trusting, RustlsTlsError> {
    if config.accept_invalid_certs {
        tracing::warn!(
            cluster = %config.cluster_url,
            "the server's certificate is NOT checked: whoever sits in between can read and change everything"
        );
        let anyone = Arc::new(TrustAnyone { provider });
        return Ok(builder.dangerous().with_custom_certificate_verifier(anyone));
    }
    let Some(certificates) = &config.root_cert else {
        return builder
            .with_platform_verifier()
            .map_err(|error| RustlsTlsError::NoValidNativeRootCA(std::io::Error::other(error)));
    };
    let mut roots = RootCertStore::empty();
    for der in certificates {
        let certificate = CertificateDer::from(der.clone());
        roots.add(certificate).map_err(|error| RustlsTlsError::AddRootCertificate(error.into()))?;
    }
    Ok(builder.with_root_certificates(roots))
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn identity(auth_info: &AuthInfo) -> Result<Option<Identity>, RustlsTlsError> {
    let chain = auth_info.load_client_certificate().map_err(unreadable)?;
    let key = auth_info.load_client_key().map_err(unreadable)?;
    match (chain, key) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(RustlsTlsError::MissingPrivateKey),
        (None, Some(_)) => Err(RustlsTlsError::MissingCertificate),
        (Some(chain), Some(key)) => {
            let chain = CertificateDer::pem_slice_iter(&chain).collect::<Result<Vec<_>, _>>().map_err(not_pem)?;
            if chain.is_empty() {
                return Err(RustlsTlsError::MissingCertificate);
            }
            Ok(Some((chain, PrivateKeyDer::from_pem_slice(&key).map_err(not_pem)?)))
        }
    }
}

fn unreadable(error: LoadDataError) -> RustlsTlsError {
    RustlsTlsError::InvalidIdentityPem(pem::Error::Io(std::io::Error::other(error)))
}

/// Some PEM errors hold the line they stumbled over, and here that may be a line of a key.
fn not_pem(error: pem::Error) -> RustlsTlsError {
    RustlsTlsError::InvalidIdentityPem(match error {
        pem::Error::IllegalSectionStart { .. } => {
            pem::Error::Io(std::io::Error::new(std::io::ErrorKind::InvalidData, "illegal start of a section"))
        }
        error => error,
    })
}

/// Believes every certificate; signatures are still checked, so that a broken handshake stays an error.
#[derive(Debug)]
struct TrustAnyone {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for TrustAnyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
