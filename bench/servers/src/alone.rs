//! A server alone in this process, without a socket and a client: what a profiler or valgrind looks at.
//!
//! `valgrind --tool=callgrind target/release/servers alone write 50` counts the instructions of fifty rounds; the difference
//! between two numbers of rounds, divided by theirs, is what one of them takes.

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use pintle_apiserver::Server;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::BoxError;
use crate::definitions;
use crate::objects;

/// Does some rounds of something.
pub(crate) async fn run(what: &str, rounds: usize) -> Result<(), BoxError> {
    let server = Server::new();
    for round in 0..rounds {
        match what {
            "write" => write(&server, round).await?,
            "define" => define(&server, round).await?,
            "explain" => explain(&server, round).await?,
            "start" => drop(Server::new()),
            other => return Err(format!("`write`, `define`, `explain` or `start`, not `{other}`").into()),
        }
    }
    Ok(())
}

/// A pod is created, changed as a whole and in part, gets a status and is deleted.
async fn write(server: &Server, round: usize) -> Result<(), BoxError> {
    let path = format!("{PODS}/{}", objects::pod_name(round));
    let created = ask(server, "POST", PODS, JSON, objects::large_pod(round)).await?;
    let mut pod: Value = serde_json::from_slice(&created)?;
    pod["metadata"]["annotations"] = json!({"turn": round.to_string()});
    ask(server, "PUT", &path, JSON, pod.to_string().into()).await?;
    ask(server, "PATCH", &path, MERGE_PATCH, objects::label_patch(round)).await?;
    let status = json!({"status": {"phase": "Running", "message": round.to_string()}}).to_string();
    ask(server, "PATCH", &format!("{path}/status"), MERGE_PATCH, status.into()).await?;
    ask(server, "DELETE", &format!("{path}?gracePeriodSeconds=0"), JSON, Bytes::new()).await?;
    Ok(())
}

/// A definition is created.
async fn define(server: &Server, round: usize) -> Result<(), BoxError> {
    let body = definitions::definition(round).to_string();
    ask(server, "POST", definitions::DEFINITIONS_PATH, JSON, body.into()).await?;
    Ok(())
}

/// A definition changes, and its group's document is read.
async fn explain(server: &Server, round: usize) -> Result<(), BoxError> {
    if round < GROUP {
        define(server, round * definitions::GROUPS).await?;
    }
    let definition = definitions::definition(0);
    let (path, patch) = definitions::change_of(&definition, round);
    ask(server, "PATCH", &path, JSON_PATCH, patch).await?;
    ask(server, "GET", &definitions::documents(&definition)[0], JSON, Bytes::new()).await?;
    Ok(())
}

async fn ask(server: &Server, method: &str, path: &str, content_type: &str, body: Bytes) -> Result<Bytes, BoxError> {
    let request = Request::builder().method(method).uri(path).header("content-type", content_type);
    let response = server.clone().oneshot(request.body(Full::new(body))?).await?;
    let status = response.status();
    let body = response.into_body().collect().await?.to_bytes();
    if status.is_success() {
        return Ok(body);
    }
    Err(format!("{method} {path}: {status}: {}", String::from_utf8_lossy(&body)).into())
}

const PODS: &str = "/api/v1/namespaces/default/pods";
const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";

/// As many definitions as a group has, when all are installed.
const GROUP: usize = 4;
