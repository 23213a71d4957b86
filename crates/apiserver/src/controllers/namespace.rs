//! Namespaces: those every cluster has, what each is given, and how one ends.
//!
//! In: namespaces that were stored, and objects that left one. Out: a default ServiceAccount and the cluster's
//! root certificate in each; and when one is deleted, the deletion of everything in it: pods first, then the rest, then the
//! namespace itself.

mod content;
mod defaults;

use std::sync::{Arc, LazyLock};

use serde_json::json;

use crate::catalog::kinds;
use crate::cluster::{Cluster, ResolvedTarget};
use crate::registry::core::namespaces::{OWN_FINALIZER, set_spec_finalizers, spec_finalizers};
use crate::response::status::Answer;
use crate::storage::store::{Resource, StorageKey};

pub(crate) use defaults::NamespaceDefaults;

/// Whether namespaces are given what belongs into each, and end when they are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamespaceController {
    On,
    /// As where kube-apiserver runs alone: one that is deleted stays as it is.
    Off,
}

impl Cluster {
    /// Creates the namespaces that exist from the start.
    pub(crate) fn create_first_namespaces(&mut self) {
        let kind = kinds::built_in("", "v1", "namespaces").expect("the table of kinds has namespaces");
        let target = ResolvedTarget {
            kind: Arc::clone(&kind),
            namespace: None,
            name: None,
            subresource: None,
            manager: "kube-apiserver".to_owned(),
        };
        for name in FIRST {
            let body = json!({"metadata": {"name": name}});
            self.create(&target, body).map(drop).expect("an empty cluster takes a valid namespace");
        }
        self.settle();
    }

    /// Makes a namespace that is not there yet.
    pub(crate) fn create_namespace_if_missing(&mut self, name: &str) -> Answer<()> {
        if self.store.get(&NAMESPACES, name).is_some() {
            return Ok(());
        }
        let kind = kinds::built_in("", "v1", "namespaces").expect("the table of kinds has namespaces");
        let target = ResolvedTarget {
            kind,
            namespace: None,
            name: None,
            subresource: None,
            manager: "kube-apiserver".to_owned(),
        };
        self.create(&target, json!({"metadata": {"name": name}}))?;
        self.settle();
        Ok(())
    }

    /// Reconciles a namespace that was stored: a new one gets its defaults, a deleted one goes on ending.
    pub(crate) fn sync_namespace(&mut self, place: &StorageKey) {
        if place.resource != *NAMESPACES {
            return;
        }
        let Some(entry) = self.store.get(&place.resource, &place.key) else {
            return;
        };
        let is_ours = || spec_finalizers(&entry.object()).iter().any(|finalizer| finalizer == OWN_FINALIZER);
        if !entry.head.is_deleting() {
            self.create_defaults(&place.key);
        } else if self.namespaces == NamespaceController::On && is_ours() {
            self.empty_namespace(place);
        }
    }

    /// Lets a namespace that is ending go on, because something in it changed.
    pub(crate) fn sync_namespace_of(&mut self, place: &StorageKey) {
        let Some((namespace, name)) = place.key.split_once('/') else {
            return;
        };
        match self.store.get(&NAMESPACES, namespace) {
            Some(entry) if entry.head.is_deleting() => {
                self.requeue(StorageKey { resource: NAMESPACES.clone(), key: namespace.into() });
            }
            Some(_) if NamespaceDefaults::is_piece(&place.resource, name) => self.create_defaults(namespace),
            _ => {}
        }
    }

    /// Deletes what is in a namespace, says in its status how that goes, and ends it when there is nothing left.
    fn empty_namespace(&mut self, place: &StorageKey) {
        let namespace = place.key.to_string();
        let left = self.delete_content(&namespace);
        let Some(entry) = self.store.get(&place.resource, &place.key) else {
            return;
        };
        let mut object = entry.object();
        let status = content::status(&object, &left, &self.clock.timestamp());
        if object.get("status") != Some(&status) {
            object.set("status", status);
            self.store_quietly(CONTROLLER, place, &entry, object);
        }
        let Some(entry) = self.store.get(&place.resource, &place.key).filter(|_| left.is_nothing()) else {
            return;
        };
        let mut object = entry.object();
        let mut finalizers = spec_finalizers(&object);
        finalizers.retain(|finalizer| finalizer != OWN_FINALIZER);
        set_spec_finalizers(&mut object, &finalizers);
        self.store_quietly(CONTROLLER, place, &entry, object);
    }
}

/// Where namespaces are stored.
pub(crate) static NAMESPACES: LazyLock<Resource> = LazyLock::new(|| Resource::new("", "namespaces"));

/// The controller's service account.
const CONTROLLER: &str = "namespace-controller";

/// The namespaces kube-apiserver itself creates.
const FIRST: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];
