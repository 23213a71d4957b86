//! How the pods of a Job ended, each counted exactly once.
//!
//! ```text
//!  ended, with finalizer ─► its uid in uncountedTerminatedPods ─► finalizer removed ─► counted, uid removed
//! ```
//! In: the Job's status and its pods. Out: the counts that the next status has, and the finalizers that can go. Each arrow is
//! a write; whatever comes between two of them, no pod is lost or counted twice.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::super::plan::Plan;
use super::super::pods::{PODS, is_finished};
use super::super::view::{integer, number, time};
use super::indexes;
use crate::codec::object::Object;

pub(super) struct Tally {
    pub(super) counted_succeeded: i64,
    pub(super) counted_failed: i64,
    uncounted_succeeded: Vec<String>,
    uncounted_failed: Vec<String>,
    /// The indexes that are done, and those that have failed for good.
    pub(super) done_indexes: Vec<i64>,
    pub(super) lost_indexes: Vec<i64>,
    is_indexed: bool,
}

impl Tally {
    pub(super) fn of(job: &Object, pods: &[Object]) -> Tally {
        let list = |field: &str| -> Vec<String> {
            let pointer = format!("/status/uncountedTerminatedPods/{field}");
            job.items_at(&pointer).filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let is_held = |uid: &String| pods.iter().any(|pod| pod.meta("uid") == uid && is_tracked(pod));
        let split = |uids: Vec<String>| -> (Vec<String>, i64) {
            let all = uids.len();
            let held: Vec<String> = uids.into_iter().filter(is_held).collect();
            let counted = number(all - held.len());
            (held, counted)
        };
        let (mut succeeded, more_succeeded) = split(list("succeeded"));
        let (mut failed, more_failed) = split(list("failed"));
        for pod in pods.iter().filter(|pod| is_tracked(pod) && has_ended(pod)) {
            let uid = pod.meta("uid").to_owned();
            if succeeded.contains(&uid) || failed.contains(&uid) || is_ignored(job, pod) {
                continue;
            }
            if has_succeeded(pod) { succeeded.push(uid) } else { failed.push(uid) }
        }
        let is_indexed = indexes::is_indexed(job);
        Tally {
            counted_succeeded: integer(job, "/status/succeeded").unwrap_or_default() + more_succeeded,
            counted_failed: integer(job, "/status/failed").unwrap_or_default() + more_failed,
            uncounted_succeeded: succeeded,
            uncounted_failed: failed,
            done_indexes: if is_indexed { indexes::done(job, pods) } else { Vec::new() },
            lost_indexes: if is_indexed { indexes::lost(job, pods) } else { Vec::new() },
            is_indexed,
        }
    }

    /// How much of the work is done.
    pub(super) fn succeeded(&self) -> i64 {
        if self.is_indexed {
            return number(self.done_indexes.len());
        }
        self.counted_succeeded + number(self.uncounted_succeeded.len())
    }

    pub(super) fn failed(&self) -> i64 {
        self.counted_failed + number(self.uncounted_failed.len())
    }

    pub(super) fn failed_indexes(&self) -> i64 {
        number(self.lost_indexes.len())
    }

    /// Whether everything that has ended is counted.
    pub(super) fn is_settled(&self) -> bool {
        self.uncounted_succeeded.is_empty() && self.uncounted_failed.is_empty()
    }

    pub(super) fn uncounted(&self) -> Value {
        let mut uncounted = json!({});
        for (field, uids) in [("succeeded", &self.uncounted_succeeded), ("failed", &self.uncounted_failed)] {
            if !uids.is_empty() {
                uncounted[field] = json!(uids);
            }
        }
        uncounted
    }

    /// Lets pods go that the status names.
    pub(super) fn remove_finalizers(&self, pods: &[Object], plan: &mut Plan) {
        let is_named = |pod: &&Object| {
            let mut all = self.uncounted_succeeded.iter().chain(&self.uncounted_failed);
            all.any(|uid| pod.meta("uid") == uid)
        };
        pods.iter().filter(is_named).for_each(|pod| release(pod, plan));
    }

    /// Until when no new pod is made after failures: ten seconds after the first, twice as long after each other one.
    pub(super) fn back_off_until(&self, pods: &[Object]) -> Option<Timestamp> {
        let failures = u32::try_from(self.failed()).ok().filter(|failures| *failures > 0)?;
        let ended = |pod: &Object| {
            let containers = pod.items_at("/status/containerStatuses");
            containers.filter_map(|it| time(it.pointer("/state/terminated/finishedAt"))).max()
        };
        let failed = pods.iter().filter(|pod| is_finished(pod) && !has_succeeded(pod));
        let last = failed.filter_map(ended).max()?;
        let delay = (10_i64 << (failures - 1).min(10)).min(BACK_OFF_MAX);
        last.checked_add(SignedDuration::from_secs(delay)).ok()
    }
}

/// Lets all pods go: nobody counts them any more.
pub(super) fn let_go(pods: &[Object], plan: &mut Plan) {
    pods.iter().filter(|pod| is_tracked(pod)).for_each(|pod| release(pod, plan));
}

fn release(pod: &Object, plan: &mut Plan) {
    let mut released = pod.clone();
    let left: Vec<String> = pod.finalizers().into_iter().filter(|finalizer| finalizer != TRACKING).collect();
    released.set_finalizers(&left);
    plan.update(PODS, pod, released);
}

fn is_tracked(pod: &Object) -> bool {
    pod.finalizers().iter().any(|finalizer| finalizer == TRACKING)
}

/// Whether a pod is over for its Job: one that is being deleted will not succeed any more.
fn has_ended(pod: &Object) -> bool {
    is_finished(pod) || pod.is_deleting()
}

pub(super) fn has_succeeded(pod: &Object) -> bool {
    pod.text_at("/status/phase") == "Succeeded"
}

/// Whether the failure of a pod does not count, by the Job's `podFailurePolicy`.
fn is_ignored(job: &Object, pod: &Object) -> bool {
    super::verdict::policy_of(job, pod).is_some_and(|(action, _)| action == "Ignore") && !pod.is_deleting()
}

/// What keeps a pod until it is counted.
pub(super) const TRACKING: &str = "batch.kubernetes.io/job-tracking";

/// kube-controller-manager's longest delay: ten minutes.
const BACK_OFF_MAX: i64 = 600;
