//! One definition of several versions.
//!
//! In: the definitions of single versions, as `#[derive(CustomResource)]` gives them, and the version to store. Out:
//! one definition that serves them all and stores that one. Names, annotations and the like are those of the stored
//! version; group, kind and scope must be the same in all.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion,
};

/// Why definitions could not be made one.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There is nothing to merge.
    #[error("there are no definitions to merge")]
    MissingCrds,
    /// No definition has the version to store.
    #[error("none of the definitions has the version to store, {0}")]
    MissingStoredApi(String),
    /// No definition has the version that the others are merged into.
    #[error("none of the definitions has the version {0}, which is to be stored")]
    MissingRootVersion(String),
    /// A definition has no version.
    #[error("one of the definitions has no version")]
    MissingVersions,
    /// A definition has several versions.
    #[error("one of the definitions has several versions already; merge those with one version each")]
    MultiVersionCrd,
    /// The definitions are not of the same kind.
    #[error("the definitions differ in their {0}, so they are not versions of one kind")]
    PropertyMismatch(String),
}

/// Makes one definition of several versions of a kind, which stores `stored_apiversion`.
///
/// ```
/// # use pintle_core::crd::{MergeError, merge_crds};
/// # use pintle_core::crd::definition::Definition;
/// let version = |version| Definition { group: "example.com", kind: "Document", version, ..Definition::default() };
/// let merged = merge_crds(vec![version("v1").without_schema(), version("v2").without_schema()], "v2")?;
/// let stored: Vec<bool> = merged.spec.versions.iter().map(|version| version.storage).collect();
/// assert_eq!(stored, [true, false], "v2 comes first, then v1");
/// # Ok::<(), MergeError>(())
/// ```
///
/// # Errors
///
/// When the definitions are not the versions of one kind, or none of them is the version to store.
pub fn merge_crds(
    mut crds: Vec<CustomResourceDefinition>,
    stored_apiversion: &str,
) -> Result<CustomResourceDefinition, MergeError> {
    if crds.is_empty() {
        return Err(MergeError::MissingCrds);
    }
    for definition in &crds {
        only_version(definition)?;
    }
    let root = crds
        .iter()
        .position(|definition| only_version(definition).is_ok_and(|version| version.name == stored_apiversion))
        .ok_or_else(|| MergeError::MissingRootVersion(stored_apiversion.to_owned()))?;
    let mut merged = crds.remove(root);
    for definition in crds {
        is_the_same_kind(&merged, &definition)?;
        merged.spec.versions.extend(definition.spec.versions);
    }
    for (index, version) in merged.spec.versions.iter_mut().enumerate() {
        version.storage = index == 0;
    }
    Ok(merged)
}

fn only_version(definition: &CustomResourceDefinition) -> Result<&CustomResourceDefinitionVersion, MergeError> {
    match definition.spec.versions.as_slice() {
        [] => Err(MergeError::MissingVersions),
        [only] => Ok(only),
        _ => Err(MergeError::MultiVersionCrd),
    }
}

fn is_the_same_kind(root: &CustomResourceDefinition, other: &CustomResourceDefinition) -> Result<(), MergeError> {
    let properties = [
        ("group", &root.spec.group, &other.spec.group),
        ("kind", &root.spec.names.kind, &other.spec.names.kind),
        ("scope", &root.spec.scope, &other.spec.scope),
    ];
    match properties.into_iter().find(|(_, one, another)| one != another) {
        Some((property, ..)) => Err(MergeError::PropertyMismatch(property.to_owned())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{CustomResourceDefinition, MergeError, merge_crds};
    use crate::crd::definition::Definition;

    fn definition(version: &'static str) -> CustomResourceDefinition {
        Definition { group: "example.com", kind: "Document", version, is_stored: true, ..Definition::default() }
            .without_schema()
    }

    fn changed(change: impl FnOnce(&mut CustomResourceDefinition)) -> CustomResourceDefinition {
        let mut definition = definition("v2");
        change(&mut definition);
        definition
    }

    #[test]
    fn the_stored_version_comes_first_and_is_the_only_one_stored() {
        let merged = merge_crds(vec![definition("v1"), definition("v2"), definition("v3")], "v2").unwrap();
        let versions: Vec<_> = merged.spec.versions.iter().map(|one| (one.name.as_str(), one.storage)).collect();
        assert_eq!(versions, [("v2", true), ("v1", false), ("v3", false)]);
    }

    #[test]
    fn what_is_not_one_kind_is_not_merged() {
        let merge = |other| merge_crds(vec![definition("v1"), other], "v1").unwrap_err().to_string();
        let differs = |property: &str| MergeError::PropertyMismatch(property.to_owned()).to_string();
        assert_eq!(merge(changed(|one| one.spec.group.push('x'))), differs("group"));
        assert_eq!(merge(changed(|one| one.spec.names.kind.push('x'))), differs("kind"));
        assert_eq!(merge(changed(|one| one.spec.scope.push('x'))), differs("scope"));
        assert_eq!(merge(changed(|one| one.spec.versions.clear())), MergeError::MissingVersions.to_string());
        let several = merge_crds(vec![definition("v2"), definition("v3")], "v3").unwrap();
        assert_eq!(merge(several), MergeError::MultiVersionCrd.to_string());
    }

    #[test]
    fn there_must_be_definitions_and_the_stored_version_among_them() {
        assert!(matches!(merge_crds(Vec::new(), "v1"), Err(MergeError::MissingCrds)));
        let missing = merge_crds(vec![definition("v1")], "v2").unwrap_err();
        assert!(matches!(missing, MergeError::MissingRootVersion(version) if version == "v2"));
    }
}
