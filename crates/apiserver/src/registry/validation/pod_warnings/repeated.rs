//! What the description of a pod says twice, so that only one of both counts.

use std::collections::{BTreeMap, BTreeSet};

use crate::registry::validation::field::Field;
use crate::registry::validation::path::Path;

/// Items of a list with the same value in a field.
pub(super) fn values(list: &Field<'_>, field: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let again = list.items().map(|item| item.field(field)).filter(|value| !seen.insert(value.text()));
    again.map(|value| format!("{}: duplicate {field} {:?}", value.path, value.text())).collect()
}

/// Variables that are set again, and do not build on what they were.
pub(super) fn variables(variables: &Field<'_>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let hides = |variable: &Field<'_>| {
        let (name, value) = (variable.field("name").text(), variable.field("value").text());
        let itself = format!("$({name})");
        let builds_on_it = variable.field("valueFrom").value.is_null() && value.contains(&itself) && value != itself;
        !builds_on_it
    };
    let mut warnings = Vec::new();
    for variable in variables.items() {
        let name = variable.field("name").text();
        if !seen.insert(name) && hides(&variable) {
            let why = "which may be dropped when using apply";
            warnings.push(format!("{}: hides previous definition of {name:?}, {why}", variable.path));
        }
    }
    warnings
}

/// Ports that are described more than once, each with every one before it.
pub(super) fn ports(containers: &[Field<'_>]) -> Vec<String> {
    let mut described: Vec<Port<'_>> = Vec::new();
    let mut warnings = Vec::new();
    for port in every_port(containers).map(Port::of) {
        for (other, how) in described.iter().filter_map(|other| Some((other, port.clash(other)?))) {
            warnings.push(format!("{}: {how} port definition with {}", port.path, other.path));
        }
        described.push(port);
    }
    warnings
}

/// Names of ports that two have.
pub(super) fn port_names(containers: &[Field<'_>]) -> Vec<String> {
    let mut first: BTreeMap<&str, Path<'_>> = BTreeMap::new();
    let mut warnings = Vec::new();
    for port in every_port(containers).filter(|port| !port.field("name").is_empty()) {
        let name = port.field("name").text();
        match first.get(name) {
            None => drop(first.insert(name, port.path)),
            Some(other) => warnings.push(format!(
                "{}: duplicate port name {name:?} with {other}, services and probes that select ports by name will use {other}",
                port.path
            )),
        }
    }
    warnings
}

fn every_port<'a>(containers: &[Field<'a>]) -> impl Iterator<Item = Field<'a>> {
    containers.iter().flat_map(|container| container.field("ports").items())
}

/// What a port listens on, in its pod and on its host.
struct Port<'a> {
    path: Path<'a>,
    inside: (i64, &'a str),
    host: (&'a str, i64),
}

impl<'a> Port<'a> {
    #[expect(clippy::needless_pass_by_value, reason = "it is what `map` hands on")]
    fn of(port: Field<'a>) -> Port<'a> {
        let number = |name: &'static str| port.field(name).value.as_i64().unwrap_or_default();
        Port {
            inside: (number("containerPort"), port.field("protocol").text()),
            host: (port.field("hostIP").text(), number("hostPort")),
            path: port.path.clone(),
        }
    }

    /// How two ports with the same number are in each other's way, if they are.
    fn clash(&self, other: &Port<'_>) -> Option<&'static str> {
        let (mine, theirs) = (self.host, other.host);
        let one_is_anywhere = mine.0.is_empty() != theirs.0.is_empty();
        match () {
            () if self.inside != other.inside => None,
            () if mine == theirs => Some("duplicate"),
            () if mine.1 == 0 || theirs.1 == 0 => Some("overlapping"),
            () if mine.1 == theirs.1 && one_is_anywhere => Some("dangerously ambiguous"),
            () => None,
        }
    }
}
