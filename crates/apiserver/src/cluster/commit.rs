//! The end of a write: what was worked out from a snapshot is stored if that is still how things are.
//!
//! In: a [`Ready`] write. Out: what is stored now; or [`Lost`], and the write looks and works it out again. Under the lock
//! nothing is computed but whether its object, its kind, its namespace, its addresses and its quotas are still the same.

use std::sync::Arc;

use super::{Cluster, ResolvedTarget};
use crate::admission::plugins::AdmissionPlugin;
use crate::admission::plugins::resource_quota::{Charge, QUOTAS};
use crate::catalog::kinds::Kind;
use crate::cluster::service_network::ServiceNetwork;
use crate::codec::object::Object;
use crate::controllers::namespace::NAMESPACES;
use crate::response::status::Answer;
use crate::storage::entry::{ChangeKind, Encoded, Entry};
use crate::storage::store::{StorageKey, scan};

/// A write that has only to be stored.
pub(crate) struct Ready {
    place: StorageKey,
    /// The kind it was checked as.
    kind: Arc<Kind>,
    /// The state it replaces.
    replaces: Option<Arc<Entry>>,
    change: Change,
    /// The Service that it stores, whose addresses no other Service may have.
    service: Option<Object>,
    /// What it takes from quotas.
    charge: Option<Charge>,
}

enum Change {
    Put(Encoded),
    Remove(Encoded),
    /// A state that watchers see, and its end at once.
    PutAndRemove(Encoded, Encoded),
}

/// Something that the write was worked out from is not so any more.
pub(crate) struct Lost;

impl Ready {
    /// Stores an object in the place of what was there.
    pub(crate) fn put(target: &ResolvedTarget, replaces: Option<&Arc<Entry>>, object: &Object) -> Ready {
        let change = if replaces.is_some() { ChangeKind::Modified } else { ChangeKind::Added };
        let service = target.kind.strategy.has_service_addresses().then(|| object.clone());
        let change = Change::Put(Encoded::new(change, object));
        Ready { service, ..Ready::new(target, object.name(), replaces, change) }
    }

    /// Removes an object, whose last state is this.
    pub(crate) fn remove(target: &ResolvedTarget, replaces: &Arc<Entry>, last: &Object) -> Ready {
        let change = Change::Remove(Encoded::new(ChangeKind::Deleted, last));
        Ready::new(target, last.name(), Some(replaces), change)
    }

    /// Stores a state of an object that is deleted, and removes it at once.
    pub(crate) fn put_and_remove(target: &ResolvedTarget, replaces: &Arc<Entry>, last: &Object) -> Ready {
        let (marked, gone) = (Encoded::new(ChangeKind::Modified, last), Encoded::new(ChangeKind::Deleted, last));
        Ready::new(target, last.name(), Some(replaces), Change::PutAndRemove(marked, gone))
    }

    fn new(target: &ResolvedTarget, name: &str, replaces: Option<&Arc<Entry>>, change: Change) -> Ready {
        Ready {
            place: target.place(name),
            kind: Arc::clone(&target.kind),
            replaces: replaces.cloned(),
            change,
            service: None,
            charge: None,
        }
    }

    /// The same, charged to quotas.
    pub(crate) fn charging(self, charge: Option<Charge>) -> Ready {
        Ready { charge, ..self }
    }
}

impl Cluster {
    /// Stores what a write came to, and notes what follows from it.
    pub(crate) fn commit(&mut self, ready: Ready) -> Answer<Result<Arc<Entry>, Lost>> {
        if !self.is_still_so(&ready) {
            return Ok(Err(Lost));
        }
        let Ready { place, change, charge, .. } = ready;
        for (quota, charged) in charge.into_iter().flat_map(|charge| charge.charged) {
            self.put_encoded(&quota, charged)?;
        }
        Ok(Ok(match change {
            Change::Put(object) => self.put_encoded(&place, object)?,
            Change::Remove(last) => self.remove_encoded(&place, last)?,
            Change::PutAndRemove(marked, last) => {
                self.put_encoded(&place, marked)?;
                self.remove_encoded(&place, last)?
            }
        }))
    }

    fn is_still_so(&self, ready: &Ready) -> bool {
        let found = self.store.get(&ready.place.resource, &ready.place.key);
        let is_same = match (&found, &ready.replaces) {
            (None, None) => true,
            (Some(found), Some(expected)) => Arc::ptr_eq(found, expected),
            _ => false,
        };
        is_same
            && self.catalog.serves(&ready.kind)
            && (found.is_some() || self.takes(&ready.place, &ready.kind))
            && ready.service.as_ref().is_none_or(|service| is_free(&self.network, &ready.place, service))
            && ready.charge.as_ref().is_none_or(|charge| self.has_quotas_of(charge))
    }

    /// Whether the quotas of a namespace are those from which a charge was worked out.
    fn has_quotas_of(&self, charge: &Charge) -> bool {
        let quotas = self.store.snapshot(&QUOTAS);
        let mut now = scan(&quotas, Some(&charge.namespace), "").map(|(_, entry)| entry);
        charge.seen.iter().all(|seen| now.next().is_some_and(|entry| Arc::ptr_eq(entry, seen))) && now.next().is_none()
    }

    /// Whether a new object can come to a place.
    fn takes(&self, place: &StorageKey, kind: &Kind) -> bool {
        let namespace = place.key.split_once('/').map(|(namespace, _)| namespace);
        let is_alive = |namespace| self.store.get(&NAMESPACES, namespace).is_some_and(|it| !it.head.is_deleting());
        let is_checked = self.admission.has(AdmissionPlugin::NamespaceLifecycle);
        self.catalog.check_not_terminating(kind, "").is_ok() && (!is_checked || namespace.is_none_or(is_alive))
    }
}

fn is_free(network: &ServiceNetwork, place: &StorageKey, service: &Object) -> bool {
    network.taken_address(&place.key, service).is_none() && network.taken_port(&place.key, service).is_none()
}
