//! A Service as the server completes it: its addresses, families and node ports.
//!
//! In: a new Service, or a new state of one. Out: the same with what it left to the server; what it had and leaves out, it
//! keeps. An address or port that another Service has is refused, in kube-apiserver's words.

use serde_json::{Map, Value, json};

use super::{keep, put_if_absent, service_type, spec_text};
use crate::cluster::ResolvedTarget;
use crate::cluster::service_network;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::{Answer, FieldError, invalid};

impl ClusterSnapshot {
    /// Completes a Service.
    pub(super) fn complete_service(
        &self,
        target: &ResolvedTarget,
        before: Option<&Object>,
        object: &mut Object,
    ) -> Answer<()> {
        if let Some(before) = before {
            service_type::keep_node_ports(before, object);
            service_type::drop_unused(before, object);
        }
        if spec_text(object, "type") == "ExternalName" {
            return Ok(());
        }
        if let Some(before) = before.filter(|before| spec_text(before, "type") != "ExternalName") {
            keep(before, object, &["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]);
            if service_type::keeps_health_port(before, object) {
                keep(before, object, &["healthCheckNodePort"]);
            }
        }
        self.give_address(target, object)?;
        self.give_ports(target, object)
    }

    fn give_address(&self, target: &ResolvedTarget, object: &mut Object) -> Answer<()> {
        let is_headless = spec_text(object, "clusterIP") == "None";
        let selector = object.get("spec").and_then(|spec| spec.get("selector")).and_then(Value::as_object);
        let is_dual = is_headless && selector.is_none_or(Map::is_empty);
        let address = match spec_text(object, "clusterIP") {
            asked if !asked.is_empty() => asked,
            _ => self.network.free_address().ok_or_else(|| refused(target, object, range_is_full()))?,
        };
        object.change_field("spec", |spec| {
            spec.insert("clusterIP".to_owned(), address.as_str().into());
            put_if_absent(spec, "clusterIPs", json!([address]));
            put_if_absent(spec, "ipFamilies", if is_dual { json!(["IPv4", "IPv6"]) } else { json!(["IPv4"]) });
            put_if_absent(spec, "ipFamilyPolicy", if is_dual { "RequireDualStack" } else { "SingleStack" }.into());
        });
        match self.network.taken_address(&target.place(object.name()).key, object) {
            None => Ok(()),
            Some(taken) => {
                let why = format!("failed to allocate IP {taken}: provided IP is already allocated");
                let shown = format!("[\"{taken}\"]");
                Err(refused(target, object, FieldError::invalid("spec.clusterIPs", &shown, &why)))
            }
        }
    }

    fn give_ports(&self, target: &ResolvedTarget, object: &mut Object) -> Answer<()> {
        if needs_ports(object) {
            let own: Vec<u16> = service_network::ports(object).collect();
            let mut free = self.network.free_ports(&own);
            object.change_field("spec", |spec| {
                for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
                    if port.get("nodePort").and_then(Value::as_i64).unwrap_or_default() == 0 {
                        port["nodePort"] = free.next().unwrap_or_default().into();
                    }
                }
            });
        }
        let ports = object.get("spec").and_then(|spec| spec.get("ports")).and_then(Value::as_array);
        let at = |number: u16| {
            let found = ports.and_then(|ports| ports.iter().position(|port| port["nodePort"] == number));
            format!("spec.ports[{}].nodePort", found.unwrap_or_default())
        };
        if let Some(taken) = self.network.taken_port(&target.place(object.name()).key, object) {
            let error = FieldError::invalid(&at(taken), &taken.to_string(), "provided port is already allocated");
            return Err(refused(target, object, error));
        }
        let is_without = needs_ports(object) && ports.into_iter().flatten().any(|port| port["nodePort"] == 0);
        if is_without {
            let error = FieldError::invalid(&at(0), "0", "failed to allocate requested port: range is full");
            return Err(refused(target, object, error));
        }
        Ok(())
    }
}

fn needs_ports(object: &Object) -> bool {
    let wants = object.get("spec").and_then(|spec| spec.get("allocateLoadBalancerNodePorts")) != Some(&json!(false));
    match spec_text(object, "type").as_str() {
        "NodePort" => true,
        "LoadBalancer" => wants,
        _ => false,
    }
}

fn refused(target: &ResolvedTarget, object: &Object, error: FieldError) -> crate::response::status::Refusal {
    invalid(&target.kind.kind, &target.kind.group, object.name(), &[error])
}

fn range_is_full() -> FieldError {
    FieldError::invalid("spec.clusterIPs", "null", "failed to allocate a serviceIP: range is full")
}
