//! What a user shows at the authenticator: a token, or a certificate and its key.

use std::fmt;

use secrecy::SecretString;

/// What a client shows to act as a user.
///
/// What a user may do is for [`Builder::rbac`](crate::Builder::rbac) to decide; who one is, a `SelfSubjectReview` answers.
#[derive(Clone)]
#[non_exhaustive]
pub enum Credential {
    /// A bearer token.
    Token(SecretString),
    /// A client certificate, whose common name is the user's and whose organizations are the groups.
    Certificate {
        /// The certificate, as PEM.
        certificate_pem: String,
        /// Its private key, as PEM.
        key_pem: SecretString,
    },
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Credential::Token(_) => "Credential::Token",
            Credential::Certificate { .. } => "Credential::Certificate",
        })
    }
}
