//! The fields of an object that one manager has applied: what it would apply again to change one of them.
//!
//! In: an object with `managedFields`. Out: the same object with that manager's fields alone. Which fields those are is
//! the [`FieldSet`] that the server wrote down. Whether a field with nothing below it is a value of its own or an empty
//! container that others fill, the tables of built-in kinds say; of other kinds it is a container if a manager owns a
//! part of it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use pintle_core::field_set::{FieldSet, FieldTypes, ParseFieldSetError};
use pintle_core::{Resource, TypeMeta};
use pintle_wire::facts::{self, Field, Holds, ListType, Shape, Type};
use serde::Serialize;
use serde_json::{Value, json};

use super::super::Api;
use crate::error_chain::error_chain;

/// Why a manager's fields are not known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnFieldsError {
    /// The object does not say who owns what.
    #[error(
        "{object} has no managedFields; read it by Api::get or by a store that keeps them \
         (stores of packed objects leave them out unless asked to)"
    )]
    NoManagedFields {
        /// Which object.
        object: String,
    },
    /// It was applied in another version of its kind, whose fields may have other names.
    #[error("{object} was applied by {manager:?} as {applied}; read it in that version")]
    OtherVersion {
        /// Which object.
        object: String,
        /// Who applied it.
        manager: String,
        /// As what.
        applied: String,
    },
    /// What the object says of its manager's fields cannot be read.
    #[error("{object} has managedFields of {manager:?} that cannot be read: {source}")]
    Malformed {
        /// Which object.
        object: String,
        /// Who applied it.
        manager: String,
        /// Why not.
        source: ParseFieldSetError,
    },
    /// The object cannot be written as JSON.
    #[error("the object cannot be written as JSON: {}", error_chain(.0))]
    Serialize(#[source] serde_json::Error),
}

impl<K: Resource + Serialize> Api<K> {
    /// What `manager` has applied of `object`, as the body of another apply: kind, name, and the fields it owns. Without
    /// any it is kind and name alone.
    ///
    /// Change or leave out a field and apply that again: what is left out is given up. To apply an object that was
    /// read whole would take every field of it.
    ///
    /// # Errors
    /// When the object has no `managedFields`, or was applied in another version of its kind.
    pub fn own_fields(&self, object: &K, manager: &str) -> Result<Value, OwnFieldsError> {
        own_fields(object, &self.types(), manager, None)
    }

    /// As [`own_fields`](Self::own_fields), of what was applied by way of the part `subresource`, such as `status`.
    ///
    /// # Errors
    /// When the object has no `managedFields`, or was applied in another version of its kind.
    pub fn own_fields_of(&self, subresource: &str, object: &K, manager: &str) -> Result<Value, OwnFieldsError> {
        own_fields(object, &self.types(), manager, Some(subresource))
    }
}

fn own_fields<K: Resource + Serialize>(
    object: &K,
    types: &TypeMeta,
    manager: &str,
    subresource: Option<&str>,
) -> Result<Value, OwnFieldsError> {
    let meta = object.meta();
    let named = || format!("{} {}", types.kind, meta.name.as_deref().unwrap_or_default());
    let entries = meta.managed_fields.as_deref().filter(|entries| !entries.is_empty());
    let entries = entries.ok_or_else(|| OwnFieldsError::NoManagedFields { object: named() })?;
    let is_own = |entry: &&ManagedFieldsEntry| {
        entry.manager.as_deref() == Some(manager)
            && entry.operation.as_deref() == Some("Apply")
            && entry.subresource.as_deref().unwrap_or_default() == subresource.unwrap_or_default()
    };
    let mut own = json!({});
    if let Some(entry) = entries.iter().find(is_own) {
        let applied = entry.api_version.as_deref().unwrap_or_default();
        if applied != types.api_version {
            let (manager, applied) = (manager.to_owned(), applied.to_owned());
            return Err(OwnFieldsError::OtherVersion { object: named(), manager, applied });
        }
        let set = |entry: &ManagedFieldsEntry| {
            entry.fields_v1.as_ref().map_or_else(|| Ok(FieldSet::default()), |fields| FieldSet::parse(&fields.0))
        };
        let malformed = |source| OwnFieldsError::Malformed { object: named(), manager: manager.to_owned(), source };
        let fields = set(entry).map_err(malformed)?;
        // What others own only matters where no table knows the kind; a set that cannot be read is left out.
        let others: Vec<FieldSet> =
            entries.iter().filter(|it| !std::ptr::eq(*it, entry)).filter_map(|other| set(other).ok()).collect();
        let whole = serde_json::to_value(object).map_err(OwnFieldsError::Serialize)?;
        let root = Place { kind: facts::kind_of(&types.api_version, &types.kind), field: None };
        own = fields.extract(&whole, root, &others.iter().collect::<Vec<_>>());
    }
    name(&mut own, types, meta.name.as_deref(), meta.namespace.as_deref());
    Ok(own)
}

fn name(own: &mut Value, types: &TypeMeta, name: Option<&str>, namespace: Option<&str>) {
    own["apiVersion"] = json!(types.api_version);
    own["kind"] = json!(types.kind);
    if own["metadata"].is_null() {
        own["metadata"] = json!({});
    }
    for (word, value) in [("name", name), ("namespace", namespace)] {
        if let Some(value) = value {
            own["metadata"][word] = json!(value);
        }
    }
}

/// What the tables say of a value in an object of a built-in kind; of other kinds they say nothing.
#[derive(Clone, Copy)]
struct Place {
    kind: Option<&'static Type>,
    // The field that holds the value. None for the items of a list and the values of a map.
    field: Option<&'static Field>,
}

impl FieldTypes for Place {
    fn field(self, name: &str) -> Self {
        let is_map = self.field.is_some_and(|field| field.holds() == Holds::Map);
        if is_map {
            return self.item();
        }
        let field = self.kind.and_then(|kind| kind.field(name));
        Self { kind: field.map(Field::kind), field }
    }

    fn item(self) -> Self {
        Self { kind: self.kind, field: None }
    }

    fn has_parts(self, value: &Value) -> Option<bool> {
        let Some(field) = self.field else {
            return self.kind.map(|kind| kind.shape() == Shape::Struct && !kind.is_atomic());
        };
        Some(match (value, field.holds()) {
            (Value::Array(_), Holds::List) => field.list_type() != ListType::Atomic,
            (Value::Object(_), Holds::Map) => !field.is_atomic_map(),
            (Value::Object(_), _) => field.kind().shape() == Shape::Struct && !field.is_atomic_map(),
            _ => false,
        })
    }

    fn key_default(self, key: &str) -> Option<Value> {
        let json = self.kind?.field(key)?.default_json()?;
        serde_json::from_str(json).ok()
    }
}

#[cfg(test)]
mod tests;
