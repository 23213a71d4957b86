//! The schema of an object, as far as expressions need it: what its values are, what can be selected, how large it can be.
//!
//! In: an `openAPIV3Schema`. Out: a tree that JSON is read beside ([`Value::of`](crate::Value::of)), and the types that the
//! checker and the estimate of costs know it by (`schema/declared.rs`).

mod declared;
mod names;

use std::collections::BTreeMap;

use serde_json::Value as Json;

pub(crate) use declared::{Declared, REQUEST_MAX};
pub use names::escape;
pub(crate) use names::unescape;

use crate::rules::Rule;

/// The schema of one place.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    pub(crate) kind: SchemaType,
    /// `type` as it is stated.
    pub(crate) stated_type: String,
    pub(crate) format: Format,
    pub(crate) nullable: bool,
    pub(crate) properties: BTreeMap<String, Schema>,
    /// What can be selected in a resource: its type and name, too.
    resource: Option<BTreeMap<String, Schema>>,
    pub(crate) additional: Option<Box<Schema>>,
    pub(crate) items: Option<Box<Schema>>,
    pub(crate) list_type: ListType,
    pub(crate) map_is_atomic_or_granular: bool,
    required: Vec<String>,
    has_default: bool,
    /// The longest of the texts that it may be.
    enum_length: Option<i64>,
    max_length: Option<i64>,
    max_items: Option<i64>,
    max_properties: Option<i64>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) all_of: Vec<Schema>,
}

/// What JSON of a schema is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SchemaType {
    /// Not stated: whatever is preserved.
    #[default]
    None,
    Object,
    Array,
    String,
    Number,
    Integer,
    Boolean,
    /// `x-kubernetes-int-or-string`.
    IntOrString,
}

/// What a text is, where that matters to expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Format {
    #[default]
    Plain,
    Byte,
    Duration,
    Date,
    DateTime,
}

/// How items of a list are told apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum ListType {
    #[default]
    Atomic,
    Set,
    /// By these keys.
    Map(Vec<String>),
}

/// Whether a schema is that of a whole resource, in which type and name can always be selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// The schema of a resource.
    Resource,
    /// Of a part of one.
    Part,
}

impl Schema {
    /// Reads an `openAPIV3Schema`. What a structural schema may not say is ignored.
    #[must_use]
    pub fn read(json: &Json, root: Root) -> Schema {
        let text = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default();
        let flag = |name: &str| json.get(name).and_then(Json::as_bool).unwrap_or_default();
        let number = |name: &str| json.get(name).and_then(Json::as_i64).map(|number| number.max(0));
        let texts = |name: &str| -> Vec<String> {
            let items = json.get(name).and_then(Json::as_array).into_iter().flatten();
            items.filter_map(Json::as_str).map(str::to_owned).collect()
        };
        let part = |name: &str| json.get(name).filter(|part| part.is_object()).map(|part| Box::new(Schema::part(part)));
        let parts = |name: &str| json.get(name).and_then(Json::as_object).into_iter().flatten();
        let is_embedded = flag("x-kubernetes-embedded-resource");
        let mut schema = Schema {
            kind: if flag("x-kubernetes-int-or-string") { SchemaType::IntOrString } else { kind(text("type")) },
            stated_type: text("type").to_owned(),
            format: format(text("format")),
            nullable: flag("nullable"),
            properties: parts("properties").map(|(name, part)| (name.clone(), Schema::part(part))).collect(),
            resource: None,
            additional: part("additionalProperties"),
            items: part("items"),
            list_type: match text("x-kubernetes-list-type") {
                "set" => ListType::Set,
                "map" => ListType::Map(texts("x-kubernetes-list-map-keys")),
                _ => ListType::Atomic,
            },
            map_is_atomic_or_granular: matches!(text("x-kubernetes-map-type"), "" | "granular" | "atomic"),
            required: texts("required"),
            has_default: json.get("default").is_some(),
            enum_length: longest(json.get("enum")),
            max_length: number("maxLength"),
            max_items: number("maxItems"),
            max_properties: number("maxProperties"),
            rules: Rule::all(json),
            all_of: json.get("allOf").and_then(Json::as_array).into_iter().flatten().map(Schema::part).collect(),
        };
        if is_embedded || root == Root::Resource {
            schema.resource = Some(schema.with_type_and_name());
        }
        schema
    }

    fn part(json: &Json) -> Schema {
        Schema::read(json, Root::Part)
    }

    /// The properties of a resource: type and name are always among them.
    fn with_type_and_name(&self) -> BTreeMap<String, Schema> {
        let is_text = |schema: Option<&Schema>| schema.is_some_and(|schema| schema.kind == SchemaType::String);
        let mut properties = self.properties.clone();
        let metadata = properties.get("metadata").filter(|metadata| metadata.kind == SchemaType::Object);
        let is_complete = is_text(properties.get("kind"))
            && is_text(properties.get("apiVersion"))
            && metadata.is_some_and(|metadata| {
                is_text(metadata.properties.get("name")) && is_text(metadata.properties.get("generateName"))
            });
        if is_complete {
            return properties;
        }
        let text = || Schema { kind: SchemaType::String, stated_type: "string".to_owned(), ..Schema::default() };
        let names = ["name", "generateName"].map(|name| (name.to_owned(), text()));
        let metadata = Schema {
            kind: SchemaType::Object,
            stated_type: "object".to_owned(),
            properties: names.into_iter().collect(),
            map_is_atomic_or_granular: true,
            ..Schema::default()
        };
        properties.insert("kind".to_owned(), text());
        properties.insert("apiVersion".to_owned(), text());
        properties.insert("metadata".to_owned(), metadata);
        properties
    }

    /// What can be selected.
    fn selectable(&self) -> &BTreeMap<String, Schema> {
        self.resource.as_ref().unwrap_or(&self.properties)
    }

    pub(crate) fn has_properties(&self) -> bool {
        !self.selectable().is_empty()
    }

    pub(crate) fn property(&self, name: &str) -> Option<&Schema> {
        self.selectable().get(name)
    }

    pub(crate) fn additional(&self) -> Option<&Schema> {
        self.additional.as_deref()
    }

    pub(crate) fn items(&self) -> Option<&Schema> {
        self.items.as_deref()
    }

    /// Whether it says what a field is.
    pub(crate) fn knows(&self, name: &str) -> bool {
        match self.has_properties() {
            true => self.selectable().contains_key(name),
            false => self.additional.is_some(),
        }
    }

    /// How often each of its parts can be in it, if that is stated.
    pub(crate) fn elements_max_stated(&self) -> Option<u64> {
        let stated = match self.kind {
            SchemaType::Array => self.max_items,
            SchemaType::Object if self.additional.is_some() => self.max_properties,
            _ => Some(1),
        };
        stated.and_then(|count| u64::try_from(count).ok())
    }

    /// Whether a rule is stated here or anywhere below.
    pub(crate) fn has_rules(&self) -> bool {
        let below = self.properties.values().chain(self.items()).chain(self.additional()).chain(&self.all_of);
        !self.rules.is_empty() || below.into_iter().any(Schema::has_rules)
    }
}

fn kind(stated: &str) -> SchemaType {
    match stated {
        "object" => SchemaType::Object,
        "array" => SchemaType::Array,
        "string" => SchemaType::String,
        "number" => SchemaType::Number,
        "integer" => SchemaType::Integer,
        "boolean" => SchemaType::Boolean,
        _ => SchemaType::None,
    }
}

fn format(stated: &str) -> Format {
    match stated {
        "byte" => Format::Byte,
        "duration" => Format::Duration,
        "date" => Format::Date,
        "date-time" => Format::DateTime,
        _ => Format::Plain,
    }
}

fn longest(allowed: Option<&Json>) -> Option<i64> {
    let allowed = allowed?.as_array().filter(|allowed| !allowed.is_empty())?;
    let lengths = allowed.iter().filter_map(Json::as_str).map(|text| i64::try_from(text.len()).unwrap_or(i64::MAX));
    Some(lengths.max().unwrap_or_default())
}
