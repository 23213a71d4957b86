//! Both servers with one mutating and one validating webhook on every write: how many writes they manage, and whether each
//! happened once and in order.
//!
//! The webhooks are one program over HTTPS in the client's process, so its work is none of the server's. Fifty clients
//! patch ConfigMaps that two of them share. A write counts when it is answered; at the end each has a version of its own, the
//! versions of a client ascend, a watch has seen exactly those versions in order, and nobody's last value is lost.

use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, Instant};

use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use pintle_scripted_webhook::Webhook;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::BoxError;
use crate::connection::Connection;
use crate::measure::{Rate, Stretch};
use crate::side::{Running, Side};

/// Measures both and prints what they came to.
pub(crate) async fn compare() -> Result<(), BoxError> {
    let kube = measure(Side::Kube).await?;
    let pintle = measure(Side::Pintle).await?;
    println!("  kube: {kube}\npintle: {pintle}");
    println!("ratio webhooks {:.2}", pintle.rate.by_clock / kube.rate.by_clock);
    println!("ratio webhooks-cpu {:.2}", pintle.rate.by_processor / kube.rate.by_processor);
    Ok(())
}

/// Measures one side and prints what it came to.
pub(crate) async fn report(side: Side) -> Result<(), BoxError> {
    measure(side).await.map(|figures| println!("{figures}"))
}

/// What one side came to.
struct Figures {
    rate: Rate,
    /// How many writes were refused because another one was faster, and sent again.
    conflicts: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { rate, conflicts } = self;
        write!(
            formatter,
            "{rate} writes/s through two webhooks, {WRITES} of them once and in order, {conflicts} conflicts"
        )
    }
}

async fn measure(side: Side) -> Result<Figures, BoxError> {
    let running = Running::start(side).await?;
    let webhook = Webhook::start(&answers()).await?;
    let mut connection = Connection::open(&running.address).await?;
    for number in 0..MAPS {
        let map = json!({"metadata": {"name": map_name(number)}, "data": {"marked": "no"}});
        connection.send("POST", MAPS_PATH, "application/json", map.to_string().into()).await?;
    }
    register(&mut connection, &webhook).await?;
    let map = connection.read(&format!("{MAPS_PATH}?limit=1")).await?;
    let since = serde_json::from_str::<Value>(&map)?["metadata"]["resourceVersion"].clone();
    let since = since.as_str().ok_or("a list has no version")?;
    let watch = format!("{MAPS_PATH}?watch=true&resourceVersion={since}&timeoutSeconds=600");
    let watch = tokio::spawn(watched(Connection::open(&running.address).await?.stream(&watch).await?));

    let mut clients = Vec::new();
    for client in 0..CLIENTS {
        clients.push((Connection::open(&running.address).await?, client));
    }
    let stretch = Stretch::begin(running.process()?)?;
    let mut writing: JoinSet<_> = clients.into_iter().map(|(connection, client)| write(connection, client)).collect();
    let (mut versions, mut conflicts) = (BTreeSet::new(), 0);
    while let Some(done) = writing.join_next().await {
        let done = done??;
        conflicts += done.conflicts;
        if !done.versions.is_sorted() {
            return Err("a client's writes are not in its order".into());
        }
        versions.extend(done.versions);
    }
    let rate = stretch.end(WRITES as f64)?;

    if versions.len() != WRITES {
        return Err(format!("{WRITES} writes have {} versions", versions.len()).into());
    }
    if !watch.await??.iter().eq(&versions) {
        return Err("the watch saw other versions than were written, or in another order".into());
    }
    // Not over the first connection: kube-apiserver ends those that were idle for so long.
    check_last_values(&mut Connection::open(&running.address).await?).await?;
    running.stop().await?;
    Ok(Figures { rate, conflicts })
}

/// Marks what passes, and lets everything pass.
fn answers() -> [(String, Value); 2] {
    let patch = json!([{"op": "add", "path": "/data/marked", "value": "yes"}]);
    [
        ("mark".to_owned(), json!({"allowed": true, "patchType": "JSONPatch", "patch": patch})),
        ("check".to_owned(), json!({"allowed": true})),
    ]
}

/// Registers both webhooks and waits until both are called: kube-apiserver learns of a configuration later.
async fn register(connection: &mut Connection, webhook: &Webhook) -> Result<(), BoxError> {
    for (kind, name) in [("Validating", "check"), ("Mutating", "mark")] {
        let configuration = json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": format!("{kind}WebhookConfiguration"),
            "metadata": {"name": name},
            "webhooks": [{
                "name": format!("{name}.example.com"),
                "clientConfig": {"url": format!("{}/{name}", webhook.url), "caBundle": webhook.ca},
                "rules": [{"operations": ["UPDATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}},
                "sideEffects": "None", "admissionReviewVersions": ["v1"], "timeoutSeconds": 30,
            }],
        });
        let plural = format!("{}webhookconfigurations", kind.to_lowercase());
        let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}");
        connection.send("POST", &path, "application/json", configuration.to_string().into()).await?;
    }
    // The validating one was registered first; a moment after the mutating one is in force, so is that.
    let path = format!("{MAPS_PATH}/{}", map_name(0));
    let begun = Instant::now();
    for turn in 0.. {
        let patch = json!({"data": {"turn": turn.to_string()}}).to_string();
        let (_, answer) = connection.exchange("PATCH", &path, MERGE_PATCH, patch.into()).await?;
        if serde_json::from_slice::<Value>(&answer)?["data"]["marked"] == "yes" {
            break;
        }
        if begun.elapsed() > PATIENCE {
            return Err("the webhooks are not called".into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok(())
}

/// What a client did.
struct Done {
    versions: Vec<u64>,
    conflicts: usize,
}

async fn write(mut connection: Connection, client: usize) -> Result<Done, BoxError> {
    let path = format!("{MAPS_PATH}/{}", map_name(client % MAPS));
    let mut done = Done { versions: Vec::with_capacity(WRITES / CLIENTS), conflicts: 0 };
    while done.versions.len() < WRITES / CLIENTS {
        let value = (done.versions.len() + 1).to_string();
        let patch = json!({"data": {key(client): value, "marked": "no"}}).to_string();
        let (status, answer) = connection.exchange("PATCH", &path, MERGE_PATCH, patch.into()).await?;
        if status == StatusCode::CONFLICT {
            done.conflicts += 1;
            continue;
        }
        let map: Value = serde_json::from_slice(&answer)?;
        if map["data"]["marked"] != "yes" || map["data"][key(client)] != value {
            return Err(format!("PATCH {path}: {status}: {map}").into());
        }
        done.versions.push(version(&map)?);
    }
    Ok(done)
}

/// The versions of all changes that a watch sees, in its order.
async fn watched(mut body: Incoming) -> Result<Vec<u64>, BoxError> {
    let (mut versions, mut read) = (Vec::with_capacity(WRITES), Vec::new());
    while versions.len() < WRITES {
        let frame = body.frame().await.ok_or("the watch ended")??;
        read.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
        while let Some(end) = memchr::memchr(b'\n', &read) {
            let event: Value = serde_json::from_slice(&read[..end])?;
            read.drain(..=end);
            if event["type"] != "MODIFIED" {
                return Err(format!("a watch of changes got {event}").into());
            }
            versions.push(version(&event["object"])?);
        }
    }
    Ok(versions)
}

/// Each client's last value is there.
async fn check_last_values(connection: &mut Connection) -> Result<(), BoxError> {
    for client in 0..CLIENTS {
        let path = format!("{MAPS_PATH}/{}", map_name(client % MAPS));
        let map: Value = serde_json::from_str(&connection.read(&path).await?)?;
        if map["data"][key(client)] != (WRITES / CLIENTS).to_string() {
            return Err(format!("{path} lacks the last write of client {client}: {map}").into());
        }
    }
    Ok(())
}

fn version(object: &Value) -> Result<u64, BoxError> {
    Ok(object["metadata"]["resourceVersion"].as_str().ok_or("an object has no version")?.parse()?)
}

fn map_name(number: usize) -> String {
    format!("shared-{number}")
}

fn key(client: usize) -> String {
    format!("client-{client}")
}

const MAPS_PATH: &str = "/api/v1/namespaces/default/configmaps";
const MERGE_PATCH: &str = "application/merge-patch+json";

const CLIENTS: usize = 50;

/// Two clients get into each other's way at each.
const MAPS: usize = CLIENTS / 2;

const WRITES: usize = 10_000;

/// A server that does not call a webhook by then never will.
const PATIENCE: Duration = Duration::from_secs(60);
