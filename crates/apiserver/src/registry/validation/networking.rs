//! Ingresses, network policies and slices of endpoints: hosts, paths, ports and addresses that can exist.

use std::net::IpAddr;

use serde_json::Value;

use super::field::Field;
use super::{metadata, qualified_names, workloads};
use crate::codec::object::Object;
use crate::registry::validation::names;
use crate::response::status::FieldError;

/// What is wrong with an Ingress.
pub(super) fn ingress(object: &Object) -> Vec<FieldError> {
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
    errors.extend(rules.items().flat_map(|rule| ingress_rule(&rule)));
    for tls in spec.field("tls").items() {
        errors.extend(tls.field("hosts").items().flat_map(|host| host_errors(&host)));
        errors.extend(tls.field("secretName").subdomain());
    }
    errors.extend(spec.field("ingressClassName").subdomain());
    errors
}

fn ingress_rule(rule: &Field<'_>) -> Vec<FieldError> {
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
        errors.extend(paths.items().flat_map(|path| ingress_path(&path)));
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

fn ingress_path(path: &Field<'_>) -> Vec<FieldError> {
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

/// What is wrong with an IngressClass.
pub(super) fn ingress_class(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let controller = spec.field("controller");
    let mut errors = Vec::new();
    if controller.text().len() > CONTROLLER_BYTES_MAX {
        errors.push(FieldError::too_long(&controller.path, CONTROLLER_BYTES_MAX));
    }
    errors.extend(domain_prefixed_path(&controller));
    let parameters = spec.field("parameters");
    if !parameters.value.is_null() {
        errors.extend(["kind", "name"].iter().filter_map(|field| parameters.field(field).required()));
    }
    errors
}

fn domain_prefixed_path(spot: &Field<'_>) -> Vec<FieldError> {
    if let Some(error) = spot.required() {
        return vec![error];
    }
    match spot.text().split_once('/') {
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            names::subdomain(host).iter().map(|why| FieldError::invalid_text(&spot.path, host, why)).collect()
        }
        _ => vec![spot.wrong_text("must be a domain-prefixed path (such as \"acme.io/foo\")")],
    }
}

/// What is wrong with a NetworkPolicy.
pub(super) fn policy(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let mut errors = workloads::selector_errors(&spec.field("podSelector"));
    for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
        for rule in spec.field(rules).items() {
            errors.extend(rule.field("ports").items().flat_map(|port| policy_port(&port)));
            errors.extend(rule.field(peers).items().flat_map(|peer| policy_peer(&peer)));
        }
    }
    let types = spec.field("policyTypes");
    if types.items().count() > 2 {
        errors.push(types.wrong("may not specify more than two policyTypes"));
        return errors;
    }
    errors.extend(types.items().filter_map(|kind| kind.one_of(&["Ingress", "Egress"])));
    // What has to be there at all is looked for last.
    for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
        let peers = spec.field(rules).items().flat_map(|rule| rule.field(peers).items().collect::<Vec<_>>());
        let blocks = peers.map(|peer| peer.field("ipBlock")).filter(|block| !block.value.is_null());
        errors.extend(blocks.filter_map(|block| block.field("cidr").required()));
    }
    errors
}

fn policy_port(port: &Field<'_>) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = port.field("protocol").one_of(&["TCP", "UDP", "SCTP"]).into_iter().collect();
    let (number, end) = (port.field("port"), port.field("endPort"));
    match number.value {
        Value::Null => {
            if !end.value.is_null() {
                errors.push(end.wrong("may not be specified when `port` is not specified"));
            }
        }
        Value::Number(_) => {
            errors.extend(number.between(1, 65535));
            if end.value.as_i64().is_some_and(|end| end < number.value.as_i64().unwrap_or_default()) {
                errors.push(end.wrong("must be greater than or equal to `port`"));
            }
        }
        _ => {
            if !end.value.is_null() {
                errors.push(end.wrong("may not be specified when `port` is non-numeric"));
            }
            errors.extend(number.named(names::port_name));
        }
    }
    errors
}

fn policy_peer(peer: &Field<'_>) -> Vec<FieldError> {
    let (pods, spaces, block) = (peer.field("podSelector"), peer.field("namespaceSelector"), peer.field("ipBlock"));
    let count = [&pods, &spaces, &block].iter().filter(|spot| !spot.value.is_null()).count();
    let mut errors = Vec::new();
    if !block.value.is_null() {
        errors.extend(ip_block(&block));
    }
    errors.extend([&pods, &spaces].into_iter().flat_map(|selector| workloads::selector_errors(selector)));
    if count == 0 {
        errors.push(FieldError::required(&peer.path, "must specify a peer"));
    } else if count > 1 && !block.value.is_null() {
        errors.push(peer.forbidden("may not specify both ipBlock and another peer"));
    }
    errors
}

fn ip_block(block: &Field<'_>) -> Vec<FieldError> {
    let cidr = block.field("cidr");
    if cidr.is_empty() {
        return Vec::new();
    }
    let Some((network, length)) = read_cidr(cidr.text()) else {
        return vec![cidr.wrong_text(NO_CIDR)];
    };
    let mut errors = Vec::new();
    for except in block.field("except").items() {
        match read_cidr(except.text()) {
            None => errors.push(except.wrong_text(NO_CIDR)),
            Some((inner, inner_length)) => {
                if inner_length <= length || !is_inside(network, length, inner) {
                    errors.push(except.wrong_text("must be a strict subset of `cidr`"));
                }
            }
        }
    }
    errors
}

/// A text is a network.
pub(super) fn cidr_error(cidr: &Field<'_>) -> Option<FieldError> {
    read_cidr(cidr.text()).is_none().then(|| cidr.wrong_text(NO_CIDR))
}

fn read_cidr(text: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = text.split_once('/')?;
    let (address, length): (IpAddr, u32) = (address.parse().ok()?, length.parse().ok()?);
    let most = if address.is_ipv4() { 32 } else { 128 };
    (length <= most).then_some((address, length))
}

fn is_inside(network: IpAddr, length: u32, inner: IpAddr) -> bool {
    let bits = |address: IpAddr| match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    };
    let is_same_family = network.is_ipv4() == inner.is_ipv4();
    let mask = if length == 0 { 0 } else { u128::MAX << (128 - length) };
    is_same_family && bits(network) & mask == bits(inner) & mask
}

/// What is wrong with an EndpointSlice.
pub(super) fn slice(object: &Object) -> Vec<FieldError> {
    let kind = Field::of(object, "addressType");
    let mut errors: Vec<FieldError> = Vec::new();
    if kind.is_empty() {
        errors.push(FieldError::required(&kind.path, ""));
    } else {
        errors.extend(kind.one_of(&["FQDN", "IPv4", "IPv6"]));
    }
    let ports = Field::of(object, "ports");
    let mut seen: Vec<&Value> = Vec::new();
    for port in ports.items() {
        let name = port.field("name");
        if seen.contains(&name.value) {
            errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        }
        seen.push(name.value);
        errors.extend(name.label());
        errors.extend(port.field("protocol").one_of(&["SCTP", "TCP", "UDP"]));
        let application = port.field("appProtocol");
        errors.extend(application.named(qualified_names::key));
    }
    let endpoints = Field::of(object, "endpoints");
    errors.extend(endpoints.items().flat_map(|endpoint| slice_endpoint(&endpoint, kind.text())));
    // What has to be there at all is looked for last.
    errors.extend(endpoints.items().filter_map(|endpoint| endpoint.field("addresses").required()));
    errors
}

fn slice_endpoint(endpoint: &Field<'_>, kind: &str) -> Vec<FieldError> {
    let addresses = endpoint.field("addresses");
    let mut errors = Vec::new();
    for address in addresses.items() {
        let parsed = address.text().parse::<IpAddr>();
        match kind {
            "IPv4" | "IPv6" => match parsed {
                Ok(found) if found.is_ipv4() == (kind == "IPv4") => errors.extend(unusual(&address, found)),
                Ok(_) => errors.push(address.wrong_text(&format!("must be an {kind} address"))),
                Err(_) => errors.push(address.wrong_text(NO_ADDRESS)),
            },
            "FQDN" => errors.extend(address.subdomain()),
            _ => {}
        }
    }
    let node = endpoint.field("nodeName");
    errors.extend(node.subdomain());
    errors.extend(metadata::labels(
        &endpoint.field("deprecatedTopology").path,
        Some(endpoint.field("deprecatedTopology").value),
    ));
    errors.extend(endpoint.field("hostname").label());
    errors
}

/// Addresses that no endpoint can have.
fn unusual(spot: &Field<'_>, address: IpAddr) -> Option<FieldError> {
    let is_link_local = match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
    };
    let why = if address.is_unspecified() {
        format!("may not be unspecified ({address})")
    } else if address.is_loopback() {
        "may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned()
    } else if is_link_local {
        "may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned()
    } else if matches!(address, IpAddr::V4(address) if address.octets()[..3] == [224, 0, 0]) {
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned()
    } else {
        return None;
    };
    Some(spot.wrong_text(&why))
}

/// What is wrong with Endpoints.
pub(super) fn endpoints(object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for subset in Field::of(object, "subsets").items() {
        let (ready, waiting) = (subset.field("addresses"), subset.field("notReadyAddresses"));
        if ready.is_empty() && waiting.is_empty() {
            errors.push(FieldError::required(&subset.path, "must specify `addresses` or `notReadyAddresses`"));
        }
        for address in ready.items().chain(waiting.items()) {
            let ip = address.field("ip");
            match ip.text().parse::<IpAddr>() {
                Ok(_) => errors.extend(address.field("hostname").label()),
                Err(_) => {
                    errors.push(ip.wrong_text(NO_ADDRESS));
                    errors.extend(address.field("hostname").label());
                    errors.push(ip.wrong_text("must be a valid IP address"));
                }
            }
            errors.extend(address.field("nodeName").subdomain());
            errors.extend(ip.text().parse().ok().and_then(|found| unusual(&ip, found)));
        }
        let ports = subset.field("ports");
        let needs_name = ports.items().count() > 1;
        for port in ports.items() {
            let name = port.field("name");
            errors.extend(name.required().filter(|_| needs_name));
            errors.extend(name.label());
            let number = port.field("port").value.as_i64().unwrap_or_default();
            if !(1..=65535).contains(&number) {
                let why = "must be between 1 and 65535, inclusive";
                errors.push(FieldError::invalid(&port.field("port").path, &number.to_string(), why));
            }
            errors.extend(port.field("protocol").one_of(&["SCTP", "TCP", "UDP"]));
        }
    }
    errors
}

const NO_CIDR: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
const NO_ADDRESS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/// What the path of an ingress may not have anywhere, and not at its end.
const INVALID_INSIDE: &[&str] = &["//", "/./", "/../", "%2f", "%2F"];
const INVALID_END: &[&str] = &["/..", "/."];

/// kube-apiserver's limit.
const CONTROLLER_BYTES_MAX: usize = 250;
