//! The request for a certificate in `spec.request`: PEM in base64.
//!
//! In: the text of the field. Out: DER; what that says is for `pintle_core::certificate` to read.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The request in a field.
pub(crate) fn request_der(field: &str) -> Option<Vec<u8>> {
    let pem = STANDARD.decode(field).ok()?;
    first_block(&pem, "CERTIFICATE REQUEST")
}

/// The first block of a PEM text, if it is of this kind.
pub(super) fn first_block(text: impl AsRef<[u8]>, kind: &str) -> Option<Vec<u8>> {
    pem::parse(text).ok().filter(|block| block.tag() == kind).map(pem::Pem::into_contents)
}

#[cfg(test)]
mod tests {
    use pintle_core::certificate::CertificateRequest;

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
    fn a_request_of_openssl_is_read() {
        let field = |text: &str| STANDARD.encode(text);
        let der = request_der(&field(REQUEST)).unwrap();
        let request = CertificateRequest::read(&der).unwrap();
        assert_eq!(request.organizations(), ["system:masters"]);
        assert_eq!(request.common_name(), "joe");
        assert_eq!(request_der("nonsense"), None);
        assert_eq!(request_der(&field("nonsense")), None);
        assert_eq!(request_der(&field(&REQUEST.replace("MIHh", "M!Hh"))), None);
        assert_eq!(request_der(&field(&REQUEST.replace("CERTIFICATE REQUEST", "CERTIFICATE"))), None);
    }
}
