//! DELETE: gone, marked, refused.

use super::world::{DOCUMENTS, MAPS, World, names, pod_spec};
use serde_json::json;

const PODS: &str = "/api/v1/namespaces/default/pods";

#[tokio::test]
async fn a_deleted_object_is_answered_by_a_status_or_by_itself() {
    let world = World::new();
    world.map("a").await;
    let uid = world.get(&format!("{MAPS}/a")).await.expect(200)["metadata"]["uid"].clone();
    let status = world.delete(&format!("{MAPS}/a")).await.expect(200);
    let details = json!({"name": "a", "kind": "configmaps", "uid": uid});
    let expected =
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details});
    assert_eq!(status, expected);
    assert_eq!(world.delete(&format!("{MAPS}/a")).await.expect(404)["message"], "configmaps \"a\" not found");
    world.post(PODS, json!({"metadata": {"name": "p"}, "spec": pod_spec(json!({}))})).await.expect(201);
    assert_eq!(world.delete(&format!("{PODS}/p")).await.expect(200)["kind"], "Pod");
}

#[tokio::test]
async fn finalizers_keep_a_marked_object_until_the_last_is_removed() {
    let world = World::new();
    world.define().await;
    let path = format!("{DOCUMENTS}/a");
    world.post(DOCUMENTS, json!({"metadata": {"name": "a", "finalizers": ["x/1", "x/2"]}})).await.expect(201);
    let marked = world.delete(&path).await.expect(200);
    assert!(marked["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(marked["metadata"]["generation"], 2);
    assert_eq!(world.delete(&path).await.expect(200), marked, "a second delete changes nothing");
    let exists = world.post(DOCUMENTS, json!({"metadata": {"name": "a"}})).await.expect(409);
    assert_eq!(exists["message"], "object is being deleted: documents.example.com \"a\" already exists");
    let added = world.merge(&path, json!({"metadata": {"finalizers": ["x/1", "x/2", "x/3"]}})).await;
    assert_eq!(added.code, 422);
    assert!(added.message().contains("metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{\"x/3\"}"), "{}", added.text);
    let mut watch = world.watch(&format!("{DOCUMENTS}?watch=true&resourceVersion={}", world.server.revision())).await;
    world.merge(&path, json!({"metadata": {"finalizers": ["x/2"]}})).await.expect(200);
    let last = world.merge(&path, json!({"metadata": {"finalizers": null}})).await.expect(200);
    assert_eq!(last["kind"], "Document");
    assert!(last["metadata"].get("finalizers").is_none(), "the answer is what was asked for");
    let modified = watch.next().await.unwrap();
    let mut deleted = watch.next().await.unwrap();
    assert_eq!((&modified["type"], &deleted["type"]), (&json!("MODIFIED"), &json!("DELETED")));
    assert_eq!(deleted["object"]["metadata"]["resourceVersion"], world.server.revision().to_string());
    deleted["object"]["metadata"]["resourceVersion"] = modified["object"]["metadata"]["resourceVersion"].clone();
    assert_eq!(deleted["object"], modified["object"], "watchers receive the last state that was stored");
    assert!(watch.is_quiet());
    assert_eq!(world.get(&path).await.code, 404);
}

#[tokio::test]
async fn preconditions_protect_against_deleting_another_object() {
    let world = World::new();
    let first = world.map("a").await;
    let path = format!("{MAPS}/a");
    let uid = world.get(&path).await.expect(200)["metadata"]["uid"].as_str().unwrap().to_owned();
    let status = world.delete_with(&path, json!({"preconditions": {"uid": "other"}})).await.expect(409);
    assert_eq!(
        status["message"],
        format!(
            "Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (other) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
        )
    );
    assert_eq!(status["details"]["kind"], "ConfigMap");
    assert_eq!(world.delete_with(&path, json!({"preconditions": {"resourceVersion": "1"}})).await.code, 409);
    world.delete_with(&path, json!({"preconditions": {"uid": uid, "resourceVersion": first}})).await.expect(200);
}

#[tokio::test]
async fn delete_options_are_checked() {
    let world = World::new();
    world.map("a").await;
    let path = format!("{MAPS}/a");
    let both = world.delete_with(&path, json!({"orphanDependents": true, "propagationPolicy": "Orphan"})).await;
    assert_eq!(both.code, 422);
    assert!(both.message().contains("orphanDependents and deletionPropagation cannot be both set"), "{}", both.text);
    assert_eq!(world.delete(&format!("{path}?propagationPolicy=Sideways")).await.code, 422);
    assert_eq!(world.delete_with(&path, json!("text")).await.code, 400);
    world
        .delete_with(&path, json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}))
        .await
        .expect(200);
}

#[tokio::test]
async fn a_scheduled_pod_is_given_its_grace_period() {
    let world = World::new();
    let pod = |name: &str, spec| json!({"metadata": {"name": name}, "spec": pod_spec(spec)});
    world.post(PODS, pod("p", json!({"nodeName": "n", "terminationGracePeriodSeconds": 40}))).await.expect(201);
    let path = format!("{PODS}/p");
    let marked = world.delete(&path).await.expect(200);
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 40);
    let longer = world.delete(&format!("{path}?gracePeriodSeconds=60")).await.expect(200);
    assert_eq!(longer, marked, "it can only get shorter");
    let shorter = world.delete(&format!("{path}?gracePeriodSeconds=5")).await.expect(200);
    assert_eq!(shorter["metadata"]["deletionGracePeriodSeconds"], 5);
    let moment = |object: &serde_json::Value| {
        object["metadata"]["deletionTimestamp"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap()
    };
    assert_eq!((moment(&marked) - moment(&shorter)).get_seconds(), 35, "counted from the first delete");
    world.merge(&format!("{path}/status"), json!({"status": {"phase": "Succeeded"}})).await.expect(200);
    assert_eq!(world.delete(&path).await.expect(200)["metadata"]["deletionGracePeriodSeconds"], 5, "it goes on");
    world.delete(&format!("{path}?gracePeriodSeconds=0")).await.expect(200);
    assert_eq!(world.get(&path).await.code, 404);
}

#[tokio::test]
async fn a_pod_that_goes_at_once_is_seen_marked_first() {
    let world = World::new();
    let created = world.post(PODS, json!({"metadata": {"name": "p"}, "spec": pod_spec(json!({}))})).await.expect(201);
    let from = created["metadata"]["resourceVersion"].as_str().unwrap();
    let mut watch = world.watch(&format!("{PODS}?watch=true&resourceVersion={from}")).await;
    let gone = world.delete(&format!("{PODS}/p")).await.expect(200);
    let marked = watch.next().await.unwrap();
    assert_eq!((&marked["type"], &marked["object"]["metadata"]["generation"]), (&json!("MODIFIED"), &json!(2)));
    assert_eq!(marked["object"]["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(watch.next().await.unwrap(), json!({"type": "DELETED", "object": gone}));
    assert!(watch.is_quiet());
}

#[tokio::test]
async fn a_collection_is_deleted_by_its_selectors() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        world.map(name).await;
    }
    let deleted = world.delete(&format!("{MAPS}?labelSelector=app+in+(a,b)")).await.expect(200);
    assert_eq!((&deleted["kind"], names(&deleted)), (&json!("ConfigMapList"), vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(names(&world.get(MAPS).await.expect(200)), ["c"]);
}
