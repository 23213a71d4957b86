//! How refusals are worded.

use serde_json::json;

use crate::answer::version_of;
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, DEPLOYMENTS, Place, config_map, version};

behaviours! {
    "1.2": not_found_names_resource_and_object,
        not_found_in_a_group_names_the_group,
        already_exists_names_the_object,
        a_stale_update_is_a_conflict,
        an_update_with_another_uid_is_a_conflict,
        a_name_that_differs_from_the_path_is_refused,
        a_namespace_that_differs_from_the_path_is_refused,
        another_api_version_is_refused,
        another_kind_is_refused,
        a_body_that_is_not_json_is_refused,
        an_empty_body_is_refused,
        an_unknown_content_type_is_415,
        an_unknown_accept_is_406,
        an_invalid_object_names_field_and_cause,
        an_update_of_a_custom_resource_needs_a_version,
        an_update_of_a_lease_needs_a_version,
        an_update_of_a_config_map_needs_no_version,
        two_documents_of_one_name_refuse_the_second_create_while_deleting;
}

async fn not_found_names_resource_and_object(p: &Place) {
    let answer = p.get("/api/v1/namespaces/{ns}/configmaps/none").await;
    let status = answer.refused(404, "NotFound", "configmaps \"none\" not found");
    assert_eq!(status["metadata"], json!({}));
    assert_eq!(status["details"], json!({"name": "none", "kind": "configmaps"}));
}

async fn not_found_in_a_group_names_the_group(p: &Place) {
    let answer = p.get("/apis/apps/v1/namespaces/{ns}/deployments/none").await;
    let status = answer.refused(404, "NotFound", "deployments.apps \"none\" not found");
    assert_eq!(status["details"], json!({"name": "none", "group": "apps", "kind": "deployments"}));
}

async fn already_exists_names_the_object(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.post(CONFIG_MAPS, config_map("a", json!({}))).await;
    let status = answer.refused(409, "AlreadyExists", "configmaps \"a\" already exists");
    assert_eq!(status["details"], json!({"name": "a", "kind": "configmaps"}));
}

async fn a_stale_update_is_a_conflict(p: &Place) {
    let mut old = p.config_map("a", json!({})).await;
    p.merge("/api/v1/namespaces/{ns}/configmaps/a", json!({"data": {"k": "1"}})).await.value(200);
    old["data"] = json!({"k": "2"});
    let answer = p.put("/api/v1/namespaces/{ns}/configmaps/a", old).await;
    let message = "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your \
                   changes to the latest version and try again";
    let status = answer.refused(409, "Conflict", message);
    assert_eq!(status["details"], json!({"name": "a", "kind": "configmaps"}));
}

async fn an_update_with_another_uid_is_a_conflict(p: &Place) {
    let mut object = p.config_map("a", json!({})).await;
    let uid = object["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
    object["metadata"]["uid"] = json!("11111111-2222-3333-4444-555555555555");
    let answer = p.put("/api/v1/namespaces/{ns}/configmaps/a", object).await;
    let part = format!(
        "Precondition failed: UID in precondition: 11111111-2222-3333-4444-555555555555, UID in object meta: {uid}"
    );
    answer.refused_with(409, "Conflict", &part);
}

async fn a_name_that_differs_from_the_path_is_refused(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.put("/api/v1/namespaces/{ns}/configmaps/a", config_map("b", json!({}))).await;
    answer.refused(400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)");
}

async fn a_namespace_that_differs_from_the_path_is_refused(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["metadata"]["namespace"] = json!("elsewhere");
    let answer = p.post(CONFIG_MAPS, object).await;
    let message = "the namespace of the provided object does not match the namespace sent on the request";
    answer.refused(400, "BadRequest", message);
}

async fn another_api_version_is_refused(p: &Place) {
    let deployment = json!({"apiVersion": "apps/v1beta9", "kind": "Deployment", "metadata": {"name": "a"}});
    let answer = p.post(DEPLOYMENTS, deployment).await;
    assert_eq!(answer.code, 400, "{answer}");
    assert!(answer.text().contains("apps/v1beta9"), "{answer}");
}

async fn another_kind_is_refused(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["kind"] = json!("Secret");
    let answer = p.post(CONFIG_MAPS, object).await;
    answer.refused_with(400, "BadRequest", "Secret in version \"v1\" cannot be handled as a ConfigMap");
}

async fn a_body_that_is_not_json_is_refused(p: &Place) {
    let answer = p.ask("POST", CONFIG_MAPS).text("application/json", "{\"metadata\":").send().await;
    answer.refused_with(400, "BadRequest", "");
}

async fn an_empty_body_is_refused(p: &Place) {
    let answer = p.ask("POST", CONFIG_MAPS).text("application/json", "").send().await;
    answer.refused_with(400, "BadRequest", "");
}

async fn an_unknown_content_type_is_415(p: &Place) {
    let answer = p.ask("POST", CONFIG_MAPS).text("text/html", "{}").send().await;
    let part = "the body of the request was in an unknown format - accepted media types include: application/json, ";
    answer.refused_with(415, "UnsupportedMediaType", part);
}

async fn an_unknown_accept_is_406(p: &Place) {
    let answer = p.ask("GET", CONFIG_MAPS).accept("text/html").send().await;
    answer.refused_with(406, "NotAcceptable", "406: Not Acceptable\n\nAvailable representations: application/json, ");
}

async fn an_invalid_object_names_field_and_cause(p: &Place) {
    let answer = p.post(CONFIG_MAPS, config_map("Not_A_Name", json!({}))).await;
    let status =
        answer.refused_with(422, "Invalid", "ConfigMap \"Not_A_Name\" is invalid: metadata.name: Invalid value: ");
    assert_eq!(status["details"]["name"], "Not_A_Name");
    assert_eq!(status["details"]["kind"], "ConfigMap");
    assert_eq!(status["details"]["causes"][0]["reason"], "FieldValueInvalid");
    assert_eq!(status["details"]["causes"][0]["field"], "metadata.name");
}

async fn an_update_of_a_custom_resource_needs_a_version(p: &Place) {
    p.define("Error", json!([version("v1", json!({"n": {"type": "integer"}}))])).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/errors";
    let object = json!({"apiVersion": "{group}/v1", "kind": "Error", "metadata": {"name": "a"}, "spec": {"n": 1}});
    p.create(path, object.clone()).await;
    let answer = p.put(&format!("{path}/a"), object).await;
    let message = "errors.{group} \"a\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an \
                   update";
    answer.refused(422, "Invalid", message);
}

async fn an_update_of_a_lease_needs_a_version(p: &Place) {
    let path = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a"},
        "spec": {"holderIdentity": "x"}});
    p.create(path, lease.clone()).await;
    let answer = p.put(&format!("{path}/a"), lease).await;
    answer.refused_with(422, "Invalid", "metadata.resourceVersion: Invalid value: ");
}

async fn an_update_of_a_config_map_needs_no_version(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let answer = p.put("/api/v1/namespaces/{ns}/configmaps/a", config_map("a", json!({"k": "v"}))).await;
    let updated = answer.value(200);
    assert_eq!(updated["data"], json!({"k": "v"}));
    assert_eq!(updated["metadata"]["uid"], made["metadata"]["uid"]);
    assert_ne!(version_of(&updated), version_of(&made));
}

async fn two_documents_of_one_name_refuse_the_second_create_while_deleting(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["metadata"]["finalizers"] = json!(["suite.example/hold"]);
    p.create(CONFIG_MAPS, object).await;
    p.delete("/api/v1/namespaces/{ns}/configmaps/a").await.value(200);
    let answer = p.post(CONFIG_MAPS, config_map("a", json!({}))).await;
    answer.refused(409, "AlreadyExists", "object is being deleted: configmaps \"a\" already exists");
    let release = json!({"metadata": {"finalizers": null}});
    p.merge("/api/v1/namespaces/{ns}/configmaps/a", release).await.value(200);
}
