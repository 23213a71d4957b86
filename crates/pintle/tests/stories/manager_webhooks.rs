//! What surrounds an operator's webhooks: typed handlers, certificates, definitions, and roles.

#[path = "manager_webhooks/certificates.rs"]
mod certificates;
#[path = "manager_webhooks/definitions.rs"]
mod definitions;
#[path = "manager_webhooks/in_process.rs"]
mod in_process;
#[path = "manager_webhooks/least_privilege.rs"]
mod least_privilege;

use serde_json::{Value, json};

/// A webhook configuration with one entry about new ConfigMaps of a namespace.
fn configuration(name: &str, namespace: &str, client_config: &Value) -> Value {
    let rules =
        json!([{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"]}]);
    let selector = json!({"matchLabels": {"kubernetes.io/metadata.name": namespace}});
    json!({"metadata": {"name": name}, "webhooks": [{
        "name": "configmaps.example.com", "clientConfig": client_config, "rules": rules, "namespaceSelector": selector,
        "sideEffects": "None", "admissionReviewVersions": ["v1"], "timeoutSeconds": 10,
    }]})
}

/// A definition of Widgets in a group of its own, with one version per schema of `spec`; the last one is stored.
fn widgets(group: &str, versions: &[(&str, Value)]) -> Value {
    let last = versions.len() - 1;
    let versions: Vec<_> = versions
        .iter()
        .enumerate()
        .map(|(index, (name, spec))| {
            let schema = json!({"type": "object", "properties": {"spec": spec}});
            json!({"name": name, "served": true, "storage": index == last, "schema": {"openAPIV3Schema": schema}})
        })
        .collect();
    let names = json!({"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("widgets.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": versions}})
}
