//! Lists and maps: those of an object, which stay JSON, and those that expressions make.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::{Evaluated, EvaluationError, Text, Value, fail};
use crate::schema::{Schema, escape, unescape};

/// A list.
#[derive(Debug, Clone)]
pub enum List<'a> {
    /// Of an object.
    Json {
        /// Its items.
        items: &'a [Json],
        /// The schema of the list.
        schema: Option<&'a Schema>,
    },
    /// Made by an expression.
    Owned(Arc<Vec<Value<'a>>>),
}

/// A map, or an object with fields.
#[derive(Debug, Clone)]
pub enum Map<'a> {
    /// Of an object.
    Json {
        /// Its fields.
        fields: &'a serde_json::Map<String, Json>,
        /// The schema of the object.
        schema: Option<&'a Schema>,
    },
    /// Made by an expression.
    Owned(Arc<OwnedMap<'a>>),
}

/// A map that an expression made, in the order in which it was made.
#[derive(Debug, Clone, Default)]
pub struct OwnedMap<'a> {
    entries: Vec<(Value<'a>, Value<'a>)>,
    places: HashMap<Key, usize>,
    /// The name of its type, where it is an object of a patch.
    object_name: Option<Arc<str>>,
}

/// What may be a key. Numbers of the same value are the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Bool(bool),
    Number(i128),
    String(Arc<str>),
}

impl Key {
    pub(crate) fn of(value: &Value<'_>) -> Option<Key> {
        match value {
            Value::Bool(value) => Some(Key::Bool(*value)),
            Value::Int(value) => Some(Key::Number(i128::from(*value))),
            Value::Uint(value) => Some(Key::Number(i128::from(*value))),
            // Only a whole number can be the key of anything.
            Value::Double(value) if value.fract() == 0.0 && value.abs() < 1e19 => Some(Key::Number(*value as i128)),
            Value::String(Text::Shared(text)) => Some(Key::String(Arc::clone(text))),
            Value::String(text) => Some(Key::String(Arc::from(&**text))),
            _ => None,
        }
    }
}

impl<'a> OwnedMap<'a> {
    /// An object of a patch, without fields yet.
    pub(crate) fn of_object(name: Arc<str>) -> OwnedMap<'a> {
        OwnedMap { object_name: Some(name), ..OwnedMap::default() }
    }

    /// Adds an entry; a key can come once.
    pub(crate) fn insert(&mut self, key: Value<'a>, value: Value<'a>) -> Result<(), EvaluationError> {
        let Some(place) = Key::of(&key).filter(|_| !matches!(key, Value::Double(_))) else {
            return fail(format!("unsupported key type: {}", key.type_name()));
        };
        if self.places.contains_key(&place) {
            return fail(format!("insert failed: key {} already exists", key.plain()));
        }
        self.places.insert(place, self.entries.len());
        self.entries.push((key, value));
        Ok(())
    }

    /// Adds an entry, or replaces the one that is there.
    pub(crate) fn set(&mut self, key: Value<'a>, value: Value<'a>) -> Result<(), EvaluationError> {
        match Key::of(&key).and_then(|place| self.places.get(&place).copied()) {
            Some(place) => {
                self.entries[place].1 = value;
                Ok(())
            }
            None => self.insert(key, value),
        }
    }
}

impl<'a> List<'a> {
    pub(crate) fn len(&self) -> usize {
        match self {
            List::Json { items, .. } => items.len(),
            List::Owned(items) => items.len(),
        }
    }

    pub(crate) fn get(&self, place: usize) -> Option<Evaluated<'a>> {
        match self {
            List::Json { items, schema } => items.get(place).map(|item| match schema {
                Some(schema) => Value::typed(item, schema.items()),
                None => Ok(Value::from(item)),
            }),
            List::Owned(items) => items.get(place).cloned().map(Ok),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Evaluated<'a>> + '_ {
        (0..self.len()).filter_map(|place| self.get(place))
    }

    /// All items, or the first error among them.
    pub(crate) fn to_vec(&self) -> Result<Vec<Value<'a>>, EvaluationError> {
        match self {
            List::Owned(items) => Ok(items.to_vec()),
            List::Json { .. } => self.iter().collect(),
        }
    }
}

impl<'a> Map<'a> {
    /// The name of its type, where it is an object of a patch.
    pub(crate) fn object_name(&self) -> Option<&str> {
        match self {
            Map::Owned(map) => map.object_name.as_deref(),
            Map::Json { .. } => None,
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Map::Json { fields, .. } => fields.len(),
            Map::Owned(map) => map.entries.len(),
        }
    }

    /// The value of a text key, which is how fields are selected.
    pub(crate) fn field(&self, name: &str) -> Option<Evaluated<'a>> {
        match self {
            Map::Json { fields, schema: None } => fields.get(name).map(|value| Ok(Value::from(value))),
            Map::Json { fields, schema: Some(schema) } if schema.has_properties() => {
                let name = unescape(name)?;
                // A field that is null counts as absent.
                let value = fields.get(&*name).filter(|value| !value.is_null())?;
                Some(Value::typed(value, Some(schema.property(&name)?)))
            }
            Map::Json { fields, schema: Some(schema) } => {
                let value = fields.get(name)?;
                Some(Value::typed(value, Some(schema.additional()?)))
            }
            Map::Owned(map) => {
                let place = map.places.get(&Key::String(Arc::from(name)))?;
                Some(Ok(map.entries[*place].1.clone()))
            }
        }
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &Value<'a>) -> Option<Evaluated<'a>> {
        match (self, key) {
            (_, Value::String(name)) => self.field(name),
            (Map::Owned(map), key) => {
                let place = map.places.get(&Key::of(key)?)?;
                Some(Ok(map.entries[*place].1.clone()))
            }
            (Map::Json { schema: Some(_), .. }, _) => Some(Err(EvaluationError::NoSuchOverload)),
            (Map::Json { .. }, _) => None,
        }
    }

    /// Its keys, in the order of an object's names or as they were added.
    pub(crate) fn keys(&self) -> Vec<Value<'a>> {
        match self {
            Map::Json { fields, schema } => {
                let is_known = |name: &str| schema.is_none_or(|schema| schema.knows(name));
                let shown = |name: &'a String| match schema {
                    Some(schema) if schema.has_properties() => match escape(name) {
                        Some(std::borrow::Cow::Owned(escaped)) => Value::String(Text::from(escaped)),
                        _ => Value::String(Text::Borrowed(name)),
                    },
                    _ => Value::String(Text::Borrowed(name)),
                };
                fields.keys().filter(|name| is_known(name)).map(shown).collect()
            }
            Map::Owned(map) => map.entries.iter().map(|(key, _)| key.clone()).collect(),
        }
    }
}
