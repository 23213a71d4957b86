//! Events that controllers report, so that `kubectl describe` shows what they did.
//!
//! In: what happened to which object. Out: an Event of core/v1; what happens again is the same event with a higher count.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::controller_revisions::fnv;
use super::view::printed;
use crate::codec::object::Object;

/// What happened to an object.
#[derive(Debug)]
pub(super) struct Event {
    about: Value,
    of_type: &'static str,
    reason: String,
    message: String,
}

impl Event {
    pub(super) fn new(about: &Object, of_type: &'static str, reason: &str, message: String) -> Event {
        let mut reference = json!({
            "apiVersion": about.text("apiVersion"),
            "kind": about.text("kind"),
            "name": about.name(),
            "uid": about.meta("uid"),
            "resourceVersion": about.meta("resourceVersion"),
        });
        if !about.meta("namespace").is_empty() {
            reference["namespace"] = about.meta("namespace").into();
        }
        Event { about: reference, of_type, reason: reason.to_owned(), message }
    }

    /// Events of what is in no namespace are in `default`.
    pub(super) fn namespace(&self) -> String {
        self.about["namespace"].as_str().unwrap_or("default").to_owned()
    }

    /// The same name for the same event.
    pub(super) fn name(&self, component: &str) -> String {
        let name = self.about["name"].as_str().unwrap_or_default();
        let uid = self.about["uid"].as_str().unwrap_or_default();
        let hash = fnv(&[uid, self.of_type, &self.reason, &self.message, component].join("\n"));
        format!("{name}.{hash:016x}")
    }

    pub(super) fn body(&self, component: &str, now: Timestamp) -> Value {
        json!({
            "metadata": {"name": self.name(component), "namespace": self.namespace()},
            "involvedObject": self.about,
            "type": self.of_type,
            "reason": self.reason,
            "message": self.message,
            "source": {"component": component},
            "reportingComponent": component,
            "reportingInstance": "",
            "firstTimestamp": printed(now),
            "lastTimestamp": printed(now),
            "count": 1,
        })
    }

    pub(super) fn counted_again(&self, known: Object, now: Timestamp) -> Value {
        let count = known.get("count").and_then(Value::as_i64).unwrap_or(1);
        let mut body = known.into_value();
        body["count"] = (count + 1).into();
        body["lastTimestamp"] = printed(now).into();
        body
    }
}
