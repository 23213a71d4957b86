//! `apps`: what keeps pods running: a number of them, one per name, one per node.

mod controller_revisions;
mod daemon_sets;
mod deployments;
mod replica_sets;
mod stateful_sets;
mod update_strategy;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("controllerrevisions", &controller_revisions::ControllerRevisions),
    ("daemonsets", &daemon_sets::DaemonSets),
    ("deployments", &deployments::Deployments),
    ("replicasets", &replica_sets::ReplicaSets),
    ("statefulsets", &stateful_sets::StatefulSets),
];
