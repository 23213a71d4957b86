//! How often packing and decoding ask for memory: packing a few times for each object, however large it is; decoding as often
//! as a copy of the object does, which is once for each string, list and map; and decoding over another object hardly ever.
//!
//! What is allocated beside the object shows here before it shows in anybody's profile.

use allocation_counter::measure;
use k8s_openapi::api::core::v1::Pod;
use pintle_wire::{Body, CutError, Cutter, HeadReader, Limits, MediaType, Packed, facts, protobuf};
use serde_json::{Value, json};

/// A pod as a server sends it: two containers, times, lists of one to four elements, and two managers.
fn pod() -> Value {
    let env = |nth: usize| json!({ "name": format!("ENDPOINT_{nth}"), "value": format!("https://service-{nth}:8443") });
    let mount = |name: &str| json!({ "name": name, "mountPath": format!("/etc/{name}"), "readOnly": true });
    let container = |name: &str| {
        json!({
            "name": name, "image": format!("registry.example.com/{name}:v1"), "args": ["--listen=0.0.0.0:8080", "--log=json"],
            "env": [env(0), env(1), env(2), env(3)], "ports": [{ "name": "http", "containerPort": 8080, "protocol": "TCP" }],
            "livenessProbe": { "httpGet": { "path": "/healthz", "port": "http" }, "periodSeconds": 10 },
            "resources": { "limits": { "memory": "512Mi" }, "requests": { "cpu": "100m", "memory": "256Mi" } },
            "volumeMounts": [mount("config"), mount("tls")], "terminationMessagePath": "/dev/termination-log",
        })
    };
    let condition =
        |kind: &str| json!({ "type": kind, "status": "True", "lastTransitionTime": "2026-11-14T10:11:12Z" });
    let managed = |manager: &str| {
        json!({ "manager": manager, "operation": "Update", "apiVersion": "v1", "time": "2026-11-14T10:11:12Z",
                "fieldsType": "FieldsV1", "fieldsV1": { "f:metadata": { "f:labels": { ".": {}, "f:app": {} } } } })
    };
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": "web-5d9c7b-x2x4q", "namespace": "team-0", "uid": "0f3b1b2a-5c1d-4e8f-9a6b-7c8d9e0f1a2b",
            "resourceVersion": "1000", "creationTimestamp": "2026-11-14T10:11:12Z", "labels": { "app": "web", "tier": "front" },
            "managedFields": [managed("kube-controller-manager"), managed("kubelet")],
        },
        "spec": {
            "containers": [container("web"), container("proxy")], "nodeName": "node-1", "serviceAccountName": "web",
            "volumes": [{ "name": "config", "configMap": { "name": "web" } }, { "name": "tls", "secret": { "secretName": "web" } }],
            "tolerations": [{ "key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute" }],
        },
        "status": {
            "phase": "Running", "podIP": "10.0.0.7", "startTime": "2026-11-14T10:11:12Z",
            "conditions": [condition("Initialized"), condition("Ready"), condition("ContainersReady"), condition("PodScheduled")],
        },
    })
}

fn packed(body: Body<'_>) -> Packed<Pod> {
    Packed::new(HeadReader::new().read_body(body).unwrap(), body)
}

fn check(packed: &Packed<Pod>, beside_managed_fields: u64) {
    let whole = packed.decode().unwrap();
    let lean = packed.decode_without_managed_fields().unwrap();
    assert!(lean.metadata.managed_fields.is_none() && whole.spec == lean.spec && whole.status == lean.status);
    let of_copy = |pod: &Pod| measure(|| drop(pod.clone())).count_total;
    let of_decode = measure(|| drop(packed.decode())).count_total;
    assert!(of_decode <= of_copy(&whole) + beside_managed_fields, "{of_decode}, a copy {}", of_copy(&whole));
    // They are passed over where they stand: no copy without them is made.
    let of_decode = measure(|| drop(packed.decode_without_managed_fields())).count_total;
    assert!(of_decode <= of_copy(&lean) + beside_managed_fields, "{of_decode}, a copy {}", of_copy(&lean));
}

#[test]
fn decoding_protobuf_allocates_what_a_copy_of_the_object_does() {
    let kind = facts::kind_of("v1", "Pod").unwrap();
    let message = protobuf::message_from_json(kind, pod().to_string().as_bytes()).unwrap();
    check(&packed(Body::protobuf(kind, &message)), 0);
}

/// JSON does not say how long a list is, so that a list of four large elements grows twice.
#[test]
fn decoding_json_allocates_little_beside_the_object() {
    check(&packed(Body::json(pod().to_string().as_bytes())), 8);
}

/// How many objects a list has: enough that what is allocated once does not count.
const LISTED: usize = 100;

/// The list is cut and packed with so many allocations for each object, at most.
fn check_packing(media_type: MediaType, list: &[u8], limit: u64) {
    let pack = || {
        let mut cutter = Cutter::new(media_type, Limits::default());
        let mut heads = HeadReader::new();
        let mut packed: Vec<Packed<Pod>> = Vec::with_capacity(LISTED);
        for chunk in list.chunks(16 * 1024) {
            let mut keep = |body: Body<'_>| {
                packed.push(Packed::new(heads.read_body(body).unwrap(), body));
                Ok::<_, CutError>(())
            };
            cutter.push(chunk, &mut keep).unwrap();
        }
        cutter.finish().unwrap();
        assert_eq!(packed.len(), LISTED);
    };
    let counted = measure(pack).count_total;
    let objects = LISTED as u64;
    assert!(
        counted <= limit * objects,
        "{} allocations per object, {limit} are allowed",
        counted as f64 / objects as f64
    );
}

fn list() -> Value {
    let nth = |index: usize| {
        let mut pod = pod();
        pod["metadata"]["name"] = json!(format!("web-5d9c7b-{index:05}"));
        pod["metadata"]["uid"] = json!(format!("0f3b1b2a-5c1d-4e8f-9a6b-{index:012}"));
        pod
    };
    json!({ "apiVersion": "v1", "kind": "PodList", "metadata": { "resourceVersion": "1" },
            "items": (0..LISTED).map(nth).collect::<Vec<_>>() })
}

#[test]
fn packing_an_object_of_a_list_allocates_its_bytes_and_its_head() {
    let json = list().to_string();
    check_packing(MediaType::Json, json.as_bytes(), 6);
    check_packing(MediaType::Protobuf, &protobuf::from_json(json.as_bytes()).unwrap(), 6);
}

/// The next version of a pod: another version, another condition.
fn check_decoding_over(body: Body<'_>, next: Body<'_>, limit: u64) {
    let mut place = packed(body).decode_without_managed_fields().unwrap();
    let (next, expected) = (packed(next), packed(next).decode_without_managed_fields().unwrap());
    let counted = measure(|| {
        assert!(next.decode_body_over(next.body().without_managed_fields(), &mut place), "it was decoded");
    })
    .count_total;
    assert_eq!(place, expected);
    assert!(counted <= limit, "{counted} allocations, {limit} are allowed");
}

#[test]
fn decoding_over_the_version_before_allocates_almost_nothing() {
    let mut next = pod();
    next["metadata"]["resourceVersion"] = json!("1001");
    next["status"]["conditions"][1]["status"] = json!("False");
    let (pod, next) = (pod().to_string(), next.to_string());
    check_decoding_over(Body::json(pod.as_bytes()), Body::json(next.as_bytes()), 5);
    let kind = facts::kind_of("v1", "Pod").unwrap();
    let message = |json: &str| protobuf::message_from_json(kind, json.as_bytes()).unwrap();
    let (pod, next) = (message(&pod), message(&next));
    check_decoding_over(Body::protobuf(kind, &pod), Body::protobuf(kind, &next), 12);
}
