//! What a namespace may have in all, and what its containers may ask for. The scripts `admission/quota` and
//! `admission/limit-ranges` show the words.

use futures::future::join_all;
use serde_json::{Value, json};

use super::world::{MAPS, World};

const QUOTAS: &str = "/api/v1/namespaces/default/resourcequotas";
const PODS: &str = "/api/v1/namespaces/default/pods";

fn quota(name: &str, hard: &Value) -> Value {
    json!({"metadata": {"name": name}, "spec": {"hard": hard}})
}

fn pod(name: &str, cpu: &str) -> Value {
    let container = json!({"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}});
    json!({"metadata": {"name": name}, "spec": {"containers": [container]}})
}

async fn used(world: &World, name: &str) -> Value {
    world.get(&format!("{QUOTAS}/{name}")).await.expect(200)["status"]["used"].clone()
}

#[tokio::test]
async fn fifty_writers_at_once_get_no_more_than_the_quota() {
    let world = World::new();
    world.post(QUOTAS, quota("q", &json!({"count/configmaps": "10"}))).await.expect(201);
    let names: Vec<String> = (0..50).map(|number| format!("m{number}")).collect();
    let answers = join_all(names.iter().map(|name| world.post(MAPS, json!({"metadata": {"name": name}})))).await;
    let made = answers.iter().filter(|answer| answer.code == 201).count();
    assert_eq!((made, answers.iter().filter(|answer| answer.code == 403).count()), (10, 40));
    assert_eq!(used(&world, "q").await, json!({"count/configmaps": "10"}));
    world.delete(MAPS).await.expect(200);
    assert_eq!(used(&world, "q").await, json!({"count/configmaps": "0"}), "what is gone is given back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_on_several_threads_get_no_more_than_the_quota() {
    let world = std::sync::Arc::new(World::new());
    world.post(QUOTAS, quota("q", &json!({"pods": "20", "requests.cpu": "1"}))).await.expect(201);
    let tasks = (0..40).map(|number| {
        let world = std::sync::Arc::clone(&world);
        tokio::spawn(async move { world.post(PODS, pod(&format!("p{number}"), "100m")).await.code })
    });
    let codes: Vec<u16> = join_all(tasks).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(codes.iter().filter(|code| **code == 201).count(), 10, "{codes:?}");
    assert_eq!(used(&world, "q").await, json!({"pods": "10", "requests.cpu": "1"}));
}

#[tokio::test]
async fn a_quota_counts_what_was_there_before_it_and_what_is_over_no_longer() {
    let world = World::new();
    world.post(PODS, pod("a", "250m")).await.expect(201);
    world.post(QUOTAS, quota("q", &json!({"count/pods": "5", "pods": "5", "requests.cpu": "2"}))).await.expect(201);
    world.post(PODS, pod("b", "1")).await.expect(201);
    assert_eq!(used(&world, "q").await, json!({"count/pods": "2", "pods": "2", "requests.cpu": "1250m"}));
    world.merge(&format!("{PODS}/b/status"), json!({"status": {"phase": "Succeeded"}})).await.expect(200);
    assert_eq!(used(&world, "q").await, json!({"count/pods": "2", "pods": "1", "requests.cpu": "250m"}));
    world.delete(&format!("{PODS}/a?gracePeriodSeconds=0")).await.expect(200);
    assert_eq!(used(&world, "q").await, json!({"count/pods": "1", "pods": "0", "requests.cpu": "0"}));
}

#[tokio::test]
async fn a_dry_run_and_a_taken_name_cost_nothing() {
    let world = World::new();
    world.post(QUOTAS, quota("q", &json!({"configmaps": "2"}))).await.expect(201);
    world.post(&format!("{MAPS}?dryRun=All"), json!({"metadata": {"name": "a"}})).await.expect(201);
    assert_eq!(used(&world, "q").await, json!({"configmaps": "0"}));
    world.map("a").await;
    world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(409);
    assert_eq!(used(&world, "q").await, json!({"configmaps": "1"}));
}

#[tokio::test]
async fn custom_resources_are_counted_as_well() {
    let world = World::new();
    world.define().await;
    world.post(QUOTAS, quota("q", &json!({"count/documents.example.com": "1"}))).await.expect(201);
    world.post(super::world::DOCUMENTS, json!({"metadata": {"name": "a"}})).await.expect(201);
    let refused = world.post(super::world::DOCUMENTS, json!({"metadata": {"name": "b"}})).await;
    assert_eq!(
        refused.message(),
        "documents.example.com \"b\" is forbidden: exceeded quota: q, requested: count/documents.example.com=1, used: \
         count/documents.example.com=1, limited: count/documents.example.com=1"
    );
}

#[tokio::test]
async fn a_bigger_claim_is_charged_for_the_difference() {
    let world = World::new();
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    world.post(QUOTAS, quota("q", &json!({"requests.storage": "3Gi"}))).await.expect(201);
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    world.post(claims, json!({"metadata": {"name": "c"}, "spec": spec})).await.expect(201);
    assert_eq!(used(&world, "q").await, json!({"requests.storage": "1Gi"}));
    let refused = world
        .post(
            claims,
            json!({"metadata": {"name": "d"}, "spec": {"accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "2049Mi"}}}}),
        )
        .await;
    assert_eq!(
        refused.message(),
        "persistentvolumeclaims \"d\" is forbidden: exceeded quota: q, requested: requests.storage=2049Mi, used: \
         requests.storage=1Gi, limited: requests.storage=3Gi"
    );
}

#[tokio::test]
async fn a_limit_range_fills_in_and_refuses() {
    let world = World::new();
    let limit = json!({"type": "Container", "default": {"cpu": "500m"}, "defaultRequest": {"cpu": "250m"}, "max": {"cpu": "1"}});
    world
        .post("/api/v1/namespaces/default/limitranges", json!({"metadata": {"name": "l"}, "spec": {"limits": [limit]}}))
        .await
        .expect(201);
    let bare = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let made = world.post(PODS, bare).await.expect(201);
    assert_eq!(
        made["spec"]["containers"][0]["resources"],
        json!({"limits": {"cpu": "500m"}, "requests": {"cpu": "250m"}})
    );
    assert_eq!(made["status"]["qosClass"], "Burstable", "it is judged by what it was given");
    assert_eq!(
        made["metadata"]["annotations"]["kubernetes.io/limit-ranger"],
        "LimitRanger plugin set: cpu request for container c; cpu limit for container c"
    );
    let mut big = pod("b", "1");
    big["spec"]["containers"][0]["resources"]["limits"] = json!({"cpu": "2"});
    let refused = world.post(PODS, big).await;
    assert_eq!(refused.message(), "pods \"b\" is forbidden: maximum cpu usage per Container is 1, but limit is 2");
}
