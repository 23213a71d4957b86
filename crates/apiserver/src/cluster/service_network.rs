//! Which Service has which cluster address and node port: none is given to two.
//!
//! In: Services as they are stored and removed. Out: addresses and ports that are free, and who has one that is asked for.
//! A choice is made from a snapshot and counts only if it is still free when the Service is committed.

use std::sync::Arc;

use imbl::OrdMap;
use serde_json::Value;

use crate::codec::object::Object;

/// The addresses and node ports of all Services. A copy shares everything with its original.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServiceNetwork {
    /// By address: the key of its Service.
    addresses: OrdMap<Arc<str>, Arc<str>>,
    /// By port: the key of its Service.
    ports: OrdMap<u16, Arc<str>>,
}

impl ServiceNetwork {
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

    /// The first address of the service network that no Service has.
    pub(crate) fn free_address(&self) -> Option<String> {
        let all = ADDRESSES.map(|number| format!("10.0.{}.{}", number >> 8, number & 0xff));
        all.into_iter().find(|address| !self.addresses.contains_key(address.as_str()))
    }

    /// The first node ports that no Service has, nor this one under a name of its own.
    pub(crate) fn free_ports(&self, own: &[u16]) -> impl Iterator<Item = u16> {
        NODE_PORTS.filter(|port| !self.ports.contains_key(port) && !own.contains(port))
    }

    /// The first address of a Service that another has.
    pub(crate) fn taken_address(&self, key: &str, service: &Object) -> Option<String> {
        let is_taken = |address: &&str| self.addresses.get(*address).is_some_and(|owner| **owner != *key);
        addresses(service).find(is_taken).map(str::to_owned)
    }

    /// The first node port of a Service that another has.
    pub(crate) fn taken_port(&self, key: &str, service: &Object) -> Option<u16> {
        ports(service).find(|port| self.ports.get(port).is_some_and(|owner| **owner != *key))
    }
}

/// The addresses of a Service, without those that stand for none.
fn addresses(service: &Object) -> impl Iterator<Item = &str> {
    let list = service.get("spec").and_then(|spec| spec.get("clusterIPs")).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).filter(|address| !matches!(*address, "" | "None"))
}

/// The node ports of a Service; several protocols may share one.
pub(crate) fn ports(service: &Object) -> impl Iterator<Item = u16> {
    let list = service.get("spec").and_then(|spec| spec.get("ports")).and_then(Value::as_array);
    let numbers = list.into_iter().flatten().filter_map(|port| port.get("nodePort")?.as_u64());
    let health = service.get("spec").and_then(|spec| spec.get("healthCheckNodePort")).and_then(Value::as_u64);
    numbers.chain(health).filter_map(|port| u16::try_from(port).ok()).filter(|port| *port != 0)
}

/// The numbers within 10.0.0.0/16 that are given out; the first is the Service `kubernetes`, the last the broadcast.
const ADDRESSES: std::ops::Range<u16> = 2..u16::MAX;

/// kube-apiserver's default range.
const NODE_PORTS: std::ops::RangeInclusive<u16> = 30_000..=32_767;

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
        assert_eq!(network.free_address().as_deref(), Some("10.0.0.3"));
        assert_eq!(network.free_ports(&[30_001]).next(), Some(30_002));
        assert_eq!(network.taken_address("n/a", &first), None, "it is its own");
        assert_eq!(network.taken_address("n/b", &first).as_deref(), Some("10.0.0.2"));
        assert_eq!(network.taken_port("n/b", &first), Some(30_000));
        let moved = service("10.0.0.9", 0);
        network.change(&key, Some(&first), Some(&moved));
        assert_eq!(network.free_address().as_deref(), Some("10.0.0.2"));
        network.change(&key, Some(&moved), None);
        assert_eq!(network.taken_address("n/b", &moved), None);
    }
}
