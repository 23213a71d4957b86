//! Services: ports with distinct names and numbers, and what each type may have.

use std::net::IpAddr;

use serde_json::Value;

use crate::codec::object::Object;
use crate::registry::validation::field::Field;
use crate::registry::validation::rules::{self, Rule, Rules};
use crate::registry::validation::{cidr, ip_address, metadata, names};
use crate::response::status::FieldError;

/// What is wrong with a Service.
pub(super) fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let (kind, ports, address) = (spec.field("type"), spec.field("ports"), spec.field("clusterIP"));
    let is_headless = address.text() == "None";
    let mut errors = Vec::new();
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
    errors.extend(all_ports(&ports));
    errors.extend(metadata::labels("spec.selector", Some(spec.field("selector").value)));
    errors.extend(affinity(&spec));
    errors.extend(kind.one_of(TYPES));
    errors.extend(spec.field("externalIPs").items().filter_map(|address| external_address(&address)));
    errors.extend(numbers(&spec));
    errors.extend(balancing(&spec));
    errors.extend(traffic(&spec));
    errors
}

fn all_ports(ports: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, count) = (Vec::new(), ports.items().count());
    let mut taken = Vec::new();
    for port in ports.items() {
        let name = port.field("name");
        errors.extend(name.required().filter(|_| count > 1));
        errors.extend(name.label());
        if !name.is_empty() && taken.contains(&name.text()) {
            errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        }
        taken.push(name.text());
        errors.extend(Rule::Port.errors(&port.field("port")));
        errors.extend(port.field("protocol").one_of(&["SCTP", "TCP", "UDP"]));
        // One that is left out is the port's own, whatever that is worth.
        let target = port.field("targetPort");
        let own = port.field("port");
        let target = if target.value.is_null() { Field { path: target.path, ..own } } else { target };
        errors.extend(Rule::Port.errors(&target));
        let protocol = port.field("appProtocol");
        if !protocol.value.is_null() {
            errors.extend(Rule::Key.errors(&protocol));
        }
    }
    errors
}

fn affinity(spec: &Field<'_>) -> Vec<FieldError> {
    let kind = spec.field("sessionAffinity");
    let mut errors: Vec<FieldError> = kind.one_of(&["ClientIP", "None"]).into_iter().collect();
    let seconds = spec.field("sessionAffinityConfig").field("clientIP").field("timeoutSeconds");
    let is_wrong = seconds.value.as_i64().is_some_and(|seconds| !(1..=AFFINITY_SECONDS_MAX).contains(&seconds));
    if kind.text() == "ClientIP" && is_wrong {
        errors.push(seconds.wrong("must be greater than 0 and less than 86400"));
    }
    errors
}

fn external_address(address: &Field<'_>) -> Option<FieldError> {
    match address.text().parse::<IpAddr>() {
        Err(_) => Some(address.wrong_text(ip_address::REFUSED)),
        Ok(parsed) => ip_address::unusual(address, parsed),
    }
}

/// Numbers that nobody else has, in the Service and on nodes.
fn numbers(spec: &Field<'_>) -> Vec<FieldError> {
    let (ports, is_inside) = (spec.field("ports"), spec.field("type").text() == "ClusterIP");
    let node_port = |port: &Field<'_>| port.field("nodePort").value.as_i64().unwrap_or_default();
    let (mut on_nodes, mut inside) = (Vec::new(), Vec::new());
    for (index, port) in ports.items().enumerate() {
        let number = port.field("nodePort");
        if is_inside && node_port(&port) != 0 {
            on_nodes.push(number.forbidden("may not be used when `type` is 'ClusterIP'"));
        }
        let same = |other: &Field<'_>| is_same(other, &port, "port") && is_same(other, &port, "protocol");
        if ports.items().take(index).any(|other| same(&other)) {
            inside.push(FieldError::duplicate(&port.path, &go_port(&port)));
        }
    }
    on_nodes.extend(inside);
    on_nodes
}

/// What only a balancer in front of a Service reads.
fn balancing(spec: &Field<'_>) -> Vec<FieldError> {
    let is_balanced = spec.field("type").text() == "LoadBalancer";
    let why = "may only be used when `type` is 'LoadBalancer'";
    // It is called as Go calls it.
    let ranges =
        Field { path: "spec.LoadBalancerSourceRanges".to_owned().into(), ..spec.field("loadBalancerSourceRanges") };
    let mut errors = Vec::new();
    if !is_balanced && !ranges.is_empty() {
        errors.push(ranges.forbidden(why));
    }
    errors.extend(ranges.items().filter_map(|range| cidr::strict_error(&range)));
    let (given, class) = (spec.field("allocateLoadBalancerNodePorts"), spec.field("loadBalancerClass"));
    if !is_balanced && !given.value.is_null() {
        errors.push(given.forbidden(why));
    }
    if !class.value.is_null() {
        match is_balanced {
            true => errors.extend(Rule::Key.errors(&class)),
            false => errors.push(class.forbidden(why)),
        }
    }
    errors
}

/// Which endpoints traffic goes to.
fn traffic(spec: &Field<'_>) -> Vec<FieldError> {
    let (outside, health) = (spec.field("externalTrafficPolicy"), spec.field("healthCheckNodePort"));
    let kind = spec.field("type").text();
    let is_reached =
        matches!(kind, "NodePort" | "LoadBalancer") || kind == "ClusterIP" && !spec.field("externalIPs").is_empty();
    let mut errors = Vec::new();
    match () {
        () if outside.is_empty() => {}
        () if !is_reached => errors.push(outside.wrong_text("may only be set for externally-accessible services")),
        () => errors.extend(outside.one_of(&["Cluster", "Local"])),
    }
    let port = health.value.as_i64().unwrap_or_default();
    if port != 0 && (kind != "LoadBalancer" || outside.text() != "Local") {
        let why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        errors.push(health.wrong(why));
    } else if port != 0 {
        errors.extend(health.between(1, rules::PORT_MAX));
    }
    errors.extend(rules::errors(spec, INSIDE));
    errors
}

fn external_name(spec: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (said, shown) in
        [("clusterIP", "clusterIPs"), ("ipFamilies", "ipFamilies"), ("ipFamilyPolicy", "ipFamilyPolicy")]
    {
        if !spec.field(said).is_empty() {
            errors.push(spec.field(shown).forbidden("may not be set for ExternalName services"));
        }
    }
    let name = spec.field("externalName");
    errors.extend(name.required());
    // A trailing dot is how a resolver writes a name that is complete.
    let wrong = if name.is_empty() { Vec::new() } else { names::subdomain(name.text().trim_end_matches('.')) };
    errors.extend(wrong.iter().map(|why| name.wrong_text(why)));
    errors
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

const INSIDE: Rules = &[
    ("internalTrafficPolicy", Rule::OneOf(&["Cluster", "Local"])),
    ("trafficDistribution", Rule::OneOf(&["PreferClose", "PreferSameZone", "PreferSameNode"])),
];

/// A day.
const AFFINITY_SECONDS_MAX: i64 = 86_400;
