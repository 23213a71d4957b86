//! Whether the schema in a definition is one that can be pruned, defaulted and merged by, in kube-apiserver's sentences.
//!
//! In: `openAPIV3Schema` as it was sent. Out: every rule it breaks: those that make it a structural one ([`structural`], sorted,
//! since properties have no order), then what no schema may say (here); and only in a structural one whether its defaults
//! are valid.

mod structural;

use serde_json::Value;

use super::structural::Structural;
use super::{custom_resource_validation, prune_and_default};
use crate::catalog::crd::go_regexp;
use crate::response::status::FieldError;

/// What is wrong with a schema at a path.
pub(super) fn errors(path: &str, schema: &Value) -> Vec<FieldError> {
    let mut checker = Checker { errors: Vec::new(), is_readable: true };
    checker.schema(path, schema);
    if !checker.is_readable {
        return checker.errors;
    }
    let mut errors = structural::errors(path, schema);
    if errors.is_empty() {
        checker.defaults(path, schema);
    }
    errors.extend(checker.errors);
    errors
}

struct Checker {
    errors: Vec<FieldError>,
    /// Whether the schema says nothing that a structural one has no place for.
    is_readable: bool,
}

impl Checker {
    fn schema(&mut self, path: &str, schema: &Value) {
        self.unsupported(path, schema);
        if is(schema, "uniqueItems") {
            let why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            self.forbidden(&format!("{path}.uniqueItems"), why);
        }
        self.properties(path, schema);
        self.combinations(path, schema);
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            self.schema(&format!("{path}.items"), items);
        }
        self.extensions(path, schema);
        self.lists(path, schema);
        let kind = text(schema, "type");
        if !kind.is_empty() && !TYPES.contains(&kind) {
            self.errors.push(FieldError::not_supported(&format!("{path}.type"), kind, TYPES));
        }
        self.pattern(path, schema);
    }

    /// What JSON schema knows and Kubernetes does not.
    fn unsupported(&mut self, path: &str, schema: &Value) {
        for field in ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] {
            if schema.get(field).is_some_and(|value| !value.is_null() && *value != "") {
                self.forbidden(&format!("{path}.{field}"), &format!("{field} is not supported"));
                self.is_readable = false;
            }
        }
        if text(schema, "type") == "null" {
            let why = "type cannot be set to null, use nullable as an alternative";
            self.forbidden(&format!("{path}.type"), why);
        }
        if schema.get("items").is_some_and(Value::is_array) {
            self.forbidden(&format!("{path}.items"), "items must be a schema object and not an array");
            self.is_readable = false;
        }
    }

    fn properties(&mut self, path: &str, schema: &Value) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let additional = schema.get("additionalProperties").filter(|value| !value.is_null());
        if let Some(additional) = additional {
            if properties.is_some_and(|it| !it.is_empty()) && *additional != Value::Bool(true) {
                let why = "additionalProperties and properties are mutual exclusive";
                self.forbidden(&format!("{path}.additionalProperties"), why);
            }
            if additional.is_object() {
                self.schema(&format!("{path}.additionalProperties"), additional);
            }
        }
        for (name, property) in properties.into_iter().flatten() {
            self.schema(&format!("{path}.properties[{name}]"), property);
        }
    }

    fn combinations(&mut self, path: &str, schema: &Value) {
        if let Some(inner) = schema.get("not").filter(|inner| inner.is_object()) {
            self.schema(&format!("{path}.not"), inner);
        }
        for combination in ["allOf", "oneOf", "anyOf"] {
            let alternatives = schema.get(combination).and_then(Value::as_array);
            for (number, inner) in alternatives.into_iter().flatten().enumerate() {
                self.schema(&format!("{path}.{combination}[{number}]"), inner);
            }
        }
    }

    fn extensions(&mut self, path: &str, schema: &Value) {
        if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
            let at = format!("{path}.x-kubernetes-preserve-unknown-fields");
            self.errors.push(FieldError::invalid(&at, "false", "must be true or undefined"));
        }
        let map_type = text(schema, "x-kubernetes-map-type");
        if !map_type.is_empty() {
            self.must_be(path, text(schema, "type"), "object", "x-kubernetes-map-type is specified");
        }
        if !map_type.is_empty() && !MAP_TYPES.contains(&map_type) {
            let at = format!("{path}.x-kubernetes-map-type");
            self.errors.push(FieldError::not_supported(&at, map_type, MAP_TYPES));
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
            self.must_be(path, text(schema, "type"), "array", "x-kubernetes-list-type is specified");
            if !LIST_TYPES.contains(&list_type) {
                self.errors.push(FieldError::not_supported(&at, list_type, LIST_TYPES));
            }
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
            ("map", None) => {
                let why = "must have a schema if x-kubernetes-list-type is map";
                self.errors.push(FieldError::required(&format!("{path}.items"), why));
            }
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
        let of_items = text(items, "type");
        if of_items != "object" {
            let why = "must be object if parent array's x-kubernetes-list-type is map";
            self.errors.push(FieldError::invalid_text(&format!("{path}.items.type"), of_items, why));
        }
        let stated = schema.get("x-kubernetes-list-map-keys").cloned().unwrap_or_default().to_string();
        for (place, key) in keys.iter().enumerate() {
            match items.get("properties").and_then(|properties| properties.get(key)) {
                Some(property) if matches!(text(property, "type"), "array" | "object") => {
                    let why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                    let at = format!("{path}.items.properties[{key}].type");
                    self.errors.push(FieldError::invalid_text(&at, of_items, why));
                }
                Some(_) => {}
                None => {
                    let why = "entries must all be names of item properties";
                    self.errors.push(FieldError::invalid(&at, &stated, why));
                }
            }
            if keys[..place].contains(key) {
                self.errors.push(FieldError::invalid(&at, &stated, "must not contain duplicate entries"));
            }
        }
        self.keys_are_there(path, items, keys);
    }

    /// An item that may leave out one of its keys cannot be identified.
    fn keys_are_there(&mut self, path: &str, items: &Value, keys: &[&str]) {
        let required = items.get("required").and_then(Value::as_array);
        for key in keys {
            let Some(property) = items.get("properties").and_then(|properties| properties.get(key)) else { continue };
            let is_required = required.is_some_and(|required| required.iter().any(|name| name == key));
            let has_default = property.get("default").is_some();
            let at = format!("{path}.items.properties[{key}]");
            if !is_required && !has_default {
                let why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required \
                           property";
                self.errors.push(FieldError::required(&format!("{at}.default"), why));
            }
            if is(property, "nullable") {
                let why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
                self.forbidden(&format!("{at}.nullable"), why);
            }
        }
    }

    fn set_items(&mut self, path: &str, items: &Value) {
        let why = "must be atomic as item of a list with x-kubernetes-list-type=set";
        // Lists are atomic unless they say otherwise, and maps are not.
        let (field, otherwise) = match text(items, "type") {
            "object" => ("x-kubernetes-map-type", "granular"),
            "array" => ("x-kubernetes-list-type", "atomic"),
            _ => return,
        };
        let stated = items.get(field).filter(|value| !value.is_null());
        if stated.and_then(Value::as_str).unwrap_or(otherwise) != "atomic" {
            let printed = stated.unwrap_or(&Value::Null).to_string();
            self.errors.push(FieldError::invalid(&format!("{path}.items.{field}"), &printed, why));
        }
    }

    fn pattern(&mut self, path: &str, schema: &Value) {
        let pattern = text(schema, "pattern");
        if pattern.is_empty() {
            return;
        }
        if let Err(why) = go_regexp::compile(pattern) {
            let why = format!("must be a valid regular expression, but isn't: {why}");
            self.errors.push(FieldError::invalid(&format!("{path}.pattern"), &format!("{pattern:?}"), &why));
        }
    }

    /// Every default of a structural schema, of which none stand inside of combinations.
    fn defaults(&mut self, path: &str, schema: &Value) {
        self.default(path, schema);
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            self.defaults(&format!("{path}.items"), items);
        }
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.defaults(&format!("{path}.properties[{name}]"), property);
        }
        if let Some(other) = schema.get("additionalProperties").filter(|other| other.is_object()) {
            self.defaults(&format!("{path}.additionalProperties"), other);
        }
    }

    fn default(&mut self, path: &str, schema: &Value) {
        let Some(default) = schema.get("default") else { return };
        let Ok(structural) = Structural::read(schema) else { return };
        let at = format!("{path}.default");
        let mut shaped = default.clone();
        if !prune_and_default::prune_and_default_part(&structural, &mut shaped).is_empty() {
            let why = "must not have unknown fields";
            self.errors.push(FieldError::invalid(&at, &default.to_string(), why));
            return;
        }
        self.errors.extend(
            custom_resource_validation::part_errors(&structural, default).into_iter().map(|error| error.at(&at)),
        );
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

/// What a place can be.
const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

/// How lists can merge.
const LIST_TYPES: &[&str] = &["atomic", "set", "map"];

/// How maps can merge.
const MAP_TYPES: &[&str] = &["atomic", "granular"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn as_many_patterns_are_compiled_as_a_schema_states() {
        let text = json!({"type": "string"});
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string", "pattern": "^a+$"}, "b": text, "c": {"type": "object", "properties": {"d": text}},
        }});
        let before = go_regexp::COMPILED.get();
        assert!(errors("spec", &schema).is_empty());
        assert_eq!(go_regexp::COMPILED.get() - before, 1);
    }
}
