//! Jobs: pods that run until enough of them have succeeded.
//!
//! What a Job and the template of a CronJob have in common is in [`spec_errors`].

use serde_json::{Map, Value, json};

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::subresources::selector;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{self, ImmutableFields, Printed};
use crate::registry::validation::rules::{self, Rule, Rules};
use crate::registry::validation::{at, go_json, label_selector, pod_template, pod_warnings};
use crate::response::status::{Answer, FieldError};
use crate::response::table::age;
use crate::response::table::cells::{items, number, said};
use crate::response::table::columns::{self, Column};
use crate::storage::selectable_fields;

/// The strategy of Jobs.
#[derive(Debug)]
pub(super) struct Jobs;

impl Strategy for Jobs {
    fn prepare_for_create(&self, _: &ClusterSnapshot, _: &ResolvedTarget, job: &mut Object) -> Answer<()> {
        generate_selector(job);
        Ok(())
    }

    fn validate(&self, _: &Kind, job: &Object) -> Vec<FieldError> {
        made_labels(job).into_iter().chain(chosen_selector(job)).chain(errors(job)).collect()
    }

    fn validate_update(&self, _: &Kind, before: &Object, job: &Object) -> Vec<FieldError> {
        let mut errors = errors(job);
        errors.extend(completions_error(before, job));
        let fixed = IMMUTABLE.iter().filter(|(path, _)| !(*path == "spec.template" && is_suspended(before)));
        errors.extend(immutable::errors(before, job, fixed));
        errors
    }

    fn warnings(&self, before: Option<&Object>, object: &Object) -> Vec<String> {
        pod_warnings::of_controller(before, object, &["spec", "template"])
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        let own = vec![
            Column::name(),
            Column::computed("Status", status),
            Column::computed("Completions", completions),
            Column::computed_at("Duration", duration),
            Column::age(),
        ];
        [own, columns::of_template(), vec![columns::selector()]].concat()
    }

    fn selectable_field(&self, job: &Value, field: &str) -> String {
        selectable_fields::text_or(job, field, "status.successful", "0")
    }
}

/// A job that does not choose its pods finds them by its uid.
fn generate_selector(job: &mut Object) {
    let (name, uid) = (job.name().to_owned(), job.meta("uid").to_owned());
    if job.get("spec").and_then(|spec| spec.get("manualSelector")) == Some(&Value::Bool(true)) {
        return;
    }
    let mut labels = Map::new();
    for (key, value) in [("controller-uid", &uid), ("job-name", &name)] {
        labels.insert(key.to_owned(), value.as_str().into());
        labels.insert(format!("batch.kubernetes.io/{key}"), value.as_str().into());
    }
    job.change_field("spec", |spec| {
        let selector = spec.entry("selector").or_insert_with(|| json!({}));
        if !selector["matchLabels"].is_object() {
            selector["matchLabels"] = json!({});
        }
        selector["matchLabels"]["batch.kubernetes.io/controller-uid"] = uid.as_str().into();
        let template = spec.entry("template").or_insert_with(|| json!({}));
        if !template["metadata"]["labels"].is_object() {
            template["metadata"]["labels"] = json!({});
        }
        for (key, value) in &labels {
            // One that says otherwise is refused, not put right.
            let said = &mut template["metadata"]["labels"][key.as_str()];
            if said.is_null() {
                *said = value.clone();
            }
        }
    });
    if job.metadata().get("labels").and_then(Value::as_object).is_none_or(Map::is_empty) {
        job.set_meta("labels", labels);
    }
}

/// What is wrong with a Job, new or not.
fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let (asked, labels) = (spec.field("selector"), spec.field("template").field("metadata").field("labels"));
    let mut errors = if asked.value.is_null() {
        vec![FieldError::required(&asked.path, "")]
    } else {
        label_selector::errors(&asked)
    };
    let is_selector = asked.value.is_null() || errors.is_empty();
    errors.extend(spec_errors(&spec));
    if is_selector && (asked.value.is_null() || !selector::matches(asked.value, Some(labels.value))) {
        errors.push(labels.wrong("`selector` does not match template `labels`"));
    }
    errors
}

/// The labels by which pods are known to be those of a new Job are the Job's.
fn made_labels(object: &Object) -> Vec<FieldError> {
    if Field::of(object, "spec").field("manualSelector").value == &Value::Bool(true) {
        return Vec::new();
    }
    let labels = Field::of(object, "spec").field("template").field("metadata").field("labels");
    let expected = [("controller-uid", object.meta("uid")), ("job-name", object.name())];
    let prefixed = |prefix: &'static str| expected.iter().map(move |(key, value)| (format!("{prefix}{key}"), *value));
    let wrong = prefixed("").chain(prefixed("batch.kubernetes.io/")).filter(|(key, value)| labels.value[key] != *value);
    wrong
        .map(|(key, value)| {
            let path = format!("{}[{key}]", labels.path);
            FieldError::invalid(&path, &labels.value.to_string(), &format!("must be '{value}'"))
        })
        .collect()
}

/// A new Job that does not choose its pods has the selector that was made for it.
fn chosen_selector(object: &Object) -> Option<FieldError> {
    let spec = Field::of(object, "spec");
    let generated = json!({"matchLabels": {"batch.kubernetes.io/controller-uid": object.meta("uid")}});
    let is_manual = spec.field("manualSelector").value == &Value::Bool(true);
    let asked = spec.field("selector");
    let error = || FieldError::invalid(&asked.path, &go_json::selector(asked.value), "`selector` not auto-generated");
    (!is_manual && *asked.value != generated).then(error)
}

/// What is wrong with the spec of a Job, wherever it stands.
pub(super) fn spec_errors(spec: &Field<'_>) -> Vec<FieldError> {
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
    // One that tells failures apart has to wait for them.
    let with_policy = !spec.field("podFailurePolicy").value.is_null();
    let known: &[&str] = if with_policy { &["Failed"] } else { &["Failed", "TerminatingOrFailed"] };
    errors.extend(spec.field("podReplacementPolicy").one_of(known));
    let template = spec.field("template");
    errors.extend(pod_template::errors(&template));
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
        if rule.field("action").text() == "FailIndex" && spec.field("backoffLimitPerIndex").value.is_null() {
            let why = "requires the backoffLimitPerIndex to be set";
            errors.push(rule.field("action").wrong_text(why));
        }
        if !codes.value.is_null() {
            errors.extend(exit_codes(&codes, &spec.field("template").field("spec")));
        }
        for condition in conditions.items() {
            errors.extend(rules::errors(&condition, CONDITION));
        }
    }
    errors
}

fn exit_codes(codes: &Field<'_>, pods: &Field<'_>) -> Vec<FieldError> {
    let (operator, values, name) = (codes.field("operator"), codes.field("values"), codes.field("containerName"));
    let mut errors: Vec<FieldError> = operator.one_of(&["In", "NotIn"]).into_iter().collect();
    let containers = ["containers", "initContainers"].into_iter().flat_map(|list| pods.field(list).items());
    let names: Vec<&str> = containers.map(|container| container.field("name").text()).collect();
    if !name.value.is_null() && !names.contains(&name.text()) {
        let why = "must be one of the container or initContainer names in the pod template";
        errors.push(name.wrong_text(why));
    }
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
    if !seen.is_sorted_by_key(|value| value.as_i64()) {
        errors.push(values.wrong("must be ordered"));
    }
    errors
}

const CONDITION: Rules = &[("type", Rule::Key), ("status", Rule::Choice(&["False", "True", "Unknown"]))];

/// Of a job with indexes both numbers may change together, of another neither.
fn completions_error(before: &Object, object: &Object) -> Option<FieldError> {
    let path = "spec.completions";
    let (old, new) = (at(before, path), at(object, path));
    let is_indexed = at(object, "spec.completionMode").is_some_and(|mode| mode == "Indexed");
    if old == new || (is_indexed && new == at(object, "spec.parallelism")) {
        return None;
    }
    let why = "can only be modified in tandem with spec.parallelism";
    let shown = new.cloned().unwrap_or_default().to_string();
    Some(FieldError::invalid(path, &shown, if is_indexed { why } else { "field is immutable" }))
}

/// Where the pods of a job that has not begun may run can still be decided.
fn is_suspended(job: &Object) -> bool {
    at(job, "spec.suspend") == Some(&Value::Bool(true)) && at(job, "status.startTime").is_none()
}

fn status(job: &Value) -> Value {
    let has = |kind: &str| items(job, "/status/conditions").any(|it| it["type"] == kind && it["status"] == "True");
    let known = [
        ("Complete", "Complete"),
        ("Failed", "Failed"),
        ("Suspended", "Suspended"),
        ("FailureTarget", "FailureTarget"),
        ("SuccessCriteriaMet", "SuccessCriteriaMet"),
    ];
    if let Some((_, words)) = known.iter().find(|(kind, _)| has(kind)) {
        return (*words).into();
    }
    if job["metadata"].get("deletionTimestamp").is_some() { "Terminating" } else { "Running" }.into()
}

fn completions(job: &Value) -> Value {
    let done = number(job, "/status/succeeded");
    match (job.pointer("/spec/completions").and_then(Value::as_i64), number(job, "/spec/parallelism")) {
        (Some(all), _) => format!("{done}/{all}").into(),
        (None, parallel) if parallel > 1 => format!("{done}/1 of {parallel}").into(),
        (None, _) => format!("{done}/1").into(),
    }
}

fn duration(job: &Value, now: i64) -> Value {
    let second = |pointer: &str| said(job, pointer).parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second);
    match (second("/status/startTime"), second("/status/completionTime")) {
        (None, _) => "".into(),
        (Some(start), end) => age::in_words(end.unwrap_or(now) - start).into(),
    }
}

const IMMUTABLE: ImmutableFields =
    &[("spec.selector", Printed::Selector), ("spec.template", Printed::Value), ("spec.completionMode", Printed::Value)];
