//! Schemas of OpenAPI v3: of built-in kinds by the fact tables, of custom ones by their definitions.
//!
//! In: the kinds of one group and version. Out: `components.schemas`: every type they reach, with list types, merge keys and
//! defaults as the tables state them. Descriptions are not in the tables, so built-in types have none but for metadata. The schema of a
//! definition is large and stays the text it is stored as: only its outermost fields are looked at.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use pintle_wire::facts::{Field, Holds, ListType, Shape, Type, named};
use serde_json::{Map, Value, json};

use super::pieces::{Printed, Printer};
use super::{descriptions, operations};
use crate::catalog::crd::stated_schema::StatedSchema;
use crate::catalog::kinds::Kind;

/// Schemas by name.
pub(super) type Schemas<'a> = BTreeMap<Cow<'a, str>, Schema<'a>>;

/// One of them.
pub(super) enum Schema<'a> {
    /// A type of the tables, and the kind that is written as it.
    Type(&'static Type, Option<GroupVersionKind<'a>>),
    /// A custom kind, by the schema that its definition states.
    Custom(&'a Kind, Option<&'a StatedSchema>),
    /// The list of a custom kind.
    CustomList(&'a Kind),
    /// A patch, whatever its form.
    Patch,
}

/// The schemas of these kinds and of everything they refer to; `own` gives the schema that a definition states.
pub(super) fn of<'a>(
    kinds: &'a [Arc<Kind>],
    referred: &BTreeSet<String>,
    own: impl Fn(&Kind) -> Option<&'a StatedSchema>,
) -> Schemas<'a> {
    let mut schemas = Schemas::new();
    if referred.contains(operations::PATCH) {
        schemas.insert(operations::PATCH.into(), Schema::Patch);
    }
    referred.iter().filter_map(|name| named(name)).for_each(|kind| add(&mut schemas, kind));
    for kind in kinds {
        match crate::codec::typed::of_kind(kind) {
            Some(root) => {
                add(&mut schemas, root);
                state_kind(&mut schemas, root, (&kind.group, &kind.version, &kind.kind));
                if let Some(list) = pintle_wire::facts::kind(&kind.group, &kind.version, &kind.list_kind) {
                    add(&mut schemas, list);
                    state_kind(&mut schemas, list, (&kind.group, &kind.version, &kind.list_kind));
                }
            }
            None => {
                [OBJECT_META, LIST_META].into_iter().filter_map(named).for_each(|meta| add(&mut schemas, meta));
                schemas.insert(name_of(kind, &kind.kind).into(), Schema::Custom(kind, own(kind)));
                schemas.insert(name_of(kind, &kind.list_kind).into(), Schema::CustomList(kind));
            }
        }
        for subresource in kind.subresources.iter().filter(|subresource| !subresource.group_version.is_empty()) {
            let (group, version, words) = operations::type_of(kind, Some(subresource));
            if let Some(known) = pintle_wire::facts::kind(group, version, words) {
                state_kind(&mut schemas, known, (group, version, words));
            }
        }
    }
    schemas
}

/// The group, version and kind of a schema.
pub(super) type GroupVersionKind<'a> = (&'a str, &'a str, &'a str);

fn state_kind<'a>(schemas: &mut Schemas<'a>, stated: &'static Type, kind: GroupVersionKind<'a>) {
    if let Some(Schema::Type(_, known)) = schemas.get_mut(stated.name()) {
        *known = Some(kind);
    }
}

fn group_version_kind((group, version, kind): GroupVersionKind<'_>) -> Value {
    json!([{"group": group, "version": version, "kind": kind}])
}

/// Adds a type and what it refers to.
fn add(schemas: &mut Schemas<'_>, kind: &'static Type) {
    if schemas.contains_key(kind.name()) || is_inline(kind) {
        return;
    }
    schemas.insert(kind.name().into(), Schema::Type(kind, None));
    kind.fields().iter().for_each(|field| add_fields(schemas, field));
}

/// Adds what a field refers to.
fn add_fields(schemas: &mut Schemas<'_>, field: &'static Field) {
    if field.is_inline() {
        field.kind().fields().iter().for_each(|nested| add_fields(schemas, nested));
    } else {
        add(schemas, field.kind());
    }
}

impl Schema<'_> {
    /// It alone.
    pub(super) fn printed(&self) -> Printed {
        let mut printer = Printer::default();
        self.print(&mut printer);
        printer.finish()
    }

    pub(super) fn print(&self, printer: &mut Printer) {
        match self {
            Schema::Type(kind, None) => printer.text(&printed_type(kind)),
            Schema::Type(kind, Some(stated)) => {
                let mut schema = type_schema(kind);
                schema[GROUP_VERSION_KIND] = group_version_kind(*stated);
                printer.value(&schema);
            }
            Schema::Custom(kind, own) => print_custom_kind(printer, kind, *own),
            Schema::CustomList(kind) => printer.value(&custom_list(kind)),
            Schema::Patch => printer.value(&json!({"type": "object"})),
        }
    }
}

/// A type of the tables, printed once for all documents that refer to it.
fn printed_type(kind: &'static Type) -> Bytes {
    static PRINTED: Mutex<BTreeMap<&str, Bytes>> = Mutex::new(BTreeMap::new());
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    printed.entry(kind.name()).or_insert_with(|| type_schema(kind).to_string().into()).clone()
}

pub(super) fn type_schema(kind: &'static Type) -> Value {
    match kind.shape() {
        Shape::Struct => structure(kind),
        Shape::Time | Shape::MicroTime => json!({"type": "string", "format": "date-time"}),
        Shape::Quantity => json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
        Shape::IntOrString => json!({"oneOf": [{"type": "integer"}, {"type": "string"}], "format": "int-or-string"}),
        Shape::Duration => json!({"type": "string"}),
        // Any JSON, whereas the others are objects.
        Shape::Raw if kind.name().ends_with(".JSON") => json!({}),
        Shape::Raw => json!({"type": "object"}),
        _ => json!({}),
    }
}

fn is_inline(kind: &Type) -> bool {
    use Shape::{Any, Bool, Bytes, Double, Int32, Int64, Items, String};
    matches!(kind.shape(), String | Bool | Int32 | Int64 | Double | Bytes | Items | Any)
}

fn structure(kind: &'static Type) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    collect(kind, &mut properties, &mut required);
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

fn collect(kind: &'static Type, properties: &mut Map<String, Value>, required: &mut Vec<Value>) {
    for field in kind.fields() {
        if field.is_inline() {
            collect(field.kind(), properties, required);
            continue;
        }
        let schema = property(field);
        let schema = match descriptions::of_field(kind.name(), field.name()) {
            Some(text) => described(schema, text),
            None => schema,
        };
        properties.insert(field.name().to_owned(), schema);
        if field.is_required() {
            required.push(field.name().into());
        }
    }
}

fn described(mut schema: Value, text: &str) -> Value {
    schema["description"] = text.into();
    schema
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
fn print_custom_kind(printer: &mut Printer, kind: &Kind, own: Option<&StatedSchema>) {
    let object = Bytes::from_static(b"\"object\"");
    let mut fields: BTreeMap<&str, Option<&Bytes>> = BTreeMap::from([("properties", None), (GROUP_VERSION_KIND, None)]);
    match own {
        Some(own) => fields.extend(own.fields.iter().map(|(name, text)| (name.as_str(), Some(text)))),
        None => fields.extend([("type", Some(&object))]),
    }
    fields.insert(GROUP_VERSION_KIND, None);
    printer.object(|printed| {
        for (name, text) in fields {
            let value = printed.field(name);
            match text {
                Some(text) => value.text(text),
                None if name == GROUP_VERSION_KIND => {
                    value.value(&group_version_kind((&kind.group, &kind.version, &kind.kind)));
                }
                None => print_custom_properties(value, own),
            }
        }
    });
}

/// The properties that a definition states, but for those that every object has.
fn print_custom_properties(printer: &mut Printer, own: Option<&StatedSchema>) {
    let common = [
        ("apiVersion", json!({"type": "string", "description": descriptions::API_VERSION})),
        ("kind", json!({"type": "string", "description": descriptions::KIND})),
        ("metadata", described(meta(OBJECT_META), descriptions::METADATA)),
    ];
    let common = common.map(|(name, schema)| (name, Bytes::from(schema.to_string())));
    let mut properties: BTreeMap<&str, &Bytes> = BTreeMap::new();
    properties.extend(own.into_iter().flat_map(|own| &own.properties).map(|(name, text)| (name.as_str(), text)));
    properties.extend(common.iter().map(|(name, text)| (*name, text)));
    printer.object(|printed| properties.into_iter().for_each(|(name, text)| printed.field(name).text(text)));
}

/// The list of a custom kind.
fn custom_list(kind: &Kind) -> Value {
    let item = format!("#/components/schemas/{}", name_of(kind, &kind.kind));
    json!({
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string", "description": descriptions::API_VERSION},
            "kind": {"type": "string", "description": descriptions::KIND},
            "metadata": described(meta(LIST_META), descriptions::LIST_METADATA),
            "items": {"type": "array", "items": {"$ref": item}},
        },
        GROUP_VERSION_KIND: group_version_kind((&kind.group, &kind.version, &kind.list_kind)),
    })
}

/// What refers to a type of metadata.
pub(super) fn meta(name: &str) -> Value {
    named(name).map_or_else(|| json!({"type": "object"}), value)
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

pub(super) const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

#[cfg(test)]
mod tests {
    use pintle_wire::HeadReader;

    use super::*;
    use crate::storage::entry::Entry;

    fn kind() -> Kind {
        let mut kind =
            Kind::clone(&crate::catalog::kinds::built_in("apps", "v1", "deployments").expect("it is built in"));
        kind.group = "g.example.com".to_owned();
        kind.kind = "Thing".to_owned();
        kind
    }

    fn schema(stated: Option<&str>) -> Value {
        let definition = format!(
            r#"{{"apiVersion":"v1","kind":"D","metadata":{{"name":"d"}},"spec":{{"versions":[{{"name":"v1","schema":{{"openAPIV3Schema":{}}}}}]}}}}"#,
            stated.unwrap_or("null")
        );
        let entry = Entry::of_body(&mut HeadReader::new(), definition.as_bytes(), 1).expect("it has metadata");
        let (stated, kind) = (StatedSchema::all(&entry), kind());
        let mut printer = Printer::default();
        print_custom_kind(&mut printer, &kind, stated.get("v1"));
        serde_json::from_slice(&printer.finish().text()).unwrap()
    }

    #[test]
    fn a_custom_kind_has_the_fields_of_every_object_whatever_its_definition_states() {
        let metadata = described(value(named(OBJECT_META).unwrap()), descriptions::METADATA);
        let common = json!({
            "apiVersion": {"type": "string", "description": descriptions::API_VERSION},
            "kind": {"type": "string", "description": descriptions::KIND},
            "metadata": metadata,
        });
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
