//! Group, version and kind (or resource): the names a type has in the API, and how `apiVersion` spells them.

use std::str::FromStr;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use serde::{Deserialize, Serialize};

use crate::metadata::TypeMeta;
use crate::resource::api_version_from_group_version;

/// An `apiVersion` that is neither `version` nor `group/version`.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0:?} is not an apiVersion: expected `version` or `group/version`")]
pub struct ParseGroupVersionError(pub String);

/// Names a kind.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct GroupVersionKind {
    /// The API group, empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

impl GroupVersionKind {
    /// The kind `kind` of `group/version`.
    pub fn gvk(group: &str, version: &str, kind: &str) -> Self {
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// Group and version as `apiVersion` spells them.
    pub fn api_version(&self) -> String {
        api_version_from_group_version(self.group.as_str().into(), self.version.as_str().into()).into_owned()
    }
}

/// Names a version of an API group.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct GroupVersion {
    /// The API group, empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
}

impl GroupVersion {
    /// The version `version` of `group`.
    pub fn gv(group: &str, version: &str) -> Self {
        Self { group: group.into(), version: version.into() }
    }

    /// A kind of this group and version.
    pub fn with_kind(self, kind: &str) -> GroupVersionKind {
        GroupVersionKind { group: self.group, version: self.version, kind: kind.into() }
    }

    /// Group and version as `apiVersion` spells them.
    pub fn api_version(&self) -> String {
        api_version_from_group_version(self.group.as_str().into(), self.version.as_str().into()).into_owned()
    }
}

impl FromStr for GroupVersion {
    type Err = ParseGroupVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // As kube reads it: any text is the name of something, and whether that exists the server knows.
        let (group, version) = text.split_once('/').unwrap_or(("", text));
        Ok(Self::gv(group, version))
    }
}

/// Names a collection in URLs.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(from = "Written")]
pub struct GroupVersionResource {
    /// The API group, empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The plural.
    pub resource: String,
    // Follows from the others, so it is not written.
    #[serde(skip_serializing)]
    api_version: String,
}

/// A collection's name as reviews write it.
#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    group: String,
    version: String,
    resource: String,
}

impl From<Written> for GroupVersionResource {
    fn from(written: Written) -> Self {
        Self::gvr(&written.group, &written.version, &written.resource)
    }
}

impl GroupVersionResource {
    /// The collection `resource` of `group/version`.
    pub fn gvr(group: &str, version: &str, resource: &str) -> Self {
        let api_version = api_version_from_group_version(group.into(), version.into()).into_owned();
        Self { group: group.into(), version: version.into(), resource: resource.into(), api_version }
    }

    /// Group and version as `apiVersion` spells them.
    pub fn api_version(&self) -> &str {
        &self.api_version
    }
}

impl TryFrom<&TypeMeta> for GroupVersionKind {
    type Error = ParseGroupVersionError;
    fn try_from(types: &TypeMeta) -> Result<Self, Self::Error> {
        Ok(GroupVersion::from_str(&types.api_version)?.with_kind(&types.kind))
    }
}

impl TryFrom<TypeMeta> for GroupVersionKind {
    type Error = ParseGroupVersionError;
    fn try_from(types: TypeMeta) -> Result<Self, Self::Error> {
        Self::try_from(&types)
    }
}

impl From<OwnerReference> for GroupVersionKind {
    fn from(owner: OwnerReference) -> Self {
        as_written(&owner.api_version, &owner.kind)
    }
}

impl From<ObjectReference> for GroupVersionKind {
    fn from(object: ObjectReference) -> Self {
        as_written(object.api_version.as_deref().unwrap_or_default(), object.kind.as_deref().unwrap_or_default())
    }
}

/// References are taken as they are written: a server has checked them, and these conversions cannot fail.
fn as_written(api_version: &str, kind: &str) -> GroupVersionKind {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    GroupVersionKind::gvk(group, version, kind)
}

impl From<GroupVersionKind> for TypeMeta {
    fn from(gvk: GroupVersionKind) -> Self {
        Self { api_version: gvk.api_version(), kind: gvk.kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_name_their_kind_as_written() {
        let owner = |api_version: &str| OwnerReference {
            api_version: api_version.into(),
            kind: "K".into(),
            ..OwnerReference::default()
        };
        assert_eq!(GroupVersionKind::from(owner("g/v1")), GroupVersionKind::gvk("g", "v1", "K"));
        assert_eq!(GroupVersionKind::from(owner("v1")), GroupVersionKind::gvk("", "v1", "K"));
    }

    #[test]
    fn a_resource_is_read_as_reviews_write_it() {
        let json = r#"{"group":"apps","version":"v1","resource":"deployments"}"#;
        let read: GroupVersionResource = serde_json::from_str(json).unwrap();
        assert_eq!(read, GroupVersionResource::gvr("apps", "v1", "deployments"));
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }

    #[test]
    fn api_versions_parse_and_print() {
        for text in ["v1", "apps/v1", "example.com/v1alpha1"] {
            assert_eq!(text.parse::<GroupVersion>().unwrap().api_version(), text);
        }
        for (text, group, version) in [("", "", ""), ("/v1", "", "v1"), ("apps/", "apps", ""), ("a/b/c", "a", "b/c")] {
            assert_eq!(text.parse::<GroupVersion>(), Ok(GroupVersion::gv(group, version)));
        }
    }
}
