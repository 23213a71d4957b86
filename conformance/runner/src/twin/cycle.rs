//! The life of one object on both servers.

use std::time::Duration;

use serde_json::{Value, json};

use super::manifests::{Manifest, Rank};
use super::pair::{Ask, Course, Pair, WatchEnd};
use super::resources::Resource;
use super::rules::{Step, compare};
use crate::exchange::Answer;

/// Creates, reads, applies, updates, patches and deletes the object of a manifest on both; returns what they answered.
pub(super) async fn perform(pair: &Pair, manifest: &Manifest, resource: &Resource) -> Result<Vec<Step>, String> {
    let [mut kube, mut embedded] = pair.courses();
    tokio::try_join!(live(&mut kube, manifest, resource), live(&mut embedded, manifest, resource))?;
    Ok(compare(manifest, resource.is_custom, kube.recording(), embedded.recording()))
}

async fn live(server: &mut Course<'_>, manifest: &Manifest, resource: &Resource) -> Result<(), String> {
    let collection = resource.collection(manifest);
    if let Some(name) = named(&manifest.object) {
        server.watch(&format!("{collection}?watch=true&fieldSelector=metadata.name={name}")).await?;
    }
    let created = server.ask(&Ask::post(&collection, manifest.object.clone())).await?;
    let strict = format!("{collection}?fieldValidation=Strict&dryRun=All");
    server.ask(&Ask::post(&strict, manifest.object.clone()).titled("create, strict")).await?;
    let Some(name) = named(&body(&created)).or_else(|| named(&manifest.object)) else { return Ok(()) };
    let path = format!("{collection}/{name}");
    let was_there = write(server, &path, manifest, resource, &name).await? || is_success(&created);
    delete(server, &path, manifest).await?;
    let ending = match manifest.rank() {
        _ if !was_there => WatchEnd::Nothing,
        Rank::Namespace => WatchEnd::Stays,
        _ => WatchEnd::Deleted,
    };
    server.end_watch(ending).await;
    Ok(())
}

/// Whether anything was written.
async fn write(
    server: &mut Course<'_>,
    path: &str,
    manifest: &Manifest,
    resource: &Resource,
    name: &str,
) -> Result<bool, String> {
    let mut object = manifest.object.clone();
    object["metadata"]["name"] = json!(name);
    let marked = |mark: &str| with_label(&object, mark);
    let apply = |query: &str| Ask::patch(&format!("{path}?fieldManager=applier{query}"), APPLY, object.clone());
    server.ask(&Ask::get(path)).await?;
    let applied = server.ask(&apply("").titled("apply")).await?;
    another_second(manifest).await;
    let forced = server.ask(&apply("&force=true").titled("apply, forced")).await?;
    another_second(manifest).await;
    server.ask(&apply("&force=true").titled("apply, again")).await?;
    let read = body(&server.ask_aside(&Ask::get(path)).await?);
    let updated = if read["kind"] == manifest.kind() { with_label(&read, "updated") } else { marked("updated") };
    server.ask(&Ask::put(path, updated).titled("update")).await?;
    server.ask(&Ask::put(path, marked("replaced"))).await?;
    server.ask(&Ask::patch(path, MERGE, marked("merged")).titled("merge patch")).await?;
    server.ask(&Ask::patch(path, JSON_PATCH, json_patch()).titled("JSON patch")).await?;
    server.ask(&Ask::patch(path, STRATEGIC, marked("strategic")).titled("strategic patch")).await?;
    if resource.has_status {
        let status = manifest.object.get("status").cloned().unwrap_or_else(|| json!({}));
        let ask = Ask::patch(&format!("{path}/status"), MERGE, json!({"status": status}));
        server.ask(&ask.titled("status patch")).await?;
    }
    server.ask(&Ask::get(path).into_table().titled("table")).await?;
    Ok([applied, forced].iter().any(is_success))
}

/// Goes on to another second where it counts at which second an object is applied: with a link of old an apply that changes
/// nothing renews its time, which is a write at another second only.
async fn another_second(manifest: &Manifest) {
    if !manifest.text("/metadata/selfLink").is_empty() {
        tokio::time::sleep(A_SECOND).await;
    }
}

/// Deletes the object, and frees it of what holds it.
async fn delete(server: &mut Course<'_>, path: &str, manifest: &Manifest) -> Result<(), String> {
    let mut options = json!({"gracePeriodSeconds": 0, "propagationPolicy": "Background"});
    // Without its controller a namespace never ends.
    if manifest.rank() == Rank::Namespace {
        options["dryRun"] = json!(["All"]);
        server.ask(&Ask::delete(path, options)).await?;
        return Ok(());
    }
    server.ask(&Ask::delete(path, options)).await?;
    let free = Ask::patch(path, MERGE, json!({"metadata": {"finalizers": null}})).titled("without finalizers");
    server.ask(&free).await?;
    Ok(())
}

pub(super) fn named(object: &Value) -> Option<String> {
    object.pointer("/metadata/name").and_then(Value::as_str).filter(|name| !name.is_empty()).map(str::to_owned)
}

pub(super) fn body(answer: &Answer) -> Value {
    answer.body.values().first().cloned().unwrap_or_default()
}

pub(super) fn is_success(answer: &Answer) -> bool {
    answer.status.is_some_and(|status| status < 300)
}

/// The object with a label that says what was done to it last, so that each write changes something.
pub(super) fn with_label(object: &Value, mark: &str) -> Value {
    let mut object = object.clone();
    // Labels that are something else are what this manifest is about.
    if let labels @ (Value::Null | Value::Object(_)) = &mut object["metadata"]["labels"] {
        labels["twin"] = json!(mark);
    }
    object
}

pub(super) fn json_patch() -> Value {
    json!([{"op": "add", "path": "/metadata/annotations", "value": {"twin": "json"}}])
}

/// A little more, so that clocks that are read in whole seconds show another one.
const A_SECOND: Duration = Duration::from_millis(1_100);

pub(super) const APPLY: &str = "application/apply-patch+yaml";
pub(super) const MERGE: &str = "application/merge-patch+json";
pub(super) const JSON_PATCH: &str = "application/json-patch+json";
pub(super) const STRATEGIC: &str = "application/strategic-merge-patch+json";
