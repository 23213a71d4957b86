//! The user of a request: named by a token or client certificate of this server, otherwise `system:anonymous`.
//!
//! In: a request and the certificate of its connection. Out: the [`User`] it is from; a token that is wrong is refused. Known
//! are tokens and certificates that were given out here, tokens of service accounts that a TokenRequest issued, and what
//! [`ServeOptions`](super::ServeOptions) adds: other tokens, and the certificates of other authorities.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Request, Response};
use hyper::body::Incoming;
use pintle_core::certificate::Certificate;
use rustls::pki_types::CertificateDer;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256, Sha512};
use tower::Service;

use crate::observation::SourceAddress;
use crate::request::drain;
use crate::request::user::User;
use crate::response;
use crate::response::body::{Body, Interrupted};
use crate::response::status::refuse;
use crate::server::Server;

use super::identity::new_token;
use super::options::Anonymous;

/// Finds the user of each request.
pub(super) struct Authenticator {
    server: Server,
    /// By digest: looking one up takes no time that says anything about a token.
    tokens: Mutex<BTreeMap<[u8; 64], User>>,
    /// Those that were given out here, by the certificate itself.
    certificates: Mutex<BTreeMap<Vec<u8>, User>>,
    anonymous: Anonymous,
}

impl Authenticator {
    pub(super) fn new(server: Server, anonymous: Anonymous) -> Authenticator {
        Authenticator { server, tokens: Mutex::default(), certificates: Mutex::default(), anonymous }
    }

    /// The server whose users these are.
    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    /// A new token for a user.
    pub(super) fn give_token(&self, user: User) -> SecretString {
        let token = new_token();
        self.know_token(&token, user);
        token
    }

    /// Takes a token for a user's from now on.
    pub(super) fn know_token(&self, token: &SecretString, user: User) {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.insert(digest(token.expose_secret()), user);
    }

    /// Takes a certificate for a user's from now on.
    pub(super) fn know_certificate(&self, certificate: &CertificateDer<'_>, user: User) {
        let mut certificates = self.certificates.lock().unwrap_or_else(PoisonError::into_inner);
        certificates.insert(certificate.to_vec(), user);
    }

    /// The user whose certificate a connection showed; TLS has verified that it is from an authority we know.
    pub(super) fn holder(&self, certificate: &CertificateDer<'_>) -> Option<User> {
        let certificates = self.certificates.lock().unwrap_or_else(PoisonError::into_inner);
        certificates.get(certificate.as_ref()).cloned().or_else(|| user_of(certificate))
    }

    /// Answers a request of a connection whose certificate, if any, is this user's.
    pub(super) async fn answer(
        &self,
        mut request: Request<Incoming>,
        holder: Option<User>,
        source: Option<SourceAddress>,
    ) -> Result<Response<Body>, Interrupted> {
        if let Some(source) = source.filter(|_| self.server.is_observed()) {
            request.extensions_mut().insert(source);
        }
        let Some(user) = self.user(request.headers(), holder) else {
            let (parts, body) = request.into_parts();
            self.server.note_unauthorized(&parts);
            drain(body).await;
            return Ok(response::refusal(&refuse(401, "Unauthorized", "Unauthorized")));
        };
        request.extensions_mut().insert(Arc::new(user));
        let (method, uri) = (request.method().clone(), request.uri().clone());
        // All requests of a connection are answered by one task: one that panics must not end the others.
        let answering = AssertUnwindSafe(self.server.clone().call(request)).catch_unwind();
        answering.await.unwrap_or_else(|_| {
            let path = uri.path();
            tracing::error!("{method} {path} made the server panic, which is a defect of Pintle; other requests go on");
            Ok(response::text(500, "This request caused apiserver to panic. Look in the logs for details.\n"))
        })
    }

    /// The user of a request over a connection whose certificate, if any, is this user's; none where it has to be refused.
    pub(super) fn user(&self, headers: &HeaderMap, holder: Option<User>) -> Option<User> {
        let is_refused = || shows_token(headers) || self.anonymous == Anonymous::Refused;
        let known = holder.or_else(|| self.bearer(headers));
        known.or_else(|| (!is_refused()).then(User::anonymous))
    }

    /// The user of a token.
    fn bearer(&self, headers: &HeaderMap) -> Option<User> {
        let said = headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = said.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("Bearer") {
            return None;
        }
        let known = self.tokens.lock().unwrap_or_else(PoisonError::into_inner).get(&digest(token)).cloned();
        known.or_else(|| self.server.account_of(token))
    }
}

/// The user that a certificate names: its common name, and its organizations as groups.
fn user_of(certificate: &CertificateDer<'_>) -> Option<User> {
    let (name, groups) = Certificate::read(certificate)?.names()?;
    let digest: String = Sha256::digest(certificate).iter().map(|byte| format!("{byte:02x}")).collect();
    Some(User::new(&name, groups).with_credential_id(&format!("X509SHA256={digest}")))
}

/// Whether a request has a token at all, be it good or not.
fn shows_token(headers: &HeaderMap) -> bool {
    let said = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split_once(' ')
        .is_some_and(|(scheme, token)| scheme.eq_ignore_ascii_case("Bearer") && !token.trim().is_empty())
}

fn digest(token: &str) -> [u8; 64] {
    Sha512::digest(token.trim().as_bytes()).into()
}
