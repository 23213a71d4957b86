//! What `kubectl get` prints of a pod.

use serde_json::Value;

use crate::response::table::age;
use crate::response::table::cells::{items, number, said, text};
use crate::response::table::columns::Column;

pub(super) fn all() -> Vec<Column> {
    vec![
        Column::name(),
        Column::computed("Ready", ready_containers),
        Column::computed("Status", status),
        Column::computed_at("Restarts", restarts),
        Column::age(),
        Column::text("IP", ".status.podIP", "<none>").wide(),
        Column::text("Node", ".spec.nodeName", "<none>").wide(),
        Column::text("Nominated Node", ".status.nominatedNodeName", "<none>").wide(),
        Column::computed("Readiness Gates", readiness_gates).wide(),
    ]
}

fn ready_containers(pod: &Value) -> Value {
    let ready = items(pod, "/status/containerStatuses").filter(|status| status["ready"] == true).count();
    format!("{ready}/{}", items(pod, "/spec/containers").count()).into()
}

/// What a pod is doing: why a container waits or ended, before its phase.
fn status(pod: &Value) -> Value {
    let mut reason = said(pod, "/status/reason");
    if reason.is_empty() {
        reason = said(pod, "/status/phase");
    }
    let mut reason = reason.to_owned();
    for status in items(pod, "/status/containerStatuses") {
        let (waiting, ended) = (said(status, "/state/waiting/reason"), said(status, "/state/terminated/reason"));
        if !waiting.is_empty() {
            waiting.clone_into(&mut reason);
        } else if !ended.is_empty() {
            ended.clone_into(&mut reason);
        } else if status.pointer("/state/terminated").is_some() {
            reason = format!("ExitCode:{}", number(status, "/state/terminated/exitCode"));
        }
    }
    if pod["metadata"].get("deletionTimestamp").is_some() && !matches!(reason.as_str(), "Succeeded" | "Failed") {
        reason = if said(pod, "/status/reason") == "NodeLost" { "Unknown" } else { "Terminating" }.to_owned();
    }
    reason.into()
}

fn restarts(pod: &Value, now: i64) -> Value {
    let statuses = || items(pod, "/status/containerStatuses");
    let count: i64 = statuses().map(|status| number(status, "/restartCount")).sum();
    let last =
        statuses().filter_map(|status| status.pointer("/lastState/terminated/finishedAt")).max_by_key(|at| text(at));
    match last {
        Some(last) if count > 0 => format!("{count} ({} ago)", age::since(last, now)).into(),
        _ => count.to_string().into(),
    }
}

fn readiness_gates(pod: &Value) -> Value {
    let gates: Vec<&Value> = items(pod, "/spec/readinessGates").collect();
    if gates.is_empty() {
        return "<none>".into();
    }
    let is_open = |gate: &&&Value| {
        items(pod, "/status/conditions").any(|it| it["type"] == gate["conditionType"] && it["status"] == "True")
    };
    format!("{}/{}", gates.iter().filter(is_open).count(), gates.len()).into()
}
