//! Worlds from manifests, forks, and sizes of the watch cache.

use super::world::{DEFINITIONS, DOCUMENTS, MAPS, World, definition, version};
use pintle_apiserver::{LoadError, Server};
use serde_json::json;

const MANIFEST: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: documents.example.com}
spec:
  group: example.com
  names: {plural: documents, kind: Document}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    subresources: {status: {}}
---
apiVersion: example.com/v1
kind: Document
metadata: {name: d}
spec: {title: t}
status: {ready: true}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: m, namespace: elsewhere}
";

#[tokio::test]
async fn a_manifest_makes_kinds_objects_and_namespaces() {
    let world = World { server: Server::builder().build_with(MANIFEST).unwrap() };
    let document = world.get(&format!("{DOCUMENTS}/d")).await.expect(200);
    assert_eq!((&document["spec"]["title"], &document["status"]["ready"]), (&json!("t"), &json!(true)));
    world.get("/api/v1/namespaces/elsewhere/configmaps/m").await.expect(200);
}

#[tokio::test]
async fn a_manifest_of_another_version_than_the_stored_one_keeps_its_status() {
    let documents = json!({
        "apiVersion": "example.com/v1beta1", "kind": "Document", "metadata": {"name": "d"}, "status": {"ready": true},
    });
    let autoscaler = json!({
        "apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"},
        "spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}},
        "status": {"currentReplicas": 1, "desiredReplicas": 2, "currentCPUUtilizationPercentage": 40},
    });
    let world = World::new();
    world.define().await;
    world.server.load(&documents.to_string()).unwrap();
    world.server.load(&autoscaler.to_string()).unwrap();
    assert_eq!(world.get(&format!("{DOCUMENTS}/d")).await.expect(200)["status"], json!({"ready": true}));
    let autoscaler = world.get("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/a").await.expect(200);
    assert_eq!(autoscaler["status"]["desiredReplicas"], 2);
    let measured = &autoscaler["status"]["currentMetrics"][0]["resource"];
    assert_eq!(*measured, json!({"name": "cpu", "current": {"averageUtilization": 40}}));
}

#[tokio::test]
async fn what_cannot_be_loaded_is_reported_with_its_place() {
    let server = Server::new();
    assert!(matches!(server.load("a: ["), Err(LoadError::Syntax(_))));
    let unknown = server.load("apiVersion: example.com/v1\nkind: Document\nmetadata: {name: d}\n");
    assert!(matches!(unknown, Err(LoadError::UnknownKind { document: 1, .. })));
    let refused = server.load("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\n").unwrap_err();
    assert!(refused.to_string().contains("metadata.name: Invalid value"), "{refused}");
}

/// What a test begins with is what a request would have stored.
#[tokio::test]
async fn what_is_loaded_is_read_as_what_is_sent() {
    let schema = json!({"type": "object", "properties": {"spec": {
        "type": "object", "properties": {"size": {"type": "string", "default": "small"}, "title": {"type": "string"}},
    }}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "documents.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "documents", "kind": "Document"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    });
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [
        {"name": "c", "image": "i", "resources": {"limits": {"cpu": "1000m"}}},
    ]}});
    let document = json!({"apiVersion": "example.com/v1", "kind": "Document", "metadata": {"name": "d"}, "spec": {}});
    let world = World::new();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [definition, pod, document]});
    world.server.load(&list.to_string()).unwrap();
    assert_eq!(world.get(&format!("{DOCUMENTS}/d")).await.expect(200)["spec"], json!({"size": "small"}));
    let pod = world.get("/api/v1/namespaces/default/pods/p").await.expect(200);
    assert_eq!(pod["spec"]["containers"][0]["resources"]["limits"]["cpu"], "1");

    for (wrong, why) in [
        (
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "dta": {}}),
            "unknown field \"dta\"",
        ),
        (
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": 1}}),
            "cannot unmarshal",
        ),
        (
            json!({"apiVersion": "example.com/v1", "kind": "Document", "metadata": {"name": "e"}, "spec": {"titel": "t"}}),
            "unknown field \"spec.titel\"",
        ),
    ] {
        let refused = world.server.load(&wrong.to_string()).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

#[tokio::test]
async fn a_fork_begins_where_its_server_is_and_goes_its_own_way() {
    let first = World { server: Server::builder().build_with(MANIFEST).unwrap() };
    let second = World { server: first.server.fork() };
    assert_eq!(first.server.revision(), second.server.revision());
    let before = first.get(&format!("{DOCUMENTS}/d")).await.expect(200);
    assert_eq!(second.get(&format!("{DOCUMENTS}/d")).await.expect(200), before);
    second.delete(&format!("{DOCUMENTS}/d")).await.expect(200);
    second.post(MAPS, json!({"metadata": {"name": "own"}})).await.expect(201);
    assert_eq!(first.get(&format!("{DOCUMENTS}/d")).await.expect(200), before);
    assert_eq!(first.get(&format!("{MAPS}/own")).await.code, 404);
    let mut watch = second.watch(&format!("{MAPS}?watch=true&resourceVersion={}", version(&before))).await;
    assert_eq!(watch.next().await.unwrap()["object"]["code"], 410, "history stays behind");
}

#[tokio::test]
async fn a_resource_remembers_as_many_changes_as_configured() {
    let world = World { server: Server::builder().history_of("configmaps", 10).build() };
    let first = world.map("m0").await;
    let other = world.post("/api/v1/namespaces/default/secrets", json!({"metadata": {"name": "s"}})).await.expect(201);
    for index in 1..=11 {
        world.map(&format!("m{index}")).await;
        world
            .post("/api/v1/namespaces/default/secrets", json!({"metadata": {"name": format!("s{index}")}}))
            .await
            .expect(201);
    }
    let mut cut = world.watch(&format!("{MAPS}?watch=true&resourceVersion={first}")).await;
    let event = cut.next().await.unwrap();
    assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)));
    let path = format!("/api/v1/namespaces/default/secrets?watch=true&resourceVersion={}", version(&other));
    assert_eq!(world.watch(&path).await.line().await.split('@').next().unwrap(), "ADDED s1");
}

#[tokio::test]
async fn what_is_not_enforced_yet_is_said() {
    let world = World::new();
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    let plain = world.post(path, json!({"metadata": {"name": "x"}})).await;
    assert_eq!(plain.header("warning"), "", "webhooks are called");
}

/// As a kube-apiserver that was started anew on its etcd.
#[tokio::test]
async fn a_restored_server_goes_on_with_the_same_objects_and_what_follows_from_them() {
    let before = World { server: Server::builder().rbac().build() };
    before.post(DEFINITIONS, definition()).await.expect(201);
    let document = before.post(DOCUMENTS, json!({"metadata": {"name": "a"}, "spec": {}})).await.expect(201);
    // Names of roles may have any characters.
    let rules = json!([{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}]);
    let role = json!({"metadata": {"name": "the \"r\""}, "rules": rules});
    before.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", role).await.expect(201);
    let binding = json!({
        "metadata": {"name": "r"}, "subjects": [{"kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"kind": "ClusterRole", "name": "the \"r\"", "apiGroup": "rbac.authorization.k8s.io"},
    });
    before.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding).await.expect(201);
    let version = before.server.revision();

    let after = World { server: Server::builder().rbac().build() };
    after.server.restore(&before.server.backup()).unwrap();
    assert_eq!(after.get(&format!("{DOCUMENTS}/a")).await.expect(200), document);
    World { server: after.server.as_user("jane", &[]) }.get("/api/v1/nodes").await.expect(200);
    assert_eq!(after.server.revision(), version);
    after.get(&format!("{DOCUMENTS}?resourceVersion={}&resourceVersionMatch=Exact", version - 1)).await.expect(410);
    let next = after.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);
    assert_eq!(next["metadata"]["resourceVersion"], (version + 1).to_string());

    for (wrong, why) in [("", "line 1: it is empty"), ("{\"revision\": 7}\n{}", "line 1: missing field `objects`")] {
        let problem = after.server.restore(wrong).unwrap_err().to_string();
        assert!(problem.contains(why), "{problem}");
    }
    assert_eq!(after.server.revision(), version + 1, "what is not a backup changes nothing");
}
