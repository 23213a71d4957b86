//! When credentials are asked for again.
//!
//! ```text
//!   before each request ─► fresh? ──yes──────────────► header, generation
//!                             └─no─► one asks, the others wait ─┘
//!   after a 401 ─► this generation is stale, unless it is new and never worked
//! ```
//! A file is read again each minute, what expires is asked for again shortly before. When asking fails, the last
//! credentials are used while they are valid. The client certificate is refreshed on the way.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::header::HeaderValue;
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::source::{Given, Source};
use super::{AGE_MAX, AuthError, Identity};

/// What expires is renewed this long before, so that no request arrives with a token that has just expired.
const EXPIRY_MARGIN: SignedDuration = SignedDuration::from_secs(60);

/// After a failure they are not asked for again for this long: a hundred waiting calls must not start a hundred plugins.
const FAILURE_PAUSE: Duration = Duration::from_secs(1);

/// New credentials that the server refuses from the start are not renewed for this long: the next would be as bad.
const REFUSAL_PAUSE: Duration = Duration::from_secs(10);

/// The credentials of one client.
pub(crate) struct Credentials {
    source: Option<Source>,
    identity: Option<Arc<Identity>>,
    last: Mutex<Last>,
    asking: tokio::sync::Mutex<()>,
}

/// What was given last, and how the last question failed.
#[derive(Default)]
struct Last {
    given: Option<Held>,
    failure: Option<(Instant, String)>,
    generation: u64,
}

struct Held {
    header: Option<HeaderValue>,
    expires: Option<Timestamp>,
    asked_at: Instant,
    renew_at: Option<Timestamp>,
    is_stale: bool,
    has_worked: bool,
}

/// What a request carries, and which credentials these are.
pub(in crate::client) struct Carried {
    pub(in crate::client) header: Option<HeaderValue>,
    pub(in crate::client) generation: u64,
}

impl Credentials {
    pub(crate) fn new(config: &crate::config::Config, identity: Option<Arc<Identity>>) -> Result<Self, AuthError> {
        let source = Source::of(config)?;
        Ok(Self { source, identity, last: Mutex::default(), asking: tokio::sync::Mutex::default() })
    }

    /// Whether there is anything to add to requests.
    pub(crate) fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// Gets the client certificate of a plugin now, blocking, for a TLS configuration that is used on its own.
    pub(crate) fn show_identity_blocking(&self) -> Result<(), AuthError> {
        match (&self.source, &self.identity) {
            (Some(source), Some(identity)) => source.ask_blocking(identity),
            _ => Ok(()),
        }
    }

    /// What the next request carries.
    pub(in crate::client) async fn carried(&self) -> Result<Carried, AuthError> {
        if let Some(identity) = &self.identity {
            identity.refresh(Instant::now());
        }
        let Some(source) = &self.source else {
            return Ok(Carried { header: None, generation: 0 });
        };
        if let Some(carried) = self.fresh(source) {
            return Ok(carried);
        }
        let _one_asks = self.asking.lock().await;
        if let Some(carried) = self.fresh(source) {
            return Ok(carried);
        }
        self.recently_failed()?;
        match source.ask(self.identity.as_deref()).await {
            Ok(given) => Ok(self.keep(given)),
            Err(error) => self.keep_last(error),
        }
    }

    /// Notes that the server accepted them.
    pub(in crate::client) fn accepted(&self, generation: u64) {
        let mut last = self.lock();
        if last.generation == generation
            && let Some(held) = &mut last.given
        {
            held.has_worked = true;
        }
    }

    /// Notes that the server answered 401. Whether another try will carry other credentials.
    pub(in crate::client) fn refused(&self, generation: u64) -> bool {
        let new_certificate = self.identity.as_ref().is_some_and(|identity| identity.read_again());
        if matches!(self.source, None | Some(Source::Fixed(_))) {
            return new_certificate;
        }
        let mut last = self.lock();
        if last.generation != generation {
            // Another call has renewed them meanwhile.
            return true;
        }
        let Some(held) = &mut last.given else { return true };
        held.is_stale = held.has_worked || held.asked_at.elapsed() >= REFUSAL_PAUSE;
        held.is_stale || new_certificate
    }

    fn fresh(&self, source: &Source) -> Option<Carried> {
        let last = self.lock();
        let held = last.given.as_ref().filter(|held| held.is_fresh(source, Instant::now(), Timestamp::now()))?;
        Some(Carried { header: held.header.clone(), generation: last.generation })
    }

    fn recently_failed(&self) -> Result<(), AuthError> {
        match &self.lock().failure {
            Some((at, why)) if at.elapsed() < FAILURE_PAUSE => Err(AuthError::AuthExec(format!("a moment ago: {why}"))),
            _ => Ok(()),
        }
    }

    fn keep(&self, given: Given) -> Carried {
        let mut last = self.lock();
        let is_new =
            last.given.as_ref().is_none_or(|held| held.header != given.header || held.expires != given.expires);
        if is_new {
            last.generation += 1;
        }
        last.failure = None;
        let has_worked = !is_new && last.given.as_ref().is_some_and(|held| held.has_worked && !held.is_stale);
        let held = Held::new(given, has_worked);
        let carried = Carried { header: held.header.clone(), generation: last.generation };
        last.given = Some(held);
        carried
    }

    /// The last credentials go on where they may still be valid.
    fn keep_last(&self, error: AuthError) -> Result<Carried, AuthError> {
        let mut last = self.lock();
        let generation = last.generation;
        let now = Timestamp::now();
        if let Some(held) = last.given.as_mut().filter(|held| held.expires.is_none_or(|expires| now < expires)) {
            tracing::warn!(%error, "keeping the last credentials");
            held.asked_at = Instant::now();
            held.is_stale = false;
            held.renew_at = held.renew_at.map(|_| now + SignedDuration::from_secs(1));
            return Ok(Carried { header: held.header.clone(), generation });
        }
        last.failure = Some((Instant::now(), error.to_string()));
        Err(error)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn new(given: Given, has_worked: bool) -> Self {
        let now = Timestamp::now();
        let renew_at = given.expires.map(|expires| {
            // What lives for two minutes is not renewed with every request of its second one.
            let margin = EXPIRY_MARGIN.min(expires.duration_since(now) / 4).max(SignedDuration::ZERO);
            expires.checked_sub(margin).unwrap_or(expires)
        });
        Self {
            header: given.header,
            expires: given.expires,
            asked_at: Instant::now(),
            renew_at,
            is_stale: false,
            has_worked,
        }
    }

    fn is_fresh(&self, source: &Source, now: Instant, wall: Timestamp) -> bool {
        let is_old = matches!(source, Source::File(_)) && now.saturating_duration_since(self.asked_at) >= AGE_MAX;
        !self.is_stale && !is_old && self.renew_at.is_none_or(|renew_at| wall < renew_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    async fn token(credentials: &Credentials) -> String {
        credentials.carried().await.unwrap().header.unwrap().to_str().unwrap().to_owned()
    }

    fn of_file(path: &std::path::Path) -> Credentials {
        let mut config = Config::new("https://host".parse().unwrap());
        config.auth_info.token_file = Some(path.to_str().unwrap().to_owned());
        Credentials::new(&config, None).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_file_is_read_again_after_a_minute_and_a_failed_read_keeps_the_last_token() {
        let path = std::env::temp_dir().join(format!("pintle-token-{}", std::process::id()));
        std::fs::write(&path, "one\n").unwrap();
        let credentials = of_file(&path);
        assert_eq!(token(&credentials).await, "Bearer one");
        std::fs::write(&path, "two\n").unwrap();
        tokio::time::advance(AGE_MAX / 2).await;
        assert_eq!(token(&credentials).await, "Bearer one");
        tokio::time::advance(AGE_MAX / 2).await;
        assert_eq!(token(&credentials).await, "Bearer two");
        std::fs::remove_file(&path).unwrap();
        tokio::time::advance(AGE_MAX * 3).await;
        assert_eq!(token(&credentials).await, "Bearer two");
        let mut config = Config::new("https://host".parse().unwrap());
        config.auth_info.token_file = Some(path.to_str().unwrap().to_owned());
        assert!(matches!(Credentials::new(&config, None), Err(AuthError::ReadTokenFile(..))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_renews_what_has_worked_before_and_not_what_never_did() {
        let path = std::env::temp_dir().join(format!("pintle-refused-{}", std::process::id()));
        std::fs::write(&path, "one\n").unwrap();
        let credentials = of_file(&path);
        let first = credentials.carried().await.unwrap();
        assert!(!credentials.refused(first.generation));
        credentials.accepted(first.generation);
        std::fs::write(&path, "two\n").unwrap();
        assert!(credentials.refused(first.generation));
        assert_eq!(token(&credentials).await, "Bearer two");
        // A call that still carried the first one is sent again with the second.
        assert!(credentials.refused(first.generation));
        let second = credentials.carried().await.unwrap();
        assert!(!credentials.refused(second.generation));
        tokio::time::advance(REFUSAL_PAUSE).await;
        assert!(credentials.refused(second.generation));
        std::fs::remove_file(&path).unwrap();
    }
}
