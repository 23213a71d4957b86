//! Warnings to the client that stores a definition or configuration: which parts of it are stored but have no effect.

use serde_json::Value;

use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;

/// What a client that writes this object should know.
pub(in crate::registry) fn warnings(target: &ResolvedTarget, object: &Object) -> Vec<String> {
    let mut warnings = Vec::new();
    if target.kind.is("apiextensions.k8s.io", "customresourcedefinitions") && has_sets_of_lists(object.get("spec")) {
        let what = "x-kubernetes-list-type: set for items of type \"array\" is not supported by server-side apply or CEL \
                    validation rules";
        warnings.push(what.to_owned());
    }
    warnings.extend(unenforced(target));
    warnings
}

fn unenforced(target: &ResolvedTarget) -> Vec<String> {
    let what = match (target.kind.group.as_str(), target.kind.plural.as_str()) {
        ("admissionregistration.k8s.io", plural) if plural.ends_with("webhookconfigurations") => Vec::new(),
        ("admissionregistration.k8s.io", _) => {
            vec!["admission policies are stored, and not enforced by this server yet"]
        }
        _ => Vec::new(),
    };
    what.into_iter().map(str::to_owned).collect()
}

fn has_sets_of_lists(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(fields)) => {
            let is_set = fields.get("x-kubernetes-list-type").is_some_and(|kind| kind == "set");
            let is_of_lists =
                fields.get("items").and_then(|items| items.get("type")).is_some_and(|kind| kind == "array");
            (is_set && is_of_lists) || fields.values().any(|value| has_sets_of_lists(Some(value)))
        }
        Some(Value::Array(items)) => items.iter().any(|value| has_sets_of_lists(Some(value))),
        _ => false,
    }
}
