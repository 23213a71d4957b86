//! Who owns an object: owner references, made and checked.
//!
//! A reference that a server would garbage collect by mistake is refused here: across namespaces, from a namespaced
//! owner to a cluster-wide child, or beside another controller.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use pintle_core::{Resource, ResourceExt};

/// Why an object cannot own another.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnerError {
    /// The owner has no name or uid: it was not read from a server.
    #[error("an owner needs a name and a uid: use the object as the server returned it")]
    NotStored,
    /// Another controller manages the object.
    #[error("the object is managed by {kind} {name} already: an object has one controller")]
    AlreadyOwned {
        /// The kind of the other controller's object.
        kind: String,
        /// Its name.
        name: String,
    },
    /// The owner lives in a namespace, the object in none.
    #[error(
        "an object without a namespace cannot have an owner in namespace {0}: the garbage collector would delete it"
    )]
    ClusterWideChild(String),
    /// Both live in different namespaces.
    #[error(
        "an object in namespace {child} cannot have an owner in namespace {owner}: the garbage collector would delete it"
    )]
    AcrossNamespaces {
        /// The owner's namespace.
        owner: String,
        /// The object's.
        child: String,
    },
}

/// Makes `owner` the controller of `child`: its changes wake the owner's reconciler, and it goes with the owner, whose
/// deletion in the foreground waits for it.
///
/// # Errors
/// If it has another controller, or if owner and child cannot belong together.
pub fn set_controller_reference<O, C>(child: &mut C, owner: &O, dyntype: &O::DynamicType) -> Result<(), OwnerError>
where
    O: Resource,
    C: Resource,
{
    check_places(child, owner)?;
    let mut reference = owner.controller_owner_ref(dyntype).ok_or(OwnerError::NotStored)?;
    reference.block_owner_deletion = Some(true);
    if let Some(other) = controller_of(child).filter(|other| !is_same(other, &reference)) {
        return Err(OwnerError::AlreadyOwned { kind: other.kind.clone(), name: other.name.clone() });
    }
    upsert(child, reference);
    Ok(())
}

/// Makes `owner` one of the owners of `child`, which goes when the last of them has gone.
///
/// # Errors
/// If owner and child cannot belong together.
pub fn set_owner_reference<O, C>(child: &mut C, owner: &O, dyntype: &O::DynamicType) -> Result<(), OwnerError>
where
    O: Resource,
    C: Resource,
{
    check_places(child, owner)?;
    upsert(child, owner.owner_ref(dyntype).ok_or(OwnerError::NotStored)?);
    Ok(())
}

/// Takes `owner` from the owners of `child`; says whether it was one.
pub fn remove_owner_reference<O, C>(child: &mut C, owner: &O, dyntype: &O::DynamicType) -> bool
where
    O: Resource,
    C: Resource,
{
    let Some(reference) = owner.owner_ref(dyntype) else { return false };
    let owners = child.owner_references_mut();
    let before = owners.len();
    owners.retain(|known| !is_same(known, &reference));
    owners.len() < before
}

/// Whether `owner`, that very object, owns `child`.
pub fn is_owned_by<O, C>(child: &C, owner: &O) -> bool
where
    O: Resource,
    C: Resource,
{
    owner.meta().uid.as_ref().is_some_and(|uid| child.owner_references().iter().any(|it| it.uid == *uid))
}

/// The owner that manages `child`, if one does.
pub fn controller_of<C: Resource>(child: &C) -> Option<&OwnerReference> {
    child.meta().owner_references.iter().flatten().find(|owner| owner.controller == Some(true))
}

fn check_places<O: Resource, C: Resource>(child: &C, owner: &O) -> Result<(), OwnerError> {
    let Some(owner) = owner.meta().namespace.clone() else { return Ok(()) };
    match child.meta().namespace.clone() {
        None => Err(OwnerError::ClusterWideChild(owner)),
        Some(child) if child != owner => Err(OwnerError::AcrossNamespaces { owner, child }),
        Some(_) => Ok(()),
    }
}

/// One reference per owner, whatever version of its kind it was written with.
fn upsert<C: Resource>(child: &mut C, reference: OwnerReference) {
    let owners = child.owner_references_mut();
    match owners.iter_mut().find(|known| is_same(known, &reference)) {
        Some(known) => *known = reference,
        None => owners.push(reference),
    }
}

fn is_same(one: &OwnerReference, other: &OwnerReference) -> bool {
    fn group(api_version: &str) -> &str {
        api_version.rsplit_once('/').map_or("", |(group, _)| group)
    }
    let is_same_kind = group(&one.api_version) == group(&other.api_version) && one.kind == other.kind;
    is_same_kind && one.name == other.name && one.uid == other.uid
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};

    use super::*;

    fn map(name: &str, namespace: Option<&str>) -> ConfigMap {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.into());
        map.metadata.namespace = namespace.map(Into::into);
        map.metadata.uid = Some(format!("uid-of-{name}"));
        map
    }

    #[test]
    fn an_object_has_one_controller_and_each_owner_once() {
        let (mut child, one, other) = (Secret::default(), map("one", Some("ns")), map("other", Some("ns")));
        child.metadata.namespace = Some("ns".into());
        for _ in 0..2 {
            set_controller_reference(&mut child, &one, &()).unwrap();
            set_owner_reference(&mut child, &other, &()).unwrap();
        }
        assert_eq!(child.owner_references().len(), 2);
        assert_eq!(controller_of(&child).map(|it| it.name.as_str()), Some("one"));
        assert_eq!(controller_of(&child).and_then(|it| it.block_owner_deletion), Some(true));
        let refused = set_controller_reference(&mut child, &other, &()).unwrap_err();
        assert_eq!(refused, OwnerError::AlreadyOwned { kind: "ConfigMap".into(), name: "one".into() });
        assert!(is_owned_by(&child, &one) && is_owned_by(&child, &other));
        assert!(remove_owner_reference(&mut child, &one, &()) && !remove_owner_reference(&mut child, &one, &()));
        assert!(!is_owned_by(&child, &one));
    }

    #[test]
    fn owners_the_garbage_collector_would_not_find_are_refused() {
        let owner = map("owner", Some("ns"));
        let mut cluster_wide = Namespace::default();
        assert_eq!(set_owner_reference(&mut cluster_wide, &owner, &()), Err(OwnerError::ClusterWideChild("ns".into())));
        let mut elsewhere = map("child", Some("other"));
        let refused = set_owner_reference(&mut elsewhere, &owner, &()).unwrap_err();
        assert_eq!(refused, OwnerError::AcrossNamespaces { owner: "ns".into(), child: "other".into() });
        let clusterwide_owner = map("owner", None);
        assert_eq!(set_owner_reference(&mut elsewhere, &clusterwide_owner, &()), Ok(()));
        let new = ConfigMap::default();
        assert_eq!(set_owner_reference(&mut elsewhere, &new, &()), Err(OwnerError::NotStored));
    }

    #[test]
    fn a_reference_written_with_another_version_of_the_kind_is_the_same_owner() {
        let (mut child, owner) = (map("child", Some("ns")), map("owner", Some("ns")));
        set_owner_reference(&mut child, &owner, &()).unwrap();
        child.owner_references_mut()[0].api_version = "v0".into();
        set_owner_reference(&mut child, &owner, &()).unwrap();
        assert_eq!(child.owner_references().len(), 1);
        assert_eq!(child.owner_references()[0].api_version, "v1");
    }
}
