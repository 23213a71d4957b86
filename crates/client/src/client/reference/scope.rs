//! Where to look for objects: in the cluster, in a namespace, or where a reference points.
//!
//! For programs that read one object here and one there and need no [`Api`](crate::Api) of each kind.

use k8s_openapi::api::core::v1::{LocalObjectReference, Namespace as NamespaceObject, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use pintle_core::Resource;
use pintle_core::resource::NamespaceScope;

use crate::client::reference::ObjectRef;

/// The whole cluster: objects of cluster-scoped kinds, and lists over all namespaces.
#[derive(Clone, Debug)]
pub struct Cluster;

/// One namespace.
#[derive(Clone, Debug)]
pub struct Namespace(pub(in crate::client) String);

impl From<&str> for Namespace {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl From<String> for Namespace {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl TryFrom<&NamespaceObject> for Namespace {
    type Error = NamespaceError;

    fn try_from(namespace: &NamespaceObject) -> Result<Self, Self::Error> {
        namespace.metadata.name.clone().map(Self).ok_or(NamespaceError::MissingName)
    }
}

/// Why an object names no namespace.
#[derive(Debug, thiserror::Error)]
pub enum NamespaceError {
    /// It has no name.
    #[error("the namespace has no name")]
    MissingName,
}

/// A reference to an object of a namespaced kind.
pub trait NamespacedRef<K> {
    /// The same reference, in `namespace`.
    fn within(&self, namespace: impl Into<Option<String>>) -> impl ObjectRef<K>;
}

impl<K> NamespacedRef<K> for ObjectReference
where
    K: Resource,
    K::Scope: NamespaceScope,
{
    fn within(&self, namespace: impl Into<Option<String>>) -> impl ObjectRef<K> {
        Self { namespace: namespace.into(), ..self.clone() }
    }
}

impl<K> NamespacedRef<K> for OwnerReference
where
    K: Resource,
    K::Scope: NamespaceScope,
{
    fn within(&self, namespace: impl Into<Option<String>>) -> impl ObjectRef<K> {
        ObjectReference {
            api_version: Some(self.api_version.clone()),
            kind: Some(self.kind.clone()),
            name: Some(self.name.clone()),
            namespace: namespace.into(),
            uid: Some(self.uid.clone()),
            ..ObjectReference::default()
        }
    }
}

/// The kind is that of `K`; the reference has but a name.
impl<K> NamespacedRef<K> for LocalObjectReference
where
    K: Resource,
    K::DynamicType: Default,
    K::Scope: NamespaceScope,
{
    fn within(&self, namespace: impl Into<Option<String>>) -> impl ObjectRef<K> {
        let dyntype = K::DynamicType::default();
        ObjectReference {
            api_version: Some(K::api_version(&dyntype).into_owned()),
            kind: Some(K::kind(&dyntype).into_owned()),
            name: Some(self.name.clone()),
            namespace: namespace.into(),
            ..ObjectReference::default()
        }
    }
}
