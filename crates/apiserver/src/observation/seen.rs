//! One request as it is watched: what it says of itself, and what became of it.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::Stream;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, Method, Response};
use serde_json::Value;
use tokio::time::Instant;

use super::metrics::Series;
use super::{LOG_TARGET, Observation, is_logged};
use crate::authorization::attributes::{Attributes, Requested};
use crate::authorization::decision::Decision;
use crate::request::path_prefix::PathPrefix;
use crate::request::user::User;
use crate::response::body::{Body, Interrupted, Pieces};

/// Where a request came from; among its extensions, if it came over a socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceAddress(pub(crate) IpAddr);

/// A request that is watched.
pub(crate) struct Seen {
    observation: Arc<Observation>,
    began: Instant,
    /// When it came, as audit events have it.
    pub(super) received: String,
    pub(super) audit_id: String,
    pub(super) method: Method,
    /// Path and query.
    pub(super) uri: String,
    pub(super) user: Arc<User>,
    pub(super) source: Option<IpAddr>,
    pub(super) user_agent: String,
    /// `None` where the path begins as that of a resource does and names none.
    pub(super) attributes: Option<Attributes>,
    /// The version in its path.
    pub(super) version: String,
    pub(super) is_apply: bool,
    found: Mutex<Found>,
    series: OnceLock<Series>,
    has_ended: AtomicBool,
}

/// What became known on the way.
#[derive(Clone, Default)]
pub(super) struct Found {
    /// Whom it acts as, if as another.
    pub(super) impersonated: Option<Arc<User>>,
    pub(super) decision: Option<Decision>,
    /// The name in the body of a create.
    pub(super) name: Option<String>,
    /// The `Status` that was answered, if that was it.
    pub(super) status: Option<Value>,
    /// What admission noted.
    pub(super) annotations: Vec<(String, String)>,
}

impl Seen {
    pub(super) fn new(observation: Arc<Observation>, parts: &Parts, holder: &Arc<User>) -> Seen {
        let header = |name| text(&parts.headers, name);
        let user = parts.extensions.get::<Arc<User>>().unwrap_or(holder);
        let said = header("audit-id");
        let mut segments = parts.uri.path().trim_matches('/').split('/');
        let version = match segments.next() {
            Some("api") => segments.next(),
            Some("apis") => segments.nth(1),
            _ => None,
        };
        Seen {
            began: Instant::now(),
            received: observation.now(),
            audit_id: if said.is_empty() { uuid::Uuid::new_v4().to_string() } else { said.to_owned() },
            method: parts.method.clone(),
            uri: format!("{}{}", PathPrefix::of(parts), parts.uri.path_and_query().map_or("", PathAndQuery::as_str)),
            user: Arc::clone(user),
            source: parts.extensions.get::<SourceAddress>().map(|source| source.0),
            user_agent: header(USER_AGENT.as_str()).to_owned(),
            attributes: Attributes::of(&parts.method, &parts.uri).ok(),
            version: version.unwrap_or_default().to_owned(),
            is_apply: header(CONTENT_TYPE.as_str()).starts_with("application/apply-patch"),
            found: Mutex::default(),
            series: OnceLock::new(),
            has_ended: AtomicBool::new(false),
            observation,
        }
    }

    /// Notes whom it acts as.
    pub(crate) fn acts_as(&self, user: &Arc<User>) {
        if *user != self.user {
            self.note(|found| found.impersonated = Some(Arc::clone(user)));
        }
    }

    /// Notes whether it is allowed.
    pub(crate) fn decided(&self, decision: &Decision) {
        self.note(|found| found.decision = Some(decision.clone()));
    }

    /// Notes the name of what is to be created.
    pub(crate) fn names(&self, name: Option<String>) {
        self.note(|found| found.name = name.filter(|name| !name.is_empty()));
    }

    /// Notes that it has come to where requests are counted: what is refused before is not, as in kube-apiserver.
    pub(crate) fn counts(&self) {
        if let Some(metrics) = &self.observation.metrics
            && let Some(series) = Series::of(self)
        {
            metrics.began(&series);
            drop(self.series.set(series));
        }
    }

    /// Notes what is answered, while it is still JSON.
    pub(crate) fn answers(&self, response: &Response<Body>) {
        if self.observation.audit.is_some()
            && let Some(text) = response.body().text()
            && let Ok(value) = serde_json::from_slice::<Value>(text)
            && value["kind"] == "Status"
        {
            self.note(|found| found.status = Some(value));
        }
    }

    /// It was answered, or its connection broke; a stream is watched to its end.
    pub(crate) fn answered(
        self: Arc<Self>,
        response: Result<Response<Body>, Interrupted>,
        annotations: &[(String, String)],
    ) -> Result<Response<Body>, Interrupted> {
        self.note(|found| found.annotations = annotations.to_vec());
        let response = response.inspect_err(|_| self.ended(None))?;
        let code = response.status().as_u16();
        if !self.is_long_running() {
            self.ended(Some(code));
            return Ok(response);
        }
        if let Some(audit) = &self.observation.audit {
            audit.started(&self, &self.found(), code, &self.observation.now());
        }
        let watched = |body: Body| Body::fallible(WatchedStream { pieces: body.into_pieces(), seen: self, code });
        Ok(response.map(watched))
    }

    /// It was refused because nobody is known by its credentials. kube-apiserver writes this one event about it.
    #[cfg(feature = "serve")]
    pub(super) fn refused_unknown(&self) {
        let status = serde_json::json!({
            "metadata": {}, "status": "Failure", "message": "Unauthorized", "reason": "Unauthorized", "code": 401,
        });
        self.note(|found| found.status = Some(status));
        if let Some(audit) = &self.observation.audit {
            audit.started(self, &self.found(), 401, &self.observation.now());
        }
        self.has_ended.store(true, Ordering::Relaxed);
        self.log(Some(401));
    }

    /// Whether it has no end of its own: a watch, or a connection to a pod or node.
    pub(super) fn is_long_running(&self) -> bool {
        let Some(Attributes { verb, requested: Requested::Resource(resource) }) = &self.attributes else {
            return false;
        };
        verb == "watch" || self.is_connection(&resource.subresource)
    }

    pub(super) fn is_connection(&self, subresource: &str) -> bool {
        matches!(subresource, "log" | "exec" | "attach" | "portforward" | "proxy")
    }

    /// The end; no code means that no answer came.
    fn ended(&self, code: Option<u16>) {
        if self.has_ended.swap(true, Ordering::Relaxed) {
            return;
        }
        if let (Some(metrics), Some(series)) = (&self.observation.metrics, self.series.get()) {
            metrics.ended(series, code, self.began.elapsed());
        }
        if let (Some(audit), Some(code)) = (&self.observation.audit, code) {
            audit.completed(self, &self.found(), code, &self.observation.now());
        }
        self.log(code);
    }

    fn log(&self, code: Option<u16>) {
        if is_logged() {
            let code = code.map_or_else(|| "interrupted".to_owned(), |code| code.to_string());
            let (Seen { method, uri, user_agent, .. }, time) = (self, self.began.elapsed());
            let found = self.found();
            let user = &found.impersonated.as_ref().unwrap_or(&self.user).name;
            tracing::debug!(target: LOG_TARGET, "{method} {uri} {code} {time:.1?} user={user:?} agent={user_agent:?}");
        }
    }

    fn found(&self) -> Found {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, change: impl FnOnce(&mut Found)) {
        change(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A client that goes away takes its request along; it must not count as under way for ever.
impl Drop for Seen {
    fn drop(&mut self) {
        self.ended(None);
    }
}

/// The body of a request that goes on until its client or the server ends it.
struct WatchedStream {
    pieces: Pieces,
    seen: Arc<Seen>,
    code: u16,
}

impl Stream for WatchedStream {
    type Item = Result<Bytes, Interrupted>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.pieces.as_mut().poll_next(cx)
    }
}

impl Drop for WatchedStream {
    fn drop(&mut self) {
        self.seen.ended(Some(self.code));
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
