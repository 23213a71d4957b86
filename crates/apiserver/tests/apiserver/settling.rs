//! What follows from a write comes after its answer, and before anything that must be most recent.

use std::time::Duration;

use super::world::{DEFINITIONS, DOCUMENTS, MAPS, World};
use futures::FutureExt;
use serde_json::{Value, json};
use tokio::time::timeout;

const DOCUMENT_DEFINITION: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/documents.example.com";

async fn document(world: &World, name: &str) -> Value {
    let body =
        json!({"apiVersion": "example.com/v1", "kind": "Document", "metadata": {"name": name}, "spec": {"title": "t"}});
    world.post(DOCUMENTS, body).await.expect(201)
}

/// What comes within a time that is long for a controller.
async fn soon<T>(coming: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(5), coming).await.unwrap()
}

/// A map that goes with its owner.
async fn owned(world: &World, name: &str, owner: &Value) {
    let reference = json!({
        "apiVersion": owner["apiVersion"], "kind": owner["kind"],
        "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
    });
    world.post(MAPS, json!({"metadata": {"name": name, "ownerReferences": [reference]}})).await.expect(201);
}

#[tokio::test]
async fn a_watch_from_any_version_begun_after_a_definition_was_deleted_sees_its_end() {
    let world = World::new();
    world.define().await;
    document(&world, "d").await;
    let marked = world.delete(DOCUMENT_DEFINITION).await.expect(200);
    assert_eq!(marked["metadata"]["finalizers"], json!(["customresourcecleanup.apiextensions.k8s.io"]));
    let mut watch = world.watch(&format!("{DEFINITIONS}?watch=1&resourceVersion=0")).await;
    let first = soon(watch.next()).await.unwrap();
    assert_eq!(first["type"], "ADDED", "it was not gone yet: {first}");
    assert!(first["object"]["metadata"]["deletionTimestamp"].is_string());
    let mut last = first;
    while last["type"] != "DELETED" {
        last = soon(watch.next()).await.unwrap();
    }
    assert_eq!(last["object"]["metadata"]["name"], "documents.example.com");
}

#[tokio::test]
async fn an_open_watch_sees_what_follows_without_another_request() {
    let world = World::new();
    world.define().await;
    let owner = document(&world, "owner").await;
    owned(&world, "m", &owner).await;
    let mut watch = world.watch(&format!("{MAPS}?watch=1")).await;
    assert!(watch.line().await.starts_with("ADDED m@"));
    world.delete(&format!("{DOCUMENTS}/owner")).await.expect(200);
    let event = soon(watch.next()).await.unwrap();
    assert_eq!((&event["type"], &event["object"]["metadata"]["name"]), (&json!("DELETED"), &json!("m")));
}

#[tokio::test]
async fn a_read_of_any_version_may_come_before_what_follows_and_one_of_the_latest_comes_after_it() {
    let world = World::new();
    world.define().await;
    let owner = document(&world, "owner").await;
    owned(&world, "m", &owner).await;
    world.delete(&format!("{DOCUMENTS}/owner")).await.expect(200);
    assert_eq!(world.get(&format!("{MAPS}/m?resourceVersion=0")).await.code, 200);
    assert_eq!(world.get(&format!("{MAPS}/m")).await.code, 404);
}

#[tokio::test]
async fn settle_does_what_is_pending_now() {
    let world = World::new();
    world.post("/api/v1/namespaces", json!({"metadata": {"name": "n"}})).await.expect(201);
    world.post("/api/v1/namespaces/n/configmaps", json!({"metadata": {"name": "m"}})).await.expect(201);
    world.delete("/api/v1/namespaces/n").await.expect(200);
    assert_eq!(world.get("/api/v1/namespaces/n?resourceVersion=0").await.code, 200);
    world.server.settle().await;
    assert_eq!(world.get("/api/v1/namespaces/n?resourceVersion=0").await.code, 404);
    assert_eq!(world.get("/api/v1/namespaces/n/configmaps/m?resourceVersion=0").await.code, 404);
}

#[tokio::test]
async fn a_name_can_be_given_again_right_after_what_had_it_was_deleted() {
    let world = World::new();
    for _ in 0..3 {
        world.post("/api/v1/namespaces", json!({"metadata": {"name": "n"}})).await.expect(201);
        world.post("/api/v1/namespaces/n/configmaps", json!({"metadata": {"name": "m"}})).await.expect(201);
        world.delete("/api/v1/namespaces/n").await.expect(200);
    }
    for _ in 0..3 {
        world.define().await;
        document(&world, "d").await;
        world.delete(DOCUMENT_DEFINITION).await.expect(200);
    }
}

#[test]
fn what_one_runtime_left_undone_is_done_in_the_next() {
    let world = World::new();
    let run = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    run().block_on(async {
        world.define().await;
        let owner = document(&world, "owner").await;
        owned(&world, "m", &owner).await;
        world.delete(&format!("{DOCUMENTS}/owner")).await.expect(200);
    });
    run().block_on(async {
        let mut watch = world.watch(&format!("{MAPS}?watch=1&resourceVersion=0")).await;
        assert!(soon(watch.line()).await.starts_with("ADDED m@"));
        assert!(soon(watch.line()).await.starts_with("DELETED m@"));
    });
}

/// Deletes a namespace when it is dropped.
struct DeletesLast(World);

impl Drop for DeletesLast {
    fn drop(&mut self) {
        let deleted = self.0.delete("/api/v1/namespaces/n").now_or_never();
        assert_eq!(deleted.map(|reply| reply.code), Some(200));
    }
}

#[test]
fn a_runtime_that_ends_while_something_is_written_does_not_hang() {
    let (done, ended) = std::sync::mpsc::channel();
    let world = World::new();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            world.post("/api/v1/namespaces", json!({"metadata": {"name": "n"}})).await.expect(201);
            world.server.settle().await;
            let last = DeletesLast(world);
            tokio::spawn(async move {
                std::future::pending::<()>().await;
                drop(last);
            });
            tokio::task::yield_now().await;
        });
        drop(runtime);
        done.send(()).unwrap();
    });
    ended.recv_timeout(Duration::from_secs(20)).expect("the runtime ends");
}
