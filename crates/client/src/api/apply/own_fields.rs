//! The fields of an object that one manager has applied: what it would apply again to change one of them.
//!
//! In: an object with `managedFields`. Out: the same object with that manager's fields alone. Which fields those are, the
//! server wrote down as a tree (`f:name`, `k:{"key":…}`, `v:value`, `.` for the place itself). Whether a place without
//! branches is a value of its own or an empty container that others fill, the tables of built-in kinds say; of other
//! kinds it is a container if somebody owns a part of it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use pintle_core::{Resource, TypeMeta};
use pintle_wire::facts::{self, Field, Holds, ListType, Shape, Type};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::super::Api;
use crate::error_chain::error_chain;

/// Why somebody's fields cannot be told.
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
        let tree = |entry: &ManagedFieldsEntry| entry.fields_v1.as_ref().map(|fields| fields.0.clone());
        let others: Vec<Value> = entries.iter().filter(|it| !std::ptr::eq(*it, entry)).filter_map(tree).collect();
        let whole = serde_json::to_value(object).map_err(OwnFieldsError::Serialize)?;
        let place = Place::root(facts::kind_of(&types.api_version, &types.kind));
        let tree = tree(entry).unwrap_or_default();
        own = place.part(&whole, &tree, &others.iter().collect::<Vec<_>>());
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

/// A place in an object, and what the tables say of it.
#[derive(Clone, Copy)]
struct Place {
    kind: Option<&'static Type>,
    // The field that holds what is here; not that of its items, which are here by themselves.
    field: Option<&'static Field>,
}

impl Place {
    fn root(kind: Option<&'static Type>) -> Self {
        Self { kind, field: None }
    }

    /// What is owned of `value`: the branches of `tree`, or all where it has none and is owned as a whole.
    fn part(self, value: &Value, tree: &Value, others: &[&Value]) -> Value {
        let has_branches = |tree: &Value| tree.as_object().is_some_and(|tree| tree.keys().any(|key| key != "."));
        let is_shared = || others.iter().any(|other| has_branches(other));
        if !has_branches(tree) && !self.is_container(value).unwrap_or_else(is_shared) {
            return value.clone();
        }
        match value {
            Value::Object(fields) => self.entries(fields, tree, others).into(),
            Value::Array(items) => self.items(items, tree, others).into(),
            _ => value.clone(),
        }
    }

    /// Whether the parts of `value` have owners of their own; unknown where no table has the kind.
    fn is_container(self, value: &Value) -> Option<bool> {
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

    fn entries(self, fields: &Map<String, Value>, tree: &Value, others: &[&Value]) -> Map<String, Value> {
        let owned = fields.iter().filter_map(|(name, value)| {
            let key = format!("f:{name}");
            let branch = tree.get(&key)?;
            Some((name.clone(), self.entry(name).part(value, branch, &below(others, &key))))
        });
        owned.collect()
    }

    fn entry(self, name: &str) -> Self {
        let is_map = self.field.is_some_and(|field| field.holds() == Holds::Map);
        if is_map {
            return Self { kind: self.kind, field: None };
        }
        let field = self.kind.and_then(|kind| kind.field(name));
        Self { kind: field.map(Field::kind), field }
    }

    fn items(self, items: &[Value], tree: &Value, others: &[&Value]) -> Vec<Value> {
        let branches = || tree.as_object().into_iter().flatten();
        let owned = items.iter().enumerate().filter_map(|(index, item)| {
            let (key, branch) = branches().find(|(key, _)| self.is_item(key, index, item))?;
            let within = Self { kind: self.kind, field: None };
            let Some(keys) = key.strip_prefix("k:") else {
                return Some(within.part(item, branch, &below(others, key)));
            };
            // An item that is known by its keys is a container, and its keys say which.
            let fields = item.as_object()?;
            let mut own = within.entries(fields, branch, &below(others, key));
            let keys: Map<String, Value> = serde_json::from_str(keys).ok()?;
            own.extend(keys.keys().filter_map(|key| Some((key.clone(), fields.get(key)?.clone()))));
            Some(own.into())
        });
        owned.collect()
    }

    /// Whether the branch `key` means this item.
    fn is_item(self, key: &str, index: usize, item: &Value) -> bool {
        match key.split_once(':') {
            Some(("v", value)) => serde_json::from_str::<Value>(value).is_ok_and(|value| value == *item),
            Some(("i", place)) => place.parse() == Ok(index),
            Some(("k", keys)) => serde_json::from_str::<Map<String, Value>>(keys)
                .is_ok_and(|keys| keys.iter().all(|(name, value)| self.has_key(item, name, value))),
            _ => false,
        }
    }

    /// A key that an item does not say has its default.
    fn has_key(self, item: &Value, name: &str, value: &Value) -> bool {
        let default = || {
            let json = self.kind?.field(name)?.default_json()?;
            serde_json::from_str::<Value>(json).ok()
        };
        item.get(name).map_or_else(|| default().as_ref() == Some(value), |said| said == value)
    }
}

/// What other trees have below `key`.
fn below<'a>(others: &[&'a Value], key: &str) -> Vec<&'a Value> {
    others.iter().filter_map(|other| other.get(key)).collect()
}

#[cfg(test)]
mod tests;
