//! Asks a server what it has.
//!
//! In: which groups are wanted. Out: those groups, and the versions whose own servers are down. One request each for
//! the core group and for the named ones; where the answers are legacy documents, one more per version, some at a time.

use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroup, GroupVersionForDiscovery};
use pintle_core::discovery::v2::{APIGroupDiscovery, APIVersionDiscovery};
use pintle_core::gvk::GroupVersion;
use serde::Deserialize;

use super::mapper::Mapping;
use super::{ApiGroup, Unavailable, Wanted, served};
use crate::client::{Client, aggregated};
use crate::error::{Error, Result};

/// Legacy documents asked for at the same time: enough to hide the way to the server, few enough not to be a burst.
const LEGACY_AT_ONCE: usize = 8;

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) groups: Vec<ApiGroup>,
    pub(super) unavailable: Vec<Unavailable>,
}

/// What a server answers at `/api` and `/apis`: one of three documents.
#[derive(Deserialize)]
struct Document {
    /// Of aggregated documents.
    items: Option<Vec<APIGroupDiscovery>>,
    /// Of the legacy document at `/apis`.
    #[serde(default)]
    groups: Vec<APIGroup>,
    /// Of the legacy document at `/api`.
    #[serde(default)]
    versions: Vec<String>,
}

/// A group as a document lists it.
struct Listed {
    name: String,
    versions: Vec<String>,
    preferred: Option<String>,
}

/// Asks for all groups that are wanted.
pub(super) async fn load(client: &Client, wanted: &Wanted) -> Result<Found> {
    let mut found = Found::default();
    if wanted.includes(ApiGroup::CORE_GROUP) {
        found.add(client, wanted, document(client, "/api").await?).await?;
    }
    if wanted.includes_named() {
        found.add(client, wanted, document(client, "/apis").await?).await?;
    }
    Ok(found)
}

/// What is served at one version.
pub(super) async fn version(client: &Client, at: &GroupVersion) -> Result<Vec<Mapping>> {
    let list = if at.group == ApiGroup::CORE_GROUP {
        client.list_core_api_resources(&at.version).await?
    } else {
        client.list_api_group_resources(&at.api_version()).await?
    };
    Ok(served::of_legacy(at, list))
}

async fn document(client: &Client, path: &str) -> Result<Document> {
    client.request(aggregated(path)?).await
}

impl Found {
    async fn add(&mut self, client: &Client, wanted: &Wanted, document: Document) -> Result<()> {
        if let Some(items) = document.items {
            for group in items {
                self.add_aggregated(wanted, group);
            }
            return Ok(());
        }
        let core = (!document.versions.is_empty()).then(|| Listed {
            name: ApiGroup::CORE_GROUP.to_owned(),
            preferred: document.versions.first().cloned(),
            versions: document.versions,
        });
        let listed = core.into_iter().chain(document.groups.into_iter().map(Listed::from));
        let groups = listed.filter(|group| wanted.includes(&group.name));
        let asked = stream::iter(groups.map(|group| legacy(client, group))).buffered(LEGACY_AT_ONCE);
        let answers: Vec<_> = asked.try_collect().await?;
        for (group, unavailable) in answers {
            self.groups.extend(group);
            self.unavailable.extend(unavailable);
        }
        Ok(())
    }

    fn add_aggregated(&mut self, wanted: &Wanted, group: APIGroupDiscovery) {
        let name = group.metadata.and_then(|metadata| metadata.name).unwrap_or_default();
        if !wanted.includes(&name) {
            return;
        }
        let mut versions = Vec::new();
        for APIVersionDiscovery { version, resources, freshness } in group.versions {
            let Some(version) = version.filter(|version| !version.is_empty()) else { continue };
            let at = GroupVersion::gv(&name, &version);
            if freshness.as_deref() == Some("Stale") {
                let reason = "the API server could not ask the server behind it".to_owned();
                self.unavailable.push(Unavailable { group_version: at.clone(), reason });
            }
            versions.push((version, served::of_aggregated(&at, resources)));
        }
        // The server lists the version it prefers first.
        let preferred = versions.first().map(|(version, _)| version.clone());
        self.groups.extend(ApiGroup::new(name, versions, preferred));
    }
}

impl From<APIGroup> for Listed {
    fn from(group: APIGroup) -> Self {
        let version = |it: GroupVersionForDiscovery| it.version;
        Self {
            name: group.name,
            preferred: group.preferred_version.map(version),
            versions: group.versions.into_iter().map(version).collect(),
        }
    }
}

/// One group, version by version. A version whose server is down is named, and the others are there.
async fn legacy(client: &Client, group: Listed) -> Result<(Option<ApiGroup>, Vec<Unavailable>)> {
    let (mut versions, mut unavailable) = (Vec::new(), Vec::new());
    for name in group.versions {
        let at = GroupVersion::gv(&group.name, &name);
        match version(client, &at).await {
            Ok(served) => versions.push((name, served)),
            // Refused for this version: by a server that is down, or gone since the list was made.
            Err(Error::Api(status)) if status.code >= 500 || status.code == 404 => {
                unavailable.push(Unavailable { group_version: at, reason: status.message.clone() });
            }
            Err(error) => return Err(error),
        }
    }
    Ok((ApiGroup::new(group.name, versions, group.preferred), unavailable))
}
