//! Which certificates of webhooks are trusted: those that the bundle has signed, and those that are in the bundle.
//!
//! The second is Go's way: a certificate that is trusted as a root needs nobody to vouch for it, whether it is an authority
//! or not. envtest and many operators make their `caBundle` so.

use std::sync::Arc;

use pintle_core::certificate::Certificate;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

/// Trusts what a bundle has signed, and what is in it.
#[derive(Debug)]
pub(super) struct BundleVerifier {
    bundle: Vec<CertificateDer<'static>>,
    signed: Arc<WebPkiServerVerifier>,
}

impl BundleVerifier {
    pub(super) fn new(bundle: Vec<CertificateDer<'static>>, signed: Arc<WebPkiServerVerifier>) -> BundleVerifier {
        BundleVerifier { bundle, signed }
    }
}

impl ServerCertVerifier for BundleVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if !self.bundle.contains(end_entity) {
            return self.signed.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        }
        let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        let now = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX);
        let validity = Certificate::read(end_entity).and_then(|certificate| certificate.validity());
        let (not_before, not_after) = validity.ok_or(CertificateError::BadEncoding)?;
        if !(not_before..=not_after).contains(&now) {
            return Err(CertificateError::Expired.into());
        }
        verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.signed.supported_verify_schemes()
    }
}
