//! Whether a Job goes on, has done its work, or has failed; and how that is said.

use serde_json::Value;

use super::super::conditions;
use super::super::plan::Plan;
use super::super::view::{View, integer, number, seconds, time};
use super::tally::Tally;
use super::{indexes, probed, tally};
use crate::codec::object::Object;

pub(super) enum Verdict {
    GoesOn,
    Succeeds { reason: String, message: String },
    Fails { reason: String, message: String },
}

impl Verdict {
    fn fails(reason: &str, message: impl Into<String>) -> Verdict {
        Verdict::Fails { reason: reason.to_owned(), message: message.into() }
    }

    /// Puts the conditions of the end: first what it will be, and that itself once all pods have ended and are counted.
    pub(super) fn report(
        &self,
        job: &Object,
        is_settled: bool,
        now: &str,
        all: &mut Vec<Value>,
        status: &mut Value,
        plan: &mut Plan,
    ) {
        let (target, end, reason, message) = match self {
            Verdict::GoesOn => return,
            Verdict::Succeeds { reason, message } => ("SuccessCriteriaMet", "Complete", reason, message),
            Verdict::Fails { reason, message } => ("FailureTarget", "Failed", reason, message),
        };
        conditions::put(all, probed(conditions::made(job, target, "True", reason, message, now), now));
        if !is_settled {
            return;
        }
        conditions::put(all, probed(conditions::made(job, end, "True", reason, message, now), now));
        if end == "Complete" {
            status["completionTime"] = now.into();
            plan.normal(job, "Completed", "Job completed");
        } else {
            plan.warning(job, reason, message.clone());
        }
    }
}

pub(super) fn of(view: &View<'_>, job: &Object, pods: &[Object], tally: &Tally, plan: &mut Plan) -> Verdict {
    // What was decided stays decided.
    for (kind, fails) in [("FailureTarget", true), ("SuccessCriteriaMet", false)] {
        if let Some(known) = conditions::find(job, kind).filter(|it| it["status"] == "True") {
            let text = |field: &str| known[field].as_str().unwrap_or_default().to_owned();
            let (reason, message) = (text("reason"), text("message"));
            return if fails { Verdict::Fails { reason, message } } else { Verdict::Succeeds { reason, message } };
        }
    }
    failure(view, job, pods, tally, plan)
        .or_else(|| success_policy(job, tally))
        .unwrap_or_else(|| success(job, pods, tally))
}

fn failure(view: &View<'_>, job: &Object, pods: &[Object], tally: &Tally, plan: &mut Plan) -> Option<Verdict> {
    let failed = pods.iter().filter(|pod| pod.text_at("/status/phase") == "Failed");
    for pod in failed {
        if let Some(("FailJob", message)) = policy_of(job, pod).as_ref().map(|(action, why)| (action.as_str(), why)) {
            return Some(Verdict::fails("PodFailurePolicy", message.clone()));
        }
    }
    let per_index = integer(job, "/spec/backoffLimitPerIndex");
    let limit = integer(job, "/spec/backoffLimit").unwrap_or(if per_index.is_some() { i64::MAX } else { 6 });
    let restarts: i64 = pods.iter().filter(|pod| !tally::has_succeeded(pod)).map(restarts).sum();
    let is_restarted_too_often = restarts > 0 && restarts >= limit && per_index.is_none();
    if tally.failed() > limit || is_restarted_too_often {
        let message = "Job has reached the specified backoff limit";
        return Some(Verdict::fails("BackoffLimitExceeded", message));
    }
    if let Some(most) = integer(job, "/spec/maxFailedIndexes").filter(|most| tally.failed_indexes() > *most) {
        let message = format!("Job has exceeded the specified maximal number of failed indexes: {most}");
        return Some(Verdict::fails("MaxFailedIndexesExceeded", message));
    }
    let deadline = integer(job, "/spec/activeDeadlineSeconds")?;
    let until = time(job.at("/status/startTime")).unwrap_or(view.now) + seconds(deadline);
    if until > view.now {
        plan.again_at(until);
        return None;
    }
    Some(Verdict::fails("DeadlineExceeded", "Job was active longer than specified deadline"))
}

/// How often containers of a pod were started again, where that counts: a pod that is replaced instead counts as failed.
fn restarts(pod: &Object) -> i64 {
    if pod.text_at("/spec/restartPolicy") != "OnFailure" {
        return 0;
    }
    pod.items_at("/status/containerStatuses").filter_map(|it| it["restartCount"].as_i64()).sum()
}

/// The first rule of a Job's `successPolicy` that the indexes fulfil that are done.
fn success_policy(job: &Object, tally: &Tally) -> Option<Verdict> {
    let completions = integer(job, "/spec/completions").unwrap_or_default();
    let is_met = |rule: &Value| {
        let count = rule["succeededCount"].as_i64();
        let Some(wanted) = rule["succeededIndexes"].as_str() else {
            return count.is_some_and(|count| number(tally.done_indexes.len()) >= count);
        };
        let wanted: Vec<i64> = indexes::expand(wanted).into_iter().filter(|index| *index < completions).collect();
        let done = wanted.iter().filter(|index| tally.done_indexes.binary_search(index).is_ok()).count();
        !wanted.is_empty() && (done == wanted.len() || count.is_some_and(|count| number(done) >= count))
    };
    let mut rules = job.items_at("/spec/successPolicy/rules").filter(|_| !tally.done_indexes.is_empty());
    let met = rules.position(is_met)?;
    Some(Verdict::Succeeds { reason: "SuccessPolicy".to_owned(), message: format!("Matched rules at index {met}") })
}

fn success(job: &Object, pods: &[Object], tally: &Tally) -> Verdict {
    let is_done = match integer(job, "/spec/completions") {
        Some(completions) => tally.succeeded() + tally.failed_indexes() >= completions,
        None => tally.succeeded() > 0 && !pods.iter().any(super::is_active),
    };
    if !is_done {
        return Verdict::GoesOn;
    }
    if tally.failed_indexes() > 0 {
        return Verdict::fails("FailedIndexes", "Job has failed indexes");
    }
    Verdict::Succeeds {
        reason: "CompletionsReached".to_owned(),
        message: "Reached expected number of succeeded pods".to_owned(),
    }
}

/// What the `podFailurePolicy` of a Job says about a pod that has failed: the action of the first rule that matches, and why.
pub(super) fn policy_of(job: &Object, pod: &Object) -> Option<(String, String)> {
    if pod.text_at("/status/phase") != "Failed" {
        return None;
    }
    for (index, rule) in job.items_at("/spec/podFailurePolicy/rules").enumerate() {
        let action = rule["action"].as_str().unwrap_or_default().to_owned();
        if let Some(why) = matched(rule, pod) {
            return Some((action.clone(), format!("{why} matching {action} rule at index {index}")));
        }
    }
    None
}

fn matched(rule: &Value, pod: &Object) -> Option<String> {
    let place = format!("{}/{}", pod.meta("namespace"), pod.name());
    if let Some(codes) = rule.get("onExitCodes") {
        let values: Vec<i64> = codes["values"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
        for container in pod.items_at("/status/containerStatuses") {
            let Some(code) = container.pointer("/state/terminated/exitCode").and_then(Value::as_i64) else { continue };
            let is_meant = codes["containerName"].as_str().is_none_or(|name| container["name"] == name);
            if code != 0 && is_meant && (values.contains(&code) == (codes["operator"] == "In")) {
                let name = container["name"].as_str().unwrap_or_default();
                return Some(format!("Container {name} for pod {place} failed with exit code {code}"));
            }
        }
        return None;
    }
    let wanted = rule["onPodConditions"].as_array().into_iter().flatten();
    let mut found = wanted.filter_map(|wanted| {
        let kind = wanted["type"].as_str()?;
        let known = conditions::find(pod, kind)?;
        (known["status"] == *wanted.get("status").unwrap_or(&"True".into())).then(|| kind.to_owned())
    });
    found.next().map(|kind| format!("Pod {place} has condition {kind}"))
}
