//! Everything a server knows, behind one lock: objects, definitions, clock, randomness.
//!
//! In: requests that were understood. Out: what changed. Each write is carried out alone. What it makes of its object may
//! have been worked out before (`registry::guaranteed_update`), but only counts if that object is still the same, so nothing can come in
//! between; what it entails (garbage, definitions) is noted as pending work and done by [`Cluster::settle`] before the
//! lock is given back. So there is no background task and no moment at which a test could see half of it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::authorization::Authorizer;
use crate::catalog::crd::Definitions;
use crate::catalog::kinds::{self, Kind};
use crate::clock::Clock;
use crate::codec::object::Object;
use crate::controllers::namespace::NamespaceDefaults;
use crate::controllers::workloads::Workloads;
use crate::registry::subresources::SubresourceType;
use crate::registry::subresources::token::TokenKey;
use crate::request::user::User;
use crate::response::status::{Answer, bad_request};
use crate::storage::entry::Entry;
use crate::storage::event_ttl::Expiries;
use crate::storage::store::{Place, Resource, Store, key};
use crate::storage::watch_cache::WatchCacheSizes;

/// The state of a server.
pub(crate) struct Cluster {
    pub(crate) store: Store,
    pub(crate) definitions: Definitions,
    pub(crate) clock: Clock,
    pub(crate) random: fastrand::Rng,
    pub(crate) garbage: GarbageCollection,
    /// Whether workloads are simulated.
    pub(crate) workloads: Workloads,
    pub(crate) expiries: Expiries,
    /// What namespaces are given, if anything.
    pub(crate) defaults: Option<NamespaceDefaults>,
    /// Where uids come from, if not from the randomness.
    pub(crate) uids: Option<Uids>,
    pub(crate) token_key: TokenKey,
    /// Who may do what; its index of roles follows every write.
    pub(crate) authorizer: Authorizer,
    pending: VecDeque<Followup>,
}

/// A source of uids that a user brought.
pub(crate) struct Uids(Box<dyn FnMut() -> uuid::Uuid + Send>);

impl Uids {
    pub(crate) fn new(next: impl FnMut() -> uuid::Uuid + Send + 'static) -> Uids {
        Uids(Box::new(next))
    }
}

impl fmt::Debug for Uids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Uids")
    }
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
    /// Who asks for it; `None` where the server itself does.
    pub(crate) user: Option<Arc<User>>,
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
    pub(crate) fn place(&self, name: &str) -> Place {
        Place { resource: self.kind.resource(), key: key(self.namespace.as_deref(), name) }
    }
}

/// What a write did.
pub(crate) struct Written {
    pub(crate) code: u16,
    pub(crate) entry: Arc<Entry>,
    /// What the client should know besides.
    pub(crate) warnings: Vec<String>,
}

impl Written {
    pub(crate) fn new(code: u16, entry: Arc<Entry>) -> Written {
        Written { code, entry, warnings: Vec::new() }
    }
}

/// `dryRun` of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DryRun {
    /// It is stored.
    No,
    /// Every step is made but the last: nothing is stored.
    All,
}

/// Work that a write leaves behind.
pub(crate) enum Followup {
    Stored(Place),
    Removed(Place, Arc<Entry>),
}

impl Cluster {
    pub(crate) fn new(
        sizes: WatchCacheSizes,
        clock: Clock,
        random: fastrand::Rng,
        token_key: TokenKey,
        garbage: GarbageCollection,
    ) -> Cluster {
        Cluster {
            store: Store::new(sizes),
            definitions: Definitions::default(),
            token_key,
            clock,
            random,
            garbage,
            workloads: Workloads::Off,
            expiries: Expiries::new(EVENT_TIME_TO_LIVE),
            defaults: None,
            uids: None,
            authorizer: Authorizer::AlwaysAllow,
            pending: VecDeque::new(),
        }
    }

    /// A cluster of its own with the same objects.
    pub(crate) fn fork(&self, random: fastrand::Rng) -> Cluster {
        Cluster {
            store: self.store.fork(),
            definitions: self.definitions.clone(),
            clock: self.clock.clone(),
            token_key: self.token_key.clone(),
            random,
            garbage: self.garbage,
            workloads: self.workloads,
            expiries: self.expiries.clone(),
            defaults: self.defaults.clone(),
            uids: None,
            authorizer: self.authorizer.fork(),
            pending: VecDeque::new(),
        }
    }

    /// A uid for a new object.
    pub(crate) fn uid(&mut self) -> String {
        let uid = match &mut self.uids {
            Some(Uids(next)) => next(),
            None => uuid::Builder::from_random_bytes(self.random.u128(..).to_be_bytes()).into_uuid(),
        };
        uid.to_string()
    }

    /// Goes back to the state at a revision; returns whether that was possible.
    pub(crate) fn rewind(&mut self, revision: u64) -> bool {
        let done = self.store.rewind(revision);
        if done {
            self.serve_stored_definitions();
            self.authorizer.reindex(&self.store);
        }
        done
    }

    /// The kind served at this group, version and plural.
    pub(crate) fn kind(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Kind>> {
        kinds::built_in(group, version, plural).or_else(|| self.definitions.kind(group, version, plural))
    }

    /// Whether a resource is served, named by its plural or by plural and group.
    pub(crate) fn has_resource(&self, resource: &str) -> bool {
        let is_it = |kind: &Arc<Kind>| kind.plural == resource || kind.qualified_plural() == resource;
        kinds::built_in_all().any(is_it) || self.definitions.all().any(is_it)
    }

    /// The kind of this name in a group, at some version.
    pub(crate) fn kind_named(&self, group: &str, kind: &str) -> Option<Arc<Kind>> {
        kinds::built_in_named(group, kind).or_else(|| self.definitions.kind_named(group, kind))
    }

    /// The kind of a stored entry.
    pub(crate) fn kind_of(&self, resource: &Resource, entry: &Entry) -> Option<Arc<Kind>> {
        let version = entry.api_version().rsplit('/').next().unwrap_or_default();
        let group = entry.api_version().strip_suffix(version).unwrap_or_default().trim_end_matches('/');
        self.kind(group, version, &resource.plural).or_else(|| self.definitions.any(resource))
    }

    /// Stores an object and notes what follows from it.
    pub(crate) fn put(&mut self, place: &Place, object: Object) -> Answer<Arc<Entry>> {
        let entry = self.store.put(place, object).map_err(|error| bad_request(error.to_string()))?;
        self.authorizer.stored(place, &entry);
        self.expiries.note(place, entry.revision);
        self.pending.push_back(Followup::Stored(place.clone()));
        Ok(entry)
    }

    /// Removes an object and notes what follows from it.
    pub(crate) fn remove(&mut self, place: &Place, last: Object) -> Answer<Arc<Entry>> {
        let entry = self.store.remove(place, last).map_err(|error| bad_request(error.to_string()))?;
        self.authorizer.removed(place);
        self.pending.push_back(Followup::Removed(place.clone(), Arc::clone(&entry)));
        Ok(entry)
    }

    /// What a write would have stored.
    pub(crate) fn dry_run(&mut self, object: &Object) -> Answer<Arc<Entry>> {
        self.store.dry_run(object).map_err(|error| bad_request(error.to_string()))
    }

    /// Queues an object for the controllers again, as if it had just been stored.
    pub(crate) fn requeue(&mut self, place: Place) {
        self.pending.push_back(Followup::Stored(place));
    }

    /// Does everything the writes so far entail.
    pub(crate) fn settle(&mut self) {
        while let Some(work) = self.pending.pop_front() {
            match work {
                Followup::Stored(place) => {
                    self.establish(&place);
                    self.garbage_collect(&place);
                    self.sync_namespace(&place);
                    self.sync_namespace_of(&place);
                    self.release_unused(&place);
                    self.aggregate_cluster_roles(&place);
                    self.run_workload(&place);
                }
                Followup::Removed(place, entry) => {
                    self.unregister_definition(&place, &entry);
                    self.garbage_collect_dependents(&entry, &place);
                    self.sync_namespace_of(&place);
                    self.release_unused(&place);
                    self.aggregate_cluster_roles(&place);
                    self.requeue_controller(&entry, &place);
                }
            }
        }
    }
}

/// kube-apiserver's default.
const EVENT_TIME_TO_LIVE: Duration = Duration::from_secs(60 * 60);
