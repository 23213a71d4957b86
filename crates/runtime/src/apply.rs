//! Server-side apply that is not sent where it would change nothing.
//!
//! ```text
//!   desired ⊆ current?  and  fields of this manager ⊆ desired?  ──yes──► nothing is sent
//!                                                               ──no───► apply
//! ```
//!
//! The first question alone would miss a field that was wanted once and is no more: applying again is what gives it up.
//! So the object must have its `metadata.managedFields`; without them everything is sent, which is right and not cheap.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use pintle_client::{Api, Error};
use pintle_core::params::{Patch, PatchParams};
use pintle_core::{Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What came of [`apply_if_changed`].
#[derive(Clone, Debug, PartialEq)]
pub enum Applied<K> {
    /// Everything was as desired, and nothing was sent.
    Unchanged,
    /// It was sent, and this is the object now.
    Sent(Box<K>),
}

/// Applies `desired` to the object `name` unless `current`, as read from a server or a store, is as desired already. `pp`
/// names the field manager, as in `PatchParams::apply("my-controller")`.
///
/// A store decodes its objects without `metadata.managedFields` unless
/// [`with_managed_fields`](crate::reflector::Writer::with_managed_fields) asked for them; then this sends every time,
/// and says so once.
///
/// # Errors
/// If `desired` cannot be written, or the server does not take it.
pub async fn apply_if_changed<K, D>(
    api: &Api<K>,
    name: &str,
    pp: &PatchParams,
    current: Option<&K>,
    desired: &D,
) -> Result<Applied<K>, Error>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug,
    D: Serialize + Debug,
{
    let desired = serde_json::to_value(desired).map_err(Error::SerdeError)?;
    if let (Some(current), Some(manager)) = (current, pp.field_manager.as_deref())
        && is_as_desired(current, &desired, manager)?
    {
        return Ok(Applied::Unchanged);
    }
    let applied = api.patch(name, pp, &Patch::Apply(&desired)).await?;
    Ok(Applied::Sent(Box::new(applied)))
}

fn is_as_desired<K: Resource + Serialize>(current: &K, desired: &Value, manager: &str) -> Result<bool, Error> {
    if current.managed_fields().is_empty() {
        mention_switch(std::any::type_name::<K>());
        return Ok(false);
    }
    let mut mine = current.managed_fields().iter().filter(|entry| {
        entry.manager.as_deref() == Some(manager)
            && entry.operation.as_deref() == Some("Apply")
            && entry.subresource.is_none()
    });
    // Fields that this manager has never applied are not its own, even where they are as it wants them.
    let Some(entry) = mine.next() else { return Ok(false) };
    let fields = entry.fields_v1.as_ref().map(|fields| &fields.0);
    if !fields.is_some_and(|fields| has_all(desired, fields)) {
        return Ok(false);
    }
    let current = serde_json::to_value(current).map_err(Error::SerdeError)?;
    Ok(is_part_of(desired, &current))
}

fn mention_switch(kind: &'static str) {
    static TOLD: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(kind) {
        tracing::warn!(
            kind,
            "apply_if_changed sends every time, because the object has no metadata.managedFields: ask for them with \
             Controller::with_managed_fields or Writer::with_managed_fields"
        );
    }
}

/// Whether everything in `desired` is so in `current`. Lists must be of one length; where they are not in one order this
/// says no, and the server finds out that nothing changes.
fn is_part_of(desired: &Value, current: &Value) -> bool {
    match (desired, current) {
        (Value::Object(desired), Value::Object(current)) => desired.iter().all(|(name, value)| {
            let known = current.get(name).unwrap_or(&Value::Null);
            is_part_of(value, known) || is_nothing(value) && is_nothing(known)
        }),
        (Value::Array(desired), Value::Array(current)) => {
            desired.len() == current.len()
                && desired.iter().zip(current).all(|(desired, current)| is_part_of(desired, current))
        }
        (desired, current) => desired == current,
    }
}

/// An empty object or list is not kept where a server leaves empty fields out.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.values().all(is_nothing),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Whether `desired` has all of `fields`, in the notation of `managedFields`: `f:` a field, `k:` the item with these
/// keys, `v:` the item with this value, `.` the thing itself.
fn has_all(desired: &Value, fields: &Value) -> bool {
    let Value::Object(fields) = fields else { return true };
    fields.iter().all(|(path, below)| match find(desired, path) {
        Found::Itself => true,
        Found::There(value) => has_all(value, below),
        Found::Missing => false,
    })
}

enum Found<'a> {
    Itself,
    There(&'a Value),
    Missing,
}

fn find<'a>(value: &'a Value, path: &str) -> Found<'a> {
    let found = match path.split_once(':') {
        None => return Found::Itself,
        Some(("f", name)) => value.get(name),
        Some(("k", keys)) => item_with(value, serde_json::from_str(keys).ok().as_ref()),
        Some(("v", item)) => {
            let item: Option<Value> = serde_json::from_str(item).ok();
            value.as_array().and_then(|items| items.iter().find(|it| Some(*it) == item.as_ref()))
        }
        Some(("i", index)) => index.parse::<usize>().ok().and_then(|index| value.get(index)),
        Some(_) => None,
    };
    found.map_or(Found::Missing, Found::There)
}

fn item_with<'a>(list: &'a Value, keys: Option<&Map<String, Value>>) -> Option<&'a Value> {
    let keys = keys?;
    // A key that is left out has its default, which only the server knows; then this says no, and it is sent.
    list.as_array()?.iter().find(|item| keys.iter().all(|(name, value)| item.get(name) == Some(value)))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Service;
    use serde_json::json;

    use super::*;

    fn current(fields: &Value) -> Service {
        serde_json::from_value(json!({
            "metadata": {"name": "a", "labels": {"app": "a", "other": "b"}, "managedFields": [
                {"manager": "someone", "operation": "Apply", "fieldsV1": {"f:metadata": {"f:labels": {"f:other": {}}}}},
                {"manager": "me", "operation": "Apply", "fieldsV1": fields},
            ]},
            "spec": {"ports": [{"port": 80, "protocol": "TCP", "name": "http"}], "clusterIP": "10.0.0.1"},
        }))
        .unwrap()
    }

    fn mine() -> Value {
        json!({
            "f:metadata": {"f:labels": {"f:app": {}}},
            "f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:name": {}, "f:port": {}}}},
        })
    }

    fn desired() -> Value {
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "labels": {"app": "a"}},
            "spec": {"ports": [{"port": 80, "protocol": "TCP", "name": "http"}]},
        })
    }

    #[test]
    fn what_is_as_desired_and_owned_is_not_sent() {
        assert!(is_as_desired(&current(&mine()), &desired(), "me").unwrap());
    }

    #[test]
    fn a_changed_field_a_field_given_up_and_a_field_of_somebody_else_are_sent() {
        let mut changed = desired();
        changed["spec"]["ports"][0]["port"] = json!(81);
        let mut given_up = desired();
        given_up["metadata"]["labels"] = json!({});
        let mut shorter = desired();
        shorter["spec"]["ports"] = json!([]);
        for desired in [changed, given_up, shorter] {
            assert!(!is_as_desired(&current(&mine()), &desired, "me").unwrap(), "{desired}");
        }
        assert!(!is_as_desired(&current(&mine()), &desired(), "a newcomer").unwrap());
    }

    #[test]
    fn without_managed_fields_everything_is_sent() {
        let mut bare = current(&mine());
        bare.metadata.managed_fields = None;
        assert!(!is_as_desired(&bare, &desired(), "me").unwrap());
    }

    #[test]
    fn values_and_indexes_of_lists_are_found() {
        let desired = json!({"finalizers": ["a", "b"], "args": ["x"]});
        assert!(has_all(&desired, &json!({"f:finalizers": {"v:\"a\"": {}}, "f:args": {"i:0": {}}})));
        assert!(!has_all(&desired, &json!({"f:finalizers": {"v:\"c\"": {}}})));
        assert!(!has_all(&desired, &json!({"f:args": {"i:1": {}}})));
    }
}
