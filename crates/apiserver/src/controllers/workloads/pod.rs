//! A pod, scheduled and run: it is bound to the one node there is, and ready, or done where a Job wants that.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{target, unless_gone};
use crate::cluster::{Cluster, DryRun};
use crate::codec::object::Object;
use crate::response::status::Answer;
use crate::storage::entry::Entry;
use crate::storage::store::StorageKey;

impl Cluster {
    /// Schedules a pod, runs it, and lets go of one that is to end.
    pub(super) fn run_pod(&mut self, place: &StorageKey, entry: &Arc<Entry>) -> Answer<()> {
        let pod = entry.object();
        if pod.is_deleting() {
            return if pod.finalizers().is_empty() { self.delete_now(place) } else { Ok(()) };
        }
        let spec = pod.get("spec").cloned().unwrap_or_default();
        if spec.get("schedulingGates").and_then(Value::as_array).is_some_and(|gates| !gates.is_empty()) {
            return Ok(());
        }
        if spec.get("nodeName").and_then(Value::as_str).unwrap_or_default().is_empty() {
            let mut binding = target("", "v1", "pods", pod.meta("namespace"), Some(pod.name()));
            binding.subresource = Some("binding".to_owned());
            let body = json!({"metadata": {"name": pod.name()}, "target": {"kind": "Node", "name": NODE}});
            // That it is bound is a change, which brings it here again.
            return self.bind(&binding, body, DryRun::No).map(drop).or_else(unless_gone);
        }
        let phase = pod.get("status").and_then(|status| status.get("phase")).and_then(Value::as_str);
        if !matches!(phase, None | Some("" | "Pending")) {
            return Ok(());
        }
        let is_task = entry.head.owners().iter().any(|owner| owner.is_controller() && owner.kind() == "Job");
        let status = self.pod_status(&pod, &spec, is_task);
        self.report_status(place, "v1", status)
    }

    fn pod_status(&mut self, pod: &Object, spec: &Value, is_task: bool) -> Value {
        let now = self.clock.timestamp();
        let mut status = pod.get("status").and_then(Value::as_object).cloned().unwrap_or_default();
        let address = self.ids.draw(|random| format!("10.244.{}.{}", random.u8(..), random.u8(1..255)));
        status.insert("phase".to_owned(), if is_task { "Succeeded" } else { "Running" }.into());
        status.insert("startTime".to_owned(), now.as_str().into());
        status.insert("hostIP".to_owned(), HOST.into());
        status.insert("hostIPs".to_owned(), json!([{"ip": HOST}]));
        status.insert("podIP".to_owned(), address.as_str().into());
        status.insert("podIPs".to_owned(), json!([{"ip": address}]));
        let containers = spec.get("containers").and_then(Value::as_array).into_iter().flatten();
        let containers: Vec<Value> = containers.map(|container| container_status(container, is_task, &now)).collect();
        status.insert("containerStatuses".to_owned(), containers.into());
        status.insert("conditions".to_owned(), conditions(&status, is_task, &now));
        Value::Object(status)
    }
}

fn container_status(container: &Value, is_task: bool, now: &str) -> Value {
    let state = if is_task {
        json!({"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}})
    } else {
        json!({"running": {"startedAt": now}})
    };
    json!({
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": !is_task,
        "started": !is_task,
        "restartCount": 0,
        "state": state,
    })
}

/// The conditions of a pod that runs or has run, besides those that others have set.
fn conditions(status: &Map<String, Value>, is_task: bool, now: &str) -> Value {
    let known = status.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut conditions: Vec<Value> =
        known.into_iter().filter(|it| !OWN.iter().any(|(kind, _)| it["type"] == *kind)).collect();
    for (kind, lasts) in OWN {
        let is_true = *lasts || !is_task;
        let mut condition = json!({
            "type": kind,
            "status": if is_true { "True" } else { "False" },
            "lastProbeTime": null,
            "lastTransitionTime": now,
        });
        if !is_true {
            condition["reason"] = "PodCompleted".into();
        }
        conditions.push(condition);
    }
    conditions.into()
}

/// What a kubelet says of a pod, and whether it still holds when the pod is done.
const OWN: &[(&str, bool)] =
    &[("Initialized", true), ("Ready", false), ("ContainersReady", false), ("PodScheduled", true)];

/// The node that everything runs on; it needs no Node object.
const NODE: &str = "pintle";

const HOST: &str = "127.0.0.1";
