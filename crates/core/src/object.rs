//! Objects of which only the outer shape has a Rust type, and lists of objects.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};

use crate::discovery::ApiResource;
use crate::metadata::{ListMeta, ObjectMeta, TypeMeta};
use crate::resource::{DynamicResourceScope, Resource};

/// What a LIST returns: the objects, and the version the whole list is of.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectList<T: Clone> {
    /// `apiVersion` and `kind` of the list; `v1` and `List` where the server leaves them out.
    #[serde(flatten, deserialize_with = "types_or_list")]
    pub types: TypeMeta,
    /// Version, continue token and how many objects remain.
    #[serde(default)]
    pub metadata: ListMeta,
    /// The objects.
    #[serde(deserialize_with = "null_as_empty", bound(deserialize = "T: Deserialize<'de>"))]
    pub items: Vec<T>,
}

fn types_or_list<'de, D: Deserializer<'de>>(from: D) -> Result<TypeMeta, D::Error> {
    let types = Option::deserialize(from)?;
    Ok(types.unwrap_or_else(|| TypeMeta { api_version: "v1".to_owned(), kind: "List".to_owned() }))
}

/// Some servers say `items: null` where they mean no items.
fn null_as_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

impl<T: Clone> ObjectList<T> {
    /// Goes over the objects.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Goes over the objects, to change them.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
}

impl<T: Clone> IntoIterator for ObjectList<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a ObjectList<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut ObjectList<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

/// Kinds that have a `spec`.
pub trait HasSpec {
    /// The type of the spec.
    type Spec;
    /// What the object should be.
    fn spec(&self) -> &Self::Spec;
    /// What the object should be, to change it.
    fn spec_mut(&mut self) -> &mut Self::Spec;
}

/// Kinds that have a `status`.
pub trait HasStatus {
    /// The type of the status.
    type Status;
    /// What the object is.
    fn status(&self) -> Option<&Self::Status>;
    /// What the object is, to change it.
    fn status_mut(&mut self) -> &mut Option<Self::Status>;
}

/// An object whose spec and status have Rust types while its kind is known only at run time.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Object<P: Clone, U: Clone> {
    /// `apiVersion` and `kind`, absent in the items of a list.
    #[serde(flatten, default)]
    pub types: Option<TypeMeta>,
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What the object should be.
    pub spec: P,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<U>,
}

impl<P: Clone, U: Clone> Object<P, U> {
    /// A new object of the kind `resource` names.
    pub fn new(name: &str, resource: &ApiResource, spec: P) -> Self {
        let types = TypeMeta { api_version: resource.api_version.clone(), kind: resource.kind.clone() };
        let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
        Self { types: Some(types), metadata, spec, status: None }
    }

    /// The same object in `namespace`.
    #[must_use]
    pub fn within(mut self, namespace: &str) -> Self {
        self.metadata.namespace = Some(namespace.to_owned());
        self
    }
}

impl<P: Clone, U: Clone> Resource for Object<P, U> {
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

impl<P: Clone, U: Clone> HasSpec for Object<P, U> {
    type Spec = P;
    fn spec(&self) -> &P {
        &self.spec
    }
    fn spec_mut(&mut self) -> &mut P {
        &mut self.spec
    }
}

impl<P: Clone, U: Clone> HasStatus for Object<P, U> {
    type Status = U;
    fn status(&self) -> Option<&U> {
        self.status.as_ref()
    }
    fn status_mut(&mut self) -> &mut Option<U> {
        &mut self.status
    }
}

/// A spec or status that is there but of no interest; it writes nothing.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct NotUsed {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_items_are_an_empty_list() {
        let list: ObjectList<serde_json::Value> =
            serde_json::from_str(r#"{"apiVersion":"v1","kind":"PodList","metadata":{},"items":null}"#).unwrap();
        assert_eq!((list.iter().count(), list.types.kind.as_str()), (0, "PodList"));
    }

    #[test]
    fn a_list_that_does_not_say_what_it_is_is_a_plain_list() {
        let list: ObjectList<serde_json::Value> = serde_json::from_str(r#"{"items":[1]}"#).unwrap();
        assert_eq!((list.types.api_version.as_str(), list.types.kind.as_str()), ("v1", "List"));
    }
}
