//! Ingresses: hosts and paths, and the services behind them.

use std::net::IpAddr;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::names;
use crate::response::status::FieldError;
use crate::response::table::cells::{self, items, said, shortened};
use crate::response::table::columns::Column;

/// The strategy of Ingresses.
#[derive(Debug)]
pub(super) struct Ingresses;

impl Strategy for Ingresses {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn warnings(&self, before: Option<&Object>, object: &Object) -> Vec<String> {
        let annotation = "kubernetes.io/ingress.class";
        let is_annotated = object.metadata().get("annotations").is_some_and(|all| all.get(annotation).is_some());
        let is_old = before.is_none() && is_annotated && object.at("/spec/ingressClassName").is_none();
        let why = format!("annotation {annotation:?} is deprecated, please use 'spec.ingressClassName' instead");
        is_old.then_some(why).into_iter().collect()
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::text("Class", ".spec.ingressClassName", "<none>"),
            Column::computed("Hosts", hosts),
            Column::computed("Address", cells::load_balancer),
            Column::computed("Ports", ports),
            Column::age(),
        ]
    }
}

/// What is wrong with an Ingress.
fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let (rules, default) = (spec.field("rules"), spec.field("defaultBackend"));
    let mut errors = Vec::new();
    if rules.is_empty() && default.value.is_null() {
        let why = "either `defaultBackend` or `rules` must be specified";
        errors.push(FieldError::invalid(&spec.path, "null", why));
    }
    if !default.value.is_null() {
        errors.extend(backend(&default));
    }
    errors.extend(rules.items().flat_map(|rule| rule_errors(&rule)));
    for tls in spec.field("tls").items() {
        errors.extend(tls.field("hosts").items().flat_map(|host| host_errors(&host)));
        errors.extend(tls.field("secretName").subdomain());
    }
    errors.extend(spec.field("ingressClassName").subdomain());
    errors
}

fn rule_errors(rule: &Field<'_>) -> Vec<FieldError> {
    let host = rule.field("host");
    let mut errors = Vec::new();
    if host.text().parse::<IpAddr>().is_ok() {
        errors.push(host.wrong_text("must be a DNS name, not an IP address"));
    } else {
        errors.extend(host_errors(&host));
    }
    let http = rule.field("http");
    if !http.value.is_null() {
        let paths = http.field("paths");
        errors.extend(paths.required());
        errors.extend(paths.items().flat_map(|path| path_errors(&path)));
    }
    errors
}

fn host_errors(host: &Field<'_>) -> Vec<FieldError> {
    match host.text().contains('*') {
        true => host.named(wildcard),
        false => host.subdomain(),
    }
}

/// Why this is not a domain whose first part is a `*`.
fn wildcard(name: &str) -> Vec<String> {
    if name.strip_prefix("*.").is_some_and(|rest| names::subdomain(rest).is_empty()) {
        return Vec::new();
    }
    vec![
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of \
         lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex \
         used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            .to_owned(),
    ]
}

fn path_errors(path: &Field<'_>) -> Vec<FieldError> {
    let (kind, text) = (path.field("pathType"), path.field("path"));
    let mut errors = Vec::new();
    match kind.text() {
        "" => return vec![FieldError::required(&kind.path, "pathType must be specified")],
        "Exact" | "Prefix" => {
            if !text.text().starts_with('/') {
                errors.push(text.wrong_text("must be an absolute path"));
            }
            if !text.is_empty() {
                for inside in INVALID_INSIDE.iter().filter(|inside| text.text().contains(**inside)) {
                    errors.push(text.wrong_text(&format!("must not contain '{inside}'")));
                }
                for end in INVALID_END.iter().filter(|end| text.text().ends_with(**end)) {
                    errors.push(text.wrong_text(&format!("cannot end with '{end}'")));
                }
            }
        }
        "ImplementationSpecific" => {
            if !text.is_empty() && !text.text().starts_with('/') {
                errors.push(text.wrong_text("must be an absolute path"));
            }
        }
        _ => errors.extend(kind.one_of(&["Exact", "ImplementationSpecific", "Prefix"])),
    }
    errors.extend(backend(&path.field("backend")));
    errors
}

fn backend(backend: &Field<'_>) -> Vec<FieldError> {
    let (resource, service) = (backend.field("resource"), backend.field("service"));
    match (resource.value, service.value) {
        (Value::Null, Value::Null) => {
            vec![FieldError::invalid(&backend.path, "\"\"", "resource or service backend is required")]
        }
        (Value::Null, _) => service_backend(backend, &service),
        (_, Value::Null) => {
            let mut errors: Vec<FieldError> =
                ["kind", "name"].iter().filter_map(|field| resource.field(field).required()).collect();
            errors.extend(resource.field("kind").named(names::path_segment));
            errors
        }
        _ => vec![FieldError::invalid(&backend.path, "\"\"", "cannot set both resource and service backends")],
    }
}

fn service_backend(backend: &Field<'_>, service: &Field<'_>) -> Vec<FieldError> {
    let (name, port) = (service.field("name"), service.field("port"));
    let mut errors: Vec<FieldError> = name.required().into_iter().collect();
    errors.extend(name.label());
    let (port_name, number) = (port.field("name"), port.field("number"));
    let has_number = number.value.as_i64().unwrap_or_default() != 0;
    match (!port_name.is_empty(), has_number) {
        (true, true) => {
            errors.push(FieldError::invalid(&backend.path, &go_port(&port), "cannot set both port name & port number"));
        }
        (true, false) => errors.extend(port_name.named(names::port_name)),
        (false, true) => errors.extend(number.between(1, 65535)),
        (false, false) => {
            errors.push(FieldError::required(&backend.path, "port name or number is required"));
        }
    }
    errors
}

fn go_port(port: &Field<'_>) -> String {
    let number = port.field("number").value.as_i64().unwrap_or_default();
    format!("{{\"Name\":{},\"Number\":{number}}}", Value::from(port.field("name").text()))
}

fn hosts(ingress: &Value) -> Value {
    let all: Vec<String> =
        items(ingress, "/spec/rules").map(|rule| said(rule, "/host").to_owned()).filter(|it| !it.is_empty()).collect();
    if all.is_empty() { "*".into() } else { shortened(&all, 3) }
}

fn ports(ingress: &Value) -> Value {
    if items(ingress, "/spec/tls").next().is_some() { "80, 443" } else { "80" }.into()
}

/// What the path of an ingress may not have anywhere, and not at its end.
const INVALID_INSIDE: &[&str] = &["//", "/./", "/../", "%2f", "%2F"];
const INVALID_END: &[&str] = &["/..", "/."];
