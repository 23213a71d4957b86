//! Values as kube-apiserver shows them in a refusal: Go's JSON, whose fields stand in the order of the Go type.

use serde_json::Value;

/// An owner reference.
pub(crate) fn owner(reference: &Value) -> String {
    ordered(reference, &["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"])
}

/// The owner references of an object.
pub(crate) fn owners(references: &[Value]) -> String {
    format!("[{}]", references.iter().map(owner).collect::<Vec<_>>().join(","))
}

/// A label selector.
pub(crate) fn selector(selector: &Value) -> String {
    ordered(selector, &["matchLabels", "matchExpressions"])
}

/// A reference to a role; its Go type has no JSON names.
pub(crate) fn role_reference(reference: &Value) -> String {
    let text = |field: &str| reference.get(field).cloned().unwrap_or_else(|| "".into()).to_string();
    format!("{{\"APIGroup\":{},\"Kind\":{},\"Name\":{}}}", text("apiGroup"), text("kind"), text("name"))
}

/// A struct with its fields in this order; those that are not there are left out.
fn ordered(value: &Value, fields: &[&str]) -> String {
    let there = fields.iter().filter_map(|field| Some((field, value.get(*field)?)));
    let printed: Vec<String> = there.map(|(field, value)| format!("\"{field}\":{value}")).collect();
    format!("{{{}}}", printed.join(","))
}
