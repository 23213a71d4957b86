//! A DaemonSet: one pod on every node that it is for.
//!
//! In: a DaemonSet, the nodes, its pods. Out: writes of pods, revisions and status. Each pod is for one node by its affinity,
//! and the scheduler puts it there. An update replaces as many pods at a time as may be unavailable; or, with `maxSurge`,
//! as many nodes have a new pod beside the old one, which goes once the new one is available.

use serde_json::{Value, json};

use super::controller_revisions::{LABEL, Revisions, hash_of};
use super::deployment::rolling::{Rounding, resolved};
use super::nodes::NODES;
use super::ownership::claimed;
use super::plan::{Built, Identity, Plan};
use super::pods::{self, Availability, PODS, is_finished, is_ready};
use super::scheduler::misfit;
use super::view::{View, annotation, counts, label, number};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::storage::store::StorageKey;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, set: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    let pods = claimed(view, set, PODS, &mut plan);
    let revisions = Revisions::of(view, set, &mut plan);
    if !plan.wishes.is_empty() && !set.is_deleting() {
        return plan;
    }
    let hash = hash_of(set, &revisions.update).to_owned();
    let nodes: Vec<Object> = view.all(NODES, None).into_iter().filter(|node| is_meant(set, node)).collect();
    let of_node = |node: &Object| pods.iter().filter(|pod| node_of(pod) == node.name()).collect::<Vec<_>>();
    if !set.is_deleting() {
        for node in &nodes {
            place(view, set, node, &of_node(node), &hash, &mut plan);
        }
        for pod in pods.iter().filter(|pod| !nodes.iter().any(|node| node.name() == node_of(pod))) {
            delete(set, pod, &mut plan);
        }
        if plan.changes_nothing() {
            replace(view, set, &pods, &nodes, &hash, &mut plan);
        }
    }
    let status = status(view, set, &pods, &nodes, &hash, &mut plan);
    plan.status(DAEMON_SETS, set, status);
    let in_use: Vec<String> = pods.iter().map(|pod| format!("{}-{}", set.name(), label(pod, LABEL))).collect();
    revisions.cut(set, &in_use.iter().map(String::as_str).collect::<Vec<_>>(), &mut plan);
    plan
}

/// Sees that there is one pod for a node.
fn place(view: &View<'_>, set: &Object, node: &Object, pods: &[&Object], hash: &str, plan: &mut Plan) {
    let (failed, alive): (Vec<&Object>, Vec<&Object>) = pods.iter().partition(|pod| is_finished(pod));
    for pod in failed {
        let message = format!(
            "Found failed daemon pod {}/{} on node {}, will try to kill it",
            pod.meta("namespace"),
            pod.name(),
            node.name()
        );
        plan.warning(set, "FailedDaemonPod", message);
        delete(set, pod, plan);
    }
    if surge(set, 1) > 0 {
        let alive: Vec<&Object> = alive.into_iter().filter(|pod| !pod.is_deleting()).collect();
        keep_two(view, set, &alive, hash, plan);
        if alive.is_empty() {
            create(view, set, node, hash, plan);
        }
        return;
    }
    // The oldest stays.
    alive.iter().skip(1).filter(|pod| !pod.is_deleting()).for_each(|pod| delete(set, pod, plan));
    if alive.is_empty() {
        create(view, set, node, hash, plan);
    }
}

/// Leaves one pod of a node, or two: one of an earlier template that is ready, and its successor that is not available yet.
fn keep_two(view: &View<'_>, set: &Object, alive: &[&Object], hash: &str, plan: &mut Plan) {
    let (new, old): (Vec<&Object>, Vec<&Object>) = alive.iter().partition(|pod| label(pod, LABEL) == hash);
    new.iter().skip(1).chain(old.iter().skip(1)).for_each(|pod| delete(set, pod, plan));
    if let (Some(new), Some(old)) = (new.first(), old.first())
        && (!is_ready(old) || is_available(view, set, new))
    {
        delete(set, old, plan);
    }
}

fn create(view: &View<'_>, set: &Object, node: &Object, hash: &str, plan: &mut Plan) {
    let template = set.at("/spec/template").cloned().unwrap_or_default();
    let generate = format!("{}-", set.name());
    let name = format!("{generate}{}", view.suffix());
    let mut pod = pods::of_template(set, &template, &name, Some(generate));
    pod["metadata"]["labels"][LABEL] = hash.into();
    let generation = annotation(set, TEMPLATES);
    if !generation.is_empty() {
        pod["metadata"]["labels"]["pod-template-generation"] = generation.into();
    }
    bind(&mut pod, node.name());
    plan.create(PODS, Some(set.meta("namespace")), pod);
    plan.normal(set, "SuccessfulCreate", format!("Created pod: {name}"));
}

/// Makes a pod one for a node, and one that stays there whatever happens to the node.
fn bind(pod: &mut Value, node: &str) {
    let term = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]});
    let required = &mut pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    *required = json!({"nodeSelectorTerms": [term]});
    let mut tolerations = pod["spec"]["tolerations"].as_array().cloned().unwrap_or_default();
    for (key, effect) in TOLERATED {
        tolerations.push(json!({"key": key, "operator": "Exists", "effect": effect}));
    }
    pod["spec"]["tolerations"] = tolerations.into();
}

/// Whether a DaemonSet is for a node.
fn is_meant(set: &Object, node: &Object) -> bool {
    let mut spec = set.at("/spec/template/spec").cloned().unwrap_or_else(|| json!({}));
    let mut tolerations = spec["tolerations"].as_array().cloned().unwrap_or_default();
    tolerations
        .extend(TOLERATED.iter().map(|(key, effect)| json!({"key": key, "operator": "Exists", "effect": effect})));
    spec["tolerations"] = tolerations.into();
    let mut node = node.clone();
    // It is there before a node is ready, and stays when nothing else may come.
    node.change_field("spec", |spec| drop(spec.remove("unschedulable")));
    node.change(|node| node["status"]["conditions"] = json!([{"type": "Ready", "status": "True"}]));
    let pod = Object::from_value(json!({"metadata": {"name": "pod"}, "spec": spec}));
    pod.is_some_and(|pod| misfit(&pod, &node).is_none())
}

/// The node that a pod is for.
fn node_of(pod: &Object) -> &str {
    let bound = pod.text_at("/spec/nodeName");
    if !bound.is_empty() {
        return bound;
    }
    let required = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";
    pod.text_at(&format!("{required}/nodeSelectorTerms/0/matchFields/0/values/0"))
}

/// Makes the next move of an update.
fn replace(view: &View<'_>, set: &Object, pods: &[Object], nodes: &[Object], hash: &str, plan: &mut Plan) {
    if set.text_at("/spec/updateStrategy/type") == "OnDelete" {
        return;
    }
    match surge(set, number(nodes.len())) {
        0 => take_away(view, set, pods, nodes.len(), hash, plan),
        most => put_beside(view, set, pods, nodes, most, hash, plan),
    }
}

/// Deletes pods of earlier templates: those that are not available, and as many others as may be missing.
fn take_away(view: &View<'_>, set: &Object, pods: &[Object], nodes: usize, hash: &str, plan: &mut Plan) {
    let most =
        resolved(set.at("/spec/updateStrategy/rollingUpdate/maxUnavailable"), number(nodes), Rounding::Up).max(1);
    let is_available = |pod: &Object| !pod.is_deleting() && is_available(view, set, pod);
    let missing = number(nodes) - number(pods.iter().filter(|pod| is_available(pod)).count());
    let old = || pods.iter().filter(|pod| label(pod, LABEL) != hash && !pod.is_deleting());
    old().filter(|pod| !is_available(pod)).for_each(|pod| delete(set, pod, plan));
    let room = usize::try_from(most - missing).unwrap_or_default();
    old().filter(|pod| is_available(pod)).take(room).for_each(|pod| delete(set, pod, plan));
}

/// Makes pods beside those of earlier templates: where those are not available, and on as many other nodes as may have two.
fn put_beside(
    view: &View<'_>,
    set: &Object,
    pods: &[Object],
    nodes: &[Object],
    most: i64,
    hash: &str,
    plan: &mut Plan,
) {
    let (mut waiting, mut candidates) = (0, Vec::new());
    for node in nodes {
        let mut alive = pods.iter().filter(|pod| node_of(pod) == node.name() && !pod.is_deleting());
        let Some(old) = alive.clone().find(|pod| label(pod, LABEL) != hash) else { continue };
        if alive.any(|pod| label(pod, LABEL) == hash) {
            waiting += 1;
        } else if is_available(view, set, old) {
            candidates.push(node);
        } else {
            create(view, set, node, hash, plan);
        }
    }
    let room = usize::try_from(most - waiting).unwrap_or_default();
    candidates.into_iter().take(room).for_each(|node| create(view, set, node, hash, plan));
}

/// How many of so many nodes may have two pods during an update.
fn surge(set: &Object, nodes: i64) -> i64 {
    if set.text_at("/spec/updateStrategy/type") == "OnDelete" {
        return 0;
    }
    resolved(set.at("/spec/updateStrategy/rollingUpdate/maxSurge"), nodes, Rounding::Up)
}

fn is_available(view: &View<'_>, set: &Object, pod: &Object) -> bool {
    pods::availability(pod, pods::min_ready_seconds(set), view.now) == Availability::Yes
}

fn delete(set: &Object, pod: &Object, plan: &mut Plan) {
    if !pod.is_deleting() {
        plan.delete(PODS, pod, Propagation::Background, None);
        plan.normal(set, "SuccessfulDelete", format!("Deleted pod: {}", pod.name()));
    }
}

fn status(view: &View<'_>, set: &Object, pods: &[Object], nodes: &[Object], hash: &str, plan: &mut Plan) -> Value {
    // Of two pods of a node the first counts: one that is bound, else the oldest.
    let of_node = |node: &Object| {
        let there = pods.iter().filter(|pod| !pod.is_deleting() && node_of(pod) == node.name());
        there.min_by_key(|pod| pod.text_at("/spec/nodeName").is_empty())
    };
    let firsts: Vec<&Object> = nodes.iter().filter_map(of_node).collect();
    let on_nodes = || firsts.iter().copied();
    let available = pods::available(on_nodes(), pods::min_ready_seconds(set), view.now, plan);
    let is_misplaced = |pod: &&Object| !pod.is_deleting() && !nodes.iter().any(|node| node.name() == node_of(pod));
    let misplaced = pods.iter().filter(is_misplaced).count();
    let mut status = counts(&[
        ("observedGeneration", set.generation()),
        ("updatedNumberScheduled", number(on_nodes().filter(|pod| label(pod, LABEL) == hash).count())),
        ("numberAvailable", available),
        ("numberUnavailable", number(nodes.len()) - available),
    ]);
    status["currentNumberScheduled"] = on_nodes().count().into();
    status["desiredNumberScheduled"] = nodes.len().into();
    status["numberMisscheduled"] = misplaced.into();
    status["numberReady"] = on_nodes().filter(|pod| is_ready(pod)).count().into();
    if let Some(collisions) = set.at("/status/collisionCount") {
        status["collisionCount"] = collisions.clone();
    }
    status
}

/// What the pods of a DaemonSet put up with.
const TOLERATED: &[(&str, &str)] = &[
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

/// How often the template was changed, as the registry counts it.
const TEMPLATES: &str = "deprecated.daemonset.template.generation";

const DAEMON_SETS: Built = Built::new("apps", "v1", "daemonsets");

const CONTROLLER: Identity = Identity::controller("daemon-set-controller", "daemonset-controller");
