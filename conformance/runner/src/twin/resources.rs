//! The paths of kinds, as real Kubernetes says in its discovery.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::manifests::{Manifest, Rank};
use super::pair::{Ask, Pair};
use crate::run::encode;

/// What is known of a kind.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    /// `/apis/apps/v1`.
    root: String,
    plural: String,
    namespaced: bool,
    pub(super) has_status: bool,
    /// Whether one of the manifests defines it.
    pub(super) is_custom: bool,
}

/// The kinds of the versions of groups that were asked for.
pub(super) struct Resources {
    known: BTreeMap<String, Vec<Value>>,
    defined_groups: BTreeSet<String>,
}

impl Resources {
    /// Nothing is known yet but which groups are defined by manifests.
    pub(super) fn new(manifests: &[Manifest]) -> Resources {
        let definitions = manifests.iter().filter(|manifest| manifest.rank() == Rank::Definition);
        let defined_groups = definitions.map(|manifest| manifest.text("/spec/group").to_owned()).collect();
        Resources { known: BTreeMap::new(), defined_groups }
    }

    /// The kind of a manifest, where it is served.
    pub(super) async fn of(&mut self, pair: &Pair, manifest: &Manifest) -> Result<Option<Resource>, String> {
        let (group, version) = manifest.group_version();
        let root = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        if !self.known.contains_key(&root) {
            let answer = pair.kube(&Ask::get(&encode(&root))).await?;
            let resources = answer.body.pointer("/resources").and_then(|list| list.as_array().cloned());
            self.known.insert(root.clone(), resources.unwrap_or_default());
        }
        let all = &self.known[&root];
        let name = |resource: &Value| resource["name"].as_str().unwrap_or_default().to_owned();
        let found = all.iter().find(|one| one["kind"] == manifest.kind() && !name(one).contains('/'));
        Ok(found.map(|found| {
            let plural = name(found);
            let status = format!("{plural}/status");
            let has_status = all.iter().any(|one| name(one) == status);
            let is_custom = self.defined_groups.contains(group);
            Resource { root, plural, namespaced: found["namespaced"] == true, has_status, is_custom }
        }))
    }
}

impl Resource {
    /// Where its objects are that are in the namespace of a manifest.
    pub(super) fn collection(&self, manifest: &Manifest) -> String {
        let Resource { root, plural, namespaced, .. } = self;
        if !namespaced {
            return format!("{root}/{plural}");
        }
        let namespace = match manifest.text("/metadata/namespace") {
            "" => "default",
            namespace => namespace,
        };
        format!("{root}/namespaces/{namespace}/{plural}")
    }
}
