//! A Job: pods until enough have succeeded, or too many have failed.
//!
//! ```text
//!  pods ─► tally: what has ended, counted once each ─► verdict ─┬─ goes on ─► pods made or deleted
//!                                                               ├─ SuccessCriteriaMet ─► pods ended, counted ─► Complete
//!                                                               └─ FailureTarget ──────► pods ended, counted ─► Failed
//! ```
//! In: a Job, its pods, the time. Out: pods, status, and the Job's own end where it has a time to live.

mod indexes;
mod tally;
mod verdict;

use serde_json::{Value, json};

use super::conditions;
use super::ownership::claimed;
use super::plan::{Built, Identity, Plan};
use super::pods::{self, PODS, is_active};
use super::view::{View, counts, integer, number, seconds, time};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::storage::store::StorageKey;
use tally::{TRACKING, Tally};
use verdict::Verdict;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, job: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    let pods = claimed(view, job, PODS, &mut plan);
    if is_finished(job) {
        tally::let_go(&pods, &mut plan);
        expire(view, job, &mut plan);
        return plan;
    }
    if job.is_deleting() {
        tally::let_go(&pods, &mut plan);
        return plan;
    }
    let tally = Tally::of(job, &pods);
    let active: Vec<&Object> = pods.iter().filter(|pod| is_active(pod)).collect();
    let verdict = verdict::of(view, job, &pods, &tally, &mut plan);
    let is_suspended = job.at("/spec/suspend") == Some(&json!(true));
    let ending = !matches!(verdict, Verdict::GoesOn) || is_suspended;
    let wanted = if ending { 0 } else { wanted_active(job, &tally, active.len()) };
    let status = status(view, job, &pods, &tally, &verdict, is_suspended, &mut plan);
    plan.status(JOBS, job, status);
    tally.remove_finalizers(&pods, &mut plan);
    scale(view, job, &pods, &active, &tally, wanted, &mut plan);
    plan
}

pub(super) fn is_finished(job: &Object) -> bool {
    conditions::is_true(job, "Complete") || conditions::is_true(job, "Failed")
}

/// How many pods are to run now.
fn wanted_active(job: &Object, tally: &Tally, active: usize) -> usize {
    let parallelism = integer(job, "/spec/parallelism").unwrap_or(1);
    let wanted = match integer(job, "/spec/completions") {
        Some(completions) => parallelism.min(completions - tally.succeeded() - tally.failed_indexes()),
        // The pods decide among themselves when the work is done: after the first success no new ones are made.
        None if tally.succeeded() > 0 => number(active).min(parallelism),
        None => parallelism,
    };
    usize::try_from(wanted).unwrap_or_default()
}

fn scale(
    view: &View<'_>,
    job: &Object,
    pods: &[Object],
    active: &[&Object],
    tally: &Tally,
    wanted: usize,
    plan: &mut Plan,
) {
    let mut surplus = active.to_vec();
    pods::in_order_of_deletion(&mut surplus);
    for pod in surplus.into_iter().take(active.len().saturating_sub(wanted)) {
        plan.delete(PODS, pod, Propagation::Background, None);
        plan.normal(job, "SuccessfulDelete", format!("Deleted pod: {}", pod.name()));
    }
    let missing = wanted.saturating_sub(active.len()).min(BURST);
    if missing == 0 {
        return;
    }
    if let Some(until) = tally.back_off_until(pods).filter(|until| *until > view.now) {
        return plan.again_at(until);
    }
    let indexes = indexes::missing(job, pods, tally, missing);
    for place in 0..missing {
        let index = if indexes::is_indexed(job) {
            let Some(index) = indexes.get(place) else { break };
            Some(*index)
        } else {
            None
        };
        let body = pod(view, job, index);
        let name = body["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        plan.create(PODS, Some(job.meta("namespace")), body);
        plan.normal(job, "SuccessfulCreate", format!("Created pod: {name}"));
    }
}

/// A pod of a Job; its finalizer keeps it until it is counted.
fn pod(view: &View<'_>, job: &Object, index: Option<i64>) -> Value {
    let template = job.at("/spec/template").cloned().unwrap_or_default();
    let generate = index.map_or_else(|| format!("{}-", job.name()), |index| format!("{}-{index}-", job.name()));
    let name = format!("{generate}{}", view.suffix());
    let mut pod = pods::of_template(job, &template, &name, Some(generate));
    pod["metadata"]["finalizers"] = json!([TRACKING]);
    if let Some(index) = index {
        indexes::mark(&mut pod, job, index);
    }
    pod
}

fn status(
    view: &View<'_>,
    job: &Object,
    pods: &[Object],
    tally: &Tally,
    verdict: &Verdict,
    is_suspended: bool,
    plan: &mut Plan,
) -> Value {
    let now = view.timestamp();
    let ending = !matches!(verdict, Verdict::GoesOn);
    let is_running = |pod: &&Object| is_active(pod);
    let active = pods.iter().filter(is_running).count();
    let terminating = pods.iter().filter(|pod| pod.is_deleting() && !pods::is_finished(pod)).count();
    let ready = pods.iter().filter(is_running).filter(|pod| pods::is_ready(pod)).count();
    let mut status = counts(&[
        ("active", if ending || is_suspended { 0 } else { number(active) }),
        ("succeeded", tally.counted_succeeded),
        ("failed", tally.counted_failed),
    ]);
    status["ready"] = if ending || is_suspended { 0 } else { ready }.into();
    status["terminating"] = (terminating + if ending || is_suspended { active } else { 0 }).into();
    status["uncountedTerminatedPods"] = tally.uncounted();
    indexes::report(job, tally, &mut status);
    let mut all: Vec<Value> = job.items_at("/status/conditions").cloned().collect();
    suspend(job, is_suspended, &now, &mut all, plan);
    if !is_suspended {
        status["startTime"] = job.at("/status/startTime").cloned().unwrap_or_else(|| now.as_str().into());
    }
    let is_settled = active == 0 && terminating == 0 && tally.is_settled();
    verdict.report(job, is_settled, &now, &mut all, &mut status, plan);
    if !all.is_empty() {
        status["conditions"] = all.into();
    }
    status
}

fn suspend(job: &Object, is_suspended: bool, now: &str, all: &mut Vec<Value>, plan: &mut Plan) {
    let was_suspended = conditions::is_true(job, "Suspended");
    let (status, reason, message) = match (was_suspended, is_suspended) {
        (false, true) => ("True", "JobSuspended", "Job suspended"),
        (true, false) => ("False", "JobResumed", "Job resumed"),
        _ => return,
    };
    conditions::put(all, probed(conditions::made(job, "Suspended", status, reason, message, now), now));
    plan.normal(job, if is_suspended { "Suspended" } else { "Resumed" }, message);
}

/// Conditions of Jobs say when they were looked at last.
fn probed(mut condition: Value, now: &str) -> Value {
    if condition.get("lastProbeTime").is_none() {
        condition["lastProbeTime"] = now.into();
    }
    condition
}

/// Deletes a finished Job whose time is over.
fn expire(view: &View<'_>, job: &Object, plan: &mut Plan) {
    let Some(lives) = integer(job, "/spec/ttlSecondsAfterFinished").filter(|_| !job.is_deleting()) else { return };
    let finished = ["Complete", "Failed"].iter().find_map(|kind| {
        let condition = conditions::find(job, kind).filter(|it| it["status"] == "True")?;
        time(condition.get("lastTransitionTime"))
    });
    let until = finished.unwrap_or(view.now) + seconds(lives);
    if until > view.now {
        return plan.again_at(until);
    }
    plan.identity = TTL;
    plan.delete(JOBS, job, Propagation::Foreground, None);
}

pub(super) const JOBS: Built = Built::new("batch", "v1", "jobs");

/// kube-controller-manager's limit for pods made in one go.
const BURST: usize = 500;

const CONTROLLER: Identity = Identity::controller("job-controller", "job-controller");

const TTL: Identity = Identity::controller("ttl-after-finished-controller", "ttl-after-finished-controller");
