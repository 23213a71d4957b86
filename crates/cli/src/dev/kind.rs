//! A kind whose objects are watched and shown.

use pintle::Client;
use pintle::Resource;
use pintle::api::{ApiResource, GroupVersionKind};
use pintle::discovery;

use super::document::Document;

#[derive(Clone, Debug)]
pub(super) struct WatchedKind {
    pub(super) resource: ApiResource,
}

impl WatchedKind {
    /// The kind of the sample.
    pub(super) fn of_sample() -> Self {
        let (group, version) = (Document::group(&()), Document::version(&()));
        let gvk = GroupVersionKind::gvk(&group, &version, &Document::kind(&()));
        Self { resource: ApiResource::from_gvk_with_plural(&gvk, &Document::plural(&())) }
    }

    /// A kind that the server has.
    pub(super) async fn find(client: &Client, kind: &GroupVersionKind) -> pintle::Result<Self> {
        let (resource, _) = discovery::pinned_kind(client, kind).await?;
        Ok(Self { resource })
    }

    /// `documents.example.com`, or `pods`.
    pub(super) fn name(&self) -> String {
        let ApiResource { plural, group, .. } = &self.resource;
        if group.is_empty() { plural.clone() } else { format!("{plural}.{group}") }
    }
}
