//! The rules of a structural schema: every place says its type once, outside of `allOf`, `anyOf`, `oneOf` and `not`, lists say
//! what their items are, and metadata is left to Kubernetes.

use serde_json::Value;

use super::{is, text};
use crate::response::status::FieldError;

/// Which of the rules a schema breaks, sorted by what is said.
pub(super) fn errors(path: &str, schema: &Value) -> Vec<FieldError> {
    let mut rules = Rules { errors: Vec::new() };
    rules.place(path, schema, Place::Root);
    rules.complete(path, schema, path, schema);
    rules.errors.sort_by_key(FieldError::text);
    rules.errors
}

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Field,
    Items,
}

struct Rules {
    errors: Vec<FieldError>,
}

impl Rules {
    fn place(&mut self, path: &str, schema: &Value, place: Place) {
        self.children(path, schema);
        self.int_or_string(path, schema);
        self.logic(path, schema);
        self.kind(path, schema, place);
        if place == Place::Root || is(schema, "x-kubernetes-embedded-resource") {
            self.resource(path, schema, place);
        }
        if text(schema, "type") == "array" && !schema.get("items").is_some_and(Value::is_object) {
            self.errors.push(FieldError::required(&format!("{path}.items"), "must be specified"));
        }
    }

    fn children(&mut self, path: &str, schema: &Value) {
        if let Some(items) = object(schema, "items") {
            self.place(&format!("{path}.items"), items, Place::Items);
        }
        for (name, property) in properties(schema) {
            self.place(&format!("{path}.properties[{name}]"), property, Place::Field);
        }
        if let Some(other) = object(schema, "additionalProperties") {
            self.place(&format!("{path}.additionalProperties"), other, Place::Field);
        }
    }

    fn int_or_string(&mut self, path: &str, schema: &Value) {
        if !is(schema, "x-kubernetes-int-or-string") {
            return;
        }
        for field in ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] {
            if is(schema, field) {
                let why = "must be false if x-kubernetes-int-or-string is true";
                self.errors.push(FieldError::invalid(&format!("{path}.{field}"), "true", why));
            }
        }
    }

    fn kind(&mut self, path: &str, schema: &Value, place: Place) {
        let (kind, at) = (text(schema, "type"), format!("{path}.type"));
        let is_open = is(schema, "x-kubernetes-int-or-string") || is(schema, "x-kubernetes-preserve-unknown-fields");
        if is(schema, "x-kubernetes-embedded-resource") && kind != "object" {
            let why = "must be object if x-kubernetes-embedded-resource is true";
            self.errors.push(match kind {
                "" => FieldError::required(&at, why),
                other => FieldError::invalid_text(&at, other, why),
            });
        } else if kind.is_empty() && is_open {
            // It says itself what may stand here.
        } else if kind.is_empty() {
            let why = match place {
                Place::Root => "must not be empty at the root",
                Place::Field => "must not be empty for specified object fields",
                Place::Items => "must not be empty for specified array items",
            };
            self.errors.push(FieldError::required(&at, why));
        } else if place == Place::Root && kind != "object" {
            self.errors.push(FieldError::invalid_text(&at, kind, "must be object at the root"));
        }
    }

    /// Fields that every resource has.
    fn resource(&mut self, path: &str, schema: &Value, place: Place) {
        for (name, expected) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
            let Some(property) = schema.get("properties").and_then(|all| all.get(name)) else { continue };
            if text(property, "type") != expected {
                let at = format!("{path}.properties[{name}].type");
                let why = format!("must be {expected}");
                self.errors.push(FieldError::invalid_text(&at, text(property, "type"), &why));
            }
            if name == "metadata" && place == Place::Root {
                self.metadata(&format!("{path}.properties[metadata]"), property);
            }
        }
        let is_embedded = is(schema, "x-kubernetes-embedded-resource");
        if is_embedded && !is(schema, "x-kubernetes-preserve-unknown-fields") && properties(schema).next().is_none() {
            let why = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
            self.errors.push(FieldError::required(&format!("{path}.properties"), why));
        }
    }

    fn metadata(&mut self, path: &str, schema: &Value) {
        let mut others = properties(schema).filter(|(name, _)| *name != "name" && *name != "generateName");
        let known = ["type", "properties", "default"];
        let mut fields = schema.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
        if others.next().is_some() || fields.any(|field| !known.contains(&field)) {
            let why =
                "must not specify anything other than name and generateName, but metadata is implicitly specified";
            self.errors.push(FieldError::forbidden(path, why));
        }
    }

    /// Inside of combinations values are restricted, and nothing else is said about them.
    fn logic(&mut self, path: &str, schema: &Value) {
        let types_allowed = is(schema, "x-kubernetes-int-or-string");
        for (at, inner) in combined(path, schema) {
            self.restricting(&at, inner, types_allowed);
        }
    }

    fn restricting(&mut self, path: &str, schema: &Value, types_allowed: bool) {
        if !text(schema, "type").is_empty() && !types_allowed {
            self.forbidden(path, "type", "must be empty to be structural");
        }
        for field in ["title", "description"] {
            if !text(schema, field).is_empty() {
                self.forbidden(path, field, "must be empty to be structural");
            }
        }
        for field in ["default", "additionalProperties", "x-kubernetes-list-type", "x-kubernetes-map-type"] {
            if schema.get(field).is_some_and(|value| !value.is_null()) {
                self.forbidden(path, field, "must be undefined to be structural");
            }
        }
        for field in [
            "nullable",
            "x-kubernetes-preserve-unknown-fields",
            "x-kubernetes-embedded-resource",
            "x-kubernetes-int-or-string",
        ] {
            if is(schema, field) {
                self.forbidden(path, field, "must be false to be structural");
            }
        }
        if schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array).is_some_and(|keys| !keys.is_empty()) {
            self.forbidden(path, "x-kubernetes-list-map-keys", "must be empty to be structural");
        }
        for (name, property) in properties(schema) {
            if name == "metadata" {
                self.forbidden(path, "properties[metadata]", "must not be specified in a nested context");
            }
            self.restricting(&format!("{path}.properties[{name}]"), property, false);
        }
        if let Some(items) = object(schema, "items") {
            self.restricting(&format!("{path}.items"), items, false);
        }
        for (at, inner) in combined(path, schema) {
            self.restricting(&at, inner, types_allowed);
        }
    }

    /// What combinations at the root speak of is there. kube-apiserver looks no deeper.
    fn complete(&mut self, path: &str, schema: &Value, of: &str, restricting: &Value) {
        for (at, inner) in combined(of, restricting) {
            self.is_there(path, schema, &at, inner);
        }
    }

    fn is_there(&mut self, path: &str, schema: &Value, of: &str, restricting: &Value) {
        self.complete(path, schema, of, restricting);
        if let Some(inner) = object(restricting, "items") {
            let (path, of) = (format!("{path}.items"), format!("{of}.items"));
            self.found(object(schema, "items"), &path, &of, inner);
        }
        let other = object(schema, "additionalProperties");
        for (name, inner) in properties(restricting) {
            let of = format!("{of}.properties[{name}]");
            match (schema.get("properties").and_then(|all| all.get(name)), other) {
                (None, Some(other)) => self.is_there(&format!("{path}.additionalProperties"), other, &of, inner),
                (found, _) => self.found(found, &format!("{path}.properties[{name}]"), &of, inner),
            }
        }
    }

    fn found(&mut self, schema: Option<&Value>, path: &str, of: &str, restricting: &Value) {
        match schema {
            Some(schema) => self.is_there(path, schema, of, restricting),
            None => self.errors.push(FieldError::required(path, &format!("because it is defined in {of}"))),
        }
    }

    fn forbidden(&mut self, path: &str, field: &str, why: &str) {
        self.errors.push(FieldError::forbidden(&format!("{path}.{field}"), why));
    }
}

/// The schemas that are combined at a place, with their paths.
fn combined<'a>(path: &str, schema: &'a Value) -> Vec<(String, &'a Value)> {
    let mut all = Vec::new();
    for combination in ["allOf", "anyOf", "oneOf"] {
        let alternatives = schema.get(combination).and_then(Value::as_array);
        for (number, inner) in alternatives.into_iter().flatten().enumerate() {
            all.push((format!("{path}.{combination}[{number}]"), inner));
        }
    }
    all.extend(object(schema, "not").map(|inner| (format!("{path}.not"), inner)));
    all
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn object<'a>(schema: &'a Value, field: &str) -> Option<&'a Value> {
    schema.get(field).filter(|value| value.is_object())
}
