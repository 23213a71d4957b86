//! The metadata of one Secret that another object owns, as an API server sends it to a watch of metadata.

use serde_json::json;

use super::pod::uid;
use super::version;

/// What it says it is.
pub(super) const NAMES: (&str, &str) = ("meta.k8s.io/v1", "PartialObjectMetadata");

pub(super) const BYTES_AT_MOST: usize = 2 * 1024;

/// The JSON of number `index`, owned by the object of that number, which has this namespace and name.
pub(super) fn metadata(index: usize, (api_version, kind): (&str, &str), namespace: &str, owner: &str) -> String {
    let owners = json!([{
        "apiVersion": api_version, "kind": kind, "name": owner, "uid": uid(index as u64),
        "controller": true, "blockOwnerDeletion": true,
    }]);
    let labels = json!({"app.kubernetes.io/instance": owner, "app.kubernetes.io/managed-by": "bench"});
    let managed = json!([{
        "manager": "bench", "operation": "Apply", "apiVersion": "v1", "time": "2026-11-14T10:00:00Z", "fieldsType": "FieldsV1",
        "fieldsV1": {
            "f:data": {"f:password": {}, "f:username": {}},
            "f:metadata": {
                "f:labels": {"f:app.kubernetes.io/instance": {}, "f:app.kubernetes.io/managed-by": {}},
                "f:ownerReferences": {format!(r#"k:{{"uid":"{}"}}"#, uid(index as u64)): {}},
            },
        },
    }]);
    format!(
        r#"{{"metadata":{{"name":"{owner}-credentials","namespace":"{namespace}","uid":"{}","resourceVersion":"{}","creationTimestamp":"2026-11-14T10:00:00Z","labels":{labels},"ownerReferences":{owners},"managedFields":{managed}}}}}"#,
        uid(SECRETS + index as u64),
        version(0, index),
    )
}

/// Past the numbers of all other objects.
const SECRETS: u64 = 1 << 40;
