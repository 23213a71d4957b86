//! What a write looks at while others go on: the cluster at one revision, shared and never changed.
//!
//! In: a moment of the cluster. Out: objects, kinds, time and choices, without its lock. A snapshot costs a few reference
//! counts. What is worked out from one counts only if it is still true at the commit.

use std::sync::Arc;

use super::ResolvedTarget;
use super::ids::Ids;
use super::service_network::ServiceNetwork;
use crate::admission::policies::AdmissionPolicies;
use crate::admission::webhooks::WebhookConfigurations;
use crate::authorization::Authorizer;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::response::status::{Answer, no_such_resource};
use crate::storage::entry::Entry;
use crate::storage::store::{Objects, Resource, Snapshot, StorageKey};
use crate::webhook::WebhookClient;

/// A cluster at one revision.
#[derive(Clone)]
pub(crate) struct ClusterSnapshot {
    pub(crate) objects: Objects,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) webhooks: WebhookConfigurations,
    pub(crate) policies: AdmissionPolicies,
    /// What conversion webhooks are called with.
    pub(crate) client: WebhookClient,
    pub(crate) network: ServiceNetwork,
    pub(crate) clock: Clock,
    pub(crate) ids: Ids,
    pub(crate) revision: u64,
    /// Decides by the roles as they are, not as they were.
    pub(crate) authorizer: Authorizer,
}

impl ClusterSnapshot {
    /// The object at a place.
    pub(crate) fn get(&self, place: &StorageKey) -> Option<&Arc<Entry>> {
        self.objects.get(&place.resource)?.get(&place.key)
    }

    /// The objects of a resource.
    pub(crate) fn of(&self, resource: &Resource) -> Snapshot {
        self.objects.get(resource).cloned().unwrap_or_default()
    }

    /// The object that a target names, if it is there.
    pub(crate) fn current(&self, target: &ResolvedTarget) -> Option<&Arc<Entry>> {
        self.get(&target.place(target.name()))
    }

    /// The target with its kind as it is now: a definition may have changed since the path was looked up.
    pub(crate) fn resolved(&self, target: &ResolvedTarget) -> Answer<ResolvedTarget> {
        let mut target = target.clone();
        if !self.catalog.serves(&target.kind) {
            let kind = self.catalog.kind(&target.kind.group, &target.kind.version, &target.kind.plural);
            target.kind = kind.ok_or_else(no_such_resource)?;
        }
        Ok(target)
    }
}
