//! What is in a namespace that ends: deleted, counted where it stays, and reported in the namespace's status.
//!
//! Pods go first, and nothing else is touched while one is left, as in Kubernetes since 1.33: what they use must not
//! go before they do.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::catalog::crd::with_condition;
use crate::catalog::kinds::qualified;
use crate::cluster::Cluster;
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::storage::entry::Entry;
use crate::storage::store::{Resource, StorageKey, scan};

/// What could not go yet.
#[derive(Default)]
pub(super) struct Left {
    pods: bool,
    /// By resource.
    objects: BTreeMap<String, usize>,
    /// By finalizer.
    finalizers: BTreeMap<String, usize>,
}

impl Left {
    pub(super) fn is_nothing(&self) -> bool {
        !self.pods && self.objects.is_empty()
    }

    fn count(&mut self, resource: &Resource, entry: &Entry) {
        // A core resource keeps its dot, as in kube-controller-manager's message.
        let name = if resource.group.is_empty() {
            format!("{}.", resource.plural)
        } else {
            qualified(&resource.plural, &resource.group)
        };
        *self.objects.entry(name).or_default() += 1;
        for finalizer in entry.head.finalizers() {
            *self.finalizers.entry(finalizer.to_string()).or_default() += 1;
        }
    }
}

impl Cluster {
    /// Deletes what is in a namespace, and says what stays.
    pub(super) fn delete_content(&mut self, namespace: &str) -> Left {
        let mut left = Left::default();
        let pods = Resource::new("", "pods");
        self.delete_all(&pods, namespace);
        if !self.within(&pods, namespace).is_empty() {
            left.pods = true;
            return left;
        }
        let resources = self.store.resources();
        for resource in &resources {
            self.delete_all(resource, namespace);
        }
        for resource in &resources {
            for (_, entry) in self.within(resource, namespace) {
                left.count(resource, &entry);
            }
        }
        left
    }

    fn delete_all(&mut self, resource: &Resource, namespace: &str) {
        for (key, entry) in self.within(resource, namespace) {
            if entry.head.is_deleting() || self.catalog.kind_of(resource, &entry).is_none() {
                continue;
            }
            let place = StorageKey { resource: resource.clone(), key };
            let done = self.delete_at(super::CONTROLLER, &place, Propagation::Background, None);
            if let Err(refusal) = done {
                tracing::warn!(key = %place.key, "emptying a namespace could not go on: {}", refusal.message);
            }
        }
    }

    fn within(&self, resource: &Resource, namespace: &str) -> Vec<(Arc<str>, Arc<Entry>)> {
        let snapshot = self.store.snapshot(resource);
        scan(&snapshot, Some(namespace), "").map(|(key, entry)| (Arc::clone(key), Arc::clone(entry))).collect()
    }
}

/// The status of a namespace whose content was just deleted, but for what is left.
pub(super) fn status(object: &Object, left: &Left, now: &str) -> Value {
    let mut status = object.get("status").cloned().unwrap_or_else(|| json!({}));
    for (kind, reason, message) in [
        ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        (
            "NamespaceDeletionContentFailure",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
    ] {
        status = set(status, kind, false, reason, message, now);
    }
    status = match counts(&left.objects, "has") {
        None => {
            set(status, "NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed", now)
        }
        Some(list) => {
            let message = format!("Some resources are remaining: {list}");
            set(status, "NamespaceContentRemaining", true, "SomeResourcesRemain", &message, now)
        }
    };
    match counts(&left.finalizers, "in") {
        None => {
            let message = "All content-preserving finalizers finished";
            set(status, "NamespaceFinalizersRemaining", false, "ContentHasNoFinalizers", message, now)
        }
        Some(list) => {
            let message = format!("Some content in the namespace has finalizers remaining: {list}");
            set(status, "NamespaceFinalizersRemaining", true, "SomeFinalizersRemain", &message, now)
        }
    }
}

fn set(status: Value, kind: &str, holds: bool, reason: &str, message: &str, now: &str) -> Value {
    let holds = if holds { "True" } else { "False" };
    with_condition(status, json!({"type": kind, "status": holds, "reason": reason, "message": message}), now)
}

fn counts(counted: &BTreeMap<String, usize>, word: &str) -> Option<String> {
    let texts: Vec<String> =
        counted.iter().map(|(name, count)| format!("{name} {word} {count} resource instances")).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}
