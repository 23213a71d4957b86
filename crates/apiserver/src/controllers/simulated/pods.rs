//! Pods as controllers see them, and who looks after one: the scheduler until it is on a node, then that node's kubelet.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::plan::{Built, Plan};
use super::view::{View, integer, seconds, time};
use super::{conditions, kubelet, scheduler};
use crate::codec::object::Object;
use crate::storage::store::StorageKey;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, pod: &Object) -> Plan {
    if pod.text_at("/spec/nodeName").is_empty() { scheduler::schedule(view, pod) } else { kubelet::run(view, pod) }
}

/// A pod of a template, which an object controls.
pub(super) fn of_template(owner: &Object, template: &Value, name: &str, generate_name: Option<String>) -> Value {
    let mut metadata = template.get("metadata").filter(|it| it.is_object()).cloned().unwrap_or_else(|| json!({}));
    if let Some(fields) = metadata.as_object_mut() {
        fields.remove("creationTimestamp");
    }
    metadata["name"] = name.into();
    if let Some(generate_name) = generate_name {
        metadata["generateName"] = generate_name.into();
    }
    metadata["ownerReferences"] = json!([super::ownership::reference(owner)]);
    json!({"metadata": metadata, "spec": template.get("spec").cloned().unwrap_or_else(|| json!({}))})
}

/// Whether a pod is at its end.
pub(super) fn is_finished(pod: &Object) -> bool {
    matches!(pod.text_at("/status/phase"), "Succeeded" | "Failed")
}

/// Whether a pod runs or will run.
pub(super) fn is_active(pod: &Object) -> bool {
    !is_finished(pod) && !pod.is_deleting()
}

pub(super) fn is_ready(pod: &Object) -> bool {
    conditions::is_true(pod, "Ready")
}

/// Whether a pod has been ready for so many seconds; where it will have been, when.
pub(super) fn availability(pod: &Object, min_ready: i64, now: Timestamp) -> Availability {
    if !is_ready(pod) {
        return Availability::No;
    }
    let since = conditions::find(pod, "Ready").and_then(|it| time(it.get("lastTransitionTime")));
    match since.map(|since| since + seconds(min_ready)) {
        Some(at) if min_ready > 0 && at > now => Availability::At(at),
        _ => Availability::Yes,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Availability {
    Yes,
    At(Timestamp),
    No,
}

/// How many pods are available; the plan looks again when another one will be.
pub(super) fn available<'p>(
    pods: impl Iterator<Item = &'p Object>,
    min_ready: i64,
    now: Timestamp,
    plan: &mut Plan,
) -> i64 {
    let mut count = 0;
    for pod in pods {
        match availability(pod, min_ready, now) {
            Availability::Yes => count += 1,
            Availability::At(at) => plan.again_at(at),
            Availability::No => {}
        }
    }
    count
}

/// The least time that pods of an object have to be ready.
pub(super) fn min_ready_seconds(object: &Object) -> i64 {
    integer(object, "/spec/minReadySeconds").unwrap_or_default()
}

/// The names of the claims that a pod uses.
pub(super) fn claims_of(pod: &Object) -> Vec<String> {
    let claims =
        pod.items_at("/spec/volumes").filter_map(|it| it.pointer("/persistentVolumeClaim/claimName")?.as_str());
    claims.map(str::to_owned).collect()
}

/// Which of too many pods goes first: what runs the least, and of those the youngest.
pub(super) fn in_order_of_deletion(pods: &mut [&Object]) {
    let rank = |pod: &Object| {
        let is_placed = !pod.text_at("/spec/nodeName").is_empty();
        let phase = match pod.text_at("/status/phase") {
            "Running" => 2,
            "Pending" | "" => 0,
            _ => 1,
        };
        let cost: i64 = super::view::annotation(pod, DELETION_COST).parse().unwrap_or_default();
        (is_placed, phase, is_ready(pod), cost)
    };
    pods.sort_by(|a, b| {
        let age = |pod: &Object| (pod.meta("creationTimestamp").to_owned(), pod.name().to_owned());
        rank(a).cmp(&rank(b)).then_with(|| age(b).cmp(&age(a)))
    });
}

pub(super) const PODS: Built = Built::new("", "v1", "pods");

const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
