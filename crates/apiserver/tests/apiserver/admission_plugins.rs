//! The admission plugins, each by one thing that it does and by what happens without it. The scripts `admission/…` show
//! every rule and every word of them, as real Kubernetes has them.

use pintle_apiserver::{AdmissionPlugin, Server};
use serde_json::{Value, json};

use super::world::{MAPS, World, pod_spec};

const PODS: &str = "/api/v1/namespaces/default/pods";
const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";

fn without(plugin: AdmissionPlugin) -> World {
    World { server: Server::builder().seed(7).disable_admission_plugins([plugin]).build() }
}

fn pod(more: Value) -> Value {
    json!({"metadata": {"name": "p"}, "spec": pod_spec(more)})
}

fn claim() -> Value {
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    json!({"metadata": {"name": "c"}, "spec": spec})
}

#[tokio::test]
async fn the_priority_of_a_pod_is_that_of_its_class() {
    let world = World::new();
    let made = world.post(PODS, pod(json!({"priorityClassName": "system-cluster-critical"}))).await.expect(201);
    assert_eq!(made["spec"]["priority"], 2_000_000_000);
    let unknown = pod(json!({"priorityClassName": "nope"}));
    let refused = world.post(PODS, unknown.clone()).await;
    assert_eq!(refused.message(), "pods \"p\" is forbidden: no PriorityClass with name nope was found");
    let made = without(AdmissionPlugin::Priority).post(PODS, unknown).await.expect(201);
    assert_eq!(made["spec"].get("priority"), None);
}

#[tokio::test]
async fn a_pod_tolerates_a_lost_node_for_a_while() {
    let made = World::new().post(PODS, pod(json!({}))).await.expect(201);
    assert_eq!(made["spec"]["tolerations"].as_array().map(Vec::len), Some(2));
    let made = without(AdmissionPlugin::DefaultTolerationSeconds).post(PODS, pod(json!({}))).await.expect(201);
    assert_eq!(made["spec"].get("tolerations"), None);
}

#[tokio::test]
async fn a_claim_is_protected() {
    let made = World::new().post(CLAIMS, claim()).await.expect(201);
    assert_eq!(made["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
    let made = without(AdmissionPlugin::StorageObjectInUseProtection).post(CLAIMS, claim()).await.expect(201);
    assert_eq!(made["metadata"].get("finalizers"), None);
}

#[tokio::test]
async fn a_new_node_is_tainted() {
    let node = json!({"metadata": {"name": "n"}});
    let made = World::new().post("/api/v1/nodes", node.clone()).await.expect(201);
    assert_eq!(made["spec"]["taints"], json!([{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]));
    let made = without(AdmissionPlugin::TaintNodesByCondition).post("/api/v1/nodes", node).await.expect(201);
    assert_eq!(made["spec"].get("taints"), None);
}

#[tokio::test]
async fn nothing_is_created_where_there_is_no_namespace() {
    let map = json!({"metadata": {"name": "m"}});
    let path = MAPS.replace("default", "nowhere");
    let refused = World::new().post(&path, map.clone()).await;
    assert_eq!((refused.code, refused.message()), (404, "namespaces \"nowhere\" not found".to_owned()));
    without(AdmissionPlugin::NamespaceLifecycle).post(&path, map).await.expect(201);
}

#[tokio::test]
async fn a_careful_namespace_refuses_and_warns() {
    let world = World::new();
    let labels =
        json!({"pod-security.kubernetes.io/enforce": "baseline", "pod-security.kubernetes.io/warn": "restricted"});
    world.merge("/api/v1/namespaces/default", json!({"metadata": {"labels": labels}})).await.expect(200);
    let refused = world.post(PODS, pod(json!({"hostPID": true}))).await;
    let expected = "pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces (hostPID=true)";
    assert_eq!(refused.message(), expected);
    let warned = world.post(PODS, pod(json!({}))).await;
    assert!(warned.header("warning").contains("would violate PodSecurity"), "{:?}", warned.headers);
    assert_eq!(warned.code, 201);
    let world = without(AdmissionPlugin::PodSecurity);
    world.merge("/api/v1/namespaces/default", json!({"metadata": {"labels": labels}})).await.expect(200);
    world.post(PODS, pod(json!({"hostPID": true}))).await.expect(201);
}

#[tokio::test]
async fn a_pod_has_an_account_and_its_token_where_that_is_switched_on() {
    let made = World::new().post(PODS, pod(json!({}))).await.expect(201);
    assert_eq!((made["spec"].get("serviceAccountName"), made["spec"].get("volumes")), (None, None));
    let builder = Server::builder().seed(7).enable_admission_plugins([AdmissionPlugin::ServiceAccount]);
    let world = World { server: builder.build() };
    let made = world.post(PODS, pod(json!({}))).await.expect(201);
    assert_eq!(
        (&made["spec"]["serviceAccountName"], &made["spec"]["serviceAccount"]),
        (&json!("default"), &json!("default"))
    );
    let mount = &made["spec"]["containers"][0]["volumeMounts"][0];
    assert_eq!(mount["mountPath"], "/var/run/secrets/kubernetes.io/serviceaccount");
    assert_eq!(mount["name"], made["spec"]["volumes"][0]["name"]);
    let refused = world.post(PODS, pod(json!({"serviceAccountName": "nope"}))).await;
    let expected =
        "pods \"p\" is forbidden: error looking up service account default/nope: serviceaccount \"nope\" not found";
    assert_eq!(refused.message(), expected);
}

#[tokio::test]
async fn claims_and_ingresses_get_the_default_class() {
    let ingresses = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
    let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
    let ingress = json!({"metadata": {"name": "i"}, "spec": {"defaultBackend": backend}});
    let classes = async |world: &World| {
        let marked = json!({"storageclass.kubernetes.io/is-default-class": "true"});
        let class = json!({"metadata": {"name": "fast", "annotations": marked}, "provisioner": "p"});
        world.post("/apis/storage.k8s.io/v1/storageclasses", class).await.expect(201);
        let marked = json!({"ingressclass.kubernetes.io/is-default-class": "true"});
        let class = json!({"metadata": {"name": "edge", "annotations": marked}, "spec": {"controller": "a.b/c"}});
        world.post("/apis/networking.k8s.io/v1/ingressclasses", class).await.expect(201);
    };
    let world = World::new();
    classes(&world).await;
    assert_eq!(world.post(CLAIMS, claim()).await.expect(201)["spec"]["storageClassName"], "fast");
    assert_eq!(world.post(ingresses, ingress.clone()).await.expect(201)["spec"]["ingressClassName"], "edge");
    let off = [AdmissionPlugin::DefaultStorageClass, AdmissionPlugin::DefaultIngressClass];
    let world = World { server: Server::builder().seed(7).disable_admission_plugins(off).build() };
    classes(&world).await;
    assert_eq!(world.post(CLAIMS, claim()).await.expect(201)["spec"].get("storageClassName"), None);
    assert_eq!(world.post(ingresses, ingress).await.expect(201)["spec"].get("ingressClassName"), None);
}

#[tokio::test]
async fn a_pod_takes_what_its_runtime_takes() {
    let world = World::new();
    let class = json!({"metadata": {"name": "vm"}, "handler": "vm", "overhead": {"podFixed": {"cpu": "250m"}},
        "scheduling": {"nodeSelector": {"vm": "yes"}}});
    world.post("/apis/node.k8s.io/v1/runtimeclasses", class).await.expect(201);
    let made = world.post(PODS, pod(json!({"runtimeClassName": "vm"}))).await.expect(201);
    assert_eq!(
        (&made["spec"]["overhead"], &made["spec"]["nodeSelector"]),
        (&json!({"cpu": "250m"}), &json!({"vm": "yes"}))
    );
    let unknown = pod(json!({"runtimeClassName": "nope"}));
    let refused = world.post(PODS, unknown.clone()).await;
    assert_eq!(refused.message(), "pods \"p\" is forbidden: pod rejected: RuntimeClass \"nope\" not found");
    without(AdmissionPlugin::RuntimeClass).post(PODS, unknown).await.expect(201);
}

#[tokio::test]
async fn a_claim_grows_where_its_class_can() {
    for (world, code) in [(World::new(), 403), (without(AdmissionPlugin::PersistentVolumeClaimResize), 200)] {
        let mut bound = claim();
        bound["spec"]["volumeName"] = json!("v");
        world.post(CLAIMS, bound).await.expect(201);
        let path = format!("{CLAIMS}/c");
        world.merge(&format!("{path}/status"), json!({"status": {"phase": "Bound"}})).await.expect(200);
        let grown = world.merge(&path, json!({"spec": {"resources": {"requests": {"storage": "2Gi"}}}})).await;
        assert_eq!(grown.code, code, "{}", grown.text);
    }
}

#[tokio::test]
async fn requests_for_certificates_are_decided_by_those_who_may_for_their_signer() {
    let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "r"});
    let failure = json!({"status": {"conditions": [condition("Failed")]}});
    let approval = json!({"status": {"conditions": [condition("Failed"), condition("Approved")]}});
    let off = [AdmissionPlugin::CertificateApproval, AdmissionPlugin::CertificateSigning];
    for (builder, code) in
        [(Server::builder().rbac(), 403), (Server::builder().rbac().disable_admission_plugins(off), 200)]
    {
        let world = World { server: builder.build() };
        let spec = json!({"request": CERTIFICATE_REQUEST, "signerName": "example.com/a", "usages": ["client auth"]});
        let requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
        world.post(requests, json!({"metadata": {"name": "c"}, "spec": spec})).await.expect(201);
        let rbac = "/apis/rbac.authorization.k8s.io/v1";
        let rule = json!({"apiGroups": ["certificates.k8s.io"], "verbs": ["*"],
            "resources": ["certificatesigningrequests/approval", "certificatesigningrequests/status"]});
        world
            .post(&format!("{rbac}/clusterroles"), json!({"metadata": {"name": "r"}, "rules": [rule]}))
            .await
            .expect(201);
        let (role, subject) = (
            json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "r"}),
            json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "kim"}),
        );
        let binding = json!({"metadata": {"name": "r"}, "roleRef": role, "subjects": [subject]});
        world.post(&format!("{rbac}/clusterrolebindings"), binding).await.expect(201);
        let kim = World { server: world.server.as_user("kim", &[]) };
        let failed = kim.merge(&format!("{requests}/c/status"), failure.clone()).await;
        assert_eq!(failed.code, code, "{}", failed.text);
        let approved = kim.merge(&format!("{requests}/c/approval"), approval.clone()).await;
        assert_eq!(approved.code, code, "{}", approved.text);
        if code == 403 {
            let why = "user not permitted to sign requests with signerName \"example.com/a\"";
            assert!(failed.message().ends_with(why), "{}", failed.text);
        }
    }
}

/// An empty request that openssl made, as PEM in base64.
pub(crate) const CERTIFICATE_REQUEST: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlHNk1HSUNBUUF3QURCWk1CTUdCeXFHU000OUFnRUdDQ3FHU000OUF3RUhBMElBQkg2YndGRnRwQVFPNVh1MAo0T0xmRXJnSnd1M082TzZSclFQazg2Z00wVW9ldFNBMWxTOTFsT0w5L3BockNqZ0Rwb3hpMHh1cSszbzlZYnJpCi9RU05Tb21nQURBS0JnZ3Foa2pPUFFRREFnTklBREJGQWlFQXBzU0VjSm43dmFiS1ZOK1oxOVV6Rm1zQndJTFkKdkNRUjcxY2M5QmJFbFVVQ0lCUlJ3bTJkK3Q0Zk9rcjEyUVFvRG1jL3JLZ1d4OU5qa0FsMGE1eTBPVnNtCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
