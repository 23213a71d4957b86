//! Services: ports with distinct names and numbers, addresses that fit the type.

use std::net::IpAddr;

use serde_json::Value;

use crate::codec::object::Object;
use crate::registry::validation::field::Field;
use crate::registry::validation::{metadata, names};
use crate::response::status::FieldError;

/// What is wrong with a Service.
pub(super) fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let kind = spec.field("type");
    let mut errors = Vec::new();
    if let Some(error) = kind.one_of(TYPES) {
        return vec![error];
    }
    let (ports, address) = (spec.field("ports"), spec.field("clusterIP"));
    let is_headless = address.text() == "None";
    if !is_headless && kind.text() != "ExternalName" {
        errors.extend(ports.required());
    }
    match kind.text() {
        "NodePort" | "LoadBalancer" if is_headless => {
            let why = format!("may not be set to 'None' for {} services", kind.text());
            errors.push(FieldError::invalid_text("spec.clusterIPs[0]", "None", &why));
        }
        "ExternalName" => errors.extend(external_name(&spec)),
        _ => {}
    }
    let count = ports.items().count();
    for (index, port) in ports.items().enumerate() {
        errors.extend(port_errors(&port, count > 1));
        if ports.items().take(index).any(|other| is_same(&other, &port, "name") && !port.field("name").is_empty()) {
            let name = port.field("name");
            errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        }
    }
    errors.extend(metadata::labels("spec.selector", Some(spec.field("selector").value)));
    errors.extend(spec.field("sessionAffinity").one_of(&["ClientIP", "None"]));
    errors.extend(address_errors(&address));
    for (index, port) in ports.items().enumerate() {
        if kind.text() == "ClusterIP" && port.field("nodePort").value.as_i64().unwrap_or_default() != 0 {
            errors.push(port.field("nodePort").forbidden("may not be used when `type` is 'ClusterIP'"));
        }
        let same = |other: &Field<'_>| is_same(other, &port, "port") && is_same(other, &port, "protocol");
        if ports.items().take(index).any(|other| same(&other)) {
            errors.push(FieldError::duplicate(&port.path, &go_port(&port)));
        }
    }
    errors
}

fn port_errors(port: &Field<'_>, needs_name: bool) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let name = port.field("name");
    errors.extend(name.required().filter(|_| needs_name));
    errors.extend(name.label());
    let number = port.field("port");
    match number.value.as_i64() {
        Some(1..=65535) => {}
        _ => errors.push(FieldError::invalid(
            &number.path,
            &number.value.as_i64().unwrap_or_default().to_string(),
            "must be between 1 and 65535, inclusive",
        )),
    }
    errors.extend(port.field("protocol").one_of(&["SCTP", "TCP", "UDP"]));
    let target = port.field("targetPort");
    errors.extend(target.between(1, 65535));
    errors.extend(target.named(names::port_name));
    errors
}

fn external_name(spec: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if !spec.field("clusterIP").is_empty() {
        errors.push(spec.field("clusterIPs").forbidden("may not be set for ExternalName services"));
    }
    let name = spec.field("externalName");
    errors.extend(name.required());
    // A trailing dot is how a resolver writes a name that is complete.
    let wrong = if name.is_empty() { Vec::new() } else { names::subdomain(name.text().trim_end_matches('.')) };
    errors.extend(wrong.iter().map(|why| name.wrong_text(why)));
    errors
}

fn address_errors(address: &Field<'_>) -> Option<FieldError> {
    let text = address.text();
    let is_good = matches!(text, "" | "None") || text.parse::<IpAddr>().is_ok();
    let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    (!is_good).then(|| FieldError::invalid_text("spec.clusterIPs[0]", text, why))
}

fn is_same(one: &Field<'_>, other: &Field<'_>, field: &str) -> bool {
    one.field(field).value == other.field(field).value
}

/// A port that is there twice, of which Go shows what counts.
fn go_port(port: &Field<'_>) -> String {
    let value = |field: &str| port.field(field).value.clone();
    let protocol = Some(value("protocol")).filter(|protocol| !protocol.is_null()).unwrap_or_else(|| Value::from(""));
    format!(
        "{{\"Name\":\"\",\"Protocol\":{protocol},\"AppProtocol\":null,\"Port\":{},\"TargetPort\":0,\"NodePort\":0}}",
        value("port")
    )
}

const TYPES: &[&str] = &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
