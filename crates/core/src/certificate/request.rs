//! A request for a certificate (PKCS #10): who wants one, by which names and for which key.
//!
//! In: a request as DER (RFC 2986). Out: its parts, or `None` where they cannot be read. Whether its signature is right is for
//! those to say who have cryptography at hand: [`CertificateRequest::signature`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::der::{CONTEXT_0, element, elements, extension, whole};
use super::names;
use super::public_key::PublicKey;

/// A request for a certificate.
#[derive(Debug, Clone, Copy)]
pub struct CertificateRequest<'a> {
    /// What the signature covers.
    signed: &'a [u8],
    subject: &'a [u8],
    public_key: &'a [u8],
    /// The names by which the subject is known besides; empty where there are none.
    alternatives: &'a [u8],
    algorithm: &'a [u8],
    signature: &'a [u8],
}

/// The signature of a request.
#[derive(Debug, Clone, Copy)]
pub struct RequestSignature<'a> {
    /// What it covers.
    pub message: &'a [u8],
    /// The contents of the identifier of its algorithm.
    pub algorithm: &'a [u8],
    /// The signature itself.
    pub bytes: &'a [u8],
    /// The contents of the identifier of the key's algorithm.
    pub key_algorithm: &'a [u8],
    /// The key that it is to be verified with.
    pub key: &'a [u8],
}

/// Names by which a subject is known besides, in the order they stand there, each kind by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlternativeNames {
    /// Of hosts.
    pub dns: Vec<String>,
    /// Addresses.
    pub ip: Vec<IpAddr>,
    /// Of mailboxes.
    pub email: Vec<String>,
    /// Of anything else.
    pub uri: Vec<String>,
}

impl<'a> CertificateRequest<'a> {
    /// The parts of a request in DER.
    pub fn read(der: &'a [u8]) -> Option<CertificateRequest<'a>> {
        let (_, request, behind) = element(der)?;
        let (signed, rest) = whole(request)?;
        let (_, algorithm, rest) = element(rest)?;
        let (_, signature, more) = element(rest)?;
        // Nothing may follow.
        (behind.is_empty() && more.is_empty()).then_some(())?;
        let signature = bits(signature)?;
        let (_, version_and_more, _) = element(signed)?;
        let (_, _, rest) = element(version_and_more)?;
        let (subject, rest) = whole(rest)?;
        let (public_key, rest) = whole(rest)?;
        let alternatives = match element(rest) {
            Some((CONTEXT_0, attributes, _)) => alternatives(attributes).unwrap_or_default(),
            _ => &[],
        };
        names(subject)?;
        element(element(public_key)?.1)?;
        Some(CertificateRequest { signed, subject, public_key, alternatives, algorithm, signature })
    }

    /// The subject, in DER.
    pub fn subject(&self) -> &'a [u8] {
        self.subject
    }

    /// The key that the certificate is wanted for, in DER, with its algorithm.
    pub fn public_key(&self) -> &'a [u8] {
        self.public_key
    }

    /// Of which sort that key is; `None` for a curve that is not known.
    pub fn key(&self) -> Option<PublicKey> {
        PublicKey::read(self.public_key)
    }

    /// The common name of the subject, empty where it has none.
    pub fn common_name(&self) -> String {
        names(self.subject).and_then(|(name, _)| name).unwrap_or_default()
    }

    /// The organizations of the subject, which Kubernetes reads as groups.
    pub fn organizations(&self) -> Vec<String> {
        names(self.subject).map(|(_, organizations)| organizations).unwrap_or_default()
    }

    /// The other names as they stand there, in DER; empty where there are none.
    pub fn alternative_names_der(&self) -> &'a [u8] {
        self.alternatives
    }

    /// By which other names the subject wants to be known.
    pub fn alternative_names(&self) -> AlternativeNames {
        let mut names = AlternativeNames::default();
        let mut left = element(self.alternatives).map_or(&[][..], |(_, content, _)| content);
        while let Some((tag, content, rest)) = element(left) {
            let text = || String::from_utf8_lossy(content).into_owned();
            match tag {
                EMAIL => names.email.push(text()),
                DNS => names.dns.push(text()),
                URI => names.uri.push(text()),
                ADDRESS => names.ip.extend(address(content)),
                _ => {}
            }
            left = rest;
        }
        names
    }

    /// The signature, by which whoever asks shows that the key is theirs.
    pub fn signature(&self) -> Option<RequestSignature<'a>> {
        let (_, key_algorithm, rest) = element(element(self.public_key)?.1)?;
        let key = bits(element(rest)?.1)?;
        let (message, algorithm, bytes) = (self.signed, self.algorithm, self.signature);
        Some(RequestSignature { message, algorithm, bytes, key_algorithm, key })
    }
}

/// The names in the extensions that the attributes of a request ask for.
fn alternatives(attributes: &[u8]) -> Option<&[u8]> {
    let mut all = elements(attributes).map_while(|attribute| attribute);
    let asked = all.find(|attribute| element(attribute).is_some_and(|(_, kind, _)| kind == EXTENSION_REQUEST))?;
    let (_, _, set) = element(asked)?;
    let (_, extensions, _) = element(element(set)?.1)?;
    extension(extensions, ALTERNATIVE_NAMES)
}

/// The bytes of a string of bits that is whole.
fn bits(content: &[u8]) -> Option<&[u8]> {
    content.split_first().filter(|(unused, _)| **unused == 0).map(|(_, bytes)| bytes)
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(|bytes| IpAddr::from(Ipv4Addr::from(bytes)));
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(|bytes| IpAddr::from(Ipv6Addr::from(bytes)))).ok()
}

/// The object identifiers 1.2.840.113549.1.9.14 and 2.5.29.17.
const EXTENSION_REQUEST: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];

/// The tags of names that are looked at.
const EMAIL: u8 = 0x81;
const DNS: u8 = 0x82;
const URI: u8 = 0x86;
const ADDRESS: u8 = 0x87;

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair};

    use super::*;

    fn request() -> Vec<u8> {
        let names = ["node-1", "10.0.0.1", "::1"].map(str::to_owned).to_vec();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, "system:node:node-1");
        params.distinguished_name.push(DnType::OrganizationName, "system:nodes");
        params.serialize_request(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn who_asks_and_by_which_names_is_read() {
        let der = request();
        let request = CertificateRequest::read(&der).unwrap();
        assert_eq!(request.common_name(), "system:node:node-1");
        assert_eq!(request.organizations(), ["system:nodes"]);
        let names = request.alternative_names();
        assert_eq!(names.dns, ["node-1"]);
        assert_eq!(names.ip.iter().map(ToString::to_string).collect::<Vec<_>>(), ["10.0.0.1", "::1"]);
        assert!(names.email.is_empty() && names.uri.is_empty());
        let signature = request.signature().unwrap();
        assert_eq!(signature.key.len(), 65, "a point of P-256");
    }

    #[test]
    fn what_is_cut_off_or_garbled_is_no_reason_to_panic() {
        let der = request();
        assert!((0..der.len()).all(|end| CertificateRequest::read(&der[..end]).is_none()));
        assert!(CertificateRequest::read(&[&der[..], &[0]].concat()).is_none(), "nothing may follow");
        for at in 0..der.len() {
            let mut other = der.clone();
            other[at] ^= 0xff;
            if let Some(request) = CertificateRequest::read(&other) {
                drop((request.alternative_names(), request.organizations(), request.common_name()));
                assert!(request.signature().is_none_or(|signature| signature.message.len() < other.len()));
            }
        }
    }
}
