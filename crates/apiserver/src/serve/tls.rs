//! A certificate authority and a certificate for the loopback addresses, made at start and kept in memory.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What TLS on loopback takes.
pub(crate) struct Certificates {
    pub(crate) ca_pem: String,
    pub(crate) acceptor: TlsAcceptor,
}

impl Certificates {
    /// Makes them.
    pub(crate) fn make() -> Result<Certificates, BoxError> {
        let ca_key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        let mut ca = CertificateParams::new(Vec::new())?;
        ca.distinguished_name.push(DnType::CommonName, "pintle development CA");
        ca.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        set_validity(&mut ca);
        let ca_certificate = ca.self_signed(&ca_key)?;

        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
        let mut leaf = CertificateParams::new(names)?;
        leaf.distinguished_name.push(DnType::CommonName, "pintle");
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        leaf.use_authority_key_identifier_extension = true;
        set_validity(&mut leaf);
        let certificate = leaf.signed_by(&key, &Issuer::new(ca, ca_key))?;

        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Certificates { ca_pem: ca_certificate.pem(), acceptor: TlsAcceptor::from(Arc::new(config)) })
    }
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
