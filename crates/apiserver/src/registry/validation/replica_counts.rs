//! What controllers report: numbers of replicas that can be true together.

use super::field::Field;
use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::response::status::FieldError;

/// What is wrong with the status of an object that was reported by its own path.
pub(super) fn errors(kind: &Kind, object: &Object) -> Vec<FieldError> {
    let status = Field::of(object, "status");
    match (kind.group.as_str(), kind.plural.as_str()) {
        ("apps", "deployments") => {
            replicas(&status, DEPLOYMENT, &["updatedReplicas", "readyReplicas", "availableReplicas"])
        }
        ("apps", "replicasets") => {
            replicas(&status, REPLICA_SET, &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"])
        }
        ("apps", "statefulsets") => replicas(
            &status,
            STATEFUL_SET,
            &["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
        ),
        ("apps", "daemonsets") => not_negative(&status, DAEMON_SET),
        _ => Vec::new(),
    }
}

/// None is below zero, and no part is greater than the whole.
fn replicas(status: &Field<'_>, counts: &[&str], parts: &[&str]) -> Vec<FieldError> {
    let number = |field: &str| status.field(field).value.as_i64().unwrap_or_default();
    let too_many = |field: &str, of: &str| {
        let why = format!("cannot be greater than {of}");
        FieldError::invalid(&format!("{}.{field}", status.path), &number(field).to_string(), &why)
    };
    let mut errors = not_negative(status, counts);
    for part in parts.iter().filter(|part| number(part) > number("replicas")) {
        errors.push(too_many(part, "status.replicas"));
    }
    if number("availableReplicas") > number("readyReplicas") {
        errors.push(too_many("availableReplicas", "readyReplicas"));
    }
    errors
}

fn not_negative(status: &Field<'_>, counts: &[&str]) -> Vec<FieldError> {
    counts.iter().filter_map(|count| status.field(count).not_negative()).collect()
}

const DEPLOYMENT: &[&str] = &[
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "collisionCount",
];

const REPLICA_SET: &[&str] =
    &["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"];

const STATEFUL_SET: &[&str] = &[
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
];

const DAEMON_SET: &[&str] = &[
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
];
