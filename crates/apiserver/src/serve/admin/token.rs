//! The token of an admin path.
//!
//! It is kept as a digest, and digests are compared as a whole: how long that takes says nothing about the token.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha512};

/// What opens an admin path.
#[derive(Clone)]
pub(in super::super) struct AdminToken([u8; 64]);

impl AdminToken {
    pub(in super::super) fn new(token: &SecretString) -> AdminToken {
        AdminToken(digest(token.expose_secret()))
    }

    /// A new one, and what to show for it: 244 random bits.
    pub(in super::super) fn random() -> (AdminToken, SecretString) {
        let draw = || uuid::Uuid::new_v4().simple();
        let secret = SecretString::from(format!("{}{}", draw(), draw()));
        (AdminToken::new(&secret), secret)
    }

    /// Whether a request shows it.
    pub(super) fn is_shown_by(&self, headers: &HeaderMap) -> bool {
        let said = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (scheme, token) = said.split_once(' ').unwrap_or_default();
        let difference = digest(token).iter().zip(&self.0).fold(0, |sum, (shown, own)| sum | (shown ^ own));
        scheme.eq_ignore_ascii_case("Bearer") && difference == 0
    }
}

fn digest(token: &str) -> [u8; 64] {
    Sha512::digest(token.trim().as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_as_a_bearer_opens() {
        let (token, secret) = AdminToken::random();
        let secret = secret.expose_secret();
        for (said, opens) in [
            (format!("Bearer {secret}"), true),
            (format!("bearer {secret}"), true),
            (format!("Basic {secret}"), false),
            (format!("Bearer {}", &secret[1..]), false),
            ("Bearer ".to_owned(), false),
            (secret.to_owned(), false),
        ] {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, said.parse().unwrap())]);
            assert_eq!(token.is_shown_by(&headers), opens);
        }
        assert!(!token.is_shown_by(&HeaderMap::new()));
    }
}
