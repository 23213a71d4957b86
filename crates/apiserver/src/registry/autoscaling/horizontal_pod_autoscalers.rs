//! HorizontalPodAutoscalers: how many replicas there may be, and what that follows.

mod columns;

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::codec::conversion::{self, Shapes};
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::names;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy of HorizontalPodAutoscalers.
#[derive(Debug)]
pub(super) struct HorizontalPodAutoscalers;

impl Strategy for HorizontalPodAutoscalers {
    fn shapes(&self) -> Shapes {
        Shapes::Autoscalers
    }

    fn complete_body(&self, target: &ResolvedTarget, object: &mut Object) {
        if target.subresource.is_none() {
            conversion::complete_autoscaler(&target.kind, object);
        }
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        columns::all()
    }
}

/// What is wrong with a HorizontalPodAutoscaler.
fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let (least, most) = (spec.field("minReplicas"), spec.field("maxReplicas"));
    let number = |spot: &Field<'_>| spot.value.as_i64().unwrap_or_default();
    let mut errors = Vec::new();
    errors.extend(least.not_negative());
    let shown = |why: &str| FieldError::invalid(&most.path, &number(&most).to_string(), why);
    if number(&most) < 0 {
        errors.push(shown("must be greater than 0"));
    }
    // One is what is meant where nothing is said.
    if number(&most) < least.value.as_i64().unwrap_or(1) {
        errors.push(shown("must be greater than or equal to `minReplicas`"));
    }
    let target = spec.field("scaleTargetRef");
    errors.extend(reference(&target));
    let version = target.field("apiVersion");
    if !version.text().contains('/') && target.field("kind").text() != "ReplicationController" {
        let why = "apiVersion must specify API group";
        errors.push(FieldError::invalid_text(&version.path, version.text(), why));
    }
    errors.extend(spec.field("metrics").items().flat_map(|metric| metric_errors(&metric)));
    let behavior = spec.field("behavior");
    for direction in ["scaleUp", "scaleDown"] {
        let rules = behavior.field(direction);
        if !rules.value.is_null() {
            errors.extend(scaling_rules(&rules));
        }
    }
    let mut kinds = spec.field("metrics").items().map(|metric| metric.field("type").text());
    if least.value.as_i64() == Some(0) && !kinds.any(|kind| matches!(kind, "Object" | "External")) {
        let why = "must specify at least one Object or External metric to support scaling to zero replicas";
        errors.push(FieldError::forbidden("spec.metrics", why));
    }
    // What has to be there at all is looked for last.
    if number(&most) == 0 {
        errors.push(FieldError::required(&most.path, ""));
    }
    errors
}

fn reference(target: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for field in ["kind", "name"] {
        let spot = target.field(field);
        match spot.required() {
            Some(error) => errors.push(error),
            None => errors.extend(spot.named(names::path_segment)),
        }
    }
    errors
}

fn metric_errors(metric: &Field<'_>) -> Vec<FieldError> {
    let kind = metric.field("type");
    if let Some(error) = kind.required_because("must specify a metric source type") {
        return vec![error];
    }
    let sources = [("Object", "object"), ("Pods", "pods"), ("Resource", "resource"), ("External", "external")];
    let sources = sources.iter().chain(&[("ContainerResource", "containerResource")]);
    let Some((_, field)) = sources.clone().find(|(name, _)| *name == kind.text()) else {
        return kind.one_of(&["ContainerResource", "External", "Object", "Pods", "Resource"]).into_iter().collect();
    };
    let mut errors = Vec::new();
    let source = metric.field(field);
    if source.value.is_null() {
        let why = "must populate information for the given metric source";
        errors.push(FieldError::required(&source.path, why));
    } else {
        errors.extend(source_errors(&source, field));
    }
    for (_, other) in sources.filter(|(_, other)| other != field) {
        let other = metric.field(other);
        if !other.value.is_null() {
            errors.push(other.forbidden("must populate the given metric source only"));
        }
    }
    errors
}

fn source_errors(source: &Field<'_>, field: &str) -> Vec<FieldError> {
    let target = source.field("target");
    let has = |field: &str| !target.field(field).value.is_null();
    let mut errors = Vec::new();
    match field {
        "object" => errors.extend(reference(&source.field("describedObject"))),
        "resource" | "containerResource" => {
            errors.extend(source.field("name").required_because("must specify a resource name"));
        }
        _ => {}
    }
    if matches!(field, "object" | "pods" | "external") {
        let name = source.field("metric").field("name");
        match name.required_because("must specify a metric name") {
            Some(error) => errors.push(error),
            None => errors.extend(name.named(names::path_segment)),
        }
    }
    errors.extend(target_errors(&target));
    let missing = |errors: &mut Vec<FieldError>, field: &str, why: &str| {
        errors.push(FieldError::required(&target.field(field).path, why));
    };
    match field {
        "object" if !has("value") && !has("averageValue") => {
            missing(&mut errors, "averageValue", "must set either a target value or averageValue");
        }
        "external" if !has("value") && !has("averageValue") => {
            missing(&mut errors, "averageValue", "must set either a target value for metric or a per-pod target");
        }
        "external" if has("value") && has("averageValue") => {
            let why = "may not set both a target value for metric and a per-pod target";
            errors.push(target.field("value").forbidden(why));
        }
        "pods" if !target.field("averageValue").value.is_string() => {
            missing(&mut errors, "averageValue", "must specify a positive target averageValue");
        }
        "resource" | "containerResource" if !has("averageUtilization") && !has("averageValue") => {
            let why = "must set either a target raw value or a target utilization";
            missing(&mut errors, "averageUtilization", why);
        }
        "resource" | "containerResource" if has("averageUtilization") && has("averageValue") => {
            let why = "may not set both a target raw value and a target utilization";
            errors.push(target.field("averageValue").forbidden(why));
        }
        _ => {}
    }
    errors
}

fn target_errors(target: &Field<'_>) -> Vec<FieldError> {
    let kind = target.field("type");
    let mut errors = Vec::new();
    match kind.required_because("must specify a metric target type") {
        Some(error) => errors.push(error),
        None if kind.one_of(&["Utilization", "Value", "AverageValue"]).is_some() => {
            errors.push(kind.wrong_text("must be either Utilization, Value, or AverageValue"));
        }
        None => {}
    }
    for field in ["value", "averageValue"] {
        let amount = target.field(field);
        let is_positive = !(amount.text() == "0" || amount.text().starts_with('-'));
        if amount.value.is_string() && !is_positive {
            errors.push(amount.wrong("must be positive"));
        }
    }
    let share = target.field("averageUtilization");
    if share.value.as_i64().is_some_and(|share| share < 1) {
        errors.push(share.wrong("must be greater than 0"));
    }
    errors
}

fn scaling_rules(rules: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let window = rules.field("stabilizationWindowSeconds");
    match window.value.as_i64() {
        Some(..0) => errors.push(window.wrong("must be greater than or equal to zero")),
        Some(seconds) if seconds > WINDOW_SECONDS_MAX => {
            errors.push(window.wrong(&format!("must be less than or equal to {WINDOW_SECONDS_MAX}")));
        }
        _ => {}
    }
    errors.extend(rules.field("selectPolicy").one_of(&["Disabled", "Max", "Min"]));
    let policies = rules.field("policies");
    errors.extend(policies.required_because("must specify at least one Policy"));
    for policy in policies.items() {
        errors.extend(policy.field("type").one_of(&["Percent", "Pods"]));
        for (field, most) in [("value", i64::MAX), ("periodSeconds", PERIOD_SECONDS_MAX)] {
            let spot = policy.field(field);
            let number = spot.value.as_i64().unwrap_or_default();
            if number <= 0 {
                errors.push(FieldError::invalid(&spot.path, &number.to_string(), "must be greater than zero"));
            } else if number > most {
                errors.push(spot.wrong(&format!("must be less than or equal to {most}")));
            }
        }
    }
    errors
}

/// kube-apiserver's limits: an hour, half an hour.
const WINDOW_SECONDS_MAX: i64 = 3600;
const PERIOD_SECONDS_MAX: i64 = 1800;
