//! Namespaces: what is in each, and how one ends with everything in it.

use std::time::Duration;

use super::world::{World, names};
use pintle_apiserver::Server;
use serde_json::{Value, json};
use tokio::time::advance;

const NAMESPACES: &str = "/api/v1/namespaces";
const TEAM: &str = "/api/v1/namespaces/team";

async fn world() -> World {
    let world = World::new();
    world.post(NAMESPACES, json!({"metadata": {"name": "team"}})).await.expect(201);
    world
}

async fn map(world: &World, name: &str, finalizers: &[&str]) {
    let body = json!({"metadata": {"name": name, "finalizers": finalizers}});
    world.post(&format!("{TEAM}/configmaps"), body).await.expect(201);
}

fn condition<'a>(namespace: &'a Value, kind: &str) -> (&'a str, &'a str) {
    let conditions = namespace["status"]["conditions"].as_array().unwrap();
    let found = conditions.iter().find(|condition| condition["type"] == kind).unwrap();
    (found["status"].as_str().unwrap(), found["message"].as_str().unwrap())
}

#[tokio::test]
async fn a_deleted_namespace_takes_its_content_along() {
    let world = world().await;
    map(&world, "a", &[]).await;
    let now = world.server.revision();
    let mut watch = world.watch(&format!("{NAMESPACES}?watch=true&resourceVersion={now}")).await;
    let deleted = world.delete(TEAM).await.expect(200);
    assert_eq!((&deleted["kind"], &deleted["status"]["phase"]), (&json!("Namespace"), &json!("Terminating")));
    assert!(deleted["metadata"]["deletionTimestamp"].is_string());
    assert!(deleted["metadata"].get("deletionGracePeriodSeconds").is_none());
    assert_eq!(world.get(TEAM).await.code, 404);
    assert_eq!(names(&world.get("/api/v1/configmaps").await.expect(200)), Vec::<String>::new());
    assert_eq!(watch.next().await.unwrap()["object"]["status"], json!({"phase": "Terminating"}));
    let event = watch.next().await.unwrap();
    assert_eq!(condition(&event["object"], "NamespaceContentRemaining"), ("False", "All content successfully removed"));
    let last = watch.next().await.unwrap();
    assert_eq!((&last["type"], &last["object"]["spec"]["finalizers"]), (&json!("DELETED"), &json!(["kubernetes"])));
}

#[tokio::test]
async fn a_namespace_waits_for_what_is_held_back_and_says_what_that_is() {
    let world = world().await;
    map(&world, "held", &["example.com/hold"]).await;
    map(&world, "held-twice", &["example.com/hold", "a.com/b"]).await;
    let body = json!({"metadata": {"name": "held", "finalizers": ["example.com/hold"]}});
    world.post(&format!("{TEAM}/secrets"), body).await.expect(201);
    world.delete(TEAM).await.expect(200);
    let namespace = world.get(TEAM).await.expect(200);
    assert_eq!(
        condition(&namespace, "NamespaceContentRemaining"),
        (
            "True",
            "Some resources are remaining: configmaps. has 2 resource instances, secrets. has 1 resource instances"
        )
    );
    assert_eq!(
        condition(&namespace, "NamespaceFinalizersRemaining"),
        (
            "True",
            "Some content in the namespace has finalizers remaining: a.com/b in 1 resource instances, \
             example.com/hold in 3 resource instances"
        )
    );
    let refused = world.post(&format!("{TEAM}/configmaps"), json!({"metadata": {"name": "x"}})).await.expect(403);
    assert_eq!(
        refused["message"],
        "configmaps \"x\" is forbidden: unable to create new content in namespace team because it is being terminated"
    );
    assert_eq!(refused["details"]["causes"][0]["reason"], "NamespaceTerminating");
    assert_eq!(world.delete(TEAM).await.expect(200)["status"]["phase"], "Terminating", "again is the same");
    for path in ["configmaps/held", "configmaps/held-twice", "secrets/held"] {
        world.merge(&format!("{TEAM}/{path}"), json!({"metadata": {"finalizers": null}})).await.expect(200);
    }
    assert_eq!(world.get(TEAM).await.code, 404);
}

#[tokio::test]
async fn pods_go_first_and_nothing_else_before_them() {
    let world = world().await;
    map(&world, "used", &[]).await;
    let spec = json!({"nodeName": "n", "containers": [{"name": "a", "image": "b"}]});
    world.post(&format!("{TEAM}/pods"), json!({"metadata": {"name": "p"}, "spec": spec})).await.expect(201);
    world.delete(TEAM).await.expect(200);
    assert!(world.get(&format!("{TEAM}/pods/p")).await.expect(200)["metadata"]["deletionTimestamp"].is_string());
    assert!(names(&world.get(&format!("{TEAM}/configmaps")).await.expect(200)).contains(&"used".to_owned()));
    world.delete_with(&format!("{TEAM}/pods/p"), json!({"gracePeriodSeconds": 0})).await.expect(200);
    assert_eq!(world.get(TEAM).await.code, 404);
}

#[tokio::test]
async fn a_finalizer_of_its_own_is_taken_off_by_finalize_alone() {
    let world = world().await;
    let body = json!({"metadata": {"name": "team"}, "spec": {"finalizers": ["kubernetes", "example.com/mine"]}});
    world.put(&format!("{TEAM}/finalize"), &body).await.expect(200);
    world.delete(TEAM).await.expect(200);
    let waiting = world.get(TEAM).await.expect(200);
    assert_eq!(waiting["spec"]["finalizers"], json!(["example.com/mine"]));
    world.merge(TEAM, json!({"spec": {"finalizers": []}})).await.expect(200);
    assert_eq!(world.get(TEAM).await.expect(200)["spec"]["finalizers"], json!(["example.com/mine"]));
    world.put(&format!("{TEAM}/finalize"), &json!({"metadata": {"name": "team"}, "spec": {}})).await.expect(200);
    assert_eq!(world.get(TEAM).await.code, 404);
}

#[tokio::test]
async fn some_namespaces_stay_for_ever() {
    let world = World::new();
    for name in ["default", "kube-system", "kube-public"] {
        let reply = world.delete(&format!("{NAMESPACES}/{name}")).await;
        let expected = format!("namespaces \"{name}\" is forbidden: this namespace may not be deleted");
        assert_eq!((reply.code, reply.message()), (403, expected));
    }
    world.delete(&format!("{NAMESPACES}/kube-node-lease")).await.expect(200);
}

#[tokio::test]
async fn every_namespace_has_a_service_account_which_comes_back() {
    let world = world().await;
    let path = format!("{TEAM}/serviceaccounts/default");
    let first = world.get(&path).await.expect(200);
    world.delete(&path).await.expect(200);
    assert_ne!(world.get(&path).await.expect(200)["metadata"]["uid"], first["metadata"]["uid"]);
    let service = world.get("/api/v1/namespaces/default/services/kubernetes").await.expect(200);
    assert_eq!(service["spec"]["clusterIP"], "10.0.0.1");
    let bare = World { server: Server::builder().namespace_defaults(false).build() };
    assert_eq!(names(&bare.get("/api/v1/serviceaccounts").await.expect(200)), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn events_go_an_hour_after_they_were_last_written() {
    let world = World::new();
    let events = "/api/v1/namespaces/default/events";
    let event = |name: &str| json!({"metadata": {"name": name}, "involvedObject": {"namespace": "default"}});
    world.post(events, event("a")).await.expect(201);
    world.post(events, event("b")).await.expect(201);
    advance(Duration::from_secs(1800)).await;
    world.merge(&format!("{events}/b"), json!({"count": 2})).await.expect(200);
    let mut watch = world.watch(&format!("{events}?watch=true&resourceVersion={}", world.server.revision())).await;
    advance(Duration::from_secs(1801)).await;
    assert_eq!(names(&world.get(events).await.expect(200)), ["b"]);
    assert!(watch.line().await.starts_with("DELETED a@"));
    advance(Duration::from_secs(1800)).await;
    assert_eq!(names(&world.get(events).await.expect(200)), Vec::<String>::new());
}
