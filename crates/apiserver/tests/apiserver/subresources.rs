//! Subresources: scale, binding, eviction, tokens, ephemeral containers, resize.

use super::world::{DEFINITIONS, DOCUMENTS, World, definition, version};
use serde_json::{Value, json};

const PODS: &str = "/api/v1/namespaces/default/pods";
const WEB: &str = "/apis/apps/v1/namespaces/default/deployments/web";
const BUDGETS: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

async fn deploy(world: &World) -> Value {
    let selector = json!({"matchLabels": {"app": "web"}, "matchExpressions": [
        {"key": "tier", "operator": "In", "values": ["b", "a"]}, {"key": "x", "operator": "Exists"},
    ]});
    let template = json!({"metadata": {"labels": {"app": "web", "tier": "a", "x": "y"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"replicas": 2, "selector": selector, "template": template});
    let collection = WEB.strip_suffix("/web").unwrap();
    world.post(collection, json!({"metadata": {"name": "web"}, "spec": spec})).await.expect(201)
}

async fn pod(world: &World, name: &str, phase: &str) {
    let spec = json!({"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]});
    world.post(PODS, json!({"metadata": {"name": name, "labels": {"app": "x"}}, "spec": spec})).await.expect(201);
    let status = json!({"phase": phase, "conditions": [{"type": "Ready", "status": "True"}]});
    world.merge(&format!("{PODS}/{name}/status"), json!({"status": status})).await.expect(200);
}

#[tokio::test]
async fn a_scale_is_a_view_of_its_object() {
    let world = World::new();
    let created = deploy(&world).await;
    let scale = world.get(&format!("{WEB}/scale")).await.expect(200);
    assert_eq!((&scale["kind"], &scale["apiVersion"]), (&json!("Scale"), &json!("autoscaling/v1")));
    assert_eq!(scale["spec"], json!({"replicas": 2}));
    assert_eq!(scale["status"], json!({"replicas": 0, "selector": "app=web,tier in (a,b),x"}));
    assert_eq!(scale["metadata"]["uid"], created["metadata"]["uid"]);
    assert_eq!(version(&scale), version(&created));
}

#[tokio::test]
async fn writing_a_scale_writes_the_replicas() {
    let world = World::new();
    deploy(&world).await;
    let path = format!("{WEB}/scale");
    let put = json!({"metadata": {"name": "web", "namespace": "default"}, "spec": {"replicas": 5}});
    assert_eq!(world.put(&path, &put).await.expect(200)["spec"]["replicas"], 5);
    assert_eq!(world.merge(&path, json!({"spec": {"replicas": 3}})).await.expect(200)["spec"]["replicas"], 3);
    let strategic = "application/strategic-merge-patch+json";
    world.patch(&path, strategic, &json!({"spec": {"replicas": 1}})).await.expect(200);
    world.merge(&format!("{path}?dryRun=All"), json!({"spec": {"replicas": 30}})).await.expect(200);
    let deployment = world.get(WEB).await.expect(200);
    assert_eq!((&deployment["spec"]["replicas"], &deployment["metadata"]["generation"]), (&json!(1), &json!(4)));
}

#[tokio::test]
async fn a_wrong_scale_is_refused_as_kube_apiserver_does() {
    let world = World::new();
    deploy(&world).await;
    let scale = |extra: Value, replicas: i64| {
        let mut metadata = json!({"name": "web", "namespace": "default"});
        metadata.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        json!({"metadata": metadata, "spec": {"replicas": replicas}})
    };
    let table = [
        (json!({"spec": {"replicas": 1}}), 400, "the name of the object (web based on URL) was undeterminable"),
        (scale(json!({"resourceVersion": "1"}), 6), 409, "Operation cannot be fulfilled on deployments.apps"),
        (scale(json!({"uid": "abc"}), 6), 409, "Precondition failed: UID in precondition: abc"),
        (scale(json!({}), -1), 422, "Scale.autoscaling \"web\" is invalid: spec.replicas: Invalid value: -1"),
    ];
    for (body, code, message) in table {
        let reply = world.put(&format!("{WEB}/scale"), &body).await;
        assert_eq!(reply.code, code, "{}", reply.text);
        assert!(reply.message().contains(message), "{}", reply.text);
    }
    assert_eq!(world.get(&WEB.replace("web", "none")).await.code, 404);
    assert_eq!(world.delete(&format!("{WEB}/scale")).await.code, 405);
}

#[tokio::test]
async fn a_custom_resource_scales_by_the_paths_of_its_definition() {
    let world = World::new();
    let mut defined = definition();
    defined["spec"]["versions"][1]["subresources"]["scale"] = json!({
        "specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size", "labelSelectorPath": ".status.selector",
    });
    world.post(DEFINITIONS, defined).await.expect(201);
    world.post(DOCUMENTS, json!({"metadata": {"name": "d"}, "spec": {"size": 2}})).await.expect(201);
    world.post(DOCUMENTS, json!({"metadata": {"name": "e"}, "spec": {}})).await.expect(201);
    world.merge(&format!("{DOCUMENTS}/d/status"), json!({"status": {"size": 1, "selector": "a=b"}})).await.expect(200);
    let scaled = world.merge(&format!("{DOCUMENTS}/d/scale"), json!({"spec": {"replicas": 7}})).await.expect(200);
    assert_eq!(
        (&scaled["spec"], &scaled["status"]),
        (&json!({"replicas": 7}), &json!({"replicas": 1, "selector": "a=b"}))
    );
    assert_eq!(world.get(&format!("{DOCUMENTS}/d")).await.expect(200)["spec"]["size"], 7);
    let without = world.get(&format!("{DOCUMENTS}/e/scale")).await;
    assert_eq!(
        (without.code, without.message().as_str()),
        (500, "Internal error occurred: the spec replicas field \".spec.size\" does not exist")
    );
}

#[tokio::test]
async fn a_pod_is_bound_once() {
    let world = World::new();
    pod(&world, "p", "Pending").await;
    let bind = |name: &str, node: &str| json!({"metadata": {"name": name}, "target": {"kind": "Node", "name": node}});
    let path = format!("{PODS}/p/binding");
    let done = world.post(&path, bind("p", "n1")).await.expect(201);
    assert_eq!((&done["kind"], &done["status"]), (&json!("Status"), &json!("Success")));
    let bound = world.get(&format!("{PODS}/p")).await.expect(200);
    assert_eq!(bound["spec"]["nodeName"], "n1");
    assert!(bound["status"]["conditions"].as_array().unwrap().iter().any(|it| it["type"] == "PodScheduled"));
    let again = world.post(&path, bind("p", "n2")).await;
    let expected = "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n1\"";
    assert_eq!((again.code, again.message().as_str()), (409, expected));
    assert_eq!(world.post(&path, bind("q", "n2")).await.message(), "name in URL does not match name in Binding object");
    assert_eq!(world.post(&path, bind("p", "")).await.message(), "target.name: Required value");
    assert_eq!(world.post("/api/v1/namespaces/default/bindings", bind("none", "n")).await.code, 404);
}

#[tokio::test]
async fn an_eviction_asks_the_budget() {
    let world = World::new();
    pod(&world, "p", "Running").await;
    let spec = json!({"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}});
    world.post(BUDGETS, json!({"metadata": {"name": "b"}, "spec": spec})).await.expect(201);
    let evict = || world.post("/api/v1/namespaces/default/pods/p/eviction", json!({"metadata": {"name": "p"}}));
    let early = evict().await;
    assert_eq!((early.code, early.header("retry-after")), (429, "10"));
    let status = |allowed: i64| json!({"status": {"observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": 1, "desiredHealthy": 1}});
    world.merge(&format!("{BUDGETS}/b/status"), status(0)).await.expect(200);
    let refused = evict().await;
    assert_eq!(refused.code, 429);
    let cause = refused.json()["details"]["causes"][0].clone();
    assert_eq!(cause["message"], "The disruption budget b needs 1 healthy pods and has 1 currently");
    world.merge(&format!("{BUDGETS}/b/status"), status(1)).await.expect(200);
    evict().await.expect(201);
    assert_eq!(world.get(&format!("{PODS}/p")).await.code, 404);
    let budget = world.get(&format!("{BUDGETS}/b")).await.expect(200);
    assert_eq!(budget["status"]["disruptionsAllowed"], 0);
    assert!(budget["status"]["disruptedPods"]["p"].is_string());
}

#[tokio::test]
async fn a_pod_that_does_not_run_is_evicted_without_asking() {
    let world = World::new();
    pod(&world, "p", "Pending").await;
    let spec = json!({"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}});
    world.post(BUDGETS, json!({"metadata": {"name": "b"}, "spec": spec})).await.expect(201);
    world.post(&format!("{PODS}/p/eviction"), json!({"metadata": {"name": "p"}})).await.expect(201);
    assert_eq!(world.post(&format!("{PODS}/p/eviction"), json!({"metadata": {"name": "p"}})).await.code, 404);
}

#[tokio::test]
async fn ephemeral_containers_are_added_and_never_changed() {
    let world = World::new();
    pod(&world, "p", "Running").await;
    let path = format!("{PODS}/p/ephemeralcontainers");
    let one =
        |image: &str| json!({"spec": {"nodeName": "other", "ephemeralContainers": [{"name": "d", "image": image}]}});
    let added = world.patch(&path, "application/strategic-merge-patch+json", &one("busybox")).await.expect(200);
    assert_eq!(added["spec"]["ephemeralContainers"][0]["image"], "busybox");
    assert!(added["spec"].get("nodeName").is_none());
    assert_eq!(added["metadata"]["generation"], 2);
    let removed = world.merge(&path, json!({"spec": {"ephemeralContainers": []}})).await;
    assert!(removed.message().contains("existing ephemeral containers \"d\" may not be removed"), "{}", removed.text);
    assert_eq!(world.merge(&path, one("other")).await.code, 422);
}

#[tokio::test]
async fn a_resize_changes_resources_alone() {
    let world = World::new();
    pod(&world, "p", "Running").await;
    let path = format!("{PODS}/p/resize");
    let container = json!({"name": "c", "image": "zzz", "resources": {"requests": {"cpu": "1.5"}}});
    let patch = json!({"spec": {"containers": [container]}});
    let resized = world.patch(&path, "application/strategic-merge-patch+json", &patch).await.expect(200);
    assert_eq!(resized["spec"]["containers"][0]["resources"]["requests"]["cpu"], "1500m");
    assert_eq!(resized["spec"]["containers"][0]["image"], "i");
    let more = json!({"spec": {"containers": [{"name": "d", "image": "i"}]}});
    let refused = world.patch(&path, "application/strategic-merge-patch+json", &more).await;
    assert!(refused.message().contains("containers may not be added or removed on resize"), "{}", refused.text);
}

#[tokio::test]
async fn a_token_is_issued_and_recognised() {
    let world = World::new();
    let path = "/api/v1/namespaces/default/serviceaccounts/default/token";
    let made = world.post(path, json!({"spec": {"audiences": ["api"]}})).await.expect(201);
    assert_eq!(made["spec"], json!({"audiences": ["api"], "boundObjectRef": null, "expirationSeconds": 3600}));
    let review = json!({"spec": {"token": made["status"]["token"], "audiences": ["api", "other"]}});
    let reviewed = world.post("/apis/authentication.k8s.io/v1/tokenreviews", review).await.expect(201);
    assert_eq!(reviewed["status"]["authenticated"], true);
    assert_eq!(reviewed["status"]["audiences"], json!(["api"]));
    assert_eq!(reviewed["status"]["user"]["username"], "system:serviceaccount:default:default");
    let short = world.post(path, json!({"spec": {"expirationSeconds": 10}})).await;
    assert!(short.message().contains("may not specify a duration less than 10 minutes"), "{}", short.text);
    assert_eq!(world.post(&path.replace("default/token", "nobody/token"), json!({})).await.code, 404);
}

#[tokio::test]
async fn new_objects_have_what_kubernetes_gives_them() {
    let world = World::new();
    let core = "/api/v1/namespaces/default";
    let pod = world
        .post(PODS, json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}))
        .await
        .expect(201);
    assert_eq!(pod["status"], json!({"phase": "Pending", "qosClass": "BestEffort"}));
    assert_eq!((&pod["spec"]["priority"], &pod["spec"]["restartPolicy"]), (&json!(0), &json!("Always")));
    assert_eq!(pod["spec"]["tolerations"].as_array().unwrap().len(), 2);
    let ports = json!([{"port": 80}]);
    let service =
        json!({"metadata": {"name": "s"}, "spec": {"type": "NodePort", "selector": {"a": "b"}, "ports": ports}});
    let service = world.post(&format!("{core}/services"), service).await.expect(201);
    let address = service["spec"]["clusterIP"].clone();
    assert_eq!(service["spec"]["clusterIPs"], json!([address]));
    assert_eq!(service["spec"]["ipFamilyPolicy"], "SingleStack");
    let put = json!({"metadata": {"name": "s"}, "spec": {"type": "NodePort", "ports": ports}});
    let updated = world.put(&format!("{core}/services/s"), &put).await.expect(200);
    assert_eq!(updated["spec"]["clusterIP"], address);
    assert_eq!(updated["spec"]["ports"], service["spec"]["ports"], "a node port is kept");
    let secret = json!({"metadata": {"name": "x"}, "stringData": {"a": "b"}});
    let secret = world.post(&format!("{core}/secrets"), secret).await.expect(201);
    assert_eq!((&secret["data"], &secret["type"]), (&json!({"a": "Yg=="}), &json!("Opaque")));
    let template = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}});
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    let job = world.post(jobs, json!({"metadata": {"name": "j"}, "spec": {"template": template}})).await.expect(201);
    let uid = &job["metadata"]["uid"];
    assert_eq!(&job["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"], uid);
    assert_eq!(&job["spec"]["template"]["metadata"]["labels"]["controller-uid"], uid);
    assert_eq!((&job["spec"]["backoffLimit"], &job["status"]), (&json!(6), &json!({})));
}

#[tokio::test]
async fn a_decision_about_a_certificate_is_made_by_approval_alone_and_stays() {
    let world = World::new();
    let requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let spec = json!({"request": super::admission_plugins::CERTIFICATE_REQUEST, "signerName": "example.com/a", "usages": ["client auth"]});
    world.post(requests, json!({"metadata": {"name": "c"}, "spec": spec})).await.expect(201);
    let condition = |kind: &str, status: &str, reason: &str| json!({"type": kind, "status": status, "reason": reason});
    let write = async |part: &str, conditions: Value| {
        world.merge(&format!("{requests}/c/{part}"), json!({"status": {"conditions": conditions}})).await
    };
    let (approved, denied) = (condition("Approved", "True", "r"), condition("Denied", "True", "r"));
    let decisions = "{conditions[{\"type\": \"Approved\"}], conditions[{\"type\": \"Denied\"}]}";
    let refusals = [
        (
            "status",
            json!([approved]),
            "status.conditions: Forbidden: updates may not add a condition of type \"Approved\"",
        ),
        (
            "approval",
            json!([condition("Approved", "False", "r")]),
            "status.conditions[0].status: Unsupported value: \"False\": supported values: \"True\"",
        ),
        (
            "approval",
            json!([condition("Q", "Maybe", "r")]),
            "status.conditions[0].status: Unsupported value: \"Maybe\": supported values: \"False\", \"True\", \"Unknown\"",
        ),
        ("approval", json!([condition("", "True", "r")]), "status.conditions[0].type: Required value"),
        ("approval", json!([approved, approved]), "status.conditions[1].type: Duplicate value: \"Approved\""),
        (
            "approval",
            json!([approved, denied]),
            &format!("status.conditions: Invalid value: {decisions:?}: must specify at most one of"),
        ),
    ];
    for (part, conditions, why) in refusals {
        let refused = write(part, conditions.clone()).await;
        assert_eq!(refused.code, 422, "{conditions}");
        assert!(refused.message().contains(why), "{conditions}: {}", refused.message());
    }
    let body = json!({"metadata": {"annotations": {"a": "b"}}, "spec": {"signerName": "example.com/b"},
        "status": {"certificate": "aGk=", "conditions": [approved]}});
    let request = world.merge(&format!("{requests}/c/approval"), body).await.expect(200);
    assert_eq!(request["metadata"]["annotations"]["a"], "b", "metadata can be written with a decision");
    assert_eq!(request["spec"]["signerName"], "example.com/a");
    assert_eq!(request["status"]["certificate"], Value::Null);
    assert!(request["status"]["conditions"][0]["lastTransitionTime"].is_string());
    for (part, conditions) in [("approval", json!([])), ("status", json!([])), ("approval", json!([denied]))] {
        let why = "status.conditions: Forbidden: updates may not remove a condition of type \"Approved\"";
        assert!(write(part, conditions).await.message().contains(why), "{part}");
    }
    let other = condition("Approved", "True", "another");
    let request = write("status", json!([other, condition("Failed", "True", "r")])).await.expect(200);
    let reasons: Vec<&Value> =
        request["status"]["conditions"].as_array().unwrap().iter().map(|it| &it["reason"]).collect();
    assert_eq!(reasons, ["r", "r"], "the path of the status writes no decision");
    assert!(request["status"]["conditions"][1]["lastUpdateTime"].is_string());
    let certificate = world.merge(&format!("{requests}/c/status"), json!({"status": {"certificate": "aGk="}})).await;
    let why =
        "status.certificate: Invalid value: \"<certificate data>\": must contain at least one CERTIFICATE PEM block";
    assert!(certificate.message().contains(why), "{}", certificate.message());
}
