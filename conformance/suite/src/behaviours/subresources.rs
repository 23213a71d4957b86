//! Parts of objects: status, scale and the subresources of pods.

use serde_json::{Value, json};

use crate::answer::version_of;
use crate::behaviour::behaviours;
use crate::place::{DEPLOYMENTS, PODS, Place, version};

use super::writing::{deployment, pod};

behaviours! {
    "1.12": a_status_write_takes_only_the_status,
        a_write_of_the_object_leaves_its_status,
        a_status_write_of_nothing_is_not_found,
        a_status_write_needs_no_other_field,
        a_stale_status_write_is_a_conflict,
        a_custom_resource_without_status_has_no_such_path,
        a_custom_resources_status_is_its_own,
        a_deployment_has_a_scale,
        a_deployment_is_scaled,
        a_stale_scale_is_a_conflict,
        a_negative_scale_is_refused,
        a_custom_resource_is_scaled_by_its_paths,
        a_scale_without_replicas_is_an_error,
        a_pod_is_bound_once,
        a_pod_is_evicted,
        an_eviction_against_a_budget_is_refused,
        a_service_account_gives_tokens,
        an_ephemeral_container_is_added,
        a_namespace_is_finalized_by_its_own_path,
        a_signing_request_is_approved;
}

async fn a_status_write_takes_only_the_status(p: &Place) {
    let mut object = p.create(DEPLOYMENTS, deployment("a")).await;
    object["spec"]["replicas"] = json!(9);
    object["metadata"]["labels"] = json!({"l": "1"});
    object["status"]["replicas"] = json!(2);
    let written = p.put(&format!("{DEPLOYMENTS}/a/status"), object).await.value(200);
    assert_eq!((&written["spec"]["replicas"], &written["status"]["replicas"]), (&json!(1), &json!(2)));
}

async fn a_write_of_the_object_leaves_its_status(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let path = format!("{DEPLOYMENTS}/a");
    let mut object = p.merge(&format!("{path}/status"), json!({"status": {"replicas": 2}})).await.value(200);
    object["status"] = json!({"replicas": 5});
    object["spec"]["replicas"] = json!(3);
    let written = p.put(&path, object).await.value(200);
    assert_eq!((&written["spec"]["replicas"], &written["status"]["replicas"]), (&json!(3), &json!(2)));
}

async fn a_status_write_of_nothing_is_not_found(p: &Place) {
    let answer = p.put(&format!("{DEPLOYMENTS}/a/status"), deployment("a")).await;
    answer.refused(404, "NotFound", "deployments.apps \"a\" not found");
}

async fn a_status_write_needs_no_other_field(p: &Place) {
    p.create(PODS, pod("a")).await;
    let patch = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    let written = p.strategic(&format!("{PODS}/a/status"), patch).await.value(200);
    assert_eq!(written["status"]["phase"], "Running");
}

async fn a_stale_status_write_is_a_conflict(p: &Place) {
    let mut old = p.create(DEPLOYMENTS, deployment("a")).await;
    p.merge(&format!("{DEPLOYMENTS}/a"), json!({"spec": {"replicas": 3}})).await.value(200);
    old["status"] = json!({"replicas": 1});
    let answer = p.put(&format!("{DEPLOYMENTS}/a/status"), old).await;
    answer.refused_with(409, "Conflict", "Operation cannot be fulfilled on deployments.apps \"a\"");
}

async fn a_custom_resource_without_status_has_no_such_path(p: &Place) {
    p.define("Plain", json!([version("v1", json!({}))])).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/plains";
    p.create(path, custom("Plain", json!({}))).await;
    let answer = p.get(&format!("{path}/a/status")).await;
    assert_eq!(answer.code, 404, "{answer}");
}

async fn a_custom_resources_status_is_its_own(p: &Place) {
    let mut versions = json!([version("v1", json!({"n": {"type": "integer"}}))]);
    versions[0]["subresources"] = json!({"status": {}});
    p.define("Duty", versions).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/dutys";
    let mut object = custom("Duty", json!({"n": 1}));
    object["status"] = json!({"x": 1});
    let made = p.create(path, object).await;
    assert_eq!(made.get("status"), None);
    let mut change = made.clone();
    change["spec"]["n"] = json!(2);
    change["status"] = json!({"x": 2});
    let written = p.put(&format!("{path}/a/status"), change).await.value(200);
    assert_eq!((&written["spec"]["n"], &written["status"]["x"]), (&json!(1), &json!(2)));
    assert_eq!(p.get(&format!("{path}/a/status")).await.value(200), written);
}

async fn a_deployment_has_a_scale(p: &Place) {
    let made = p.create(DEPLOYMENTS, deployment("a")).await;
    let scale = p.get(&format!("{DEPLOYMENTS}/a/scale")).await.value(200);
    assert_eq!((scale["kind"].as_str(), scale["apiVersion"].as_str()), (Some("Scale"), Some("autoscaling/v1")));
    assert_eq!(
        (&scale["spec"], &scale["status"]),
        (&json!({"replicas": 1}), &json!({"replicas": 0, "selector": "app=a"}))
    );
    assert_eq!(scale["metadata"]["uid"], made["metadata"]["uid"]);
    assert_eq!(version_of(&scale), version_of(&made));
}

async fn a_deployment_is_scaled(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let path = format!("{DEPLOYMENTS}/a/scale");
    let scale = p.merge(&path, json!({"spec": {"replicas": 4}})).await.value(200);
    assert_eq!((&scale["kind"], &scale["spec"]["replicas"]), (&json!("Scale"), &json!(4)));
    let object = p.get(&format!("{DEPLOYMENTS}/a")).await.value(200);
    assert_eq!((&object["spec"]["replicas"], &object["metadata"]["generation"]), (&json!(4), &json!(2)));
    let mut scale = p.get(&path).await.value(200);
    scale["spec"]["replicas"] = json!(5);
    assert_eq!(p.put(&path, scale).await.value(200)["spec"]["replicas"], 5);
}

async fn a_stale_scale_is_a_conflict(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let path = format!("{DEPLOYMENTS}/a/scale");
    let mut old = p.get(&path).await.value(200);
    p.merge(&path, json!({"spec": {"replicas": 4}})).await.value(200);
    old["spec"]["replicas"] = json!(5);
    p.put(&path, old).await.refused_with(409, "Conflict", "Operation cannot be fulfilled on deployments.apps \"a\"");
}

async fn a_negative_scale_is_refused(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let answer = p.merge(&format!("{DEPLOYMENTS}/a/scale"), json!({"spec": {"replicas": -1}})).await;
    answer.refused_with(422, "Invalid", "spec.replicas: Invalid value: -1: must be greater than or equal to 0");
}

async fn a_custom_resource_is_scaled_by_its_paths(p: &Place) {
    let mut versions = json!([version("v1", json!({"size": {"type": "integer"}}))]);
    let paths = json!({"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size",
        "labelSelectorPath": ".status.selector"});
    versions[0]["subresources"] = json!({"status": {}, "scale": paths});
    p.define("Herd", versions).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/herds";
    p.create(path, custom("Herd", json!({"size": 2}))).await;
    let status = json!({"status": {"size": 1, "selector": "a=b"}});
    p.merge(&format!("{path}/a/status"), status).await.value(200);
    let scale = p.get(&format!("{path}/a/scale")).await.value(200);
    assert_eq!(
        (&scale["spec"], &scale["status"]),
        (&json!({"replicas": 2}), &json!({"replicas": 1, "selector": "a=b"}))
    );
    p.merge(&format!("{path}/a/scale"), json!({"spec": {"replicas": 7}})).await.value(200);
    assert_eq!(p.get(&format!("{path}/a")).await.value(200)["spec"]["size"], 7);
}

async fn a_scale_without_replicas_is_an_error(p: &Place) {
    let mut versions = json!([version("v1", json!({"size": {"type": "integer"}}))]);
    let paths = json!({"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"});
    versions[0]["subresources"] = json!({"status": {}, "scale": paths});
    p.define("Flock", versions).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/flocks";
    p.create(path, custom("Flock", json!({}))).await;
    let answer = p.get(&format!("{path}/a/scale")).await;
    let part = "the spec replicas field \".spec.size\" does not exist";
    answer.refused_with(500, "InternalError", part);
}

async fn a_pod_is_bound_once(p: &Place) {
    p.create(PODS, pod("a")).await;
    let binding = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"},
        "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}});
    let answer = p.post(&format!("{PODS}/a/binding"), binding.clone()).await.value(201);
    assert_eq!((&answer["kind"], &answer["status"]), (&json!("Status"), &json!("Success")));
    let bound = p.get(&format!("{PODS}/a")).await.value(200);
    assert_eq!(bound["spec"]["nodeName"], "n1");
    assert_eq!(bound["status"]["conditions"][0]["type"], "PodScheduled");
    assert_eq!(bound["status"]["conditions"][0]["status"], "True");
    let again = p.post(&format!("{PODS}/a/binding"), binding).await;
    let part = "pod a is already assigned to node \"n1\"";
    again.refused_with(409, "Conflict", part);
}

async fn a_pod_is_evicted(p: &Place) {
    p.create(PODS, pod("a")).await;
    let answer = p.post(&format!("{PODS}/a/eviction"), eviction("a")).await.value(201);
    assert_eq!((&answer["kind"], &answer["status"]), (&json!("Status"), &json!("Success")));
    p.get(&format!("{PODS}/a")).await.refused(404, "NotFound", "pods \"a\" not found");
}

async fn an_eviction_against_a_budget_is_refused(p: &Place) {
    let mut running = pod("a");
    running["spec"]["nodeName"] = json!("n1");
    p.create(PODS, running).await;
    let status = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    p.strategic(&format!("{PODS}/a/status"), status).await.value(200);
    let budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}});
    p.create(budgets, budget).await;
    let seen = json!({"status": {"observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 1,
        "desiredHealthy": 1, "expectedPods": 1}});
    p.merge(&format!("{budgets}/b/status"), seen).await.value(200);
    let answer = p.post(&format!("{PODS}/a/eviction"), eviction("a")).await;
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    let status = answer.refused(429, "TooManyRequests", message);
    assert_eq!(status["details"]["causes"][0]["reason"], "DisruptionBudget");
    assert_eq!(p.get(&format!("{PODS}/a")).await.code, 200);
}

async fn a_service_account_gives_tokens(p: &Place) {
    let accounts = "/api/v1/namespaces/{ns}/serviceaccounts";
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}});
    p.create(accounts, account).await;
    let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": {"audiences": ["suite"], "expirationSeconds": 3600}});
    let answer = p.post(&format!("{accounts}/robot/token"), request).await.value(201);
    let token = answer["status"]["token"].as_str().unwrap_or_default();
    assert_eq!(token.split('.').count(), 3, "a JSON web token");
    assert!(answer["status"]["expirationTimestamp"].is_string());
    assert_eq!(answer["spec"]["audiences"], json!(["suite"]));
}

async fn an_ephemeral_container_is_added(p: &Place) {
    p.create(PODS, pod("a")).await;
    let patch = json!({"spec": {"ephemeralContainers": [{"name": "debug", "image": "i"}]}});
    let path = format!("{PODS}/a/ephemeralcontainers");
    let written = p.strategic(&path, patch.clone()).await.value(200);
    assert_eq!(written["spec"]["ephemeralContainers"][0]["name"], "debug");
    let answer = p.strategic(&format!("{PODS}/a"), json!({"spec": {"ephemeralContainers": []}})).await;
    assert_eq!(answer.code, 200, "{answer}");
    let same = p.get(&format!("{PODS}/a")).await.value(200);
    assert_eq!(same["spec"]["ephemeralContainers"][0]["name"], "debug");
}

async fn a_namespace_is_finalized_by_its_own_path(p: &Place) {
    let path = "/api/v1/namespaces/{ns}-more";
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "{ns}-more"}});
    let mut made = p.create("/api/v1/namespaces", object).await;
    p.remove_later(path);
    assert_eq!(made["spec"]["finalizers"], json!(["kubernetes"]));
    made["spec"]["finalizers"] = json!(["kubernetes", "suite.example/hold"]);
    let held = p.put(&format!("{path}/finalize"), made.clone()).await.value(200);
    assert_eq!(held["spec"]["finalizers"], json!(["kubernetes", "suite.example/hold"]));
    made = held;
    made["spec"]["finalizers"] = json!(["kubernetes"]);
    p.put(&format!("{path}/finalize"), made).await.value(200);
}

async fn a_signing_request_is_approved(p: &Place) {
    let requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let request = json!({"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
        "metadata": {"name": "{ns}"}, "spec": {"request": SIGNING_REQUEST, "signerName": "suite.example/signer",
        "usages": ["client auth"]}});
    let mut made = p.create(requests, request).await;
    p.remove_later(&format!("{requests}/{{ns}}"));
    made["status"]["conditions"] = json!([{"type": "Approved", "status": "True", "reason": "Tested", "message": "ok"}]);
    let approved = p.put(&format!("{requests}/{{ns}}/approval"), made).await.value(200);
    assert_eq!(approved["status"]["conditions"][0]["type"], "Approved");
    assert!(approved["status"]["conditions"][0]["lastUpdateTime"].is_string());
}

fn custom(kind: &str, spec: Value) -> Value {
    json!({"apiVersion": "{group}/v1", "kind": kind, "metadata": {"name": "a"}, "spec": spec})
}

fn eviction(name: &str) -> Value {
    json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}})
}

/// A request for the common name `suite`, made for this test; its key is thrown away.
const SIGNING_REQUEST: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIS01ISUNBUUF3RURFT01Bd0dBMVVFQXd3RmMzVnBkR1V3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQgpCd05DQUFRUVdrK3JCYTFZaUk1dllzNldrR0ZXVFB2WkZVQXp3Zlh1MzlOUnBMcjhuTW5kMXdmVHczTnBjVzlJCkNWK3BVVTZVNWNyNUt4QWoxU0NhdS8wSTVlNW1vQUF3Q2dZSUtvWkl6ajBFQXdJRFNBQXdSUUlnSEJuQzRmb2sKeEFkRWNkbjVDd0x2b0d1Y2VSbHh1MTY1aEllRnhVRTFNZ2dDSVFDaW52UmJjeFlQVGl2NUF4QUJtQnEvakljbQpaYjhMV1A5cS9FUGdnUkxLWnc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";
