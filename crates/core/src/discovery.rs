//! What is known of a kind at run time: where it is served, whether it is namespaced, what can be done with it.

pub mod v2;

use serde::{Deserialize, Serialize};

use crate::gvk::{GroupVersionKind, GroupVersionResource};
use crate::resource::Resource;

/// Where a kind is served.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct ApiResource {
    /// The API group, empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// Group and version as `apiVersion` spells them.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The name of the collection in URLs.
    pub plural: String,
}

impl ApiResource {
    /// What the Rust type `K` says of itself, as run-time data.
    pub fn erase<K: Resource>(dt: &K::DynamicType) -> Self {
        Self {
            group: K::group(dt).into_owned(),
            version: K::version(dt).into_owned(),
            api_version: K::api_version(dt).into_owned(),
            kind: K::kind(dt).into_owned(),
            plural: K::plural(dt).into_owned(),
        }
    }

    /// The kind `gvk`, served under `plural`.
    pub fn from_gvk_with_plural(gvk: &GroupVersionKind, plural: &str) -> Self {
        Self {
            api_version: gvk.api_version(),
            group: gvk.group.clone(),
            version: gvk.version.clone(),
            kind: gvk.kind.clone(),
            plural: plural.to_owned(),
        }
    }

    /// The kind `gvk`, its plural guessed by the rules of English. Where the guess may be wrong, ask the server.
    pub fn from_gvk(gvk: &GroupVersionKind) -> Self {
        Self::from_gvk_with_plural(gvk, &to_plural(&gvk.kind.to_ascii_lowercase()))
    }

    /// The collection's name in URLs with its group and version.
    pub fn gvr(&self) -> GroupVersionResource {
        GroupVersionResource::gvr(&self.group, &self.version, &self.plural)
    }
}

/// The plural Kubernetes would give `word`, a lower-case kind.
fn to_plural(word: &str) -> String {
    if matches!(word, "endpoints" | "endpointslices" | "nodemetrics" | "podmetrics") {
        return word.to_owned();
    }
    if ["s", "x", "z", "ch", "sh"].iter().any(|ending| word.ends_with(ending)) {
        return format!("{word}es");
    }
    let before_y = word.strip_suffix('y').filter(|stem| stem.ends_with(|c| !"aeiou".contains(c)));
    match before_y {
        Some(stem) => format!("{stem}ies"),
        None => format!("{word}s"),
    }
}

/// Whether the objects of a kind live in namespaces.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Scope {
    /// They do not.
    Cluster,
    /// They do.
    Namespaced,
}

/// What can be done with a kind.
#[derive(Clone, Debug)]
pub struct ApiCapabilities {
    /// Whether its objects live in namespaces.
    pub scope: Scope,
    /// Its subresources and what can be done with those.
    pub subresources: Vec<(ApiResource, ApiCapabilities)>,
    /// The verbs it takes.
    pub operations: Vec<String>,
}

impl ApiCapabilities {
    /// Whether `operation`, one of [`verbs`], can be done.
    pub fn supports_operation(&self, operation: &str) -> bool {
        self.operations.iter().any(|known| known == operation)
    }
}

/// The verbs that discovery lists.
pub mod verbs {
    /// Create an object.
    pub const CREATE: &str = "create";
    /// Read an object.
    pub const GET: &str = "get";
    /// Read a collection.
    pub const LIST: &str = "list";
    /// Follow a collection.
    pub const WATCH: &str = "watch";
    /// Delete an object.
    pub const DELETE: &str = "delete";
    /// Delete a collection.
    pub const DELETE_COLLECTION: &str = "deletecollection";
    /// Replace an object.
    pub const UPDATE: &str = "update";
    /// Change parts of an object.
    pub const PATCH: &str = "patch";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_follow_kubernetes() {
        for (kind, plural) in [
            ("pod", "pods"),
            ("ingress", "ingresses"),
            ("networkpolicy", "networkpolicies"),
            ("gateway", "gateways"),
            ("endpoints", "endpoints"),
            ("switch", "switches"),
        ] {
            assert_eq!(to_plural(kind), plural);
        }
    }
}
