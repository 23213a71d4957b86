//! What is read of X.509 certificates beside what TLS verifies: the subject, and from when until when one is valid.
//!
//! In: a certificate as DER. Out: its parts (RFC 5280, 4.1), or `None` where they cannot be read. A server reads who shows one, a
//! manager when its own ends.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The parts of a certificate that are looked at.
#[derive(Debug, Clone, Copy)]
pub struct Certificate<'a> {
    /// Two times.
    validity: &'a [u8],
    /// Sets of attributes.
    subject: &'a [u8],
}

impl<'a> Certificate<'a> {
    /// The parts of a certificate in DER.
    pub fn read(der: &'a [u8]) -> Option<Certificate<'a>> {
        let (_, certificate, _) = element(der)?;
        let (_, mut fields, _) = element(certificate)?;
        // The version is there unless it is the first.
        if let (VERSION, _, rest) = element(fields)? {
            fields = rest;
        }
        // Serial number, signature algorithm and issuer come before.
        for _ in 0..3 {
            fields = element(fields)?.2;
        }
        let (_, validity, fields) = element(fields)?;
        let (_, subject, _) = element(fields)?;
        Some(Certificate { validity, subject })
    }

    /// The common name and the organizations of the subject.
    pub fn names(&self) -> Option<(String, Vec<String>)> {
        let (mut name, mut organizations) = (None, Vec::new());
        for set in elements(self.subject) {
            for attribute in elements(set?) {
                let (_, kind, value) = element(attribute?)?;
                let text = || String::from_utf8(element(value)?.1.to_vec()).ok();
                match kind {
                    COMMON_NAME => name = Some(text()?),
                    ORGANIZATION => organizations.push(text()?),
                    _ => {}
                }
            }
        }
        Some((name?, organizations))
    }

    /// From when until when it is valid.
    pub fn validity(&self) -> Option<(Timestamp, Timestamp)> {
        let (begin_kind, not_before, rest) = element(self.validity)?;
        let (end_kind, not_after, _) = element(rest)?;
        Some((time(begin_kind, not_before)?, time(end_kind, not_after)?))
    }
}

/// The contents of elements that follow one another; `None` is where one cannot be read, and the last.
fn elements(der: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    let mut left = Some(der).filter(|der| !der.is_empty());
    std::iter::from_fn(move || {
        let read = element(left?);
        left = read.map(|(_, _, rest)| rest).filter(|rest| !rest.is_empty());
        Some(read.map(|(_, content, _)| content))
    })
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
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The object identifiers 2.5.4.3 and 2.5.4.10.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];

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
