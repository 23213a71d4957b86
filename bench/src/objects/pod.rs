//! One pod as an API server stores it.
//!
//! Pods of one template (one app) share everything but what differs between replicas in a cluster: names, uids,
//! addresses, nodes, times and container ids. Fields stand in the order of the Go types, `managedFields` included.

use serde_json::{Value, json};

use super::template::Template;
use super::version;

/// The JSON of pod number `index`, in a cluster of so many apps.
pub(super) fn pod(index: usize, templates: usize) -> String {
    let template = Template::new(index % templates);
    let replica = Replica::new(index, &template);
    let metadata = [
        ("name", json!(replica.name)),
        ("generateName", json!(format!("{}-", template.replica_set()))),
        ("namespace", json!(template.namespace())),
        ("uid", json!(uid(index as u64))),
        ("resourceVersion", json!(version(0, index))),
        ("generation", json!(1)),
        ("creationTimestamp", json!(replica.created)),
        ("labels", template.labels()),
        ("annotations", template.annotations()),
        ("ownerReferences", template.owner_references()),
        ("managedFields", template.managed_fields(&replica.created)),
    ];
    // Maps of `Value` sort their keys; this one keeps the order of the server.
    let metadata: Vec<String> = metadata.iter().map(|(key, value)| format!(r#""{key}":{value}"#)).collect();
    let (spec, status) = (template.spec(&replica.node), status(&template, &replica));
    format!(r#"{{"metadata":{{{}}},"spec":{spec},"status":{status}}}"#, metadata.join(","))
}

/// What differs between the pods of one template.
struct Replica {
    index: u64,
    name: String,
    node: String,
    created: String,
    started: String,
}

impl Replica {
    fn new(index: usize, template: &Template) -> Self {
        let number = index as u64;
        let (minute, second) = (scramble(number) % 60, scramble(number + 7) % 60);
        Self {
            index: number,
            name: format!("{}-{}", template.replica_set(), short_name(number)),
            node: format!("ip-10-0-{}-{}.eu-central-1.compute.internal", number % 8, scramble(number % 120) % 250),
            created: format!("2026-11-14T{:02}:{minute:02}:{second:02}Z", number % 24),
            started: format!("2026-11-14T{:02}:{minute:02}:{:02}Z", number % 24, 59.min(second + 9)),
        }
    }
}

fn status(template: &Template, replica: &Replica) -> Value {
    let address = format!("10.{}.{}.{}", 32 + replica.index % 8, replica.index / 250, replica.index % 250);
    let condition = |kind: &str, time: &str| {
        json!({
            "type": kind, "status": "True", "observedGeneration": 1, "lastProbeTime": null, "lastTransitionTime": time,
        })
    };
    json!({
        "phase": "Running",
        "observedGeneration": 1,
        "qosClass": "Burstable",
        "hostIP": format!("10.0.{}.{}", replica.index % 8, scramble(replica.index % 120) % 250),
        "hostIPs": [{ "ip": format!("10.0.{}.{}", replica.index % 8, scramble(replica.index % 120) % 250) }],
        "podIP": address,
        "podIPs": [{ "ip": address }],
        "startTime": replica.created,
        "conditions": [
            condition("PodReadyToStartContainers", &replica.started),
            condition("Initialized", &replica.created),
            condition("Ready", &replica.started),
            condition("ContainersReady", &replica.started),
            condition("PodScheduled", &replica.created),
        ],
        "containerStatuses": template.container_names().map(|name| container_status(template, replica, &name)).collect::<Vec<_>>(),
    })
}

fn container_status(template: &Template, replica: &Replica, name: &str) -> Value {
    let image = template.image(name);
    let container_id =
        format!("containerd://{:016x}{:016x}", scramble(replica.index), scramble(replica.index + name.len() as u64));
    json!({
        "name": name,
        "state": { "running": { "startedAt": replica.started } },
        "lastState": {},
        "ready": true,
        "restartCount": replica.index % 3,
        "image": image,
        "imageID": format!("{}@sha256:{:032x}", image, scramble(name.len() as u64)),
        "containerID": container_id,
        "started": true,
        "allocatedResources": { "cpu": "100m", "memory": "256Mi" },
        "resources": { "limits": { "memory": "512Mi" }, "requests": { "cpu": "100m", "memory": "256Mi" } },
        "volumeMounts": template.volume_mounts().into_iter().map(|mut mount| {
            mount["recursiveReadOnly"] = json!("Disabled");
            mount
        }).collect::<Vec<_>>(),
    })
}

pub(super) fn uid(number: u64) -> String {
    let (high, low) = (scramble(number), scramble(!number));
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        high >> 32,
        high as u16,
        low as u16 >> 4,
        (low >> 16) as u16 >> 4,
        low >> 16
    )
}

/// Five letters as the server appends them to generated names.
fn short_name(number: u64) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let mut rest = number;
    let mut name = String::new();
    for _ in 0..5 {
        name.push(char::from(LETTERS[(rest % LETTERS.len() as u64) as usize]));
        rest = rest / LETTERS.len() as u64 + 5;
    }
    name
}

/// A number that looks random and is always the same (the finalizer of SplitMix64).
pub(super) fn scramble(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
