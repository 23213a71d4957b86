//! TaintNodesByCondition: no pod is scheduled to a new node before it is ready.
//!
//! In: a new Node. Out: the same with the taint that its controller takes off.

use serde_json::{Value, json};

use crate::admission::Attributes;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;

/// Taints a new node.
pub(super) fn mutate(_: &ClusterSnapshot, attributes: &Attributes<'_>, object: &mut Object) -> Answer<()> {
    if !attributes.creates("", "nodes") {
        return Ok(());
    }
    object.change_field("spec", |spec| {
        let taints = spec.entry("taints").or_insert_with(|| json!([]));
        if taints.is_null() {
            *taints = json!([]);
        }
        let Some(taints) = taints.as_array_mut() else { return };
        let is_it = |taint: &Value| taint["key"] == NOT_READY && taint["effect"] == "NoSchedule";
        if !taints.iter().any(is_it) {
            taints.push(json!({"key": NOT_READY, "effect": "NoSchedule"}));
        }
    });
    Ok(())
}

const NOT_READY: &str = "node.kubernetes.io/not-ready";
