//! The admission plugins of kube-apiserver: rules of its own that change or refuse what is written.
//!
//! ```text
//!  NamespaceLifecycle ─► LimitRanger ─► … ─► DefaultIngressClass ─► webhooks ─► ResourceQuota
//!  └────────────────────── TABLE: one row each, in kube-apiserver's order ────────────────┘
//! ```
//! In: what a request does to an object, and the cluster as it was looked at. Out: the object changed, or a refusal. They
//! are pure: they look at the snapshot and wait for nothing. What webhooks do is beside this folder; what a quota allows is
//! settled with the commit (`resource_quota`). More files than elsewhere, because each plugin has its own.

mod certificate_signers;
mod certificate_subject_restriction;
mod default_class;
mod default_ingress_class;
mod default_storage_class;
mod default_toleration_seconds;
mod limit_ranger;
mod namespace_lifecycle;
mod persistent_volume_claim_resize;
mod pod_resources;
mod pod_security;
mod priority;
pub(crate) mod resource_quota;
mod runtime_class;
mod service_account;
mod storage_object_in_use_protection;
mod table;
mod taint_nodes_by_condition;

use super::{Attributes, Notes, Operation};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::{Answer, Refusal, forbidden};
use crate::storage::store::{Resource, scan};
use table::TABLE;

pub use table::{AdmissionPlugin, UnknownAdmissionPlugin};

/// Which plugins are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plugins {
    /// One bit each, by their number in the table.
    on: u32,
}

impl Default for Plugins {
    fn default() -> Plugins {
        let mut plugins = Plugins { on: 0 };
        TABLE.iter().filter(|row| row.is_default).for_each(|row| plugins.switch(row.plugin, true));
        plugins
    }
}

impl Plugins {
    /// Switches a plugin on or off.
    pub(crate) fn switch(&mut self, plugin: AdmissionPlugin, on: bool) {
        let bit = 1 << plugin as u32;
        self.on = if on { self.on | bit } else { self.on & !bit };
    }

    /// Whether a plugin is on.
    pub(crate) fn has(self, plugin: AdmissionPlugin) -> bool {
        self.on & (1 << plugin as u32) != 0
    }

    /// Lets the plugins change an object that is to be stored, in kube-apiserver's order.
    pub(crate) fn mutate(
        self,
        snapshot: &ClusterSnapshot,
        attributes: &Attributes<'_>,
        object: &mut Object,
    ) -> Answer<()> {
        let mut rows = TABLE.iter().filter(|row| self.has(row.plugin));
        rows.try_for_each(|row| row.mutate.map_or(Ok(()), |mutate| mutate(snapshot, attributes, object)))
    }

    /// Lets the plugins refuse what is about to be stored or deleted.
    pub(crate) fn validate(
        self,
        snapshot: &ClusterSnapshot,
        attributes: &Attributes<'_>,
        object: Option<&Object>,
        notes: &mut Notes,
    ) -> Answer<()> {
        let mut rows = TABLE.iter().filter(|row| self.has(row.plugin));
        rows.try_for_each(|row| row.validate.map_or(Ok(()), |validate| validate(snapshot, attributes, object, notes)))
    }
}

impl Attributes<'_> {
    /// Whether the request is about a whole object of this kind.
    fn is_about(&self, group: &str, plural: &str) -> bool {
        self.target.subresource.is_none() && self.target.kind.is(group, plural)
    }

    /// The same for a new object.
    fn creates(&self, group: &str, plural: &str) -> bool {
        self.operation == Operation::Create && self.is_about(group, plural)
    }

    fn namespace(&self) -> &str {
        self.target.namespace.as_deref().unwrap_or_default()
    }

    /// The name of the object, which a new one has in itself alone, or is yet to be made from another.
    fn name<'a>(&'a self, object: Option<&'a Object>) -> &'a str {
        let own = object.into_iter().flat_map(|object| [object.name(), object.meta("generateName")]);
        own.chain([self.target.name()]).find(|name| !name.is_empty()).unwrap_or_default()
    }

    /// 403 for a reason.
    pub(super) fn forbidden(&self, object: Option<&Object>, why: &str) -> Refusal {
        forbidden(&self.target.kind, self.name(object), why)
    }
}

impl ClusterSnapshot {
    /// The objects of a resource, in the order of their names: all, or those of a namespace.
    pub(super) fn decoded(&self, resource: &Resource, namespace: Option<&str>) -> Vec<Object> {
        let Some(all) = self.objects.get(resource) else { return Vec::new() };
        scan(all, namespace, "").map(|(_, entry)| entry.object()).collect()
    }
}
