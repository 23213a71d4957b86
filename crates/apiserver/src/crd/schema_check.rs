//! Whether the schema in a definition is one that can be pruned, defaulted and merged by: a structural schema.
//!
//! In: `openAPIV3Schema` as it was sent. Out: every rule it breaks, in kube-apiserver's sentences. Every place says its
//! type once, outside of `allOf`, `anyOf`, `oneOf` and `not`; lists say what their items are; and a default is valid.

use regex::Regex;
use serde_json::Value;

use super::structural::Structural;
use super::{shape, validate};
use crate::status::FieldError;

/// What is wrong with a schema at a path.
pub(super) fn errors(path: &str, schema: &Value) -> Vec<FieldError> {
    let mut checker = Checker { errors: Vec::new() };
    checker.place(path, schema, Place::Root);
    checker.errors
}

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Field,
    Items,
}

struct Checker {
    errors: Vec<FieldError>,
}

impl Checker {
    fn place(&mut self, path: &str, schema: &Value, place: Place) {
        if schema.get("$ref").is_some() {
            self.forbidden(&format!("{path}.$ref"), "$ref is not supported");
            return;
        }
        self.kind(path, schema, place);
        self.extensions(path, schema);
        self.lists(path, schema);
        self.children(path, schema, place);
        self.logic(path, schema, is(schema, "x-kubernetes-int-or-string"));
        self.pattern(path, schema);
        self.default(path, schema);
    }

    fn kind(&mut self, path: &str, schema: &Value, place: Place) {
        let kind = text(schema, "type");
        let at = format!("{path}.type");
        let is_open = is(schema, "x-kubernetes-int-or-string") || is(schema, "x-kubernetes-preserve-unknown-fields");
        match kind {
            "" if place != Place::Root && is_open => {}
            "" => {
                let why = match place {
                    Place::Root => "must not be empty at the root",
                    Place::Field => "must not be empty for specified object fields",
                    Place::Items => "must not be empty for specified array items",
                };
                self.errors.push(FieldError::required(&at, why));
            }
            kind if !TYPES.contains(&kind) => self.errors.push(FieldError::not_supported(&at, kind, TYPES)),
            kind if place == Place::Root && kind != "object" => {
                self.errors.push(FieldError::invalid(&at, &format!("{kind:?}"), "must be object at the root"));
            }
            _ => {}
        }
    }

    fn extensions(&mut self, path: &str, schema: &Value) {
        let kind = text(schema, "type");
        if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
            let at = format!("{path}.x-kubernetes-preserve-unknown-fields");
            self.errors.push(FieldError::invalid(&at, "false", "must be true or undefined"));
        }
        if is(schema, "x-kubernetes-embedded-resource") {
            let has_properties = schema.get("properties").and_then(Value::as_object).is_some_and(|it| !it.is_empty());
            if !has_properties && !is(schema, "x-kubernetes-preserve-unknown-fields") {
                let why = "must not be empty if x-kubernetes-embedded-resource is true without \
                           x-kubernetes-preserve-unknown-fields";
                self.errors.push(FieldError::required(&format!("{path}.properties"), why));
            }
            self.must_be(path, kind, "object", "x-kubernetes-embedded-resource is true");
        }
        let map_type = text(schema, "x-kubernetes-map-type");
        if !map_type.is_empty() && !MAP_TYPES.contains(&map_type) {
            let at = format!("{path}.x-kubernetes-map-type");
            self.errors.push(FieldError::not_supported(&at, map_type, MAP_TYPES));
        }
        if !map_type.is_empty() {
            self.must_be(path, kind, "object", "x-kubernetes-map-type is specified");
        }
        if is(schema, "uniqueItems") {
            let why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            self.forbidden(&format!("{path}.uniqueItems"), why);
        }
    }

    fn must_be(&mut self, path: &str, kind: &str, expected: &str, when: &str) {
        if kind.is_empty() {
            let why = format!("must be {expected} if {when}");
            self.errors.push(FieldError::required(&format!("{path}.type"), &why));
        } else if kind != expected {
            let why = format!("must be {expected} if {when}");
            self.errors.push(FieldError::invalid(&format!("{path}.type"), &format!("{kind:?}"), &why));
        }
    }

    fn lists(&mut self, path: &str, schema: &Value) {
        let list_type = text(schema, "x-kubernetes-list-type");
        let keys: Vec<&str> = schema
            .get("x-kubernetes-list-map-keys")
            .and_then(Value::as_array)
            .map(|keys| keys.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let at = format!("{path}.x-kubernetes-list-type");
        if !list_type.is_empty() {
            if !LIST_TYPES.contains(&list_type) {
                self.errors.push(FieldError::not_supported(&at, list_type, LIST_TYPES));
            }
            self.must_be(path, text(schema, "type"), "array", "x-kubernetes-list-type is specified");
        }
        if !keys.is_empty() && list_type != "map" {
            let why = "must be map if x-kubernetes-list-map-keys is non-empty";
            if list_type.is_empty() {
                self.errors.push(FieldError::required(&at, why));
            } else {
                self.errors.push(FieldError::invalid(&at, &format!("{list_type:?}"), why));
            }
        }
        let items = schema.get("items").filter(|items| items.is_object());
        match (list_type, items) {
            ("map", Some(items)) => self.map_keys(path, schema, items, &keys),
            ("set", Some(items)) => self.set_items(path, items),
            _ => {}
        }
    }

    fn map_keys(&mut self, path: &str, schema: &Value, items: &Value, keys: &[&str]) {
        let at = format!("{path}.x-kubernetes-list-map-keys");
        if keys.is_empty() {
            let why = "must not be empty if x-kubernetes-list-type is map";
            self.errors.push(FieldError::required(&at, why));
        }
        let properties = items.get("properties");
        let is_property = |key: &str| properties.is_some_and(|properties| properties.get(key).is_some());
        if !keys.iter().all(|key| is_property(key)) {
            let stated = schema.get("x-kubernetes-list-map-keys").cloned().unwrap_or_default();
            let why = "entries must all be names of item properties";
            self.errors.push(FieldError::invalid(&at, &stated.to_string(), why));
        }
        let required = items.get("required").and_then(Value::as_array);
        for key in keys.iter().filter(|key| is_property(key)) {
            let is_required = required.is_some_and(|required| required.iter().any(|name| name == key));
            let has_default = properties.and_then(|all| all.get(key)).is_some_and(|it| it.get("default").is_some());
            if !is_required && !has_default {
                let why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required \
                           property";
                let at = format!("{path}.items.properties[{key}].default");
                self.errors.push(FieldError::required(&at, why));
            }
        }
    }

    fn set_items(&mut self, path: &str, items: &Value) {
        let why = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let (field, value) = match text(items, "type") {
            "object" => ("x-kubernetes-map-type", items.get("x-kubernetes-map-type")),
            "array" => ("x-kubernetes-list-type", items.get("x-kubernetes-list-type")),
            _ => return,
        };
        if value.and_then(Value::as_str) != Some("atomic") {
            let printed = value.unwrap_or(&Value::Null).to_string();
            self.errors.push(FieldError::invalid(&format!("{path}.items.{field}"), &printed, why));
        }
    }

    fn children(&mut self, path: &str, schema: &Value, place: Place) {
        match schema.get("items") {
            Some(Value::Array(_)) => {
                self.forbidden(&format!("{path}.items"), "items must be a schema object and not an array");
            }
            Some(items @ Value::Object(_)) => self.place(&format!("{path}.items"), items, Place::Items),
            _ if text(schema, "type") == "array" => {
                self.errors.push(FieldError::required(&format!("{path}.items"), "must be specified"));
            }
            _ => {}
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let additional = schema.get("additionalProperties").filter(|value| !value.is_null());
        if properties.is_some_and(|it| !it.is_empty()) && additional.is_some() {
            let why = "additionalProperties and properties are mutual exclusive";
            self.forbidden(&format!("{path}.additionalProperties"), why);
        }
        if let Some(of) = additional.filter(|of| of.is_object()) {
            self.place(&format!("{path}.additionalProperties"), of, Place::Field);
        }
        let is_resource = place == Place::Root || is(schema, "x-kubernetes-embedded-resource");
        for (name, property) in properties.into_iter().flatten() {
            let at = format!("{path}.properties[{name}]");
            if is_resource && name == "metadata" {
                self.metadata(&at, property);
            } else {
                self.place(&at, property, Place::Field);
            }
        }
    }

    fn metadata(&mut self, path: &str, schema: &Value) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = properties.into_iter().flatten().any(|(name, _)| name != "name" && name != "generateName");
        if others {
            let why =
                "must not specify anything other than name and generateName, but metadata is implicitly specified";
            self.forbidden(path, why);
        }
    }

    /// Inside of combinations values are restricted, and nothing else is said about them.
    fn logic(&mut self, path: &str, schema: &Value, types_allowed: bool) {
        for combination in ["allOf", "anyOf", "oneOf"] {
            let alternatives = schema.get(combination).and_then(Value::as_array);
            for (number, inner) in alternatives.into_iter().flatten().enumerate() {
                self.restricting(&format!("{path}.{combination}[{number}]"), inner, types_allowed);
            }
        }
        if let Some(inner) = schema.get("not") {
            self.restricting(&format!("{path}.not"), inner, types_allowed);
        }
    }

    fn restricting(&mut self, path: &str, schema: &Value, types_allowed: bool) {
        if !text(schema, "type").is_empty() && !types_allowed {
            self.forbidden(&format!("{path}.type"), "must be empty to be structural");
        }
        for field in ["title", "description"] {
            if !text(schema, field).is_empty() {
                self.forbidden(&format!("{path}.{field}"), "must be empty to be structural");
            }
        }
        for field in ["default", "additionalProperties"] {
            if schema.get(field).is_some_and(|value| !value.is_null()) {
                self.forbidden(&format!("{path}.{field}"), "must be undefined to be structural");
            }
        }
        for field in ["nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] {
            if is(schema, field) {
                self.forbidden(&format!("{path}.{field}"), "must be false to be structural");
            }
        }
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.restricting(&format!("{path}.properties[{name}]"), property, false);
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            self.restricting(&format!("{path}.items"), items, false);
        }
        self.logic(path, schema, types_allowed);
    }

    fn pattern(&mut self, path: &str, schema: &Value) {
        let pattern = text(schema, "pattern");
        if let Err(error) = Regex::new(pattern) {
            let why = format!("must be a valid regular expression, but isn't: {}", in_words_of_go(pattern, &error));
            self.errors.push(FieldError::invalid(&format!("{path}.pattern"), &format!("{pattern:?}"), &why));
        }
    }

    fn default(&mut self, path: &str, schema: &Value) {
        let Some(default) = schema.get("default") else { return };
        let Ok(structural) = Structural::read(schema) else { return };
        let at = format!("{path}.default");
        let mut shaped = default.clone();
        if !shape::shape_part(&structural, &mut shaped).is_empty() {
            let why = "must not have unknown fields";
            self.errors.push(FieldError::invalid(&at, &default.to_string(), why));
            return;
        }
        self.errors.extend(validate::part_errors(&structural, default).into_iter().map(|error| error.at(&at)));
    }

    fn forbidden(&mut self, path: &str, why: &str) {
        self.errors.push(FieldError::forbidden(path, why));
    }
}

fn text<'a>(schema: &'a Value, field: &str) -> &'a str {
    schema.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn is(schema: &Value, field: &str) -> bool {
    schema.get(field).and_then(Value::as_bool).unwrap_or_default()
}

/// The commonest mistakes in the words of Go; others in those of our own parser.
fn in_words_of_go(pattern: &str, error: &regex::Error) -> String {
    let text = error.to_string();
    let what = [
        ("unclosed group", "missing closing )"),
        ("unopened group", "unexpected )"),
        ("unclosed character class", "missing closing ]"),
        ("repetition operator missing expression", "missing argument to repetition operator"),
    ];
    match what.iter().find(|(ours, _)| text.contains(ours)) {
        Some((_, go)) => format!("error parsing regexp: {go}: `{pattern}`"),
        None => text.lines().last().unwrap_or_default().to_owned(),
    }
}

/// What a place can be.
const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

/// How lists can merge.
const LIST_TYPES: &[&str] = &["atomic", "set", "map"];

/// How maps can merge.
const MAP_TYPES: &[&str] = &["atomic", "granular"];
