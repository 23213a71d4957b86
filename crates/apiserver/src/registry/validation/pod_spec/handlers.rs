//! Probes and hooks: exactly one thing to do each, and when.

use crate::registry::validation::field::Field;
use crate::registry::validation::rules::{self, Rule, Rules};
use crate::response::status::FieldError;

/// What is wrong with the hooks and probes of a container.
pub(super) fn of_container(container: &Field<'_>, pod: &Field<'_>) -> Vec<FieldError> {
    let grace = pod.field("terminationGracePeriodSeconds").value.as_i64().unwrap_or(GRACE_SECONDS);
    let hooks = ["postStart", "preStop"].map(|hook| container.field("lifecycle").field(hook));
    let hooks = hooks.iter().filter(|hook| !hook.value.is_null()).flat_map(|hook| handler(hook, HOOKS, grace));
    let probes = PROBES.iter().flat_map(|(name, sort)| probe(&container.field(name), *sort));
    hooks.chain(probes).collect()
}

/// What a probe is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Restarts its container.
    Restarts,
    /// Takes it out of service.
    Serves,
}

const PROBES: [(&str, Sort); 3] =
    [("livenessProbe", Sort::Restarts), ("readinessProbe", Sort::Serves), ("startupProbe", Sort::Restarts)];

fn probe(probe: &Field<'_>, sort: Sort) -> Vec<FieldError> {
    if probe.value.is_null() {
        return Vec::new();
    }
    let mut errors = handler(probe, CHECKS, 0);
    errors.extend(rules::errors(probe, TIMES));
    let (threshold, grace) = (probe.field("successThreshold"), probe.field("terminationGracePeriodSeconds"));
    match sort {
        Sort::Restarts if threshold.value.as_i64().is_some_and(|times| times != 1) => {
            errors.push(threshold.wrong("must be 1"));
        }
        Sort::Serves if !grace.value.is_null() => errors.push(grace.wrong("must not be set for readinessProbes")),
        Sort::Restarts | Sort::Serves => {}
    }
    errors
}

/// Exactly one of the things that can be done.
fn handler(place: &Field<'_>, known: &[&str], grace: i64) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut said = known.iter().map(|name| (*name, place.field(name))).filter(|(_, action)| !action.value.is_null());
    let Some((name, first)) = said.next() else {
        return vec![FieldError::required(&place.path, "must specify a handler type")];
    };
    errors.extend(action(name, &first, grace));
    errors.extend(said.map(|(_, more)| more.forbidden("may not specify more than 1 handler type")));
    errors
}

fn action(name: &str, action: &Field<'_>, grace: i64) -> Vec<FieldError> {
    match name {
        "exec" => rules::errors(action, &[("command", Rule::Required)]),
        "httpGet" => {
            let mut errors = rules::errors(action, HTTP);
            errors.extend(action.field("httpHeaders").items().filter_map(|header| {
                let name = header.field("name").text();
                let is_good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
                let is_wrong = name.is_empty() || !name.bytes().all(is_good);
                is_wrong.then(|| FieldError::invalid_text(&action.field("httpHeaders").path, name, HEADER))
            }));
            errors
        }
        "sleep" => {
            let seconds = action.field("seconds").value.as_i64().unwrap_or_default();
            let why = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
            let is_wrong = seconds < 0 || seconds > grace;
            is_wrong.then(|| FieldError::invalid(&action.path, &seconds.to_string(), &why)).into_iter().collect()
        }
        _ => rules::errors(action, &[("port", Rule::Port)]),
    }
}

/// In the order in which they are looked for.
const HOOKS: &[&str] = &["exec", "httpGet", "tcpSocket", "sleep"];
const CHECKS: &[&str] = &["exec", "httpGet", "tcpSocket", "grpc"];

const TIMES: Rules = &[
    ("initialDelaySeconds", Rule::NotNegative),
    ("timeoutSeconds", Rule::NotNegative),
    ("periodSeconds", Rule::NotNegative),
    ("successThreshold", Rule::NotNegative),
    ("failureThreshold", Rule::NotNegative),
    ("terminationGracePeriodSeconds", Rule::Positive("must be greater than 0")),
];

const HTTP: Rules = &[("path", Rule::Required), ("port", Rule::Port), ("scheme", Rule::OneOf(&["HTTP", "HTTPS"]))];

const HEADER: &str = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for \
                      validation is '[-A-Za-z0-9]+')";

/// What a pod that does not say has.
const GRACE_SECONDS: i64 = 30;
