//! One ConfigMap as an API server stores it: a few keys with texts of some hundred bytes.

use serde_json::{Value, json};

use super::pod::{scramble, uid};
use super::version;

/// The JSON of ConfigMap number `index`, in a cluster of so many apps.
pub(super) fn config_map(index: usize, templates: usize) -> String {
    let app = index % templates;
    let labels = json!({"app.kubernetes.io/name": format!("app-{app}"), "app.kubernetes.io/managed-by": "Helm"});
    let metadata = format!(
        r#"{{"name":"app-{app}-settings-{index}","namespace":"team-{}","uid":"{}","resourceVersion":"{}","creationTimestamp":"2026-11-14T10:00:00Z","labels":{labels},"managedFields":{}}}"#,
        app % 12,
        uid(index as u64),
        version(0, index),
        managed_fields(),
    );
    let data = json!({
        "application.yaml": settings(app, index, 24),
        "logging.conf": settings(app, index / 7, 9),
        "region": "eu-central-1",
    });
    format!(r#"{{"metadata":{metadata},"data":{data}}}"#)
}

fn settings(app: usize, index: usize, lines: usize) -> String {
    let line = |line: usize| {
        let value = scramble((app * 1000 + line) as u64) % 100_000;
        let own = if line.is_multiple_of(8) { index } else { app };
        format!("section{}.option-{line}: {value} # set for {own}\n", line % 5)
    };
    (0..lines).map(line).collect()
}

fn managed_fields() -> Value {
    json!([{
        "manager": "helm",
        "operation": "Update",
        "apiVersion": "v1",
        "time": "2026-11-14T10:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
            "f:data": {".": {}, "f:application.yaml": {}, "f:logging.conf": {}, "f:region": {}},
            "f:metadata": {"f:labels": {".": {}, "f:app.kubernetes.io/managed-by": {}, "f:app.kubernetes.io/name": {}}},
        },
    }])
}
