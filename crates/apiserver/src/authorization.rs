//! Who may do what.
//!
//! ```text
//!  method, URI ─► attributes ──┐
//!  Impersonate- headers ─► impersonation ─► user ─┴─► Authorizer ─► decision ─► forbidden: the words of a 403
//!                                                        ▲
//!  stored roles and bindings ─► roles (index) ───────────┘◄── escalation: no user grants what they do not have
//!  bootstrap: the roles that every cluster begins with
//!  access_log: what each user asked for ─► least_privilege: the roles that allow it and no more
//! ```
//! In: a user and what they want to do. Out: a [`Decision`](decision::Decision). Everything here is pure over the index; the
//! store keeps the index up to date, within the write that changes a role.

pub(crate) mod access_log;
pub(crate) mod attributes;
pub(crate) mod bootstrap;
pub(crate) mod decision;
pub(crate) mod escalation;
pub(crate) mod forbidden;
pub(crate) mod impersonation;
pub(crate) mod least_privilege;
mod policy_parameters;
pub(crate) mod policy_rule;
pub(crate) mod roles;
mod writes;

use std::sync::{Arc, Mutex, PoisonError};

use attributes::{Attributes, Requested};
use decision::{Decision, MASTERS};
use roles::Roles;

use crate::cluster::GarbageCollection;
use crate::request::user::User;
use crate::storage::entry::Entry;
use crate::storage::store::{StorageKey, Store};

/// How a server decides who may do what: kube-apiserver's `--authorization-mode`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorizationMode {
    /// All authenticated users may do everything.
    #[default]
    AlwaysAllow,
    /// Roles and bindings decide. A server begins with those that kube-apiserver begins with.
    Rbac,
}

/// Decides who may do what. Copies share one index of roles.
#[derive(Clone)]
pub(crate) enum Authorizer {
    AlwaysAllow,
    Rbac(Arc<Mutex<Index>>),
}

/// The index of roles, and what it has yet to take in.
#[derive(Clone)]
pub(crate) struct Index {
    /// `None` until the first request that needs it.
    roles: Option<Roles>,
    /// What every server begins with.
    controllers: GarbageCollection,
    /// What was stored (or removed, where there is no entry) since, oldest first.
    changes: Vec<(StorageKey, Option<Arc<Entry>>)>,
}

impl Authorizer {
    /// Decides by what every server with RBAC begins with, until something else is stored.
    pub(crate) fn new(mode: AuthorizationMode, controllers: GarbageCollection) -> Authorizer {
        match mode {
            AuthorizationMode::AlwaysAllow => Authorizer::AlwaysAllow,
            AuthorizationMode::Rbac => Authorizer::of(Index { roles: None, controllers, changes: Vec::new() }),
        }
    }

    fn of(index: Index) -> Authorizer {
        Authorizer::Rbac(Arc::new(Mutex::new(index)))
    }

    /// One of its own with the same roles.
    pub(crate) fn fork(&self) -> Authorizer {
        self.change(|index| index.clone()).map_or(Authorizer::AlwaysAllow, Authorizer::of)
    }

    /// The roles as they are now; `None` where they decide nothing.
    pub(crate) fn roles(&self) -> Option<Roles> {
        self.change(Index::roles)
    }

    /// Whether a user may do this.
    pub(crate) fn authorize(&self, user: &User, attributes: &Attributes) -> Decision {
        match self {
            Authorizer::Rbac(_) if user.is_in(MASTERS) => Decision::allowed(),
            Authorizer::Rbac(_) => self.roles().unwrap_or_default().authorize(user, attributes),
            Authorizer::AlwaysAllow if user.is_anonymous() && !is_public(attributes) => Decision::denied(),
            Authorizer::AlwaysAllow => Decision::allowed(),
        }
    }

    /// Takes in what was stored.
    pub(crate) fn stored(&self, place: &StorageKey, entry: &Arc<Entry>) {
        self.note(place, Some(entry));
    }

    /// Forgets what was removed.
    pub(crate) fn removed(&self, place: &StorageKey) {
        self.note(place, None);
    }

    /// Begins anew with what is stored.
    pub(crate) fn reindex(&self, store: &Store) {
        self.change(|index| {
            index.changes.clear();
            index.roles = Some(Roles::of(store));
        });
    }

    fn note(&self, place: &StorageKey, entry: Option<&Arc<Entry>>) {
        if Roles::includes(place) {
            self.change(|index| {
                index.changes.push((place.clone(), entry.cloned()));
                if index.changes.len() > CHANGES_MAX {
                    index.roles();
                }
            });
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Index) -> T) -> Option<T> {
        match self {
            Authorizer::AlwaysAllow => None,
            Authorizer::Rbac(index) => Some(change(&mut index.lock().unwrap_or_else(PoisonError::into_inner))),
        }
    }
}

impl Index {
    /// The roles, with everything that was stored so far. Who writes a role does not wait for it to be read; who asks does.
    fn roles(&mut self) -> Roles {
        let roles = self.roles.get_or_insert_with(|| bootstrap::index(self.controllers));
        for (place, entry) in self.changes.drain(..) {
            match entry {
                Some(entry) => roles.insert(&place.resource.plural, &place.key, &entry.object()),
                None => roles.remove(&place.resource.plural, &place.key),
            }
        }
        roles.clone()
    }
}

/// What may be asked without saying who one is, as the role `system:public-info-viewer` has it.
fn is_public(attributes: &Attributes) -> bool {
    let Requested::Path(path) = &attributes.requested else {
        return false;
    };
    attributes.verb == "get" && matches!(path.as_str(), "/healthz" | "/livez" | "/readyz" | "/version" | "/version/")
}

/// Changes are kept until a request needs the index; this limits them where only administrators send requests.
const CHANGES_MAX: usize = 256;

/// The group of roles and bindings.
pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";

#[cfg(test)]
mod tests;
