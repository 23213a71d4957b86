//! The server's own controllers ask webhooks too, and go on once they are allowed to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use super::VALIDATING;
use super::program::{Program, hook, validating};
use crate::apiserver::world::pod_spec;

#[tokio::test(start_paused = true)]
async fn a_namespace_waits_for_a_webhook_that_denies_the_end_of_its_pods() {
    let is_allowed = Arc::new(AtomicBool::new(false));
    let allows = Arc::clone(&is_allowed);
    let program = Program::new(move |_, _| json!({"allowed": allows.load(Ordering::SeqCst)}));
    let world = program.world();
    world.post("/api/v1/namespaces", json!({"metadata": {"name": "busy"}})).await.expect(201);
    let pods = "/api/v1/namespaces/busy/pods";
    world.post(pods, json!({"metadata": {"name": "p"}, "spec": pod_spec(json!({}))})).await.expect(201);
    let mut of_pods = hook("v");
    of_pods["rules"] =
        json!([{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["DELETE"]}]);
    world.post(VALIDATING, validating("v", &[of_pods])).await.expect(201);
    world.send("DELETE", "/api/v1/namespaces/busy", &[], Vec::new()).await.expect(200);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let namespace = world.get("/api/v1/namespaces/busy").await.expect(200);
    assert_eq!(namespace["status"]["phase"], "Terminating");
    world.get(&format!("{pods}/p")).await.expect(200);
    let asked = program.reviews().len();
    assert!(asked >= 2, "it was tried again: {asked}");
    let request = &program.reviews()[0].body["request"];
    assert_eq!(request["userInfo"]["username"], "system:serviceaccount:kube-system:namespace-controller");
    assert_eq!(request["options"]["kind"], "DeleteOptions");
    is_allowed.store(true, Ordering::SeqCst);
    // Its next attempt comes within twice the time that it has waited so far.
    tokio::time::sleep(Duration::from_secs(60)).await;
    world.get("/api/v1/namespaces/busy").await.expect(404);
}

#[tokio::test(start_paused = true)]
async fn what_is_owned_goes_after_its_webhook_was_asked() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let world = program.world();
    let maps = crate::apiserver::world::MAPS;
    let owner = world.post(maps, json!({"metadata": {"name": "owner"}})).await.expect(201);
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]});
    world.post(maps, json!({"metadata": {"name": "owned", "ownerReferences": [reference]}})).await.expect(201);
    world.post(VALIDATING, validating("v", &[hook("v")])).await.expect(201);
    world.send("DELETE", &format!("{maps}/owner"), &[], Vec::new()).await.expect(200);
    world.server.settle().await;
    world.get(&format!("{maps}/owned")).await.expect(404);
    let reviews = program.reviews();
    let deleted: Vec<_> = reviews.iter().map(|review| &review.body["request"]["name"]).collect();
    assert_eq!(deleted, ["owner", "owned"]);
}
