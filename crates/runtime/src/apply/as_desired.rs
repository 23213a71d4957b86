//! Whether an object is as desired, so that applying it would change nothing.
//!
//! ```text
//!   same apply as the last one, same version since                      ──► as desired
//!   desired ⊆ current  and  own fields (managedFields) ⊆ desired        ──► as desired
//!   no managedFields: desired ⊆ current  and  same apply as the last    ──► as desired
//!   otherwise                                                           ──► not known to be so
//! ```
//!
//! The values alone would miss a field that was wanted once and is not any more: applying again is what gives it up. Which
//! fields those are the object's `metadata.managedFields` say, or the memory of the last apply, which was the same.
//! Pure: "no" is always right, and costs a request.

use pintle_core::field_set::FieldSet;
use pintle_core::{Resource, ResourceExt};
use serde::Serialize;
use serde_json::Value;

/// Who applies, and through which path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Applier<'a> {
    pub(super) manager: &'a str,
    pub(super) subresource: Option<&'a str>,
}

/// Whether `current` is as desired. `last_version` is the version that the same apply to the same object led to.
pub(super) fn is_as_desired<K: Resource + Serialize>(
    current: &K,
    desired: &Value,
    applier: Applier<'_>,
    last_version: Option<&str>,
) -> serde_json::Result<bool> {
    if last_version.is_some() && last_version == current.meta().resource_version.as_deref() {
        return Ok(true);
    }
    let is_known = if current.managed_fields().is_empty() {
        last_version.is_some()
    } else {
        owns_nothing_else(current, desired, applier)
    };
    Ok(is_known && is_part_of(desired, &serde_json::to_value(current)?))
}

/// Whether this manager has applied before, and nothing that is not desired any more.
fn owns_nothing_else<K: Resource>(current: &K, desired: &Value, applier: Applier<'_>) -> bool {
    let mut own = current.managed_fields().iter().filter(|entry| {
        entry.manager.as_deref() == Some(applier.manager)
            && entry.operation.as_deref() == Some("Apply")
            && entry.subresource.as_deref() == applier.subresource
    });
    // Fields that this manager has never applied are not its own, even where they are as it wants them.
    let fields = own.next().and_then(|entry| entry.fields_v1.as_ref());
    // Strictly: a field that cannot be read may be one that is not desired any more. So may an item by a key that
    // `desired` leaves out, whose default only the server knows.
    fields.and_then(|fields| FieldSet::parse_strict(&fields.0).ok()).is_some_and(|own| own.is_within(desired))
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

    const ME: Applier<'_> = Applier { manager: "me", subresource: None };

    fn is_desired(current: &Service, desired: &Value, applier: Applier<'_>, last: Option<&str>) -> bool {
        is_as_desired(current, desired, applier, last).unwrap()
    }

    #[test]
    fn what_is_as_desired_and_owned_is_not_sent() {
        assert!(is_desired(&current(&mine()), &desired(), ME, None));
    }

    #[test]
    fn a_changed_field_a_field_given_up_and_a_field_of_another_manager_are_sent() {
        let mut changed = desired();
        changed["spec"]["ports"][0]["port"] = json!(81);
        let mut given_up = desired();
        given_up["metadata"]["labels"] = json!({});
        let mut shorter = desired();
        shorter["spec"]["ports"] = json!([]);
        for desired in [changed, given_up, shorter] {
            assert!(!is_desired(&current(&mine()), &desired, ME, None), "{desired}");
        }
        assert!(!is_desired(&current(&mine()), &desired(), Applier { manager: "a newcomer", ..ME }, None));
        assert!(!is_desired(&current(&mine()), &desired(), Applier { subresource: Some("status"), ..ME }, None));
    }

    #[test]
    fn without_managed_fields_the_same_apply_is_not_sent_again_while_its_values_hold() {
        let mut bare = current(&mine());
        bare.metadata.managed_fields = None;
        bare.metadata.resource_version = Some("8".into());
        assert!(!is_desired(&bare, &desired(), ME, None), "never applied");
        assert!(is_desired(&bare, &desired(), ME, Some("7")), "something else was changed");
        let mut changed = desired();
        changed["metadata"]["labels"]["app"] = json!("b");
        assert!(!is_desired(&bare, &changed, ME, Some("7")), "this was changed");
        assert!(is_desired(&bare, &changed, ME, Some("8")), "the server writes it otherwise, and it was not changed");
    }

    #[test]
    fn managed_fields_that_cannot_be_read_are_sent() {
        for unreadable in [json!({"f:metadata": 1}), json!({"f:metadata": {"z:new": {}}}), json!({"metadata": {}})] {
            assert!(!is_desired(&current(&unreadable), &desired(), ME, None), "{unreadable}");
        }
    }
}
