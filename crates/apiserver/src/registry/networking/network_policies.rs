//! NetworkPolicies: which connections pods may open, and which may be opened to them.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::{cidr, label_selector, names};
use crate::response::status::FieldError;
use crate::response::table::cells;
use crate::response::table::columns::Column;

/// The strategy of NetworkPolicies.
#[derive(Debug)]
pub(super) struct NetworkPolicies;

impl Strategy for NetworkPolicies {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        let selector = Column::computed("Pod-Selector", |policy| cells::selector(&policy["spec"]["podSelector"]));
        vec![Column::name(), selector, Column::age()]
    }
}

/// What is wrong with a NetworkPolicy.
fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let mut errors = label_selector::errors(&spec.field("podSelector"));
    for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
        for rule in spec.field(rules).items() {
            errors.extend(rule.field("ports").items().flat_map(|port| port_errors(&port)));
            errors.extend(rule.field(peers).items().flat_map(|peer| peer_errors(&peer)));
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

fn port_errors(port: &Field<'_>) -> Vec<FieldError> {
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

fn peer_errors(peer: &Field<'_>) -> Vec<FieldError> {
    let (pods, spaces, block) = (peer.field("podSelector"), peer.field("namespaceSelector"), peer.field("ipBlock"));
    let count = [&pods, &spaces, &block].iter().filter(|spot| !spot.value.is_null()).count();
    let mut errors = Vec::new();
    if !block.value.is_null() {
        errors.extend(ip_block(&block));
    }
    errors.extend([&pods, &spaces].into_iter().flat_map(|selector| label_selector::errors(selector)));
    if count == 0 {
        errors.push(FieldError::required(&peer.path, "must specify a peer"));
    } else if count > 1 && !block.value.is_null() {
        errors.push(peer.forbidden("may not specify both ipBlock and another peer"));
    }
    errors
}

fn ip_block(block: &Field<'_>) -> Vec<FieldError> {
    let asked = block.field("cidr");
    if asked.is_empty() {
        return Vec::new();
    }
    let Some((network, length)) = cidr::read(asked.text()) else {
        return vec![asked.wrong_text(cidr::REFUSED)];
    };
    let mut errors: Vec<FieldError> = cidr::strict_error(&asked).into_iter().collect();
    for except in block.field("except").items() {
        errors.extend(cidr::strict_error(&except));
        if let Some((inner, inner_length)) = cidr::read(except.text())
            && (inner_length <= length || !cidr::is_inside(network, length, inner))
        {
            errors.push(except.wrong_text("must be a strict subset of `cidr`"));
        }
    }
    errors
}
