//! A pod of a StatefulSet, and the claims that are its own.

use serde_json::{Value, json};

use super::super::controller_revisions::LABEL;
use super::super::pods;
use crate::codec::object::Object;

/// The pod with a number, of a template.
pub(super) fn of(set: &Object, template: &Value, revision: &str, ordinal: i64) -> Value {
    let name = format!("{}-{ordinal}", set.name());
    let mut pod = pods::of_template(set, template, &name, Some(format!("{}-", set.name())));
    pod["metadata"]["labels"][LABEL] = revision.into();
    pod["metadata"]["labels"]["statefulset.kubernetes.io/pod-name"] = name.as_str().into();
    pod["metadata"]["labels"]["apps.kubernetes.io/pod-index"] = ordinal.to_string().into();
    pod["spec"]["hostname"] = name.as_str().into();
    if !set.text_at("/spec/serviceName").is_empty() {
        pod["spec"]["subdomain"] = set.text_at("/spec/serviceName").into();
    }
    let mut volumes = pod["spec"]["volumes"].as_array().cloned().unwrap_or_default();
    for template in set.items_at("/spec/volumeClaimTemplates") {
        let volume = &template["metadata"]["name"];
        volumes.retain(|known| known["name"] != *volume);
        volumes.push(json!({"name": volume, "persistentVolumeClaim": {"claimName": claim_name(volume, &name)}}));
    }
    if !volumes.is_empty() {
        pod["spec"]["volumes"] = volumes.into();
    }
    pod
}

/// The claims of a pod.
pub(super) fn claims(set: &Object, pod: &str) -> Vec<Value> {
    let claim = |template: &Value| {
        let mut labels = template["metadata"]["labels"].as_object().cloned().unwrap_or_default();
        let selected = set.at("/spec/selector/matchLabels").and_then(Value::as_object).cloned().unwrap_or_default();
        labels.extend(selected);
        let mut metadata = json!({"name": claim_name(&template["metadata"]["name"], pod), "labels": labels});
        if let Some(annotations) = template["metadata"].get("annotations") {
            metadata["annotations"] = annotations.clone();
        }
        json!({"metadata": metadata, "spec": template["spec"]})
    };
    set.items_at("/spec/volumeClaimTemplates").map(claim).collect()
}

fn claim_name(volume: &Value, pod: &str) -> String {
    format!("{}-{pod}", volume.as_str().unwrap_or_default())
}
