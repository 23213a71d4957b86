//! Objects that are stored at an old version, written again at the new one.
//!
//! `status.storedVersions` lists every version that some object may be stored at; only we take versions out of it. So objects
//! are rewritten first, all of them, and the list is trimmed after, if the definition is still the one they were rewritten
//! under.

use futures::TryStreamExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle_client::api::{ListParams, Patch, PatchParams, PostParams};
use pintle_client::{Api, Client, Error};
use pintle_core::{DynamicObject, ResourceExt};
use serde_json::json;

use super::installer::resource_of;

/// Rewrites the objects of a definition at its storage version, and says so in its status.
pub(super) async fn migrate(
    client: &Client,
    api: &Api<CustomResourceDefinition>,
    name: &str,
    storage: &str,
) -> pintle_client::Result<()> {
    let definition = api.get(name).await?;
    let stored = definition.status.as_ref().and_then(|status| status.stored_versions.clone()).unwrap_or_default();
    if stored == [storage] {
        return Ok(());
    }
    let rewritten = match resource_of(&definition, Some(storage)) {
        Some(resource) => rewrite_all(&Api::all_with(client.clone(), &resource), client, &resource).await?,
        None => 0,
    };
    // A definition that changed meanwhile may have another storage version: then this is refused.
    let version = definition.metadata.resource_version.as_deref().unwrap_or_default();
    let trimmed = json!({"metadata": {"resourceVersion": version}, "status": {"storedVersions": [storage]}});
    api.patch_status(name, &PatchParams::default(), &Patch::Merge(trimmed)).await?;
    tracing::info!("{name}: {rewritten} objects are stored at {storage} now, and none at {}", others(&stored, storage));
    Ok(())
}

async fn rewrite_all(
    all: &Api<DynamicObject>,
    client: &Client,
    resource: &pintle_core::ApiResource,
) -> pintle_client::Result<usize> {
    let mut objects = all.pages(&ListParams::default().limit(PAGE)).objects();
    let mut rewritten = 0;
    while let Some(object) = objects.try_next().await? {
        let api = match object.namespace() {
            Some(namespace) => Api::namespaced_with(client.clone(), &namespace, resource),
            None => all.clone(),
        };
        rewrite(&api, object).await?;
        rewritten += 1;
    }
    Ok(rewritten)
}

/// Writes an object as it is. Whoever else wrote or deleted it since has done the same.
async fn rewrite(api: &Api<DynamicObject>, object: DynamicObject) -> pintle_client::Result<()> {
    match api.replace(&object.name_any(), &PostParams::default(), &object).await {
        Ok(_) => Ok(()),
        Err(Error::Api(status)) if status.code == 404 || status.code == 409 => Ok(()),
        Err(error) => Err(error),
    }
}

fn others(stored: &[String], storage: &str) -> String {
    stored.iter().filter(|version| *version != storage).cloned().collect::<Vec<_>>().join(", ")
}

/// Objects of a page are held in memory.
const PAGE: u32 = 100;
