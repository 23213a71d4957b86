//! Versions and schemas as kube-apiserver shows them in a refusal: its own Go types, every field of them, by Go's names.

use serde_json::Value;

use super::per_version::Part;

/// A version, of which what all versions share has been taken out.
pub(super) fn version(version: &Value, part: &Part<'_>) -> String {
    let truth = |field: &str| version.get(field).and_then(Value::as_bool).unwrap_or_default();
    let schema = part.schema().map(|of| format!("{{\"OpenAPIV3Schema\":{}}}", schema(of)));
    let list = |list: Option<&Value>, item: fn(&Value) -> String| {
        let items = list.and_then(Value::as_array);
        or_null(items.map(|items| bracketed(items.iter().map(item))))
    };
    let fields = [
        ("Name", text(version, "name")),
        ("Served", truth("served").to_string()),
        ("Storage", truth("storage").to_string()),
        ("Deprecated", truth("deprecated").to_string()),
        ("DeprecationWarning", version.get("deprecationWarning").unwrap_or(&Value::Null).to_string()),
        ("Schema", or_null(schema)),
        ("Subresources", or_null(part.subresources().map(subresources))),
        ("AdditionalPrinterColumns", list(part.columns(), column)),
        ("SelectableFields", list(part.selectable(), |field| structure(&[("JSONPath", text(field, "jsonPath"))]))),
    ];
    structure(&fields)
}

/// A schema.
pub(super) fn schema(of: &Value) -> String {
    let printed: Vec<(&str, String)> =
        SCHEMA.iter().map(|(go, json, shape)| (*go, field(of.get(*json), *shape))).collect();
    structure(&printed)
}

/// The Go name of a field of a schema.
pub(super) fn field_name(json: &str) -> &'static str {
    SCHEMA.iter().find(|(_, name, _)| *name == json).map_or("", |(go, ..)| go)
}

fn field(value: Option<&Value>, shape: Shape) -> String {
    let value = value.filter(|value| !value.is_null());
    match (shape, value) {
        (Shape::Text, None) => "\"\"".to_owned(),
        (Shape::Truth, None) => "false".to_owned(),
        (_, None) => "null".to_owned(),
        (Shape::Text | Shape::Truth | Shape::Plain, Some(value)) => value.to_string(),
        (Shape::Schema, Some(value)) => schema(value),
        (Shape::Schemas, Some(Value::Array(items))) => bracketed(items.iter().map(schema)),
        (Shape::SchemaMap, Some(Value::Object(map))) => {
            let pairs: Vec<String> =
                map.iter().map(|(name, of)| format!("{}:{}", Value::from(name.as_str()), schema(of))).collect();
            format!("{{{}}}", pairs.join(","))
        }
        (Shape::SchemaOrBool, Some(value)) => {
            let allows = value.as_bool().unwrap_or(true);
            let of = value.is_object().then(|| schema(value));
            structure(&[("Allows", allows.to_string()), ("Schema", or_null(of))])
        }
        (Shape::SchemaOrArray, Some(value)) => {
            let one = value.is_object().then(|| schema(value));
            let many = value.as_array().map(|items| bracketed(items.iter().map(schema)));
            structure(&[("Schema", or_null(one)), ("JSONSchemas", or_null(many))])
        }
        (Shape::Schemas | Shape::SchemaMap, Some(_)) => "null".to_owned(),
    }
}

fn subresources(of: &Value) -> String {
    let is_there = |field: &str| of.get(field).filter(|value| !value.is_null());
    let scale = is_there("scale").map(|scale| {
        structure(&[
            ("SpecReplicasPath", text(scale, "specReplicasPath")),
            ("StatusReplicasPath", text(scale, "statusReplicasPath")),
            ("LabelSelectorPath", scale.get("labelSelectorPath").unwrap_or(&Value::Null).to_string()),
        ])
    });
    structure(&[("Status", or_null(is_there("status").map(|_| "{}".to_owned()))), ("Scale", or_null(scale))])
}

fn column(of: &Value) -> String {
    let fields = [("Name", "name"), ("Type", "type"), ("Format", "format"), ("Description", "description")];
    let mut printed: Vec<(&str, String)> = fields.iter().map(|(go, json)| (*go, text(of, json))).collect();
    printed.push(("Priority", of.get("priority").and_then(Value::as_i64).unwrap_or_default().to_string()));
    printed.push(("JSONPath", text(of, "jsonPath")));
    structure(&printed)
}

fn structure(fields: &[(&str, String)]) -> String {
    let printed: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", printed.join(","))
}

fn bracketed(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn text(value: &Value, field: &str) -> String {
    Value::from(value.get(field).and_then(Value::as_str).unwrap_or_default()).to_string()
}

fn or_null(printed: Option<String>) -> String {
    printed.unwrap_or_else(|| "null".to_owned())
}

/// What a field of a schema holds.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Truth,
    /// What prints as it stands, and is null where it is not there.
    Plain,
    Schema,
    Schemas,
    SchemaMap,
    SchemaOrBool,
    SchemaOrArray,
}

/// The fields of a schema in the order of its Go type: Go's name, JSON's, what it holds.
const SCHEMA: &[(&str, &str, Shape)] = &[
    ("ID", "id", Shape::Text),
    ("Schema", "$schema", Shape::Text),
    ("Ref", "$ref", Shape::Plain),
    ("Description", "description", Shape::Text),
    ("Type", "type", Shape::Text),
    ("Nullable", "nullable", Shape::Truth),
    ("Format", "format", Shape::Text),
    ("Title", "title", Shape::Text),
    ("Default", "default", Shape::Plain),
    ("Maximum", "maximum", Shape::Plain),
    ("ExclusiveMaximum", "exclusiveMaximum", Shape::Truth),
    ("Minimum", "minimum", Shape::Plain),
    ("ExclusiveMinimum", "exclusiveMinimum", Shape::Truth),
    ("MaxLength", "maxLength", Shape::Plain),
    ("MinLength", "minLength", Shape::Plain),
    ("Pattern", "pattern", Shape::Text),
    ("MaxItems", "maxItems", Shape::Plain),
    ("MinItems", "minItems", Shape::Plain),
    ("UniqueItems", "uniqueItems", Shape::Truth),
    ("MultipleOf", "multipleOf", Shape::Plain),
    ("Enum", "enum", Shape::Plain),
    ("MaxProperties", "maxProperties", Shape::Plain),
    ("MinProperties", "minProperties", Shape::Plain),
    ("Required", "required", Shape::Plain),
    ("Items", "items", Shape::SchemaOrArray),
    ("AllOf", "allOf", Shape::Schemas),
    ("OneOf", "oneOf", Shape::Schemas),
    ("AnyOf", "anyOf", Shape::Schemas),
    ("Not", "not", Shape::Schema),
    ("Properties", "properties", Shape::SchemaMap),
    ("AdditionalProperties", "additionalProperties", Shape::SchemaOrBool),
    ("PatternProperties", "patternProperties", Shape::SchemaMap),
    ("Dependencies", "dependencies", Shape::Plain),
    ("AdditionalItems", "additionalItems", Shape::SchemaOrBool),
    ("Definitions", "definitions", Shape::SchemaMap),
    ("ExternalDocs", "externalDocs", Shape::Plain),
    ("Example", "example", Shape::Plain),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", Shape::Plain),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", Shape::Truth),
    ("XIntOrString", "x-kubernetes-int-or-string", Shape::Truth),
    ("XListMapKeys", "x-kubernetes-list-map-keys", Shape::Plain),
    ("XListType", "x-kubernetes-list-type", Shape::Plain),
    ("XMapType", "x-kubernetes-map-type", Shape::Plain),
    ("XValidations", "x-kubernetes-validations", Shape::Plain),
];
