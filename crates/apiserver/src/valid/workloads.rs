//! Deployments, sets, jobs and leases: a selector that selects the pods of the template, numbers that make sense.

use super::spot::Spot;
use super::{go, metadata, pods, qualified};
use crate::kinds::Kind;
use crate::object::Object;
use crate::parts::selector;
use crate::status::FieldError;

/// What is wrong with a Deployment, ReplicaSet, StatefulSet or DaemonSet.
pub(super) fn workload(kind: &Kind, object: &Object) -> Vec<FieldError> {
    let spec = Spot::of(object, "spec");
    let not_negative = |fields: &[&str]| -> Vec<FieldError> {
        fields.iter().filter_map(|field| spec.field(field).not_negative()).collect()
    };
    let mut errors = Vec::new();
    match kind.plural.as_str() {
        "deployments" => {
            errors.extend(not_negative(&["replicas"]));
            errors.extend(selected_template(&spec, "deployment"));
            errors.extend(strategy(&spec.field("strategy")));
            errors.extend(not_negative(&["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"]));
        }
        "replicasets" => {
            errors.extend(not_negative(&["replicas", "minReadySeconds"]));
            // Its sentence is the deployment's.
            errors.extend(selected_template(&spec, "deployment"));
        }
        "statefulsets" => {
            let policy = spec.field("podManagementPolicy");
            if policy.one_of(&["OrderedReady", "Parallel"]).is_some() {
                errors.push(policy.wrong_text("must be 'OrderedReady' or 'Parallel'"));
            }
            errors.extend(not_negative(&["replicas", "minReadySeconds"]));
            errors.extend(spec.field("serviceName").label());
            errors.extend(selected_template(&spec, "statefulset"));
        }
        _ => {
            errors.extend(selected_template(&spec, "daemonset"));
            errors.extend(not_negative(&["minReadySeconds", "revisionHistoryLimit"]));
        }
    }
    errors
}

/// The selector and the template of pods that it has to select.
fn selected_template(spec: &Spot<'_>, what: &str) -> Vec<FieldError> {
    let (asked, template) = (spec.field("selector"), spec.field("template"));
    let labels = template.field("metadata").field("labels");
    let mut errors = Vec::new();
    if asked.value.is_null() {
        // A DaemonSet is told only that its pods are not selected.
        errors.extend(asked.required().filter(|_| what != "daemonset"));
        errors.push(labels.wrong("`selector` does not match template `labels`"));
    } else if asked.is_empty() {
        errors.push(asked.wrong(&format!("empty selector is invalid for {what}")));
    } else {
        let wrong = selector_errors(&asked);
        if !wrong.is_empty() {
            errors.extend(wrong);
            errors.push(FieldError::invalid(&asked.path, &go::selector(asked.value), "invalid label selector"));
        } else if !selector::matches(asked.value, Some(labels.value)) {
            errors.push(labels.wrong("`selector` does not match template `labels`"));
        }
    }
    errors.extend(template_errors(&template));
    let policy = template.field("spec").field("restartPolicy");
    if matches!(policy.text(), "Never" | "OnFailure") {
        errors.extend(policy.one_of(&["Always"]));
    }
    let deadline = template.field("spec").field("activeDeadlineSeconds");
    if !deadline.value.is_null() {
        errors.push(deadline.forbidden("activeDeadlineSeconds in ReplicaSet is not Supported"));
    }
    errors
}

fn template_errors(template: &Spot<'_>) -> Vec<FieldError> {
    let labels = template.field("metadata").field("labels");
    // Here a step of the path is left out.
    let mut errors = metadata::labels(&format!("{}.labels", template.path), Some(labels.value));
    errors.extend(pods::spec(&template.field("spec")));
    errors
}

fn selector_errors(asked: &Spot<'_>) -> Vec<FieldError> {
    let mut errors = metadata::labels(&asked.field("matchLabels").path, Some(asked.field("matchLabels").value));
    for expression in asked.field("matchExpressions").items() {
        let values = expression.field("values");
        match expression.field("operator").text() {
            "In" | "NotIn" => {
                errors.extend(values.required_because("must be specified when `operator` is 'In' or 'NotIn'"));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                errors.push(values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
            }
            "Exists" | "DoesNotExist" => {}
            _ => errors.push(expression.field("operator").wrong_text("not a valid selector operator")),
        }
        let key = expression.field("key");
        errors.extend(qualified::key(key.text()).iter().map(|why| key.wrong_text(why)));
    }
    errors
}

fn strategy(strategy: &Spot<'_>) -> Vec<FieldError> {
    let rolling = strategy.field("rollingUpdate");
    match strategy.field("type").text() {
        "Recreate" if !rolling.value.is_null() => {
            vec![rolling.forbidden("may not be specified when strategy `type` is 'Recreate'")]
        }
        "RollingUpdate" => {
            let (surge, unavailable) = (rolling.field("maxSurge"), rolling.field("maxUnavailable"));
            let mut errors: Vec<FieldError> = [&unavailable, &surge].into_iter().filter_map(share).collect();
            let is_zero = |spot: &Spot<'_>| spot.value.as_i64() == Some(0) || spot.text() == "0%";
            if is_zero(&surge) && is_zero(&unavailable) {
                errors.push(unavailable.wrong("may not be 0 when `maxSurge` is 0"));
            }
            errors
        }
        _ => Vec::new(),
    }
}

/// A number that is not below zero, or a percentage.
fn share(spot: &Spot<'_>) -> Option<FieldError> {
    let text = spot.value.as_str()?;
    let digits = text.strip_suffix('%').unwrap_or_default();
    let is_share = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let why = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex \
               used for validation is '[0-9]+%')";
    (!is_share).then(|| spot.wrong_text(why)).or_else(|| spot.not_negative())
}

/// What is wrong with a Job.
pub(super) fn job(object: &Object) -> Vec<FieldError> {
    let spec = Spot::of(object, "spec");
    let mut errors = job_spec(&spec);
    let (asked, labels) = (spec.field("selector"), spec.field("template").field("metadata").field("labels"));
    if !asked.value.is_null() && !selector::matches(asked.value, Some(labels.value)) {
        errors.push(labels.wrong("`selector` does not match template `labels`"));
    }
    errors
}

fn job_spec(spec: &Spot<'_>) -> Vec<FieldError> {
    let numbers = ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"];
    let mut errors: Vec<FieldError> = numbers.iter().filter_map(|field| spec.field(field).not_negative()).collect();
    errors.extend(spec.field("completionMode").one_of(&["NonIndexed", "Indexed"]));
    errors.extend(spec.field("podReplacementPolicy").one_of(&["Failed", "TerminatingOrFailed"]));
    let template = spec.field("template");
    errors.extend(template_errors(&template));
    let policy = template.field("spec").field("restartPolicy");
    match policy.text() {
        "OnFailure" | "Never" => {}
        "" | "Always" => {
            errors.push(FieldError::required(&policy.path, "valid values: \"OnFailure\", \"Never\""));
        }
        _ => errors.extend(policy.one_of(&["OnFailure", "Never"])),
    }
    errors
}

/// What is wrong with a CronJob.
pub(super) fn cron_job(object: &Object) -> Vec<FieldError> {
    let spec = Spot::of(object, "spec");
    let schedule = spec.field("schedule");
    let mut errors = Vec::new();
    let fields: Vec<&str> = schedule.text().split_whitespace().collect();
    if !schedule.is_empty() && !schedule.text().starts_with('@') && fields.len() != 5 {
        let why = format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" "));
        errors.push(schedule.wrong_text(&why));
    }
    errors.extend(spec.field("startingDeadlineSeconds").not_negative());
    errors.extend(spec.field("concurrencyPolicy").one_of(&["Allow", "Forbid", "Replace"]));
    errors.extend(job_spec(&spec.field("jobTemplate").field("spec")));
    errors.extend(spec.field("successfulJobsHistoryLimit").not_negative());
    errors.extend(spec.field("failedJobsHistoryLimit").not_negative());
    errors.extend(schedule.required());
    if object.name().len() > CRON_JOB_NAME_MAX {
        let why = format!("must be no more than {CRON_JOB_NAME_MAX} characters");
        errors.push(FieldError::invalid_text("metadata.name", object.name(), &why));
    }
    errors
}

/// What is wrong with a Lease.
pub(super) fn lease(object: &Object) -> Vec<FieldError> {
    let spec = Spot::of(object, "spec");
    let duration = spec.field("leaseDurationSeconds");
    let is_none = duration.value.as_i64().is_some_and(|seconds| seconds <= 0);
    let mut errors: Vec<FieldError> = is_none.then(|| duration.wrong("must be greater than 0")).into_iter().collect();
    errors.extend(spec.field("leaseTransitions").not_negative());
    errors
}

/// Its jobs get eleven characters more, and their names have to be labels.
const CRON_JOB_NAME_MAX: usize = 52;
