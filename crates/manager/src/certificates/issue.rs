//! A new certificate, signed by an authority of its own.

use std::time::Duration;

use jiff::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, date_time_ymd,
};

use super::rotation::Pair;

/// Why a certificate cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot make a certificate for {}: {source}", .names.join(", "))]
pub struct IssueError {
    names: Vec<String>,
    source: rcgen::Error,
}

/// A certificate for these names. The key of the authority is gone when this returns.
pub(super) fn issue(names: &[String], lifetime: Duration, now: Timestamp) -> Result<Pair, IssueError> {
    let failed = |source| IssueError { names: names.to_vec(), source };
    try_issue(names, lifetime, now).map_err(failed)
}

fn try_issue(names: &[String], lifetime: Duration, now: Timestamp) -> Result<Pair, rcgen::Error> {
    let mut authority = CertificateParams::new(Vec::new())?;
    // Of its own, so that clients with two authorities in their bundle tell them apart.
    let common_name = format!("webhook authority {}", now.as_millisecond());
    authority.distinguished_name.push(DnType::CommonName, common_name);
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    set_validity(&mut authority, lifetime, now);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?)?;

    let mut serving = CertificateParams::new(names.to_vec())?;
    serving.distinguished_name.push(DnType::CommonName, names.first().map_or("webhook", String::as_str));
    serving.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    serving.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    serving.use_authority_key_identifier_extension = true;
    set_validity(&mut serving, lifetime, now);
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    let certificate = serving.signed_by(&key, &authority)?;
    Ok(Pair {
        authority: authority.pem(),
        certificate: certificate.pem(),
        key: key.serialize_pem(),
        names: names.to_vec(),
        not_after: now + lifetime,
    })
}

fn set_validity(params: &mut CertificateParams, lifetime: Duration, now: Timestamp) {
    let now = Duration::from_secs(now.as_second().unsigned_abs());
    let epoch = date_time_ymd(1970, 1, 1);
    params.not_before = epoch + now.saturating_sub(CLOCKS_DIFFER);
    params.not_after = epoch + now + lifetime;
}

/// Clocks of a cluster may differ by so much: a new certificate is valid for all of them.
const CLOCKS_DIFFER: Duration = Duration::from_secs(60 * 60);
