//! Both servers where what is written is judged in CEL: by the rules of a definition, or by an admission policy.
//!
//! ```text
//!  kinds: Plain, Ruled, Judged ─► an object that must be refused, until it is ─► writes of each kind ─► medians ─► ratios
//! ```
//! The same objects are written of each kind, so that the difference between two lines of one side is what judging costs.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::BoxError;
use crate::connection::Connection;
use crate::load::{self, Object, WRITERS};
use crate::measure::Rate;
use crate::side::{Running, Side};

/// Measures both in turns and prints each round and the ratios of their medians.
pub(crate) async fn compare() -> Result<(), BoxError> {
    let (mut kube, mut pintle) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        kube.push(measure(Side::Kube).await?);
        pintle.push(measure(Side::Pintle).await?);
    }
    for (side, rounds) in [("kube", &kube), ("pintle", &pintle)] {
        rounds.iter().for_each(|round| println!("{side}: {round}"));
    }
    for (at, (_, _, name)) in KINDS.into_iter().enumerate() {
        let ratio = |rate: fn(&Rate) -> f64| {
            let median = |rounds: &[Figures]| middle(rounds.iter().map(|round| rate(&round.0[at])).collect());
            median(&pintle) / median(&kube)
        };
        println!("ratio writes-{name} {:.2}", ratio(|rate| rate.by_clock));
        println!("ratio writes-{name}-cpu {:.2}", ratio(|rate| rate.by_processor));
    }
    Ok(())
}

/// Measures one side and prints what it came to.
pub(crate) async fn report(side: Side) -> Result<(), BoxError> {
    measure(side).await.map(|figures| println!("{figures}"))
}

/// Writes in a second, by kind.
struct Figures([Rate; KINDS.len()]);

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = KINDS.into_iter().zip(self.0);
        let each: Vec<String> = each.map(|((_, _, name), rate)| format!("{name} {rate} writes/s")).collect();
        formatter.write_str(&each.join(", "))
    }
}

async fn measure(side: Side) -> Result<Figures, BoxError> {
    let running = Running::start(side).await?;
    let mut connection = Connection::open(&running.address).await?;
    for (kind, collection, _) in KINDS {
        install(&mut connection, DEFINITIONS, definition(kind)).await?;
        await_answer(&mut connection, "GET", collection, Bytes::new(), 200).await?;
    }
    install(&mut connection, POLICIES, policy()).await?;
    install(&mut connection, BINDINGS, binding()).await?;
    let mut rates = Vec::new();
    for (kind, collection, _) in KINDS {
        let answer = if kind == "Plain" { 201 } else { 422 };
        let forbidden = object(kind, 0, 100).to_string().into();
        await_answer(&mut connection, "POST", &format!("{collection}?dryRun=All"), forbidden, answer).await?;
        let objects = (0..OBJECTS).map(|number| written(kind, number)).collect();
        rates.push(load::writes_of(&running, WRITERS, collection, objects).await?);
    }
    running.stop().await?;
    Ok(Figures(rates.try_into().map_err(|_| "a rate is missing")?))
}

async fn install(connection: &mut Connection, path: &str, object: Value) -> Result<(), BoxError> {
    connection.send("POST", path, "application/json", object.to_string().into()).await.map(drop)
}

/// Asks again until the answer has a code: a server takes moments to serve what was defined, and to know its policies.
async fn await_answer(
    connection: &mut Connection,
    method: &str,
    path: &str,
    body: Bytes,
    code: u16,
) -> Result<(), BoxError> {
    for _ in 0..TRIES {
        let (status, _) = connection.exchange(method, path, "application/json", body.clone()).await?;
        if status.as_u16() == code {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(format!("{method} {path} is never answered with {code}").into())
}

fn definition(kind: &str) -> Value {
    let (singular, text) = (kind.to_lowercase(), json!({"type": "string", "maxLength": 60}));
    let port = json!({"type": "object", "required": ["name"], "properties": {
        "name": text, "port": {"type": "integer"}, "protocol": text,
    }});
    let mut spec = json!({"type": "object", "properties": {
        "replicas": {"type": "integer"}, "minimum": {"type": "integer"}, "maximum": {"type": "integer"},
        "image": text, "host": text, "memory": text, "address": text, "mode": text,
        "labels": {"type": "object", "maxProperties": 20, "additionalProperties": text},
        "ports": {"type": "array", "maxItems": 10, "items": port,
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
    }});
    if kind == "Ruled" {
        spec["x-kubernetes-validations"] = RULES.iter().map(|rule| json!({"rule": rule})).collect();
    }
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{singular}s.bench.example.com")},
        "spec": {"group": "bench.example.com", "scope": "Namespaced",
            "names": {"kind": kind, "plural": format!("{singular}s"), "singular": singular},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}]}})
}

fn policy() -> Value {
    let rule = json!({"apiGroups": ["bench.example.com"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
        "resources": ["judgeds"]});
    let validations = [
        "variables.spec.replicas <= variables.spec.maximum",
        "variables.spec.ports.all(p, p.port > 0 && p.port < 65536)",
        "object.metadata.name.startsWith(request.resource.resource)",
    ];
    let validations: Vec<Value> = validations.iter().map(|expression| json!({"expression": expression})).collect();
    json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "bench"},
        "spec": {"matchConstraints": {"resourceRules": [rule]}, "validations": validations,
            "variables": [{"name": "spec", "expression": "object.spec"}]}})
}

fn binding() -> Value {
    json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "bench"}, "spec": {"policyName": "bench", "validationActions": ["Deny"]}})
}

/// An object whose replicas may not be over 10.
fn object(kind: &str, number: usize, replicas: usize) -> Value {
    let labels: serde_json::Map<String, Value> =
        (0..8).map(|at| (format!("label-{at}"), format!("value-{at}-{}", number % 40).into())).collect();
    let ports: Vec<Value> = ["http", "https", "metrics", "health"]
        .iter()
        .enumerate()
        .map(|(at, name)| json!({"name": name, "port": 8000 + at, "protocol": "TCP"}))
        .collect();
    json!({"apiVersion": "bench.example.com/v1", "kind": kind, "metadata": {"name": name(kind, number)}, "spec": {
        "replicas": replicas, "minimum": 1, "maximum": 10, "image": "registry.example.com/app:1.0",
        "host": "app.example.com", "memory": "512Mi", "address": "10.1.2.3", "mode": "fast", "labels": labels,
        "ports": ports,
    }})
}

fn name(kind: &str, number: usize) -> String {
    format!("{}s-{number:05}", kind.to_lowercase())
}

fn written(kind: &str, number: usize) -> Object {
    Object {
        name: name(kind, number),
        created: object(kind, number, 1 + number % 9).to_string().into(),
        patch: json!({"spec": {"replicas": 10 - number % 9}}).to_string().into(),
    }
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A kind, where its objects are, and what its line is called.
const KINDS: [(&str, &str, &str); 3] = [
    ("Plain", "/apis/bench.example.com/v1/namespaces/default/plains", "plain"),
    ("Ruled", "/apis/bench.example.com/v1/namespaces/default/ruleds", "rules"),
    ("Judged", "/apis/bench.example.com/v1/namespaces/default/judgeds", "policy"),
];

/// Of the sorts that definitions in use have: comparisons, lists, texts, and Kubernetes' own libraries.
const RULES: [&str; 10] = [
    "self.minimum <= self.maximum",
    "self.replicas >= self.minimum && self.replicas <= self.maximum",
    "self.image.contains(':') && !self.image.endsWith(':latest')",
    "self.host.matches('^[a-z0-9.-]+$')",
    "self.ports.all(p, p.port > 0 && p.port < 65536)",
    "self.ports.exists_one(p, p.name == 'http')",
    "self.labels.all(k, k.size() <= 20)",
    "quantity(self.memory).isLessThan(quantity('2Gi'))",
    "cidr('10.0.0.0/8').containsIP(self.address)",
    "self.mode in ['fast', 'slow'] && (!has(oldSelf.mode) || self.mode == oldSelf.mode)",
];

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

/// Enough that starting and ending does not count.
const OBJECTS: usize = 1500;

/// Odd, so that the median is a measurement.
const ROUNDS: usize = 3;

/// Kinds are served and policies known within seconds.
const TRIES: usize = 200;
const PAUSE: Duration = Duration::from_millis(50);
