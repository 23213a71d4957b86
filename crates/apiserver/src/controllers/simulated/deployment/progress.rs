//! The status of a Deployment: its counts, and the conditions that `kubectl rollout status` and Helm wait for.

use serde_json::{Value, json};

use super::super::conditions::{self, dated};
use super::super::plan::Plan;
use super::super::view::{View, counts, integer, seconds, time};
use super::sets::Sets;
use super::{DEPLOYMENTS, count, limits, revisions, wanted};
use crate::codec::object::Object;

pub(super) fn report(view: &View<'_>, deployment: &Object, sets: &Sets, plan: &mut Plan) {
    let sum = |field: &str| sets.all().map(|set| count(set, field)).sum::<i64>();
    let new = |field: &str| sets.new.as_ref().map_or(0, |set| count(set, field));
    let (there, available, wanted) = (sum("replicas"), sum("availableReplicas"), wanted(deployment));
    let mut status = counts(&[
        ("observedGeneration", deployment.generation()),
        ("replicas", there),
        ("updatedReplicas", new("replicas")),
        ("readyReplicas", sum("readyReplicas")),
        ("availableReplicas", available),
        ("unavailableReplicas", (there.max(wanted) - available).max(0)),
    ]);
    status["terminatingReplicas"] = sum("terminatingReplicas").into();
    if let Some(collisions) = deployment.at("/status/collisionCount") {
        status["collisionCount"] = collisions.clone();
    }
    let is_complete = new("replicas") == wanted && there == wanted && available == wanted;
    let mut all: Vec<Value> = deployment.items_at("/status/conditions").cloned().collect();
    conditions::put(&mut all, availability(view, deployment, available));
    if let Some(progress) = progressing(view, deployment, sets, &status, is_complete, plan) {
        conditions::put(&mut all, progress);
    }
    all.retain(|condition| condition["type"] != "ReplicaFailure");
    if let Some(failure) = sets.all().find_map(|set| conditions::find(set, "ReplicaFailure")) {
        let text = |field: &str| failure[field].as_str().unwrap_or_default();
        let failure = dated(deployment, "ReplicaFailure", "True", text("reason"), text("message"), &view.timestamp());
        conditions::put(&mut all, failure);
    }
    status["conditions"] = all.into();
    plan.status_of(DEPLOYMENTS, deployment, revisions::shown(deployment, sets), status);
}

fn availability(view: &View<'_>, deployment: &Object, available: i64) -> Value {
    let now = view.timestamp();
    if available >= wanted(deployment) - limits(deployment).unavailable {
        let message = "Deployment has minimum availability.";
        return dated(deployment, "Available", "True", "MinimumReplicasAvailable", message, &now);
    }
    let message = "Deployment does not have minimum availability.";
    dated(deployment, "Available", "False", "MinimumReplicasUnavailable", message, &now)
}

/// How the rollout goes; the plan looks again when it should be over.
fn progressing(
    view: &View<'_>,
    deployment: &Object,
    sets: &Sets,
    status: &Value,
    is_complete: bool,
    plan: &mut Plan,
) -> Option<Value> {
    let now = view.timestamp();
    let known = conditions::find(deployment, "Progressing");
    let reason = known.and_then(|it| it["reason"].as_str()).unwrap_or_default();
    let make = |status: &str, reason: &str, message: String| {
        Some(dated(deployment, "Progressing", status, reason, &message, &now))
    };
    if deployment.at("/spec/paused") == Some(&json!(true)) {
        let is_said = reason == "DeploymentPaused";
        return if is_said { None } else { make("Unknown", "DeploymentPaused", "Deployment is paused".to_owned()) };
    }
    if reason == "DeploymentPaused" {
        return make("Unknown", "DeploymentResumed", "Deployment is resumed".to_owned());
    }
    let Some(new) = &sets.new else {
        return known.is_none().then(|| {
            let message = format!("Deployment {:?} is progressing.", deployment.name());
            make("True", "ReplicaSetUpdated", message)
        })?;
    };
    if is_complete {
        let message = format!("ReplicaSet {:?} has successfully progressed.", new.name());
        return make("True", "NewReplicaSetAvailable", message);
    }
    // A set that is as it was when the rollout ended has only lost pods.
    if reason == "NewReplicaSetAvailable" && count(new, "replicas") == wanted(deployment) && is_same_rollout(known, new)
    {
        return None;
    }
    let has_progressed = ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"].iter().any(|field| {
        let before = integer(deployment, &format!("/status/{field}")).unwrap_or_default();
        status[*field].as_i64().unwrap_or_default() > before
    });
    let message = format!("ReplicaSet {:?} is progressing.", new.name());
    if has_progressed || known.is_none() || matches!(reason, "NewReplicaSetAvailable" | "DeploymentResumed") {
        let mut made = make("True", "ReplicaSetUpdated", message)?;
        made["lastUpdateTime"] = now.into();
        watch_deadline(view, deployment, Some(&made), plan);
        return Some(made);
    }
    if reason != "ProgressDeadlineExceeded" && watch_deadline(view, deployment, known, plan) {
        let message = format!("ReplicaSet {:?} has timed out progressing.", new.name());
        return make("False", "ProgressDeadlineExceeded", message);
    }
    None
}

fn is_same_rollout(known: Option<&Value>, new: &Object) -> bool {
    known.and_then(|it| it["message"].as_str()).is_some_and(|message| message.contains(&format!("{:?}", new.name())))
}

/// Whether the rollout has made no progress for too long; if not, the plan looks again when that would be so.
fn watch_deadline(view: &View<'_>, deployment: &Object, progress: Option<&Value>, plan: &mut Plan) -> bool {
    let deadline = integer(deployment, "/spec/progressDeadlineSeconds").unwrap_or(DEADLINE_SECONDS);
    let since = progress.and_then(|it| time(it.get("lastUpdateTime"))).unwrap_or(view.now);
    let until = since + seconds(deadline);
    if until > view.now {
        plan.again_at(until);
    }
    until <= view.now
}

/// The default of `progressDeadlineSeconds`.
const DEADLINE_SECONDS: i64 = 600;
