//! StatefulSets: pods by their numbers, each with volumes that outlive it.

use serde_json::{Value, json};

use super::pods::{items, name_of, owner_of, selector, template};
use crate::behaviour::behaviours;
use crate::place::{PODS, Place};

behaviours! {
    "StatefulSet": pods_come_in_their_order_once_the_one_before_is_ready,
        a_pod_has_its_number_and_its_name_as_labels,
        a_claim_is_made_for_each_pod_and_stays,
        pods_come_all_at_once_if_that_is_the_policy,
        the_last_pod_goes_first,
        a_pod_that_was_deleted_comes_back_under_its_name,
        an_update_begins_with_the_last_and_stops_at_its_partition,
        a_stateful_set_counts_by_revision;
}

const SETS: &str = "/apis/apps/v1/namespaces/{ns}/statefulsets";
const DB: &str = "/apis/apps/v1/namespaces/{ns}/statefulsets/db";
const CLAIMS: &str = "/api/v1/namespaces/{ns}/persistentvolumeclaims";

async fn stateful_set(p: &Place, replicas: usize, more: Value) {
    let mut body = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
        "spec": {"replicas": replicas, "serviceName": "db", "selector": selector(), "template": template("a")},
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        body["spec"][field] = value.clone();
    }
    p.create(SETS, body).await;
}

fn sorted(pods: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = pods.iter().map(|pod| name_of(pod).to_owned()).collect();
    names.sort();
    names
}

async fn names_become(p: &Place, names: &[&str]) {
    p.becomes(&format!("pods are {names:?}"), PODS, |list| sorted(&items(list)) == names).await;
}

async fn pods_come_in_their_order_once_the_one_before_is_ready(p: &Place) {
    stateful_set(p, 3, json!({})).await;
    names_become(p, &["db-0"]).await;
    p.becomes("it has counted one", DB, |set| set["status"]["replicas"] == 1).await;
    assert_eq!(sorted(&p.pods().await), ["db-0"], "the second waits for the first");
    p.run_pod("db-0", "10.1.0.1").await;
    names_become(p, &["db-0", "db-1"]).await;
    p.run_pod("db-1", "10.1.0.2").await;
    names_become(p, &["db-0", "db-1", "db-2"]).await;
}

async fn a_pod_has_its_number_and_its_name_as_labels(p: &Place) {
    stateful_set(p, 1, json!({})).await;
    names_become(p, &["db-0"]).await;
    let pod = p.get(&format!("{PODS}/db-0")).await.value(200);
    let labels = &pod["metadata"]["labels"];
    assert_eq!(labels["statefulset.kubernetes.io/pod-name"], "db-0");
    assert_eq!(labels["apps.kubernetes.io/pod-index"], "0");
    let set = p.becomes("it has a revision", DB, |set| set["status"]["updateRevision"].is_string()).await;
    assert_eq!(labels["controller-revision-hash"], set["status"]["updateRevision"]);
    assert_eq!((&pod["spec"]["hostname"], &pod["spec"]["subdomain"]), (&json!("db-0"), &json!("db")));
    assert_eq!(owner_of(&pod)["kind"], "StatefulSet");
    assert_eq!(pod["metadata"]["generateName"], "db-");
}

async fn a_claim_is_made_for_each_pod_and_stays(p: &Place) {
    let claim = json!({
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}},
    });
    stateful_set(p, 1, json!({"volumeClaimTemplates": [claim]})).await;
    names_become(p, &["db-0"]).await;
    let pod = p.get(&format!("{PODS}/db-0")).await.value(200);
    let volumes = pod["spec"]["volumes"].as_array().cloned().unwrap_or_default();
    let data = volumes.iter().find(|volume| volume["name"] == "data").cloned().unwrap_or_default();
    assert_eq!(data["persistentVolumeClaim"]["claimName"], "data-db-0");
    let made = p.get(&format!("{CLAIMS}/data-db-0")).await.value(200);
    assert_eq!(made["metadata"]["labels"], json!({"app": "web"}));
    assert!(made["metadata"].get("ownerReferences").is_none());
    p.merge(DB, json!({"spec": {"replicas": 0}})).await.value(200);
    names_become(p, &[]).await;
    assert_eq!(p.get(&format!("{CLAIMS}/data-db-0")).await.value(200)["metadata"]["uid"], made["metadata"]["uid"]);
}

async fn pods_come_all_at_once_if_that_is_the_policy(p: &Place) {
    stateful_set(p, 3, json!({"podManagementPolicy": "Parallel"})).await;
    names_become(p, &["db-0", "db-1", "db-2"]).await;
}

async fn the_last_pod_goes_first(p: &Place) {
    stateful_set(p, 2, json!({"podManagementPolicy": "Parallel"})).await;
    names_become(p, &["db-0", "db-1"]).await;
    p.run_pods().await;
    p.becomes("both are ready", DB, |set| set["status"]["readyReplicas"] == 2).await;
    p.merge(DB, json!({"spec": {"replicas": 1}})).await.value(200);
    names_become(p, &["db-0"]).await;
}

async fn a_pod_that_was_deleted_comes_back_under_its_name(p: &Place) {
    stateful_set(p, 1, json!({})).await;
    names_become(p, &["db-0"]).await;
    let path = format!("{PODS}/db-0");
    let first = p.get(&path).await.value(200)["metadata"]["uid"].clone();
    p.delete(&path).await.value(200);
    p.becomes("it is another one", &path, |pod| pod["metadata"]["uid"].is_string() && pod["metadata"]["uid"] != first)
        .await;
}

async fn an_update_begins_with_the_last_and_stops_at_its_partition(p: &Place) {
    let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 1}});
    stateful_set(p, 2, json!({"podManagementPolicy": "Parallel", "updateStrategy": strategy})).await;
    names_become(p, &["db-0", "db-1"]).await;
    p.run_pods().await;
    p.becomes("both are ready", DB, |set| set["status"]["readyReplicas"] == 2).await;
    p.merge(DB, json!({"spec": {"template": template("b")}})).await.value(200);
    let image = |pod: &Value| pod["spec"]["containers"][0]["image"].clone();
    p.becomes("the last is new", &format!("{PODS}/db-1"), |pod| image(pod) == "b").await;
    p.run_pod("db-1", "10.1.0.9").await;
    let set = p
        .becomes("one is updated", DB, |set| {
            set["status"]["updatedReplicas"] == 1 && set["status"]["readyReplicas"] == 2
        })
        .await;
    assert_eq!(image(&p.get(&format!("{PODS}/db-0")).await.value(200)), "a");
    assert_ne!(set["status"]["currentRevision"], set["status"]["updateRevision"]);
    p.merge(DB, json!({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}})).await.value(200);
    p.becomes("the first is new", &format!("{PODS}/db-0"), |pod| image(pod) == "b").await;
}

async fn a_stateful_set_counts_by_revision(p: &Place) {
    stateful_set(p, 1, json!({})).await;
    names_become(p, &["db-0"]).await;
    p.run_pods().await;
    let done = p.becomes("it is available", DB, |set| set["status"]["availableReplicas"] == 1).await;
    let status = &done["status"];
    assert_eq!(status["currentRevision"], status["updateRevision"]);
    for field in ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "observedGeneration"] {
        assert_eq!(status[field], 1, "{field}: {status}");
    }
    assert_eq!(status["collisionCount"], 0);
    let revision = format!(
        "/apis/apps/v1/namespaces/{{ns}}/controllerrevisions/{}",
        status["currentRevision"].as_str().unwrap_or_default()
    );
    let revision = p.get(&revision).await.value(200);
    assert_eq!((&revision["revision"], &owner_of(&revision)["name"]), (&json!(1), &json!("db")));
}
