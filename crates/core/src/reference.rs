//! The key of an object: which kind, which namespace, which name.
//!
//! [`Lookup`] is what it takes to have a key: less than a [`Resource`], so packed objects have one without being
//! decoded. Two [`ObjectRef`]s are equal if kind, namespace and name are; version and uid are along for information.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use crate::discovery::ApiResource;
use crate::dynamic::DynamicObject;
use crate::resource::{Resource, api_version_from_group_version};

/// What has a key.
pub trait Lookup {
    /// What must be known at run time to say which kind this is.
    type DynamicType;

    /// The kind.
    fn kind(dyntype: &Self::DynamicType) -> Cow<'_, str>;
    /// The API group, empty for the core group.
    fn group(dyntype: &Self::DynamicType) -> Cow<'_, str>;
    /// The version.
    fn version(dyntype: &Self::DynamicType) -> Cow<'_, str>;
    /// Group and version as `apiVersion` spells them.
    fn api_version(dyntype: &Self::DynamicType) -> Cow<'_, str> {
        api_version_from_group_version(Self::group(dyntype), Self::version(dyntype))
    }
    /// The name of the collection in URLs.
    fn plural(dyntype: &Self::DynamicType) -> Cow<'_, str>;

    /// The object's key.
    fn to_object_ref(&self, dyntype: Self::DynamicType) -> ObjectRef<Self> {
        ObjectRef {
            dyntype,
            name: self.name().unwrap_or_default().into_owned(),
            namespace: self.namespace().map(Cow::into_owned),
            extra: Extra {
                resource_version: self.resource_version().map(Cow::into_owned),
                uid: self.uid().map(Cow::into_owned),
            },
        }
    }

    /// The object's name.
    fn name(&self) -> Option<Cow<'_, str>>;
    /// The namespace, if it lives in one.
    fn namespace(&self) -> Option<Cow<'_, str>>;
    /// The version of this state of it.
    fn resource_version(&self) -> Option<Cow<'_, str>>;
    /// Its identity.
    fn uid(&self) -> Option<Cow<'_, str>>;
}

impl<K: Resource> Lookup for K {
    type DynamicType = K::DynamicType;

    fn kind(dyntype: &Self::DynamicType) -> Cow<'_, str> {
        K::kind(dyntype)
    }
    fn group(dyntype: &Self::DynamicType) -> Cow<'_, str> {
        K::group(dyntype)
    }
    fn version(dyntype: &Self::DynamicType) -> Cow<'_, str> {
        K::version(dyntype)
    }
    fn plural(dyntype: &Self::DynamicType) -> Cow<'_, str> {
        K::plural(dyntype)
    }
    fn name(&self) -> Option<Cow<'_, str>> {
        self.meta().name.as_deref().map(Cow::Borrowed)
    }
    fn namespace(&self) -> Option<Cow<'_, str>> {
        self.meta().namespace.as_deref().map(Cow::Borrowed)
    }
    fn resource_version(&self) -> Option<Cow<'_, str>> {
        self.meta().resource_version.as_deref().map(Cow::Borrowed)
    }
    fn uid(&self) -> Option<Cow<'_, str>> {
        self.meta().uid.as_deref().map(Cow::Borrowed)
    }
}

/// The key of an object of kind `K`.
#[non_exhaustive]
pub struct ObjectRef<K: Lookup + ?Sized> {
    /// Which kind, where the Rust type does not say.
    pub dyntype: K::DynamicType,
    /// The object's name.
    pub name: String,
    /// The namespace, if it lives in one.
    pub namespace: Option<String>,
    /// What was known of the object besides; not part of the key.
    pub extra: Extra,
}

/// What was known of an object when its key was taken.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Extra {
    /// The version.
    pub resource_version: Option<String>,
    /// The uid.
    pub uid: Option<String>,
}

impl<K: Lookup> ObjectRef<K>
where
    K::DynamicType: Default,
{
    /// The object `name`, in no namespace until [`within`](Self::within) says which.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self::new_with(name, K::DynamicType::default())
    }

    /// The key of `object`.
    #[must_use]
    pub fn from_obj(object: &K) -> Self {
        object.to_object_ref(K::DynamicType::default())
    }
}

impl<K: Lookup> ObjectRef<K> {
    /// The object `name` of the kind `dyntype` says.
    #[must_use]
    pub fn new_with(name: &str, dyntype: K::DynamicType) -> Self {
        Self { dyntype, name: name.into(), namespace: None, extra: Extra::default() }
    }

    /// The object of the same name in `namespace`.
    #[must_use]
    pub fn within(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// The key of `object`, of the kind `dyntype` says.
    #[must_use]
    pub fn from_obj_with(object: &K, dyntype: K::DynamicType) -> Self {
        object.to_object_ref(dyntype)
    }

    /// The owner that `owner` names, if it is of kind `K`. The version may differ: an owner written as `v1beta1` is
    /// the same object when its controller has moved to `v1`.
    pub fn from_owner_ref(namespace: Option<&str>, owner: &OwnerReference, dyntype: K::DynamicType) -> Option<Self> {
        let group = owner.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        if group != K::group(&dyntype) || owner.kind != K::kind(&dyntype) {
            return None;
        }
        Some(Self {
            dyntype,
            name: owner.name.clone(),
            namespace: namespace.map(str::to_owned),
            extra: Extra { resource_version: None, uid: Some(owner.uid.clone()) },
        })
    }

    /// The same place under another kind, whether or not there is such an object.
    pub fn into_kind_unchecked<K2: Lookup>(self, dyntype: K2::DynamicType) -> ObjectRef<K2> {
        ObjectRef { dyntype, name: self.name, namespace: self.namespace, extra: self.extra }
    }

    /// The same key, taken from another form of the same kind.
    pub fn into_kind<K2: Lookup<DynamicType = K::DynamicType>>(self) -> ObjectRef<K2> {
        ObjectRef { dyntype: self.dyntype, name: self.name, namespace: self.namespace, extra: self.extra }
    }

    /// The key with its kind as run-time data.
    pub fn erase(self) -> ObjectRef<DynamicObject> {
        let dyntype = ApiResource {
            group: K::group(&self.dyntype).into_owned(),
            version: K::version(&self.dyntype).into_owned(),
            api_version: K::api_version(&self.dyntype).into_owned(),
            kind: K::kind(&self.dyntype).into_owned(),
            plural: K::plural(&self.dyntype).into_owned(),
        };
        self.into_kind_unchecked(dyntype)
    }
}

impl<K: Lookup> From<&K> for ObjectRef<K>
where
    K::DynamicType: Default,
{
    fn from(object: &K) -> Self {
        Self::from_obj(object)
    }
}

impl<K: Lookup> From<ObjectRef<K>> for ObjectReference {
    fn from(key: ObjectRef<K>) -> Self {
        Self {
            api_version: Some(K::api_version(&key.dyntype).into_owned()),
            kind: Some(K::kind(&key.dyntype).into_owned()),
            field_path: None,
            name: Some(key.name),
            namespace: key.namespace,
            resource_version: key.extra.resource_version,
            uid: key.extra.uid,
        }
    }
}

impl<K: Lookup + ?Sized> Clone for ObjectRef<K>
where
    K::DynamicType: Clone,
{
    fn clone(&self) -> Self {
        Self {
            dyntype: self.dyntype.clone(),
            name: self.name.clone(),
            namespace: self.namespace.clone(),
            extra: self.extra.clone(),
        }
    }
}

impl<K: Lookup + ?Sized> PartialEq for ObjectRef<K>
where
    K::DynamicType: PartialEq,
{
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.namespace == other.namespace && self.dyntype == other.dyntype
    }
}

impl<K: Lookup + ?Sized> Eq for ObjectRef<K> where K::DynamicType: Eq {}

impl<K: Lookup + ?Sized> Hash for ObjectRef<K>
where
    K::DynamicType: Hash,
{
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.dyntype.hash(state);
        self.name.hash(state);
        self.namespace.hash(state);
    }
}

impl<K: Lookup + ?Sized> fmt::Debug for ObjectRef<K>
where
    K::DynamicType: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectRef")
            .field("dyntype", &self.dyntype)
            .field("name", &self.name)
            .field("namespace", &self.namespace)
            .field("extra", &self.extra)
            .finish()
    }
}

impl<K: Lookup + ?Sized> fmt::Display for ObjectRef<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, version, group) = (K::kind(&self.dyntype), K::version(&self.dyntype), K::group(&self.dyntype));
        write!(f, "{kind}.{version}.{group}/{}", self.name)?;
        match &self.namespace {
            Some(namespace) => write!(f, ".{namespace}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::ConfigMap;

    #[test]
    fn version_and_uid_are_not_part_of_the_key() {
        let mut object = ConfigMap::default();
        object.metadata.name = Some("a".into());
        object.metadata.namespace = Some("ns".into());
        object.metadata.uid = Some("u".into());
        assert_eq!(ObjectRef::from_obj(&object), ObjectRef::new("a").within("ns"));
        assert_ne!(ObjectRef::from_obj(&object), ObjectRef::new("a"));
        assert_eq!(ObjectRef::from_obj(&object).to_string(), "ConfigMap.v1./a.ns");
    }

    #[test]
    fn an_owner_is_known_by_group_and_kind_at_any_version() {
        let owner = |api_version: &str, kind: &str| OwnerReference {
            api_version: api_version.into(),
            kind: kind.into(),
            name: "a".into(),
            uid: "u".into(),
            ..OwnerReference::default()
        };
        let find = |owner: &OwnerReference| ObjectRef::<Deployment>::from_owner_ref(Some("ns"), owner, ());
        assert_eq!(find(&owner("apps/v1", "Deployment")), Some(ObjectRef::new("a").within("ns")));
        assert!(find(&owner("apps/v1beta1", "Deployment")).is_some());
        assert!(find(&owner("apps/v1", "StatefulSet")).is_none());
        assert!(find(&owner("v1", "Deployment")).is_none());
    }
}
