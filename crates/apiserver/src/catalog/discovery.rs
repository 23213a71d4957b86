//! Discovery: which groups, versions and resources are served.
//!
//! In: the table of built-in kinds and the definitions. Out: the five legacy documents, and the two aggregated ones
//! for clients that accept them, each printed once for as long as what is served stays.

mod aggregated;
mod paths;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::request::Parts;
use http::{Response, header::ACCEPT};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::catalog::Catalog;
use crate::catalog::kinds::{Kind, Subresource, api_version, built_in_of, table::GROUPS};
use crate::response::body::Body;
use crate::response::negotiation;

/// The answer, if the path is one of discovery's.
pub(crate) fn answer(catalog: &Catalog, parts: &Parts) -> Option<Response<Body>> {
    let segments = crate::request::segments(&parts.uri);
    let groups = || Groups::of(catalog);
    let printed = |document: &Value| negotiation::document(&parts.headers, document);
    let accept = parts.headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match segments[..] {
        ["api"] if aggregated::is_wanted(accept) => {
            let print = || aggregated::document(&groups().core()).to_string().into();
            Some(aggregated::answer(&catalog.memo.printed(catalog, "api", print), &parts.headers))
        }
        ["apis"] if aggregated::is_wanted(accept) => {
            let print = || aggregated::document(&groups().named()).to_string().into();
            Some(aggregated::answer(&catalog.memo.printed(catalog, "apis", print), &parts.headers))
        }
        ["api"] => Some(printed(&versions())),
        ["apis"] => Some(printed(&group_list(&groups().named()))),
        ["apis", group] => groups().named().iter().find(|found| found.name == group).map(|found| {
            let mut document = group_document(found);
            document["kind"] = "APIGroup".into();
            document["apiVersion"] = "v1".into();
            printed(&document)
        }),
        ["api", version] => groups().resources("", version).map(|kinds| printed(&resource_list("", version, &kinds))),
        ["apis", group, version] => {
            groups().resources(group, version).map(|kinds| printed(&resource_list(group, version, &kinds)))
        }
        _ => paths::answer(parts.uri.path(), || groups().0),
    }
}

/// Everything that is served, in the order it is served in.
pub(crate) struct Groups(Vec<Group>);

/// One group.
pub(crate) struct Group {
    pub(crate) name: String,
    /// Versions, the preferred one first, each with its kinds by plural.
    pub(crate) versions: Vec<(String, Vec<Arc<Kind>>)>,
}

impl Groups {
    /// The built-in groups, then those of the definitions by name.
    pub(crate) fn of(catalog: &Catalog) -> Groups {
        let mut groups: Vec<Group> = GROUPS.iter().map(|(name, versions)| built_in(name, versions)).collect();
        for kind in catalog.custom_kinds() {
            let at = groups.iter().position(|group| group.name == kind.group).unwrap_or_else(|| {
                groups.push(Group { name: kind.group.clone(), versions: Vec::new() });
                groups.len() - 1
            });
            groups[at].add(kind);
        }
        Groups(groups)
    }

    pub(crate) fn all(&self) -> &[Group] {
        &self.0
    }

    fn core(mut self) -> Vec<Group> {
        self.0.retain(|group| group.name.is_empty());
        self.0
    }

    fn named(mut self) -> Vec<Group> {
        self.0.retain(|group| !group.name.is_empty());
        self.0
    }

    fn resources(self, group: &str, version: &str) -> Option<Vec<Arc<Kind>>> {
        let found = self.0.into_iter().find(|found| found.name == group)?;
        found.versions.into_iter().find(|(name, _)| name == version).map(|(_, kinds)| kinds)
    }
}

impl Group {
    fn add(&mut self, kind: &Arc<Kind>) {
        match self.versions.iter_mut().find(|(version, _)| *version == kind.version) {
            Some((_, kinds)) => {
                kinds.push(Arc::clone(kind));
                kinds.sort_by(|a, b| a.plural.cmp(&b.plural));
            }
            None => {
                self.versions.push((kind.version.clone(), vec![Arc::clone(kind)]));
                self.versions.sort_by_key(|(version, _)| std::cmp::Reverse(crate::catalog::crd::priority(version)));
            }
        }
    }
}

fn built_in(name: &str, versions: &[&str]) -> Group {
    let versions = versions.iter().map(|version| ((*version).to_owned(), built_in_of(name, version)));
    Group { name: name.to_owned(), versions: versions.collect() }
}

fn versions() -> Value {
    json!({
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}],
    })
}

fn group_list(groups: &[Group]) -> Value {
    let groups: Vec<Value> = groups.iter().map(group_document).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

fn group_document(group: &Group) -> Value {
    let version =
        |(version, _): &(String, _)| json!({"groupVersion": api_version(&group.name, version), "version": version});
    let versions: Vec<Value> = group.versions.iter().map(version).collect();
    let preferred = versions.first().cloned().unwrap_or_default();
    json!({"name": group.name, "versions": versions, "preferredVersion": preferred})
}

fn resource_list(group: &str, version: &str, kinds: &[Arc<Kind>]) -> Value {
    let mut resources = Vec::new();
    for kind in kinds {
        resources.push(resource(kind));
        resources.extend(kind.subresources.iter().map(|part| subresource(kind, part)));
    }
    let mut document = json!({
        "kind": "APIResourceList",
        "groupVersion": api_version(group, version),
        "resources": resources,
    });
    // The core group is older than the rule that every document says its version.
    if !group.is_empty() {
        document["apiVersion"] = "v1".into();
    }
    document
}

fn resource(kind: &Kind) -> Value {
    let mut document = json!({
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": kind.verbs,
    });
    if !kind.short_names.is_empty() {
        document["shortNames"] = json!(kind.short_names);
    }
    if !kind.categories.is_empty() {
        document["categories"] = json!(kind.categories);
    }
    if kind.is_stored() {
        document["storageVersionHash"] = storage_version_hash(kind).into();
    }
    document
}

/// How its objects are kept: by which version, a hash that differs between versions without naming them.
fn storage_version_hash(kind: &Kind) -> String {
    let preferred = || {
        let (_, versions) = GROUPS.iter().find(|(group, _)| *group == kind.group)?;
        let has_kind = |version: &&&str| built_in_of(&kind.group, version).iter().any(|it| it.plural == kind.plural);
        versions.iter().find(has_kind).map(|version| (*version).to_owned())
    };
    let version = kind.storage.version.clone().or_else(preferred).unwrap_or_else(|| kind.version.clone());
    let digest = Sha256::digest(format!("{}/{version}/{}", kind.group, kind.kind));
    STANDARD.encode(&digest[..STORAGE_HASH_BYTES])
}

fn subresource(kind: &Kind, subresource: &Subresource) -> Value {
    let mut document = json!({
        "name": format!("{}/{}", kind.plural, subresource.name),
        "singularName": "",
        "namespaced": kind.namespaced,
        "kind": subresource.kind,
        "verbs": subresource.verbs,
    });
    if let Some((group, version)) = subresource.group_version.split_once('/') {
        document["group"] = group.into();
        document["version"] = version.into();
    }
    document
}

/// As much of it as kube-apiserver shows.
const STORAGE_HASH_BYTES: usize = 8;
