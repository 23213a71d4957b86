//! Everything a server knows, behind one lock: objects, kinds, clock, randomness.
//!
//! ```text
//!   snapshot ─► attempt (registry, admission), without the lock ─► commit ─► publish, as the lock is given back
//!      ▲                                                             │ └─► pending ─► settle: controllers
//!      └─────────────── lost: something it was made from changed ────┘
//! ```
//! In: writes that are ready. Out: what changed. A commit is alone and whole: it stores what was worked out from a
//! [`ClusterSnapshot`] only if that is still how things are. What it entails (garbage, definitions) is noted as pending work
//! and done by [`Cluster::settle`].

pub(crate) mod commit;
pub(crate) mod ids;
pub(crate) mod pending;
pub(crate) mod service_network;
pub(crate) mod snapshot;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::admission::Admission;
use crate::admission::policies::AdmissionPolicies;
use crate::admission::webhooks::WebhookConfigurations;
use crate::authorization::Authorizer;
use crate::authorization::bootstrap::Bootstrap;
use crate::catalog::Catalog;
use crate::catalog::crd::converter::Converter;
use crate::catalog::kinds::Kind;
use crate::clock::Clock;
use crate::codec::object::Object;
use crate::controllers::namespace::{NamespaceController, NamespaceDefaults};
use crate::controllers::simulated::certificate_signing::CertificateAuthority;
use crate::controllers::simulated::{ROUNDS_MAX, Simulation};
use crate::data::database::Contents;
use crate::registry::core::service_accounts::token::TokenKey;
use crate::registry::subresources::SubresourceType;
use crate::response::status::{Answer, bad_request};
use crate::storage::entry::{ChangeKind, Encoded, Entry};
use crate::storage::event_ttl::Expiries;
use crate::storage::store::{Objects, Resource, Snapshot, StorageKey, Store, key};
use crate::storage::watch_cache::WatchCacheSizes;
use crate::webhook::WebhookClient;
use ids::Ids;
use pending::{Followup, PendingWork};
use service_network::ServiceNetwork;
use snapshot::ClusterSnapshot;
use tokio::time::Instant;

/// The state of a server.
pub(crate) struct Cluster {
    pub(crate) store: Store,
    pub(crate) catalog: Arc<Catalog>,
    /// The webhook configurations that are stored.
    webhooks: WebhookConfigurations,
    policies: AdmissionPolicies,
    pub(crate) webhook_client: WebhookClient,
    pub(crate) network: ServiceNetwork,
    pub(crate) clock: Clock,
    pub(crate) ids: Ids,
    pub(crate) garbage: GarbageCollection,
    /// The small cluster around the server, where there is one.
    pub(crate) simulation: Option<Box<Simulation>>,
    pub(crate) expiries: Expiries,
    pub(crate) namespaces: NamespaceController,
    /// What namespaces are given, if anything.
    pub(crate) defaults: Option<NamespaceDefaults>,
    pub(crate) token_key: TokenKey,
    /// Who signs certificates, once the server is on a socket.
    pub(crate) certificate_authority: Option<Arc<dyn CertificateAuthority>>,
    pub(crate) admission: Arc<Admission>,
    /// Who may do what; its index of roles follows every write.
    pub(crate) authorizer: Authorizer,
    /// What controllers have to do.
    pub(crate) pending: PendingWork,
    /// Namespaces whose quotas are to be counted anew.
    pub(crate) stale_quotas: BTreeSet<String>,
}

/// Whether objects whose owners are gone are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GarbageCollection {
    On,
    Off,
}

/// What a request is about, resolved.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedTarget {
    pub(crate) kind: Arc<Kind>,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
    /// Under which name what is written is kept in managedFields.
    pub(crate) manager: String,
}

impl ResolvedTarget {
    /// The name in the path, empty for a collection.
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// The type of the subresource; `Object` where there is none.
    pub(crate) fn subresource_type(&self) -> SubresourceType {
        let subresource = self.subresource.as_deref().and_then(|name| self.kind.subresource(name));
        subresource.map_or(SubresourceType::Object, |subresource| SubresourceType::of(&self.kind, subresource))
    }

    /// The `apiVersion` and kind of a body that is sent there.
    pub(crate) fn body_type(&self) -> (String, &str) {
        match self.subresource.as_deref().and_then(|name| self.kind.subresource(name)) {
            Some(subresource) if subresource.group_version.is_empty() => (self.kind.api_version(), &subresource.kind),
            Some(subresource) => (subresource.group_version.clone(), &subresource.kind),
            None => (self.kind.api_version(), &self.kind.kind),
        }
    }

    /// Where the object of this name is stored.
    pub(crate) fn place(&self, name: &str) -> StorageKey {
        StorageKey { resource: self.kind.resource(), key: key(self.namespace.as_deref(), name) }
    }
}

/// What a write did.
pub(crate) struct Written {
    pub(crate) code: u16,
    pub(crate) entry: Arc<Entry>,
    /// What the client should know besides.
    pub(crate) warnings: Vec<String>,
}

/// `dryRun` of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DryRun {
    /// It is stored.
    No,
    /// Every step is made but the last: nothing is stored.
    All,
}

impl Cluster {
    pub(crate) fn new(
        sizes: WatchCacheSizes,
        clock: Clock,
        ids: Ids,
        token_key: TokenKey,
        garbage: GarbageCollection,
    ) -> Cluster {
        Cluster {
            store: Store::new(sizes),
            catalog: Arc::default(),
            webhooks: WebhookConfigurations::default(),
            policies: AdmissionPolicies::default(),
            webhook_client: WebhookClient::default(),
            network: ServiceNetwork::default(),
            token_key,
            certificate_authority: None,
            clock,
            ids,
            garbage,
            simulation: None,
            expiries: Expiries::new(EVENT_TIME_TO_LIVE),
            namespaces: NamespaceController::On,
            defaults: None,
            admission: Arc::default(),
            authorizer: Authorizer::AlwaysAllow,
            pending: PendingWork::default(),
            stale_quotas: BTreeSet::new(),
        }
    }

    /// A cluster of its own with the same objects.
    pub(crate) fn fork(&self) -> Cluster {
        Cluster {
            store: self.store.fork(),
            catalog: Arc::clone(&self.catalog),
            webhooks: self.webhooks.clone(),
            policies: self.policies.clone(),
            webhook_client: self.webhook_client.clone(),
            network: self.network.clone(),
            clock: self.clock.fork(),
            token_key: self.token_key.clone(),
            // What this one signs is known to its own socket, and must not open it to those who are trusted by a fork.
            certificate_authority: None,
            ids: self.ids.fork(),
            garbage: self.garbage,
            simulation: self.simulation.clone(),
            expiries: self.expiries.clone(),
            namespaces: self.namespaces,
            defaults: self.defaults.clone(),
            admission: Arc::clone(&self.admission),
            authorizer: self.authorizer.fork(),
            pending: PendingWork::default(),
            stale_quotas: BTreeSet::new(),
        }
    }

    /// The cluster as it is now.
    pub(crate) fn snapshot(&self) -> ClusterSnapshot {
        ClusterSnapshot {
            objects: self.store.objects(),
            catalog: Arc::clone(&self.catalog),
            webhooks: self.webhooks.clone(),
            policies: self.policies.clone(),
            client: self.webhook_client.clone(),
            network: self.network.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            revision: self.store.revision(),
            authorizer: self.authorizer.clone(),
        }
    }

    /// What asks conversion webhooks.
    pub(crate) fn converter(&self) -> Converter {
        let (client, ids) = (self.webhook_client.clone(), self.ids.clone());
        Converter { client, ids, catalog: Arc::clone(&self.catalog) }
    }

    /// Goes back to the state at a revision; returns whether that was possible.
    pub(crate) fn rewind(&mut self, revision: u64) -> bool {
        let done = self.store.rewind(revision);
        if done {
            self.follow_stored_objects();
        }
        done
    }

    /// Has these objects instead of what there was.
    pub(crate) fn restore(&mut self, objects: Objects, revision: u64) {
        for (place, revision) in self.store.restore(objects, revision) {
            self.expiries.note(&place, revision, &self.clock);
        }
        self.follow_stored_objects();
    }

    /// Goes on with what an earlier process stored: what every cluster has is there, and controllers look at every object,
    /// because that process may have ended before they did.
    pub(crate) fn go_on_with(&mut self, contents: Contents, bootstrap: &Bootstrap) {
        self.restore(contents.objects, contents.revision);
        self.create_missing(&bootstrap.objects);
        for (resource, stored) in &self.store.objects() {
            for key in stored.keys() {
                self.pending.stored(StorageKey { resource: resource.clone(), key: Arc::clone(key) });
            }
        }
    }

    fn create_missing(&mut self, objects: &[(Resource, Snapshot)]) {
        for (resource, wanted) in objects {
            for (key, entry) in wanted {
                let place = StorageKey { resource: resource.clone(), key: Arc::clone(key) };
                if self.store.get(resource, key).is_none()
                    && let Err(refusal) = self.put(&place, &entry.object())
                {
                    tracing::warn!(%key, "what every cluster has could not be made: {}", refusal.message);
                }
            }
        }
    }

    /// Works out anew everything that follows from what is stored.
    fn follow_stored_objects(&mut self) {
        self.serve_stored_definitions();
        self.authorizer.reindex(&self.store);
        self.read_admission_configurations();
        self.network = ServiceNetwork::new(self.network.range());
        for (key, entry) in self.store.snapshot(&Resource::new("", "services")) {
            self.network.change(&key, None, Some(&entry.object()));
        }
        self.wake_all_controllers();
    }

    /// Stores an object and notes what follows from it.
    pub(crate) fn put(&mut self, place: &StorageKey, object: &Object) -> Answer<Arc<Entry>> {
        let is_there = self.store.get(&place.resource, &place.key).is_some();
        let kind = if is_there { ChangeKind::Modified } else { ChangeKind::Added };
        self.put_encoded(place, Encoded::new(kind, object))
    }

    /// Removes an object and notes what follows from it.
    pub(crate) fn remove(&mut self, place: &StorageKey, last: &Object) -> Answer<Arc<Entry>> {
        self.remove_encoded(place, Encoded::new(ChangeKind::Deleted, last))
    }

    fn put_encoded(&mut self, place: &StorageKey, object: Encoded) -> Answer<Arc<Entry>> {
        let entry = self.put_unserved(place, object)?;
        self.note_definition(place, &entry);
        Ok(entry)
    }

    /// Stores an object, but does not yet serve what it defines.
    pub(crate) fn put_unserved(&mut self, place: &StorageKey, object: Encoded) -> Answer<Arc<Entry>> {
        let old = self.service_at(place);
        let entry = self.store.put(place, object).map_err(|error| bad_request(error.to_string()))?;
        self.authorizer.stored(place, &entry);
        self.expiries.note(place, entry.revision, &self.clock);
        if place.resource.is("", "services") {
            self.network.change(&place.key, old.as_ref(), Some(&entry.object()));
        }
        self.webhooks.put(place, &entry);
        self.policies.put(place, &entry);
        self.pending.stored(place.clone());
        Ok(entry)
    }

    fn remove_encoded(&mut self, place: &StorageKey, last: Encoded) -> Answer<Arc<Entry>> {
        let old = self.service_at(place);
        let entry = self.store.remove(place, last).map_err(|error| bad_request(error.to_string()))?;
        self.authorizer.removed(place);
        self.network.change(&place.key, old.as_ref(), None);
        self.webhooks.remove(place);
        self.policies.remove(place);
        self.pending.removed(place.clone(), Arc::clone(&entry));
        self.forget_definition(place, &entry);
        Ok(entry)
    }

    /// Reads all webhook configurations and policies, after the store was changed as a whole.
    fn read_admission_configurations(&mut self) {
        self.webhooks = WebhookConfigurations::default();
        self.policies = AdmissionPolicies::default();
        for resource in WebhookConfigurations::resources().into_iter().chain(AdmissionPolicies::resources()) {
            for (key, entry) in self.store.snapshot(&resource) {
                let place = StorageKey { resource: resource.clone(), key };
                self.webhooks.put(&place, &entry);
                self.policies.put(&place, &entry);
            }
        }
    }

    fn service_at(&self, place: &StorageKey) -> Option<Object> {
        let is_service = place.resource.is("", "services");
        is_service.then(|| self.store.get(&place.resource, &place.key)).flatten().map(|entry| entry.object())
    }

    /// Queues an object for the controllers again, as if it had just been stored.
    pub(crate) fn requeue(&mut self, place: StorageKey) {
        self.pending.stored(place);
    }

    /// Does everything the writes so far entail.
    pub(crate) fn settle(&mut self) {
        self.pending.bring_back(Instant::now());
        self.follow_up();
        // What is counted is written, and that has followers of its own.
        let mut rounds = 0;
        while self.sync_stale_quotas() || self.run_controllers() {
            self.follow_up();
            rounds += 1;
            if rounds > ROUNDS_MAX {
                return self.postpone_controllers();
            }
        }
    }

    fn follow_up(&mut self) {
        while let Some(work) = self.pending.next() {
            match work {
                Followup::Stored(place) => {
                    self.continue_definition(&place);
                    self.garbage_collect(&place);
                    self.sync_namespace(&place);
                    self.sync_namespace_of(&place);
                    self.release_unused(&place);
                    self.note_quota_use(&place, false);
                    self.aggregate_cluster_roles(&place);
                    self.check_policy_types(&place);
                    self.wake_controllers(&place, None);
                }
                Followup::Removed(place, entry) => {
                    self.requeue_definitions(&place);
                    self.garbage_collect_dependents(&entry, &place);
                    self.sync_namespace_of(&place);
                    self.release_unused(&place);
                    self.note_quota_use(&place, true);
                    self.aggregate_cluster_roles(&place);
                    self.wake_controllers(&place, Some(&entry));
                }
            }
        }
    }
}

/// kube-apiserver's default.
const EVENT_TIME_TO_LIVE: Duration = Duration::from_secs(60 * 60);
