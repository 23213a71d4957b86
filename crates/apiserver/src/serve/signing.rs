//! Certificates that the authority of the socket signs for whoever asked and was approved.
//!
//! In: a request (PKCS #10), what the certificate is for, and how long. Out: a certificate (RFC 5280) as PEM, with the extensions
//! and the times that kube-controller-manager gives it. Subject and key stand in it byte for byte as in the request. That
//! whoever asks has the key, the request's signature shows.

use jiff::Timestamp;
use pem::{EncodeConfig, LineEnding, Pem};
use pintle_core::certificate::{AlternativeNames, Certificate};
use rcgen::SigningKey;

use super::tls::Authority;
use crate::controllers::simulated::certificate_signing::{CertificateAuthority, Wanted};
use crate::registry::certificates::{Verified, verified};

impl CertificateAuthority for Authority {
    fn sign(&self, wanted: &Wanted<'_>) -> Result<String, String> {
        if verified(&wanted.request) != Verified::Right {
            return Err("unable to verify certificate request signature".to_owned());
        }
        let own = Certificate::read(&self.certificate).ok_or("the certificate of the authority cannot be read")?;
        let (_, end) = own.validity().ok_or("the certificate of the authority has no end")?;
        let (not_before, not_after) = validity(Timestamp::now(), wanted.seconds, end);
        let content = sequence(&[
            // The third version of certificates, which counts from 0.
            &element(0xa0, &[&element(INTEGER, &[&[2]])]),
            &element(INTEGER, &[&serial()]),
            ECDSA_WITH_SHA256,
            own.subject(),
            &sequence(&[&time(not_before), &time(not_after)]),
            wanted.request.subject(),
            wanted.request.public_key(),
            &element(0xa3, &[&extensions(wanted, own.key_identifier())]),
        ]);
        let signature = self.issuer.key().sign(&content).map_err(|error| error.to_string())?;
        let der = sequence(&[&content, ECDSA_WITH_SHA256, &element(BIT_STRING, &[&[0], &signature])]);
        Ok(pem(der))
    }
}

/// From when until when a certificate is good. It begins a little earlier, for clocks that differ; one that is short is good for
/// its whole time from now on.
fn validity(now: Timestamp, seconds: Option<i64>, authority_end: Timestamp) -> (i64, i64) {
    let seconds = seconds.map_or(SECONDS_MAX, |seconds| seconds.clamp(0, SECONDS_MAX));
    let begin = now.as_second() - BACKDATED_SECONDS;
    let end = if seconds < SHORT_SECONDS { now.as_second() + seconds } else { begin + seconds };
    (begin, end.min(authority_end.as_second()))
}

/// In the order that kube-controller-manager has them.
fn extensions(wanted: &Wanted<'_>, authority_key: Option<&[u8]>) -> Vec<u8> {
    let mut all = Vec::new();
    let mut add = |identifier: &[u8], critical: &[u8], value: Vec<u8>| {
        all.extend(sequence(&[&element(OBJECT, &[identifier]), critical, &element(OCTETS, &[&value])]));
    };
    if let Some(bits) = key_usages(&wanted.usages) {
        add(&[0x55, 0x1d, 0x0f], CRITICAL, element(BIT_STRING, &[&bits]));
    }
    let purposes: Vec<u8> = wanted.usages.iter().filter_map(|usage| purpose(usage)).flatten().collect();
    if !purposes.is_empty() {
        add(&[0x55, 0x1d, 0x25], &[], sequence(&[&purposes]));
    }
    add(&[0x55, 0x1d, 0x13], CRITICAL, sequence(&[]));
    if let Some(identifier) = authority_key {
        add(&[0x55, 0x1d, 0x23], &[], sequence(&[&element(0x80, &[identifier])]));
    }
    let names = names(&wanted.request.alternative_names());
    if !names.is_empty() {
        add(&[0x55, 0x1d, 0x11], &[], sequence(&[&names]));
    }
    sequence(&[&all])
}

fn names(names: &AlternativeNames) -> Vec<u8> {
    let text =
        |tag: u8, all: &[String]| -> Vec<u8> { all.iter().flat_map(|name| element(tag, &[name.as_bytes()])).collect() };
    let addresses = names.ip.iter().flat_map(|address| match address {
        std::net::IpAddr::V4(address) => element(0x87, &[&address.octets()]),
        std::net::IpAddr::V6(address) => element(0x87, &[&address.octets()]),
    });
    [text(0x82, &names.dns), text(0x81, &names.email), addresses.collect(), text(0x86, &names.uri)].concat()
}

/// The bits of the usages that are about the key itself, after the number of those at the end that mean nothing.
fn key_usages(usages: &[&str]) -> Option<Vec<u8>> {
    let bit = |usage: &&str| KEY_USAGES.iter().find(|(name, _)| name == usage).map(|(_, bit)| *bit);
    let bits = usages.iter().filter_map(bit).fold(0_u16, |bits, bit| bits | 1 << (15 - bit));
    let bytes = bits.to_be_bytes();
    let used = if bytes[1] == 0 { &bytes[..1] } else { &bytes[..] };
    let unused = u8::try_from(used.last()?.trailing_zeros()).ok()?;
    (bits != 0).then(|| [&[unused], used].concat())
}

/// The object identifier of a usage that is a purpose.
fn purpose(usage: &str) -> Option<Vec<u8>> {
    let of_internet = |last: u8| vec![0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, last];
    let identifier = match usage {
        "any" => vec![0x55, 0x1d, 0x25, 0x00],
        "server auth" => of_internet(1),
        "client auth" => of_internet(2),
        "code signing" => of_internet(3),
        "email protection" | "s/mime" => of_internet(4),
        "ipsec end system" => of_internet(5),
        "ipsec tunnel" => of_internet(6),
        "ipsec user" => of_internet(7),
        "timestamping" => of_internet(8),
        "ocsp signing" => of_internet(9),
        _ => return None,
    };
    Some(element(OBJECT, &[&identifier]))
}

/// A number that no other certificate has: positive, and never with a zero to begin with.
fn serial() -> Vec<u8> {
    let mut bytes = uuid::Uuid::new_v4().into_bytes().to_vec();
    bytes[0] = bytes[0] & 0x7f | 0x40;
    bytes
}

fn time(second: i64) -> Vec<u8> {
    let moment = Timestamp::from_second(second).unwrap_or_default();
    let text = moment.strftime("%Y%m%d%H%M%SZ").to_string();
    match text.get(..4) {
        // Of these years two digits are written.
        Some(year) if ("1950".."2050").contains(&year) => element(0x17, &[&text.as_bytes()[2..]]),
        _ => element(0x18, &[text.as_bytes()]),
    }
}

/// An element of DER, whose content is these parts.
fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let digits: Vec<u8> = length.to_be_bytes().into_iter().skip_while(|digit| *digit == 0).collect();
    let mut der = vec![tag];
    match u8::try_from(length) {
        Ok(short) if short < 0x80 => der.push(short),
        _ => der.extend([&[0x80 | u8::try_from(digits.len()).unwrap_or(8)], &digits[..]].concat()),
    }
    parts.iter().for_each(|part| der.extend_from_slice(part));
    der
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    element(0x30, parts)
}

fn pem(der: Vec<u8>) -> String {
    let lines = EncodeConfig::new().set_line_ending(LineEnding::LF);
    pem::encode_config(&Pem::new("CERTIFICATE", der), lines)
}

/// The usages that are about the key itself, with the number of their bit.
const KEY_USAGES: [(&str, u8); 10] = [
    ("signing", 0),
    ("digital signature", 0),
    ("content commitment", 1),
    ("key encipherment", 2),
    ("data encipherment", 3),
    ("key agreement", 4),
    ("cert sign", 5),
    ("crl sign", 6),
    ("encipher only", 7),
    ("decipher only", 8),
];

/// How the authority signs: its key is of P-256.
const ECDSA_WITH_SHA256: &[u8] = &[0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];

/// Says of an extension that whoever does not know it must not go on.
const CRITICAL: &[u8] = &[0x01, 0x01, 0xff];

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTETS: u8 = 0x04;
const OBJECT: u8 = 0x06;

/// kube-controller-manager's, as those below: a year at most, five minutes earlier, and eight hours are not long.
const SECONDS_MAX: i64 = 365 * 24 * 60 * 60;
const BACKDATED_SECONDS: i64 = 5 * 60;
const SHORT_SECONDS: i64 = 8 * 60 * 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_certificate_lives_its_whole_time_and_none_outlives_its_authority() {
        let (now, far) = (Timestamp::from_second(1_000_000).unwrap(), Timestamp::from_second(100_000_000).unwrap());
        assert_eq!(validity(now, Some(600), far), (999_700, 1_000_600));
        assert_eq!(validity(now, Some(32_400), far), (999_700, 1_032_100));
        assert_eq!(validity(now, None, far), (999_700, 999_700 + SECONDS_MAX));
        let soon = Timestamp::from_second(1_000_100).unwrap();
        assert_eq!(validity(now, Some(600), soon), (999_700, 1_000_100));
    }

    #[test]
    fn usages_become_as_many_bits_as_they_need() {
        assert_eq!(key_usages(&["client auth"]), None);
        assert_eq!(key_usages(&["digital signature", "key encipherment"]), Some(vec![5, 0b1010_0000]));
        assert_eq!(key_usages(&["decipher only"]), Some(vec![7, 0, 0b1000_0000]));
    }

    #[test]
    fn lengths_take_as_many_bytes_as_they_need() {
        for (length, head) in
            [(0, vec![4, 0]), (127, vec![4, 127]), (128, vec![4, 0x81, 128]), (300, vec![4, 0x82, 1, 44])]
        {
            let der = element(4, &[&vec![7; length]]);
            assert_eq!(der[..head.len()], head);
            assert_eq!(der.len(), head.len() + length);
        }
        assert_eq!(time(0), element(0x17, &[b"700101000000Z"]));
        assert_eq!(time(4_102_444_800), element(0x18, &[b"21000101000000Z"]));
    }
}
