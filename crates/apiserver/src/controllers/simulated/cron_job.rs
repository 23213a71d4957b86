//! A CronJob: a Job whenever its schedule says so, by the server's clock.
//!
//! In: a CronJob, its Jobs, the time. Out: Jobs made and deleted, and the status. Of several times that were missed only the
//! latest counts. The next look is at the next time of the schedule.

mod schedule;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::conditions;
use super::job::{JOBS, is_finished};
use super::ownership::reference;
use super::plan::{Built, Identity, Plan};
use super::view::{View, integer, printed, seconds, time};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::storage::store::StorageKey;
use schedule::Schedule;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, cron: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    let jobs: Vec<Object> = view.controlled(cron, JOBS).into_iter().filter(|job| !job.is_deleting()).collect();
    let active: Vec<&Object> = jobs.iter().filter(|job| !is_finished(job)).collect();
    let mut status = status(cron, &jobs, &active, &mut plan);
    if !cron.is_deleting() {
        cut_history(cron, &jobs, &mut plan);
        if cron.at("/spec/suspend") != Some(&json!(true)) {
            start(view, cron, &active, &mut status, &mut plan);
        }
    }
    plan.status(CRON_JOBS, cron, status);
    plan
}

/// Makes the Job whose time has come.
fn start(view: &View<'_>, cron: &Object, active: &[&Object], status: &mut Value, plan: &mut Plan) {
    let schedule = match Schedule::parse(cron.text_at("/spec/schedule"), cron.text_at("/spec/timeZone")) {
        Ok(schedule) => schedule,
        Err(why) => return plan.warning(cron, "UnparseableSchedule", why),
    };
    if let Some(next) = schedule.next_after(view.now) {
        plan.again_at(next);
    }
    let known = time(cron.at("/status/lastScheduleTime"));
    let created = time(cron.metadata().get("creationTimestamp"));
    let mut earliest = known.or(created).unwrap_or(view.now);
    let deadline = integer(cron, "/spec/startingDeadlineSeconds");
    if let Some(deadline) = deadline {
        earliest = earliest.max(view.now - seconds(deadline));
    }
    let Some(due) = schedule.latest(earliest, view.now) else { return };
    match cron.text_at("/spec/concurrencyPolicy") {
        "Forbid" if !active.is_empty() => {
            let message = "Not starting job because prior execution is running and concurrency policy is Forbid";
            return plan.normal(cron, "JobAlreadyActive", message);
        }
        "Replace" => {
            for job in active {
                plan.delete(JOBS, job, Propagation::Background, None);
                plan.normal(cron, "SuccessfulDelete", format!("Deleted job {}", job.name()));
            }
            status["active"] = json!([]);
        }
        _ => {}
    }
    let name = format!("{}-{}", cron.name(), due.as_second() / 60);
    if view.get(JOBS, Some(cron.meta("namespace")), &name).is_none() {
        plan.create(JOBS, Some(cron.meta("namespace")), job(cron, &name, due));
        plan.normal(cron, "SuccessfulCreate", format!("Created job {name}"));
    }
    status["lastScheduleTime"] = printed(due).into();
}

fn job(cron: &Object, name: &str, due: Timestamp) -> Value {
    let template = cron.at("/spec/jobTemplate").cloned().unwrap_or_default();
    let mut metadata = template.get("metadata").filter(|it| it.is_object()).cloned().unwrap_or_else(|| json!({}));
    if let Some(fields) = metadata.as_object_mut() {
        fields.remove("creationTimestamp");
    }
    metadata["name"] = name.into();
    metadata["annotations"][SCHEDULED] = printed(due).into();
    metadata["ownerReferences"] = json!([reference(cron)]);
    json!({"metadata": metadata, "spec": template.get("spec").cloned().unwrap_or_else(|| json!({}))})
}

/// Deletes the oldest finished Jobs beyond those that are to be kept.
fn cut_history(cron: &Object, jobs: &[Object], plan: &mut Plan) {
    let limits = [("Complete", "successfulJobsHistoryLimit", 3), ("Failed", "failedJobsHistoryLimit", 1)];
    for (condition, field, default) in limits {
        let limit = integer(cron, &format!("/spec/{field}")).unwrap_or(default);
        let finished: Vec<&Object> = jobs.iter().filter(|job| conditions::is_true(job, condition)).collect();
        let surplus = finished.len().saturating_sub(usize::try_from(limit).unwrap_or_default());
        for job in finished.into_iter().take(surplus) {
            plan.delete(JOBS, job, Propagation::Background, None);
            plan.normal(cron, "SuccessfulDelete", format!("Deleted job {}", job.name()));
        }
    }
}

/// The status: the Jobs that run, and when one was last made and last succeeded.
fn status(cron: &Object, jobs: &[Object], active: &[&Object], plan: &mut Plan) -> Value {
    let mut status = cron.get("status").filter(|it| it.is_object()).cloned().unwrap_or_else(|| json!({}));
    for known in cron.items_at("/status/active") {
        let Some(job) = jobs.iter().find(|job| known["uid"] == job.meta("uid")).filter(|job| is_finished(job)) else {
            continue;
        };
        let how = if conditions::is_true(job, "Complete") { "Complete" } else { "Failed" };
        plan.normal(cron, "SawCompletedJob", format!("Saw completed job: {}, condition: {how}", job.name()));
    }
    let last = jobs.iter().filter_map(|job| job.at("/status/completionTime").and_then(Value::as_str)).max();
    if let Some(last) = last.filter(|last| *last > status["lastSuccessfulTime"].as_str().unwrap_or_default()) {
        status["lastSuccessfulTime"] = last.into();
    }
    let references: Vec<Value> = active
        .iter()
        .map(|job| {
            json!({
                "apiVersion": "batch/v1", "kind": "Job", "name": job.name(), "namespace": job.meta("namespace"),
                "uid": job.meta("uid"), "resourceVersion": known_version(cron, job),
            })
        })
        .collect();
    match references.is_empty() {
        true => drop(status.as_object_mut().map(|fields| fields.remove("active"))),
        false => status["active"] = references.into(),
    }
    status
}

/// The version of a Job when it was seen first: that it goes on changing is not news.
fn known_version<'a>(cron: &'a Object, job: &'a Object) -> &'a str {
    let mut known = cron.items_at("/status/active").filter(|known| known["uid"] == job.meta("uid"));
    known.find_map(|known| known["resourceVersion"].as_str()).unwrap_or_else(|| job.meta("resourceVersion"))
}

const CRON_JOBS: Built = Built::new("batch", "v1", "cronjobs");

/// For when a Job was made.
const SCHEDULED: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

const CONTROLLER: Identity = Identity::controller("cronjob-controller", "cronjob-controller");
