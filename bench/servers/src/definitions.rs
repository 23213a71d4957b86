//! Both servers with many large definitions: how long they take to install, and what their descriptions then cost.
//!
//! A fresh server of each side gets 175 definitions of 121 KB, as a cluster with many operators has. "Installed" is
//! when the objects of each are served and every group-version is in the index of `/openapi/v3`. Then the index is read, again and again; then
//! each group is explained as kubectl does it, by a connection of its own that reads the index and the group's document, once
//! for the first time and then again; then a real kubectl explains a kind of each group, at first with nothing in its cache; at
//! last one definition changes, and its document is read until it says so. A folder of JSON files takes the place of these
//! definitions: those of real operators are large in other ways.

use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};

use crate::BoxError;
use crate::connection::Connection;
use crate::kubectl::Kubectl;
use crate::measure::{Rate, Stretch};
use crate::side::{Running, Side};

/// Measures both and prints what they came to.
pub(crate) async fn compare(definitions: &[Value]) -> Result<(), BoxError> {
    let kube = measure(Side::Kube, definitions).await?;
    let pintle = measure(Side::Pintle, definitions).await?;
    println!("  kube: {kube}\npintle: {pintle}");
    for ((name, ours), (_, theirs)) in pintle.rates.iter().zip(&kube.rates) {
        println!("ratio definitions-{name} {:.2}", ours.by_clock / theirs.by_clock);
        println!("ratio definitions-{name}-cpu {:.2}", ours.by_processor / theirs.by_processor);
    }
    println!("ratio definitions-memory {:.2}", kube.memory as f64 / pintle.memory as f64);
    Ok(())
}

/// Measures one side and prints what it came to.
pub(crate) async fn report(side: Side) -> Result<(), BoxError> {
    measure(side, &made()).await.map(|figures| println!("{figures}"))
}

/// The definitions that are made here.
pub(crate) fn made() -> Vec<Value> {
    (0..DEFINITIONS).map(|number| definition(number)).collect()
}

/// The definitions in the files of a folder.
pub(crate) fn of_folder(folder: &str) -> Result<Vec<Value>, BoxError> {
    let files = std::fs::read_dir(folder)?.map(|file| Ok(file?.path())).collect::<std::io::Result<BTreeSet<_>>>()?;
    files.iter().map(|file| Ok(serde_json::from_slice(&std::fs::read(file)?)?)).collect()
}

/// What one side came to.
struct Figures {
    /// How much of what it does in a second.
    rates: [(&'static str, Rate); 7],
    /// Resident memory at the end.
    memory: u64,
}

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, rate) in self.rates {
            write!(formatter, "{name} {rate} a second, ")?;
        }
        write!(formatter, "{} MiB", self.memory >> 20)
    }
}

async fn measure(side: Side, definitions: &[Value]) -> Result<Figures, BoxError> {
    let bodies: Vec<Bytes> = definitions.iter().map(|definition| definition.to_string().into()).collect();
    let documents: BTreeSet<String> = definitions.iter().flat_map(documents).collect();
    let running = Running::start(side).await?;
    let mut connection = Connection::open(&running.address).await?;

    let stretch = Stretch::begin(running.process()?)?;
    for body in bodies {
        connection.send("POST", DEFINITIONS_PATH, "application/json", body).await?;
    }
    wait_until_served(&mut connection, definitions, &documents).await?;
    let install = stretch.end(definitions.len() as f64)?;

    let stretch = Stretch::begin(running.process()?)?;
    for _ in 0..INDEXES {
        connection.send("GET", "/openapi/v3", "", Bytes::new()).await?;
    }
    let index = stretch.end(INDEXES as f64)?;

    let explain_first = explain(&running, &documents, 1).await?;
    let explain = explain(&running, &documents, EXPLAINED / documents.len()).await?;

    let kinds: BTreeSet<String> = definitions.iter().map(first_of_group(definitions)).collect();
    let kubectl = Kubectl::new(&running)?;
    let kubectl_first = kubectl_explain(&running, &kubectl, &kinds, Cache::Empty).await?;
    let kubectl_again = kubectl_explain(&running, &kubectl, &kinds, Cache::Filled).await?;

    let stretch = Stretch::begin(running.process()?)?;
    for turn in 1..=CHANGES {
        change(&mut connection, &definitions[turn * 7 % definitions.len()], turn).await?;
    }
    let change = stretch.end(CHANGES as f64)?;

    let memory = running.resident_memory()?;
    running.stop().await?;
    let rates = [install, index, explain_first, explain, kubectl_first, kubectl_again, change];
    Ok(Figures { rates: std::array::from_fn(|at| (NAMES[at], rates[at])), memory })
}

/// Explains a kind of each document so many times.
async fn explain(running: &Running, documents: &BTreeSet<String>, rounds: usize) -> Result<Rate, BoxError> {
    let stretch = Stretch::begin(running.process()?)?;
    for document in (0..rounds).flat_map(|_| documents) {
        let mut connection = Connection::open(&running.address).await?.unpacking();
        connection.send("GET", "/openapi/v3", "", Bytes::new()).await?;
        connection.send("GET", document, "", Bytes::new()).await?;
    }
    stretch.end((rounds * documents.len()) as f64)
}

/// Has kubectl explain each kind, with what it has kept from before or without.
async fn kubectl_explain(
    running: &Running,
    kubectl: &Kubectl,
    kinds: &BTreeSet<String>,
    cache: Cache,
) -> Result<Rate, BoxError> {
    let stretch = Stretch::begin(running.process()?)?;
    for kind in kinds {
        if cache == Cache::Empty {
            kubectl.forget()?;
        }
        kubectl.explain(&format!("{kind}.spec")).await?;
    }
    stretch.end(kinds.len() as f64)
}

/// What kubectl knows of the server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cache {
    Empty,
    /// At least what it learned last.
    Filled,
}

/// Maps a definition to the plural of the first of its group.
fn first_of_group(definitions: &[Value]) -> impl Fn(&Value) -> String {
    |definition| {
        let group = &definition["spec"]["group"];
        let first = definitions.iter().find(|other| other["spec"]["group"] == *group).unwrap_or(definition);
        text(&first["spec"]["names"]["plural"]).to_owned()
    }
}

/// Waits for the objects of each definition, and for each document's place in the index.
async fn wait_until_served(
    connection: &mut Connection,
    definitions: &[Value],
    documents: &BTreeSet<String>,
) -> Result<(), BoxError> {
    let begun = Instant::now();
    loop {
        let index = connection.read("/openapi/v3").await?;
        let mut is_served = documents.iter().all(|document| index.contains(&format!("{document}?hash")));
        for definition in definitions {
            is_served = is_served && connection.read(&objects_path(definition)).await.is_ok();
        }
        if is_served {
            return Ok(());
        }
        if begun.elapsed() > PATIENCE {
            return Err(format!("after {} s not every definition is served", PATIENCE.as_secs()).into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Changes a description in a definition, and reads its group's document until it is in there.
async fn change(connection: &mut Connection, definition: &Value, turn: usize) -> Result<(), BoxError> {
    let (path, patch) = change_of(definition, turn);
    connection.send("PATCH", &path, "application/json-patch+json", patch).await?;
    let document = &documents(definition)[0];
    let begun = Instant::now();
    while !connection.read(document).await?.contains(&description(turn)) {
        if begun.elapsed() > PATIENCE {
            return Err(format!("{path} changed, and {document} did not").into());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

/// The path and the JSON patch of a change.
pub(crate) fn change_of(definition: &Value, turn: usize) -> (String, Bytes) {
    let first = served(definition).next().map_or(0, |(place, _)| place);
    let patch = json!([{
        "op": "add",
        "path": format!("/spec/versions/{first}/schema/openAPIV3Schema/description"),
        "value": description(turn),
    }]);
    (format!("{DEFINITIONS_PATH}/{}", text(&definition["metadata"]["name"])), patch.to_string().into())
}

/// The paths of the documents that describe a definition's versions.
pub(crate) fn documents(definition: &Value) -> Vec<String> {
    let group = text(&definition["spec"]["group"]);
    served(definition).map(|(_, version)| format!("/openapi/v3/apis/{group}/{}", text(&version["name"]))).collect()
}

/// Where the objects of a definition are.
fn objects_path(definition: &Value) -> String {
    let spec = &definition["spec"];
    let version = served(definition).next().map_or("", |(_, version)| text(&version["name"]));
    format!("/apis/{}/{version}/{}?limit=1", text(&spec["group"]), text(&spec["names"]["plural"]))
}

/// The versions that are served, each with its place.
fn served(definition: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let versions = definition["spec"]["versions"].as_array().into_iter().flatten();
    versions.enumerate().filter(|(_, version)| version["served"] == true)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn group(number: usize) -> String {
    format!("g{}.example.com", number % GROUPS)
}

fn description(turn: usize) -> String {
    format!("A thing as wanted, in its edition {turn}.")
}

/// A definition by number.
pub(crate) fn definition(number: usize) -> Value {
    let spec = schema(number, LEVELS);
    let status = json!({"type": "object", "properties": {"phase": {"type": "string"}}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things{number}.{}", group(number))},
        "spec": {
            "group": group(number),
            "scope": "Namespaced",
            "names": {
                "plural": format!("things{number}"), "singular": format!("thing{number}"),
                "kind": format!("Thing{number}"), "listKind": format!("Thing{number}List"),
            },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
            }],
        },
    })
}

/// A schema of so many levels, with the kinds of fields that real ones have.
fn schema(number: usize, levels: usize) -> Value {
    let text =
        |what: &str| format!("{what} of level {levels} in thing {number}; {}", "why it is there, and more. ".repeat(4));
    let mut properties = json!({
        "replicas": {"type": "integer", "format": "int32", "minimum": 0, "description": text("Replicas")},
        "image": {"type": "string", "minLength": 1, "maxLength": 253, "description": text("Image")},
        "policy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"], "description": text("Policy")},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "description": text("Labels")},
        "port": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true},
        "since": {"type": "string", "format": "date-time", "description": text("Time")},
    });
    if levels > 0 {
        for name in ["template", "strategy", "storage"] {
            properties[name] = schema(number, levels - 1);
        }
        properties["containers"] = json!({
            "type": "array", "description": text("Containers"), "items": schema(number, levels - 1),
        });
    }
    json!({"type": "object", "description": text("Part"), "required": ["image"], "properties": properties})
}

pub(crate) const DEFINITIONS_PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// As many as a well-equipped cluster had.
const DEFINITIONS: usize = 175;

/// Over so many API groups.
pub(crate) const GROUPS: usize = 40;

/// Makes a definition of 121 KB, of 85 structs.
const LEVELS: usize = 3;

/// What is measured, in this order: definitions installed, indexes read, groups explained for the first time and again, the same
/// by kubectl, definitions changed.
const NAMES: [&str; 7] =
    ["install", "openapi-index", "explain-first", "explain", "kubectl-explain-first", "kubectl-explain", "change"];

/// Enough for Linux, which counts processor time in hundredths of a second.
const INDEXES: usize = 2000;
const EXPLAINED: usize = 1000;

const CHANGES: usize = 20;

/// A server that has not managed by then never will.
const PATIENCE: Duration = Duration::from_secs(300);
