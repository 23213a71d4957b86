//! Deleted volumes and claims stay while they are in use. The script `delete/in-use` shows all of it.

use super::world::{World, pod_spec};
use pintle_apiserver::Server;
use serde_json::json;

const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const PODS: &str = "/api/v1/namespaces/default/pods";

async fn claim(world: &World) {
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let created = world.post(CLAIMS, json!({"metadata": {"name": "c"}, "spec": spec})).await.expect(201);
    assert_eq!(created["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
}

#[tokio::test]
async fn a_claim_waits_for_the_pods_that_use_it_and_no_others() {
    let world = World::new();
    claim(&world).await;
    let volumes = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]);
    for (name, more) in [("user", json!({"nodeName": "n", "volumes": volumes})), ("other", json!({"nodeName": "n"}))] {
        world.post(PODS, json!({"metadata": {"name": name}, "spec": pod_spec(more)})).await.expect(201);
    }
    world.delete(&format!("{CLAIMS}/c")).await.expect(200);
    world.delete(&format!("{PODS}/other?gracePeriodSeconds=0")).await.expect(200);
    let waiting = world.get(&format!("{CLAIMS}/c")).await.expect(200);
    assert!(waiting["metadata"]["deletionTimestamp"].is_string());
    world.delete(&format!("{PODS}/user?gracePeriodSeconds=0")).await.expect(200);
    assert_eq!(world.get(&format!("{CLAIMS}/c")).await.code, 404);
}

/// Such a claim is let go while its pod, which is shut down, still waits for a finalizer of its own.
#[tokio::test]
async fn a_claim_that_was_made_for_a_pod_goes_once_that_is_shut_down() {
    let world = World::new();
    let template = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let volumes = json!([{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": template}}}]);
    let metadata = json!({"name": "p", "finalizers": ["example.com/wait"]});
    let spec = pod_spec(json!({"nodeName": "n", "volumes": volumes}));
    let pod = world.post(PODS, json!({"metadata": metadata, "spec": spec})).await.expect(201);
    let owner =
        json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": pod["metadata"]["uid"], "controller": true});
    let made = json!({"metadata": {"name": "p-v", "ownerReferences": [owner]}, "spec": template});
    world.post(CLAIMS, made).await.expect(201);
    world.delete(&format!("{CLAIMS}/p-v")).await.expect(200);
    world.merge(&format!("{PODS}/p"), json!({"metadata": {"labels": {"a": "b"}}})).await.expect(200);
    world.get(&format!("{CLAIMS}/p-v")).await.expect(200);
    world.delete(&format!("{PODS}/p?gracePeriodSeconds=0")).await.expect(200);
    world.get(&format!("{PODS}/p")).await.expect(200);
    assert_eq!(world.get(&format!("{CLAIMS}/p-v")).await.code, 404);
}

#[tokio::test]
async fn without_controllers_a_deleted_claim_stays_until_a_client_removes_the_finalizer() {
    let world = World { server: Server::builder().garbage_collection(false).build() };
    claim(&world).await;
    world.delete(&format!("{CLAIMS}/c")).await.expect(200);
    world.get(&format!("{CLAIMS}/c")).await.expect(200);
    world.merge(&format!("{CLAIMS}/c"), json!({"metadata": {"finalizers": null}})).await.expect(200);
    assert_eq!(world.get(&format!("{CLAIMS}/c")).await.code, 404);
}

#[tokio::test]
async fn a_namespace_ends_with_a_claim_in_it() {
    let world = World::new();
    world.post("/api/v1/namespaces", json!({"metadata": {"name": "n"}})).await.expect(201);
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let claims = "/api/v1/namespaces/n/persistentvolumeclaims";
    world.post(claims, json!({"metadata": {"name": "c"}, "spec": spec})).await.expect(201);
    world.delete("/api/v1/namespaces/n").await.expect(200);
    assert_eq!(world.get("/api/v1/namespaces/n").await.code, 404);
}
