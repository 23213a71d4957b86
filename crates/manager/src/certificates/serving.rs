//! The certificate that a server shows, which may be replaced while it serves.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use jiff::Timestamp;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::validity::Validity;
use crate::http_server::{Tls, TlsError, provider};

/// A slot for a certificate and its key. Clones are the same slot; until something is in it, handshakes fail.
#[derive(Clone, Default)]
pub struct ServingCertificate(Arc<RwLock<Option<Shown>>>);

/// What is shown.
#[derive(Clone)]
struct Shown {
    pair: Arc<CertifiedKey>,
    validity: Option<Validity>,
}

/// Why a certificate cannot be shown.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// There is no certificate in the PEM, or one that cannot be read.
    #[error("the certificate is not PEM with at least one certificate: {0}")]
    Certificate(String),
    /// There is no private key in the PEM, or one that cannot be read.
    #[error("the private key is not PEM with a key: {0}")]
    Key(String),
    /// They are not a pair, or of a kind that TLS does not know.
    #[error("certificate and key cannot be used together: {0}")]
    Pair(#[from] rustls::Error),
}

impl ServingCertificate {
    /// An empty slot.
    pub fn new() -> Self {
        Self::default()
    }

    /// Shows this certificate, with the chain that follows it, from the next handshake on.
    ///
    /// # Errors
    /// When it cannot be used: then the one before stays.
    pub fn set_pem(&self, certificate: &[u8], key: &[u8]) -> Result<(), PairError> {
        let pair = Arc::new(pair(certificate, key)?);
        let validity = pair.cert.first().and_then(|certificate| Validity::of(certificate));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Shown { pair, validity });
        Ok(())
    }

    /// The certificate that is shown now, without its chain.
    pub fn certificate(&self) -> Option<CertificateDer<'static>> {
        Some(self.current()?.pair.cert.first()?.clone())
    }

    /// Whether there is a certificate to show.
    pub fn is_set(&self) -> bool {
        self.current().is_some()
    }

    /// TLS that shows it.
    ///
    /// # Errors
    /// When the process has installed a TLS provider that cannot serve.
    pub fn tls(&self) -> Result<Tls, TlsError> {
        Tls::new(Arc::new(self.clone()))
    }

    /// What is worth a word about the certificate that is shown at `now`: that it expires soon.
    ///
    /// # Errors
    /// When it has expired, or is not valid yet, with when that is.
    pub fn check(&self, now: Timestamp) -> Result<Option<String>, String> {
        let validity = self.current().and_then(|shown| shown.validity);
        validity.map_or(Ok(None), |validity| validity.check(now))
    }

    fn current(&self) -> Option<Shown> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ResolvesServerCert for ServingCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current()?.pair)
    }
}

impl fmt::Debug for ServingCertificate {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServingCertificate").field("is_set", &self.is_set()).finish()
    }
}

/// The pair, if it is one.
fn pair(certificate: &[u8], key: &[u8]) -> Result<CertifiedKey, PairError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificate).collect();
    let chain = chain.map_err(|error| PairError::Certificate(error.to_string()))?;
    if chain.is_empty() {
        return Err(PairError::Certificate("there is none".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| PairError::Key(error.to_string()))?;
    Ok(CertifiedKey::from_der(chain, key, &provider())?)
}
