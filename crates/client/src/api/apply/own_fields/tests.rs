//! What one manager owns, of objects of built-in and of other kinds.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::FieldsV1;
use pintle_core::DynamicObject;

use super::*;

fn entry(manager: &str, tree: &Value) -> Value {
    json!({ "manager": manager, "operation": "Apply", "apiVersion": "apps/v1", "fieldsType": "FieldsV1", "fieldsV1": tree })
}

fn own(api_version: &str, kind: &str, mut object: Value, trees: &[Value]) -> Value {
    let mut entries: Vec<_> = trees.iter().map(|tree| entry("other", tree)).collect();
    entries[0]["manager"] = json!("me");
    for entry in &mut entries {
        entry["apiVersion"] = json!(api_version);
    }
    object["metadata"]["managedFields"] = entries.into();
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    let types = TypeMeta { api_version: api_version.into(), kind: kind.into() };
    own_fields(&object, &types, "me", None).unwrap()
}

#[test]
fn the_fields_of_one_manager_come_with_the_keys_of_its_items() {
    let object = json!({
        "metadata": { "name": "web", "namespace": "ns", "labels": { "a": "1", "b": "2" }, "uid": "u" },
        "spec": {
            "replicas": 3, "paused": false,
            "selector": { "matchLabels": { "a": "1" } },
            "template": { "spec": { "containers": [
                { "name": "side", "image": "side:1" },
                { "name": "app", "image": "app:1", "ports": [{ "containerPort": 80, "name": "http" }, { "containerPort": 81 }] },
            ], "dnsPolicy": "ClusterFirst" } },
        },
    });
    let tree = json!({
        "f:metadata": { "f:labels": { "f:a": {} } },
        "f:spec": {
            "f:replicas": {},
            "f:selector": {},
            "f:template": { "f:spec": { "f:containers": { "k:{\"name\":\"app\"}": {
                ".": {}, "f:name": {},
                "f:ports": { "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": { ".": {}, "f:name": {} } },
            } } } },
        },
    });
    let expected = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": "web", "namespace": "ns", "labels": { "a": "1" } },
        "spec": {
            "replicas": 3,
            "selector": { "matchLabels": { "a": "1" } },
            "template": { "spec": { "containers": [
                { "name": "app", "ports": [{ "containerPort": 80, "name": "http" }] },
            ] } },
        },
    });
    assert_eq!(own("apps/v1", "Deployment", object, &[tree]), expected);
}

#[test]
fn a_container_that_was_applied_empty_stays_empty_though_others_filled_it() {
    let object = json!({
        "metadata": { "name": "a" },
        "spec": { "strategy": { "type": "RollingUpdate" }, "selector": { "matchLabels": { "a": "b" } } },
    });
    let tree = json!({ "f:spec": { "f:strategy": {}, "f:selector": {} } });
    let own = own("apps/v1", "Deployment", object, &[tree]);
    assert_eq!(own["spec"], json!({ "strategy": {}, "selector": { "matchLabels": { "a": "b" } } }));
}

#[test]
fn in_a_custom_kind_a_place_is_a_container_if_a_manager_owns_a_part_of_it() {
    let object = json!({
        "metadata": { "name": "a" },
        "spec": { "whole": { "x": 1 }, "shared": { "x": 1 }, "set": ["p", "q"], "list": [{ "z": 1 }], "gone": null },
    });
    let mine = json!({ "f:spec": {
        "f:whole": {}, "f:shared": {}, "f:set": { "v:\"q\"": {} }, "f:list": {}, "f:absent": {},
    } });
    let theirs = json!({ "f:spec": { "f:shared": { "f:x": {} } } });
    let own = own("example.com/v1", "Thing", object, &[mine, theirs]);
    assert_eq!(own["spec"], json!({ "whole": { "x": 1 }, "shared": {}, "set": ["q"], "list": [{ "z": 1 }] }));
}

#[test]
fn who_has_applied_nothing_owns_nothing_and_an_object_that_does_not_say_is_an_error() {
    let types = TypeMeta { api_version: "apps/v1".into(), kind: "Deployment".into() };
    let mut object: Deployment = serde_json::from_value(json!({ "metadata": { "name": "web" } })).unwrap();
    let error = own_fields(&object, &types, "me", None).unwrap_err();
    assert!(error.to_string().starts_with("Deployment web has no managedFields"), "{error}");

    let entry: ManagedFieldsEntry = serde_json::from_value(entry("me", &json!({ "f:spec": {} }))).unwrap();
    object.metadata.managed_fields = Some(vec![entry.clone()]);
    let nothing = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" } });
    assert_eq!(own_fields(&object, &types, "you", None).unwrap(), nothing);
    assert_eq!(own_fields(&object, &types, "me", Some("status")).unwrap(), nothing);

    let older = ManagedFieldsEntry { api_version: Some("apps/v1beta1".into()), ..entry.clone() };
    object.metadata.managed_fields = Some(vec![older]);
    let error = own_fields(&object, &types, "me", None).unwrap_err();
    assert!(matches!(&error, OwnFieldsError::OtherVersion { applied, .. } if applied == "apps/v1beta1"), "{error}");

    let unreadable = ManagedFieldsEntry { fields_v1: Some(FieldsV1(json!({ "f:spec": "secret" }))), ..entry };
    object.metadata.managed_fields = Some(vec![unreadable]);
    let error = own_fields(&object, &types, "me", None).unwrap_err();
    assert!(matches!(error, OwnFieldsError::Malformed { .. }) && !error.to_string().contains("secret"), "{error}");
}
