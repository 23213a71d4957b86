//! The status of a simulated pod, while it is worked out.
//!
//! In: a pod as it is stored. Out: its next status, with phase and conditions that follow from its containers.

use serde_json::{Map, Value, json};

use super::super::conditions;
use crate::codec::object::Object;

pub(super) struct PodStatus {
    fields: Map<String, Value>,
    containers: Vec<Value>,
    restart_policy: String,
    /// Why it failed as a whole.
    failed: bool,
}

impl PodStatus {
    /// The status of a pod that is on its node: with its containers started, if nobody started them before.
    pub(super) fn of(pod: &Object, host: &str, now: &str) -> PodStatus {
        let mut fields = pod.get("status").and_then(Value::as_object).cloned().unwrap_or_default();
        if !fields.contains_key("startTime") {
            let address =
                if pod.at("/spec/hostNetwork") == Some(&json!(true)) { host.to_owned() } else { address(pod) };
            fields.insert("startTime".to_owned(), now.into());
            fields.insert("hostIP".to_owned(), host.into());
            fields.insert("hostIPs".to_owned(), json!([{"ip": host}]));
            fields.insert("podIP".to_owned(), address.as_str().into());
            fields.insert("podIPs".to_owned(), json!([{"ip": address}]));
            let done: Vec<Value> = pod.items_at("/spec/initContainers").map(|it| initialized(it, now)).collect();
            if !done.is_empty() {
                fields.insert("initContainerStatuses".to_owned(), done.into());
            }
        }
        let known = fields.remove("containerStatuses");
        let known = known.as_ref().and_then(Value::as_array);
        let find = |name: &Value| known.into_iter().flatten().find(|it| it["name"] == *name).cloned();
        let containers = pod.items_at("/spec/containers");
        let containers =
            containers.map(|it| find(&it["name"]).unwrap_or_else(|| container(it, &running(now)))).collect();
        let restart_policy = pod.text_at("/spec/restartPolicy").to_owned();
        PodStatus { fields, containers, restart_policy, failed: false }
    }

    /// How often a container was started again, at most.
    pub(super) fn restarts(&self) -> u32 {
        let counts = self.containers.iter().filter_map(|it| it["restartCount"].as_u64());
        counts.max().and_then(|count| u32::try_from(count).ok()).unwrap_or_default()
    }

    pub(super) fn is_ready(&self) -> bool {
        !self.containers.is_empty() && self.containers.iter().all(|it| it["ready"] == true)
    }

    /// Whether the pod is at its end.
    pub(super) fn is_over(&self) -> bool {
        let is_done = |it: &Value| it["state"].get("terminated").is_some() && !self.is_restarted(it);
        self.failed || (!self.containers.is_empty() && self.containers.iter().all(is_done))
    }

    /// Whether a container has ended that is to be started again.
    pub(super) fn has_ended(&self) -> bool {
        self.containers.iter().any(|it| self.is_restarted(it))
    }

    fn is_restarted(&self, container: &Value) -> bool {
        let state = &container["state"];
        match state["terminated"]["exitCode"].as_i64() {
            Some(code) => match self.restart_policy.as_str() {
                "Never" => false,
                "OnFailure" => code != 0,
                _ => true,
            },
            None => state["waiting"]["reason"] == BACK_OFF,
        }
    }

    fn meant<'s>(&'s mut self, only: Option<&'s str>) -> impl Iterator<Item = &'s mut Value> {
        self.containers.iter_mut().filter(move |it| only.is_none_or(|name| it["name"] == name))
    }

    /// Containers run, and are ready or not.
    pub(super) fn run(&mut self, only: Option<&str>, ready: bool, now: &str) {
        for container in self.meant(only) {
            if container["state"].get("running").is_none() {
                container["state"] = running(now);
            }
            container["ready"] = ready.into();
            container["started"] = true.into();
        }
    }

    pub(super) fn wait(&mut self, only: Option<&str>, reason: &str, message: Option<&str>) {
        for container in self.meant(only) {
            container["state"] = json!({"waiting": {"reason": reason}});
            if let Some(message) = message {
                container["state"]["waiting"]["message"] = message.into();
            }
            container["ready"] = false.into();
            container["started"] = false.into();
        }
    }

    pub(super) fn exit(
        &mut self,
        only: Option<&str>,
        code: i32,
        reason: Option<&str>,
        message: Option<&str>,
        now: &str,
    ) {
        for container in self.meant(only) {
            let began = container["state"]["running"]["startedAt"].as_str().unwrap_or(now).to_owned();
            let reason = reason.unwrap_or(if code == 0 { "Completed" } else { "Error" });
            let mut ended = json!({"exitCode": code, "reason": reason, "startedAt": began, "finishedAt": now});
            if let Some(message) = message {
                ended["message"] = message.into();
            }
            container["state"] = json!({"terminated": ended});
            container["ready"] = false.into();
            container["started"] = false.into();
        }
    }

    /// Every container that runs ends, and none is started again.
    pub(super) fn exit_for_good(&mut self, code: i32, now: &str) {
        self.exit(None, code, None, None, now);
        self.restart_policy = "Never".to_owned();
    }

    /// The pod fails as a whole.
    pub(super) fn fail(&mut self, reason: &str, message: &str, now: &str) {
        self.exit_for_good(137, now);
        self.failed = true;
        self.fields.insert("reason".to_owned(), reason.into());
        if !message.is_empty() {
            self.fields.insert("message".to_owned(), message.into());
        }
    }

    /// Starts containers again that have ended.
    pub(super) fn restart(&mut self, now: &str) {
        let ended: Vec<bool> = self.containers.iter().map(|it| self.is_restarted(it)).collect();
        for (container, _) in self.containers.iter_mut().zip(ended).filter(|(_, ended)| *ended) {
            let count = container["restartCount"].as_i64().unwrap_or_default();
            if container["state"].get("terminated").is_some() {
                container["lastState"] = container["state"].take();
            }
            container["state"] = running(now);
            container["restartCount"] = (count + 1).into();
            container["ready"] = false.into();
            container["started"] = true.into();
        }
    }

    /// Containers that have ended wait until they are started again.
    pub(super) fn back_off(&mut self, pod: &Object) {
        let ended: Vec<bool> = self.containers.iter().map(|it| self.is_restarted(it)).collect();
        for (container, _) in self.containers.iter_mut().zip(ended).filter(|(_, ended)| *ended) {
            if container["state"].get("terminated").is_none() {
                continue;
            }
            let (name, uid) = (container["name"].as_str().unwrap_or_default(), pod.meta("uid"));
            let pod = format!("{}_{}({uid})", pod.name(), pod.meta("namespace"));
            let message = format!("back-off restarting failed container={name} pod={pod}");
            container["lastState"] = container["state"].take();
            container["state"] = json!({"waiting": {"reason": BACK_OFF, "message": message}});
        }
    }

    /// The status, with what follows from its containers.
    pub(super) fn finish(mut self, pod: &Object, now: &str) -> Value {
        let is_over = self.is_over();
        let phase = match () {
            () if is_over && !self.failed && self.containers.iter().all(has_succeeded) => "Succeeded",
            () if is_over => "Failed",
            () if self.containers.iter().any(has_begun) => "Running",
            () => "Pending",
        };
        let is_ready = self.is_ready() && has_gates(pod);
        let conditions = conditions(pod, phase, self.is_ready(), is_ready, now);
        self.fields.insert("phase".to_owned(), phase.into());
        if pod.generation() > 0 {
            self.fields.insert("observedGeneration".to_owned(), pod.generation().into());
        }
        self.fields.insert("containerStatuses".to_owned(), self.containers.into());
        self.fields.insert("conditions".to_owned(), conditions);
        Value::Object(self.fields)
    }
}

fn has_succeeded(container: &Value) -> bool {
    container["state"]["terminated"]["exitCode"] == 0
}

/// Whether a container runs or has run.
fn has_begun(container: &Value) -> bool {
    container["state"].get("waiting").is_none()
        || container.get("lastState").and_then(|it| it.get("terminated")).is_some()
}

/// Whether everything else is true that the pod waits for before it is ready.
fn has_gates(pod: &Object) -> bool {
    let mut gates = pod.items_at("/spec/readinessGates").filter_map(|gate| gate["conditionType"].as_str());
    gates.all(|gate| conditions::is_true(pod, gate))
}

fn running(now: &str) -> Value {
    json!({"running": {"startedAt": now}})
}

fn container(container: &Value, state: &Value) -> Value {
    let (name, image) = (&container["name"], container["image"].as_str().unwrap_or_default());
    json!({
        "name": name,
        "image": image,
        "imageID": format!("pintle.dev/simulated/{image}"),
        "containerID": format!("simulated://{}", name.as_str().unwrap_or_default()),
        "ready": false,
        "started": true,
        "restartCount": 0,
        "state": state,
        "lastState": {},
    })
}

/// An init container that is done; one that runs beside the others goes on.
fn initialized(spec: &Value, now: &str) -> Value {
    if spec["restartPolicy"] == "Always" {
        let mut sidecar = container(spec, &running(now));
        sidecar["ready"] = true.into();
        return sidecar;
    }
    let ended = json!({"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now});
    let mut done = container(spec, &json!({"terminated": ended}));
    done["ready"] = true.into();
    done["started"] = false.into();
    done
}

/// The conditions of a pod that runs or has run, besides those that others have set.
fn conditions(pod: &Object, phase: &str, containers_ready: bool, ready: bool, now: &str) -> Value {
    let mut all: Vec<Value> = pod.items_at("/status/conditions").cloned().collect();
    let reason = match phase {
        "Succeeded" => "PodCompleted",
        "Failed" => "PodFailed",
        _ => "ContainersNotReady",
    };
    let is_over = matches!(phase, "Succeeded" | "Failed");
    let own = [
        ("PodReadyToStartContainers", !is_over, ""),
        ("Initialized", true, if phase == "Succeeded" { "PodCompleted" } else { "" }),
        ("Ready", ready && !is_over, reason),
        ("ContainersReady", containers_ready && !is_over, reason),
        ("PodScheduled", true, ""),
    ];
    for (kind, holds, reason) in own {
        let status = if holds { "True" } else { "False" };
        let known = conditions::find(pod, kind);
        let changed = known.filter(|it| it["status"] == status).and_then(|it| it["lastTransitionTime"].as_str());
        let mut made = json!({
            "type": kind, "status": status, "lastProbeTime": null, "lastTransitionTime": changed.unwrap_or(now),
        });
        if !reason.is_empty() && (!holds || kind == "Initialized") {
            made["reason"] = reason.into();
        }
        if let Some(seen) = known.and_then(|it| it.get("observedGeneration")) {
            made["observedGeneration"] = seen.clone();
        }
        conditions::put(&mut all, made);
    }
    all.into()
}

/// The address of a pod: the version at which it is started is nobody else's, so neither is this.
fn address(pod: &Object) -> String {
    let version: u64 = pod.meta("resourceVersion").parse().unwrap_or_default();
    let byte = |shift: u32, mask: u64| (version >> shift) & mask;
    // Half of 10.0.0.0/8, away from the addresses of Services.
    format!("10.{}.{}.{}", 128 + byte(16, 0x7f), byte(8, 0xff), byte(0, 0xff))
}

const BACK_OFF: &str = "CrashLoopBackOff";
