//! Endpoints: the addresses behind a Service.

use std::net::IpAddr;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::ip_address;
use crate::response::status::FieldError;
use crate::response::table::cells::{items, number, said, shortened};
use crate::response::table::columns::Column;

/// The strategy of Endpoints.
#[derive(Debug)]
pub(super) struct Endpoints;

impl Strategy for Endpoints {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::computed("Endpoints", addresses), Column::age()]
    }
}

/// What is wrong with Endpoints.
fn errors(object: &Object) -> Vec<FieldError> {
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
                    errors.push(ip.wrong_text(ip_address::REFUSED));
                    errors.extend(address.field("hostname").label());
                    errors.push(ip.wrong_text("must be a valid IP address"));
                }
            }
            errors.extend(address.field("nodeName").subdomain());
            errors.extend(ip.text().parse().ok().and_then(|found| ip_address::unusual(&ip, found)));
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

fn addresses(object: &Value) -> Value {
    let mut all = Vec::new();
    for subset in items(object, "/subsets") {
        let ports: Vec<i64> = items(subset, "/ports").map(|port| number(port, "/port")).collect();
        for address in items(subset, "/addresses") {
            let ip = said(address, "/ip");
            if ports.is_empty() {
                all.push(ip.to_owned());
            }
            all.extend(ports.iter().map(|port| format!("{ip}:{port}")));
        }
    }
    shortened(&all, 3)
}
