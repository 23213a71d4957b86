//! The types with which an expression says what is to change: `Object{…}`, `Object.spec{…}` and `JSONPatch{…}`.
//!
//! They are known only where a policy mutates ([`Environment::with_patch_types`](crate::Environment::with_patch_types)).
//! `Object` takes any field; what it names is checked against the path at which it stands when it becomes JSON.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map as Fields, Value as Json};

use crate::library::time;
use crate::types::Type;
use crate::value::{List, Map, Value};

/// The type of this name.
pub(crate) fn named(name: &str) -> Option<Type> {
    match name {
        JSON_PATCH => Some(json_patch()),
        name if is_open(name) => Some(Type::object(name, BTreeMap::new())),
        _ => None,
    }
}

/// Whether a type takes any field.
pub(crate) fn is_open(name: &str) -> bool {
    name.strip_prefix(OBJECT).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn json_patch() -> Type {
    let text = |name: &str| (name.to_owned(), Type::String);
    let fields = [text("op"), text("path"), text("from"), ("value".to_owned(), Type::Dyn)];
    Type::object(JSON_PATCH, fields.into_iter().collect())
}

/// The type of any field of an open type.
pub(crate) static ANY: Type = Type::Dyn;

static LIST_OF_PATCHES: LazyLock<Type> = LazyLock::new(|| Type::list(json_patch()));

impl Type {
    /// `Object`: the fields of an object that are to be applied.
    #[must_use]
    pub fn apply_configuration() -> Type {
        Type::object(OBJECT, BTreeMap::new())
    }

    /// A list of `JSONPatch`: operations of a JSON patch.
    #[must_use]
    pub fn json_patch() -> Type {
        LIST_OF_PATCHES.clone()
    }
}

impl Value<'_> {
    /// The value as JSON.
    ///
    /// # Errors
    /// It is not of a type that JSON has.
    pub fn to_json(&self) -> Result<Json, String> {
        Ok(match self {
            Value::Null | Value::Optional(None) => Json::Null,
            Value::Bool(value) => (*value).into(),
            Value::Int(number) => (*number).into(),
            Value::Uint(number) => (*number).into(),
            Value::Double(number) => Json::from(*number),
            Value::String(text) => text.to_string().into(),
            Value::Timestamp(moment) => moment.to_string().into(),
            Value::Duration(nanoseconds) => time::seconds(*nanoseconds).into(),
            Value::List(list) => list_to_json(list)?,
            Value::Map(map) => map_to_json(map)?,
            Value::Optional(Some(value)) => value.to_json()?,
            Value::Unknown(json) => (*json).clone(),
            Value::Bytes(bytes) => STANDARD.encode(bytes).into(),
            Value::Unreadable(why) => return Err(why.to_string()),
            Value::Type(_) | Value::Kubernetes(_) => {
                return Err(format!("unsupported type conversion from '{}' to JSON", self.type_name()));
            }
        })
    }

    /// A list of `JSONPatch` as the operations of a JSON patch.
    ///
    /// # Errors
    /// It is something else, or an operation has a value that JSON does not have.
    pub fn to_json_patch(&self) -> Result<Vec<Json>, String> {
        let Value::List(list) = self else {
            return Err("type mismatch: JSONPatchType.expression should evaluate to array".to_owned());
        };
        let operation = |item: Value<'_>| {
            if let Value::Map(fields) = &item
                && let Some(Ok(value)) = fields.field("value")
            {
                value.check_object_names().map_err(|why| format!("type mismatch: {why}"))?;
            }
            item.to_json()
        };
        list.iter().map(|item| operation(item.map_err(|error| error.to_string())?)).collect()
    }

    /// Whether every `Object` in it is named after the path of the fields at which it stands.
    ///
    /// # Errors
    /// One is not.
    pub fn check_object_names(&self) -> Result<(), String> {
        let mut wrong = Vec::new();
        if let Value::Map(map) = self {
            let path = map.object_name().unwrap_or_default().to_owned();
            misnamed(self, &path, &mut wrong);
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }
}

fn list_to_json(list: &List<'_>) -> Result<Json, String> {
    let items = list.iter().map(|item| item.map_err(|error| error.to_string())?.to_json());
    items.collect::<Result<Vec<_>, _>>().map(Json::Array)
}

fn map_to_json(map: &Map<'_>) -> Result<Json, String> {
    let mut fields = Fields::new();
    for key in map.keys() {
        let Some(name) = key.as_str() else {
            return Err(format!("map key {key} is of type {}, not string", key.type_name()));
        };
        let value = map.get(&key).transpose().map_err(|error| error.to_string())?;
        if let Some(value) = value {
            fields.insert(name.to_owned(), value.to_json()?);
        }
    }
    Ok(Json::Object(fields))
}

/// Lists and maps between objects have no name, and count as their field.
fn misnamed(value: &Value<'_>, path: &str, wrong: &mut Vec<String>) {
    match value {
        Value::Map(map) => {
            let name = map.object_name();
            if let Some(found) = name.filter(|name| *name != path) {
                wrong.push(format!(
                    "unexpected type name {found:?}, expected {path:?}, which matches field name path from root Object type"
                ));
            }
            for key in map.keys() {
                let (Some(field), Some(Ok(value))) = (key.as_str(), map.get(&key)) else { continue };
                match name {
                    Some(_) => misnamed(&value, &format!("{path}.{field}"), wrong),
                    None => misnamed(&value, path, wrong),
                }
            }
        }
        Value::List(list) => list.iter().flatten().for_each(|item| misnamed(&item, path, wrong)),
        _ => {}
    }
}

const OBJECT: &str = "Object";
const JSON_PATCH: &str = "JSONPatch";
