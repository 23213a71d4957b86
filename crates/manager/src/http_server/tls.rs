//! How a server proves who it is, and whom it asks for a certificate.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::{ResolvesServerCert, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig};

/// TLS for a server: TLS 1.2 or 1.3, HTTP/2 preferred to HTTP/1.1. The certificate is asked for at every handshake, so that it
/// may change while the server runs.
#[derive(Clone, Debug)]
pub struct Tls {
    config: Arc<ServerConfig>,
}

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The PEM of the client authorities holds no certificate, or one that cannot be read.
    #[error("the certificate authority for clients cannot be used: {0}")]
    ClientAuthority(String),
    /// The process uses a TLS provider that knows neither TLS 1.2 nor 1.3.
    #[error("the TLS provider of this process cannot be used: {0}")]
    Provider(#[from] rustls::Error),
}

impl Tls {
    /// Shows the certificate that `certificates` gives for each handshake; clients need none.
    ///
    /// # Errors
    /// When the process has installed a TLS provider that cannot serve.
    pub fn new(certificates: Arc<dyn ResolvesServerCert>) -> Result<Self, TlsError> {
        let builder = ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()?;
        Ok(Self::with_config(builder.with_no_client_auth().with_cert_resolver(certificates)))
    }

    /// The same, for clients only that show a certificate signed by one of `authorities`, in PEM: an API server that is told to
    /// authenticate to its webhooks.
    ///
    /// # Errors
    /// When the PEM has no certificate that can be used.
    pub fn with_client_authority(
        certificates: Arc<dyn ResolvesServerCert>,
        authorities: &[u8],
    ) -> Result<Self, TlsError> {
        let refused = |error: &dyn std::fmt::Display| TlsError::ClientAuthority(error.to_string());
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(authorities) {
            let certificate = certificate.map_err(|error| refused(&error))?;
            roots.add(certificate).map_err(|error| refused(&error))?;
        }
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider());
        let verifier = verifier.build().map_err(|error| refused(&error))?;
        let builder = ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()?;
        Ok(Self::with_config(builder.with_client_cert_verifier(verifier).with_cert_resolver(certificates)))
    }

    fn with_config(mut config: ServerConfig) -> Self {
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self { config: Arc::new(config) }
    }

    pub(super) fn into_config(self) -> Arc<ServerConfig> {
        self.config
    }
}

/// The provider the process chose, else ring's.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    CryptoProvider::get_default().cloned().unwrap_or_else(|| Arc::new(rustls::crypto::ring::default_provider()))
}
