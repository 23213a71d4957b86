//! The scopes of a quota: which pods, or claims, it is about.
//!
//! In: a quota and an object. Out: whether all its scopes hold for the object. A quota without scopes is about everything,
//! one with scopes about nothing that has none.

use serde_json::Value;

use crate::codec::object::Object;

/// Whether an object is in all scopes of a quota.
pub(crate) fn hold(quota: &Object, plural: &str, object: &Object) -> bool {
    let plain = quota.items_at("/spec/scopes").filter_map(Value::as_str);
    let mut selected = quota.items_at("/spec/scopeSelector/matchExpressions");
    plain.into_iter().all(|scope| holds(scope, "Exists", &[], plural, object))
        && selected.all(|requirement| {
            let text = |field: &str| requirement.get(field).and_then(Value::as_str).unwrap_or_default();
            let values = requirement.get("values").and_then(Value::as_array).into_iter().flatten();
            let values: Vec<&str> = values.filter_map(Value::as_str).collect();
            holds(text("scopeName"), text("operator"), &values, plural, object)
        })
}

fn holds(scope: &str, operator: &str, values: &[&str], plural: &str, object: &Object) -> bool {
    let is_limited_in_time =
        || object.at("/spec/activeDeadlineSeconds").and_then(Value::as_i64).is_some_and(|it| it >= 0);
    let is_best_effort = || object.text_at("/status/qosClass") == "BestEffort";
    match (plural, scope) {
        ("pods", "Terminating") => is_limited_in_time(),
        ("pods", "NotTerminating") => !is_limited_in_time(),
        ("pods", "BestEffort") => is_best_effort(),
        ("pods", "NotBestEffort") => !is_best_effort(),
        ("pods", "PriorityClass") => is_selected(&["/spec/priorityClassName"], operator, values, object),
        ("pods", "CrossNamespacePodAffinity") => looks_into_other_namespaces(object),
        ("persistentvolumeclaims", "VolumeAttributesClass") => is_selected(&CLASSES, operator, values, object),
        _ => false,
    }
}

/// Whether one of the names at these places is selected.
fn is_selected(pointers: &[&str], operator: &str, values: &[&str], object: &Object) -> bool {
    let mut names = pointers.iter().map(|pointer| object.text_at(pointer)).filter(|name| !name.is_empty());
    match operator {
        "In" => names.any(|name| values.contains(&name)),
        "NotIn" => names.all(|name| !values.contains(&name)),
        "DoesNotExist" => names.next().is_none(),
        _ => names.next().is_some(),
    }
}

/// Whether a pod wants to be near or far from pods of other namespaces.
fn looks_into_other_namespaces(pod: &Object) -> bool {
    let is_wide = |term: &Value| {
        let has_names = term.get("namespaces").and_then(Value::as_array).is_some_and(|names| !names.is_empty());
        has_names || term.get("namespaceSelector").is_some_and(|selector| !selector.is_null())
    };
    ["podAffinity", "podAntiAffinity"].iter().any(|affinity| {
        let list = |when: &str| {
            pod.items_at(&format!("/spec/affinity/{affinity}/{when}DuringSchedulingIgnoredDuringExecution"))
        };
        let preferred = list("preferred").filter_map(|term| term.get("podAffinityTerm"));
        list("required").chain(preferred).any(is_wide)
    })
}

/// Where the classes of a claim's attributes stand: the one asked for, the one it has and the one it is to get.
const CLASSES: [&str; 3] = [
    "/spec/volumeAttributesClassName",
    "/status/currentVolumeAttributesClassName",
    "/status/modifyVolumeStatus/targetVolumeAttributesClassName",
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_scope_is_of_some_pods_and_of_nothing_else() {
        let pod = |spec: Value, quality: &str| json!({"metadata": {}, "spec": spec, "status": {"qosClass": quality}});
        let check = |quota: Value, plural: &str, object: Value| {
            let quota = Object::from_value(json!({"metadata": {}, "spec": quota})).unwrap();
            hold(&quota, plural, &Object::from_value(object).unwrap())
        };
        let select = |operator: &str| json!({"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": operator, "values": ["a"]}]}});
        let (short, long) = (json!({"activeDeadlineSeconds": 5}), json!({"priorityClassName": "a"}));
        assert!(check(json!({"scopes": ["Terminating", "BestEffort"]}), "pods", pod(short.clone(), "BestEffort")));
        assert!(!check(json!({"scopes": ["Terminating", "BestEffort"]}), "pods", pod(long.clone(), "BestEffort")));
        assert!(!check(json!({"scopes": ["NotBestEffort"]}), "pods", pod(long.clone(), "BestEffort")));
        assert!(
            check(select("In"), "pods", pod(long.clone(), "")) && !check(select("In"), "pods", pod(short.clone(), ""))
        );
        assert!(
            check(select("NotIn"), "pods", pod(short.clone(), ""))
                && check(select("DoesNotExist"), "pods", pod(short, ""))
        );
        assert!(check(select("Exists"), "pods", pod(long, "")));
        assert!(check(json!({}), "configmaps", json!({"metadata": {}})), "no scope, no question");
        assert!(!check(json!({"scopes": ["BestEffort"]}), "configmaps", json!({"metadata": {}})));
        let far = json!({"affinity": {"podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [{"namespaces": ["other"], "topologyKey": "k"}]}}});
        assert!(check(json!({"scopes": ["CrossNamespacePodAffinity"]}), "pods", pod(far, "")));
    }
}
