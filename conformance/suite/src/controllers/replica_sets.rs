//! ReplicaSets: as many pods as they say, adopted, released and counted.

use serde_json::{Value, json};

use super::pods::{condition, items, name_of, owner_of, selector, template};
use crate::behaviour::behaviours;
use crate::place::{PODS, Place};

behaviours! {
    "ReplicaSet": a_replica_set_makes_as_many_pods_as_it_says,
        a_replica_set_is_scaled_up_and_down,
        a_pod_that_is_not_ready_goes_first,
        a_deleted_pod_is_made_anew,
        a_failed_pod_is_replaced_and_does_not_count,
        an_orphan_that_fits_is_adopted,
        a_pod_whose_labels_change_is_released,
        a_replica_set_counts_its_pods,
        pods_that_are_refused_are_said_to_be;
}

const SETS: &str = "/apis/apps/v1/namespaces/{ns}/replicasets";
const WEB: &str = "/apis/apps/v1/namespaces/{ns}/replicasets/web";

async fn replica_set(p: &Place, replicas: usize) -> Value {
    let set = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "selector": selector(), "template": template("a")},
    });
    p.create(SETS, set).await
}

async fn a_replica_set_makes_as_many_pods_as_it_says(p: &Place) {
    replica_set(p, 2).await;
    for pod in p.pods_become(2).await {
        assert_eq!(pod["metadata"]["generateName"], "web-");
        let suffix = name_of(&pod).strip_prefix("web-").unwrap_or_default();
        assert_eq!(suffix.len(), 5, "{}", name_of(&pod));
        assert_eq!(pod["metadata"]["labels"], json!({"app": "web"}));
        assert_eq!(
            owner_of(&pod),
            json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "controller": true, "blockOwnerDeletion": true})
        );
    }
}

async fn a_replica_set_is_scaled_up_and_down(p: &Place) {
    replica_set(p, 1).await;
    p.pods_become(1).await;
    p.merge(&format!("{WEB}/scale"), json!({"spec": {"replicas": 3}})).await.value(200);
    p.pods_become(3).await;
    p.merge(WEB, json!({"spec": {"replicas": 0}})).await.value(200);
    p.pods_become(0).await;
    p.becomes("it has counted", WEB, |set| {
        set["status"] == json!({"observedGeneration": 3, "replicas": 0, "terminatingReplicas": 0})
    })
    .await;
}

async fn a_pod_that_is_not_ready_goes_first(p: &Place) {
    replica_set(p, 3).await;
    let pods = p.pods_become(3).await;
    let ready = name_of(&pods[1]);
    p.run_pod(ready, "10.1.0.1").await;
    p.becomes("one is ready", WEB, |set| set["status"]["readyReplicas"] == 1).await;
    p.merge(WEB, json!({"spec": {"replicas": 1}})).await.value(200);
    assert_eq!(name_of(&p.pods_become(1).await[0]), ready);
}

async fn a_deleted_pod_is_made_anew(p: &Place) {
    replica_set(p, 1).await;
    let first = name_of(&p.pods_become(1).await[0]).to_owned();
    p.delete(&format!("{PODS}/{first}")).await.value(200);
    p.becomes("there is another", PODS, |list| items(list).len() == 1 && name_of(&items(list)[0]) != first).await;
}

async fn a_failed_pod_is_replaced_and_does_not_count(p: &Place) {
    replica_set(p, 1).await;
    let first = name_of(&p.pods_become(1).await[0]).to_owned();
    p.end_pod(&first, 1).await;
    let pods = p.pods_become(2).await;
    assert!(pods.iter().any(|pod| name_of(pod) == first), "it stays to be looked at");
    p.becomes("one counts", WEB, |set| set["status"]["replicas"] == 1).await;
}

async fn an_orphan_that_fits_is_adopted(p: &Place) {
    let mut orphan = template("a");
    orphan["apiVersion"] = json!("v1");
    orphan["kind"] = json!("Pod");
    orphan["metadata"]["name"] = json!("orphan");
    p.create(PODS, orphan).await;
    replica_set(p, 2).await;
    let pods = p.pods_become(2).await;
    assert!(pods.iter().any(|pod| name_of(pod) == "orphan"));
    let adopted = p.becomes("it has an owner", &format!("{PODS}/orphan"), |pod| owner_of(pod)["name"] == "web").await;
    assert_eq!(owner_of(&adopted)["controller"], true);
}

async fn a_pod_whose_labels_change_is_released(p: &Place) {
    replica_set(p, 1).await;
    let first = name_of(&p.pods_become(1).await[0]).to_owned();
    let path = format!("{PODS}/{first}");
    p.merge(&path, json!({"metadata": {"labels": {"app": "other"}}})).await.value(200);
    p.pods_become(2).await;
    p.becomes("it has no owner", &path, |pod| pod["metadata"].get("ownerReferences").is_none()).await;
}

async fn a_replica_set_counts_its_pods(p: &Place) {
    replica_set(p, 2).await;
    p.pods_become(2).await;
    let made = p.becomes("both are there", WEB, |set| set["status"]["replicas"] == 2).await;
    assert_eq!(
        made["status"],
        json!({"replicas": 2, "fullyLabeledReplicas": 2, "terminatingReplicas": 0, "observedGeneration": 1})
    );
    p.run_pods().await;
    let ready = p.becomes("both are available", WEB, |set| set["status"]["availableReplicas"] == 2).await;
    let counts = json!({"replicas": 2, "fullyLabeledReplicas": 2, "readyReplicas": 2, "availableReplicas": 2, "terminatingReplicas": 0, "observedGeneration": 1});
    assert_eq!(ready["status"], counts);
}

async fn pods_that_are_refused_are_said_to_be(p: &Place) {
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": {"hard": {"pods": "0"}}});
    p.create("/api/v1/namespaces/{ns}/resourcequotas", quota).await;
    let path = "/api/v1/namespaces/{ns}/resourcequotas/none";
    p.becomes("the quota is counted", path, |quota| quota["status"]["used"]["pods"] == "0").await;
    replica_set(p, 1).await;
    let set = p.becomes("it fails", WEB, |set| condition(set, "ReplicaFailure").0 == "True").await;
    let (_, reason, message) = condition(&set, "ReplicaFailure");
    assert_eq!(reason, "FailedCreate");
    assert!(message.contains("is forbidden: exceeded quota: none"), "{message}");
    p.delete(path).await.value(200);
    p.pods_become(1).await;
    p.becomes("nothing fails any more", WEB, |set| set["status"].get("conditions").is_none()).await;
}
