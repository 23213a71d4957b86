//! A ReplicaSet, or its elder, a ReplicationController: as many pods as it says.

use serde_json::{Value, json};

use super::conditions;
use super::ownership::claimed;
use super::plan::{Built, Identity, Plan};
use super::pods::{self, PODS, is_active, is_finished, is_ready};
use super::view::{View, counts, integer, number};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::storage::store::StorageKey;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, set: &Object) -> Plan {
    replicate(view, set, SETS, CONTROLLER)
}

pub(super) fn reconcile_replication_controller(view: &View<'_>, _: &StorageKey, set: &Object) -> Plan {
    replicate(view, set, REPLICATION_CONTROLLERS, REPLICATION_CONTROLLER)
}

fn replicate(view: &View<'_>, set: &Object, kind: Built, identity: Identity) -> Plan {
    let mut plan = Plan::new(identity);
    let claimed = claimed(view, set, PODS, &mut plan);
    let active: Vec<&Object> = claimed.iter().filter(|pod| is_active(pod)).collect();
    let wanted = usize::try_from(integer(set, "/spec/replicas").unwrap_or(1)).unwrap_or_default();
    // What is adopted or let go is counted when that is done.
    if !set.is_deleting() && plan.wishes.is_empty() {
        scale(view, set, &active, wanted, &mut plan);
    }
    let terminating = claimed.iter().filter(|pod| pod.is_deleting() && !is_finished(pod)).count();
    let mut status = status(view, set, &active, &mut plan);
    if kind == SETS {
        status["terminatingReplicas"] = terminating.into();
    }
    plan.status(kind, set, status);
    plan
}

fn scale(view: &View<'_>, set: &Object, active: &[&Object], wanted: usize, plan: &mut Plan) {
    let template = set.at("/spec/template").cloned().unwrap_or_default();
    for _ in active.len()..wanted.min(active.len() + BURST) {
        let generate = format!("{}-", set.name());
        let name = format!("{generate}{}", view.suffix());
        plan.create(PODS, Some(set.meta("namespace")), pods::of_template(set, &template, &name, Some(generate)));
        plan.normal(set, "SuccessfulCreate", format!("Created pod: {name}"));
    }
    if wanted.saturating_sub(active.len()) > BURST {
        plan.again_at(view.now);
    }
    let mut surplus = active.to_vec();
    pods::in_order_of_deletion(&mut surplus);
    for pod in surplus.into_iter().take(active.len().saturating_sub(wanted)) {
        plan.delete(PODS, pod, Propagation::Background, None);
        plan.normal(set, "SuccessfulDelete", format!("Deleted pod: {}", pod.name()));
    }
}

fn status(view: &View<'_>, set: &Object, active: &[&Object], plan: &mut Plan) -> Value {
    let template = set.at("/spec/template/metadata/labels").and_then(Value::as_object);
    let is_labelled = |pod: &&&Object| {
        let labels = pod.metadata().get("labels");
        template.is_none_or(|all| all.iter().all(|(name, value)| labels.and_then(|it| it.get(name)) == Some(value)))
    };
    let available = pods::available(active.iter().copied(), pods::min_ready_seconds(set), view.now, plan);
    let mut status = counts(&[
        ("fullyLabeledReplicas", number(active.iter().filter(is_labelled).count())),
        ("readyReplicas", number(active.iter().filter(|pod| is_ready(pod)).count())),
        ("availableReplicas", available),
        ("observedGeneration", set.generation()),
    ]);
    status["replicas"] = json!(active.len());
    let kept: Vec<&Value> = set.items_at("/status/conditions").filter(|it| it["type"] != "ReplicaFailure").collect();
    if !kept.is_empty() {
        status["conditions"] = json!(kept);
    }
    status
}

/// The set says that its pods are refused.
pub(super) fn refused(set: &Object, message: &str, now: &str) -> Value {
    let mut status = set.get("status").filter(|it| it.is_object()).cloned().unwrap_or_else(|| json!({"replicas": 0}));
    let mut all: Vec<Value> = set.items_at("/status/conditions").cloned().collect();
    conditions::put(&mut all, conditions::made(set, "ReplicaFailure", "True", "FailedCreate", message, now));
    status["conditions"] = all.into();
    status
}

/// kube-controller-manager's limit for pods made in one go.
const BURST: usize = 500;

pub(super) const SETS: Built = Built::new("apps", "v1", "replicasets");

pub(super) const REPLICATION_CONTROLLERS: Built = Built::new("", "v1", "replicationcontrollers");

const CONTROLLER: Identity = Identity::controller("replicaset-controller", "replicaset-controller");

const REPLICATION_CONTROLLER: Identity = Identity::controller("replication-controller", "replication-controller");
