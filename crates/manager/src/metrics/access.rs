//! Who may see metrics: whom the cluster knows by their token and allows `get` on the path, as controller-runtime's secure
//! metrics do it.
//!
//! ```text
//!   Bearer token ──TokenReview──► user ──SubjectAccessReview──► allowed, denied
//!                 kept 1 min           kept 5 min if allowed, 30 s if not
//! ```
//! What is not certain is not kept: a review that fails is asked again. Tokens are remembered by their digest.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderMap, Method};
use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, UserInfo};
use k8s_openapi::api::authorization::v1::{NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec};
use pintle_client::Client;
use pintle_client::api::{Api, PostParams};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

/// Asks the cluster who may see metrics; clones share what was answered.
///
/// The program needs to be allowed `create` on `tokenreviews` of `authentication.k8s.io` and on `subjectaccessreviews` of
/// `authorization.k8s.io`; a scraper `get` on the nonResourceURL `/metrics`.
#[derive(Clone)]
pub struct Access {
    client: Client,
    users: Arc<Kept<[u8; 32], Option<User>>>,
    decisions: Arc<Kept<(String, String, String), bool>>,
}

/// Why a request is refused.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum Refusal {
    /// There is no token, or the cluster does not know it.
    #[error("Unauthorized")]
    Unauthenticated,
    #[error("Authentication failed")]
    AuthenticationFailed,
    #[error("Authorization denied for user {0}")]
    Denied(String),
    #[error("Authorization for user {0} failed")]
    AuthorizationFailed(String),
}

/// How long a review may take: controller-runtime's number.
const TIMEOUT: Duration = Duration::from_secs(10);
/// For how long it is known whose a token is, or that it is nobody's.
const USER_KEPT: Duration = Duration::from_secs(60);
/// For how long an allowed user stays so.
const ALLOWED_KEPT: Duration = Duration::from_secs(5 * 60);
/// For how long a denied one does: less, because somebody is about to change it.
const DENIED_KEPT: Duration = Duration::from_secs(30);
/// So many answers are kept. A cluster has a few scrapers; one that makes tokens up must not fill the memory.
const KEPT_MAX: usize = 1024;

type User = Arc<UserInfo>;

impl Access {
    /// As the cluster of `client` says.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client: client.with_timeout(TIMEOUT), users: Arc::default(), decisions: Arc::default() }
    }

    /// Whether whoever sent these headers may do `method` on `path`.
    pub(super) async fn check(&self, headers: &HeaderMap, method: &Method, path: &str) -> Result<(), Refusal> {
        let token = bearer(headers).ok_or(Refusal::Unauthenticated)?;
        let user = self.authenticate(token).await?.ok_or(Refusal::Unauthenticated)?;
        let name = user.username.clone().unwrap_or_default();
        if self.authorize(&user, method, path).await? { Ok(()) } else { Err(Refusal::Denied(name)) }
    }

    async fn authenticate(&self, token: &str) -> Result<Option<User>, Refusal> {
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        if let Some(user) = self.users.get(&digest, Instant::now()) {
            return Ok(user);
        }
        #[expect(clippy::useless_conversion, reason = "before Kubernetes 1.36 the token is an Option")]
        let spec = TokenReviewSpec { token: token.to_owned().into(), ..TokenReviewSpec::default() };
        let review = TokenReview { spec, ..TokenReview::default() };
        let reviewed =
            Api::all(self.client.clone()).create(&PostParams::default(), &review).await.map_err(|error| {
                tracing::warn!("a scraper of metrics could not be authenticated: {error}");
                Refusal::AuthenticationFailed
            })?;
        let status = reviewed.status.unwrap_or_default();
        let user = status.user.filter(|_| status.authenticated == Some(true)).map(Arc::new);
        self.users.keep(digest, user.clone(), Instant::now() + USER_KEPT);
        Ok(user)
    }

    async fn authorize(&self, user: &UserInfo, method: &Method, path: &str) -> Result<bool, Refusal> {
        let name = user.username.clone().unwrap_or_default();
        let verb = method.as_str().to_lowercase();
        // Groups and extras decide, too.
        let key = (serde_json::to_string(user).unwrap_or_default(), verb.clone(), path.to_owned());
        if let Some(is_allowed) = self.decisions.get(&key, Instant::now()) {
            return Ok(is_allowed);
        }
        let attributes = NonResourceAttributes { path: Some(path.to_owned()), verb: Some(verb) };
        let spec = SubjectAccessReviewSpec {
            non_resource_attributes: Some(attributes),
            user: user.username.clone(),
            groups: user.groups.clone(),
            uid: user.uid.clone(),
            extra: user.extra.clone(),
            ..SubjectAccessReviewSpec::default()
        };
        let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
        let reviewed =
            Api::all(self.client.clone()).create(&PostParams::default(), &review).await.map_err(|error| {
                tracing::warn!("whether {name} may see metrics could not be found out: {error}");
                Refusal::AuthorizationFailed(name)
            })?;
        let is_allowed = reviewed.status.is_some_and(|status| status.allowed);
        let kept = if is_allowed { ALLOWED_KEPT } else { DENIED_KEPT };
        self.decisions.keep(key, is_allowed, Instant::now() + kept);
        Ok(is_allowed)
    }
}

/// The token that a request carries.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    Some(token.trim()).filter(|token| scheme.eq_ignore_ascii_case("bearer") && !token.is_empty())
}

/// Answers, each until its time.
struct Kept<K, V>(Mutex<HashMap<K, (V, Instant)>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    fn get(&self, key: &K, now: Instant) -> Option<V> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(key).filter(|(_, until)| now < *until).map(|(value, _)| value.clone())
    }

    fn keep(&self, key: K, value: V, until: Instant) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MAX {
            let now = Instant::now();
            kept.retain(|_, (_, until)| now < *until);
        }
        // Somebody makes them up: asking again is better than forgetting those that are real.
        if kept.len() < KEPT_MAX {
            kept.insert(key, (value, until));
        }
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_what_follows_bearer() {
        let cases = [
            (Some("Bearer abc"), Some("abc")),
            (Some("bearer  abc "), Some("abc")),
            (Some("Basic abc"), None),
            (Some("Bearer "), None),
            (Some("Bearer"), None),
            (None, None),
        ];
        for (header, expected) in cases {
            let mut headers = HeaderMap::new();
            if let Some(header) = header {
                headers.insert(AUTHORIZATION, header.parse().unwrap());
            }
            assert_eq!(bearer(&headers), expected, "{header:?}");
        }
    }

    #[test]
    fn ten_thousand_made_up_tokens_are_not_remembered() {
        let (kept, until) = (Kept::default(), Instant::now() + Duration::from_secs(60));
        for number in 0..10_000 {
            kept.keep(number, (), until);
        }
        assert_eq!(kept.0.lock().unwrap().len(), KEPT_MAX);
        assert!(kept.get(&0, Instant::now()).is_some() && kept.get(&0, until).is_none());
    }
}
