//! `apps`: what keeps pods running, in the way of a server, of a set with names, of one per node.

mod controller_revisions;
mod daemon_sets;
mod deployments;
mod replica_sets;
mod stateful_sets;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "controllerrevisions" => &controller_revisions::ControllerRevisions,
        "daemonsets" => &daemon_sets::DaemonSets,
        "deployments" => &deployments::Deployments,
        "replicasets" => &replica_sets::ReplicaSets,
        "statefulsets" => &stateful_sets::StatefulSets,
        _ => return None,
    })
}
