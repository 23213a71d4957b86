//! Which path and method mean what.

use serde_json::json;

use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, PODS, Place, config_map, version};

behaviours! {
    "1.1": a_get_of_a_collection_is_a_list,
        a_get_of_a_name_is_the_object,
        a_head_request_is_not_allowed,
        watch_on_a_named_path_is_a_plain_get,
        watch_is_asked_for_by_any_true_value,
        the_old_watch_path_is_a_watch,
        the_old_watch_path_with_a_name_watches_one_object,
        an_unknown_path_is_a_plain_404,
        an_unknown_resource_is_a_status_404,
        an_unknown_group_is_a_plain_404,
        a_verb_that_a_collection_has_not_is_405,
        a_bad_timeout_is_refused,
        a_body_over_three_mebibytes_is_refused,
        a_json_patch_of_more_than_ten_thousand_operations_is_refused,
        a_list_over_all_namespaces_holds_those_of_one,
        an_object_is_not_found_in_another_namespace,
        a_name_that_differs_from_the_selector_is_refused,
        an_update_of_a_collection_of_custom_resources_needs_a_name;
}

async fn a_get_of_a_collection_is_a_list(p: &Place) {
    let list = p.get(PODS).await.value(200);
    assert_eq!((list["kind"].as_str(), list["apiVersion"].as_str()), (Some("PodList"), Some("v1")));
    assert_eq!(list["items"], json!([]));
}

async fn a_get_of_a_name_is_the_object(p: &Place) {
    let made = p.config_map("a", json!({"k": "v"})).await;
    let got = p.get("/api/v1/namespaces/{ns}/configmaps/a").await.value(200);
    assert_eq!(got, made);
    assert_eq!((got["kind"].as_str(), got["apiVersion"].as_str()), (Some("ConfigMap"), Some("v1")));
}

async fn a_head_request_is_not_allowed(p: &Place) {
    p.config_map("a", json!({})).await;
    let head = p.ask("HEAD", "/api/v1/namespaces/{ns}/configmaps/a").send().await;
    assert_eq!((head.code, head.bytes().len()), (405, 0));
}

async fn watch_on_a_named_path_is_a_plain_get(p: &Place) {
    p.config_map("a", json!({})).await;
    let got = p.get("/api/v1/namespaces/{ns}/configmaps/a?watch=true").await.value(200);
    assert_eq!(got["kind"], "ConfigMap");
}

async fn watch_is_asked_for_by_any_true_value(p: &Place) {
    for value in ["1", "true"] {
        let path = format!("{CONFIG_MAPS}?watch={value}&resourceVersion=0&timeoutSeconds=1");
        assert_eq!(p.watch(&path).await.header("content-type"), "application/json");
    }
    let list = p.get(&format!("{CONFIG_MAPS}?watch=false")).await.value(200);
    assert_eq!(list["kind"], "ConfigMapList");
}

async fn the_old_watch_path_is_a_watch(p: &Place) {
    let mut watch = p.watch("/api/v1/watch/namespaces/{ns}/configmaps?fieldSelector=metadata.name=a").await;
    p.config_map("a", json!({})).await;
    watch.expect("ADDED", "a").await;
}

async fn the_old_watch_path_with_a_name_watches_one_object(p: &Place) {
    let mut watch = p.watch("/api/v1/watch/namespaces/{ns}/configmaps/b").await;
    p.config_map("a", json!({})).await;
    p.config_map("b", json!({})).await;
    watch.expect("ADDED", "b").await;
}

async fn an_unknown_path_is_a_plain_404(p: &Place) {
    for path in ["/nothing", "/apis/{group}/v1/things"] {
        let answer = p.get(path).await;
        assert_eq!((answer.code, answer.text().as_str()), (404, "404 page not found\n"), "{path}");
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    }
}

async fn an_unknown_resource_is_a_status_404(p: &Place) {
    for path in ["/api/v1/namespaces/{ns}/things", "/api/v9/pods", "/apis/apps/v1/things"] {
        let answer = p.get(path).await;
        let status = answer.refused(404, "NotFound", "the server could not find the requested resource");
        assert_eq!(status["details"], json!({}), "{path}");
    }
}

async fn an_unknown_group_is_a_plain_404(p: &Place) {
    let answer = p.get("/apis/nobody.example/v1/namespaces/{ns}/things/a").await;
    assert_eq!((answer.code, answer.text().as_str()), (404, "404 page not found\n"));
}

async fn a_verb_that_a_collection_has_not_is_405(p: &Place) {
    let answer = p.put(CONFIG_MAPS, config_map("a", json!({}))).await;
    answer.refused(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

async fn a_bad_timeout_is_refused(p: &Place) {
    let answer = p.get(&format!("{CONFIG_MAPS}?timeout=soon")).await;
    assert_eq!(answer.code, 400, "{answer}");
    assert!(answer.text().contains("invalid timeout specified in the request URL"), "{answer}");
}

async fn a_body_over_three_mebibytes_is_refused(p: &Place) {
    let big = "x".repeat(3 * 1024 * 1024 + 1);
    let answer = p.post(CONFIG_MAPS, config_map("a", json!({"k": big}))).await;
    let message = "Request entity too large: limit is 3145728";
    answer.refused(413, "RequestEntityTooLarge", message);
}

async fn a_json_patch_of_more_than_ten_thousand_operations_is_refused(p: &Place) {
    p.config_map("a", json!({})).await;
    let operation = json!({"op": "test", "path": "/kind", "value": "ConfigMap"});
    let operations = vec![operation; 10_001];
    let answer = p.operate("/api/v1/namespaces/{ns}/configmaps/a", json!(operations)).await;
    let part = "The allowed maximum operations in a JSON patch is 10000, got 10001";
    answer.refused_with(413, "RequestEntityTooLarge", part);
}

async fn a_list_over_all_namespaces_holds_those_of_one(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let path = "/api/v1/configmaps?fieldSelector=metadata.namespace={ns},metadata.name=a";
    let list = p.get(path).await.value(200);
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(list["items"][0]["metadata"]["uid"], made["metadata"]["uid"]);
}

async fn an_object_is_not_found_in_another_namespace(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.get("/api/v1/namespaces/kube-public/configmaps/{ns}").await;
    let status = answer.refused(404, "NotFound", "configmaps \"{ns}\" not found");
    assert_eq!(status["details"], json!({"name": p.namespace(), "kind": "configmaps"}));
}

async fn a_name_that_differs_from_the_selector_is_refused(p: &Place) {
    let answer = p.get("/api/v1/watch/namespaces/{ns}/configmaps/a?fieldSelector=metadata.name=b").await;
    let message = "fieldSelector metadata.name doesn't match requested name";
    answer.refused(400, "BadRequest", message);
}

async fn an_update_of_a_collection_of_custom_resources_needs_a_name(p: &Place) {
    p.define("Route", json!([version("v1", json!({}))])).await;
    let answer = p.put("/apis/{group}/v1/namespaces/{ns}/routes", json!({})).await;
    answer.refused(400, "BadRequest", "name must be provided");
}
