//! The audit log: events of `audit.k8s.io/v1` at the level Metadata, one JSON object on a line, as kube-apiserver writes them
//! to `--audit-log-path`.
//!
//! In: requests at three stages. Out: lines. What cannot be written is logged once, and the requests go on.

use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

use super::seen::{Found, Seen};
use crate::authorization::attributes::{Attributes, Requested};

/// Where events go.
pub(crate) struct AuditLog {
    sink: Mutex<Box<dyn Write + Send>>,
    has_failed: AtomicBool,
}

impl AuditLog {
    pub(crate) fn new(sink: impl Write + Send + 'static) -> AuditLog {
        AuditLog { sink: Mutex::new(Box::new(sink)), has_failed: AtomicBool::new(false) }
    }

    /// A request has come.
    pub(super) fn received(&self, seen: &Seen, now: &str) {
        self.write(seen, "RequestReceived", &Found::default(), None, now);
    }

    /// The answer has begun, and goes on.
    pub(super) fn started(&self, seen: &Seen, found: &Found, code: u16, now: &str) {
        self.write(seen, "ResponseStarted", found, Some(code), now);
    }

    /// The answer is complete.
    pub(super) fn completed(&self, seen: &Seen, found: &Found, code: u16, now: &str) {
        self.write(seen, "ResponseComplete", found, Some(code), now);
    }

    fn write(&self, seen: &Seen, stage: &str, found: &Found, code: Option<u16>, now: &str) {
        let line = format!("{}\n", event(seen, stage, found, code, now));
        let written = self.sink.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        if let Err(error) = written
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            tracing::warn!("the audit log cannot be written: {error}");
        }
    }
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuditLog")
    }
}

fn event(seen: &Seen, stage: &str, found: &Found, code: Option<u16>, now: &str) -> Value {
    let mut event = Map::new();
    let mut put = |field: &str, value: Value| drop(event.insert(field.to_owned(), value));
    put("kind", "Event".into());
    put("apiVersion", "audit.k8s.io/v1".into());
    put("level", "Metadata".into());
    put("auditID", seen.audit_id.as_str().into());
    put("stage", stage.into());
    put("requestURI", seen.uri.as_str().into());
    let verb = seen.attributes.as_ref().map_or_else(|| seen.method.as_str().to_lowercase(), |it| it.verb.clone());
    put("verb", verb.into());
    put("user", if seen.user.name.is_empty() { json!({}) } else { seen.user.info() });
    if let Some(user) = &found.impersonated {
        put("impersonatedUser", user.info());
    }
    if let Some(source) = seen.source {
        put("sourceIPs", json!([source.to_string()]));
    }
    if !seen.user_agent.is_empty() {
        put("userAgent", seen.user_agent.as_str().into());
    }
    if let Some(reference) = object_reference(seen, found) {
        put("objectRef", reference);
    }
    if let Some(code) = code {
        put("responseStatus", response_status(found, code));
    }
    put("requestReceivedTimestamp", seen.received.as_str().into());
    put("stageTimestamp", now.into());
    let annotations = annotations(found);
    if !annotations.is_empty() {
        put("annotations", annotations.into());
    }
    event.into()
}

/// What the request is about, without what is empty.
fn object_reference(seen: &Seen, found: &Found) -> Option<Value> {
    let Some(Attributes { requested: Requested::Resource(resource), .. }) = &seen.attributes else {
        return None;
    };
    let name = Some(&resource.name).filter(|name| !name.is_empty()).or(found.name.as_ref());
    let fields = [
        ("resource", Some(&resource.resource)),
        ("namespace", Some(&resource.namespace)),
        ("name", name),
        ("apiGroup", Some(&resource.group)),
        ("apiVersion", Some(&seen.version)),
        ("subresource", Some(&resource.subresource)),
    ];
    let is_there = |(key, value): (&str, Option<&String>)| {
        value.filter(|value| !value.is_empty()).map(|value| (key.to_owned(), Value::from(value.as_str())))
    };
    Some(Value::Object(fields.into_iter().filter_map(is_there).collect()))
}

fn response_status(found: &Found, code: u16) -> Value {
    let mut status = json!({"metadata": {}});
    for field in ["status", "message", "reason", "details"] {
        if let Some(value) = found.status.as_ref().and_then(|status| status.get(field)) {
            status[field] = value.clone();
        }
    }
    status["code"] = code.into();
    status
}

fn annotations(found: &Found) -> Map<String, Value> {
    let mut annotations: Map<String, Value> =
        found.annotations.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
    if let Some(decision) = &found.decision {
        let decided = if decision.is_allowed { "allow" } else { "forbid" };
        annotations.insert("authorization.k8s.io/decision".to_owned(), decided.into());
        annotations.insert("authorization.k8s.io/reason".to_owned(), decision.reason.as_str().into());
    }
    annotations
}
