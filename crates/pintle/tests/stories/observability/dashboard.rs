//! The dashboard and the alerts ask for metrics that exist.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::metric_names::{KUBERNETES, OWN};

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/grafana").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The metrics that an expression of PromQL names.
fn metrics_of(expression: &str) -> BTreeSet<String> {
    let prefixes = [
        "certwatcher_",
        "controller_runtime_",
        "leader_election_",
        "pintle_",
        "process_",
        "rest_client_",
        "workqueue_",
    ];
    let words = expression.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    let metrics = words.filter(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)));
    let is_histogram =
        |name: &str| KUBERNETES.iter().chain(OWN).any(|(known, kind, _)| *known == name && *kind == "histogram");
    let family = |name: &str| {
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|suffix| name.strip_suffix(suffix));
        base.filter(|base| is_histogram(base)).unwrap_or(name).to_owned()
    };
    metrics.map(family).collect()
}

/// Every text under the key `expr`.
fn expressions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| match value {
            Value::String(text) if name == "expr" => found.push(text.clone()),
            value => expressions(value, found),
        }),
        Value::Array(values) => values.iter().for_each(|value| expressions(value, found)),
        _ => {}
    }
}

#[test]
fn every_metric_of_the_dashboard_and_the_alerts_is_exported_and_the_dashboard_shows_all_of_controllers() {
    let dashboard: Value = serde_json::from_str(&read("pintle.json")).expect("the dashboard is JSON");
    let mut asked = Vec::new();
    expressions(&dashboard, &mut asked);
    assert!(asked.len() >= 15, "the dashboard has {} panels", asked.len());
    let shown: BTreeSet<String> = asked.iter().flat_map(|expression| metrics_of(expression)).collect();
    let alerts = read("alerts.yaml");
    let alerted: BTreeSet<String> = alerts.lines().filter(|line| line.contains("expr:")).flat_map(metrics_of).collect();
    assert!(alerted.len() >= 5, "{alerted:?}");
    let exported: BTreeSet<String> = KUBERNETES.iter().chain(OWN).map(|(name, ..)| (*name).to_owned()).collect();
    let unknown: Vec<_> = shown.union(&alerted).filter(|name| !exported.contains(*name)).collect();
    assert!(unknown.is_empty(), "not exported: {unknown:?}");
    let is_of_process = |name: &&String| name.starts_with("process_");
    let missing: Vec<_> = exported.difference(&shown).filter(|name| !is_of_process(name)).collect();
    assert!(missing.is_empty(), "not on the dashboard: {missing:?}");
}
