//! Small changes that people make often: restart a workload, close a node to new pods and open it again.
//!
//! The module has kube's name. Each change is a patch, printed by [`Call`](crate::call::Call).

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use serde_json::{Value, json};

/// A kind whose objects restart their pods when the pod template changes.
pub trait Restart {}

impl Restart for Deployment {}
impl Restart for DaemonSet {}
impl Restart for StatefulSet {}
impl Restart for ReplicaSet {}

/// The annotation whose change restarts the pods; kube's key, so that both name the last restart in one place.
const RESTARTED_AT: &str = "kube.kubernetes.io/restartedAt";

/// The merge patch that restarts the pods of a workload.
#[doc(hidden)]
pub fn restart_patch(now: Timestamp) -> Value {
    json!({"spec": {"template": {"metadata": {"annotations": {RESTARTED_AT: now.to_string()}}}}})
}

/// The strategic merge patch that closes or opens a node.
#[doc(hidden)]
pub fn schedulable_patch(schedulable: Schedulable) -> Value {
    json!({"spec": {"unschedulable": schedulable == Schedulable::No}})
}

/// Whether new pods may be placed on a node.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Schedulable {
    /// They may.
    Yes,
    /// They may not.
    No,
}
