//! PodDisruptionBudgets: how many of their pods are healthy, and how many may be evicted now.
//!
//! In: a budget, the pods that it selects, and what controls those. Out: its status, with the condition `DisruptionAllowed`.
//! Evictions take from `disruptionsAllowed` themselves and note the pod (`registry/core/pods/eviction`); a noted pod does not count
//! as healthy until it is gone, or was not deleted in time.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::deployment::rolling::{Rounding, resolved};
use super::plan::{Built, Identity, Plan};
use super::pods::{PODS, is_ready};
use super::view::{View, integer, number, seconds, time};
use crate::catalog::crd::with_condition;
use crate::codec::object::Object;
use crate::registry::subresources::{scale, selector};
use crate::storage::store::{StorageKey, key};

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, budget: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    let pods = selected(view, budget);
    let status = match Expected::of(view, budget, &pods) {
        Ok(expected) => counted(view, budget, &pods, &expected, &mut plan),
        Err(why) => failed(view, budget, &why),
    };
    if budget.get("status") == Some(&status) {
        return plan;
    }
    if let Err(why) = Expected::of(view, budget, &pods) {
        let message = format!("Failed to calculate the number of expected pods: {why}");
        plan.warning(budget, "CalculateExpectedPodCountFailed", message);
    } else if pods.is_empty() {
        plan.normal(budget, "NoPods", "No matching pods found");
    }
    plan.status(BUDGETS, budget, status);
    plan
}

fn selected(view: &View<'_>, budget: &Object) -> Vec<Object> {
    let Some(wanted) = budget.at("/spec/selector").filter(|selector| !selector.is_null()) else { return Vec::new() };
    let all = view.all(PODS, Some(budget.meta("namespace"))).into_iter();
    all.filter(|pod| selector::matches(wanted, pod.metadata().get("labels"))).collect()
}

/// How many pods there should be, and how many of them healthy.
struct Expected {
    pods: i64,
    healthy: i64,
}

impl Expected {
    fn of(view: &View<'_>, budget: &Object, pods: &[Object]) -> Result<Expected, String> {
        let stated = |field: &str| budget.at(&format!("/spec/{field}")).filter(|value| !value.is_null());
        if let Some(most) = stated("maxUnavailable") {
            let expected = scale_of_all(view, pods)?;
            let healthy = (expected - resolved(Some(most), expected, Rounding::Up)).max(0);
            return Ok(Expected { pods: expected, healthy });
        }
        match stated("minAvailable") {
            Some(Value::String(share)) => {
                let expected = scale_of_all(view, pods)?;
                let healthy = resolved(Some(&share.as_str().into()), expected, Rounding::Up);
                Ok(Expected { pods: expected, healthy })
            }
            Some(least) => Ok(Expected { pods: number(pods.len()), healthy: least.as_i64().unwrap_or_default() }),
            None => Ok(Expected { pods: 0, healthy: 0 }),
        }
    }
}

/// How many pods those should have that control these; what nothing controls is not counted.
fn scale_of_all(view: &View<'_>, pods: &[Object]) -> Result<i64, String> {
    let mut scales: BTreeMap<String, i64> = BTreeMap::new();
    for pod in pods {
        let Some(owner) = controller_of(pod) else { continue };
        let uid = owner["uid"].as_str().unwrap_or_default();
        if scales.contains_key(uid) {
            continue;
        }
        let found = scale_of(view, pod.meta("namespace"), owner)?;
        let (uid, replicas) = found.ok_or_else(|| format!("found no controllers for pod \"{}\"", pod.name()))?;
        scales.insert(uid, replicas);
    }
    Ok(scales.values().sum())
}

/// The uid and the scale of what controls a pod: of its Deployment rather than of that one's ReplicaSet.
fn scale_of(view: &View<'_>, namespace: &str, owner: &Value) -> Result<Option<(String, i64)>, String> {
    let text = |field: &str| owner[field].as_str().unwrap_or_default();
    let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
    let Some(kind) = view.cluster.catalog.kind_named(group, text("kind")) else {
        return Err(format!("no matches for kind \"{}\" in version \"{group}/{version}\"", text("kind")));
    };
    if !kind.subresources.iter().any(|part| part.name == "scale") {
        let resource = if group.is_empty() { kind.plural.clone() } else { format!("{}.{group}", kind.plural) };
        return Err(format!("{resource} does not implement the scale subresource"));
    }
    let stored = view.cluster.store.get(&kind.resource(), &key(Some(namespace), text("name")));
    let Some(object) = stored.map(|entry| entry.object()).filter(|object| object.meta("uid") == text("uid")) else {
        return Ok(None);
    };
    let above = controller_of(&object).filter(|above| group == "apps" && above["kind"] == "Deployment");
    if let Some(deployment) = above.filter(|_| kind.kind == "ReplicaSet") {
        return scale_of(view, namespace, deployment);
    }
    let scale = scale::of(&kind, &object).map_err(|refusal| refusal.message.clone())?;
    Ok(Some((text("uid").to_owned(), scale["spec"]["replicas"].as_i64().unwrap_or_default())))
}

fn controller_of(object: &Object) -> Option<&Value> {
    let owners = object.metadata().get("ownerReferences")?.as_array()?;
    owners.iter().find(|owner| owner["controller"] == true)
}

fn counted(view: &View<'_>, budget: &Object, pods: &[Object], expected: &Expected, plan: &mut Plan) -> Value {
    let disrupted = disrupted(view, budget, pods, plan);
    let is_healthy = |pod: &&Object| !pod.is_deleting() && !disrupted.contains_key(pod.name()) && is_ready(pod);
    let healthy = number(pods.iter().filter(is_healthy).count());
    // A budget of no pods allows none: its first pods come before it is looked at again.
    let allowed = if expected.pods > 0 { (healthy - expected.healthy).max(0) } else { 0 };
    let mut status = json!({
        "currentHealthy": healthy,
        "desiredHealthy": expected.healthy,
        "disruptionsAllowed": allowed,
        "expectedPods": expected.pods,
        "observedGeneration": budget.generation(),
        "conditions": budget.at("/status/conditions").cloned().unwrap_or_else(|| json!([])),
    });
    if !disrupted.is_empty() {
        status["disruptedPods"] = json!(disrupted);
    }
    let (value, reason) = if allowed > 0 { ("True", "SufficientPods") } else { ("False", "InsufficientPods") };
    conditioned(status, value, reason, "", budget.generation(), view)
}

/// The pods that were evicted and are still there, with when that was; those that should be gone by now are forgotten.
fn disrupted(view: &View<'_>, budget: &Object, pods: &[Object], plan: &mut Plan) -> BTreeMap<String, Value> {
    let mut left = BTreeMap::new();
    for pod in pods.iter().filter(|pod| !pod.is_deleting()) {
        let noted = budget.at("/status/disruptedPods").and_then(|all| all.get(pod.name()));
        let Some((when, until)) = noted.and_then(|when| Some((when, expiry(when)?))) else { continue };
        if until < view.now {
            let namespace = budget.meta("namespace");
            // kube-controller-manager prints the namespace twice.
            let message = format!("Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't");
            plan.warning(pod, "NotDeleted", message);
        } else {
            plan.again_at(until + seconds(1));
            left.insert(pod.name().to_owned(), when.clone());
        }
    }
    left
}

fn expiry(when: &Value) -> Option<Timestamp> {
    Some(time(Some(when))? + seconds(DELETION_SECONDS))
}

/// Allows no eviction while nobody knows how many pods there should be.
fn failed(view: &View<'_>, budget: &Object, why: &str) -> Value {
    let mut status = budget.get("status").filter(|status| status.is_object()).cloned().unwrap_or_else(|| json!({}));
    for field in ["currentHealthy", "desiredHealthy", "expectedPods"] {
        status[field] = integer(budget, &format!("/status/{field}")).unwrap_or_default().into();
    }
    status["disruptionsAllowed"] = 0.into();
    let observed = integer(budget, "/status/observedGeneration").unwrap_or_default();
    conditioned(status, "False", "SyncFailed", why, observed, view)
}

fn conditioned(status: Value, value: &str, reason: &str, message: &str, observed: i64, view: &View<'_>) -> Value {
    let mut condition = json!({"type": "DisruptionAllowed", "status": value, "reason": reason, "message": message});
    if observed != 0 {
        condition["observedGeneration"] = observed.into();
    }
    with_condition(status, condition, &view.timestamp())
}

pub(super) const BUDGETS: Built = Built::new("policy", "v1", "poddisruptionbudgets");

/// How long a pod that was evicted may take to be deleted: kube-controller-manager's two minutes.
const DELETION_SECONDS: i64 = 2 * 60;

const CONTROLLER: Identity = Identity::controller("disruption-controller", "controllermanager");
