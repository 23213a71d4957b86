//! An object of which nothing but the metadata is known at compile time.

use std::borrow::Cow;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use crate::discovery::ApiResource;
use crate::metadata::{ObjectMeta, TypeMeta};
use crate::resource::{DynamicResourceScope, Resource};

/// Any object: its metadata typed, the rest as JSON.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct DynamicObject {
    /// `apiVersion` and `kind`, absent in the items of a list.
    #[serde(flatten, default)]
    pub types: Option<TypeMeta>,
    /// The metadata.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// Everything else, as in `data["spec"]["replicas"]`.
    #[serde(flatten)]
    pub data: serde_json::Value,
}

impl DynamicObject {
    /// A new object of the kind `resource` names, with nothing but a name.
    pub fn new(name: &str, resource: &ApiResource) -> Self {
        Self {
            types: Some(TypeMeta { api_version: resource.api_version.clone(), kind: resource.kind.clone() }),
            metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
            data: serde_json::Value::default(),
        }
    }

    /// The same object with `data` for everything beyond the metadata.
    #[must_use]
    pub fn data(mut self, data: serde_json::Value) -> Self {
        self.data = data;
        self
    }

    /// The same object in `namespace`.
    #[must_use]
    pub fn within(mut self, namespace: &str) -> Self {
        self.metadata.namespace = Some(namespace.to_owned());
        self
    }

    /// The object as a `K`, or an error naming the object that is none.
    pub fn try_parse<K: Resource + DeserializeOwned>(self) -> Result<K, ParseDynamicObjectError> {
        let name = self.metadata.name.clone();
        serde_json::to_value(self).and_then(serde_json::from_value).map_err(|source| ParseDynamicObjectError {
            what: Some((name.unwrap_or_default(), std::any::type_name::<K>())),
            source,
        })
    }
}

/// A [`DynamicObject`] is not of the type it was taken for.
#[derive(Debug, thiserror::Error)]
pub struct ParseDynamicObjectError {
    /// The object's name and the type, where they are known.
    what: Option<(String, &'static str)>,
    source: serde_json::Error,
}

impl fmt::Display for ParseDynamicObjectError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            Some((name, target)) => write!(formatter, "object {name:?} is not a {target}: {}", self.source),
            None => write!(formatter, "the object is not of the type it was taken for: {}", self.source),
        }
    }
}

impl From<serde_json::Error> for ParseDynamicObjectError {
    fn from(source: serde_json::Error) -> Self {
        Self { what: None, source }
    }
}

impl Resource for DynamicObject {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn kind(dt: &ApiResource) -> Cow<'_, str> {
        dt.kind.as_str().into()
    }
    fn group(dt: &ApiResource) -> Cow<'_, str> {
        dt.group.as_str().into()
    }
    fn version(dt: &ApiResource) -> Cow<'_, str> {
        dt.version.as_str().into()
    }
    fn api_version(dt: &ApiResource) -> Cow<'_, str> {
        dt.api_version.as_str().into()
    }
    fn plural(dt: &ApiResource) -> Cow<'_, str> {
        dt.plural.as_str().into()
    }
    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gvk::GroupVersionKind;
    use k8s_openapi::api::core::v1::{ConfigMap, Pod};

    #[test]
    fn a_dynamic_object_becomes_the_type_it_is() {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap"));
        let object = DynamicObject::new("a", &resource).within("ns").data(serde_json::json!({"data": {"k": "v"}}));
        let typed: ConfigMap = object.clone().try_parse().unwrap();
        assert_eq!(typed.data.unwrap()["k"], "v");
        let error = object.try_parse::<Pod>().unwrap_err();
        assert!(error.to_string().contains("\"a\""), "the error names the object: {error}");
    }
}
