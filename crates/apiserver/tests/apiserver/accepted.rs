//! What Kubernetes accepts, at the edges of what it refuses.

use super::world::{World, pod_spec};
use serde_json::{Value, json};

const SETS: &str = "/apis/apps/v1/namespaces/default/statefulsets";

fn set(name: &str, pods: &Value, claims: &Value) -> Value {
    json!({"metadata": {"name": name}, "spec": {
        "serviceName": "s",
        "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": pods},
        "volumeClaimTemplates": claims,
    }})
}

#[tokio::test]
async fn a_stateful_set_mounts_the_claims_it_makes() {
    let world = World::new();
    let claim = |name: &str| {
        json!({"metadata": {"name": name}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
    };
    let pods = |mounted: &str| {
        let mounts = json!([{"name": mounted, "mountPath": "/data"}, {"name": "tmp", "mountPath": "/tmp"}]);
        json!({
            "containers": [{"name": "c", "image": "i", "volumeMounts": mounts}],
            "volumes": [{"name": "tmp", "emptyDir": {}}, {"name": "data", "emptyDir": {}, "hostPath": {"path": "/x"}}],
            "hostname": "Not.A_Label",
            "subdomain": "Nor.This",
        })
    };
    let made = world.post(SETS, set("a", &pods("data"), &json!([claim("data")]))).await.expect(201);
    assert_eq!(made["spec"]["template"]["spec"]["volumes"].as_array().map(Vec::len), Some(2));
    assert_eq!(made["spec"]["template"]["spec"]["hostname"], "Not.A_Label");
    let other = world.post(SETS, set("b", &pods("other"), &json!([claim("data")]))).await.expect(422);
    let message = "StatefulSet.apps \"b\" is invalid: spec.template.spec.containers[0].volumeMounts[0].name: Not found: \"other\"";
    assert_eq!(other["message"], message);
}

#[tokio::test]
async fn a_stateful_set_is_named_by_a_label_and_its_pods_do_not_end() {
    let world = World::new();
    let pods = pod_spec(json!({"activeDeadlineSeconds": 5}));
    let refused = world.post(SETS, set("a.b", &pods, &json!([]))).await.expect(422);
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("metadata.name: Invalid value: \"a.b\": must not contain dots"), "{message}");
    assert!(message.contains("activeDeadlineSeconds in StatefulSet is not Supported"), "{message}");
}

#[tokio::test]
async fn numbers_of_a_rollout_are_not_negative() {
    let world = World::new();
    let deployment = |rolling: Value| {
        json!({"metadata": {"name": "d"}, "spec": {
            "selector": {"matchLabels": {"app": "a"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
            "template": {"metadata": {"labels": {"app": "a"}}, "spec": pod_spec(json!({}))}}})
    };
    let path = "/apis/apps/v1/namespaces/default/deployments";
    for field in ["maxSurge", "maxUnavailable"] {
        let refused = world.post(path, deployment(json!({field: -1}))).await.expect(422);
        let why = format!("spec.strategy.rollingUpdate.{field}: Invalid value: -1: must be greater than or equal to 0");
        assert!(refused["message"].as_str().unwrap().ends_with(&why), "{refused}");
    }
    world.post(path, deployment(json!({"maxSurge": 1, "maxUnavailable": "10%"}))).await.expect(201);
}

#[tokio::test]
async fn space_around_an_image_is_refused_in_a_pod_and_not_in_a_template() {
    let world = World::new();
    let spec = json!({"containers": [{"name": "c", "image": "i "}]});
    let pod = json!({"metadata": {"name": "p"}, "spec": spec});
    let refused = world.post("/api/v1/namespaces/default/pods", pod).await.expect(422);
    let why = "spec.containers[0].image: Invalid value: \"i \": must not have leading or trailing whitespace";
    assert!(refused["message"].as_str().unwrap().ends_with(why), "{refused}");
    world.post(SETS, set("a", &spec, &json!([]))).await.expect(201);
}
