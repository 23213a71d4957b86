//! The public key in a certificate or a request for one: of which sort, and how strong.
//!
//! In: DER (RFC 5280, 4.1.2.7). Out: what rules about keys are about.

use super::der::element;

/// A public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PublicKey {
    /// Of so many bits.
    Rsa(usize),
    /// On the curve of this name.
    Elliptic(&'static str),
    /// On the curve of Edwards.
    Ed25519,
    /// Of another sort.
    Other,
}

impl PublicKey {
    /// The key that an algorithm and bits state, in DER; `None` for a curve that is not known.
    pub(super) fn read(der: &[u8]) -> Option<PublicKey> {
        let (_, key, _) = element(der)?;
        let (_, algorithm, rest) = element(key)?;
        let (_, bits, _) = element(rest)?;
        let (_, identifier, parameters) = element(algorithm)?;
        Some(match identifier {
            // The first byte says how many bits at the end are unused: none.
            RSA => PublicKey::Rsa(bits_of_modulus(bits.get(1..)?)?),
            ELLIPTIC => {
                let (_, curve, _) = element(parameters)?;
                PublicKey::Elliptic(CURVES.iter().find(|(identifier, _)| *identifier == curve)?.1)
            }
            ED25519 => PublicKey::Ed25519,
            _ => PublicKey::Other,
        })
    }
}

fn bits_of_modulus(key: &[u8]) -> Option<usize> {
    let (_, numbers, _) = element(key)?;
    let (_, modulus, _) = element(numbers)?;
    let leading = modulus.iter().position(|byte| *byte != 0)?;
    Some((modulus.len() - leading) * 8 - modulus[leading].leading_zeros() as usize)
}

/// 1.2.840.113549.1.1.1
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// 1.2.840.10045.2.1
const ELLIPTIC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/// 1.3.101.112
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// The curves that Go knows.
const CURVES: [(&[u8], &str); 4] = [
    (&[0x2b, 0x81, 0x04, 0x00, 0x21], "P-224"),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07], "P-256"),
    (&[0x2b, 0x81, 0x04, 0x00, 0x22], "P-384"),
    (&[0x2b, 0x81, 0x04, 0x00, 0x23], "P-521"),
];

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ED25519, SignatureAlgorithm};

    use super::super::CertificateRequest;
    use super::*;

    fn request(algorithm: &'static SignatureAlgorithm) -> Vec<u8> {
        let key = KeyPair::generate_for(algorithm).unwrap();
        CertificateParams::default().serialize_request(&key).unwrap().der().to_vec()
    }

    #[test]
    fn the_key_of_a_request_is_read() {
        for (algorithm, expected) in
            [(&PKCS_ECDSA_P256_SHA256, PublicKey::Elliptic("P-256")), (&PKCS_ED25519, PublicKey::Ed25519)]
        {
            let der = request(algorithm);
            assert_eq!(CertificateRequest::read(&der).unwrap().key(), Some(expected));
        }
    }

    #[test]
    fn the_bits_of_an_rsa_key_are_those_of_its_modulus() {
        // A sequence of two integers: a modulus of sixteen bits behind a zero, and 65537.
        let key = [0x30, 0x0a, 0x02, 0x03, 0x00, 0x80, 0x01, 0x02, 0x03, 0x01, 0x00, 0x01];
        assert_eq!(bits_of_modulus(&key), Some(16));
        assert_eq!(bits_of_modulus(&key[..4]), None);
    }
}
