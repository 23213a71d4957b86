//! Namespaces: those every cluster has, and the rule that an object needs one that exists.
//!
//! Deleting a namespace is refused (see `write::delete`); it comes with the namespace lifecycle.

use std::sync::Arc;

use serde_json::json;

use crate::cluster::{Cluster, Run, Subject};
use crate::kinds;
use crate::status::{Answer, missing};
use crate::store::Resource;

impl Cluster {
    /// Creates the namespaces that exist from the start.
    pub(crate) fn create_first_namespaces(&mut self) {
        let kind = kinds::built_in("", "v1", "namespaces").expect("the table of kinds has namespaces");
        let subject = Subject { kind: Arc::clone(&kind), namespace: None, name: None, part: None };
        for name in FIRST {
            let body = json!({"metadata": {"name": name}});
            self.create(&subject, body, Run::Real).map(drop).expect("an empty cluster takes a valid namespace");
        }
        self.settle();
    }

    /// An object is created only in a namespace that exists.
    pub(crate) fn check_namespace_exists(&self, name: &str) -> Answer<()> {
        match self.store.get(&Resource::new("", "namespaces"), name) {
            Some(_) => Ok(()),
            None => Err(missing("namespaces", "", name)),
        }
    }
}

/// The namespaces kube-apiserver itself creates.
const FIRST: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];
