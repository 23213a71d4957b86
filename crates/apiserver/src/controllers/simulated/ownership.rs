//! Who controls what: what an object controls by reference, what it may adopt, and what it has to let go.
//!
//! In: an object with a selector, and a kind. Out: what it controls now, and the writes that make the references true.

use serde_json::{Value, json};

use super::plan::{Built, Plan};
use super::view::View;
use crate::codec::object::Object;
use crate::registry::subresources::selector;

/// A controller's reference to itself.
pub(super) fn reference(owner: &Object) -> Value {
    json!({
        "apiVersion": owner.text("apiVersion"),
        "kind": owner.text("kind"),
        "name": owner.name(),
        "uid": owner.meta("uid"),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// What an object controls and selects. What is selected and has no controller is adopted; what is not selected any more is
/// let go.
pub(super) fn claimed(view: &View<'_>, owner: &Object, kind: Built, plan: &mut Plan) -> Vec<Object> {
    let wanted = selector_of(owner);
    let is_selected = |object: &Object| selector::matches(&wanted, object.metadata().get("labels"));
    let mut own = Vec::new();
    for object in view.controlled(owner, kind) {
        if is_selected(&object) {
            own.push(object);
        } else if !owner.is_deleting() && !object.is_deleting() {
            plan.update(kind, &object, released(&object, owner.meta("uid")));
        }
    }
    if owner.is_deleting() {
        return own;
    }
    for orphan in view.orphans(kind, owner.meta("namespace")) {
        if is_selected(&orphan) && !super::pods::is_finished(&orphan) {
            plan.update(kind, &orphan, adopted(&orphan, owner));
        }
    }
    own
}

/// What an object selects. A ReplicationController is older than LabelSelectors and names labels alone.
fn selector_of(owner: &Object) -> Value {
    let stated = owner.at("/spec/selector").cloned().unwrap_or_default();
    if owner.text("kind") == "ReplicationController" { json!({"matchLabels": stated}) } else { stated }
}

/// The reference of an object to its controller.
pub(super) fn controller_of(object: &Object) -> Option<&Value> {
    let owners = object.metadata().get("ownerReferences").and_then(Value::as_array);
    owners.into_iter().flatten().find(|owner| owner["controller"] == true)
}

fn adopted(orphan: &Object, owner: &Object) -> Object {
    let mut adopted = orphan.clone();
    let known = orphan.metadata().get("ownerReferences").and_then(Value::as_array).cloned().unwrap_or_default();
    let references: Vec<Value> = known.into_iter().chain([reference(owner)]).collect();
    adopted.set_meta("ownerReferences", references);
    adopted
}

fn released(object: &Object, uid: &str) -> Object {
    let mut released = object.clone();
    let known = object.metadata().get("ownerReferences").and_then(Value::as_array).cloned().unwrap_or_default();
    let left: Vec<Value> = known.into_iter().filter(|owner| owner["uid"] != uid).collect();
    released.put_meta("ownerReferences", (!left.is_empty()).then(|| left.into()));
    released
}
