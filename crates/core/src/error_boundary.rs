//! Objects that may not be what their type says.
//!
//! One object that does not decode fails the whole list or the event it came in. Wrapped in a [`DeserializeGuard`] it
//! is an [`InvalidObject`] with its metadata instead, and the others are unharmed. The metadata has to be readable:
//! without it the object could not be named.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;

use crate::metadata::ObjectMeta;
use crate::resource::Resource;

/// A `K`, or what is known of an object that is none.
#[derive(Clone, Debug)]
pub struct DeserializeGuard<K>(pub Result<K, InvalidObject>);

/// An object that is not what its type says.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{error}")]
pub struct InvalidObject {
    /// What is wrong with it; its content is not quoted, since it may be a secret.
    pub error: String,
    /// Which object it is.
    pub metadata: ObjectMeta,
}

impl<'de, K: Deserialize<'de>> Deserialize<'de> for DeserializeGuard<K> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let object = Value::deserialize(from)?;
        let metadata = metadata_of(&object).map_err(D::Error::custom)?;
        let decoded = K::deserialize(object);
        Ok(Self(decoded.map_err(|error| InvalidObject { error: without_content(&error.to_string()), metadata })))
    }
}

/// The object's metadata, the rest left aside.
fn metadata_of(object: &Value) -> serde_json::Result<ObjectMeta> {
    let Value::Object(fields) = object else {
        return Err(serde_json::Error::custom("an object with metadata was expected"));
    };
    fields.get("metadata").map_or_else(|| Ok(ObjectMeta::default()), ObjectMeta::deserialize)
}

/// The part of a decode error that is about the type. What was found stands before `, expected`, and may be a secret.
fn without_content(error: &str) -> String {
    let quotes_a_value = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "];
    if !quotes_a_value.iter().any(|beginning| error.starts_with(beginning)) {
        return error.to_owned();
    }
    error.rsplit_once(", expected ").map_or_else(|| "invalid value".to_owned(), |(_, it)| format!("expected {it}"))
}

impl<K: Resource> Resource for DeserializeGuard<K> {
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
    fn api_version(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::api_version(dt)
    }
    fn plural(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::plural(dt)
    }
    fn metadata_api() -> bool {
        K::metadata_api()
    }
    fn url_path(dt: &Self::DynamicType, namespace: Option<&str>) -> String {
        K::url_path(dt, namespace)
    }
    fn meta(&self) -> &ObjectMeta {
        match &self.0 {
            Ok(object) => object.meta(),
            Err(invalid) => &invalid.metadata,
        }
    }
    fn meta_mut(&mut self) -> &mut ObjectMeta {
        match &mut self.0 {
            Ok(object) => object.meta_mut(),
            Err(invalid) => &mut invalid.metadata,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ObjectList, ResourceExt};
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    #[test]
    fn one_broken_object_does_not_break_the_list() {
        let list: ObjectList<DeserializeGuard<ConfigMap>> = serde_json::from_value(json!({
            "metadata": {},
            "items": [
                {"metadata": {"name": "good"}, "data": {"a": "b"}},
                {"metadata": {"name": "broken"}, "data": "hunter2"},
                {"data": 5},
            ],
        }))
        .unwrap();
        let [good, broken, nameless] = &list.items[..] else { panic!("three objects") };
        assert!(good.0.is_ok());
        assert_eq!(broken.name_any(), "broken");
        assert_eq!(nameless.meta().name, None);
        let error = broken.0.as_ref().unwrap_err();
        assert!(error.to_string().starts_with("expected "), "{error}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }

    #[test]
    fn an_object_without_readable_metadata_is_an_error() {
        for json in ["5", r#"{"metadata":5}"#, "null", "[]"] {
            assert!(serde_json::from_str::<DeserializeGuard<ConfigMap>>(json).is_err(), "{json}");
        }
    }
}
