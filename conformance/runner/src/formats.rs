//! Whether JSON and protobuf of real Kubernetes are what `pintle_wire` makes of one another.
//!
//! ```text
//!   objects ─► from_json ─► POST as protobuf ─► real Kubernetes ─┬─► GET as JSON ──────┐
//!                                                                └─► GET as protobuf ──┴─► compare, both ways
//! ```
//! Some objects are created from our protobuf, so the server reads what we write. Then every collection it serves is
//! fetched in both formats: its protobuf must become its JSON, and its JSON, byte for byte, its protobuf.

mod objects;

use std::path::PathBuf;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use pintle_wire::protobuf;
use serde_json::Value;

use crate::command::Outcome;
use crate::endpoint::Endpoint;
use crate::say;
use crate::script::Needs;
use crate::server::{Running, Which};

const JSON: &str = "application/json";

/// Compares every collection of the server of a kubeconfig, or of one that is started for it.
pub(crate) async fn compare(kubeconfig: Option<PathBuf>) -> Result<Outcome, String> {
    let which = kubeconfig.map_or(Which::Kube, Which::Kubeconfig);
    let running = Running::start(&which, Needs::default(), "formats").await?;
    let outcome = compare_at(&running.endpoint).await;
    running.stop().await;
    outcome
}

async fn compare_at(endpoint: &Endpoint) -> Result<Outcome, String> {
    let mut problems = Vec::new();
    for (path, object) in objects::all() {
        if let Err(problem) = create(endpoint, path, &object).await {
            problems.push(format!("{path}: {problem}"));
        }
    }
    let (mut collections, mut objects) = (0, 0);
    for path in listable(endpoint).await? {
        match compare_collection(endpoint, &path).await {
            Ok(count) => {
                collections += 1;
                objects += count;
            }
            Err(problem) => problems.push(format!("{path}: {problem}")),
        }
    }
    problems.iter().for_each(|problem| say(problem));
    say(&format!(
        "{} objects were created from our protobuf; {collections} collections with {objects} objects are the same in \
         both formats; {} problems",
        objects::all().count(),
        problems.len()
    ));
    Ok(if problems.is_empty() { Outcome::Same } else { Outcome::Different })
}

/// Creates an object from our protobuf; what the server says it is must hold what was meant.
async fn create(endpoint: &Endpoint, path: &str, object: &Value) -> Result<(), String> {
    let body = protobuf::from_json(object.to_string().as_bytes()).map_err(|error| error.to_string())?;
    let request = Request::post(path).header(CONTENT_TYPE, protobuf::MEDIA_TYPE).header(ACCEPT, JSON);
    let request = request.body(Full::from(body)).map_err(|error| error.to_string())?;
    let (status, answer) = send(endpoint, request).await?;
    let answer: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
    match status {
        StatusCode::CREATED | StatusCode::OK if holds(&answer, object) => Ok(()),
        StatusCode::CREATED | StatusCode::OK => Err(format!("created as {answer}, meant as {object}")),
        refused => Err(format!("{refused}: {}", answer["message"])),
    }
}

/// Whether everything that was meant is there.
fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| holds(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() >= part.len() && part.iter().zip(whole).all(|(part, whole)| holds(whole, part))
        }
        (whole, part) => whole == part,
    }
}

/// The paths of all collections that can be listed.
async fn listable(endpoint: &Endpoint) -> Result<Vec<String>, String> {
    let mut versions = vec!["/api/v1".to_owned()];
    let groups = get_json(endpoint, "/apis").await?;
    for group in groups["groups"].as_array().into_iter().flatten() {
        let served = group["versions"].as_array().into_iter().flatten();
        versions
            .extend(served.filter_map(|version| version["groupVersion"].as_str()).map(|name| format!("/apis/{name}")));
    }
    let mut paths = Vec::new();
    for version in versions {
        let resources = get_json(endpoint, &version).await?;
        for resource in resources["resources"].as_array().into_iter().flatten() {
            let can_list = resource["verbs"].as_array().is_some_and(|verbs| verbs.iter().any(|verb| verb == "list"));
            paths.extend(resource["name"].as_str().filter(|_| can_list).map(|name| format!("{version}/{name}")));
        }
    }
    Ok(paths)
}

/// Compares one collection; how many objects it has.
async fn compare_collection(endpoint: &Endpoint, path: &str) -> Result<usize, String> {
    // What changes by itself (leases) may change between two requests, and component statuses come in any order.
    let mut last = String::new();
    for _ in 0..TRIES {
        let json = get(endpoint, path, JSON).await?;
        let encoded = get(endpoint, path, protobuf::MEDIA_TYPE).await?;
        match same(&json, &encoded) {
            Ok(count) => return Ok(count),
            Err(problem) => last = problem,
        }
    }
    Err(last)
}

/// Three statuses come in the same order twice by one chance in six; that they never do within so many is none.
const TRIES: usize = 100;

fn same(json: &[u8], encoded: &[u8]) -> Result<usize, String> {
    let expected: Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let decoded = protobuf::to_json(encoded).map_err(|error| format!("to JSON: {error}"))?;
    let decoded: Value = serde_json::from_slice(&decoded).map_err(|error| error.to_string())?;
    if decoded != expected {
        return Err(format!("its protobuf became {decoded}, its JSON is {expected}"));
    }
    // The server's own order of keys is kept, which a parsed value would lose.
    let again = protobuf::from_json(json).map_err(|error| format!("from JSON: {error}"))?;
    if again != encoded {
        return Err(format!("its JSON became {} bytes of protobuf, its protobuf is {}", again.len(), encoded.len()));
    }
    Ok(expected["items"].as_array().map_or(0, Vec::len))
}

async fn get_json(endpoint: &Endpoint, path: &str) -> Result<Value, String> {
    serde_json::from_slice(&get(endpoint, path, JSON).await?).map_err(|error| format!("{path}: {error}"))
}

async fn get(endpoint: &Endpoint, path: &str, accept: &str) -> Result<Bytes, String> {
    let request = Request::get(path).header(ACCEPT, accept).body(Full::default()).map_err(|error| error.to_string())?;
    let (status, body) = send(endpoint, request).await?;
    if status == StatusCode::OK { Ok(body) } else { Err(format!("{path} as {accept}: {status}")) }
}

async fn send(endpoint: &Endpoint, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), String> {
    let answer = endpoint.send(request).await?;
    let status = answer.status();
    let body = answer.into_body().collect().await.map_err(|error| error.to_string())?;
    Ok((status, body.to_bytes()))
}
