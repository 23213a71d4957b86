//! The TLS side of a connection: whom to trust and who to be.
//!
//! The crypto provider is passed explicitly, never taken from the process: two crates with different wishes must not
//! make a client panic at its first connection. A process that has none gets ours. Where the configuration names
//! certificates, only those are trusted; otherwise the platform decides. A file of certificates is read again while
//! programs run (`tls/authority.rs`).

mod authority;

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName, UnixTime};
use rustls::{ClientConfig, ConfigBuilder, DigitallySignedStruct, SignatureScheme, WantsVerifier, client};
use thiserror::Error;

use crate::client::auth::Identity;
use crate::config::{Config, without_user};
use crate::error_chain::error_chain;
use authority::{Authority, roots};

/// Why TLS cannot be set up.
#[derive(Debug, Error)]
pub enum RustlsTlsError {
    /// The client's certificate or key is not PEM.
    #[error("the client certificate or key cannot be read as PEM: {}", error_chain(.0))]
    InvalidIdentityPem(#[source] pem::Error),
    /// There is a client certificate and no key.
    #[error("there is a client certificate, but no client key")]
    MissingPrivateKey,
    /// There is a client key and no certificate.
    #[error("there is a client key, but no client certificate")]
    MissingCertificate,
    /// The client's key does not fit its certificate, or its kind is not supported.
    #[error("the client key cannot be used: {}", error_chain(.0))]
    InvalidPrivateKey(#[source] rustls::Error),
    /// The client's key is of an unknown format.
    #[error("the client key is of an unknown format")]
    UnknownPrivateKeyFormat,
    /// A certificate to trust is not a certificate.
    #[error("a certificate authority cannot be used: {}", error_chain(.0.as_ref()))]
    AddRootCertificate(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The name to expect in the server's certificate is not a name.
    #[error("`tls-server-name` is not a host name: {}", error_chain(.0))]
    InvalidServerName(#[source] InvalidDnsNameError),
    /// The platform's trusted certificates cannot be used.
    #[error("the trusted certificates of this platform cannot be used: {}", error_chain(.0))]
    NoValidNativeRootCA(#[source] std::io::Error),
}

/// The crypto that TLS uses: ring, or aws-lc-rs where that feature asks for it.
pub(in crate::client) fn provider() -> Arc<CryptoProvider> {
    #[cfg(feature = "aws-lc-rs")]
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    #[cfg(not(feature = "aws-lc-rs"))]
    let provider = rustls::crypto::ring::default_provider();
    Arc::new(provider)
}

/// Leaves our provider behind as that of the process where it has none yet: kube does so, and programs with TLS of their
/// own rely on it.
pub(in crate::client) fn install_provider() {
    if CryptoProvider::get_default().is_none() {
        // Another thread was faster: then there is one.
        let _ = CryptoProvider::clone(&provider()).install_default();
    }
}

/// The TLS configuration that `config` asks for. `identity` is asked for a certificate at each handshake.
pub(in crate::client) fn client_config(
    config: &Config,
    identity: Option<Arc<Identity>>,
) -> Result<ClientConfig, RustlsTlsError> {
    let provider = provider();
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| RustlsTlsError::AddRootCertificate(error.into()))?;
    let builder = trust(builder, config, provider)?;
    let may_be_replaced = identity.is_some() || config.authority_file().is_some();
    let mut client_config = match identity {
        Some(identity) => builder.with_client_cert_resolver(identity),
        None => builder.with_no_client_auth(),
    };
    if may_be_replaced {
        // A session that is resumed shows no certificate and asks for none: both sides go on believing those it was
        // begun with, also where they have been replaced.
        client_config.resumption = client::Resumption::disabled();
    }
    Ok(client_config)
}

/// Warns where any certificate is accepted, whichever library does so; once for all that is set up from `config`.
pub(in crate::client) fn warn_of_trust_in_anyone(config: &Config) {
    if config.accept_invalid_certs {
        tracing::warn!(
            cluster = %without_user(&config.cluster_url),
            "the server's certificate is NOT checked: everything can be read and changed on the way"
        );
    }
}

/// The name to expect in the server's certificate, where it is not the URL's host.
pub(in crate::client) fn server_name(config: &Config) -> Result<Option<ServerName<'static>>, RustlsTlsError> {
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
        let anyone = Arc::new(TrustAnyone { provider });
        return Ok(builder.dangerous().with_custom_certificate_verifier(anyone));
    }
    if let Some(path) = config.authority_file() {
        let authority = Arc::new(Authority::open(path.clone(), provider)?);
        return Ok(builder.dangerous().with_custom_certificate_verifier(authority));
    }
    match &config.root_cert {
        Some(certificates) => Ok(builder.with_root_certificates(roots(certificates)?)),
        None => trust_the_platform(builder),
    }
}

/// Mozilla's list, compiled in.
#[cfg(feature = "webpki-roots")]
#[expect(clippy::unnecessary_wraps, reason = "the platform's list can fail")]
fn trust_the_platform(builder: ConfigBuilder<ClientConfig, WantsVerifier>) -> Result<Trusting, RustlsTlsError> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    Ok(builder.with_root_certificates(roots))
}

#[cfg(not(feature = "webpki-roots"))]
fn trust_the_platform(builder: ConfigBuilder<ClientConfig, WantsVerifier>) -> Result<Trusting, RustlsTlsError> {
    use rustls_platform_verifier::BuilderVerifierExt;
    builder.with_platform_verifier().map_err(|error| RustlsTlsError::NoValidNativeRootCA(std::io::Error::other(error)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crypto_is_the_one_that_the_features_name() {
        // A key exchange that only aws-lc-rs has.
        let has_it = provider().kx_groups.iter().any(|group| group.name() == rustls::NamedGroup::X25519MLKEM768);
        assert_eq!(has_it, cfg!(feature = "aws-lc-rs"));
    }
}
