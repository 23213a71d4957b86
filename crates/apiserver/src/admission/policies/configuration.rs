//! Policies and bindings as they are used: read and compiled once when they are stored, and shared by every write.
//!
//! In: stored policies, validating and mutating, and their bindings. Out: both, in the order of their names. A copy of
//! [`AdmissionPolicies`] is a few reference counts.

use std::sync::Arc;

use imbl::OrdMap;

use super::mutating::Mutations;
use super::policy::{Binding, ParamKind, Policy, Rules};
use super::validating::Validations;
use crate::catalog::Catalog;
use crate::cluster::ResolvedTarget;
use crate::storage::entry::Entry;
use crate::storage::store::{Resource, StorageKey};

/// Every policy of a cluster.
#[derive(Debug, Clone, Default)]
pub(crate) struct AdmissionPolicies {
    pub(super) mutating: PolicySet<Mutations>,
    pub(super) validating: PolicySet<Validations>,
}

/// The policies of one kind, and where they are in force.
#[derive(Debug)]
pub(super) struct PolicySet<R> {
    policies: OrdMap<String, Arc<Policy<R>>>,
    bindings: OrdMap<String, Arc<Binding>>,
}

impl AdmissionPolicies {
    /// Notes a policy or binding that was stored.
    pub(crate) fn put(&mut self, place: &StorageKey, entry: &Entry) {
        if &*place.resource.group == GROUP {
            self.mutating.put(MUTATING, place, entry);
            self.validating.put(VALIDATING, place, entry);
        }
    }

    /// Forgets a policy or binding that was removed.
    pub(crate) fn remove(&mut self, place: &StorageKey) {
        if &*place.resource.group == GROUP {
            self.mutating.remove(MUTATING, place);
            self.validating.remove(VALIDATING, place);
        }
    }

    /// Whether a policy may change what is written.
    pub(in crate::admission) fn may_mutate(&self) -> bool {
        !self.mutating.is_empty()
    }

    /// Whether a webhook may have to convert what policies look at: an object of this kind, or their parameters.
    pub(in crate::admission) fn may_wait(&self, catalog: &Catalog, target: &ResolvedTarget) -> bool {
        let is_empty = self.mutating.is_empty() && self.validating.is_empty();
        let params = self.mutating.param_kinds().chain(self.validating.param_kinds());
        let mut kinds = params.filter_map(|kind| catalog.param_kind(kind).ok());
        !is_empty && (target.kind.conversion.is_some() || kinds.any(|kind| kind.conversion.is_some()))
    }

    /// The resources whose objects are policies or bindings.
    pub(crate) fn resources() -> impl Iterator<Item = Resource> {
        [MUTATING, VALIDATING].into_iter().flatten().map(|plural| Resource::new(GROUP, plural))
    }
}

impl<R: Rules> PolicySet<R> {
    fn put(&mut self, [policies, bindings]: [&str; 2], place: &StorageKey, entry: &Entry) {
        if &*place.resource.plural == policies {
            self.policies.insert(place.key.to_string(), Arc::new(Policy::read(&entry.object())));
        } else if &*place.resource.plural == bindings {
            self.bindings.insert(place.key.to_string(), Arc::new(Binding::read(&entry.object())));
        }
    }

    fn remove(&mut self, [policies, bindings]: [&str; 2], place: &StorageKey) {
        if &*place.resource.plural == policies {
            self.policies.remove(&*place.key);
        } else if &*place.resource.plural == bindings {
            self.bindings.remove(&*place.key);
        }
    }
}

impl<R> PolicySet<R> {
    /// Every policy that is in force somewhere, with its bindings.
    pub(super) fn in_force(&self) -> impl Iterator<Item = (&Policy<R>, Vec<&Binding>)> {
        let of = |policy: &Policy<R>| {
            let bindings = self.bindings.values().filter(|binding| binding.policy == policy.name);
            bindings.map(|binding| &**binding).collect::<Vec<_>>()
        };
        let policies = self.policies.values().map(|policy| &**policy);
        policies.map(move |policy| (policy, of(policy))).filter(|(_, bindings)| !bindings.is_empty())
    }

    fn param_kinds(&self) -> impl Iterator<Item = &ParamKind> {
        self.policies.values().filter_map(|policy| policy.param_kind.as_ref())
    }

    /// Whether nothing is in force.
    pub(super) fn is_empty(&self) -> bool {
        self.policies.is_empty() || self.bindings.is_empty()
    }
}

impl<R> Clone for PolicySet<R> {
    fn clone(&self) -> PolicySet<R> {
        PolicySet { policies: self.policies.clone(), bindings: self.bindings.clone() }
    }
}

impl<R> Default for PolicySet<R> {
    fn default() -> PolicySet<R> {
        PolicySet { policies: OrdMap::new(), bindings: OrdMap::new() }
    }
}

const GROUP: &str = "admissionregistration.k8s.io";

/// Policies, and their bindings.
const MUTATING: [&str; 2] = ["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"];
const VALIDATING: [&str; 2] = ["validatingadmissionpolicies", "validatingadmissionpolicybindings"];
