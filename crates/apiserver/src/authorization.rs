//! Who may do what.
//!
//! ```text
//!  method, URI ─► attributes ──┐
//!  Impersonate- headers ─► impersonation ─► user ─┴─► Authorizer ─► decision ─► forbidden: the words of a 403
//!                                                        ▲
//!  stored roles and bindings ─► roles (index) ───────────┘◄── escalation: nobody gives what they do not have
//!  bootstrap: the roles that every cluster with RBAC begins with
//! ```
//! In: a user and what they want to do. Out: a [`Decision`](decision::Decision). Everything here is pure over the index; the
//! store keeps the index up to date, within the write that changes a role.

pub(crate) mod attributes;
pub(crate) mod decision;
pub(crate) mod escalation;
pub(crate) mod forbidden;
pub(crate) mod impersonation;
pub(crate) mod policy_rule;
pub(crate) mod roles;
mod writes;

use std::sync::{Arc, PoisonError, RwLock};

use attributes::{Attributes, Requested};
use decision::Decision;
use roles::Roles;

use crate::request::user::User;
use crate::storage::entry::Entry;
use crate::storage::store::{Place, Store};

/// How a server decides who may do what: kube-apiserver's `--authorization-mode`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorizationMode {
    /// Everybody whose name is known may do everything.
    #[default]
    AlwaysAllow,
    /// Roles and bindings decide. A server begins with those that kube-apiserver begins with.
    Rbac,
}

/// Decides who may do what. Copies share one index of roles.
#[derive(Clone)]
pub(crate) enum Authorizer {
    AlwaysAllow,
    Rbac(Arc<RwLock<Roles>>),
}

impl Authorizer {
    pub(crate) fn new(mode: AuthorizationMode) -> Authorizer {
        match mode {
            AuthorizationMode::AlwaysAllow => Authorizer::AlwaysAllow,
            AuthorizationMode::Rbac => Authorizer::Rbac(Arc::default()),
        }
    }

    /// One of its own with the same roles.
    pub(crate) fn fork(&self) -> Authorizer {
        self.roles().map_or(Authorizer::AlwaysAllow, |roles| Authorizer::Rbac(Arc::new(RwLock::new(roles))))
    }

    /// The roles as they are now; `None` where they decide nothing.
    pub(crate) fn roles(&self) -> Option<Roles> {
        match self {
            Authorizer::AlwaysAllow => None,
            Authorizer::Rbac(roles) => Some(roles.read().unwrap_or_else(PoisonError::into_inner).clone()),
        }
    }

    /// Whether a user may do this.
    pub(crate) fn authorize(&self, user: &User, attributes: &Attributes) -> Decision {
        match self.roles() {
            Some(roles) => roles.authorize(user, attributes),
            None if user.is_anonymous() && !is_public(attributes) => Decision::denied(),
            None => Decision::allowed(),
        }
    }

    /// Takes in what was stored.
    pub(crate) fn stored(&self, place: &Place, entry: &Entry) {
        self.change(place, |roles| roles.insert(&place.resource.plural, &place.key, &entry.object()));
    }

    /// Forgets what was removed.
    pub(crate) fn removed(&self, place: &Place) {
        self.change(place, |roles| roles.remove(&place.resource.plural, &place.key));
    }

    /// Begins anew with what is stored.
    pub(crate) fn reindex(&self, store: &Store) {
        self.replace(|| Roles::of(store));
    }

    /// Takes these roles for all there are.
    pub(crate) fn replace(&self, roles: impl FnOnce() -> Roles) {
        if let Authorizer::Rbac(known) = self {
            *known.write().unwrap_or_else(PoisonError::into_inner) = roles();
        }
    }

    fn change(&self, place: &Place, change: impl FnOnce(&mut Roles)) {
        if let Authorizer::Rbac(roles) = self
            && Roles::includes(place)
        {
            change(&mut roles.write().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// What may be asked without saying who one is, as the role `system:public-info-viewer` has it.
fn is_public(attributes: &Attributes) -> bool {
    let Requested::Path(path) = &attributes.requested else {
        return false;
    };
    attributes.verb == "get" && matches!(path.as_str(), "/healthz" | "/livez" | "/readyz" | "/version" | "/version/")
}

/// The group of roles and bindings.
pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";

#[cfg(test)]
mod tests;
