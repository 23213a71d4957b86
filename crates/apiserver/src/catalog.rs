//! What is served: every kind, built-in or defined by a CustomResourceDefinition, and the documents that list them.
//!
//! ```text
//!  kinds/table (generated) ──┬─► Kind ─► request::resolve, registry, storage
//!  CustomResourceDefinition ─┤
//!        └─► crd             ├─► discovery    which groups, versions and resources there are
//!                            └─► openapi      what can be done to them, and their schemas
//! ```
//! In: the generated table and stored definitions. Out: a [`Kind`](kinds::Kind) per group, version and plural. Invariant: a
//! `Kind` never changes; a changed definition makes new ones. The [`Catalog`] of a cluster is shared and swapped whole: a
//! request keeps the one it began with, and a write checks at its commit that its kind is still in the present one.

pub(crate) mod crd;
pub(crate) mod discovery;
pub(crate) mod kinds;
mod memo;
pub(crate) mod openapi;

use std::sync::Arc;

use imbl::OrdMap;
use serde_json::Value;

use crate::response::status::{Answer, forbidden, no_such_resource};
use crate::storage::entry::Entry;
use crate::storage::store::Resource;
use crd::Definition;
use crd::stated_schema::StatedSchema;
use crd::structural::Structural;
use kinds::Kind;
use memo::Memo;

/// Every kind that is served. A copy shares everything with its original.
#[derive(Default, Clone)]
pub(crate) struct Catalog {
    served: OrdMap<Resource, Arc<Definition>>,
    /// The names that every definition has been given, served or not.
    names: OrdMap<Resource, Arc<Value>>,
    /// Which catalog this is: each change makes another one.
    generation: u64,
    memo: Memo,
}

impl Catalog {
    /// The kind served at this group, version and plural.
    pub(crate) fn kind(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Kind>> {
        kinds::built_in(group, version, plural).or_else(|| self.custom_kind(group, version, plural))
    }

    fn custom_kind(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Kind>> {
        let definition = self.served.get(&Resource::new(group, plural))?;
        definition.kinds.iter().find(|kind| kind.version == version).cloned()
    }

    /// Whether a resource is served, named by its plural or by plural and group.
    pub(crate) fn has_resource(&self, resource: &str) -> bool {
        let is_it = |kind: &Arc<Kind>| kind.plural == resource || kind.qualified_plural() == resource;
        kinds::built_in_all().any(is_it) || self.custom_kinds().any(is_it)
    }

    /// Whether a resource is served, at any version.
    pub(crate) fn has_plural(&self, group: &str, plural: &str) -> bool {
        let is_it = |kind: &Arc<Kind>| kind.is(group, plural);
        kinds::built_in_all().any(is_it) || self.custom_kinds().any(is_it)
    }

    /// Whether a resource is served and its objects are in namespaces.
    pub(crate) fn is_namespaced(&self, group: &str, plural: &str) -> bool {
        let is_it = |kind: &Arc<Kind>| kind.is(group, plural) && kind.namespaced;
        kinds::built_in_all().any(is_it) || self.custom_kinds().any(is_it)
    }

    /// The kind of this name in a group, at some version.
    pub(crate) fn kind_named(&self, group: &str, name: &str) -> Option<Arc<Kind>> {
        let custom = || self.custom_kinds().find(|kind| kind.group == group && kind.kind == name).cloned();
        kinds::built_in_named(group, name).or_else(custom)
    }

    /// The kind of a stored entry.
    pub(crate) fn kind_of(&self, resource: &Resource, entry: &Entry) -> Option<Arc<Kind>> {
        let version = entry.api_version().rsplit('/').next().unwrap_or_default();
        let group = entry.api_version().strip_suffix(version).unwrap_or_default().trim_end_matches('/');
        let first = || self.served.get(resource)?.kinds.first().cloned();
        self.kind(group, version, &resource.plural).or_else(first)
    }

    /// Whether a kind is still the one that is served: a definition that changed since has made another.
    pub(crate) fn serves(&self, kind: &Arc<Kind>) -> bool {
        !kind.is_custom()
            || self.custom_kind(&kind.group, &kind.version, &kind.plural).is_some_and(|now| Arc::ptr_eq(&now, kind))
    }

    /// The definition of a custom kind.
    pub(crate) fn definition(&self, kind: &Kind) -> Option<&Arc<Definition>> {
        self.served.get(&kind.resource()).filter(|_| kind.is_custom())
    }

    /// The schemas of a resource, by apiVersion, served or not.
    pub(crate) fn schemas(&self, resource: &Resource) -> Vec<(String, Arc<Structural>)> {
        self.served.get(resource).map(|definition| definition.schemas.clone()).unwrap_or_default()
    }

    /// Every kind that a definition makes, by group, plural and version priority.
    pub(crate) fn custom_kinds(&self) -> impl Iterator<Item = &Arc<Kind>> {
        self.served.values().flat_map(|definition| &definition.kinds)
    }

    /// While a definition goes, and when it has gone since the path was looked up, no objects of it come.
    pub(crate) fn check_not_terminating(&self, kind: &Kind, name: &str) -> Answer<()> {
        match self.served.get(&kind.resource()) {
            Some(definition) if definition.is_terminating => {
                Err(forbidden(kind, name, "create not allowed while custom resource definition is terminating"))
            }
            None if kind.is_custom() => Err(no_such_resource()),
            _ => Ok(()),
        }
    }

    /// The schema that a definition states for a version of its kind, as text.
    pub(crate) fn stated_schema(&self, kind: &Kind) -> Option<&StatedSchema> {
        self.definition(kind)?.stated_schema(&kind.version)
    }

    /// Notes a change.
    fn changed(&mut self) {
        self.generation = memo::next_generation();
    }
}
