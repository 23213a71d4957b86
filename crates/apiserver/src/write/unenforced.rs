//! What is stored and not acted upon yet, said to whoever stores it.

use serde_json::Value;

use crate::cluster::Subject;
use crate::object::Object;

/// What a client that writes this object should know.
pub(super) fn warnings(subject: &Subject, object: &Object) -> Vec<String> {
    let what = match (subject.kind.group.as_str(), subject.kind.plural.as_str()) {
        ("admissionregistration.k8s.io", plural) if plural.ends_with("webhookconfigurations") => {
            "admission webhooks are stored, and not called by this server yet"
        }
        ("admissionregistration.k8s.io", _) => "admission policies are stored, and not enforced by this server yet",
        ("apiextensions.k8s.io", "customresourcedefinitions") if has_rules(object.get("spec")) => {
            "x-kubernetes-validations (CEL rules) are stored, and not enforced by this server yet"
        }
        _ => return Vec::new(),
    };
    vec![what.to_owned()]
}

fn has_rules(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(fields)) => {
            fields.contains_key("x-kubernetes-validations") || fields.values().any(|value| has_rules(Some(value)))
        }
        Some(Value::Array(items)) => items.iter().any(|value| has_rules(Some(value))),
        _ => false,
    }
}
