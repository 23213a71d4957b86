//! One object of a custom kind as an API server stores it: a nested spec, a status with conditions.

use serde_json::{Value, json};

use super::pod::{scramble, uid};
use super::version;

/// The JSON of Document number `index`, in a cluster of so many apps.
pub(super) fn document(index: usize, templates: usize) -> String {
    let app = index % templates;
    let metadata = format!(
        r#"{{"name":"document-{index}","namespace":"team-{}","uid":"{}","resourceVersion":"{}","generation":3,"creationTimestamp":"2026-11-14T10:00:00Z","labels":{{"app":"app-{app}"}},"finalizers":["bench.pintle.dev/archive"],"managedFields":{}}}"#,
        app % 12,
        uid(index as u64),
        version(0, index),
        managed_fields(),
    );
    let sections: Vec<Value> = (0..6)
        .map(|number| {
            json!({
                "title": format!("Section {number} of app-{app}"),
                "body": format!("The quick brown fox number {} jumps over the lazy dog.", scramble(index as u64) % 997),
                "weight": number,
                "tags": {"language": "en", "reviewed": (number % 2 == 0).to_string()},
            })
        })
        .collect();
    let condition = |kind: &str| {
        json!({
            "type": kind,
            "status": "True",
            "reason": "AsWanted",
            "message": "everything is there",
            "lastTransitionTime": "2026-11-14T10:00:05Z",
            "observedGeneration": 3,
        })
    };
    let spec = json!({"owner": format!("team-{}", app % 12), "replicas": 1 + app % 3, "sections": sections});
    let status =
        json!({"observedGeneration": 3, "conditions": [condition("Ready"), condition("Indexed")], "words": 412});
    format!(r#"{{"metadata":{metadata},"spec":{spec},"status":{status}}}"#)
}

fn managed_fields() -> Value {
    json!([
        {
            "manager": "kubectl-client-side-apply", "operation": "Update", "apiVersion": "bench.pintle.dev/v1",
            "time": "2026-11-14T10:00:00Z", "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {".": {}, "f:owner": {}, "f:replicas": {}, "f:sections": {}}},
        },
        {
            "manager": "document-controller", "operation": "Update", "apiVersion": "bench.pintle.dev/v1",
            "time": "2026-11-14T10:00:05Z", "fieldsType": "FieldsV1", "subresource": "status",
            "fieldsV1": {"f:status": {".": {}, "f:conditions": {}, "f:observedGeneration": {}, "f:words": {}}},
        },
    ])
}
