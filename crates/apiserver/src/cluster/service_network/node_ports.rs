//! The node ports of one Service while it is completed.
//!
//! In: its ports, one after the other, with the number that was asked for or none. Out: a number that no other Service has,
//! nor another port of this one; two protocols of one port share theirs, as in kube-apiserver. Its refusals are that one's.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::{ServiceNetwork, ports};
use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::response::status::{Answer, FieldError, Refusal, internal, invalid};

/// The node ports of one Service.
pub(crate) struct NodePorts<'a> {
    network: &'a ServiceNetwork,
    key: &'a str,
    /// The numbers that it asks for itself, which are not given to its other ports.
    asked: Vec<u16>,
    given: Vec<Given>,
}

/// A port and what it has.
struct Given {
    port: i64,
    protocol: String,
    number: u16,
}

/// Why a port cannot have a node port.
pub(crate) enum PortError {
    /// Its number is not free, or never given.
    Refused { at: usize, number: u64, why: &'static str },
    /// There is no number left.
    Full,
}

impl PortError {
    pub(crate) fn refusal(&self, target: &ResolvedTarget, name: &str) -> Refusal {
        match self {
            PortError::Full => internal("failed to allocate a nodePort: range is full"),
            PortError::Refused { at, number, why } => {
                let error = FieldError::invalid(&format!("spec.ports[{at}].nodePort"), &number.to_string(), why);
                invalid(&target.kind.kind, &target.kind.group, name, &[error])
            }
        }
    }
}

impl<'a> NodePorts<'a> {
    pub(crate) fn new(network: &'a ServiceNetwork, key: &'a str, service: &Object) -> NodePorts<'a> {
        NodePorts { network, key, asked: ports(service).collect(), given: Vec::new() }
    }

    /// Checks the number that a port asks for, or gives it one where it is to have one.
    pub(crate) fn give(&mut self, at: usize, port: &mut Value, is_given: bool) -> Result<(), PortError> {
        let asked = port.get("nodePort").and_then(Value::as_u64).unwrap_or_default();
        let protocol = port.get("protocol").and_then(Value::as_str).unwrap_or("TCP").to_owned();
        let service_port = port.get("port").and_then(Value::as_i64).unwrap_or_default();
        let shared = self.shared(service_port, &protocol);
        let number = match (asked, shared) {
            (0, _) if !is_given => return Ok(()),
            (0, Some(number)) => number,
            (0, None) => self.free().ok_or(PortError::Full)?,
            (asked, Some(number)) if asked == u64::from(number) => number,
            (asked, _) => self.check(asked).map_err(|why| PortError::Refused { at, number: asked, why })?,
        };
        port["nodePort"] = number.into();
        self.given.push(Given { port: service_port, protocol, number });
        Ok(())
    }

    /// The number of the same port under another protocol, unless this protocol has it already.
    fn shared(&self, port: i64, protocol: &str) -> Option<u16> {
        let others = self.given.iter().filter(|given| given.port == port && given.protocol != protocol);
        let is_used = |number: u16| self.given.iter().any(|it| it.number == number && it.protocol == protocol);
        others.map(|given| given.number).find(|number| !is_used(*number))
    }

    fn free(&self) -> Option<u16> {
        let is_free = |number: &u16| {
            !self.network.ports.contains_key(number)
                && !self.asked.contains(number)
                && !self.given.iter().any(|given| given.number == *number)
        };
        GIVEN.chain(CHOSEN).find(is_free)
    }

    fn check(&self, asked: u64) -> Result<u16, &'static str> {
        let in_range = u16::try_from(asked).ok().filter(|number| CHOSEN.contains(number) || GIVEN.contains(number));
        let number = in_range.ok_or(OUTSIDE)?;
        let is_taken = self.network.has_port(number, self.key) || self.given.iter().any(|given| given.number == number);
        if is_taken { Err("provided port is already allocated") } else { Ok(number) }
    }

    /// The port at which the health of a Service is asked for.
    pub(crate) fn health(&self, asked: u64) -> Answer<u16> {
        let refused = |why| internal(&format!("failed to allocate requested HealthCheck NodePort {asked}: {why}"));
        match asked {
            0 => self.free().ok_or_else(|| internal("failed to allocate a HealthCheck NodePort 0: range is full")),
            asked => self.check(asked).map_err(refused),
        }
    }
}

/// Of kube-apiserver's default range, the lower end is left to people as long as there are others: its first 86.
const CHOSEN: RangeInclusive<u16> = 30_000..=30_085;
const GIVEN: RangeInclusive<u16> = 30_086..=32_767;

const OUTSIDE: &str = "provided port is not in the valid range. The range of valid ports is 30000-32767";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn protocols_of_a_port_share_a_number_and_nothing_else_does() {
        let network = ServiceNetwork::default();
        let service = Object::from_value(json!({"metadata": {}, "spec": {}})).unwrap();
        let give = |list: &[Value]| -> Vec<Result<u64, usize>> {
            let mut ports = NodePorts::new(&network, "n/a", &service);
            let numbers = list.iter().enumerate().map(|(at, port)| {
                let mut port = port.clone();
                match ports.give(at, &mut port, true) {
                    Ok(()) => Ok(port["nodePort"].as_u64().unwrap()),
                    Err(PortError::Refused { at, .. }) => Err(at),
                    Err(PortError::Full) => panic!("it is empty"),
                }
            });
            numbers.collect()
        };
        let (tcp, udp) = (json!({"port": 80}), json!({"port": 80, "protocol": "UDP"}));
        assert_eq!(give(&[tcp, udp, json!({"port": 81})]), [Ok(30_086), Ok(30_086), Ok(30_087)]);
        let asked = |port: i64, protocol: &str| json!({"port": port, "protocol": protocol, "nodePort": 30_100});
        assert_eq!(give(&[asked(80, "TCP"), asked(80, "UDP")]), [Ok(30_100), Ok(30_100)]);
        assert_eq!(give(&[asked(80, "TCP"), asked(81, "TCP")]), [Ok(30_100), Err(1)]);
        assert_eq!(give(&[asked(80, "TCP"), asked(81, "UDP")]), [Ok(30_100), Err(1)]);
        assert_eq!(give(&[json!({"port": 80, "nodePort": 80})]), [Err(0)]);
    }
}
