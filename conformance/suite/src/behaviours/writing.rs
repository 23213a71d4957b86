//! Creates and updates.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::answer::{revision, version_of};
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, DEPLOYMENTS, PODS, Place, config_map, version};

behaviours! {
    "1.10": a_created_object_has_uid_time_and_version,
        system_fields_of_the_request_are_ignored,
        a_name_is_generated_from_its_prefix,
        a_long_prefix_is_cut,
        a_name_is_required,
        a_given_name_wins_over_a_prefix,
        a_name_that_is_taken_though_it_could_be_another_is_worth_another_try,
        the_status_of_a_new_object_is_not_taken_from_the_request,
        a_name_must_be_a_dns_name,
        the_namespace_is_filled_in,
        a_label_must_be_valid,
        an_annotation_key_must_be_valid,
        a_create_in_a_namespace_that_is_not_there_is_not_found,
        the_location_of_a_create_is_201,
        a_secret_takes_plain_strings,
        a_service_gets_an_address,
        a_pod_is_pending_and_has_defaults;
    "1.11": an_update_replaces_what_is_not_system,
        an_update_of_nothing_is_not_found,
        an_update_of_a_service_account_creates_nothing,
        an_update_of_a_lease_creates_it,
        a_uid_cannot_be_changed,
        creation_time_cannot_be_changed,
        a_new_finalizer_on_a_deleting_object_is_refused,
        a_deployment_counts_generations_of_its_spec,
        a_status_write_does_not_count,
        a_custom_resource_with_status_counts_its_spec,
        a_custom_resource_without_status_counts_everything,
        a_deletion_counts_as_a_generation,
        a_new_pod_has_generation_1,
        a_config_map_has_no_generation,
        removing_the_last_finalizer_ends_a_deleting_object,
        an_immutable_config_map_stays,
        a_version_in_a_patch_is_a_precondition;
}

const A: &str = "/api/v1/namespaces/{ns}/configmaps/a";

async fn a_created_object_has_uid_time_and_version(p: &Place) {
    let made = p.config_map("a", json!({"k": "v"})).await;
    let metadata = &made["metadata"];
    let uid = metadata["uid"].as_str().unwrap_or_default();
    assert_eq!((uid.len(), uid.matches('-').count(), &uid[14..15]), (36, 4, "4"), "{uid}");
    let time = metadata["creationTimestamp"].as_str().unwrap_or_default();
    assert_eq!((time.len(), &time[10..11], &time[19..]), (20, "T", "Z"), "{time}");
    assert!(revision(&made) > 0);
    assert_eq!(metadata.get("selfLink"), None);
}

async fn system_fields_of_the_request_are_ignored(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["metadata"]["uid"] = json!("mine");
    object["metadata"]["creationTimestamp"] = json!("2001-01-01T00:00:00Z");
    object["metadata"]["deletionTimestamp"] = json!("2001-01-01T00:00:00Z");
    object["metadata"]["generation"] = json!(7);
    object["metadata"]["selfLink"] = json!("/here");
    let made = p.create(CONFIG_MAPS, object).await;
    let metadata = &made["metadata"];
    assert_ne!(metadata["uid"], "mine");
    assert_ne!(metadata["creationTimestamp"], "2001-01-01T00:00:00Z");
    assert_eq!((metadata.get("deletionTimestamp"), metadata.get("selfLink")), (None, None));
}

async fn a_name_is_generated_from_its_prefix(p: &Place) {
    let mut seen = BTreeSet::new();
    for _ in 0..10 {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "run-"}});
        let made = p.create(CONFIG_MAPS, object).await;
        assert_eq!(made["metadata"]["generateName"], "run-");
        let name = made["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let suffix = name.strip_prefix("run-").unwrap_or_default();
        assert_eq!(suffix.len(), 5, "{name}");
        assert!(suffix.chars().all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c)), "{name}");
        seen.insert(name);
    }
    assert_eq!(seen.len(), 10);
}

async fn a_long_prefix_is_cut(p: &Place) {
    let prefix = "x".repeat(100);
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": prefix}});
    let made = p.create(CONFIG_MAPS, object).await;
    assert_eq!(made["metadata"]["name"].as_str().map(str::len), Some(63));
}

async fn a_name_is_required(p: &Place) {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}});
    let answer = p.post(CONFIG_MAPS, object).await;
    let part = "metadata.name: Required value: name or generateName is required";
    let status = answer.refused_with(422, "Invalid", part);
    assert_eq!(status["details"]["causes"][0]["reason"], "FieldValueRequired");
}

async fn a_given_name_wins_over_a_prefix(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["metadata"]["generateName"] = json!("run-");
    let made = p.create(CONFIG_MAPS, object).await;
    assert_eq!((&made["metadata"]["name"], &made["metadata"]["generateName"]), (&json!("a"), &json!("run-")));
}

async fn a_name_that_is_taken_though_it_could_be_another_is_worth_another_try(p: &Place) {
    let mut object = config_map("a", json!({}));
    p.create(CONFIG_MAPS, object.clone()).await;
    object["metadata"]["generateName"] = json!("run-");
    let answer = p.post(CONFIG_MAPS, object).await;
    let message = "configmaps \"a\" already exists, the server was not able to generate a unique name for the object";
    let status = answer.refused(409, "AlreadyExists", message);
    assert_eq!(status["details"]["retryAfterSeconds"], 1, "{answer}");
}

async fn the_status_of_a_new_object_is_not_taken_from_the_request(p: &Place) {
    let mut object = deployment("a");
    object["status"] = json!({"replicas": 9});
    let made = p.create(DEPLOYMENTS, object).await;
    assert_eq!(made["status"], json!({}));
}

async fn a_name_must_be_a_dns_name(p: &Place) {
    for name in ["A", "a_b", "-a", "a..b", "ä"] {
        let answer = p.post(CONFIG_MAPS, config_map(name, json!({}))).await;
        let status = answer.refused_with(422, "Invalid", "a lowercase RFC 1123 subdomain must consist of");
        assert_eq!(status["details"]["causes"][0]["field"], "metadata.name");
    }
}

async fn the_namespace_is_filled_in(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    assert_eq!(made["metadata"]["namespace"], p.namespace());
}

async fn a_label_must_be_valid(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["metadata"]["labels"] = json!({"a b": "v"});
    let answer = p.post(CONFIG_MAPS, object.clone()).await;
    answer.refused_with(422, "Invalid", "metadata.labels: Invalid value: \"a b\": name part must consist of");
    object["metadata"]["labels"] = json!({"a": "no spaces"});
    let answer = p.post(CONFIG_MAPS, object).await;
    answer.refused_with(422, "Invalid", "metadata.labels: Invalid value: \"no spaces\": a valid label must be");
}

async fn an_annotation_key_must_be_valid(p: &Place) {
    let mut object = config_map("a", json!({}));
    object["metadata"]["annotations"] = json!({"a b": "v"});
    let answer = p.post(CONFIG_MAPS, object).await;
    answer.refused_with(422, "Invalid", "metadata.annotations: Invalid value: \"a b\": name part must consist of");
}

async fn a_create_in_a_namespace_that_is_not_there_is_not_found(p: &Place) {
    let answer = p.post("/api/v1/namespaces/{ns}-none/configmaps", config_map("a", json!({}))).await;
    let status = answer.refused(404, "NotFound", "namespaces \"{ns}-none\" not found");
    assert_eq!(status["details"]["kind"], "namespaces");
}

async fn the_location_of_a_create_is_201(p: &Place) {
    let answer = p.post(CONFIG_MAPS, config_map("a", json!({}))).await;
    assert_eq!((answer.code, answer.header("content-type")), (201, "application/json"));
}

async fn a_secret_takes_plain_strings(p: &Place) {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"k": "v"}});
    let made = p.create("/api/v1/namespaces/{ns}/secrets", secret).await;
    assert_eq!((&made["data"], made.get("stringData"), &made["type"]), (&json!({"k": "dg=="}), None, &json!("Opaque")));
}

async fn a_service_gets_an_address(p: &Place) {
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"},
        "spec": {"selector": {"app": "a"}, "ports": [{"port": 80}]}});
    let made = p.create("/api/v1/namespaces/{ns}/services", service).await;
    let spec = &made["spec"];
    let address = spec["clusterIP"].as_str().unwrap_or_default();
    assert_eq!(address.split('.').count(), 4, "{spec}");
    assert_eq!(spec["clusterIPs"], json!([address]));
    assert_eq!((&spec["type"], &spec["sessionAffinity"]), (&json!("ClusterIP"), &json!("None")));
    assert_eq!(spec["ports"], json!([{"port": 80, "protocol": "TCP", "targetPort": 80}]));
    assert_eq!(made["status"], json!({"loadBalancer": {}}));
}

async fn a_pod_is_pending_and_has_defaults(p: &Place) {
    let made = p.create(PODS, pod("a")).await;
    assert_eq!(made["status"]["phase"], "Pending");
    assert_eq!(made["status"]["qosClass"], "BestEffort");
    let spec = &made["spec"];
    assert_eq!(spec["restartPolicy"], "Always");
    assert_eq!(spec["dnsPolicy"], "ClusterFirst");
    assert_eq!(spec["schedulerName"], "default-scheduler");
    assert_eq!(spec["terminationGracePeriodSeconds"], 30);
    assert_eq!(spec["securityContext"], json!({}));
    assert_eq!(spec["containers"][0]["imagePullPolicy"], "Always");
    assert_eq!(spec["containers"][0]["terminationMessagePath"], "/dev/termination-log");
}

async fn an_update_replaces_what_is_not_system(p: &Place) {
    let mut object = p.config_map("a", json!({"k": "v"})).await;
    let uid = object["metadata"]["uid"].clone();
    object["data"] = json!({"other": "w"});
    object["metadata"]["labels"] = json!({"l": "1"});
    let updated = p.put(A, object).await.value(200);
    assert_eq!((&updated["data"], &updated["metadata"]["uid"]), (&json!({"other": "w"}), &uid));
    assert_eq!(updated["metadata"]["labels"], json!({"l": "1"}));
}

async fn an_update_of_nothing_is_not_found(p: &Place) {
    let answer = p.put(A, config_map("a", json!({}))).await;
    answer.refused(404, "NotFound", "configmaps \"a\" not found");
}

async fn an_update_of_a_service_account_creates_nothing(p: &Place) {
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "none"}});
    let answer = p.put("/api/v1/namespaces/{ns}/serviceaccounts/none", account).await;
    answer.refused(404, "NotFound", "serviceaccounts \"none\" not found");
}

async fn an_update_of_a_lease_creates_it(p: &Place) {
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a"}, "spec": {}});
    let made = p.put("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a", lease).await.value(201);
    assert_eq!(made["metadata"]["name"], "a");
}

async fn a_uid_cannot_be_changed(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.merge(A, json!({"metadata": {"uid": "11111111-2222-3333-4444-555555555555"}})).await;
    let part = "metadata.uid: Invalid value: \"11111111-2222-3333-4444-555555555555\": field is immutable";
    answer.refused_with(422, "Invalid", part);
}

async fn creation_time_cannot_be_changed(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    let answer = p.merge(A, json!({"metadata": {"creationTimestamp": "2001-01-01T00:00:00Z"}})).await;
    let patched = answer.value(200);
    assert_eq!(patched["metadata"]["creationTimestamp"], made["metadata"]["creationTimestamp"]);
    assert_eq!(version_of(&patched), version_of(&made));
}

async fn a_new_finalizer_on_a_deleting_object_is_refused(p: &Place) {
    held(p).await;
    p.delete(A).await.value(200);
    let answer = p.merge(A, json!({"metadata": {"finalizers": ["suite.example/hold", "suite.example/more"]}})).await;
    let message = "ConfigMap \"a\" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the \
                   object is being deleted, found new finalizers []string{\"suite.example/more\"}";
    answer.refused(422, "Invalid", message);
    release(p).await;
}

async fn a_deployment_counts_generations_of_its_spec(p: &Place) {
    let made = p.create(DEPLOYMENTS, deployment("a")).await;
    assert_eq!(made["metadata"]["generation"], 1);
    let path = &format!("{DEPLOYMENTS}/a");
    let labelled = p.merge(path, json!({"metadata": {"labels": {"l": "1"}}})).await.value(200);
    assert_eq!(labelled["metadata"]["generation"], 1);
    let scaled = p.merge(path, json!({"spec": {"replicas": 3}})).await.value(200);
    assert_eq!(scaled["metadata"]["generation"], 2);
}

async fn a_status_write_does_not_count(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let path = format!("{DEPLOYMENTS}/a/status");
    let written = p.merge(&path, json!({"status": {"replicas": 1}})).await.value(200);
    assert_eq!((&written["metadata"]["generation"], &written["status"]["replicas"]), (&json!(1), &json!(1)));
}

async fn a_custom_resource_with_status_counts_its_spec(p: &Place) {
    let mut versions = json!([version("v1", json!({"n": {"type": "integer"}}))]);
    versions[0]["subresources"] = json!({"status": {}});
    p.define("Count", versions).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/counts";
    let object = json!({"apiVersion": "{group}/v1", "kind": "Count", "metadata": {"name": "a"}, "spec": {"n": 1}});
    assert_eq!(p.create(path, object).await["metadata"]["generation"], 1);
    let one = format!("{path}/a");
    let labelled = p.merge(&one, json!({"metadata": {"labels": {"l": "1"}}})).await.value(200);
    assert_eq!(labelled["metadata"]["generation"], 1);
    assert_eq!(p.merge(&one, json!({"spec": {"n": 2}})).await.value(200)["metadata"]["generation"], 2);
    let status = p.merge(&format!("{one}/status"), json!({"status": {"seen": 2}})).await.value(200);
    assert_eq!(status["metadata"]["generation"], 2);
}

async fn a_custom_resource_without_status_counts_everything(p: &Place) {
    p.define("Tally", json!([version("v1", json!({"n": {"type": "integer"}}))])).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/tallys";
    let object = json!({"apiVersion": "{group}/v1", "kind": "Tally", "metadata": {"name": "a"}, "spec": {"n": 1}});
    assert_eq!(p.create(path, object).await["metadata"]["generation"], 1);
    let one = format!("{path}/a");
    assert_eq!(p.merge(&one, json!({"status": {"x": 1}})).await.value(200)["metadata"]["generation"], 2);
    let labelled = p.merge(&one, json!({"metadata": {"labels": {"l": "1"}}})).await.value(200);
    assert_eq!(labelled["metadata"]["generation"], 2);
}

async fn a_deletion_counts_as_a_generation(p: &Place) {
    let mut object = deployment("a");
    object["metadata"]["finalizers"] = json!(["suite.example/hold"]);
    p.create(DEPLOYMENTS, object).await;
    let path = &format!("{DEPLOYMENTS}/a");
    let deleted = p.delete(path).await.value(200);
    assert_eq!(deleted["metadata"]["generation"], 2, "{deleted}");
    assert_eq!(deleted["metadata"]["deletionGracePeriodSeconds"], 0);
    p.merge(path, json!({"metadata": {"finalizers": null}})).await.value(200);
}

async fn a_new_pod_has_generation_1(p: &Place) {
    assert_eq!(p.create(PODS, pod("a")).await["metadata"]["generation"], 1);
}

async fn a_config_map_has_no_generation(p: &Place) {
    assert_eq!(p.config_map("a", json!({})).await["metadata"].get("generation"), None);
}

async fn removing_the_last_finalizer_ends_a_deleting_object(p: &Place) {
    let made = held(p).await;
    let path = format!("{CONFIG_MAPS}?watch=1&fieldSelector=metadata.name=a&resourceVersion={}", version_of(&made));
    let mut watch = p.watch(&path).await;
    p.delete(A).await.value(200);
    let deleting = watch.expect("MODIFIED", "a").await;
    assert!(deleting["metadata"]["deletionTimestamp"].is_string());
    let last = release(p).await;
    assert_eq!(last["metadata"].get("finalizers"), None);
    watch.expect("DELETED", "a").await;
    p.get(A).await.refused(404, "NotFound", "configmaps \"a\" not found");
}

async fn an_immutable_config_map_stays(p: &Place) {
    let mut object = config_map("a", json!({"k": "v"}));
    object["immutable"] = json!(true);
    p.create(CONFIG_MAPS, object).await;
    let answer = p.merge(A, json!({"data": {"k": "w"}})).await;
    let message = "ConfigMap \"a\" is invalid: data: Forbidden: field is immutable when `immutable` is set";
    answer.refused(422, "Invalid", message);
}

async fn a_version_in_a_patch_is_a_precondition(p: &Place) {
    let made = p.config_map("a", json!({})).await;
    p.merge(A, json!({"data": {"k": "1"}})).await.value(200);
    let patch = json!({"metadata": {"resourceVersion": version_of(&made)}, "data": {"k": "2"}});
    p.merge(A, patch).await.refused_with(409, "Conflict", "the object has been modified");
}

async fn held(p: &Place) -> Value {
    let mut object = config_map("a", json!({}));
    object["metadata"]["finalizers"] = json!(["suite.example/hold"]);
    p.create(CONFIG_MAPS, object).await
}

async fn release(p: &Place) -> Value {
    p.merge(A, json!({"metadata": {"finalizers": null}})).await.value(200)
}

pub(super) fn pod(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"containers": [{"name": "c", "image": "i"}]}})
}

pub(super) fn deployment(name: &str) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
        "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }})
}
