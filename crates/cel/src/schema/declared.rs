//! A schema as declared types, and how large what it describes can be.
//!
//! Sizes are those that Kubernetes estimates costs with: in bytes, for a request of at most 3 MiB.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Format, Schema, SchemaType, escape};
use crate::types::Type;

/// The largest request that a server takes, in bytes.
pub(crate) const REQUEST_MAX: i64 = 3 << 20;

/// How much JSON a text, a list or a map at least takes: its two delimiters.
const EMPTY_SIZE: i64 = 2;

/// What is declared of one place.
#[derive(Debug, Clone)]
pub(crate) struct Declared {
    pub(crate) kind: Type,
    /// The most characters, items or entries that there can be.
    pub(crate) elements_max: i64,
    /// The fewest bytes that it takes as JSON.
    pub(crate) serialized_min: i64,
    parts: Parts,
}

#[derive(Debug, Clone)]
enum Parts {
    None,
    List(Arc<Declared>),
    Map(Arc<Declared>),
    Object(BTreeMap<String, Arc<Declared>>),
}

impl Declared {
    /// What a schema declares; nothing if it does not say what it describes.
    pub(crate) fn of(schema: &Schema, name: &str) -> Option<Declared> {
        Some(match schema.kind {
            SchemaType::IntOrString => {
                let elements_max = schema.max_length.map_or(REQUEST_MAX - EMPTY_SIZE, in_bytes);
                Declared::simple(Type::Dyn, 1, elements_max)
            }
            SchemaType::Array => Declared::list(schema, name)?,
            SchemaType::Object => Declared::object_or_map(schema, name)?,
            SchemaType::String => Declared::text(schema),
            SchemaType::Boolean => Declared::simple(Type::Bool, 4, 0),
            SchemaType::Number => Declared::simple(Type::Double, 1, 0),
            SchemaType::Integer => Declared::simple(Type::Int, 1, 0),
            SchemaType::None => return None,
        })
    }

    fn simple(kind: Type, serialized_min: i64, elements_max: i64) -> Declared {
        Declared { kind, elements_max, serialized_min, parts: Parts::None }
    }

    fn list(schema: &Schema, name: &str) -> Option<Declared> {
        let item = Declared::of(schema.items()?, &format!("{name}.@idx"))?;
        let fitting = || (REQUEST_MAX - EMPTY_SIZE) / (item.serialized_min + 1);
        Some(Declared {
            kind: Type::list(item.kind.clone()),
            elements_max: schema.max_items.unwrap_or_else(fitting),
            serialized_min: EMPTY_SIZE,
            parts: Parts::List(Arc::new(item)),
        })
    }

    fn object_or_map(schema: &Schema, name: &str) -> Option<Declared> {
        let Some(additional) = schema.additional() else { return Some(Declared::object(schema, name)) };
        let value = Declared::of(additional, &format!("{name}.@elem"))?;
        // An entry has at least a key in quotes, a colon and a comma.
        let fitting = || (REQUEST_MAX - EMPTY_SIZE) / (value.serialized_min + 6);
        Some(Declared {
            kind: Type::map(Type::String, value.kind.clone()),
            elements_max: schema.max_properties.unwrap_or_else(fitting),
            serialized_min: EMPTY_SIZE,
            parts: Parts::Map(Arc::new(value)),
        })
    }

    fn object(schema: &Schema, name: &str) -> Declared {
        let mut serialized_min = EMPTY_SIZE;
        let mut fields = BTreeMap::new();
        for (property, part) in schema.selectable() {
            let escaped = escape(property);
            let shown = escaped.as_deref().unwrap_or(property);
            let Some(declared) = Declared::of(part, &format!("{name}.{shown}")) else { continue };
            // What has a default is filled in by the server.
            if schema.required.contains(property) && !part.has_default {
                let length = i64::try_from(property.len()).unwrap_or(i64::MAX);
                serialized_min += length + declared.serialized_min + 4;
            }
            if let Some(escaped) = escaped {
                fields.insert(escaped.into_owned(), Arc::new(declared));
            }
        }
        let types = fields.iter().map(|(name, field)| (name.clone(), field.kind.clone())).collect();
        Declared { kind: Type::object(name, types), elements_max: 0, serialized_min, parts: Parts::Object(fields) }
    }

    fn text(schema: &Schema) -> Declared {
        match schema.format {
            Format::Byte => {
                Declared::simple(Type::Bytes, EMPTY_SIZE, schema.max_length.unwrap_or(REQUEST_MAX - EMPTY_SIZE))
            }
            // The longest and shortest that RFC 3339 and Go can print, quotes included.
            Format::Duration => Declared::simple(Type::Duration, 3, 32),
            Format::Date => Declared::simple(Type::Timestamp, 12, 12),
            Format::DateTime => Declared::simple(Type::Timestamp, 21, 32),
            Format::Plain => {
                let length = schema.max_length.map(in_bytes).or(schema.enum_length);
                Declared::simple(Type::String, EMPTY_SIZE, length.unwrap_or(REQUEST_MAX - EMPTY_SIZE))
            }
        }
    }

    /// What is declared of a place below, by its path from a variable.
    pub(crate) fn below(&self, path: &[String]) -> Option<&Declared> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        match (&self.parts, first.as_str()) {
            (Parts::List(item), "@items") => item.below(rest),
            (Parts::Map(value), "@values") => value.below(rest),
            (Parts::Map(_), "@keys") if rest.is_empty() => Some(&KEY),
            (Parts::Object(fields), name) => fields.get(name)?.below(rest),
            _ => None,
        }
    }

    /// The items of a list, or the values of a map.
    pub(crate) fn item(&self) -> Option<&Arc<Declared>> {
        match &self.parts {
            Parts::List(item) | Parts::Map(item) => Some(item),
            _ => None,
        }
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Arc<Declared>> {
        match &self.parts {
            Parts::Object(fields) => fields.get(name),
            _ => None,
        }
    }
}

/// The key of a map, of which nothing is known but that it is text.
static KEY: Declared = Declared { kind: Type::String, elements_max: 0, serialized_min: EMPTY_SIZE, parts: Parts::None };

/// A length in characters, of which each may take four bytes.
fn in_bytes(length: i64) -> i64 {
    length.saturating_mul(4)
}
