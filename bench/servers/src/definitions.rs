//! Both servers with many large definitions: how long they take to install, and what their descriptions then cost.
//!
//! A fresh server of each side gets 175 definitions of about 250 KB, as a cluster with many operators has. "Installed" is
//! when the last one is served and every group is in the index of `/openapi/v3`. Then the index is read, and the document of
//! each group, which is what `kubectl explain` asks for; at last one definition changes and its document is read again.

use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};

use crate::BoxError;
use crate::connection::Connection;
use crate::measure::{Rate, Stretch};
use crate::side::{Running, Side};

/// Measures both and prints what they came to.
pub(crate) async fn compare() -> Result<(), BoxError> {
    let kube = measure(Side::Kube).await?;
    let pintle = measure(Side::Pintle).await?;
    for (side, figures) in [("  kube", &kube), ("pintle", &pintle)] {
        let [install, index, documents, changed] = figures.rates.map(|rate| rate.to_string());
        println!("{side}: installs {install} definitions/s, then {} MiB", figures.memory >> 20);
        println!("{side}: /openapi/v3 {index}/s; each group's document {documents}/s; after a change {changed}/s");
    }
    for (at, name) in ["install", "openapi-index", "openapi-document", "openapi-changed"].into_iter().enumerate() {
        let (ours, theirs) = (pintle.rates[at], kube.rates[at]);
        println!("ratio definitions-{name} {:.2}", ours.by_clock / theirs.by_clock);
        println!("ratio definitions-{name}-cpu {:.2}", ours.by_processor / theirs.by_processor);
    }
    println!("ratio definitions-memory {:.2}", kube.memory as f64 / pintle.memory as f64);
    Ok(())
}

/// What one side came to.
struct Figures {
    /// In a second: definitions installed, indexes read, documents read, definitions changed and their document read.
    rates: [Rate; 4],
    /// Resident memory at the end.
    memory: u64,
}

async fn measure(side: Side) -> Result<Figures, BoxError> {
    let bodies: Vec<Bytes> = (0..DEFINITIONS).map(|number| definition(number, 0).to_string().into()).collect();
    let running = Running::start(side).await?;
    let mut connection = Connection::open(&running.address).await?;

    let stretch = Stretch::begin(running.process()?)?;
    for body in bodies {
        connection.send("POST", DEFINITIONS_PATH, "application/json", body).await?;
    }
    wait_until_served(&mut connection).await?;
    let install = stretch.end(DEFINITIONS as f64)?;

    let stretch = Stretch::begin(running.process()?)?;
    for _ in 0..INDEXES {
        connection.send("GET", "/openapi/v3", "", Bytes::new()).await?;
    }
    let index = stretch.end(INDEXES as f64)?;

    let stretch = Stretch::begin(running.process()?)?;
    for _ in 0..ROUNDS {
        for group in 0..GROUPS {
            connection.send("GET", &document_path(group), "", Bytes::new()).await?;
        }
    }
    let documents = stretch.end((ROUNDS * GROUPS) as f64)?;

    let stretch = Stretch::begin(running.process()?)?;
    for turn in 1..=CHANGES {
        change(&mut connection, turn).await?;
    }
    let changed = stretch.end(CHANGES as f64)?;

    let memory = running.resident_memory()?;
    running.stop().await?;
    Ok(Figures { rates: [install, index, documents, changed], memory })
}

/// Waits for the last definition's objects, and for each group's place in the index.
async fn wait_until_served(connection: &mut Connection) -> Result<(), BoxError> {
    let last = DEFINITIONS - 1;
    let objects = format!("/apis/{}/v1/things{last}", group(last));
    let begun = Instant::now();
    loop {
        let index = connection.read("/openapi/v3").await?;
        let all_in = (0..GROUPS).all(|number| index.contains(&format!("\"apis/{}/v1\"", group(number))));
        if all_in && connection.read(&objects).await.is_ok() {
            return Ok(());
        }
        if begun.elapsed() > PATIENCE {
            return Err(format!("after {} s not every definition is served", PATIENCE.as_secs()).into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Changes a description in a definition, and reads its group's document until it is in there.
async fn change(connection: &mut Connection, turn: usize) -> Result<(), BoxError> {
    let number = turn * 7 % DEFINITIONS;
    let text = description(number, turn);
    let patch = json!([{
        "op": "replace",
        "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/description",
        "value": text,
    }]);
    let path = format!("{DEFINITIONS_PATH}/things{number}.{}", group(number));
    connection.send("PATCH", &path, "application/json-patch+json", patch.to_string().into()).await?;
    let begun = Instant::now();
    while !connection.read(&document_path(number)).await?.contains(&text) {
        if begun.elapsed() > PATIENCE {
            return Err(format!("{path} changed, and its document did not").into());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

fn group(number: usize) -> String {
    format!("g{}.example.com", number % GROUPS)
}

fn document_path(number: usize) -> String {
    format!("/openapi/v3/apis/{}/v1", group(number))
}

fn description(number: usize, turn: usize) -> String {
    format!("Thing {number} as wanted, in its edition {turn}.")
}

/// A definition by number.
pub(crate) fn definition(number: usize, turn: usize) -> Value {
    let mut spec = schema(number, LEVELS);
    spec["description"] = description(number, turn).into();
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

const DEFINITIONS_PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// As many as a well-equipped cluster had.
const DEFINITIONS: usize = 175;

/// Over so many API groups.
const GROUPS: usize = 40;

/// Makes a definition of about 250 KB.
const LEVELS: usize = 3;

const INDEXES: usize = 300;

const ROUNDS: usize = 3;

const CHANGES: usize = 20;

/// A server that has not managed by then never will.
const PATIENCE: Duration = Duration::from_secs(300);
