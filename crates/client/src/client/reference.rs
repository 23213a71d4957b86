//! Objects by scope and name, or by a reference: [`Client::get`], [`Client::list`], [`Client::fetch`].
//!
//! In: where to look, as one of [`scope`] or a reference that another object holds. Out: the object. A
//! reference says the kind and not the plural, which is therefore guessed by the rules of English; where that may be
//! wrong, use discovery and an [`Api`](crate::Api). A reference without kind, version or name leads nowhere, and
//! nothing is sent.

pub mod scope;

use std::fmt::Debug;

use k8s_openapi::ClusterResourceScope;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use pintle_core::call::{self, Call, Target};
use pintle_core::gvk::{GroupVersion, ParseGroupVersionError};
use pintle_core::params::{GetParams, ListParams};
use pintle_core::resource::{DynamicResourceScope, NamespaceScope};
use pintle_core::{ApiResource, DynamicObject, ObjectList, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Client, RequestInfo};
use crate::error::{Error, Result};
use scope::{Cluster, Namespace};

/// Objects without an `Api`.
impl Client {
    /// The object `name` of the kind `K`, in `scope`.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::{Node, Pod};
    /// # use pintle_client::client::scope::{Cluster, Namespace};
    /// # async fn read(client: pintle_client::Client) -> pintle_client::Result<()> {
    /// let node: Node = client.get("node-1", &Cluster).await?;
    /// let pod: Pod = client.get("web-0", &Namespace::from("shop")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn get<K>(&self, name: &str, scope: &impl ObjectUrl<K>) -> Result<K>
    where
        K: Resource + Serialize + DeserializeOwned + Clone + Debug,
        <K as Resource>::DynamicType: Default,
    {
        self.read(scope.collection()?.named(name)).await
    }

    /// The object that `reference` points at.
    ///
    /// # Errors
    /// When the reference says too little, or the object does not exist, among others.
    pub async fn fetch<K>(&self, reference: &impl ObjectRef<K>) -> Result<K>
    where
        K: Resource + Serialize + DeserializeOwned + Clone + Debug,
    {
        let name = reference.name().filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| Error::RefResolve("it has no name".to_owned()))?;
        self.read(reference.collection()?.named(name)).await
    }

    /// The objects of the kind `K` that `lp` selects, in `scope`.
    ///
    /// # Errors
    /// When the server refuses or cannot be reached.
    pub async fn list<K>(&self, lp: &ListParams, scope: &impl CollectionUrl<K>) -> Result<ObjectList<K>>
    where
        K: Resource + Serialize + DeserializeOwned + Clone + Debug,
        <K as Resource>::DynamicType: Default,
    {
        self.request(print(Call::list(scope.collection(), lp))?).await
    }

    async fn read<K: DeserializeOwned>(&self, target: Target) -> Result<K> {
        self.request(print(Call::get(target, &GetParams::default()))?).await
    }
}

fn print(call: call::Result<Call>) -> Result<http::Request<Vec<u8>>> {
    call.and_then(|call| RequestInfo::print(call, Vec::new())).map_err(|error| Error::BuildRequest(error.into()))
}

/// Scopes in which objects of cluster-scoped kinds are looked up.
pub trait ClusterScope {}
impl ClusterScope for ClusterResourceScope {}
impl ClusterScope for DynamicResourceScope {}

/// Says where a collection of `K` is.
pub trait CollectionUrl<K> {
    /// The collection.
    fn collection(&self) -> Target;
}

/// Says in which collection an object of kind `K` is.
pub trait ObjectUrl<K> {
    /// The collection, or why there is none to be found.
    fn collection(&self) -> Result<Target>;
}

/// Points at one object of kind `K`.
pub trait ObjectRef<K>: ObjectUrl<K> {
    /// Its name.
    fn name(&self) -> Option<&str>;
}

impl<K> CollectionUrl<K> for Cluster
where
    K: Resource,
    K::DynamicType: Default,
{
    fn collection(&self) -> Target {
        Target::collection::<K>(&K::DynamicType::default(), None)
    }
}

impl<K> ObjectUrl<K> for Cluster
where
    K: Resource,
    K::DynamicType: Default,
    K::Scope: ClusterScope,
{
    fn collection(&self) -> Result<Target> {
        Ok(Target::collection::<K>(&K::DynamicType::default(), None))
    }
}

impl<K> CollectionUrl<K> for Namespace
where
    K: Resource,
    K::DynamicType: Default,
    K::Scope: NamespaceScope,
{
    fn collection(&self) -> Target {
        Target::collection::<K>(&K::DynamicType::default(), Some(&self.0))
    }
}

impl<K> ObjectUrl<K> for Namespace
where
    K: Resource,
    K::DynamicType: Default,
    K::Scope: NamespaceScope,
{
    fn collection(&self) -> Result<Target> {
        Ok(Target::collection::<K>(&K::DynamicType::default(), Some(&self.0)))
    }
}

impl<K: Resource> ObjectUrl<K> for ObjectReference {
    fn collection(&self) -> Result<Target> {
        let api_version = self.api_version.as_deref().unwrap_or_default();
        referred(api_version, self.kind.as_deref().unwrap_or_default(), self.namespace.as_deref())
    }
}

impl<K: Resource> ObjectRef<K> for ObjectReference {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

impl<K> ObjectUrl<K> for OwnerReference
where
    K: Resource,
    K::Scope: ClusterScope,
{
    fn collection(&self) -> Result<Target> {
        referred(&self.api_version, &self.kind, None)
    }
}

impl<K> ObjectRef<K> for OwnerReference
where
    K: Resource,
    K::Scope: ClusterScope,
{
    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }
}

/// The collection that a reference names.
fn referred(api_version: &str, kind: &str, namespace: Option<&str>) -> Result<Target> {
    let group_version: GroupVersion =
        api_version.parse().map_err(|error: ParseGroupVersionError| Error::RefResolve(error.to_string()))?;
    if group_version.version.is_empty() || group_version.version.contains('/') {
        return Err(Error::RefResolve(format!("its apiVersion {api_version:?} is not a version or group/version")));
    }
    if kind.is_empty() {
        return Err(Error::RefResolve("it has no kind".to_owned()));
    }
    let resource = ApiResource::from_gvk(&group_version.with_kind(kind));
    Ok(Target::collection::<DynamicObject>(&resource, namespace))
}
