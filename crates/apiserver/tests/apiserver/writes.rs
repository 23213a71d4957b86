//! Create and update.

use super::world::{DOCUMENTS, MAPS, World};
use jiff::Timestamp;
use pintle_apiserver::Server;
use serde_json::{Value, json};

#[tokio::test]
async fn a_created_object_has_what_only_the_server_sets() {
    let server = Server::builder().clock(|| Timestamp::from_second(0).unwrap()).build();
    let world = World { server };
    let sent = json!({"metadata": {
        "name": "a", "uid": "mine", "creationTimestamp": "2000-01-01T00:00:00Z", "deletionTimestamp": "2000-01-01T00:00:00Z",
        "selfLink": "/x",
    }, "data": {"k": "v"}});
    let created = world.post(MAPS, sent).await.expect(201);
    let metadata = created["metadata"].as_object().unwrap();
    let mut keys: Vec<&str> = metadata.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["creationTimestamp", "managedFields", "name", "namespace", "resourceVersion", "uid"]);
    assert_eq!(metadata["creationTimestamp"], "1970-01-01T00:00:00Z");
    assert_eq!(metadata["uid"].as_str().unwrap().len(), 36);
    assert_eq!((&created["kind"], &created["apiVersion"]), (&json!("ConfigMap"), &json!("v1")));
    assert_eq!(world.get(&format!("{MAPS}/a")).await.expect(200), created);
}

#[tokio::test]
async fn generated_names_are_random_and_repeatable_from_the_seed() {
    let name = |world: World| async move {
        let created = world.post(MAPS, json!({"metadata": {"generateName": "job-"}})).await.expect(201);
        (created["metadata"]["name"].as_str().unwrap().to_owned(), created["metadata"]["uid"].clone())
    };
    let first = name(World::new()).await;
    assert_eq!(first, name(World::new()).await);
    assert!(first.0.starts_with("job-") && first.0.len() == 9, "{}", first.0);
}

#[tokio::test]
async fn creation_is_refused_with_the_servers_sentences() {
    let world = World::new();
    world.map("taken").await;
    let table = [
        (MAPS, json!({"metadata": {"name": "taken"}}), 409, "configmaps \"taken\" already exists"),
        (
            MAPS,
            json!({"metadata": {"name": "A"}}),
            422,
            "ConfigMap \"A\" is invalid: metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain",
        ),
        (
            MAPS,
            json!({"metadata": {}}),
            422,
            "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required",
        ),
        (
            MAPS,
            json!({"metadata": {"name": "a", "resourceVersion": "5"}}),
            500,
            "resourceVersion should not be set on objects to be created",
        ),
        (
            MAPS,
            json!({"apiVersion": "v2", "metadata": {"name": "a"}}),
            400,
            "ConfigMap in version \"v2\" cannot be handled as a ConfigMap: no kind \"ConfigMap\" is registered for version \"v2\"",
        ),
        (
            MAPS,
            json!({"kind": "Pod", "metadata": {"name": "a"}}),
            400,
            "Pod in version \"v1\" cannot be handled as a ConfigMap",
        ),
        (
            MAPS,
            json!({"metadata": {"name": "a", "namespace": "other"}}),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            "/api/v1/namespaces/none/configmaps",
            json!({"metadata": {"name": "a"}}),
            404,
            "namespaces \"none\" not found",
        ),
        (
            "/apis/apps/v1/namespaces/default/deployments",
            json!({"metadata": {"name": "A"}}),
            422,
            "Deployment.apps \"A\" is invalid",
        ),
        (
            MAPS,
            json!([1]),
            400,
            "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind",
        ),
        (
            MAPS,
            json!({"metadata": {"name": "a", "ownerReferences": [{"kind": "K", "apiVersion": "v1", "name": "n"}]}}),
            422,
            "metadata.ownerReferences[0].uid",
        ),
    ];
    for (path, body, code, message) in table {
        let reply = world.post(path, body).await;
        assert_eq!(reply.code, code, "{}", reply.text);
        assert!(
            reply.message().starts_with(message) || code == 422 && reply.message().contains(message),
            "{}",
            reply.text
        );
    }
    assert_eq!(world.post("/api/v1/configmaps", json!({"metadata": {"name": "a"}})).await.code, 405);
}

#[tokio::test]
async fn an_update_with_an_old_version_conflicts_and_one_without_wins() {
    let world = World::new();
    let path = format!("{MAPS}/a");
    world.map("a").await;
    let mut stale = world.get(&path).await.expect(200);
    world.merge(&path, json!({"data": {"k": "1"}})).await.expect(200);
    stale["data"] = json!({"k": "2"});
    let status = world.put(&path, &stale).await.expect(409);
    assert_eq!(status["reason"], "Conflict");
    assert_eq!(
        status["message"],
        "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes to the latest version and try again"
    );
    assert_eq!(status["details"], json!({"name": "a", "kind": "configmaps"}));
    stale["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    assert_eq!(world.put(&path, &stale).await.expect(200)["data"]["k"], "2");
}

#[tokio::test]
async fn custom_resources_and_leases_insist_on_a_version() {
    let world = World::new();
    world.define().await;
    let leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    for path in [DOCUMENTS, leases] {
        world.post(path, json!({"metadata": {"name": "a"}})).await.expect(201);
        let reply = world.put(&format!("{path}/a"), &json!({"metadata": {"name": "a"}})).await;
        assert_eq!(reply.code, 422);
        assert!(
            reply.message().ends_with("metadata.resourceVersion: Invalid value: 0: must be specified for an update"),
            "{}",
            reply.text
        );
    }
}

#[tokio::test]
async fn put_creates_only_where_the_kind_allows_it() {
    let world = World::new();
    let lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a";
    let held = world.put(lease, &json!({"metadata": {"name": "a"}})).await.expect(201);
    world.delete(lease).await.expect(200);
    let lost = world.put(lease, &held).await.expect(409);
    assert_eq!(lost["reason"], "Conflict", "who held the lease that is gone does not hold a new one");
    let status = world.put(&format!("{MAPS}/a"), &json!({"metadata": {"name": "a"}})).await.expect(404);
    assert_eq!(status["message"], "configmaps \"a\" not found");
}

#[tokio::test]
async fn what_identifies_an_object_cannot_be_changed() {
    let world = World::new();
    world.map("a").await;
    let path = format!("{MAPS}/a");
    let current = world.get(&path).await.expect(200);
    let changed = |field: &str, value: &str| {
        let mut object = current.clone();
        object["metadata"][field] = value.into();
        object
    };
    let table = [
        ("name", "b", 400, "the name of the object (b) does not match the name on the URL (a)"),
        ("namespace", "b", 400, "the namespace of the provided object does not match"),
        ("uid", "b", 409, "Precondition failed: UID in precondition: b, UID in object meta: "),
        ("name", "", 400, "the name of the object (a based on URL) was undeterminable: name must be provided"),
        (
            "deletionTimestamp",
            "2000-01-01T00:00:00Z",
            422,
            "metadata.deletionTimestamp: Invalid value: \"2000-01-01T00:00:00Z\": field is immutable",
        ),
    ];
    for (field, value, code, message) in table {
        let reply = world.put(&path, &changed(field, value)).await;
        assert_eq!(reply.code, code, "{}", reply.text);
        assert!(reply.message().contains(message), "{}", reply.text);
    }
}

#[tokio::test]
async fn times_are_put_back_however_a_client_prints_them() {
    let world = World::new();
    world.post(MAPS, json!({"metadata": {"name": "a", "finalizers": ["x/y"]}})).await.expect(201);
    let path = format!("{MAPS}/a");
    let marked = world.delete(&path).await.expect(200);
    let mut other = marked.clone();
    for field in ["creationTimestamp", "deletionTimestamp"] {
        let text = marked["metadata"][field].as_str().unwrap();
        other["metadata"][field] = text.replace('Z', ".000000+00:00").into();
    }
    assert_eq!(world.put(&path, &other).await.expect(200), marked);
    other["metadata"]["deletionTimestamp"] = json!(null);
    assert_eq!(world.put(&path, &other).await.expect(200), marked);
    other["metadata"]["deletionGracePeriodSeconds"] = json!(5);
    let refused = world.put(&path, &other).await;
    assert_eq!(refused.code, 422, "{}", refused.text);
    assert!(refused.message().ends_with("field is immutable"), "{}", refused.text);
}

#[tokio::test]
async fn a_write_that_changes_nothing_keeps_the_version() {
    let world = World::new();
    world.map("a").await;
    let path = format!("{MAPS}/a");
    let current = world.get(&path).await.expect(200);
    let before = world.server.revision();
    assert_eq!(world.put(&path, &current).await.expect(200), current);
    assert_eq!(world.merge(&path, json!({"metadata": {"labels": {"app": "a"}}})).await.expect(200), current);
    assert_eq!(world.server.revision(), before);
}

#[tokio::test]
async fn generation_counts_changes_of_content_alone() {
    let world = World::new();
    world.define().await;
    let path = format!("{DOCUMENTS}/a");
    let generation = |object: &Value| object["metadata"]["generation"].as_i64();
    let created = world
        .post(DOCUMENTS, json!({"metadata": {"name": "a"}, "spec": {"x": 1}, "status": {"y": 1}}))
        .await
        .expect(201);
    assert_eq!(generation(&created), Some(1));
    assert!(created.get("status").is_none(), "the status has a door of its own");
    let steps = [
        (&path, json!({"metadata": {"labels": {"l": "1"}}}), 1),
        (&path, json!({"spec": {"x": 2}}), 2),
        (&path, json!({"status": {"y": 2}}), 2),
        (&path, json!({"other": true}), 3),
    ];
    for (path, patch, expected) in steps {
        let patched = world.merge(path, patch.clone()).await.expect(200);
        assert_eq!(generation(&patched), Some(expected), "{patch}");
        assert!(patched.get("status").is_none());
    }
    let status = format!("{path}/status");
    let patched = world
        .merge(&status, json!({"status": {"y": 3}, "spec": {"x": 9}, "metadata": {"labels": {"l": "9"}}}))
        .await
        .expect(200);
    assert_eq!(generation(&patched), Some(3));
    assert_eq!(
        (&patched["status"]["y"], &patched["spec"]["x"], &patched["metadata"]["labels"]["l"]),
        (&json!(3), &json!(2), &json!("1"))
    );
    let mut object = world.get(&status).await.expect(200);
    object["status"] = json!({"y": 4});
    assert_eq!(world.put(&status, &object).await.expect(200)["status"]["y"], 4);
    assert_eq!(world.put(&status, &object).await.code, 409);
    assert_eq!(world.merge(&format!("{DOCUMENTS}/none/status"), json!({})).await.code, 404);
}

#[tokio::test]
async fn namespaces_carry_their_name_and_are_active() {
    let world = World::new();
    let all = world.get("/api/v1/namespaces").await.expect(200);
    assert_eq!(super::world::names(&all), ["default", "kube-node-lease", "kube-public", "kube-system"]);
    let created = world.post("/api/v1/namespaces", json!({"metadata": {"name": "team"}})).await.expect(201);
    assert_eq!(created["metadata"]["labels"]["kubernetes.io/metadata.name"], "team");
    assert_eq!(
        (&created["spec"]["finalizers"], &created["status"]["phase"]),
        (&json!(["kubernetes"]), &json!("Active"))
    );
    world.post("/api/v1/namespaces/team/configmaps", json!({"metadata": {"name": "a"}})).await.expect(201);
}

#[tokio::test]
async fn an_annotation_is_a_new_generation_of_a_deployment_and_of_nothing_else() {
    let world = World::new();
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"selector": {"matchLabels": {"a": "b"}}, "template": template});
    for (plural, generation) in [("deployments", 2), ("replicasets", 1)] {
        let path = format!("/apis/apps/v1/namespaces/default/{plural}");
        world.post(&path, json!({"metadata": {"name": "d"}, "spec": spec})).await.expect(201);
        let annotated = world.merge(&format!("{path}/d"), json!({"metadata": {"annotations": {"k": "v"}}})).await;
        assert_eq!(annotated.expect(200)["metadata"]["generation"], generation, "{plural}");
        let labelled = world.merge(&format!("{path}/d"), json!({"metadata": {"labels": {"k": "v"}}})).await;
        assert_eq!(labelled.expect(200)["metadata"]["generation"], generation, "{plural}");
    }
}
