//! A Service that becomes one of another type: what it no longer has a use for goes, what it still needs stays.
//!
//! In: the state before and the one asked for. Out: the latter without the address, ports and policies that only the old type
//! had, as long as the client did not change them as well: then it is for the checks to refuse them.

use serde_json::{Map, Value, json};

use crate::codec::object::Object;

/// Takes away what the type before needed and this one does not.
pub(super) fn drop_unused(before: &Object, object: &mut Object) {
    let old = Spec(before.get("spec").cloned().unwrap_or_default());
    let asked = Spec(object.get("spec").cloned().unwrap_or_default());
    let mut unused: Vec<&str> = Vec::new();
    if old.needs_address() && !asked.needs_address() {
        unused.extend(["ipFamilies", "ipFamilyPolicy"]);
    }
    if old.needs_health_port() && !asked.needs_health_port() {
        unused.push("healthCheckNodePort");
    }
    if old.is("LoadBalancer") && !asked.is("LoadBalancer") {
        unused.extend(["allocateLoadBalancerNodePorts", "loadBalancerClass"]);
    }
    if old.is_reached_from_outside() && !asked.is_reached_from_outside() {
        unused.push("externalTrafficPolicy");
    }
    unused.retain(|field| old.same(&asked, field));
    // One address stands for the list that it is the first of.
    let is_kept = |field: &str| old.same(&asked, field) || asked.is_silent(field);
    if old.needs_address() && !asked.needs_address() && is_kept("clusterIP") && is_kept("clusterIPs") {
        unused.extend(["clusterIP", "clusterIPs"]);
    }
    let known = old.node_ports();
    let keeps_ports = !old.has_node_ports() || asked.has_node_ports();
    let drops_ports = !keeps_ports && asked.node_ports().iter().all(|port| known.contains(port));
    object.change(|value| {
        let Some(spec) = value.get_mut("spec").and_then(Value::as_object_mut) else { return };
        spec.retain(|field, _| !unused.contains(&field.as_str()));
        for port in ports_mut(spec).filter(|_| drops_ports) {
            port.remove("nodePort");
        }
        if !asked.is("LoadBalancer") && value.get("status").is_some() {
            value["status"]["loadBalancer"] = json!({});
        }
    });
}

/// A port keeps the node port that was given to the one of its name, unless another one has taken it over.
pub(super) fn keep_node_ports(before: &Object, object: &mut Object) {
    let old = Spec(before.get("spec").cloned().unwrap_or_default());
    let asked = Spec(object.get("spec").cloned().unwrap_or_default());
    if !old.is_given_node_ports() || !asked.is_given_node_ports() {
        return;
    }
    let taken = asked.node_ports();
    object.change(|value| {
        let Some(spec) = value.get_mut("spec").and_then(Value::as_object_mut) else { return };
        for port in ports_mut(spec).filter(|port| node_port(port) == 0) {
            let name =
                |port: &Map<String, Value>| port.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let same = old.ports().rev().find(|known| name(known) == name(port));
            let number = same.map(node_port).unwrap_or_default();
            if number != 0 && !taken.contains(&number) {
                port.insert("nodePort".to_owned(), number.into());
            }
        }
    });
}

/// Whether what checks the health of a Service is given a port.
pub(super) fn needs_health_port(object: &Object) -> bool {
    Spec(object.get("spec").cloned().unwrap_or_default()).needs_health_port()
}

/// Whether what checks the health of a Service is given a port, before and after.
pub(super) fn keeps_health_port(before: &Object, object: &Object) -> bool {
    [before, object].into_iter().all(needs_health_port)
}

/// The spec of a Service.
struct Spec(Value);

impl Spec {
    fn text(&self, field: &str) -> &str {
        self.0.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn is(&self, kind: &str) -> bool {
        self.text("type") == kind
    }

    fn needs_address(&self) -> bool {
        !self.is("ExternalName")
    }

    fn has_node_ports(&self) -> bool {
        self.is("NodePort") || self.is("LoadBalancer")
    }

    fn is_given_node_ports(&self) -> bool {
        let is_given = self.0.get("allocateLoadBalancerNodePorts") != Some(&Value::Bool(false));
        self.is("NodePort") || (self.is("LoadBalancer") && is_given)
    }

    fn needs_health_port(&self) -> bool {
        self.is("LoadBalancer") && self.text("externalTrafficPolicy") == "Local"
    }

    fn is_reached_from_outside(&self) -> bool {
        let has_addresses = self.0.get("externalIPs").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
        self.has_node_ports() || (self.is("ClusterIP") && has_addresses)
    }

    fn same(&self, other: &Spec, field: &str) -> bool {
        let value = |spec: &Spec| spec.0.get(field).filter(|value| !value.is_null()).cloned();
        value(self) == value(other)
    }

    fn is_silent(&self, field: &str) -> bool {
        self.0.get(field).is_none_or(|value| value.is_null() || *value == "" || *value == json!([]))
    }

    fn ports(&self) -> impl DoubleEndedIterator<Item = &Map<String, Value>> {
        self.0.get("ports").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
    }

    fn node_ports(&self) -> Vec<i64> {
        self.ports().map(node_port).filter(|port| *port != 0).collect()
    }
}

fn ports_mut(spec: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

fn node_port(port: &Map<String, Value>) -> i64 {
    port.get("nodePort").and_then(Value::as_i64).unwrap_or_default()
}
