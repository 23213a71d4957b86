//! A certificate authority, a certificate for the loopback addresses, and certificates for users: made at start or when
//! asked for, and kept in memory. Only the authority can be kept elsewhere.

use std::sync::Arc;

use pintle_core::certificate::Certificate;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, DnValue, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, date_time_ymd,
};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{CipherSuite, RootCertStore, ServerConfig};
use secrecy::SecretString;
use tokio_rustls::TlsAcceptor;

use super::options::ServingCertificate;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Who signs certificates.
pub(super) struct Authority {
    pub(super) pem: String,
    pub(super) certificate: CertificateDer<'static>,
    pub(super) issuer: Issuer<'static, KeyPair>,
}

/// A certificate with its key.
pub(super) struct Signed {
    pub(super) certificate: rcgen::Certificate,
    pub(super) key: KeyPair,
}

impl Authority {
    /// A new one.
    pub(super) fn make() -> Result<Authority, BoxError> {
        let (key, params) = (KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?, authority_params()?);
        let certificate = params.self_signed(&key)?;
        let (pem, der) = (certificate.pem(), certificate.der().clone());
        Ok(Authority { pem, certificate: der, issuer: Issuer::new(params, key) })
    }

    /// The certificate and the key, for [`Authority::of_pem`].
    pub(super) fn with_key_pem(&self) -> SecretString {
        SecretString::from(format!("{}{}", self.pem, self.issuer.key().serialize_pem()))
    }

    /// One that was made earlier and is good for a while yet.
    pub(super) fn of_pem(text: &str) -> Option<Authority> {
        let (certificate, key) = text.split_at(text.find(KEY_BEGIN)?);
        let der = CertificateDer::from_pem_slice(certificate.as_bytes()).ok()?;
        let (_, end) = Certificate::read(&der)?.validity()?;
        if end.as_second() < jiff::Timestamp::now().as_second() + REPLACED_BEFORE_SECONDS {
            return None;
        }
        // What it signs names it by these, and by the identifier of its key.
        let issuer = Issuer::new(authority_params().ok()?, KeyPair::from_pem(key).ok()?);
        Some(Authority { pem: certificate.to_owned(), certificate: der, issuer })
    }

    /// What takes connections: it shows this certificate, or one for loopback, and takes clients with a certificate of ours
    /// or of these authorities, or with none.
    pub(super) fn acceptor(
        &self,
        shown: Option<ServingCertificate>,
        client_authorities: Vec<CertificateDer<'static>>,
    ) -> Result<TlsAcceptor, BoxError> {
        let (chain, private) = match shown {
            Some(given) => (given.chain, given.key),
            None => self.for_loopback()?,
        };
        let mut clients = RootCertStore::empty();
        clients.add(self.certificate.clone())?;
        for authority in client_authorities {
            clients.add(authority)?;
        }
        let provider = Arc::new(ciphers());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(clients), Arc::clone(&provider));
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(verifier.allow_unauthenticated().build()?)
            .with_single_cert(chain, private)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        config.ignore_client_order = true;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    fn for_loopback(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), BoxError> {
        let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name.push(DnType::CommonName, "pintle");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let Signed { certificate, key } = self.sign(params)?;
        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        Ok((vec![certificate.der().clone()], private))
    }

    /// A certificate for a user.
    pub(super) fn certify(&self, name: &str, groups: &[&str]) -> Result<Signed, BoxError> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, name);
        for group in groups {
            params.distinguished_name.push(DnType::OrganizationName, DnValue::Utf8String((*group).to_owned()));
        }
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.sign(params)
    }

    fn sign(&self, mut params: CertificateParams) -> Result<Signed, BoxError> {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        params.use_authority_key_identifier_extension = true;
        set_validity(&mut params);
        let certificate = params.signed_by(&key, &self.issuer)?;
        Ok(Signed { certificate, key })
    }
}

fn authority_params() -> Result<CertificateParams, BoxError> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name.push(DnType::CommonName, "pintle development CA");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    set_validity(&mut params);
    Ok(params)
}

/// What connections are encrypted with: keys of 128 bits first, as kube-apiserver has it, because they take less time.
fn ciphers() -> CryptoProvider {
    let mut provider = rustls::crypto::ring::default_provider();
    provider.cipher_suites.sort_by_key(|suite| suite.suite() != CipherSuite::TLS13_AES_128_GCM_SHA256);
    provider
}

/// From yesterday, for clocks that differ, for a year: some platforms refuse certificates that live longer.
fn set_validity(params: &mut CertificateParams) {
    let day = |days: i64| {
        let moment = jiff::Timestamp::now().as_second() + days * 24 * 60 * 60;
        let date = jiff::Timestamp::from_second(moment).unwrap_or_default().to_zoned(jiff::tz::TimeZone::UTC).date();
        date_time_ymd(date.year().into(), date.month().unsigned_abs(), date.day().unsigned_abs())
    };
    params.not_before = day(-1);
    params.not_after = day(365);
}

/// Where the key begins in the text of an authority.
const KEY_BEGIN: &str = "-----BEGIN PRIVATE KEY-----";

/// A month: a server that is left running has its authority for at least that long.
const REPLACED_BEFORE_SECONDS: i64 = 30 * 24 * 60 * 60;
