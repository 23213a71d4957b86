//! A Service as the server completes it: its addresses, families and node ports.
//!
//! In: a new Service, or a new state of one. Out: the same with what it left to the server; what it had and leaves out, it
//! keeps. An address or port that another Service has is refused, in kube-apiserver's words.

use serde_json::{Map, Value, json};

use super::{families, type_change};
use crate::cluster::ResolvedTarget;
use crate::cluster::service_network::NodePorts;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::{Object, put_if_absent};
use crate::registry::validation::field::Field;
use crate::response::status::{Answer, internal, invalid, unforeseen};

impl ClusterSnapshot {
    /// Completes a Service.
    pub(super) fn complete_service(
        &self,
        target: &ResolvedTarget,
        before: Option<&Object>,
        object: &mut Object,
    ) -> Answer<()> {
        if let Some(before) = before {
            type_change::keep_node_ports(before, object);
            type_change::drop_unused(before, object);
            if let Some(twice) = node_port_twice(object) {
                return Err(unforeseen(format!("duplicate nodePort: {{{twice}}}")));
            }
        }
        if spec_text(object, "type") == "ExternalName" {
            return Ok(());
        }
        if let Some(before) = before.filter(|before| spec_text(before, "type") != "ExternalName") {
            object.keep_spec(before, &["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]);
            if type_change::keeps_health_port(before, object) {
                object.keep_spec(before, &["healthCheckNodePort"]);
            }
        }
        let wrong = families::errors(&Field::of(object, "spec"), before);
        if !wrong.is_empty() {
            return Err(invalid(&target.kind.kind, &target.kind.group, object.name(), &wrong));
        }
        self.give_address(target, before, object)?;
        self.give_ports(target, object)
    }

    fn give_address(&self, target: &ResolvedTarget, before: Option<&Object>, object: &mut Object) -> Answer<()> {
        let is_headless = spec_text(object, "clusterIP") == "None";
        let selector = object.at("/spec/selector").and_then(Value::as_object);
        let is_dual = is_headless && selector.is_none_or(Map::is_empty);
        let full =
            || internal(&format!("failed to allocate a serviceIP for Service {:?}: range is full", object.name()));
        let address = match spec_text(object, "clusterIP") {
            asked if !asked.is_empty() => asked,
            _ => self.network.free_address().ok_or_else(full)?,
        };
        object.change_field("spec", |spec| {
            spec.insert("clusterIP".to_owned(), address.as_str().into());
            put_if_absent(spec, "clusterIPs", json!([address]));
            put_if_absent(spec, "ipFamilies", if is_dual { json!(["IPv4", "IPv6"]) } else { json!(["IPv4"]) });
            put_if_absent(spec, "ipFamilyPolicy", if is_dual { "RequireDualStack" } else { "SingleStack" }.into());
        });
        // One that it has already is its own, and another instead is for the checks to refuse.
        if before.is_some_and(|before| !spec_text(before, "clusterIP").is_empty()) {
            return Ok(());
        }
        match self.network.address_error(&target.place(object.name()).key, object) {
            None => Ok(()),
            Some(error) => Err(invalid(&target.kind.kind, &target.kind.group, object.name(), &[error])),
        }
    }

    fn give_ports(&self, target: &ResolvedTarget, object: &mut Object) -> Answer<()> {
        let key = target.place(object.name()).key;
        let mut ports = NodePorts::new(&self.network, &key, object);
        let (type_, is_given) = (spec_text(object, "type"), needs_ports(object));
        let mut done = Ok(());
        if matches!(type_.as_str(), "NodePort" | "LoadBalancer") {
            object.change_field("spec", |spec| {
                let list = spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten();
                done = list.enumerate().try_for_each(|(at, port)| ports.give(at, port, is_given));
            });
        }
        done.map_err(|error| error.refusal(target, object.name()))?;
        if type_change::needs_health_port(object) {
            let asked = object.at("/spec/healthCheckNodePort").and_then(Value::as_u64).unwrap_or_default();
            let number = ports.health(asked)?;
            object.change_field("spec", |spec| drop(spec.insert("healthCheckNodePort".to_owned(), number.into())));
        }
        Ok(())
    }
}

/// A node port that two ports of a changed Service have under one protocol, and that protocol.
fn node_port_twice(object: &Object) -> Option<String> {
    if !matches!(spec_text(object, "type").as_str(), "NodePort" | "LoadBalancer") {
        return None;
    }
    let mut seen = Vec::new();
    for port in object.items_at("/spec/ports") {
        let number = port.get("nodePort").and_then(Value::as_u64).filter(|number| *number != 0);
        let protocol = port.get("protocol").and_then(Value::as_str).unwrap_or("TCP");
        let spot = number.map(|number| format!("{protocol} {number}"));
        if spot.is_some() && seen.contains(&spot) {
            return spot;
        }
        seen.push(spot);
    }
    None
}

fn needs_ports(object: &Object) -> bool {
    let wants = object.get("spec").and_then(|spec| spec.get("allocateLoadBalancerNodePorts")) != Some(&json!(false));
    match spec_text(object, "type").as_str() {
        "NodePort" => true,
        "LoadBalancer" => wants,
        _ => false,
    }
}

fn spec_text(object: &Object, field: &str) -> String {
    object.get("spec").and_then(|spec| spec.get(field)).and_then(Value::as_str).unwrap_or_default().to_owned()
}
