//! The organizations in a request for a certificate (PKCS #10), which Kubernetes reads as groups.
//!
//! In: the PEM text of `spec.request`. Out: the names. Only as much DER is read as that takes; what is malformed has none,
//! and validation refuses it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The organizations of the one who asks.
pub(super) fn organizations(pem: &str) -> Vec<String> {
    read(pem).unwrap_or_default()
}

fn read(pem: &str) -> Option<Vec<String>> {
    let body = pem.split_once(BEGIN)?.1.split_once(END)?.0;
    let text: String = body.chars().filter(|character| !character.is_whitespace()).collect();
    let der = STANDARD.decode(text).ok()?;
    let request = Der(&der).next(SEQUENCE)?.0;
    let (information, _) = request.next(SEQUENCE)?;
    let (_, after_version) = information.next(INTEGER)?;
    let (mut names, _) = after_version.next(SEQUENCE)?;
    let mut organizations = Vec::new();
    while let Some((mut set, rest)) = names.next(SET) {
        while let Some((attribute, others)) = set.next(SEQUENCE) {
            organizations.extend(attribute.organization());
            set = others;
        }
        names = rest;
    }
    Some(organizations)
}

/// Bytes of DER, at the beginning of a value.
#[derive(Clone, Copy)]
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// The content of the next value, if it has this tag, and what follows it.
    fn next(self, tag: u8) -> Option<(Der<'a>, Der<'a>)> {
        let (found, content, rest) = self.any()?;
        (found == tag).then_some((Der(content), Der(rest)))
    }

    fn any(self) -> Option<(u8, &'a [u8], &'a [u8])> {
        let [tag, first, rest @ ..] = self.0 else { return None };
        let (length, rest) = if *first < LONG_LENGTH {
            (usize::from(*first), rest)
        } else {
            let (digits, rest) = rest.split_at_checked(usize::from(first - LONG_LENGTH))?;
            // More would not fit into a request, whose bytes are counted in fewer digits.
            let is_sane = digits.len() <= size_of::<u32>();
            let length = digits.iter().fold(0_usize, |length, digit| length << 8 | usize::from(*digit));
            (is_sane.then_some(length)?, rest)
        };
        let (content, rest) = rest.split_at_checked(length)?;
        Some((*tag, content, rest))
    }

    /// The text of an attribute that is an organization.
    fn organization(self) -> Option<String> {
        let (kind, value) = self.next(OBJECT_IDENTIFIER)?;
        let (_, text, _) = value.any()?;
        (kind.0 == ORGANIZATION).then(|| String::from_utf8_lossy(text).into_owned())
    }
}

const BEGIN: &str = "-----BEGIN CERTIFICATE REQUEST-----";
const END: &str = "-----END CERTIFICATE REQUEST-----";

const INTEGER: u8 = 0x02;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;

/// From here on a length says how many bytes it has.
const LONG_LENGTH: u8 = 0x80;

/// 2.5.4.10
const ORGANIZATION: [u8; 3] = [0x55, 0x04, 0x0a];

#[cfg(test)]
mod tests {
    use super::*;

    /// A request of `O=system:masters, CN=joe`, as openssl writes it.
    const REQUEST: &str = "-----BEGIN CERTIFICATE REQUEST-----
MIHhMIGJAgEAMCcxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQwwCgYDVQQDDANq
b2UwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATVLDOezLNmpI0stmtlCVO88zS/
IVMcR1ghUQtPz/C3I3UWL/YpcRRVfwGiWfdfIIQ/lo2hezye4s0HPtJ8tT0ZoAAw
CgYIKoZIzj0EAwIDRwAwRAIgT0sfaaEewQk354xIcnYvUm6iyunFnwt9IupZen/i
acQCIEdaaWESFCQ3cxST4BD4v+oupTTUpmUiKrvwKmkYDk1p
-----END CERTIFICATE REQUEST-----
";

    #[test]
    fn organizations_are_read_and_nothing_breaks_on_less() {
        assert_eq!(organizations(REQUEST), ["system:masters"]);
        let body = REQUEST.split_once('\n').unwrap().1.split_once("\n---").unwrap().0.replace('\n', "");
        let der = STANDARD.decode(body).unwrap();
        for end in 0..der.len() {
            let cut = format!("{BEGIN}\n{}\n{END}\n", STANDARD.encode(&der[..end]));
            assert!(organizations(&cut).is_empty(), "{end}");
        }
        for at in 0..der.len() {
            let mut other = der.clone();
            other[at] ^= 0xff;
            organizations(&format!("{BEGIN}\n{}\n{END}\n", STANDARD.encode(&other)));
        }
        assert!(organizations("").is_empty() && organizations("nonsense").is_empty());
    }
}
