//! What the view shows of one object, whatever its kind: metadata, and of the status what Kubernetes' conventions name.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use pintle::ResourceExt;
use pintle::api::DynamicObject;
use serde_json::Value;
use tokio::time::Instant;

/// Which object.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct ObjectKey {
    /// `documents.example.com`.
    pub(crate) kind: String,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
}

/// How it is.
#[derive(Clone, Debug)]
pub(crate) struct ObjectRow {
    pub(crate) generation: Option<i64>,
    pub(crate) phase: Option<String>,
    pub(crate) conditions: Vec<ConditionRow>,
    /// The status is about an earlier generation of the object.
    pub(crate) is_outdated: bool,
    pub(crate) created: Instant,
    pub(crate) deletion: Option<Deletion>,
}

/// It is being deleted.
#[derive(Clone, Debug)]
pub(crate) struct Deletion {
    pub(crate) since: Instant,
    pub(crate) finalizers: Vec<String>,
}

/// One condition of its status.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ConditionRow {
    pub(crate) name: String,
    pub(crate) status: String,
    pub(crate) reason: String,
}

/// A deletion that takes longer than this waits for somebody.
const STUCK_AFTER: Duration = Duration::from_secs(2);

impl ObjectKey {
    pub(crate) fn of(kind: &str, object: &DynamicObject) -> Self {
        Self { kind: kind.to_owned(), namespace: object.namespace(), name: object.name_any() }
    }

    /// `default/guide`, or the name alone where there is no namespace.
    pub(crate) fn path(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.clone(),
        }
    }
}

impl ObjectRow {
    /// `now` and `wall` are the same moment.
    pub(crate) fn of(object: &DynamicObject, now: Instant, wall: Timestamp) -> Self {
        let at = |time: &Time| now.checked_sub(age(time.0, wall)).unwrap_or(now);
        let metadata = &object.metadata;
        let status = object.data.get("status");
        Self {
            generation: metadata.generation,
            phase: status.map(|status| text(status, "phase")).filter(|phase| !phase.is_empty()),
            conditions: status.map(conditions).unwrap_or_default(),
            // A deletion counts as a change, too, and nobody writes a status for it.
            is_outdated: metadata.deletion_timestamp.is_none()
                && status.and_then(observed_generation).zip(metadata.generation).is_some_and(|(it, now)| it < now),
            created: metadata.creation_timestamp.as_ref().map_or(now, at),
            deletion: metadata
                .deletion_timestamp
                .as_ref()
                .map(|time| Deletion { since: at(time), finalizers: metadata.finalizers.clone().unwrap_or_default() }),
        }
    }

    /// Its state in a few words.
    pub(crate) fn summary(&self, now: Instant) -> String {
        if let Some(Deletion { since, finalizers }) = &self.deletion {
            let seconds = now.saturating_duration_since(*since).as_secs();
            return match finalizers.as_slice() {
                [] => format!("deleting {seconds}s"),
                finalizers => format!("deleting {seconds}s, waits for {}", finalizers.join(", ")),
            };
        }
        let outdated = self.is_outdated.then(|| "(not yet of the latest change)".to_owned());
        let conditions = self.conditions.iter().map(ConditionRow::summary);
        let words: Vec<String> = self.phase.iter().cloned().chain(conditions).chain(outdated).collect();
        match words.as_slice() {
            // Kinds without a spec, as ConfigMaps, have no status to wait for.
            [] if self.generation.is_none() => String::new(),
            [] => "no status yet".to_owned(),
            words => words.join("  "),
        }
    }

    pub(crate) fn is_trouble(&self, now: Instant) -> bool {
        let is_stuck = |deletion: &Deletion| now.saturating_duration_since(deletion.since) > STUCK_AFTER;
        self.deletion.as_ref().is_some_and(is_stuck) || self.conditions.iter().any(ConditionRow::is_trouble)
    }

    #[cfg(test)]
    pub(crate) fn blank(now: Instant) -> Self {
        Self {
            generation: Some(1),
            phase: None,
            conditions: Vec::new(),
            is_outdated: false,
            created: now,
            deletion: None,
        }
    }
}

impl ConditionRow {
    /// What holds by its name, everything else with its status and why.
    fn summary(&self) -> String {
        match (self.status.as_str(), self.reason.as_str()) {
            ("True", _) => self.name.clone(),
            (status, "") => format!("{}={status}", self.name),
            (status, reason) => format!("{}={status} ({reason})", self.name),
        }
    }

    /// Whether it says that something is wrong, by the names that controllers agree on.
    fn is_trouble(&self) -> bool {
        match self.name.as_str() {
            "Ready" | "Available" | "Established" => self.status == "False",
            "Degraded" | "Failed" | "Stalled" => self.status == "True",
            _ => false,
        }
    }
}

fn conditions(status: &Value) -> Vec<ConditionRow> {
    let list = status.get("conditions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let row = |condition: &Value| ConditionRow {
        name: text(condition, "type"),
        status: text(condition, "status"),
        reason: text(condition, "reason"),
    };
    list.iter().map(row).collect()
}

/// The earliest generation that the status or one of its conditions is about.
fn observed_generation(status: &Value) -> Option<i64> {
    let conditions = status.get("conditions").and_then(Value::as_array).into_iter().flatten();
    conditions.chain([status]).filter_map(|it| it.get("observedGeneration")?.as_i64()).min()
}

fn text(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn age(time: Timestamp, wall: Timestamp) -> Duration {
    Duration::try_from(wall.duration_since(time)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(object: Value, now: Instant) -> ObjectRow {
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        ObjectRow::of(&object, now, "2026-01-01T00:01:00Z".parse().unwrap())
    }

    #[test]
    fn a_row_shows_phase_conditions_and_age() {
        let now = Instant::now() + Duration::from_secs(3600);
        let row = row(
            json!({
                "metadata": {"name": "a", "generation": 3, "creationTimestamp": "2026-01-01T00:00:18Z"},
                "status": {"phase": "Rejected", "conditions": [
                    {"type": "Ready", "status": "False", "reason": "EmptyContent"},
                    {"type": "Stored", "status": "True", "reason": "Fine"},
                ]},
            }),
            now,
        );
        assert_eq!(row.summary(now), "Rejected  Ready=False (EmptyContent)  Stored");
        assert_eq!(now - row.created, Duration::from_secs(42));
        assert!(row.is_trouble(now));
    }

    #[test]
    fn a_status_of_an_earlier_generation_is_shown_as_such() {
        let now = Instant::now();
        let summary = |generation: i64, status: Value| {
            row(json!({"metadata": {"name": "a", "generation": generation}, "status": status}), now).summary(now)
        };
        let ready = json!({"conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2}]});
        assert_eq!(summary(2, ready.clone()), "Ready");
        assert_eq!(summary(3, ready), "Ready  (not yet of the latest change)");
        assert_eq!(summary(3, json!({"phase": "Bound", "observedGeneration": 3})), "Bound");
        assert_eq!(summary(3, json!({"phase": "Bound"})), "Bound", "it does not say");
        let deleted = json!({
            "metadata": {"name": "a", "generation": 2, "deletionTimestamp": "2026-01-01T00:00:59Z"},
            "status": {"observedGeneration": 1},
        });
        assert!(!row(deleted, now).is_outdated);
    }

    #[test]
    fn a_deletion_that_waits_for_a_finalizer_becomes_trouble() {
        let now = Instant::now() + Duration::from_secs(3600);
        let row = row(
            json!({"metadata": {
                "name": "a", "deletionTimestamp": "2026-01-01T00:00:59Z", "finalizers": ["example.com/unpublish"],
            }}),
            now,
        );
        assert_eq!(row.summary(now), "deleting 1s, waits for example.com/unpublish");
        assert!(!row.is_trouble(now), "it has only begun");
        assert!(row.is_trouble(now + Duration::from_secs(5)));
    }
}
