//! What Kubernetes accepts, at the edges of what it refuses.

use super::world::{DEFINITIONS, DOCUMENTS, MAPS, World, definition, pod_spec};
use serde_json::{Value, json};

const SERVICES: &str = "/api/v1/namespaces/default/services";
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

fn service(name: &str, mut spec: Value) -> Value {
    spec["ports"] = json!([{"name": "web", "port": 80}, {"name": "more", "port": 81}]);
    json!({"metadata": {"name": name}, "spec": spec})
}

#[tokio::test]
async fn a_service_becomes_one_of_another_type_and_loses_what_only_the_old_one_had() {
    let world = World::new();
    for kind in ["NodePort", "LoadBalancer"] {
        let path = format!("{SERVICES}/{}", kind.to_lowercase());
        let asked = json!({"type": kind, "externalTrafficPolicy": "Cluster"});
        let made = world.post(SERVICES, service(&kind.to_lowercase(), asked)).await.expect(201);
        assert!(made["spec"]["ports"][0]["nodePort"].is_u64(), "{made}");
        let plain = world.merge(&path, json!({"spec": {"type": "ClusterIP"}})).await.expect(200);
        assert_eq!(plain["spec"]["clusterIP"], made["spec"]["clusterIP"]);
        for gone in ["externalTrafficPolicy", "allocateLoadBalancerNodePorts"] {
            assert_eq!(plain["spec"].get(gone), None, "{kind} {gone}");
        }
        assert_eq!(plain["spec"]["ports"][0].get("nodePort"), None, "{plain}");
        let external = json!({"spec": {"type": "ExternalName", "externalName": "example.com"}});
        let external = world.merge(&path, external).await.expect(200);
        for gone in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            assert_eq!(external["spec"].get(gone), None, "{kind} {gone}");
        }
        let back = world.merge(&path, json!({"spec": {"type": kind, "externalName": null}})).await.expect(200);
        assert!(back["spec"]["clusterIP"].is_string() && back["spec"]["ports"][1]["nodePort"].is_u64(), "{back}");
    }
}

#[tokio::test]
async fn what_a_client_changes_along_with_the_type_is_refused() {
    let world = World::new();
    let made = world.post(SERVICES, service("a", json!({"type": "NodePort"}))).await.expect(201);
    let mut asked = made.clone();
    asked["spec"]["type"] = "ClusterIP".into();
    asked["spec"]["ports"][0]["nodePort"] = 32000.into();
    let refused = world.put(&format!("{SERVICES}/a"), &asked).await.expect(422);
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"));
    let other = json!({"spec": {
        "type": "ExternalName", "externalName": "example.com", "clusterIP": "10.0.9.9", "clusterIPs": ["10.0.9.9"]}});
    let refused = world.merge(&format!("{SERVICES}/a"), other).await.expect(422);
    assert!(refused["message"].as_str().unwrap().contains("may not be set for ExternalName services"), "{refused}");
}

#[tokio::test]
async fn a_node_port_stays_with_the_name_of_its_port() {
    let world = World::new();
    let path = format!("{SERVICES}/a");
    let made = world.post(SERVICES, service("a", json!({"type": "NodePort"}))).await.expect(201);
    let ports = &made["spec"]["ports"];
    let asked = json!({"spec": {"type": "LoadBalancer", "ports": [
        {"name": "more", "port": 8081}, {"name": "web", "port": 80, "nodePort": 32500}]}});
    let changed = world.merge(&path, asked).await.expect(200);
    assert_eq!(changed["spec"]["ports"][0]["nodePort"], ports[1]["nodePort"]);
    let taken = ports[1]["nodePort"].clone();
    let asked =
        json!({"spec": {"ports": [{"name": "more", "port": 81}, {"name": "web", "port": 80, "nodePort": taken}]}});
    let changed = world.merge(&path, asked).await.expect(200);
    assert_ne!(changed["spec"]["ports"][0]["nodePort"], taken);
    assert!(changed["spec"]["ports"][0]["nodePort"].is_u64(), "{changed}");
}

#[tokio::test]
async fn a_service_that_balances_no_more_has_no_balancer() {
    let world = World::new();
    let path = format!("{SERVICES}/a");
    let asked = json!({"type": "LoadBalancer", "loadBalancerClass": "example.com/x"});
    world.post(SERVICES, service("a", asked)).await.expect(201);
    let status = json!({"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}});
    world.merge(&format!("{path}/status"), status).await.expect(200);
    let same = world.merge(&path, json!({"metadata": {"labels": {"a": "b"}}})).await.expect(200);
    assert_eq!(same["status"]["loadBalancer"]["ingress"][0]["ip"], "192.0.2.1");
    let changed = world.merge(&path, json!({"spec": {"type": "NodePort"}})).await.expect(200);
    assert_eq!(changed["status"]["loadBalancer"], json!({}));
    assert_eq!(changed["spec"].get("loadBalancerClass"), None);
    assert!(changed["spec"]["ports"][0]["nodePort"].is_u64(), "{changed}");
}

#[tokio::test]
async fn the_last_gate_of_a_pod_opens_wherever_it_is_to_run() {
    let world = World::new();
    let pods = "/api/v1/namespaces/default/pods";
    let spec = pod_spec(json!({"schedulingGates": [{"name": "a"}], "nodeSelector": {"disk": "ssd"}}));
    world.post(pods, json!({"metadata": {"name": "p"}, "spec": spec})).await.expect(201);
    let path = format!("{pods}/p");
    let opened = json!({"spec": {"schedulingGates": null, "nodeSelector": {"zone": "b"}}});
    let opened = world.merge(&path, opened).await.expect(200);
    assert_eq!(opened["spec"]["nodeSelector"], json!({"disk": "ssd", "zone": "b"}));
    world.merge(&path, json!({"spec": {"nodeSelector": {"zone": "c"}}})).await.expect(422);
}

#[tokio::test]
async fn a_definition_that_waits_for_its_objects_can_still_be_changed() {
    let world = World::new();
    world.define().await;
    world.post(DOCUMENTS, json!({"metadata": {"name": "held", "finalizers": ["x/y"]}})).await.expect(201);
    let path = format!("{DEFINITIONS}/documents.example.com");
    world.delete(&path).await.expect(200);
    let changed = world.merge(&path, json!({"metadata": {"labels": {"a": "b"}}})).await.expect(200);
    assert_eq!(changed["metadata"]["labels"], json!({"a": "b"}));
    let map = json!({"metadata": {"name": "m", "finalizers": ["mine.example.com"]}});
    world.post(MAPS, map).await.expect(422);
}

#[tokio::test]
async fn a_custom_resource_may_get_a_finalizer_without_a_domain_and_its_writer_is_warned() {
    let world = World::new();
    world.define().await;
    let path = format!("{DOCUMENTS}/a");
    world.post(DOCUMENTS, json!({"metadata": {"name": "bad", "finalizers": ["a b"]}})).await.expect(422);
    world.post(DOCUMENTS, json!({"metadata": {"name": "a"}})).await.expect(201);
    let changed = world.merge(&path, json!({"metadata": {"finalizers": ["a b"]}})).await;
    assert_eq!(changed.code, 200, "{}", changed.text);
    let warnings: Vec<&str> = changed.headers.get_all("warning").iter().filter_map(|it| it.to_str().ok()).collect();
    assert!(warnings.iter().any(|it| it.contains("name part must consist of alphanumeric")), "{warnings:?}");
    let dotted = world.merge(&path, json!({"metadata": {"finalizers": ["mine.example.com"]}})).await;
    let word = "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts";
    assert!(dotted.header("warning").contains(word), "{:?}", dotted.headers);
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
async fn events_of_the_new_way_may_be_elsewhere_and_be_called_anything() {
    let world = World::new();
    let event = |name: &str, about: &str, time: Value| {
        json!({"metadata": {"name": name}, "involvedObject": {"kind": "Pod", "name": "p", "namespace": about},
            "eventTime": time, "reportingComponent": "example.com/c", "reportingInstance": "i", "action": "Run",
            "reason": "Ran", "type": "Normal"})
    };
    let now = json!("2026-01-01T00:00:00.000000Z");
    let table = [
        ("default", "Pod_A.1", "other", now.clone(), 201),
        ("default", "b", "", now.clone(), 201),
        ("kube-system", "c", "", now.clone(), 201),
        ("kube-public", "d", "", now.clone(), 422),
        ("default", "e", "other", Value::Null, 422),
        ("kube-system", "f", "", Value::Null, 422),
        ("default", "g", "", Value::Null, 201),
    ];
    for (home, name, about, time, code) in table {
        let path = format!("/api/v1/namespaces/{home}/events");
        let reply = world.post(&path, event(name, about, time)).await;
        assert_eq!(reply.code, code, "{home} {name}: {}", reply.text);
    }
}

#[tokio::test]
async fn a_schema_may_leave_everything_open() {
    for schema in [
        json!({"x-kubernetes-preserve-unknown-fields": true}),
        json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "patternProperties": {}, "definitions": {}}),
    ] {
        let world = World::new();
        let mut open = definition();
        for version in [0, 1] {
            open["spec"]["versions"][version]["schema"]["openAPIV3Schema"] = schema.clone();
        }
        world.post(DEFINITIONS, open).await.expect(201);
        let made = world.post(DOCUMENTS, json!({"metadata": {"name": "a"}, "spec": {"any": [1]}})).await.expect(201);
        assert_eq!(made["spec"]["any"], json!([1]));
        let changed = world.merge(&format!("{DOCUMENTS}/a"), json!({"spec": {"more": true}})).await.expect(200);
        assert_eq!(changed["spec"], json!({"any": [1], "more": true}));
    }
}

#[tokio::test]
async fn a_schema_may_be_of_a_number_or_a_text() {
    let world = World::new();
    let mut either = definition();
    for version in [0, 1] {
        let version = &mut either["spec"]["versions"][version];
        version["subresources"] = json!({});
        version["schema"]["openAPIV3Schema"] = json!({"x-kubernetes-int-or-string": true});
    }
    world.post(DEFINITIONS, either.clone()).await.expect(201);
    either["metadata"]["name"] = "papers.example.com".into();
    either["spec"]["names"] = json!({"plural": "papers", "kind": "Paper"});
    either["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = json!({"description": "nothing"});
    let refused = world.post(DEFINITIONS, either).await.expect(422);
    assert!(refused["message"].as_str().unwrap().contains("type: Required value: must not be empty at the root"));
}

#[tokio::test]
async fn a_field_to_select_by_may_begin_as_metadata_does() {
    let world = World::new();
    let mut defined = definition();
    for version in [0, 1] {
        let version = &mut defined["spec"]["versions"][version];
        let text = json!({"type": "string"});
        version["schema"]["openAPIV3Schema"]["properties"] =
            json!({"metadataOf": text, "metadata": {"type": "object", "properties": {"name": text}}});
        version["selectableFields"] = json!([{"jsonPath": ".metadataOf"}]);
    }
    world.post(DEFINITIONS, defined.clone()).await.expect(201);
    defined["spec"]["versions"][0]["selectableFields"] = json!([{"jsonPath": ".metadata.name"}]);
    let refused = world.post(&format!("{DEFINITIONS}?dryRun=All"), defined).await.expect(422);
    assert!(refused["message"].as_str().unwrap().contains("must not point to fields in metadata"), "{refused}");
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
