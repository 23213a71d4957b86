//! What `kubectl get` prints of a node.

use serde_json::{Value, json};

use crate::response::table::cells::{items, or_none, said};
use crate::response::table::columns::Column;

pub(super) fn all() -> Vec<Column> {
    vec![
        Column::name(),
        Column::computed("Status", status),
        Column::computed("Roles", roles),
        Column::age(),
        Column::text("Version", ".status.nodeInfo.kubeletVersion", ""),
        Column::computed("Internal-IP", |node| address(node, "InternalIP")).wide(),
        Column::computed("External-IP", |node| address(node, "ExternalIP")).wide(),
        Column::text("OS-Image", ".status.nodeInfo.osImage", "<unknown>").wide(),
        Column::text("Kernel-Version", ".status.nodeInfo.kernelVersion", "<unknown>").wide(),
        Column::text("Container-Runtime", ".status.nodeInfo.containerRuntimeVersion", "<unknown>").wide(),
    ]
}

fn status(node: &Value) -> Value {
    let ready = items(node, "/status/conditions").find(|condition| condition["type"] == "Ready");
    let mut words = match ready {
        Some(ready) if ready["status"] == "True" => "Ready".to_owned(),
        Some(_) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if node.pointer("/spec/unschedulable") == Some(&json!(true)) {
        words.push_str(",SchedulingDisabled");
    }
    words.into()
}

fn roles(node: &Value) -> Value {
    let labels = node.pointer("/metadata/labels").and_then(Value::as_object);
    let roles =
        labels.into_iter().flatten().filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) if !role.is_empty() => Some(role.to_owned()),
            _ if key == "kubernetes.io/role" => value.as_str().map(str::to_owned),
            _ => None,
        });
    or_none(roles.collect::<Vec<_>>().join(","), "<none>")
}

fn address(node: &Value, kind: &str) -> Value {
    let found = items(node, "/status/addresses").find(|address| address["type"] == kind);
    or_none(found.map(|address| said(address, "/address").to_owned()).unwrap_or_default(), "<none>")
}
