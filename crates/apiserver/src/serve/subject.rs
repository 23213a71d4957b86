//! The user that a client certificate names: its common name, and its organizations as groups.
//!
//! In: a certificate as DER, which TLS has verified. Out: its [`User`], or `None` if it has no common name. Only the way to the
//! subject is read (RFC 5280, 4.1).

use sha2::{Digest as _, Sha256};

use crate::request::user::User;

/// The user of a certificate.
pub(super) fn user(certificate: &[u8]) -> Option<User> {
    let (mut name, mut groups) = (None, Vec::new());
    let mut attributes = subject(certificate)?;
    while !attributes.is_empty() {
        let (_, mut set, rest) = element(attributes)?;
        attributes = rest;
        while !set.is_empty() {
            let (_, attribute, rest) = element(set)?;
            set = rest;
            let (_, kind, value) = element(attribute)?;
            let text = String::from_utf8(element(value)?.1.to_vec()).ok()?;
            match kind {
                COMMON_NAME => name = Some(text),
                ORGANIZATION => groups.push(text),
                _ => {}
            }
        }
    }
    let digest: String = Sha256::digest(certificate).iter().map(|byte| format!("{byte:02x}")).collect();
    Some(User::new(&name?, groups).with_credential_id(&format!("X509SHA256={digest}")))
}

/// The content of the subject: sets of attributes.
fn subject(certificate: &[u8]) -> Option<&[u8]> {
    let (_, certificate, _) = element(certificate)?;
    let (_, mut fields, _) = element(certificate)?;
    // The version is there unless it is the first.
    if let (VERSION, _, rest) = element(fields)? {
        fields = rest;
    }
    // Serial number, signature algorithm, issuer and validity come before.
    for _ in 0..4 {
        fields = element(fields)?.2;
    }
    Some(element(fields)?.1)
}

/// The first element of DER: its tag, its content, and what follows it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        // A certificate of 4 GiB is not one.
        let (digits, rest) =
            rest.split_at_checked(usize::from(first & 0x7f)).filter(|(digits, _)| digits.len() <= 4)?;
        (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// The tag of the version.
const VERSION: u8 = 0xa0;

/// The object identifiers 2.5.4.3 and 2.5.4.10.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, DnValue, KeyPair};

    use super::*;

    #[test]
    fn name_and_groups_are_read_from_the_subject() {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, "jörg");
        for group in ["system:masters", "dev"] {
            params.distinguished_name.push(DnType::OrganizationName, DnValue::Utf8String(group.to_owned()));
        }
        let der = params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec();
        let user = user(&der).unwrap();
        assert_eq!(user.name, "jörg");
        // rcgen keeps one organization.
        assert!(user.is_in("dev") || user.is_in("system:masters"), "{user:?}");
        assert!((0..der.len()).all(|end| super::user(&der[..end]).is_none()), "what is cut off is not a certificate");
    }
}
