//! Whether a request for a certificate is signed with the key that it is about.
//!
//! In: a request. Out: what is wrong with its signature, in the words of Go's `crypto/x509`. What is left: SHA-1, P-224, P-521 and
//! keys of RSA under 2048 bits are not verified here but taken, as kube-apiserver takes those that are right; no certificate is
//! signed for them. Without the feature `serve` there is no cryptography, and every signature is taken.

use pintle_core::certificate::{CertificateRequest, PublicKey};

/// What is wrong with the signature of a request.
pub(super) fn problem(request: &CertificateRequest<'_>) -> Option<String> {
    let algorithm = request.signature().and_then(|signature| first_identifier(signature.algorithm));
    let Some((sort, digest)) = algorithm.and_then(known) else { return Some(UNIMPLEMENTED.to_owned()) };
    if digest == Digest::Md5 {
        return Some("x509: cannot verify signature: insecure algorithm MD5-RSA".to_owned());
    }
    let (own, shown, failure) = match request.key()? {
        PublicKey::Rsa(_) => (Sort::Rsa, "*rsa.PublicKey", "crypto/rsa: verification error"),
        PublicKey::Elliptic(_) => (Sort::Ecdsa, "*ecdsa.PublicKey", "x509: ECDSA verification failure"),
        PublicKey::Ed25519 => (Sort::Ed25519, "ed25519.PublicKey", "x509: Ed25519 verification failure"),
        _ => return Some(UNIMPLEMENTED.to_owned()),
    };
    if own != sort {
        let sort = sort.name();
        let why =
            format!("x509: signature algorithm specifies an {sort} public key, but have public key of type {shown}");
        return Some(why);
    }
    (verified(request) == Verified::Wrong).then(|| failure.to_owned())
}

/// What came of verifying a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verified {
    Right,
    Wrong,
    /// There is nothing here that could say.
    Unknown,
}

/// Verifies the signature of a request.
#[cfg(feature = "serve")]
pub(crate) fn verified(request: &CertificateRequest<'_>) -> Verified {
    let Some(signature) = request.signature() else { return Verified::Wrong };
    if matches!(request.key(), Some(PublicKey::Rsa(bits)) if bits < RSA_BITS_MIN) {
        return Verified::Unknown;
    }
    let all = rustls::crypto::ring::default_provider().signature_verification_algorithms.all;
    let mut fitting = all.iter().filter(|algorithm| {
        algorithm.public_key_alg_id().as_ref() == signature.key_algorithm
            && algorithm.signature_alg_id().as_ref() == signature.algorithm
    });
    let verify = |algorithm: &&dyn rustls::pki_types::SignatureVerificationAlgorithm| {
        algorithm.verify_signature(signature.key, signature.message, signature.bytes).is_ok()
    };
    match fitting.next() {
        None => Verified::Unknown,
        Some(algorithm) if verify(algorithm) || fitting.any(verify) => Verified::Right,
        Some(_) => Verified::Wrong,
    }
}

#[cfg(not(feature = "serve"))]
fn verified(_: &CertificateRequest<'_>) -> Verified {
    Verified::Unknown
}

/// A sort of keys that sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Rsa,
    Dsa,
    Ecdsa,
    Ed25519,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Sort::Rsa => "RSA",
            Sort::Dsa => "DSA",
            Sort::Ecdsa => "ECDSA",
            Sort::Ed25519 => "Ed25519",
        }
    }
}

/// What is signed of a message, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digest {
    Md5,
    Other,
}

/// The object identifier that an algorithm begins with.
fn first_identifier(algorithm: &[u8]) -> Option<&[u8]> {
    let [OBJECT, length, rest @ ..] = algorithm else { return None };
    rest.get(..usize::from(*length))
}

/// What the identifier of an algorithm means to Go.
fn known(identifier: &[u8]) -> Option<(Sort, Digest)> {
    ALGORITHMS.iter().find(|(known, ..)| *known == identifier).map(|(_, sort, digest)| (*sort, *digest))
}

const UNIMPLEMENTED: &str = "x509: cannot verify signature: algorithm unimplemented";

/// The tag of an object identifier.
const OBJECT: u8 = 0x06;

/// What ring verifies; Go verifies keys from 1024 bits on.
#[cfg(feature = "serve")]
const RSA_BITS_MIN: usize = 2048;

/// 1.2.840.113549.1.1 with MD5, SHA-1, PSS and SHA-2; 1.2.840.10040.4.3 and 2.16.840.1.101.3.4.3.2; 1.2.840.10045.4.1 and .3.2 to
/// .3.4; 1.3.101.112.
const ALGORITHMS: [(&[u8], Sort, Digest); 13] = [
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x04], Sort::Rsa, Digest::Md5),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05], Sort::Rsa, Digest::Other),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a], Sort::Rsa, Digest::Other),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b], Sort::Rsa, Digest::Other),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0c], Sort::Rsa, Digest::Other),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0d], Sort::Rsa, Digest::Other),
    (&[0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x03], Sort::Dsa, Digest::Other),
    (&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x02], Sort::Dsa, Digest::Other),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01], Sort::Ecdsa, Digest::Other),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02], Sort::Ecdsa, Digest::Other),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x03], Sort::Ecdsa, Digest::Other),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x04], Sort::Ecdsa, Digest::Other),
    (&[0x2b, 0x65, 0x70], Sort::Ed25519, Digest::Other),
];
