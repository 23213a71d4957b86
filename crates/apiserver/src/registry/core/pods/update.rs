//! What of a pod may change once it is there: its images, its deadline, more tolerations; and where it may run, while it
//! waits at a gate.

use serde_json::Value;

use crate::codec::object::Object;
use crate::registry::validation::field::Field;
use crate::response::status::FieldError;

/// Of a pod the images may change, and a few numbers; the rest is decided when it is made.
pub(super) fn errors(before: &Object, object: &Object) -> Vec<FieldError> {
    let (old, new) = (Field::of(before, "spec"), Field::of(object, "spec"));
    let names = |spec: &Field<'_>, list: &str| spec.field(list).items().count();
    for list in ["containers", "initContainers"] {
        if names(&old, list) != names(&new, list) {
            return vec![new.field(list).forbidden("pod updates may not add or remove containers")];
        }
    }
    // What waits at a gate has not been placed yet: this holds for the change that takes the last gate away, too.
    let is_gated = !old.field("schedulingGates").is_empty();
    if frozen(&old, is_gated) == frozen(&new, is_gated) {
        return tolerations(&old, &new).into_iter().collect();
    }
    vec![new.forbidden(
        "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
         `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
         `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    )]
}

/// The spec of a pod without what may change.
fn frozen(spec: &Field<'_>, is_gated: bool) -> Value {
    let mut frozen = spec.value.clone();
    for list in ["containers", "initContainers"] {
        for container in frozen.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            container["image"] = Value::Null;
        }
    }
    if let Some(fields) = frozen.as_object_mut() {
        for field in ["activeDeadlineSeconds", "tolerations", "schedulingGates"] {
            fields.remove(field);
        }
        if is_gated {
            for field in ["nodeSelector", "affinity"] {
                fields.remove(field);
            }
        }
        if fields.get("terminationGracePeriodSeconds").and_then(Value::as_i64).is_some_and(|seconds| seconds < 0) {
            fields.insert("terminationGracePeriodSeconds".to_owned(), 1.into());
        }
    }
    frozen
}

fn tolerations(old: &Field<'_>, new: &Field<'_>) -> Option<FieldError> {
    let (old, new) = (old.field("tolerations"), new.field("tolerations"));
    let is_kept = old.items().all(|toleration| {
        // Only how long it holds may change.
        let key = |value: &Value| {
            let mut value = value.clone();
            value["tolerationSeconds"] = Value::Null;
            value
        };
        new.items().any(|other| key(other.value) == key(toleration.value))
    });
    (!is_kept).then(|| new.forbidden("existing toleration can not be modified except its tolerationSeconds"))
}
