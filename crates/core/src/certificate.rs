//! What is read of X.509 certificates beside what TLS verifies: the subject, and from when until when one is valid.
//!
//! In: a certificate as DER. Out: its parts (RFC 5280, 4.1), or `None` where they cannot be read. A server reads who shows one, a
//! manager when its own ends; what is read of a request for one is in `request`.

mod der;
mod public_key;
mod request;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use der::{CONTEXT_0, CONTEXT_3, element, elements, extension, whole};
pub use public_key::PublicKey;
pub use request::{AlternativeNames, CertificateRequest, RequestSignature};

/// The parts of a certificate that are looked at.
#[derive(Debug, Clone, Copy)]
pub struct Certificate<'a> {
    /// Two times.
    validity: &'a [u8],
    /// Sets of attributes, with their head.
    subject: &'a [u8],
    /// What follows the subject.
    rest: &'a [u8],
}

impl<'a> Certificate<'a> {
    /// The parts of a certificate in DER.
    pub fn read(der: &'a [u8]) -> Option<Certificate<'a>> {
        let (_, certificate, _) = element(der)?;
        let (_, mut fields, _) = element(certificate)?;
        // The version is there unless it is the first.
        if let (CONTEXT_0, _, rest) = element(fields)? {
            fields = rest;
        }
        // Serial number, signature algorithm and issuer come before.
        for _ in 0..3 {
            fields = element(fields)?.2;
        }
        let (_, validity, fields) = element(fields)?;
        let (subject, rest) = whole(fields)?;
        Some(Certificate { validity, subject, rest })
    }

    /// The common name and the organizations of the subject.
    pub fn names(&self) -> Option<(String, Vec<String>)> {
        let (name, organizations) = names(self.subject)?;
        Some((name?, organizations))
    }

    /// The subject, in DER: by that a certificate that this one signs names its issuer.
    pub fn subject(&self) -> &'a [u8] {
        self.subject
    }

    /// The identifier of its key, which is there where it may sign others.
    pub fn key_identifier(&self) -> Option<&'a [u8]> {
        // The public key comes first, and unique identifiers may follow.
        let extensions = std::iter::successors(Some(self.rest), |rest| element(rest).map(|(_, _, rest)| rest))
            .find_map(|rest| element(rest).filter(|(tag, ..)| *tag == CONTEXT_3))?;
        let (_, identifier, _) = element(extension(element(extensions.1)?.1, KEY_IDENTIFIER)?)?;
        Some(identifier)
    }

    /// From when until when it is valid.
    pub fn validity(&self) -> Option<(Timestamp, Timestamp)> {
        let (begin_kind, not_before, rest) = element(self.validity)?;
        let (end_kind, not_after, _) = element(rest)?;
        Some((time(begin_kind, not_before)?, time(end_kind, not_after)?))
    }
}

/// The common name and the organizations of a name in DER.
fn names(name: &[u8]) -> Option<(Option<String>, Vec<String>)> {
    let (mut common, mut organizations) = (None, Vec::new());
    for set in elements(element(name)?.1) {
        for attribute in elements(set?) {
            let (_, kind, value) = element(attribute?)?;
            let text = || String::from_utf8(element(value)?.1.to_vec()).ok();
            match kind {
                COMMON_NAME => common = Some(text()?),
                ORGANIZATION => organizations.push(text()?),
                _ => {}
            }
        }
    }
    Some((common, organizations))
}

/// A time: to the second and in UTC, as certificates have it.
fn time(tag: u8, text: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(text).ok()?;
    let text = match tag {
        // Two digits of the year, of which the second half of the numbers are in the past.
        UTC_TIME if text.get(..2)? < "50" => format!("20{text}"),
        UTC_TIME => format!("19{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let time = DateTime::strptime("%Y%m%d%H%M%SZ", text).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// The tags of what is looked at.
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The object identifiers 2.5.4.3 and 2.5.4.10.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];

/// The object identifier 2.5.29.14.
const KEY_IDENTIFIER: &[u8] = &[0x55, 0x1d, 0x0e];

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};

    use super::*;

    fn certificate() -> Vec<u8> {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, "jörg");
        params.distinguished_name.push(DnType::OrganizationName, "system:masters");
        (params.not_before, params.not_after) = (date_time_ymd(2026, 1, 31), date_time_ymd(2126, 2, 28));
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn names_and_times_are_read() {
        let der = certificate();
        let certificate = Certificate::read(&der).unwrap();
        assert_eq!(certificate.names(), Some(("jörg".to_owned(), vec!["system:masters".to_owned()])));
        let day = |text: &str| text.parse::<Timestamp>().unwrap();
        assert_eq!(certificate.validity(), Some((day("2026-01-31T00:00:00Z"), day("2126-02-28T00:00:00Z"))));
    }

    #[test]
    fn what_is_cut_off_is_not_a_certificate() {
        let der = certificate();
        assert!((0..der.len()).all(|end| Certificate::read(&der[..end]).is_none()));
    }
}
