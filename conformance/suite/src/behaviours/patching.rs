//! JSON, merge and strategic merge patches; dry runs and field validation.

use serde_json::{Value, json};

use crate::answer::version_of;
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, DEPLOYMENTS, PODS, Place, config_map, version};

use super::writing::{deployment, pod};

behaviours! {
    "1.16": a_json_patch_is_done_in_order,
        a_json_patch_with_a_failing_test_is_refused,
        a_json_patch_of_a_missing_path_is_refused,
        a_json_patch_that_is_none_is_refused,
        a_json_patch_appends_to_a_list,
        a_merge_patch_removes_with_null,
        a_merge_patch_replaces_lists,
        a_merge_patch_that_is_not_an_object_is_refused,
        a_patch_of_nothing_is_not_found,
        a_patch_cannot_rename,
        a_patch_of_another_kind_is_refused,
        an_unknown_kind_of_patch_is_415,
        a_strategic_patch_merges_containers_by_name,
        a_strategic_patch_deletes_by_directive,
        a_strategic_patch_replaces_by_directive,
        a_strategic_patch_adds_finalizers,
        a_strategic_patch_deletes_from_a_primitive_list,
        a_strategic_patch_merges_ports_by_port,
        a_strategic_patch_removes_with_null,
        a_strategic_patch_orders_elements,
        a_strategic_patch_retains_keys,
        a_strategic_patch_of_a_custom_resource_is_415,
        a_strategic_patch_replaces_atomic_lists;
    "1.17": a_dry_run_creates_nothing,
        a_dry_run_updates_nothing,
        a_dry_run_still_refuses_what_exists,
        another_dry_run_is_refused,
        strict_refuses_unknown_fields,
        strict_refuses_duplicate_fields,
        unknown_fields_are_warned_about,
        ignored_unknown_fields_are_dropped_silently,
        another_field_validation_is_refused,
        a_strict_patch_is_refused,
        duplicate_owners_are_warned_about;
}

const A: &str = "/api/v1/namespaces/{ns}/configmaps/a";

async fn a_json_patch_is_done_in_order(p: &Place) {
    p.config_map("a", json!({"x": "1", "y": "2"})).await;
    let operations = json!([
        {"op": "test", "path": "/data/x", "value": "1"},
        {"op": "replace", "path": "/data/x", "value": "3"},
        {"op": "remove", "path": "/data/y"},
        {"op": "copy", "from": "/data/x", "path": "/data/z"},
        {"op": "add", "path": "/metadata/annotations", "value": {}},
        {"op": "move", "from": "/data/x", "path": "/metadata/annotations/suite.example~1x"},
    ]);
    let patched = p.operate(A, operations).await.value(200);
    assert_eq!(patched["data"], json!({"z": "3"}));
    assert_eq!(patched["metadata"]["annotations"], json!({"suite.example/x": "3"}));
}

async fn a_json_patch_with_a_failing_test_is_refused(p: &Place) {
    p.config_map("a", json!({"x": "1"})).await;
    let answer = p.operate(A, json!([{"op": "test", "path": "/data/x", "value": "2"}])).await;
    let message = "the server rejected our request due to an error in our request";
    answer.refused(422, "Invalid", message);
}

async fn a_json_patch_of_a_missing_path_is_refused(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.operate(A, json!([{"op": "replace", "path": "/data/x/y", "value": "2"}])).await;
    answer.refused(422, "Invalid", "the server rejected our request due to an error in our request");
}

async fn a_json_patch_that_is_none_is_refused(p: &Place) {
    p.config_map("a", json!({})).await;
    p.operate(A, json!({"data": {}})).await.refused_with(400, "BadRequest", "");
}

async fn a_json_patch_appends_to_a_list(p: &Place) {
    p.config_map("a", json!({})).await;
    let operations = json!([
        {"op": "add", "path": "/metadata/finalizers", "value": ["suite.example/a"]},
        {"op": "add", "path": "/metadata/finalizers/-", "value": "suite.example/c"},
        {"op": "add", "path": "/metadata/finalizers/1", "value": "suite.example/b"},
    ]);
    let patched = p.operate(A, operations).await.value(200);
    let expected = json!(["suite.example/a", "suite.example/b", "suite.example/c"]);
    assert_eq!(patched["metadata"]["finalizers"], expected);
    p.merge(A, json!({"metadata": {"finalizers": null}})).await.value(200);
}

async fn a_merge_patch_removes_with_null(p: &Place) {
    p.config_map("a", json!({"x": "1", "y": "2"})).await;
    assert_eq!(
        p.merge(A, json!({"data": {"x": null, "z": "3"}})).await.value(200)["data"],
        json!({"y": "2", "z": "3"})
    );
}

async fn a_merge_patch_replaces_lists(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let containers = json!([{"name": "d", "image": "j"}]);
    let patch = json!({"spec": {"template": {"spec": {"containers": containers}}}});
    let patched = p.merge(&format!("{DEPLOYMENTS}/a"), patch).await.value(200);
    let containers = patched["spec"]["template"]["spec"]["containers"].as_array().cloned().unwrap_or_default();
    assert_eq!((containers.len(), &containers[0]["name"]), (1, &json!("d")));
}

async fn a_merge_patch_that_is_not_an_object_is_refused(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.merge(A, json!(["x"])).await;
    assert_eq!(answer.code, 400, "{answer}");
}

async fn a_patch_of_nothing_is_not_found(p: &Place) {
    p.merge(A, json!({"data": {"k": "v"}})).await.refused(404, "NotFound", "configmaps \"a\" not found");
}

async fn a_patch_cannot_rename(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.merge(A, json!({"metadata": {"name": "b"}})).await;
    answer.refused(400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)");
}

async fn a_patch_of_another_kind_is_refused(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.merge(A, json!({"kind": "Secret"})).await;
    assert_eq!(answer.code, 422, "{answer}");
    assert_eq!(p.get(A).await.value(200)["kind"], "ConfigMap");
}

async fn an_unknown_kind_of_patch_is_415(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.ask("PATCH", A).text("application/json", "{}").send().await;
    answer.refused(415, "UnsupportedMediaType", "415: Unsupported Media Type");
}

async fn a_strategic_patch_merges_containers_by_name(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let patch = containers(json!([{"name": "c", "image": "j"}, {"name": "d", "image": "k"}]));
    let patched = p.strategic(&format!("{DEPLOYMENTS}/a"), patch).await.value(200);
    assert_eq!(images(&patched), [("c", "j"), ("d", "k")].map(|(a, b)| (a.to_owned(), b.to_owned())));
}

async fn a_strategic_patch_deletes_by_directive(p: &Place) {
    two_containers(p).await;
    let patch = containers(json!([{"name": "c", "$patch": "delete"}]));
    let patched = p.strategic(&format!("{DEPLOYMENTS}/a"), patch).await.value(200);
    assert_eq!(images(&patched), [("d".to_owned(), "k".to_owned())]);
}

async fn a_strategic_patch_replaces_by_directive(p: &Place) {
    two_containers(p).await;
    let patch = containers(json!([{"$patch": "replace"}, {"name": "e", "image": "l"}]));
    let patched = p.strategic(&format!("{DEPLOYMENTS}/a"), patch).await.value(200);
    assert_eq!(images(&patched), [("e".to_owned(), "l".to_owned())]);
}

async fn a_strategic_patch_adds_finalizers(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["metadata"]["finalizers"] = json!(["suite.example/a"]);
    p.create(CONFIG_MAPS, object).await;
    let patched = p.strategic(A, json!({"metadata": {"finalizers": ["suite.example/b"]}})).await.value(200);
    assert_eq!(patched["metadata"]["finalizers"], json!(["suite.example/b", "suite.example/a"]));
    p.merge(A, json!({"metadata": {"finalizers": null}})).await.value(200);
}

async fn a_strategic_patch_deletes_from_a_primitive_list(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["metadata"]["finalizers"] = json!(["suite.example/a", "suite.example/b"]);
    p.create(CONFIG_MAPS, object).await;
    let patch = json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["suite.example/a"]}});
    let patched = p.strategic(A, patch).await.value(200);
    assert_eq!(patched["metadata"]["finalizers"], json!(["suite.example/b"]));
    p.merge(A, json!({"metadata": {"finalizers": null}})).await.value(200);
}

async fn a_strategic_patch_merges_ports_by_port(p: &Place) {
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"},
        "spec": {"ports": [{"name": "x", "port": 80}]}});
    p.create("/api/v1/namespaces/{ns}/services", service).await;
    let patch = json!({"spec": {"ports": [{"port": 80, "targetPort": 8080}, {"name": "y", "port": 81}]}});
    let patched = p.strategic("/api/v1/namespaces/{ns}/services/a", patch).await.value(200);
    let mut ports = patched["spec"]["ports"].as_array().cloned().unwrap_or_default();
    ports.sort_by_key(|port| port["port"].as_i64());
    assert_eq!((&ports[0]["name"], &ports[0]["targetPort"]), (&json!("x"), &json!(8080)));
    assert_eq!((&ports[1]["name"], ports.len()), (&json!("y"), 2));
}

async fn a_strategic_patch_removes_with_null(p: &Place) {
    p.config_map("a", json!({"x": "1", "y": "2"})).await;
    assert_eq!(p.strategic(A, json!({"data": {"x": null}})).await.value(200)["data"], json!({"y": "2"}));
}

async fn a_strategic_patch_orders_elements(p: &Place) {
    two_containers(p).await;
    let order = json!([{"name": "d"}, {"name": "c"}]);
    let patch = json!({"spec": {"template": {"spec": {"$setElementOrder/containers": order,
        "containers": [{"name": "c", "image": "m"}]}}}});
    let patched = p.strategic(&format!("{DEPLOYMENTS}/a"), patch).await.value(200);
    let expected = [("d", "k"), ("c", "m")].map(|(name, image)| (name.to_owned(), image.to_owned()));
    assert_eq!(images(&patched), expected);
}

async fn a_strategic_patch_retains_keys(p: &Place) {
    let patch = json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}});
    p.create(DEPLOYMENTS, deployment("a")).await;
    let patched = p.strategic(&format!("{DEPLOYMENTS}/a"), patch).await.value(200);
    assert_eq!(patched["spec"]["strategy"], json!({"type": "Recreate"}));
}

async fn a_strategic_patch_of_a_custom_resource_is_415(p: &Place) {
    p.define("Patch", json!([version("v1", json!({}))])).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/patchs";
    p.create(path, json!({"apiVersion": "{group}/v1", "kind": "Patch", "metadata": {"name": "a"}})).await;
    let answer = p.strategic(&format!("{path}/a"), json!({})).await;
    let message = "the body of the request was in an unknown format - accepted media types include: \
                   application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
    answer.refused(415, "UnsupportedMediaType", message);
}

async fn a_strategic_patch_replaces_atomic_lists(p: &Place) {
    let mut object = pod("a");
    object["spec"]["containers"][0]["args"] = json!(["x", "y"]);
    p.create(PODS, object).await;
    let patch = json!({"spec": {"tolerations": [{"key": "k", "operator": "Exists"}]}});
    let patched = p.strategic(&format!("{PODS}/a"), patch).await.value(200);
    let tolerations = patched["spec"]["tolerations"].as_array().cloned().unwrap_or_default();
    assert!(tolerations.contains(&json!({"key": "k", "operator": "Exists"})), "{tolerations:?}");
    assert_eq!(patched["spec"]["containers"][0]["args"], json!(["x", "y"]));
}

async fn a_dry_run_creates_nothing(p: &Place) {
    let answer = p.post(&format!("{CONFIG_MAPS}?dryRun=All"), config_map("a", json!({"k": "v"}))).await;
    let would = answer.value(201);
    assert!(would["metadata"]["uid"].is_string());
    assert_eq!(would["metadata"].get("resourceVersion"), None);
    assert_eq!(p.get(A).await.code, 404);
}

async fn a_dry_run_updates_nothing(p: &Place) {
    let made = p.config_map("a", json!({"k": "v"})).await;
    let would = p.merge(&format!("{A}?dryRun=All"), json!({"data": {"k": "w"}})).await.value(200);
    assert_eq!((&would["data"], version_of(&would)), (&json!({"k": "w"}), version_of(&made)));
    assert_eq!(p.get(A).await.value(200), made);
}

async fn a_dry_run_still_refuses_what_exists(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.post(&format!("{CONFIG_MAPS}?dryRun=All"), config_map("a", json!({}))).await;
    answer.refused(409, "AlreadyExists", "configmaps \"a\" already exists");
}

async fn another_dry_run_is_refused(p: &Place) {
    let answer = p.post(&format!("{CONFIG_MAPS}?dryRun=Some"), config_map("a", json!({}))).await;
    answer.refused_with(422, "Invalid", "dryRun: Unsupported value: ");
    assert_eq!(p.get(A).await.code, 404);
}

async fn strict_refuses_unknown_fields(p: &Place) {
    let mut object = deployment("a");
    object["spec"]["nonsense"] = json!(1);
    object["spec"]["template"]["spec"]["containers"][0]["more"] = json!("x");
    let answer = p.post(&format!("{DEPLOYMENTS}?fieldValidation=Strict"), object).await;
    let part = "strict decoding error: unknown field \"spec.nonsense\", unknown field \
                \"spec.template.spec.containers[0].more\"";
    answer.refused_with(400, "BadRequest", part);
}

async fn strict_refuses_duplicate_fields(p: &Place) {
    let body = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\",\"k\":\"2\"}}";
    let path = format!("{CONFIG_MAPS}?fieldValidation=Strict");
    let answer = p.ask("POST", &path).text("application/json", body).send().await;
    answer.refused_with(400, "BadRequest", "strict decoding error: duplicate field \"data.k\"");
}

async fn unknown_fields_are_warned_about(p: &Place) {
    let mut object = deployment("a");
    object["spec"]["nonsense"] = json!(1);
    let answer = p.post(DEPLOYMENTS, object).await;
    assert_eq!(answer.value(201)["spec"].get("nonsense"), None);
    assert_eq!(answer.warnings(), ["unknown field \"spec.nonsense\""]);
}

async fn ignored_unknown_fields_are_dropped_silently(p: &Place) {
    let mut object = deployment("a");
    object["spec"]["nonsense"] = json!(1);
    let answer = p.post(&format!("{DEPLOYMENTS}?fieldValidation=Ignore"), object).await;
    assert_eq!(answer.value(201)["spec"].get("nonsense"), None);
    assert_eq!(answer.warnings(), [""; 0]);
}

async fn another_field_validation_is_refused(p: &Place) {
    let answer = p.post(&format!("{CONFIG_MAPS}?fieldValidation=Loose"), config_map("a", json!({}))).await;
    answer.refused_with(422, "Invalid", "fieldValidation: Unsupported value: \"Loose\"");
}

async fn a_strict_patch_is_refused(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let path = format!("{DEPLOYMENTS}/a?fieldValidation=Strict");
    let answer = p.merge(&path, json!({"spec": {"nonsense": 1}})).await;
    let status = answer.refused_with(422, "Invalid", "strict decoding error: unknown field \"spec.nonsense\"");
    assert_eq!(status["details"]["causes"][0]["field"], "patch");
}

async fn duplicate_owners_are_warned_about(p: &Place) {
    let owner = p.config_map("o", json!({})).await;
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": owner["metadata"]["uid"]});
    let mut object = config_map("a", json!({}));
    object["metadata"]["ownerReferences"] = json!([reference, reference]);
    let answer = p.post(CONFIG_MAPS, object).await;
    assert_eq!(answer.value(201)["metadata"]["ownerReferences"], json!([reference]));
    assert_eq!(answer.warnings().len(), 1, "{:?}", answer.warnings());
    assert!(answer.warnings()[0].contains(".metadata.ownerReferences contains duplicate entries"));
}

async fn two_containers(p: &Place) {
    let mut object = deployment("a");
    object["spec"]["template"]["spec"]["containers"] =
        json!([{"name": "c", "image": "i"}, {"name": "d", "image": "k"}]);
    p.create(DEPLOYMENTS, object).await;
}

fn containers(list: Value) -> Value {
    json!({"spec": {"template": {"spec": {"containers": list}}}})
}

fn images(deployment: &Value) -> Vec<(String, String)> {
    let containers = deployment["spec"]["template"]["spec"]["containers"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    containers.iter().map(|container| (text(&container["name"]), text(&container["image"]))).collect()
}
