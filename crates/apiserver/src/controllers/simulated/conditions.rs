//! Conditions in the status of an object.

use serde_json::{Value, json};

use crate::codec::object::Object;

/// A condition of an object.
pub(super) fn find<'a>(object: &'a Object, kind: &str) -> Option<&'a Value> {
    object.items_at("/status/conditions").find(|condition| condition["type"] == kind)
}

pub(super) fn is_true(object: &Object, kind: &str) -> bool {
    find(object, kind).is_some_and(|condition| condition["status"] == "True")
}

/// A condition with the time at which it came to its status. One that is as it was stays as it was.
pub(super) fn made(object: &Object, kind: &str, status: &str, reason: &str, message: &str, now: &str) -> Value {
    let known = find(object, kind);
    if let Some(known) = known.filter(|it| it["status"] == status && it["reason"] == reason && it["message"] == message)
    {
        return known.clone();
    }
    let changed = known.filter(|it| it["status"] == status).map_or(&Value::Null, |it| &it["lastTransitionTime"]);
    let changed = changed.as_str().unwrap_or(now);
    json!({"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": changed})
}

/// The same, with the time at which it was written last, as Deployments have it.
pub(super) fn dated(object: &Object, kind: &str, status: &str, reason: &str, message: &str, now: &str) -> Value {
    let mut condition = made(object, kind, status, reason, message, now);
    if condition.get("lastUpdateTime").is_none() {
        condition["lastUpdateTime"] = now.into();
    }
    condition
}

/// Puts a condition in the place of the one of its type.
pub(super) fn put(conditions: &mut Vec<Value>, condition: Value) {
    match conditions.iter_mut().find(|known| known["type"] == condition["type"]) {
        Some(known) => *known = condition,
        None => conditions.push(condition),
    }
}
