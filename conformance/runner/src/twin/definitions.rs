//! Definitions of kinds on both servers: the first of each name is created and stays, the rest is tried without effect.
//!
//! Real Kubernetes takes moments to serve what a definition says, and writes its conditions meanwhile: a definition that
//! changed all the time would make every object after it a matter of luck.

use serde_json::json;

use super::cycle::{APPLY, JSON_PATCH, MERGE, STRATEGIC, body, json_patch, named, with_label};
use super::manifests::Manifest;
use super::pair::{Ask, Course, Pair};
use super::resources::Resource;
use super::rules::{Step, compare};

/// Creates a definition on both, waits until its kind is served, and tries the other verbs.
pub(super) async fn perform(pair: &Pair, manifest: &Manifest, resource: &Resource) -> Result<Vec<Step>, String> {
    let [mut kube, mut embedded] = pair.courses();
    let collection = resource.collection(manifest);
    let create = Ask::post(&collection, manifest.object.clone());
    let strict = Ask::post(&format!("{collection}?fieldValidation=Strict&dryRun=All"), manifest.object.clone());
    let strict = strict.titled("create, strict");
    tokio::try_join!(kube.ask(&strict), embedded.ask(&strict))?;
    let (created, _) = tokio::try_join!(kube.ask(&create), embedded.ask(&create))?;
    if created.status == Some(201) {
        for path in served(manifest) {
            pair.await_success(&path).await?;
        }
    }
    if let Some(name) = named(&body(&created)).or_else(|| named(&manifest.object)) {
        let path = format!("{collection}/{name}");
        tokio::try_join!(try_verbs(&mut kube, &path, manifest), try_verbs(&mut embedded, &path, manifest))?;
    }
    Ok(compare(manifest, kube.recording(), embedded.recording()))
}

async fn try_verbs(server: &mut Course<'_>, path: &str, manifest: &Manifest) -> Result<(), String> {
    let tried = format!("{path}?dryRun=All");
    let marked = |mark: &str| with_label(&manifest.object, mark);
    let read = server.ask(&Ask::get(path)).await?;
    server.ask(&Ask::put(&tried, with_label(&body(&read), "updated")).titled("update")).await?;
    let mut replaced = marked("replaced");
    replaced["metadata"]["resourceVersion"] = body(&read)["metadata"]["resourceVersion"].clone();
    server.ask(&Ask::put(&tried, replaced)).await?;
    for (query, title) in [("", "apply"), ("&force=true", "apply, forced")] {
        let ask = Ask::patch(&format!("{tried}&fieldManager=applier{query}"), APPLY, manifest.object.clone());
        server.ask(&ask.titled(title)).await?;
    }
    server.ask(&Ask::patch(&tried, MERGE, marked("merged")).titled("merge patch")).await?;
    server.ask(&Ask::patch(&tried, JSON_PATCH, json_patch()).titled("JSON patch")).await?;
    server.ask(&Ask::patch(&tried, STRATEGIC, marked("strategic")).titled("strategic patch")).await?;
    server.ask(&Ask::get(path).as_table().titled("table")).await?;
    server.ask(&Ask::delete(&tried, json!({}))).await?;
    Ok(())
}

/// The collections that a definition serves.
fn served(manifest: &Manifest) -> Vec<String> {
    let (group, plural) = (manifest.text("/spec/group"), manifest.text("/spec/names/plural"));
    let versions = manifest.object["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let served = versions.iter().filter(|version| version["served"] == true);
    let names = served.filter_map(|version| version["name"].as_str());
    names.map(|name| format!("/apis/{group}/{name}/{plural}?limit=1")).collect()
}
