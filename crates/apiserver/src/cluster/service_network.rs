//! Which Service has which cluster address and node port: none is given to two.
//!
//! In: Services as they are stored and removed. Out: addresses and ports that are free, and who has one that is asked for.
//! A choice is made from a snapshot and counts only if it is still free when the Service is committed.

mod node_ports;
mod service_range;

use std::net::IpAddr;
use std::sync::Arc;

use imbl::OrdMap;
use serde_json::Value;

use crate::codec::object::Object;
use crate::response::status::FieldError;

pub(crate) use node_ports::NodePorts;
pub use service_range::{InvalidServiceRange, ServiceRange};

/// The addresses and node ports of all Services. A copy shares everything with its original.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServiceNetwork {
    range: ServiceRange,
    /// By address: the key of its Service.
    addresses: OrdMap<Arc<str>, Arc<str>>,
    /// By port: the key of its Service.
    ports: OrdMap<u16, Arc<str>>,
}

impl ServiceNetwork {
    /// One without Services.
    pub(crate) fn new(range: ServiceRange) -> ServiceNetwork {
        ServiceNetwork { range, ..ServiceNetwork::default() }
    }

    /// As a trial sees it: no address is taken, because it takes none; but every node port is by somebody else.
    pub(crate) fn of_trial(&self) -> ServiceNetwork {
        let somebody: Arc<str> = "".into();
        let ports = self.ports.keys().map(|port| (*port, Arc::clone(&somebody))).collect();
        ServiceNetwork { range: self.range, addresses: OrdMap::new(), ports }
    }

    /// Where the addresses are from.
    pub(crate) fn range(&self) -> ServiceRange {
        self.range
    }

    /// Notes a Service that is stored in the place of another state of it, or gone.
    pub(crate) fn change(&mut self, key: &Arc<str>, old: Option<&Object>, new: Option<&Object>) {
        if let Some(service) = old {
            addresses(service).for_each(|address| drop(self.addresses.remove(address)));
            ports(service).for_each(|port| drop(self.ports.remove(&port)));
        }
        if let Some(service) = new {
            addresses(service).for_each(|address| drop(self.addresses.insert(address.into(), Arc::clone(key))));
            ports(service).for_each(|port| drop(self.ports.insert(port, Arc::clone(key))));
        }
    }

    /// The first address that no Service has; the lower ones, which people choose themselves, last.
    pub(crate) fn free_address(&self) -> Option<String> {
        let mut all = self.range.in_order().map(|address| address.to_string());
        all.find(|address| !self.addresses.contains_key(address.as_str()))
    }

    /// The first address of a Service that another has.
    pub(crate) fn taken_address(&self, key: &str, service: &Object) -> Option<String> {
        let is_taken = |address: &&str| self.is_taken(address, key);
        addresses(service).find(is_taken).map(str::to_owned)
    }

    fn is_taken(&self, address: &str, key: &str) -> bool {
        let is_reserved = key != FIRST_SERVICE && address.parse() == Ok(self.range.first());
        is_reserved || self.addresses.get(address).is_some_and(|owner| **owner != *key)
    }

    /// Why a Service cannot have the address that it asks for, in kube-apiserver's words. The
    /// validation refuses what is not an address.
    pub(crate) fn address_error(&self, key: &str, service: &Object) -> Option<FieldError> {
        let asked = addresses(service).next()?;
        let shown = format!("[\"{asked}\"]");
        let why = match asked.parse::<IpAddr>().ok()? {
            IpAddr::V6(_) => {
                let why = "IPv6 is not configured on this cluster";
                return Some(FieldError::invalid("spec.clusterIPs[0]", &shown, why));
            }
            IpAddr::V4(address) if !self.range.holds(address) => OUTSIDE,
            IpAddr::V4(_) if self.is_taken(asked, key) => "provided IP is already allocated",
            IpAddr::V4(_) => return None,
        };
        Some(FieldError::invalid("spec.clusterIPs", &shown, &format!("failed to allocate IP {asked}: {why}")))
    }

    /// The first node port of a Service that another has.
    pub(crate) fn taken_port(&self, key: &str, service: &Object) -> Option<u16> {
        ports(service).find(|port| self.has_port(*port, key))
    }

    fn has_port(&self, port: u16, key: &str) -> bool {
        self.ports.get(&port).is_some_and(|owner| **owner != *key)
    }
}

/// The addresses of a Service, without those that stand for none.
fn addresses(service: &Object) -> impl Iterator<Item = &str> {
    let list = service.get("spec").and_then(|spec| spec.get("clusterIPs")).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).filter(|address| !matches!(*address, "" | "None"))
}

/// The node ports of a Service; several protocols may share one.
fn ports(service: &Object) -> impl Iterator<Item = u16> {
    let list = service.get("spec").and_then(|spec| spec.get("ports")).and_then(Value::as_array);
    let numbers = list.into_iter().flatten().filter_map(|port| port.get("nodePort")?.as_u64());
    let health = service.get("spec").and_then(|spec| spec.get("healthCheckNodePort")).and_then(Value::as_u64);
    numbers.chain(health).filter_map(|port| u16::try_from(port).ok()).filter(|port| *port != 0)
}

/// The Service that has the first address, which no other Service gets.
const FIRST_SERVICE: &str = "default/kubernetes";

const OUTSIDE: &str = "the provided network does not match the current range";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn service(address: &str, port: u16) -> Object {
        let value = json!({"metadata": {}, "spec": {"clusterIPs": [address], "ports": [{"nodePort": port}]}});
        Object::from_value(value).unwrap()
    }

    #[test]
    fn what_one_service_has_no_other_gets_until_it_is_gone() {
        let mut network = ServiceNetwork::default();
        let (key, first) = (Arc::from("n/a"), service("10.0.0.2", 30_000));
        network.change(&key, None, Some(&first));
        assert_eq!(network.free_address().as_deref(), Some("10.0.1.1"));
        assert_eq!(network.taken_address("n/a", &first), None, "it is its own");
        assert_eq!(network.taken_address("n/b", &first).as_deref(), Some("10.0.0.2"));
        assert_eq!(network.taken_port("n/b", &first), Some(30_000));
        let moved = service("10.0.0.9", 0);
        network.change(&key, Some(&first), Some(&moved));
        assert_eq!(network.taken_address("n/b", &first), None, "it was given back");
        network.change(&key, Some(&moved), None);
        assert_eq!(network.taken_address("n/b", &moved), None);
    }
}
