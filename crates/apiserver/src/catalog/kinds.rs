//! What is served: one [`Kind`] per group, version and plural, built-in or defined by a CustomResourceDefinition.
//!
//! In: the generated [`table`] and the definitions users create. Out: the facts every other module asks for.
//! Invariant: a `Kind` never changes; a changed definition makes new ones. It does not know schemas.

mod rows;
pub(crate) mod table;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::catalog::crd::conversion_webhook::ConversionWebhook;
use crate::catalog::crd::structural::Structural;
use crate::registry::strategy::Strategy;
use crate::registry::subresources::scale::ScalePaths;
use crate::storage::store::Resource;

/// One served resource at one version.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) namespaced: bool,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) verbs: Vec<String>,
    pub(crate) subresources: Vec<Subresource>,
    pub(crate) origin: Origin,
    /// The resource whose storage it uses, shared by all versions.
    pub(crate) stored_as: Resource,
    /// What is special about it.
    pub(crate) strategy: &'static dyn Strategy,
    pub(crate) storage: Storage,
    /// Where the numbers of its scale stand, if a definition says so.
    pub(crate) scale: Option<ScalePaths>,
    /// What its objects look like, if a definition says so; the types of built-in kinds are in the tables.
    pub(crate) schema: Option<Arc<Structural>>,
    /// The revision at which the definition was last changed: what was stored until then may have another shape.
    pub(crate) since: u64,
    /// The columns that a definition states.
    pub(crate) printer_columns: Vec<Value>,
    /// Fields beyond name and namespace by which its objects can be selected.
    pub(crate) selectable_fields: Arc<[String]>,
    /// Who makes its objects into those of its other versions, if that is a webhook.
    pub(crate) conversion: Option<Arc<ConversionWebhook>>,
    /// The warning that clients get when they use it at this version.
    pub(crate) deprecation: Option<String>,
}

/// What a client sees of the way objects are kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Storage {
    /// An update without a resourceVersion is refused.
    pub(crate) needs_version: bool,
    /// A PUT to a missing name creates the object.
    pub(crate) creates_on_update: bool,
    /// DELETE answers with the object that is gone rather than with a Status.
    pub(crate) returns_deleted: bool,
    /// `metadata.generation` is kept.
    pub(crate) has_generation: bool,
    /// A status sent with a create is kept although there is a status subresource.
    pub(crate) keeps_status: bool,
    /// The phase which a new object has before any controller saw it.
    pub(crate) first_phase: Option<&'static str>,
    /// The version in which objects are kept, where a definition says it; elsewhere it is the preferred one.
    pub(crate) version: Option<String>,
}

/// Where a kind comes from; the two follow different rules in several places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    BuiltIn,
    Custom,
}

/// A subresource.
#[derive(Debug, Clone)]
pub(crate) struct Subresource {
    pub(crate) name: String,
    /// `group/version` of `kind`, empty where it is the resource's own.
    pub(crate) group_version: String,
    pub(crate) kind: String,
    pub(crate) verbs: Vec<String>,
}

impl Kind {
    /// `apps/v1`, or `v1` for the core group.
    pub(crate) fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// The resource whose storage this kind uses, shared by all versions.
    pub(crate) fn resource(&self) -> Resource {
        self.stored_as.clone()
    }

    /// `deployments.apps`, as error messages name a resource.
    pub(crate) fn qualified_plural(&self) -> String {
        qualified(&self.plural, &self.group)
    }

    pub(crate) fn is_custom(&self) -> bool {
        self.origin == Origin::Custom
    }

    pub(crate) fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    pub(crate) fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|subresource| subresource.name == name)
    }

    /// Whether its objects are kept; some kinds are only asked and answered.
    pub(crate) fn is_stored(&self) -> bool {
        self.allows("watch")
    }

    pub(crate) fn allows(&self, verb: &str) -> bool {
        self.verbs.iter().any(|allowed| allowed == verb)
    }

    pub(crate) fn is(&self, group: &str, plural: &str) -> bool {
        self.group == group && self.plural == plural
    }
}

/// `name.group`, or `name` alone for the core group.
pub(crate) fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

/// `group/version`, or the version alone for the core group.
pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// Whether the group is one of Kubernetes' own.
pub(crate) fn is_built_in_group(group: &str) -> bool {
    BUILT_IN.values().any(|kind| kind.group == group)
}

/// The built-in kind served at this group, version and plural.
pub(crate) fn built_in(group: &str, version: &str, plural: &str) -> Option<Arc<Kind>> {
    BUILT_IN.get(&(group, version, plural)).cloned()
}

/// The built-in kinds of one group and version, sorted by plural.
pub(crate) fn built_in_of(group: &str, version: &str) -> Vec<Arc<Kind>> {
    BUILT_IN.values().filter(|kind| kind.group == group && kind.version == version).cloned().collect()
}

/// Every built-in kind, at each of its versions.
pub(crate) fn built_in_all() -> impl Iterator<Item = &'static Arc<Kind>> {
    BUILT_IN.values()
}

/// The built-in kind called `kind` in this group, at whichever version comes first.
pub(crate) fn built_in_named(group: &str, kind: &str) -> Option<Arc<Kind>> {
    BUILT_IN.values().find(|candidate| candidate.group == group && candidate.kind == kind).cloned()
}

/// Kinds by group, version and plural.
type ByPath = BTreeMap<(&'static str, &'static str, &'static str), Arc<Kind>>;

static BUILT_IN: LazyLock<ByPath> = LazyLock::new(|| {
    table::ROWS.iter().map(|row| ((row.group, row.version, row.plural), Arc::new(row.kind()))).collect()
});

/// Owned copies of table strings.
pub(crate) fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// The verbs of an ordinary resource.
pub(crate) const EVERY: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// The verbs of an ordinary subresource.
pub(crate) const GET_PATCH_UPDATE: &[&str] = &["get", "patch", "update"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_version_of_the_served_order_has_rows() {
        for (group, versions) in table::GROUPS {
            for version in *versions {
                assert!(!built_in_of(group, version).is_empty(), "{group}/{version}");
            }
        }
    }

    #[test]
    fn every_kind_of_every_resource_has_a_type() {
        for kind in BUILT_IN.values() {
            let known = |api_version: &str, name: &str| pintle_wire::facts::kind_of(api_version, name).is_some();
            assert!(known(&kind.api_version(), &kind.kind), "{} {}", kind.api_version(), kind.kind);
            for subresource in &kind.subresources {
                let api_version =
                    if subresource.group_version.is_empty() { &kind.api_version() } else { &subresource.group_version };
                assert!(known(api_version, &subresource.kind), "{api_version} {}", subresource.kind);
            }
        }
    }

    #[test]
    fn the_two_event_resources_share_their_storage() {
        let core = built_in("", "v1", "events").unwrap();
        let events = built_in("events.k8s.io", "v1", "events").unwrap();
        assert_eq!(core.resource(), events.resource());
    }
}
