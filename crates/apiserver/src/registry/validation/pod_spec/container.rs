//! Containers: each on its own, and the names and ports that they must not share.

use serde_json::Value;

use super::mounts::Volumes;
use super::{environment, handlers, is_true, mounts, resources, security};
use crate::registry::validation::field::Field;
use crate::registry::validation::names;
use crate::registry::validation::rules::{self, PORT_MAX, Rule, Rules};
use crate::response::status::FieldError;

/// What is wrong with the containers of a pod, then with those that run before them.
pub(super) fn all(spec: &Field<'_>, volumes: &Volumes<'_>) -> Vec<FieldError> {
    let containers = spec.field("containers");
    let mut errors: Vec<FieldError> = containers.required().into_iter().collect();
    let mut taken = Vec::new();
    for container in containers.items() {
        errors.extend(one(&container, spec, volumes));
        errors.extend(duplicate(&container, &mut taken));
        errors.extend(handlers::of_container(&container, spec));
        errors.extend(restart(&container));
    }
    errors.extend(host_ports(&containers));
    for init in spec.field("initContainers").items() {
        errors.extend(one(&init, spec, volumes));
        errors.extend(duplicate(&init, &mut taken));
        errors.extend(before_others(&init, spec));
        errors.extend(host_ports_of(&init, &mut Vec::new()));
    }
    errors
}

/// What every container has to be.
fn one(container: &Field<'_>, spec: &Field<'_>, volumes: &Volumes<'_>) -> Vec<FieldError> {
    let mut errors = rules::errors(container, NAMES);
    errors.extend(ports(&container.field("ports"), is_true(&spec.field("hostNetwork"))));
    errors.extend(environment::errors(container));
    errors.extend(mounts::errors(container, volumes));
    errors.extend(rules::errors(container, PULLS));
    errors.extend(resources::of_container(container, &spec.field("resourceClaims")));
    errors.extend(resources::resize_policies(&container.field("resizePolicy")));
    errors.extend(security::of_container(container, spec));
    errors
}

/// One that ends before the others begin is not asked how it is.
fn before_others(init: &Field<'_>, spec: &Field<'_>) -> Vec<FieldError> {
    if init.field("restartPolicy").text() == "Always" {
        return handlers::of_container(init, spec);
    }
    let mut errors = rules::errors(init, NOT_BEFORE_OTHERS);
    errors.extend(restart(init));
    errors
}

fn duplicate<'a>(container: &Field<'a>, taken: &mut Vec<&'a str>) -> Option<FieldError> {
    let name = container.field("name");
    let is_taken = !name.is_empty() && taken.contains(&name.text());
    taken.push(name.text());
    is_taken.then(|| FieldError::duplicate(&name.path, &name.value.to_string()))
}

fn ports(ports: &Field<'_>, on_host: bool) -> Vec<FieldError> {
    let (mut errors, mut taken) = (Vec::new(), Vec::new());
    for port in ports.items() {
        let (name, number, host) = (port.field("name"), port.field("containerPort"), port.field("hostPort"));
        let wrong = name.named(names::port_name);
        if wrong.is_empty() && !name.is_empty() {
            if taken.contains(&name.text()) {
                errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
            }
            taken.push(name.text());
        }
        errors.extend(wrong);
        match number.value.as_i64().unwrap_or_default() {
            0 => errors.push(FieldError::required(&number.path, "")),
            _ => errors.extend(number.between(1, PORT_MAX)),
        }
        let asked = host.value.as_i64().unwrap_or_default();
        if asked != 0 {
            errors.extend(host.between(1, PORT_MAX));
            if on_host && (1..=PORT_MAX).contains(&asked) && number.value.as_i64() != Some(asked) {
                errors.push(host.wrong("must match `containerPort` when `hostNetwork` is true"));
            }
        }
        errors.extend(port.field("protocol").one_of(&["SCTP", "TCP", "UDP"]));
    }
    errors
}

/// No two containers that run together have the same port of the host.
fn host_ports(containers: &Field<'_>) -> Vec<FieldError> {
    let mut taken = Vec::new();
    containers.items().flat_map(|container| host_ports_of(&container, &mut taken)).collect()
}

fn host_ports_of(container: &Field<'_>, taken: &mut Vec<String>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for port in container.field("ports").items() {
        let host = port.field("hostPort");
        let number = host.value.as_i64().unwrap_or_default();
        let spot = format!("{}/{}/{number}", port.field("protocol").text(), port.field("hostIP").text());
        if number != 0 && taken.contains(&spot) {
            errors.push(FieldError::duplicate(&host.path, &Value::from(spot.as_str()).to_string()));
        }
        taken.push(spot);
    }
    errors
}

/// When a container is started again, where that is not up to its pod.
fn restart(container: &Field<'_>) -> Vec<FieldError> {
    let (policy, rules) = (container.field("restartPolicy"), container.field("restartPolicyRules"));
    let mut errors = Vec::new();
    if policy.value.is_null() {
        if !rules.is_empty() {
            let why = "must specify restartPolicy when restart rules are used";
            errors.push(FieldError::required(&policy.path, why));
        }
        return errors;
    }
    errors.extend(Rule::Choice(&["Always", "Never", "OnFailure"]).errors(&policy));
    for rule in rules.items() {
        errors.extend(Rule::Choice(&["Restart", "RestartAllContainers"]).errors(&rule.field("action")));
        let codes = rule.field("exitCodes");
        if codes.value.is_null() {
            errors.push(FieldError::required(&codes.path, "must be specified"));
        } else {
            errors.extend(Rule::Choice(&["In", "NotIn"]).errors(&codes.field("operator")));
        }
    }
    errors
}

const NAMES: Rules = &[
    ("name", Rule::Required),
    ("name", Rule::Label),
    ("image", Rule::Required),
    ("terminationMessagePolicy", Rule::OneOf(&["File", "FallbackToLogsOnError"])),
];

const PULLS: Rules = &[("imagePullPolicy", Rule::OneOf(&["Always", "IfNotPresent", "Never"]))];

const NOT_ASKED: Rule = Rule::Forbidden("may not be set for init containers without restartPolicy=Always");

const NOT_BEFORE_OTHERS: Rules = &[
    ("lifecycle", NOT_ASKED),
    ("livenessProbe", NOT_ASKED),
    ("readinessProbe", NOT_ASKED),
    ("startupProbe", NOT_ASKED),
];
