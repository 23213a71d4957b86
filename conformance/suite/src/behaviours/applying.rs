//! Server-side apply and who owns which field.

use serde_json::{Value, json};

use crate::answer::version_of;
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, DEPLOYMENTS, Place, config_map, version};

use super::writing::deployment;

behaviours! {
    "1.15": an_apply_of_nothing_creates,
        an_apply_owns_what_it_sets,
        an_apply_again_changes_nothing,
        an_apply_of_a_link_renews_its_time,
        an_apply_is_stored_where_managers_change_their_order,
        an_apply_that_drops_a_field_removes_it,
        a_field_of_two_appliers_stays_until_both_drop_it,
        another_value_is_a_conflict,
        several_conflicts_are_listed,
        the_same_value_is_shared,
        force_takes_the_field_over,
        an_apply_needs_a_manager,
        force_is_only_for_apply,
        a_manager_has_at_most_128_characters,
        managed_fields_in_an_apply_are_refused,
        an_apply_with_another_version_is_refused,
        an_unknown_field_in_an_apply_is_refused,
        a_create_is_tracked_by_its_manager,
        the_manager_of_a_write_is_its_user_agent_otherwise,
        an_update_takes_ownership,
        a_status_write_is_tracked_by_its_part,
        a_list_of_containers_is_merged_by_name,
        a_set_is_merged_by_value,
        an_atomic_list_is_owned_whole,
        a_custom_list_is_atomic_unless_declared,
        a_custom_list_map_is_merged_by_its_keys,
        duplicates_in_an_applied_list_are_refused,
        a_dry_apply_changes_nothing,
        managed_fields_can_be_reset,
        an_apply_of_the_status_owns_the_status,
        an_applied_manifest_may_be_yaml,
        an_empty_apply_gives_everything_up,
        an_object_without_managers_gets_one_before_the_first_apply,
        an_apply_with_a_uid_of_nothing_is_a_conflict,
        managers_at_several_versions_are_compared_through_conversion;
}

const A: &str = "/api/v1/namespaces/{ns}/configmaps/a";

fn by(manager: &str) -> String {
    format!("{A}?fieldManager={manager}")
}

async fn an_apply_of_nothing_creates(p: &Place) {
    let made = p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(201);
    assert_eq!(made["data"], json!({"k": "v"}));
    let entry = manager(&made, "one");
    assert_eq!((&entry["operation"], &entry["apiVersion"]), (&json!("Apply"), &json!("v1")));
}

async fn an_apply_owns_what_it_sets(p: &Place) {
    let mut object = config_map("a", json!({"k": "v"}));
    object["metadata"]["labels"] = json!({"l": "1"});
    let made = p.apply(&by("one"), object).await.value(201);
    let entry = manager(&made, "one");
    assert_eq!(entry["fieldsType"], "FieldsV1");
    assert_eq!(entry["fieldsV1"], json!({"f:data": {"f:k": {}}, "f:metadata": {"f:labels": {"f:l": {}}}}));
    assert!(entry["time"].is_string());
}

async fn an_apply_again_changes_nothing(p: &Place) {
    let first = p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(201);
    let second = p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(200);
    assert_eq!(first, second);
}

/// Long enough for managers to have written at another second than before.
async fn another_second() {
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
}

async fn an_apply_of_a_link_renews_its_time(p: &Place) {
    let mut linked = config_map("a", json!({"k": "v"}));
    linked["metadata"]["selfLink"] = json!("/api/v1/namespaces/{ns}/configmaps/a");
    let first = p.apply(&by("one"), linked.clone()).await.value(201);
    another_second().await;
    let dry = p.apply(&format!("{}&dryRun=All", by("one")), linked.clone()).await.value(200);
    assert_eq!(dry["metadata"]["selfLink"], p.named("/api/v1/namespaces/{ns}/configmaps/a"));
    let again = p.apply(&by("one"), linked).await.value(200);
    assert_eq!(again["metadata"].get("selfLink"), None, "it is not stored");
    assert_ne!(version_of(&first), version_of(&again));
    assert_ne!(manager(&first, "one")["time"], manager(&again, "one")["time"]);
    another_second().await;
    let plain = p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(200);
    assert_eq!(plain, again, "without a link nothing changes");
}

async fn an_apply_is_stored_where_managers_change_their_order(p: &Place) {
    let mut one = version("v1", json!({"size": {"type": "integer"}}));
    one["subresources"] = json!({"status": {}});
    p.define("Thing", json!([one])).await;
    let path = |manager: &str| format!("/apis/{{group}}/v1/namespaces/{{ns}}/things/a?fieldManager={manager}");
    // Nothing becomes of the status, but who states it counts as having written.
    let stated = json!({"apiVersion": "{group}/v1", "kind": "Thing", "metadata": {"name": "a"},
        "spec": {"size": 1}, "status": {"phase": "New"}});
    let first = p.apply(&path("one"), stated.clone()).await.value(201);
    another_second().await;
    let again = p.apply(&path("one"), stated.clone()).await.value(200);
    assert_eq!(again, first, "alone there is no order to change");
    let second = p.apply(&path("two"), stated.clone()).await.value(200);
    another_second().await;
    let third = p.apply(&path("one"), stated.clone()).await.value(200);
    assert_ne!(version_of(&third), version_of(&second));
    another_second().await;
    let last = p.apply(&path("one"), stated).await.value(200);
    assert_eq!(version_of(&last), version_of(&third), "it is the last already");
}

async fn an_apply_that_drops_a_field_removes_it(p: &Place) {
    p.apply(&by("one"), config_map("a", json!({"k": "v", "l": "w"}))).await.value(201);
    let applied = p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(200);
    assert_eq!(applied["data"], json!({"k": "v"}));
}

async fn a_field_of_two_appliers_stays_until_both_drop_it(p: &Place) {
    p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(201);
    p.apply(&by("two"), config_map("a", json!({"k": "v", "m": "1"}))).await.value(200);
    let applied = p.apply(&by("one"), config_map("a", json!({}))).await.value(200);
    assert_eq!(applied["data"], json!({"k": "v", "m": "1"}));
    let applied = p.apply(&by("two"), config_map("a", json!({"m": "1"}))).await.value(200);
    assert_eq!(applied["data"], json!({"m": "1"}));
}

async fn another_value_is_a_conflict(p: &Place) {
    p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(201);
    let answer = p.apply(&by("two"), config_map("a", json!({"k": "w"}))).await;
    let message = "Apply failed with 1 conflict: conflict with \"one\": .data.k";
    let status = answer.refused(409, "Conflict", message);
    let cause = json!({"reason": "FieldManagerConflict", "message": "conflict with \"one\"", "field": ".data.k"});
    assert_eq!(status["details"]["causes"], json!([cause]));
}

async fn several_conflicts_are_listed(p: &Place) {
    p.apply(&by("one"), config_map("a", json!({"k": "v", "l": "v"}))).await.value(201);
    let answer = p.apply(&by("two"), config_map("a", json!({"k": "w", "l": "w"}))).await;
    let message = "Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.k\n- .data.l";
    answer.refused(409, "Conflict", message);
}

async fn the_same_value_is_shared(p: &Place) {
    p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(201);
    let shared = p.apply(&by("two"), config_map("a", json!({"k": "v"}))).await.value(200);
    for name in ["one", "two"] {
        assert_eq!(manager(&shared, name)["fieldsV1"], json!({"f:data": {"f:k": {}}}));
    }
}

async fn force_takes_the_field_over(p: &Place) {
    p.apply(&by("one"), config_map("a", json!({"k": "v", "l": "1"}))).await.value(201);
    let path = format!("{}&force=true", by("two"));
    let taken = p.apply(&path, config_map("a", json!({"k": "w"}))).await.value(200);
    assert_eq!(taken["data"], json!({"k": "w", "l": "1"}));
    assert_eq!(manager(&taken, "one")["fieldsV1"], json!({"f:data": {"f:l": {}}}));
    assert_eq!(manager(&taken, "two")["fieldsV1"], json!({"f:data": {"f:k": {}}}));
}

async fn an_apply_needs_a_manager(p: &Place) {
    let answer = p.apply(A, config_map("a", json!({}))).await;
    let part = "fieldManager: Required value: is required for apply patch";
    answer.refused_with(422, "Invalid", part);
}

async fn force_is_only_for_apply(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.merge(&format!("{A}?force=true"), json!({})).await;
    answer.refused_with(422, "Invalid", "force: Forbidden: may not be specified for non-apply patch");
}

async fn a_manager_has_at_most_128_characters(p: &Place) {
    let answer = p.apply(&by(&"m".repeat(129)), config_map("a", json!({}))).await;
    answer.refused_with(422, "Invalid", "fieldManager: Too long: may not be more than 128 bytes");
}

async fn managed_fields_in_an_apply_are_refused(p: &Place) {
    let made = p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(201);
    let answer = p.apply(&by("one"), made).await;
    answer.refused_with(400, "BadRequest", "metadata.managedFields must be nil");
}

async fn an_apply_with_another_version_is_refused(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["apiVersion"] = json!("v2");
    let answer = p.apply(&by("one"), object).await;
    assert_eq!(answer.code, 400, "{answer}");
}

async fn an_unknown_field_in_an_apply_is_refused(p: &Place) {
    let mut object = deployment("a");
    object["spec"]["nonsense"] = json!(1);
    let answer = p.apply(&format!("{DEPLOYMENTS}/a?fieldManager=one"), object).await;
    assert_eq!(answer.code, 500, "{answer}");
    assert!(answer.text().contains(".spec.nonsense: field not declared in schema"), "{answer}");
}

async fn a_create_is_tracked_by_its_manager(p: &Place) {
    let made =
        p.post(&format!("{CONFIG_MAPS}?fieldManager=maker"), config_map("a", json!({"k": "v"}))).await.value(201);
    let entry = manager(&made, "maker");
    assert_eq!(entry["operation"], "Update");
    assert_eq!(entry["fieldsV1"], json!({"f:data": {".": {}, "f:k": {}}}));
}

async fn the_manager_of_a_write_is_its_user_agent_otherwise(p: &Place) {
    let ask = p.ask("POST", CONFIG_MAPS).header("user-agent", "robot/1.2 (linux)");
    let made = ask.json(&config_map("a", json!({"k": "v"}))).send().await.value(201);
    assert_eq!(manager(&made, "robot")["operation"], "Update");
}

async fn an_update_takes_ownership(p: &Place) {
    p.apply(&by("one"), config_map("a", json!({"k": "v", "l": "1"}))).await.value(201);
    let patched = p.merge(&by("two"), json!({"data": {"k": "w"}})).await.value(200);
    assert_eq!(manager(&patched, "one")["fieldsV1"], json!({"f:data": {"f:l": {}}}));
    assert_eq!(manager(&patched, "two")["fieldsV1"], json!({"f:data": {"f:k": {}}}));
    let answer = p.apply(&by("one"), config_map("a", json!({"k": "v", "l": "1"}))).await;
    let status = answer.refused_with(409, "Conflict", "Apply failed with 1 conflict: conflict with \"two\" using v1");
    assert_eq!(status["details"]["causes"][0]["field"], ".data.k");
}

async fn a_status_write_is_tracked_by_its_part(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let path = format!("{DEPLOYMENTS}/a/status?fieldManager=robot");
    let written = p.merge(&path, json!({"status": {"replicas": 1}})).await.value(200);
    let entry = manager(&written, "robot");
    assert_eq!((&entry["subresource"], &entry["operation"]), (&json!("status"), &json!("Update")));
    assert_eq!(entry["fieldsV1"], json!({"f:status": {"f:replicas": {}}}));
}

async fn a_list_of_containers_is_merged_by_name(p: &Place) {
    p.apply(&format!("{DEPLOYMENTS}/a?fieldManager=one"), deployment("a")).await.value(201);
    let more = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"},
        "spec": {"template": {"spec": {"containers": [{"name": "d", "image": "j"}]}}}});
    let applied = p.apply(&format!("{DEPLOYMENTS}/a?fieldManager=two"), more).await.value(200);
    let containers = applied["spec"]["template"]["spec"]["containers"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = containers.iter().filter_map(|container| container["name"].as_str()).collect();
    assert_eq!(names, ["c", "d"]);
    let owned = json!({"f:spec": {"f:template": {"f:spec": {"f:containers":
        {"k:{\"name\":\"d\"}": {".": {}, "f:image": {}, "f:name": {}}}}}}});
    assert_eq!(manager(&applied, "two")["fieldsV1"], owned);
    let none = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}});
    let applied = p.apply(&format!("{DEPLOYMENTS}/a?fieldManager=two"), none).await.value(200);
    assert_eq!(applied["spec"]["template"]["spec"]["containers"].as_array().map(Vec::len), Some(1));
}

async fn a_set_is_merged_by_value(p: &Place) {
    let with = |finalizers: Value| {
        let metadata = json!({"name": "a", "finalizers": finalizers});
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    };
    p.apply(&by("one"), with(json!(["suite.example/a"]))).await.value(201);
    let applied = p.apply(&by("two"), with(json!(["suite.example/b"]))).await.value(200);
    assert_eq!(applied["metadata"]["finalizers"], json!(["suite.example/a", "suite.example/b"]));
    let owned = json!({"f:metadata": {"f:finalizers": {"v:\"suite.example/b\"": {}}}});
    assert_eq!(manager(&applied, "two")["fieldsV1"], owned);
    let bare = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let applied = p.apply(&by("one"), bare.clone()).await.value(200);
    assert_eq!(applied["metadata"]["finalizers"], json!(["suite.example/b"]));
    p.apply(&by("two"), bare).await.value(200);
}

async fn an_atomic_list_is_owned_whole(p: &Place) {
    let mut object = deployment("a");
    object["spec"]["template"]["spec"]["containers"][0]["args"] = json!(["x"]);
    p.apply(&format!("{DEPLOYMENTS}/a?fieldManager=one"), object.clone()).await.value(201);
    object["spec"]["template"]["spec"]["containers"][0]["args"] = json!(["x", "y"]);
    let answer = p.apply(&format!("{DEPLOYMENTS}/a?fieldManager=two"), object).await;
    let message =
        "Apply failed with 1 conflict: conflict with \"one\": .spec.template.spec.containers[name=\"c\"].args";
    answer.refused(409, "Conflict", message);
}

async fn a_custom_list_is_atomic_unless_declared(p: &Place) {
    let items = json!({"tags": {"type": "array", "items": {"type": "string"}}});
    p.define("Tag", json!([version("v1", items)])).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/tags/a";
    let object = |tags: Value| json!({"apiVersion": "{group}/v1", "kind": "Tag", "metadata": {"name": "a"}, "spec": {"tags": tags}});
    p.apply(&format!("{path}?fieldManager=one"), object(json!(["x"]))).await.value(201);
    let answer = p.apply(&format!("{path}?fieldManager=two"), object(json!(["y"]))).await;
    answer.refused(409, "Conflict", "Apply failed with 1 conflict: conflict with \"one\": .spec.tags");
}

async fn a_custom_list_map_is_merged_by_its_keys(p: &Place) {
    let item = json!({"type": "object", "required": ["id"],
        "properties": {"id": {"type": "string"}, "value": {"type": "integer"}}});
    let parts = json!({"parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"],
        "items": item}});
    p.define("Part", json!([version("v1", parts)])).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/parts/a";
    let object = |parts: Value| json!({"apiVersion": "{group}/v1", "kind": "Part", "metadata": {"name": "a"}, "spec": {"parts": parts}});
    p.apply(&format!("{path}?fieldManager=one"), object(json!([{"id": "x", "value": 1}]))).await.value(201);
    let applied =
        p.apply(&format!("{path}?fieldManager=two"), object(json!([{"id": "y", "value": 2}]))).await.value(200);
    assert_eq!(applied["spec"]["parts"], json!([{"id": "x", "value": 1}, {"id": "y", "value": 2}]));
    let owned = json!({"f:spec": {"f:parts": {"k:{\"id\":\"y\"}": {".": {}, "f:id": {}, "f:value": {}}}}});
    assert_eq!(manager(&applied, "two")["fieldsV1"], owned);
}

async fn duplicates_in_an_applied_list_are_refused(p: &Place) {
    let mut object = deployment("a");
    object["spec"]["template"]["spec"]["containers"] =
        json!([{"name": "c", "image": "i"}, {"name": "c", "image": "j"}]);
    let answer = p.apply(&format!("{DEPLOYMENTS}/a?fieldManager=one"), object).await;
    assert_eq!(answer.code, 500, "{answer}");
    assert!(answer.text().contains("duplicate entries for key [name=\\\"c\\\"]"), "{answer}");
}

async fn a_dry_apply_changes_nothing(p: &Place) {
    let would = p.apply(&format!("{}&dryRun=All", by("one")), config_map("a", json!({"k": "v"}))).await.value(201);
    assert_eq!(would["data"], json!({"k": "v"}));
    assert_eq!(p.get(A).await.code, 404);
}

async fn managed_fields_can_be_reset(p: &Place) {
    p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(201);
    let reset = p.merge(A, json!({"metadata": {"managedFields": [{}]}})).await.value(200);
    assert_eq!(reset["metadata"].get("managedFields"), None, "{reset}");
    assert_eq!(reset["data"], json!({"k": "v"}));
}

async fn an_apply_of_the_status_owns_the_status(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let status = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "status": {"replicas": 3},
        "spec": {"replicas": 9, "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    let applied = p.apply(&format!("{DEPLOYMENTS}/a/status?fieldManager=robot"), status).await.value(200);
    assert_eq!((&applied["status"]["replicas"], &applied["spec"]["replicas"]), (&json!(3), &json!(1)));
    let entry = manager(&applied, "robot");
    assert_eq!((&entry["operation"], &entry["subresource"]), (&json!("Apply"), &json!("status")));
    assert_eq!(entry["fieldsV1"], json!({"f:status": {"f:replicas": {}}}));
}

async fn an_applied_manifest_may_be_yaml(p: &Place) {
    let body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: |\n    two\n    lines\n";
    let answer = p.ask("PATCH", &by("one")).text("application/apply-patch+yaml", body).send().await;
    assert_eq!(answer.value(201)["data"], json!({"k": "two\nlines\n"}));
}

async fn an_empty_apply_gives_everything_up(p: &Place) {
    p.config_map("a", json!({"base": "1"})).await;
    p.apply(&by("one"), config_map("a", json!({"k": "v"}))).await.value(200);
    let bare = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let applied = p.apply(&by("one"), bare).await.value(200);
    assert_eq!(applied["data"], json!({"base": "1"}));
    assert!(managers(&applied).iter().all(|entry| entry["manager"] != "one"), "{applied}");
}

async fn an_object_without_managers_gets_one_before_the_first_apply(p: &Place) {
    p.config_map("a", json!({"k": "v"})).await;
    p.merge(A, json!({"metadata": {"managedFields": [{}]}})).await.value(200);
    let applied = p.apply(&by("one"), config_map("a", json!({"l": "w"}))).await.value(200);
    let entry = manager(&applied, "before-first-apply");
    assert_eq!(entry["operation"], "Update");
    assert_eq!(entry["fieldsV1"], json!({"f:data": {".": {}, "f:k": {}}}));
}

async fn an_apply_with_a_uid_of_nothing_is_a_conflict(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["metadata"]["uid"] = json!("11111111-2222-3333-4444-555555555555");
    let answer = p.apply(&by("one"), object).await;
    answer.refused_with(409, "Conflict", "uid mismatch: the provided object specified uid");
}

fn managers(object: &Value) -> Vec<Value> {
    object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default()
}

#[track_caller]
fn manager(object: &Value, name: &str) -> Value {
    let found = managers(object).into_iter().find(|entry| entry["manager"] == name);
    found.unwrap_or_else(|| panic!("{name} manages nothing of version {}: {:?}", version_of(object), managers(object)))
}

/// What is `targetCPUUtilizationPercentage` at one version is one of `metrics` at the other.
async fn managers_at_several_versions_are_compared_through_conversion(p: &Place) {
    let path = |version: &str, manager: &str| {
        let query = format!("fieldManager={manager}&force=true");
        format!("/apis/autoscaling/{version}/namespaces/{{ns}}/horizontalpodautoscalers/a?{query}")
    };
    let scaler = |version: &str, more: Value| {
        let mut spec = json!({"maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}});
        more.as_object().into_iter().flatten().for_each(|(field, value)| spec[field] = value.clone());
        json!({"apiVersion": format!("autoscaling/{version}"), "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "a"}, "spec": spec})
    };
    p.apply(&path("v1", "one"), scaler("v1", json!({"targetCPUUtilizationPercentage": 50}))).await.value(201);
    let target = json!({"type": "Utilization", "averageUtilization": 60});
    let metrics = json!([{"type": "Resource", "resource": {"name": "memory", "target": target}}]);
    let taken = p.apply(&path("v2", "two"), scaler("v2", json!({"metrics": metrics}))).await.value(200);
    let fields = |name: &str| manager(&taken, name)["fieldsV1"]["f:spec"].clone();
    assert_eq!(fields("one"), json!({"f:maxReplicas": {}, "f:scaleTargetRef": {}}));
    assert_eq!(fields("two")["f:metrics"], json!({}));
    let again = path("v1", "three").replace("&force=true", "");
    let answer = p.apply(&again, scaler("v1", json!({"targetCPUUtilizationPercentage": 60}))).await;
    let status = answer.refused_with(409, "Conflict", ".spec.metrics");
    assert_eq!(status["details"]["causes"].as_array().map(Vec::len), Some(1), "{answer}");
}
