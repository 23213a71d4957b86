//! Trust in the certificates of a file that is replaced while programs run.
//!
//! A pod's certificate authority is rotated by the cluster. The file is read again at the first handshake after a
//! minute; a file that cannot be read, or holds no certificate, leaves the last ones in use.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio::time::Instant;

use super::RustlsTlsError;
use crate::client::auth::AGE_MAX;
use crate::config::{certificates, read_data};

/// Trusts what the file says.
#[derive(Debug)]
pub(super) struct Authority {
    path: PathBuf,
    provider: Arc<CryptoProvider>,
    last: Mutex<(Arc<WebPkiServerVerifier>, Instant)>,
}

impl Authority {
    /// Reads the file once, so that a wrong path is noticed when the client is built.
    pub(super) fn open(path: PathBuf, provider: Arc<CryptoProvider>) -> Result<Self, RustlsTlsError> {
        let verifier = read(&path, &provider)?;
        Ok(Self { path, provider, last: Mutex::new((verifier, Instant::now())) })
    }

    fn now(&self) -> Arc<WebPkiServerVerifier> {
        self.at(Instant::now())
    }

    fn at(&self, now: Instant) -> Arc<WebPkiServerVerifier> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(last.1) >= AGE_MAX {
            last.1 = now;
            match read(&self.path, &self.provider) {
                Ok(verifier) => last.0 = verifier,
                Err(error) => tracing::warn!(%error, path = %self.path.display(), "keeping the last authorities"),
            }
        }
        last.0.clone()
    }
}

/// The certificates to trust, as rustls wants them.
pub(super) fn roots(certificates: &[Vec<u8>]) -> Result<RootCertStore, RustlsTlsError> {
    let mut roots = RootCertStore::empty();
    for der in certificates {
        let certificate = CertificateDer::from(der.clone());
        roots.add(certificate).map_err(|error| RustlsTlsError::AddRootCertificate(error.into()))?;
    }
    Ok(roots)
}

fn read(path: &std::path::Path, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, RustlsTlsError> {
    let bundle = read_data(path).map_err(|error| RustlsTlsError::AddRootCertificate(error.into()))?;
    let certificates = certificates(&bundle).map_err(|error| RustlsTlsError::AddRootCertificate(error.into()))?;
    let roots = Arc::new(roots(&certificates)?);
    let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider.clone()).build();
    verifier.map_err(|error| RustlsTlsError::AddRootCertificate(error.into()))
}

impl ServerCertVerifier for Authority {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.now().verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.now().verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.now().verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

    use super::*;

    type Issuer = CertifiedIssuer<'static, KeyPair>;

    fn authority() -> Issuer {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    }

    fn trusts(verifier: &WebPkiServerVerifier, issuer: &Issuer) -> bool {
        let key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(["host".to_owned()]).unwrap().signed_by(&key, issuer).unwrap();
        let name = ServerName::try_from("host").unwrap();
        verifier.verify_server_cert(leaf.der(), &[], &name, &[], UnixTime::now()).is_ok()
    }

    #[test]
    fn a_replaced_authority_is_trusted_after_a_minute_and_a_broken_file_changes_nothing() {
        let path = std::env::temp_dir().join(format!("pintle-authority-{}", std::process::id()));
        let (old, new) = (authority(), authority());
        std::fs::write(&path, old.pem()).unwrap();
        let trusted = Authority::open(path.clone(), super::super::provider()).unwrap();
        let start = Instant::now();
        std::fs::write(&path, new.pem()).unwrap();
        assert!(trusts(&trusted.at(start), &old) && !trusts(&trusted.at(start), &new));
        let later = start + AGE_MAX * 2;
        assert!(!trusts(&trusted.at(later), &old) && trusts(&trusted.at(later), &new));
        std::fs::write(&path, "no PEM").unwrap();
        assert!(trusts(&trusted.at(later + AGE_MAX), &new));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Authority::open(path, super::super::provider()), Err(RustlsTlsError::AddRootCertificate(_))));
    }
}
