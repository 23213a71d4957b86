//! The scheduler: a pod is bound to the fitting node with the fewest pods.
//!
//! In: a pod on no node. Out: a binding, or the condition that says why there is none. It looks at selectors, required node
//! affinity, taints, `unschedulable`, the number of pods and the claims of a pod; not at processors and memory, which
//! simulated nodes have enough of, and not at preferences.

use serde_json::{Value, json};

use super::conditions;
use super::nodes::{DEFAULT_NODE, NODES};
use super::plan::{Identity, Plan, Wish};
use super::pods::{PODS, claims_of, is_finished};
use super::view::View;
use super::volume_binder::{CLAIMS, waits_for_consumer};
use crate::codec::object::Object;

pub(super) fn schedule(view: &View<'_>, pod: &Object) -> Plan {
    let mut plan = Plan::new(SCHEDULER);
    let is_gated = pod.items_at("/spec/schedulingGates").next().is_some();
    let is_ours = matches!(pod.text_at("/spec/schedulerName"), "" | "default-scheduler");
    if pod.is_deleting() || is_gated || !is_ours || is_finished(pod) {
        return plan;
    }
    match place(view, pod) {
        Ok(node) => {
            let (namespace, name) = (pod.meta("namespace").to_owned(), pod.name().to_owned());
            select_node_for_claims(view, pod, &node, &mut plan);
            plan.wishes.push(Wish::Bind { namespace, name, node: node.clone() });
            plan.normal(
                pod,
                "Scheduled",
                format!("Successfully assigned {}/{} to {node}", pod.meta("namespace"), pod.name()),
            );
        }
        Err(why) => refuse(view, pod, &why, &mut plan),
    }
    plan
}

/// The node for a pod, or why there is none.
fn place(view: &View<'_>, pod: &Object) -> Result<String, String> {
    let nodes = view.all(NODES, None);
    if nodes.is_empty() && view.simulation().nodes == 0 {
        return Ok(DEFAULT_NODE.to_owned());
    }
    let total = nodes.len();
    if view.simulation().controllers.has_volumes() {
        check_claims(view, pod).map_err(|why| format!("0/{total} nodes are available: {why}."))?;
    }
    let mut refused = Vec::new();
    let mut fitting = Vec::new();
    for node in &nodes {
        match misfit(pod, node) {
            Some(why) => refused.push(why),
            None => fitting.push(node),
        }
    }
    let mut loads: Vec<(usize, &Object)> = fitting.into_iter().map(|node| (view.pods_on(node.name()), node)).collect();
    loads.retain(|(load, node)| {
        let room = node.text_at("/status/allocatable/pods").parse().unwrap_or(usize::MAX);
        if *load >= room {
            refused.push("Too many pods");
        }
        *load < room
    });
    loads.sort_by_key(|(load, node)| (*load, node.name().to_owned()));
    match loads.first() {
        Some((_, node)) => Ok(node.name().to_owned()),
        None => Err(format!("0/{total} nodes are available: {}.", counted(&refused))),
    }
}

/// Each reason with how many nodes it is for.
fn counted(reasons: &[&str]) -> String {
    let mut sorted = reasons.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let count = |reason: &&str| reasons.iter().filter(|it| it == &reason).count();
    let texts: Vec<String> = sorted.iter().map(|reason| format!("{} {reason}", count(reason))).collect();
    if texts.is_empty() { "no nodes".to_owned() } else { texts.join(", ") }
}

/// Why a pod cannot be on a node.
pub(super) fn misfit(pod: &Object, node: &Object) -> Option<&'static str> {
    if !conditions::is_true(node, "Ready") {
        return Some("node(s) were not ready");
    }
    let tolerations: Vec<&Value> = pod.items_at("/spec/tolerations").collect();
    let is_tolerated =
        |taint: &Value| taint["effect"] == "PreferNoSchedule" || tolerations.iter().any(|it| tolerates(it, taint));
    if !node.items_at("/spec/taints").all(is_tolerated) {
        return Some("node(s) had untolerated taint(s)");
    }
    if node.at("/spec/unschedulable") == Some(&json!(true)) && node.items_at("/spec/taints").next().is_none() {
        return Some("node(s) were unschedulable");
    }
    let labels = node.metadata().get("labels");
    let has = |(name, value): (&String, &Value)| labels.and_then(|all| all.get(name)) == Some(value);
    let selector = pod.at("/spec/nodeSelector").and_then(Value::as_object);
    let terms = pod.at("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");
    let terms = terms.and_then(Value::as_array);
    let fits = selector.is_none_or(|all| all.iter().all(has))
        && terms.is_none_or(|terms| terms.iter().any(|term| is_meant(term, node)));
    (!fits).then_some("node(s) didn't match Pod's node affinity/selector")
}

fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
    let effect = text(toleration, "effect");
    let key = text(toleration, "key");
    (effect.is_empty() || effect == text(taint, "effect"))
        && (key.is_empty() || key == text(taint, "key"))
        && (text(toleration, "operator") == "Exists" || text(toleration, "value") == text(taint, "value"))
}

/// Whether a term of a node affinity means a node.
fn is_meant(term: &Value, node: &Object) -> bool {
    let label = |key: &str| super::view::label(node, key).to_owned();
    let has_label = |key: &str| node.metadata().get("labels").is_some_and(|all| all.get(key).is_some());
    let field = |key: &str| if key == "metadata.name" { node.name().to_owned() } else { String::new() };
    let expressions = term["matchExpressions"].as_array().into_iter().flatten();
    let fields = term["matchFields"].as_array().into_iter().flatten();
    let mut any = false;
    let mut all = true;
    for (requirement, is_label) in expressions.map(|it| (it, true)).chain(fields.map(|it| (it, false))) {
        any = true;
        let key = requirement["key"].as_str().unwrap_or_default();
        let (value, is_there) = if is_label { (label(key), has_label(key)) } else { (field(key), true) };
        let values: Vec<&str> =
            requirement["values"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let compared = |holds: fn(&i64, &i64) -> bool| {
            let (value, bound) = (value.parse().ok(), values.first().and_then(|bound| bound.parse().ok()));
            value.zip(bound).is_some_and(|(value, bound)| holds(&value, &bound))
        };
        all &= match requirement["operator"].as_str().unwrap_or_default() {
            "In" => is_there && values.contains(&value.as_str()),
            "NotIn" => !is_there || !values.contains(&value.as_str()),
            "Exists" => is_there,
            "DoesNotExist" => !is_there,
            "Gt" => compared(i64::gt),
            "Lt" => compared(i64::lt),
            _ => false,
        };
    }
    any && all
}

/// Whether the claims of a pod are bound, or wait for just this pod.
fn check_claims(view: &View<'_>, pod: &Object) -> Result<(), String> {
    for name in claims_of(pod) {
        let Some(claim) = view.get(CLAIMS, Some(pod.meta("namespace")), &name) else {
            return Err(format!("persistentvolumeclaim {name:?} not found"));
        };
        if claim.text_at("/status/phase") != "Bound" && !waits_for_consumer(view, &claim) {
            return Err("pod has unbound immediate PersistentVolumeClaims".to_owned());
        }
    }
    Ok(())
}

/// Says for which node the claims of a pod are wanted that waited for it.
fn select_node_for_claims(view: &View<'_>, pod: &Object, node: &str, plan: &mut Plan) {
    for name in claims_of(pod) {
        let Some(claim) = view.get(CLAIMS, Some(pod.meta("namespace")), &name) else { continue };
        if claim.text_at("/status/phase") != "Bound" && view.simulation().controllers.has_volumes() {
            let mut selected = claim.clone();
            selected.change(|claim| claim["metadata"]["annotations"][SELECTED_NODE] = node.into());
            plan.update(CLAIMS, &claim, selected);
        }
    }
}

fn refuse(view: &View<'_>, pod: &Object, why: &str, plan: &mut Plan) {
    let mut all: Vec<Value> = pod.items_at("/status/conditions").cloned().collect();
    let mut made = conditions::made(pod, "PodScheduled", "False", "Unschedulable", why, &view.timestamp());
    made["lastProbeTime"] = Value::Null;
    conditions::put(&mut all, made);
    let mut status = pod.get("status").filter(|it| it.is_object()).cloned().unwrap_or_else(|| json!({}));
    status["conditions"] = all.into();
    plan.status(PODS, pod, status);
    if !plan.changes_nothing() {
        plan.warning(pod, "FailedScheduling", why);
    }
}

const SCHEDULER: Identity =
    Identity { account: "kube-scheduler", manager: "kube-scheduler", component: "default-scheduler" };

/// The node for which a claim is wanted.
pub(super) const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
