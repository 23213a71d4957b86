//! Schemas of OpenAPI v3: of built-in kinds by the fact tables, of custom ones by their definitions.
//!
//! In: the kinds of one group and version. Out: `components.schemas`: every type they reach, with list types, merge keys and
//! defaults as the tables state them. Descriptions are not in the tables, so built-in types have none. The schema of a
//! definition is large and stays the text it is stored as: only its outermost fields are looked at.

use std::collections::{BTreeMap, BTreeSet};

use pintle_wire::facts::{Field, Holds, ListType, Shape, Type, named};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::operations;
use crate::catalog::kinds::Kind;

/// Schemas by name, each printed.
pub(super) type Schemas = BTreeMap<String, Box<RawValue>>;

/// The schemas of these kinds and of everything they refer to; `own` gives the schema that a definition states.
pub(super) fn of<'a>(
    kinds: &[std::sync::Arc<Kind>],
    referred: &BTreeSet<String>,
    own: impl Fn(&Kind) -> Option<&'a RawValue>,
) -> Schemas {
    let (mut schemas, mut custom) = (Map::new(), Schemas::new());
    if referred.contains(operations::PATCH) {
        schemas.insert(operations::PATCH.to_owned(), json!({"type": "object"}));
    }
    referred.iter().filter_map(|name| named(name)).for_each(|kind| add(&mut schemas, kind));
    for kind in kinds {
        match crate::codec::typed::of_kind(kind) {
            Some(root) => {
                add(&mut schemas, root);
                state_kind(&mut schemas, root.name(), kind, &kind.kind);
                if let Some(list) = pintle_wire::facts::kind(&kind.group, &kind.version, &kind.list_kind) {
                    add(&mut schemas, list);
                    state_kind(&mut schemas, list.name(), kind, &kind.list_kind);
                }
            }
            None => {
                custom.insert(name_of(kind, &kind.kind), custom_kind(&mut schemas, kind, own(kind)));
                add_custom_list(&mut schemas, kind);
            }
        }
        for subresource in kind.subresources.iter().filter(|subresource| !subresource.group_version.is_empty()) {
            let (group, version, words) = operations::type_of(kind, Some(subresource));
            if let Some(known) = pintle_wire::facts::kind(group, version, words) {
                state_type(&mut schemas, known.name(), (group, version, words));
            }
        }
    }
    custom.extend(schemas.into_iter().map(|(name, schema)| (name, printed(&schema))));
    custom
}

fn printed(schema: &Value) -> Box<RawValue> {
    to_raw_value(schema).expect("a JSON value always prints")
}

fn state_kind(schemas: &mut Map<String, Value>, name: &str, kind: &Kind, words: &str) {
    state_type(schemas, name, (&kind.group, &kind.version, words));
}

fn state_type(schemas: &mut Map<String, Value>, name: &str, (group, version, kind): (&str, &str, &str)) {
    if let Some(schema) = schemas.get_mut(name) {
        schema[GROUP_VERSION_KIND] = group_version_kind(group, version, kind);
    }
}

fn group_version_kind(group: &str, version: &str, kind: &str) -> Value {
    json!([{"group": group, "version": version, "kind": kind}])
}

/// Adds a type and what it refers to.
fn add(schemas: &mut Map<String, Value>, kind: &'static Type) {
    if schemas.contains_key(kind.name()) || is_inline(kind) {
        return;
    }
    // There before its fields are, because types are recursive.
    schemas.insert(kind.name().to_owned(), Value::Null);
    let schema = match kind.shape() {
        Shape::Struct => structure(schemas, kind),
        Shape::Time | Shape::MicroTime => json!({"type": "string", "format": "date-time"}),
        Shape::Quantity => json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
        Shape::IntOrString => json!({"oneOf": [{"type": "integer"}, {"type": "string"}], "format": "int-or-string"}),
        Shape::Duration => json!({"type": "string"}),
        Shape::Raw => json!({"type": "object"}),
        _ => json!({}),
    };
    schemas.insert(kind.name().to_owned(), schema);
}

fn is_inline(kind: &Type) -> bool {
    use Shape::{Any, Bool, Bytes, Double, Int32, Int64, Items, String};
    matches!(kind.shape(), String | Bool | Int32 | Int64 | Double | Bytes | Items | Any)
}

fn structure(schemas: &mut Map<String, Value>, kind: &'static Type) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    collect(schemas, kind, &mut properties, &mut required);
    let mut schema = json!({"type": "object"});
    if !properties.is_empty() {
        schema["properties"] = properties.into();
    }
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    if kind.is_atomic() {
        schema["x-kubernetes-map-type"] = "atomic".into();
    }
    schema
}

fn collect(
    schemas: &mut Map<String, Value>,
    kind: &'static Type,
    properties: &mut Map<String, Value>,
    required: &mut Vec<Value>,
) {
    for field in kind.fields() {
        if field.is_inline() {
            collect(schemas, field.kind(), properties, required);
            continue;
        }
        add(schemas, field.kind());
        properties.insert(field.name().to_owned(), property(field));
        if field.is_required() {
            required.push(field.name().into());
        }
    }
}

fn property(field: &Field) -> Value {
    let mut schema = match field.holds() {
        Holds::One => value(field.kind()),
        Holds::List => json!({"type": "array", "items": value(field.kind())}),
        Holds::Map => json!({"type": "object", "additionalProperties": value(field.kind())}),
    };
    if let Some(default) = field.default_json().and_then(|json| serde_json::from_str::<Value>(json).ok()) {
        schema["default"] = default;
    }
    if let Some(kind) = field.list_type_name() {
        schema["x-kubernetes-list-type"] = kind.into();
    }
    if let ListType::Map(keys) = field.list_type() {
        schema["x-kubernetes-list-map-keys"] = json!(keys);
    }
    if let Some(kind) = field.map_type_name() {
        schema["x-kubernetes-map-type"] = kind.into();
    }
    let strategies: Vec<&str> = field.patch_strategies().collect();
    if !strategies.is_empty() {
        schema["x-kubernetes-patch-strategy"] = strategies.join(",").into();
    }
    if let Some(key) = field.patch_merge_key() {
        schema["x-kubernetes-patch-merge-key"] = key.into();
    }
    schema
}

fn value(kind: &Type) -> Value {
    match kind.shape() {
        Shape::String => json!({"type": "string"}),
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Int32 => json!({"type": "integer", "format": "int32"}),
        Shape::Int64 => json!({"type": "integer", "format": "int64"}),
        Shape::Double => json!({"type": "number", "format": "double"}),
        Shape::Bytes => json!({"type": "string", "format": "byte"}),
        Shape::Items => json!({"type": "array", "items": {"type": "string"}}),
        Shape::Any => json!({}),
        _ => json!({"allOf": [{"$ref": format!("#/components/schemas/{}", kind.name())}]}),
    }
}

/// A custom kind: its own schema, with the fields that every object has.
fn custom_kind(schemas: &mut Map<String, Value>, kind: &Kind, own: Option<&RawValue>) -> Box<RawValue> {
    let mut schema =
        own.and_then(fields).unwrap_or_else(|| [("type".to_owned(), printed(&"object".into()))].into_iter().collect());
    let mut properties = schema.get("properties").and_then(|stated| fields(stated)).unwrap_or_default();
    let metadata = meta(schemas, OBJECT_META);
    let text = json!({"type": "string"});
    for (name, property) in [("apiVersion", &text), ("kind", &text), ("metadata", &metadata)] {
        properties.insert(name.to_owned(), printed(property));
    }
    schema.insert("properties".to_owned(), to_raw_value(&properties).expect("what was JSON prints as JSON"));
    let stated = group_version_kind(&kind.group, &kind.version, &kind.kind);
    schema.insert(GROUP_VERSION_KIND.to_owned(), printed(&stated));
    to_raw_value(&schema).expect("what was JSON prints as JSON")
}

/// The fields of a JSON object.
fn fields(schema: &RawValue) -> Option<BTreeMap<String, Box<RawValue>>> {
    serde_json::from_str(schema.get()).ok()
}

/// The list of a custom kind.
fn add_custom_list(schemas: &mut Map<String, Value>, kind: &Kind) {
    let item = format!("#/components/schemas/{}", name_of(kind, &kind.kind));
    let items = json!({"type": "array", "items": {"$ref": item}});
    let metadata = meta(schemas, LIST_META);
    let list = json!({"type": "object", "required": ["items"], "properties": {
        "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": metadata, "items": items,
    }});
    let name = name_of(kind, &kind.list_kind);
    schemas.insert(name.clone(), list);
    state_kind(schemas, &name, kind, &kind.list_kind);
}

/// What refers to a type of metadata, which is added.
fn meta(schemas: &mut Map<String, Value>, name: &str) -> Value {
    let Some(metadata) = named(name) else { return json!({"type": "object"}) };
    add(schemas, metadata);
    value(metadata)
}

/// What the schema of a kind or of its list is called.
pub(super) fn name_of(kind: &Kind, words: &str) -> String {
    if let Some(known) = pintle_wire::facts::kind(&kind.group, &kind.version, words).filter(|_| !kind.is_custom()) {
        return known.name().to_owned();
    }
    let group: Vec<&str> = kind.group.rsplit('.').collect();
    format!("{}.{}.{words}", group.join("."), kind.version)
}

const GROUP_VERSION_KIND: &str = "x-kubernetes-group-version-kind";

const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

#[cfg(test)]
mod tests {
    use super::*;

    fn kind() -> Kind {
        let mut kind =
            Kind::clone(&crate::catalog::kinds::built_in("apps", "v1", "deployments").expect("it is built in"));
        kind.group = "g.example.com".to_owned();
        kind.kind = "Thing".to_owned();
        kind
    }

    fn schema(stated: Option<&str>) -> Value {
        let stated = stated.map(|text| RawValue::from_string(text.to_owned()).unwrap());
        serde_json::from_str(custom_kind(&mut Map::new(), &kind(), stated.as_deref()).get()).unwrap()
    }

    #[test]
    fn a_custom_kind_has_the_fields_of_every_object_whatever_its_definition_states() {
        let metadata = value(named(OBJECT_META).unwrap());
        let common = json!({"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": metadata});
        let group_version_kind = json!([{"group": "g.example.com", "version": "v1", "kind": "Thing"}]);
        for stated in
            [None, Some("null"), Some("{\"type\":\"object\"}"), Some("{\"type\":\"object\",\"properties\":null}")]
        {
            let expected = json!({"type": "object", "properties": common, GROUP_VERSION_KIND: group_version_kind});
            assert_eq!(schema(stated), expected, "{stated:?}");
        }
        let stated = r#"{"properties":{"a\"b":{"type":"string","x":[1,2]},"kind":{"type":"integer"}},"type":"object"}"#;
        let mut expected = json!({"type": "object", "properties": common, GROUP_VERSION_KIND: group_version_kind});
        expected["properties"]["a\"b"] = json!({"type": "string", "x": [1, 2]});
        assert_eq!(schema(Some(stated)), expected, "what it states stays, but for the fields of every object");
    }
}
