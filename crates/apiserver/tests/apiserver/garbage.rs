//! Garbage collection by owner references.

use super::world::{DEFINITIONS, DOCUMENTS, MAPS, World};
use pintle_apiserver::Server;
use serde_json::{Value, json};

async fn owner(world: &World, name: &str) -> Value {
    let created = world.post(DOCUMENTS, json!({"metadata": {"name": name}})).await.expect(201);
    reference(&created, false)
}

fn reference(object: &Value, blocks: bool) -> Value {
    json!({
        "apiVersion": object["apiVersion"], "kind": object["kind"], "name": object["metadata"]["name"],
        "uid": object["metadata"]["uid"], "controller": false, "blockOwnerDeletion": blocks,
    })
}

async fn owned(world: &World, name: &str, owners: &[Value]) -> u16 {
    world.post(MAPS, json!({"metadata": {"name": name, "ownerReferences": owners}})).await.code
}

async fn exists(world: &World, name: &str) -> bool {
    world.get(&format!("{MAPS}/{name}")).await.code == 200
}

async fn world() -> World {
    let world = World::new();
    world.define().await;
    world
}

#[tokio::test]
async fn what_a_deleted_owner_owns_goes_with_it_through_all_generations() {
    let world = world().await;
    let owner = owner(&world, "o").await;
    owned(&world, "child", std::slice::from_ref(&owner)).await;
    let child = world.get(&format!("{MAPS}/child")).await.expect(200);
    owned(&world, "grandchild", &[reference(&child, false)]).await;
    owned(&world, "stranger", &[]).await;
    let mut watch = world.watch(&format!("{MAPS}?watch=true&resourceVersion={}", world.server.revision())).await;
    world.delete(&format!("{DOCUMENTS}/o")).await.expect(200);
    assert!(!exists(&world, "child").await && !exists(&world, "grandchild").await && exists(&world, "stranger").await);
    assert!(watch.line().await.starts_with("DELETED child@"));
    assert!(watch.line().await.starts_with("DELETED grandchild@"));
}

#[tokio::test]
async fn an_object_stays_while_one_owner_does() {
    let world = world().await;
    let owners = [owner(&world, "a").await, owner(&world, "b").await];
    owned(&world, "m", &owners).await;
    world.delete(&format!("{DOCUMENTS}/a")).await.expect(200);
    let kept = world.get(&format!("{MAPS}/m")).await.expect(200);
    assert_eq!(
        kept["metadata"]["ownerReferences"],
        json!([owners[1]]),
        "the reference to the absent owner is taken out"
    );
    world.delete(&format!("{DOCUMENTS}/b")).await.expect(200);
    assert!(!exists(&world, "m").await);
}

#[tokio::test]
async fn an_owner_that_is_not_there_does_not_count() {
    let world = world().await;
    let mut absent = owner(&world, "o").await;
    absent["uid"] = json!("11111111-1111-4111-8111-111111111111");
    assert_eq!(owned(&world, "m", std::slice::from_ref(&absent)).await, 201);
    assert!(!exists(&world, "m").await, "the name is right and the uid is not");
    absent["kind"] = json!("Unheard");
    owned(&world, "n", &[absent]).await;
    assert!(exists(&world, "n").await, "an owner of an unknown kind counts as there");
}

#[tokio::test]
async fn a_dependent_with_a_finalizer_is_marked() {
    let world = world().await;
    let owner = owner(&world, "o").await;
    world
        .post(MAPS, json!({"metadata": {"name": "m", "ownerReferences": [owner], "finalizers": ["x/y"]}}))
        .await
        .expect(201);
    world.delete(&format!("{DOCUMENTS}/o")).await.expect(200);
    assert!(world.get(&format!("{MAPS}/m")).await.expect(200)["metadata"]["deletionTimestamp"].is_string());
}

#[tokio::test]
async fn foreground_deletion_waits_for_the_dependents_that_block_it() {
    let world = world().await;
    let mut owner = owner(&world, "o").await;
    owner["blockOwnerDeletion"] = true.into();
    world
        .post(MAPS, json!({"metadata": {"name": "m", "ownerReferences": [owner], "finalizers": ["x/y"]}}))
        .await
        .expect(201);
    owned(&world, "free", std::slice::from_ref(&owner)).await;
    let path = format!("{DOCUMENTS}/o");
    let marked = world.delete_with(&path, json!({"propagationPolicy": "Foreground"})).await.expect(200);
    assert_eq!(marked["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    assert!(!exists(&world, "free").await);
    assert_eq!(world.get(&path).await.code, 200, "m is still there");
    world.merge(&format!("{MAPS}/m"), json!({"metadata": {"finalizers": null}})).await.expect(200);
    assert!(!exists(&world, "m").await);
    assert_eq!(world.get(&path).await.code, 404);
}

#[tokio::test]
async fn orphaned_dependents_stay_without_their_reference() {
    let world = world().await;
    let owner = owner(&world, "o").await;
    owned(&world, "m", &[owner]).await;
    world.delete_with(&format!("{DOCUMENTS}/o"), json!({"propagationPolicy": "Orphan"})).await.expect(200);
    assert_eq!(world.get(&format!("{DOCUMENTS}/o")).await.code, 404);
    assert!(world.get(&format!("{MAPS}/m")).await.expect(200)["metadata"].get("ownerReferences").is_none());
}

#[tokio::test]
async fn a_deleted_definition_takes_its_objects_and_what_they_own() {
    let world = world().await;
    let owner = owner(&world, "o").await;
    owned(&world, "m", &[owner]).await;
    world.delete(&format!("{DEFINITIONS}/documents.example.com")).await.expect(200);
    assert!(world.get(DOCUMENTS).await.text.starts_with("404 page not found"));
    assert!(!exists(&world, "m").await);
}

#[tokio::test]
async fn garbage_collection_can_be_off() {
    let world = World { server: Server::builder().garbage_collection(false).build() };
    world.define().await;
    let owner = owner(&world, "o").await;
    owned(&world, "m", &[owner]).await;
    world.delete(&format!("{DOCUMENTS}/o")).await.expect(200);
    assert!(exists(&world, "m").await);
}

#[tokio::test]
async fn two_that_own_each_other_do_not_wait_for_each_other() {
    let world = world().await;
    let path = |name: &str| format!("{DOCUMENTS}/{name}");
    for (name, of) in [("first", "second"), ("second", "first")] {
        world.post(DOCUMENTS, json!({"metadata": {"name": name}})).await;
        world.post(DOCUMENTS, json!({"metadata": {"name": of}})).await;
        let reference = reference(&world.get(&path(of)).await.expect(200), true);
        let owned = json!({"metadata": {"ownerReferences": [reference]}});
        world.merge(&path(name), owned).await.expect(200);
    }
    world.delete_with(&path("first"), json!({"propagationPolicy": "Foreground"})).await.expect(200);
    assert_eq!((world.get(&path("first")).await.code, world.get(&path("second")).await.code), (404, 404));
}

#[tokio::test]
async fn a_dependent_that_is_going_already_is_left_alone() {
    let world = world().await;
    let parent = owner(&world, "parent").await;
    let path = |name: &str| format!("{DOCUMENTS}/{name}");
    let child = json!({"metadata": {"name": "child", "ownerReferences": [parent], "finalizers": ["x/y"]}});
    let child = world.post(DOCUMENTS, child).await.expect(201);
    owned(&world, "grandchild", &[reference(&child, true)]).await;
    let going = world.delete(&path("child")).await.expect(200);
    world.delete_with(&path("parent"), json!({"propagationPolicy": "Foreground"})).await.expect(200);
    assert_eq!(world.get(&path("child")).await.expect(200), going);
    assert_eq!(world.get(&path("parent")).await.code, 404, "what does not block is not waited for");
}
