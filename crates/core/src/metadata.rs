//! Metadata and the metadata-only form of an object.
//!
//! [`TypeMeta`] says which kind bytes are, [`PartialObjectMeta`] is what a server returns when only metadata was asked
//! for (`PartialObjectMetadata` on the wire). A watch over `PartialObjectMeta<K>` costs a fraction of one over `K`.

use std::borrow::Cow;
use std::marker::PhantomData;

pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use serde::{Deserialize, Serialize};

use crate::dynamic::DynamicObject;
use crate::object::ObjectList;
use crate::resource::Resource;

/// `apiVersion` and `kind`, which every object on the wire carries.
#[derive(Clone, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypeMeta {
    /// Group and version, as in `apps/v1`.
    pub api_version: String,
    /// The kind, as in `Deployment`.
    pub kind: String,
}

impl TypeMeta {
    /// The type of a list of `K`.
    pub fn list<K: Resource<DynamicType = ()>>() -> Self {
        Self { api_version: K::api_version(&()).into(), kind: K::kind(&()).into_owned() + "List" }
    }

    /// The type of `K`.
    pub fn resource<K: Resource<DynamicType = ()>>() -> Self {
        Self { api_version: K::api_version(&()).into(), kind: K::kind(&()).into() }
    }
}

/// An object of kind `K` of which only the metadata was asked for.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartialObjectMeta<K = DynamicObject> {
    /// The type written on the wire: `PartialObjectMetadata`, not `K`'s.
    #[serde(flatten, default)]
    pub types: Option<TypeMeta>,
    /// The metadata.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// Which kind this is the metadata of.
    #[serde(skip, default = "phantom")]
    pub _phantom: PhantomData<K>,
}

const fn phantom<K>() -> PhantomData<K> {
    PhantomData
}

/// A list of metadata-only objects.
pub type PartialObjectMetaList<K> = ObjectList<PartialObjectMeta<K>>;

impl<K: Resource> Resource for PartialObjectMeta<K> {
    type DynamicType = K::DynamicType;
    type Scope = K::Scope;

    fn kind(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::kind(dt)
    }
    fn group(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::group(dt)
    }
    fn version(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::version(dt)
    }
    fn plural(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::plural(dt)
    }
    fn metadata_api() -> bool {
        true
    }
    fn can_read_protobuf() -> bool {
        true
    }
    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Wraps metadata into the metadata-only form of an object.
pub trait PartialObjectMetaExt: sealed::Sealed {
    /// For a request: a patch of `K`'s metadata, typed as `K`.
    fn into_request_partial<K: Resource<DynamicType = ()>>(self) -> PartialObjectMeta<K>;
    /// As a server answers it: typed as `PartialObjectMetadata`.
    fn into_response_partial<K>(self) -> PartialObjectMeta<K>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ObjectMeta {}
}

impl PartialObjectMetaExt for ObjectMeta {
    fn into_request_partial<K: Resource<DynamicType = ()>>(self) -> PartialObjectMeta<K> {
        PartialObjectMeta { types: Some(TypeMeta::resource::<K>()), metadata: self, _phantom: PhantomData }
    }

    fn into_response_partial<K>(self) -> PartialObjectMeta<K> {
        let types = TypeMeta { api_version: "meta.k8s.io/v1".into(), kind: "PartialObjectMetadata".into() };
        PartialObjectMeta { types: Some(types), metadata: self, _phantom: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::ConfigMap;

    #[test]
    fn the_metadata_form_is_served_where_the_object_is() {
        assert_eq!(PartialObjectMeta::<ConfigMap>::url_path(&(), None), "/api/v1/configmaps");
        assert!(PartialObjectMeta::<ConfigMap>::metadata_api());
    }

    #[test]
    fn a_response_says_that_it_is_partial() {
        let meta = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
        let json = serde_json::to_value(meta.into_response_partial::<ConfigMap>()).unwrap();
        assert_eq!(json["kind"], "PartialObjectMetadata");
        let back: PartialObjectMeta<ConfigMap> = serde_json::from_value(json).unwrap();
        assert_eq!(back.metadata.name.as_deref(), Some("a"));
    }
}
