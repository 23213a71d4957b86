//! A Deployment: a ReplicaSet for each template it had, and pods moved from the earlier ones to that of its template now.
//!
//! ```text
//!  sets: claimed ─► new, old ─┬─ paused ─────────► scaled in proportion
//!                             ├─ scaled ─────────► scaled in proportion
//!                             ├─ Recreate ───────► old ones to none, then the new one
//!                             └─ RollingUpdate ──► the new one up, old ones down, within surge and unavailability
//!        └─► revisions of the sets, history cut ─► status
//! ```
//! In: a Deployment, its ReplicaSets, the time. Out: writes of sets and of the status. Each look makes one move; its effect
//! brings the Deployment here again.

mod progress;
mod revisions;
pub(super) mod rolling;
mod sets;

use serde_json::{Value, json};

use super::ownership::claimed;
use super::plan::{Built, Identity, Plan};
use super::pods::{self, PODS};
use super::replica_set::SETS;
use super::view::{View, integer};
use crate::codec::object::Object;
use crate::storage::store::StorageKey;
use rolling::Limits;
use sets::Sets;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, deployment: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    let claimed = claimed(view, deployment, SETS, &mut plan);
    if !plan.wishes.is_empty() {
        return plan;
    }
    let sets = Sets::of(deployment, claimed);
    if !deployment.is_deleting() {
        move_on(view, deployment, &sets, &mut plan);
    }
    if plan.changes_nothing() || deployment.is_deleting() {
        revisions::cut_history(deployment, &sets, &mut plan);
    }
    progress::report(view, deployment, &sets, &mut plan);
    plan
}

/// Makes the next move of a rollout.
fn move_on(view: &View<'_>, deployment: &Object, sets: &Sets, plan: &mut Plan) {
    let is_paused = deployment.at("/spec/paused") == Some(&json!(true));
    if is_paused || rolling::was_scaled(deployment, sets) {
        return rolling::scale_in_proportion(deployment, sets, plan);
    }
    let is_recreated = deployment.text_at("/spec/strategy/type") == "Recreate";
    if is_recreated && has_old_pods(view, sets) {
        for old in sets.old.iter().filter(|set| replicas(set) > 0) {
            rolling::scale(deployment, old, 0, plan);
        }
        return;
    }
    match &sets.new {
        None => sets::create(view, deployment, sets, plan),
        Some(new) => {
            revisions::keep(deployment, sets, new, plan);
            if plan.changes_nothing() {
                if is_recreated {
                    rolling::scale(deployment, new, wanted(deployment), plan);
                } else {
                    rolling::roll(deployment, sets, new, plan);
                }
            }
        }
    }
}

/// Whether pods of earlier templates are still there.
fn has_old_pods(view: &View<'_>, sets: &Sets) -> bool {
    let mut old = sets.old.iter().flat_map(|set| view.controlled(set, PODS));
    sets.old.iter().any(|set| replicas(set) > 0) || old.any(|pod| !pods::is_finished(&pod))
}

/// How many pods a Deployment is to have.
fn wanted(deployment: &Object) -> i64 {
    integer(deployment, "/spec/replicas").unwrap_or(1)
}

/// How many pods a ReplicaSet is to have.
fn replicas(set: &Object) -> i64 {
    integer(set, "/spec/replicas").unwrap_or(1)
}

fn count(set: &Object, field: &str) -> i64 {
    set.at("/status").and_then(|status| status.get(field)).and_then(Value::as_i64).unwrap_or_default()
}

/// How many pods there may be beside each other, and how many may be missing.
fn limits(deployment: &Object) -> Limits {
    let wanted = wanted(deployment);
    if deployment.text_at("/spec/strategy/type") == "Recreate" {
        return Limits { surge: 0, unavailable: wanted };
    }
    let read = |field: &str| deployment.at("/spec/strategy/rollingUpdate").and_then(|it| it.get(field));
    Limits::of(read("maxSurge"), read("maxUnavailable"), wanted)
}

pub(super) const DEPLOYMENTS: Built = Built::new("apps", "v1", "deployments");

const CONTROLLER: Identity = Identity::controller("deployment-controller", "deployment-controller");

/// Which revision of its template a set or Deployment has.
pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
