//! Deployments, sets, jobs and leases: a selector that selects the pods of the template, numbers that make sense.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::field::Field;
use super::{cron_schedule, go_json, metadata, pods, qualified_names};
use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::subresources::selector;
use crate::response::status::FieldError;

/// What is wrong with a Deployment, ReplicaSet, StatefulSet or DaemonSet.
pub(super) fn workload(kind: &Kind, object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let not_negative = |fields: &[&str]| -> Vec<FieldError> {
        fields.iter().filter_map(|field| spec.field(field).not_negative()).collect()
    };
    let mut errors = Vec::new();
    match kind.plural.as_str() {
        "deployments" => {
            errors.extend(not_negative(&["replicas"]));
            errors.extend(selected_template(&spec, "deployment", "ReplicaSet"));
            errors.extend(strategy(&spec.field("strategy")));
            errors.extend(not_negative(&["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"]));
        }
        "replicasets" => {
            errors.extend(not_negative(&["replicas", "minReadySeconds"]));
            // Its sentence is the deployment's.
            errors.extend(selected_template(&spec, "deployment", "ReplicaSet"));
        }
        "statefulsets" => {
            let policy = spec.field("podManagementPolicy");
            if policy.one_of(&["OrderedReady", "Parallel"]).is_some() {
                errors.push(policy.wrong_text("must be 'OrderedReady' or 'Parallel'"));
            }
            errors.extend(not_negative(&["replicas", "minReadySeconds"]));
            errors.extend(spec.field("serviceName").label());
            let pods = pods_with_claims(&spec);
            let pods = Field { path: spec.field("template").field("spec").path, value: &pods };
            errors.extend(selected(&spec, "statefulset"));
            errors.extend(template_of(&spec.field("template"), &pods));
            errors.extend(always_running(&pods, "StatefulSet"));
        }
        _ => {
            errors.extend(selected_template(&spec, "daemonset", "DaemonSet"));
            errors.extend(not_negative(&["minReadySeconds", "revisionHistoryLimit"]));
        }
    }
    errors
}

/// The selector and the template of pods that it has to select.
fn selected_template(spec: &Field<'_>, what: &str, runner: &str) -> Vec<FieldError> {
    let mut errors = selected(spec, what);
    errors.extend(template_errors(&spec.field("template")));
    errors.extend(always_running(&spec.field("template").field("spec"), runner));
    errors
}

fn selected(spec: &Field<'_>, what: &str) -> Vec<FieldError> {
    let (asked, template) = (spec.field("selector"), spec.field("template"));
    let labels = template.field("metadata").field("labels");
    let mut errors = Vec::new();
    if asked.value.is_null() {
        // For a DaemonSet the only error is that its pods are not selected.
        errors.extend(asked.required().filter(|_| what != "daemonset"));
        errors.push(labels.wrong("`selector` does not match template `labels`"));
    } else if asked.is_empty() {
        errors.push(asked.wrong(&format!("empty selector is invalid for {what}")));
    } else {
        let wrong = selector_errors(&asked);
        if !wrong.is_empty() {
            errors.extend(wrong);
            errors.push(FieldError::invalid(&asked.path, &go_json::selector(asked.value), "invalid label selector"));
        } else if !selector::matches(asked.value, Some(labels.value)) {
            errors.push(labels.wrong("`selector` does not match template `labels`"));
        }
    }
    errors
}

/// Pods that are to be there for good do not end on their own.
fn always_running(pods: &Field<'_>, runner: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let policy = pods.field("restartPolicy");
    if matches!(policy.text(), "Never" | "OnFailure") {
        errors.extend(policy.one_of(&["Always"]));
    }
    let deadline = pods.field("activeDeadlineSeconds");
    if !deadline.value.is_null() {
        errors.push(deadline.forbidden(&format!("activeDeadlineSeconds in {runner} is not Supported")));
    }
    errors
}

/// What the pods of a StatefulSet will be: each has a volume per claim, before those of the template and in place of one of
/// the same name, and a host name that its controller decides.
fn pods_with_claims(set: &Field<'_>) -> Value {
    let mut pods = set.field("template").field("spec").value.clone();
    let Some(fields) = pods.as_object_mut() else { return pods };
    fields.remove("hostname");
    fields.remove("subdomain");
    let claims = set.field("volumeClaimTemplates");
    let claimed: BTreeSet<&str> = claims.items().map(|claim| claim.field("metadata").field("name").text()).collect();
    let own = set.field("template").field("spec").field("volumes");
    let own = own.items().filter(|volume| !claimed.contains(volume.field("name").text()));
    let of_claim = |name: &&str| json!({"name": name, "persistentVolumeClaim": {"claimName": name}});
    let volumes: Vec<Value> = claimed.iter().map(of_claim).chain(own.map(|volume| volume.value.clone())).collect();
    fields.insert("volumes".to_owned(), volumes.into());
    pods
}

fn template_errors(template: &Field<'_>) -> Vec<FieldError> {
    template_of(template, &template.field("spec"))
}

/// What is wrong with a template whose pods get this spec.
fn template_of(template: &Field<'_>, pods: &Field<'_>) -> Vec<FieldError> {
    let labels = template.field("metadata").field("labels");
    // Here a step of the path is left out.
    let mut errors = metadata::labels(&format!("{}.labels", template.path), Some(labels.value));
    errors.extend(pods::spec(pods));
    errors
}

/// What is wrong with a label selector, wherever it stands.
pub(super) fn selector_errors(asked: &Field<'_>) -> Vec<FieldError> {
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
        errors.extend(qualified_names::key(key.text()).iter().map(|why| key.wrong_text(why)));
    }
    errors
}

fn strategy(strategy: &Field<'_>) -> Vec<FieldError> {
    let rolling = strategy.field("rollingUpdate");
    match strategy.field("type").text() {
        "Recreate" if !rolling.value.is_null() => {
            vec![rolling.forbidden("may not be specified when strategy `type` is 'Recreate'")]
        }
        "RollingUpdate" => {
            let (surge, unavailable) = (rolling.field("maxSurge"), rolling.field("maxUnavailable"));
            let mut errors: Vec<FieldError> = [&unavailable, &surge].into_iter().filter_map(share).collect();
            let is_zero = |spot: &Field<'_>| spot.value.as_i64() == Some(0) || spot.text() == "0%";
            if is_zero(&surge) && is_zero(&unavailable) {
                errors.push(unavailable.wrong("may not be 0 when `maxSurge` is 0"));
            }
            errors
        }
        _ => Vec::new(),
    }
}

/// A number that is not below zero, or a percentage.
pub(super) fn share(spot: &Field<'_>) -> Option<FieldError> {
    let Some(text) = spot.value.as_str() else { return spot.not_negative() };
    let digits = text.strip_suffix('%').unwrap_or_default();
    let is_share = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let why = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex \
               used for validation is '[0-9]+%')";
    (!is_share).then(|| spot.wrong_text(why))
}

/// What is wrong with a Job.
pub(super) fn job(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let mut errors = job_spec(&spec);
    let generated = json!({"matchLabels": {"batch.kubernetes.io/controller-uid": object.meta("uid")}});
    let is_manual = spec.field("manualSelector").value == &Value::Bool(true);
    if !is_manual && *spec.field("selector").value != generated {
        let shown = go_json::selector(spec.field("selector").value);
        errors.push(FieldError::invalid("spec.selector", &shown, "`selector` not auto-generated"));
    }
    let (asked, labels) = (spec.field("selector"), spec.field("template").field("metadata").field("labels"));
    if !asked.value.is_null() && !selector::matches(asked.value, Some(labels.value)) {
        errors.push(labels.wrong("`selector` does not match template `labels`"));
    }
    errors
}

fn job_spec(spec: &Field<'_>) -> Vec<FieldError> {
    let numbers = ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"];
    let mut errors: Vec<FieldError> = numbers.iter().filter_map(|field| spec.field(field).not_negative()).collect();
    errors.extend(spec.field("completionMode").one_of(&["NonIndexed", "Indexed"]));
    if spec.field("completionMode").text() == "Indexed" {
        let completions = spec.field("completions");
        if completions.value.is_null() {
            errors.push(FieldError::required(&completions.path, "when completion mode is Indexed"));
        }
    } else {
        for limit in ["backoffLimitPerIndex", "maxFailedIndexes"] {
            let limit = spec.field(limit);
            if !limit.value.is_null() {
                errors.push(limit.wrong("requires indexed completion mode"));
            }
        }
    }
    errors.extend(failure_policy(spec));
    errors.extend(spec.field("podReplacementPolicy").one_of(&["Failed", "TerminatingOrFailed"]));
    let template = spec.field("template");
    errors.extend(template_errors(&template));
    let policy = template.field("spec").field("restartPolicy");
    match policy.text() {
        "OnFailure" if !spec.field("podFailurePolicy").value.is_null() => {
            errors.push(policy.wrong_text("only \"Never\" is supported when podFailurePolicy is specified"));
        }
        "OnFailure" | "Never" => {}
        "" | "Always" => {
            errors.push(FieldError::required(&policy.path, "valid values: \"OnFailure\", \"Never\""));
        }
        _ => errors.extend(policy.one_of(&["OnFailure", "Never"])),
    }
    errors
}

/// What is to be done about which failures.
fn failure_policy(spec: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for rule in spec.field("podFailurePolicy").field("rules").items() {
        errors.extend(rule.field("action").one_of(&["Count", "FailIndex", "FailJob", "Ignore"]));
        let (codes, conditions) = (rule.field("onExitCodes"), rule.field("onPodConditions"));
        if codes.value.is_null() && conditions.is_empty() {
            let why = "specifying one of OnExitCodes and OnPodConditions is required";
            errors.push(FieldError::invalid_alone(&rule.path, why));
        } else if !codes.value.is_null() && !conditions.is_empty() {
            let why = "specifying both OnExitCodes and OnPodConditions is not supported";
            errors.push(FieldError::invalid_alone(&rule.path, why));
        }
        if !codes.value.is_null() {
            errors.extend(exit_codes(&codes));
        }
    }
    errors
}

fn exit_codes(codes: &Field<'_>) -> Vec<FieldError> {
    let (operator, values) = (codes.field("operator"), codes.field("values"));
    let mut errors: Vec<FieldError> = operator.one_of(&["In", "NotIn"]).into_iter().collect();
    if values.is_empty() {
        errors.push(FieldError::invalid(&values.path, "[]", "at least one value is required"));
    }
    let mut seen: Vec<&Value> = Vec::new();
    for value in values.items() {
        if value.value.as_i64() == Some(0) && operator.text() == "In" {
            errors.push(value.wrong("must not be 0 for the In operator"));
        }
        if seen.contains(&value.value) {
            errors.push(FieldError::duplicate(&value.path, &value.value.to_string()));
        }
        seen.push(value.value);
    }
    errors
}

/// What is wrong with a ReplicationController.
pub(super) fn replication_controller(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let mut errors: Vec<FieldError> =
        ["minReadySeconds", "replicas"].iter().filter_map(|it| spec.field(it).not_negative()).collect();
    let (selector, template) = (spec.field("selector"), spec.field("template"));
    errors.extend(selector.required());
    errors.extend(template.required());
    if !template.is_empty() {
        errors.extend(template_errors(&template));
    }
    errors
}

/// What is wrong with a CronJob.
pub(super) fn cron_job(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let schedule = spec.field("schedule");
    let mut errors = Vec::new();
    if schedule.text().contains("TZ") {
        errors.push(schedule.wrong_text("cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
    } else if let Some(why) = cron_schedule::problem(schedule.text()).filter(|_| !schedule.is_empty()) {
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
    let spec = Field::of(object, "spec");
    let duration = spec.field("leaseDurationSeconds");
    let is_none = duration.value.as_i64().is_some_and(|seconds| seconds <= 0);
    let mut errors: Vec<FieldError> = is_none.then(|| duration.wrong("must be greater than 0")).into_iter().collect();
    errors.extend(spec.field("leaseTransitions").not_negative());
    errors
}

/// Its jobs get eleven characters more, and their names have to be labels.
const CRON_JOB_NAME_MAX: usize = 52;
