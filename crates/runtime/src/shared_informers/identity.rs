//! What makes two watches the same.

use std::any::TypeId;

use pintle_client::{Api, Client};
use pintle_core::discovery::ApiResource;

use super::WatchScope;
use crate::reflector::memory::storage::ManagedFields;
use crate::watcher::{self, ListSemantic};

/// What makes two watches the same.
pub(super) struct Identity {
    client: Client,
    pub(super) kind: ApiResource,
    pub(super) scope: WatchScope,
    semantic: ListSemantic,
    /// The type of its objects, and the cache it fills.
    form: (TypeId, TypeId),
    managed_fields: ManagedFields,
}

impl Identity {
    pub(super) fn new<W: 'static, C: 'static>(
        api: &Api<W>,
        config: &watcher::Config,
        kind: ApiResource,
        managed_fields: ManagedFields,
    ) -> Self {
        Self {
            client: api.clone().into_client(),
            kind,
            scope: WatchScope::of(api, config),
            semantic: config.list_semantic.clone(),
            form: (TypeId::of::<W>(), TypeId::of::<C>()),
            managed_fields,
        }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.has_same_objects(other) && self.form == other.form && self.managed_fields == other.managed_fields
    }

    /// Whether both bring the same objects, whatever they are kept in.
    pub(super) fn has_same_objects(&self, other: &Self) -> bool {
        self.client.is_same(&other.client)
            && self.kind == other.kind
            && self.scope == other.scope
            && self.semantic == other.semantic
            && self.form.0 == other.form.0
    }
}
