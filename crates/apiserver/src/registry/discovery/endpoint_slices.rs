//! EndpointSlices: some of the addresses behind a Service.

use std::net::IpAddr;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::{ip_address, metadata, qualified_names};
use crate::response::status::FieldError;
use crate::response::table::cells::{items, shortened, text};
use crate::response::table::columns::Column;

/// The strategy of EndpointSlices.
#[derive(Debug)]
pub(super) struct EndpointSlices;

impl Strategy for EndpointSlices {
    /// Its labels count: they say which Service it is of.
    fn is_new_generation(&self, before: &Object, object: &Object) -> bool {
        before.metadata().get("labels") != object.metadata().get("labels")
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("addressType", Printed::Null)]
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::text("AddressType", ".addressType", ""),
            Column::computed("Ports", ports),
            Column::computed("Endpoints", endpoints),
            Column::age(),
        ]
    }
}

/// What is wrong with an EndpointSlice.
fn errors(object: &Object) -> Vec<FieldError> {
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
    errors.extend(endpoints.items().flat_map(|endpoint| endpoint_errors(&endpoint, kind.text())));
    // What has to be there at all is looked for last.
    errors.extend(endpoints.items().filter_map(|endpoint| endpoint.field("addresses").required()));
    errors
}

fn endpoint_errors(endpoint: &Field<'_>, kind: &str) -> Vec<FieldError> {
    let addresses = endpoint.field("addresses");
    let mut errors = Vec::new();
    for address in addresses.items() {
        let parsed = address.text().parse::<IpAddr>();
        match kind {
            "IPv4" | "IPv6" => match parsed {
                Ok(found) if found.is_ipv4() == (kind == "IPv4") => errors.extend(ip_address::unusual(&address, found)),
                Ok(_) => errors.push(address.wrong_text(&format!("must be an {kind} address"))),
                Err(_) => errors.push(address.wrong_text(ip_address::REFUSED)),
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

fn ports(slice: &Value) -> Value {
    let all: Vec<String> = items(slice, "/ports").map(|port| port.get("port").map_or("*".to_owned(), text)).collect();
    if all.is_empty() { "<unset>".into() } else { shortened(&all, 3) }
}

fn endpoints(slice: &Value) -> Value {
    let all: Vec<String> =
        items(slice, "/endpoints").flat_map(|endpoint| items(endpoint, "/addresses")).map(text).collect();
    if all.is_empty() { "<unset>".into() } else { shortened(&all, 3) }
}
