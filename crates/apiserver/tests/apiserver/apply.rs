//! managedFields and server-side apply.

use super::world::{MAPS, World};
use jiff::Timestamp;
use pintle_apiserver::Server;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";

fn map(data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data})
}

fn by(manager: &str) -> String {
    format!("{MAPS}/a?fieldManager={manager}")
}

fn managers(object: &Value) -> Vec<(String, String, Value)> {
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    entries.iter().map(|it| (text(it, "manager"), text(it, "operation"), it["fieldsV1"].clone())).collect()
}

fn entry(manager: &str, operation: &str, fields: Value) -> (String, String, Value) {
    (manager.to_owned(), operation.to_owned(), fields)
}

/// A world whose clock goes on by a second whenever it is looked at.
fn ticking() -> World {
    let second = Arc::new(AtomicI64::new(0));
    let clock = move || Timestamp::from_second(second.fetch_add(1, Ordering::Relaxed)).unwrap();
    World { server: Server::builder().clock(clock).build() }
}

#[tokio::test]
async fn every_write_notes_who_set_what() {
    let world = World::new();
    let created =
        world.post(&format!("{MAPS}?fieldManager=maker"), map(&json!({"k": "v", "l": "w"}))).await.expect(201);
    assert_eq!(managers(&created), [entry("maker", "Update", json!({"f:data": {".": {}, "f:k": {}, "f:l": {}}}))]);
    let changed = world.patch(&by("second"), MERGE, &json!({"data": {"k": "x", "l": null}})).await.expect(200);
    let expected =
        [entry("maker", "Update", json!({"f:data": {}})), entry("second", "Update", json!({"f:data": {"f:k": {}}}))];
    assert_eq!(managers(&changed), expected);
    let version = changed["metadata"]["resourceVersion"].clone();
    let same = world.patch(&by("third"), MERGE, &json!({"data": {"k": "x"}})).await.expect(200);
    assert_eq!(same["metadata"]["resourceVersion"], version);
    assert_eq!(managers(&same), expected);
}

#[tokio::test]
async fn apply_creates_shares_conflicts_takes_and_lets_go() {
    let world = World::new();
    let created = world.patch(&by("one"), APPLY, &map(&json!({"k": "v", "l": "w"}))).await.expect(201);
    assert_eq!(managers(&created), [entry("one", "Apply", json!({"f:data": {"f:k": {}, "f:l": {}}}))]);
    let again = world.patch(&by("one"), APPLY, &map(&json!({"k": "v", "l": "w"}))).await.expect(200);
    assert_eq!(again, created);
    let shared = world.patch(&by("two"), APPLY, &map(&json!({"k": "v"}))).await.expect(200);
    assert_eq!(managers(&shared).len(), 2);

    let refused = world.patch(&by("two"), APPLY, &map(&json!({"k": "other"}))).await.expect(409);
    assert_eq!(refused["message"], "Apply failed with 1 conflict: conflict with \"one\": .data.k");
    let cause = json!({"reason": "FieldManagerConflict", "message": "conflict with \"one\"", "field": ".data.k"});
    assert_eq!(refused["details"]["causes"], json!([cause]));

    let forced =
        world.patch(&format!("{}&force=true", by("two")), APPLY, &map(&json!({"k": "other"}))).await.expect(200);
    assert_eq!(forced["data"], json!({"k": "other", "l": "w"}));
    let left = world.patch(&by("one"), APPLY, &map(&json!({}))).await.expect(200);
    assert_eq!(left["data"], json!({"k": "other"}));
}

#[tokio::test]
async fn a_link_of_old_is_not_stored_and_makes_an_apply_a_write() {
    let world = ticking();
    let mut linked = map(&json!({"k": "v"}));
    linked["metadata"]["selfLink"] = json!("/a/link");
    let first = world.patch(&by("one"), APPLY, &linked).await.expect(201);
    let second = world.patch(&by("one"), APPLY, &linked).await.expect(200);
    assert_eq!(second["metadata"].get("selfLink"), None);
    assert_ne!(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    let dry = world.patch(&format!("{}&dryRun=All", by("one")), APPLY, &linked).await.expect(200);
    assert_eq!(dry["metadata"]["selfLink"], "/a/link");
    assert_eq!(dry["metadata"]["resourceVersion"], second["metadata"]["resourceVersion"]);
    // No field has changed, so an update by who sends it is none.
    let put = world.put(&by("two"), &linked).await.expect(200);
    assert_eq!(put, second);
    let plain = world.patch(&by("one"), APPLY, &map(&json!({"k": "v"}))).await.expect(200);
    assert_eq!(plain, second);
}

#[tokio::test]
async fn a_link_of_old_is_answered_when_the_last_finalizer_goes() {
    let world = World::new();
    let held = json!({"metadata": {"name": "a", "finalizers": ["example.com/held"]}});
    world.post(MAPS, held).await.expect(201);
    world.delete(&format!("{MAPS}/a")).await.expect(200);
    let freed = json!({"metadata": {"name": "a", "selfLink": "/a/link"}});
    let freed = world.put(&format!("{MAPS}/a"), &freed).await.expect(200);
    assert_eq!(freed["metadata"]["selfLink"], "/a/link");
    world.get(&format!("{MAPS}/a")).await.expect(404);
}

#[tokio::test]
async fn an_apply_that_would_only_renew_a_time_is_stored_where_managers_change_their_order() {
    const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
    let world = ticking();
    let pod = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "b"}]}});
    let stated = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": pod}, "status": {"replicas": 7}});
    let apply = async |manager: &str| {
        let path = format!("{DEPLOYMENTS}/a?fieldManager={manager}");
        let applied = world.patch(&path, APPLY, &stated).await.json();
        (applied["metadata"]["resourceVersion"].clone(), managers(&applied).into_iter().map(|it| it.0).collect())
    };
    let first: (Value, Vec<String>) = apply("one").await;
    assert_eq!(apply("one").await, first);
    apply("two").await;
    let (version, order) = apply("one").await;
    assert_eq!(order, ["two", "one"]);
    assert_eq!(apply("one").await, (version.clone(), order));
    assert_ne!(apply("two").await.0, version);
}

#[tokio::test]
async fn a_conflict_names_every_manager_and_field() {
    let world = World::new();
    world.patch(&by("one"), APPLY, &map(&json!({"k": "v", "l": "w"}))).await.expect(201);
    world.patch(&by("updater"), MERGE, &json!({"data": {"m": "x"}})).await.expect(200);
    let refused = world.patch(&by("two"), APPLY, &map(&json!({"k": "1", "l": "2", "m": "3"}))).await.expect(409);
    let message = "Apply failed with 3 conflicts: conflicts with \"one\":\n- .data.k\n- .data.l\nconflicts with \
                   \"updater\" using v1:\n- .data.m";
    assert_eq!(refused["message"], message);
}

#[tokio::test]
async fn the_eleventh_updater_makes_the_oldest_ancient() {
    let world = ticking();
    world.post(&format!("{MAPS}?fieldManager=m0"), map(&json!({"k0": "0"}))).await.expect(201);
    for number in 1..=11 {
        let key = format!("k{number}");
        world.patch(&by(&format!("m{number}")), MERGE, &json!({"data": {key: "1"}})).await.expect(200);
    }
    let object = world.get(&format!("{MAPS}/a")).await.expect(200);
    let found = managers(&object);
    assert_eq!(found.len(), 10);
    let ancient = json!({"f:data": {".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {}}});
    assert_eq!(found[0], entry("ancient-changes", "Update", ancient));
}

#[tokio::test]
async fn tracking_ends_when_a_client_asks_for_it_and_begins_again_with_the_first_apply() {
    let world = World::new();
    world.post(&format!("{MAPS}?fieldManager=maker"), map(&json!({"k": "v"}))).await.expect(201);
    let reset = world.patch(&by("x"), MERGE, &json!({"metadata": {"managedFields": [{}]}})).await.expect(200);
    assert!(managers(&reset).is_empty());
    let changed = world.patch(&by("x"), MERGE, &json!({"data": {"k": "w"}})).await.expect(200);
    assert!(managers(&changed).is_empty());
    let applied = world.patch(&by("one"), APPLY, &map(&json!({"k": "w"}))).await.expect(200);
    let expected = [
        entry("one", "Apply", json!({"f:data": {"f:k": {}}})),
        entry("before-first-apply", "Update", json!({"f:data": {".": {}, "f:k": {}}})),
    ];
    assert_eq!(managers(&applied), expected);
}

#[tokio::test]
async fn a_dry_apply_changes_nothing() {
    let world = World::new();
    let created = world.patch(&by("one"), APPLY, &map(&json!({"k": "v"}))).await.expect(201);
    let dry = world.patch(&format!("{}&dryRun=All", by("one")), APPLY, &map(&json!({"k": "w"}))).await.expect(200);
    assert_eq!(dry["data"], json!({"k": "w"}));
    assert_eq!(world.get(&format!("{MAPS}/a")).await.expect(200), created);
}

#[tokio::test]
async fn lists_merge_by_their_keys_and_status_has_owners_of_its_own() {
    let world = World::new();
    let path = "/apis/apps/v1/namespaces/default/deployments/d";
    let deployment =
        |spec: Value| json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec});
    let pod = |containers: Value| {
        let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers}});
        deployment(json!({"selector": {"matchLabels": {"a": "b"}}, "template": template}))
    };
    let by = |manager: &str| format!("{path}?fieldManager={manager}");
    let two = json!([{"name": "x", "image": "i"}, {"name": "y", "image": "j"}]);
    world.patch(&by("one"), APPLY, &pod(two)).await.expect(201);
    let three = world.patch(&by("two"), APPLY, &pod(json!([{"name": "z", "image": "k"}]))).await.expect(200);
    let names = |object: &Value| -> Vec<String> {
        let containers = object["spec"]["template"]["spec"]["containers"].as_array().cloned().unwrap_or_default();
        containers.iter().map(|it| it["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(names(&three), ["x", "y", "z"]);
    let less = world.patch(&by("one"), APPLY, &pod(json!([{"name": "y", "image": "j"}]))).await.expect(200);
    assert_eq!(names(&less), ["y", "z"]);
    let refused = world.patch(&by("two"), APPLY, &pod(json!([{"name": "y", "image": "other"}]))).await.expect(409);
    let field = ".spec.template.spec.containers[name=\"y\"].image";
    assert_eq!(refused["details"]["causes"][0]["field"], field);

    let status = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"replicas": 9}, "status": {"replicas": 1}});
    let reported = world.patch(&format!("{path}/status?fieldManager=one"), APPLY, &status).await.expect(200);
    assert_eq!(reported["spec"]["replicas"], 1);
    let entries = reported["metadata"]["managedFields"].as_array().unwrap();
    let own: Vec<&Value> = entries.iter().filter(|it| it["subresource"] == "status").collect();
    assert_eq!(own[0]["fieldsV1"], json!({"f:status": {"f:replicas": {}}}));
}

/// What is applied is read as its type, as what is sent otherwise is.
#[tokio::test]
async fn quantities_are_applied_in_their_one_spelling_and_fractions_of_replicas_are_refused() {
    let world = World::new();
    let limits = json!({"cpu": "1000m", "memory": "1024Mi"});
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [
        {"name": "c", "image": "i", "resources": {"limits": limits}}]}});
    let deployment = |replicas: Value| {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}}, "template": template}})
    };
    let path = "/apis/apps/v1/namespaces/default/deployments/d?fieldManager=m";
    for code in [201, 200] {
        let applied = world.patch(path, APPLY, &deployment(json!(2))).await.expect(code);
        let container = &applied["spec"]["template"]["spec"]["containers"][0];
        assert_eq!(container["resources"]["limits"], json!({"cpu": "1", "memory": "1Gi"}));
        let refused = world.patch(path, APPLY, &deployment(json!(1.5))).await;
        assert_eq!(refused.code, 500, "{}", refused.text);
        assert!(refused.message().contains("cannot convert float64 to int32"), "{}", refused.message());
    }
}
