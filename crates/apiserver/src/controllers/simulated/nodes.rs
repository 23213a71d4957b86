//! The nodes of a simulated cluster: they are ready, have room, and are there from the start.

use serde_json::{Value, json};

use super::plan::Built;
use super::volume_binder;
use crate::catalog::kinds;
use crate::cluster::{Cluster, ResolvedTarget};

impl Cluster {
    /// Creates the objects that a simulated cluster begins with: its nodes, and a class of volumes.
    pub(crate) fn create_simulated_cluster(&mut self) {
        let Some(simulation) = &self.simulation else { return };
        let (nodes, has_volumes) = (simulation.nodes, simulation.controllers.has_volumes());
        let now = self.clock.timestamp();
        for index in 0..nodes {
            let body = node(index, &now);
            let name = body["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            // One that an earlier process has made stays as it is.
            if !self.begin_with(NODES, "kubelet", body.clone()) {
                continue;
            }
            // The status of a node cannot come with its creation by everybody.
            let mut target = target(NODES, "kubelet");
            (target.name, target.subresource) = (Some(name), Some("status".to_owned()));
            drop(self.update(&target, body.clone()));
            // It is ready, so it is not tainted any more: the object as it was created, without the taint it was given.
            target.subresource = None;
            drop(self.update(&target, body));
        }
        if has_volumes && nodes > 0 {
            self.begin_with(volume_binder::CLASSES, "kube-controller-manager", volume_binder::standard_class());
        }
        self.settle();
    }

    /// Creates an object; whether it was not there before.
    fn begin_with(&mut self, kind: Built, manager: &str, body: Value) -> bool {
        match self.create(&target(kind, manager), body) {
            Ok(_) => true,
            Err(refusal) => {
                assert_eq!(refusal.reason, "AlreadyExists", "a cluster takes a valid object: {}", refusal.message);
                false
            }
        }
    }
}

fn target(kind: Built, manager: &str) -> ResolvedTarget {
    let kind = kinds::built_in(kind.group, kind.version, kind.plural).expect("the table of kinds has this one");
    ResolvedTarget { kind, namespace: None, name: None, subresource: None, manager: manager.to_owned() }
}

fn node(index: usize, now: &str) -> Value {
    let name = if index == 0 { DEFAULT_NODE.to_owned() } else { format!("{DEFAULT_NODE}-{}", index + 1) };
    let conditions = [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ];
    let conditions: Vec<Value> = conditions
        .iter()
        .map(|(kind, status, reason, message)| {
            json!({
                "type": kind, "status": status, "reason": reason, "message": message,
                "lastHeartbeatTime": now, "lastTransitionTime": now,
            })
        })
        .collect();
    let room = json!({"cpu": "64", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "1000"});
    let labels = json!({
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64",
    });
    json!({
        "metadata": {"name": name, "labels": labels, "annotations": {SIMULATED: "true"}},
        "spec": {},
        "status": {
            "capacity": room,
            "allocatable": room,
            "conditions": conditions,
            "addresses": [
                {"type": "InternalIP", "address": format!("172.18.0.{}", index % 250 + 2)},
                {"type": "Hostname", "address": name},
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "machineID": "", "systemUUID": "", "bootID": "", "kernelVersion": "simulated", "osImage": "pintle",
                "containerRuntimeVersion": "simulated://1", "kubeletVersion": "v1.37.0", "kubeProxyVersion": "",
                "operatingSystem": "linux", "architecture": "amd64",
            },
        },
    })
}

/// A node that runs nothing.
pub(super) const SIMULATED: &str = "pintle.dev/simulated";

pub(super) const NODES: Built = Built::new("", "v1", "nodes");

/// The first node; the others have numbers.
pub(super) const DEFAULT_NODE: &str = "pintle";
