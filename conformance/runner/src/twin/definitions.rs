//! Definitions of kinds on both servers: the first of each name is created and stays, the rest is tried without effect.
//!
//! Real Kubernetes takes moments to serve what a definition says, and writes its conditions meanwhile: a definition that
//! changed all the time would make every object after it a matter of luck.

use serde_json::json;

use super::cycle::{APPLY, JSON_PATCH, MERGE, STRATEGIC, body, is_success, json_patch, named, with_label};
use super::manifests::Manifest;
use super::pair::{Ask, Course, Pair};
use super::resources::{Resource, Resources};
use super::rules::{Step, compare};

/// Creates all definitions on both, waits until their kinds are served, and tries the other verbs on each.
///
/// All are created before any is waited for: real Kubernetes serves a kind five seconds after it is defined.
/// One of a version that is not served any more is left out.
pub(super) async fn perform<'a>(
    pair: &Pair,
    manifests: &'a [Manifest],
    resources: &mut Resources,
) -> Result<Vec<(&'a Manifest, Vec<Step>)>, String> {
    let mut created = Vec::new();
    for manifest in manifests {
        let Some(resource) = resources.of(pair, manifest).await? else { continue };
        created.push((manifest, create(pair, manifest, &resource).await?));
    }
    let new = created.iter().filter(|(_, created)| created.is_new);
    for path in new.flat_map(|(manifest, _)| served(manifest)) {
        pair.await_success(&path).await?;
    }
    let mut compared = Vec::new();
    for (manifest, Created { path, servers: [mut kube, mut embedded], .. }) in created {
        if let Some(path) = path {
            tokio::try_join!(try_verbs(&mut kube, &path, manifest), try_verbs(&mut embedded, &path, manifest))?;
        }
        compared.push((manifest, compare(manifest, false, kube.recording(), embedded.recording())));
    }
    Ok(compared)
}

/// A definition that both were asked to create.
struct Created<'a> {
    /// Where it is, if it has a name.
    path: Option<String>,
    /// Whether there was none of its name; then its kind is served in moments.
    is_new: bool,
    servers: [Course<'a>; 2],
}

async fn create<'a>(pair: &'a Pair, manifest: &Manifest, resource: &Resource) -> Result<Created<'a>, String> {
    let [mut kube, mut embedded] = pair.courses();
    let collection = resource.collection(manifest);
    let strict = Ask::post(&format!("{collection}?fieldValidation=Strict&dryRun=All"), manifest.object.clone());
    let strict = strict.titled("create, strict");
    tokio::try_join!(kube.ask(&strict), embedded.ask(&strict))?;
    let plain = Ask::post(&collection, manifest.object.clone());
    let (answer, _) = tokio::try_join!(kube.ask(&plain), embedded.ask(&plain))?;
    let path = named(&manifest.object).map(|name| format!("{collection}/{name}"));
    Ok(Created { path, is_new: is_success(&answer), servers: [kube, embedded] })
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
    server.ask(&Ask::get(path).into_table().titled("table")).await?;
    server.ask(&Ask::delete(path, json!({"dryRun": ["All"]}))).await?;
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
