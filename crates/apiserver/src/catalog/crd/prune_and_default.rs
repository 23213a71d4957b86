//! A custom resource as its schema wants it: what the schema does not know is gone, nulls it does not allow are gone, and
//! what was left out has its default.
//!
//! In: an object as a client sent it, or as it was stored under an earlier schema. Out: the same object, changed, and the
//! paths of what was taken out. Metadata is left alone but for fields that no object has.

use pintle_wire::facts;
use serde_json::{Map, Value};

use super::structural::{Additional, Structural};

/// Brings an object into shape; returns the paths of the unknown fields.
pub(crate) fn prune_and_default(schema: &Structural, object: &mut Value) -> Vec<String> {
    let unknown = prune(schema, object);
    drop_nulls(schema, object);
    default(schema, object);
    unknown
}

/// Takes out what the schema does not know; returns the paths of it.
pub(crate) fn prune(schema: &Structural, object: &mut Value) -> Vec<String> {
    let mut pruner = Pruner::default();
    if let Value::Object(fields) = object {
        pruner.resource(schema, fields);
    }
    pruner.into_unknown()
}

/// Brings a part of an object into shape, without defaults; returns the paths of the unknown fields.
pub(super) fn prune_and_default_part(schema: &Structural, value: &mut Value) -> Vec<String> {
    let mut pruner = Pruner::default();
    pruner.value(schema, value);
    pruner.into_unknown()
}

#[derive(Default)]
struct Pruner {
    path: Vec<String>,
    unknown: Vec<String>,
    is_in_metadata: bool,
    /// Those in the metadata of resources within the object, which are looked for last.
    unknown_in_embedded_metadata: Vec<String>,
}

impl Pruner {
    fn into_unknown(mut self) -> Vec<String> {
        self.unknown.append(&mut self.unknown_in_embedded_metadata);
        self.unknown
    }

    /// A whole resource: its type and metadata are there whatever the schema says.
    fn resource(&mut self, schema: &Structural, fields: &mut Map<String, Value>) {
        let mut own = Map::new();
        for name in ["apiVersion", "kind", "metadata"] {
            own.extend(fields.remove_entry(name));
        }
        if let Some(Value::Object(metadata)) = own.get_mut("metadata") {
            self.inside("metadata", |pruner| pruner.metadata(metadata));
        }
        self.fields(schema, fields);
        fields.append(&mut own);
    }

    fn metadata(&mut self, metadata: &mut Map<String, Value>) {
        let known = facts::named(OBJECT_META);
        metadata.retain(|name, _| {
            let is_known = known.is_none_or(|known| known.field(name).is_some());
            if !is_known {
                self.is_in_metadata = true;
                self.note(name);
                self.is_in_metadata = false;
            }
            is_known
        });
    }

    fn value(&mut self, schema: &Structural, value: &mut Value) {
        match value {
            Value::Object(fields) if schema.embedded_resource => self.resource(schema, fields),
            Value::Object(fields) => self.fields(schema, fields),
            Value::Array(items) => {
                let Some(schema) = &schema.items else { return };
                for (place, item) in items.iter_mut().enumerate() {
                    self.at(place, |pruner| pruner.value(schema, item));
                }
            }
            _ => {}
        }
    }

    fn fields(&mut self, schema: &Structural, fields: &mut Map<String, Value>) {
        fields.retain(|name, value| {
            if let Some(property) = schema.properties.get(name) {
                self.inside(name, |pruner| pruner.value(property, value));
                return true;
            }
            match &schema.additional_properties {
                Some(Additional::Of(other)) => self.inside(name, |pruner| pruner.value(other, value)),
                Some(Additional::Allowed(true)) => {}
                _ if schema.preserve_unknown_fields => {}
                _ => {
                    self.note(name);
                    return false;
                }
            }
            true
        });
    }

    fn note(&mut self, name: &str) {
        let mut path = self.path.clone();
        path.push(name.to_owned());
        let is_embedded_metadata = self.path.len() > 1 && self.is_in_metadata;
        let unknown = if is_embedded_metadata { &mut self.unknown_in_embedded_metadata } else { &mut self.unknown };
        unknown.push(path.join(".").replace(".[", "["));
    }

    fn inside(&mut self, name: &str, look: impl FnOnce(&mut Pruner)) {
        self.path.push(name.to_owned());
        look(self);
        self.path.pop();
    }

    fn at(&mut self, place: usize, look: impl FnOnce(&mut Pruner)) {
        self.inside(&format!("[{place}]"), look);
    }
}

/// Takes out nulls where none are allowed and no default would replace them.
fn drop_nulls(schema: &Structural, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let schema_of = |name: &str| {
                let additional = schema.additional_properties.as_ref().and_then(Additional::schema);
                schema.property(name).or(additional)
            };
            fields.retain(|name, value| match schema_of(name) {
                Some(schema) if value.is_null() => schema.nullable || schema.default.is_some(),
                Some(schema) => {
                    drop_nulls(schema, value);
                    true
                }
                None => true,
            });
        }
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| drop_nulls(schema, item));
            }
        }
        _ => {}
    }
}

/// Fills in what was left out.
pub(crate) fn default(schema: &Structural, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, property) in &schema.properties {
                let is_missing = match fields.get(name) {
                    None => true,
                    Some(value) => value.is_null() && !property.nullable,
                };
                if let Some(stated) = property.default.as_ref().filter(|_| is_missing) {
                    fields.insert(name.clone(), stated.clone());
                }
                if let Some(value) = fields.get_mut(name) {
                    default(property, value);
                }
            }
            if let Some(other) = schema.additional_properties.as_ref().and_then(Additional::schema) {
                let rest = fields.iter_mut().filter(|(name, _)| !schema.properties.contains_key(*name));
                for (_, value) in rest {
                    if let Some(stated) = other.default.as_ref().filter(|_| value.is_null() && !other.nullable) {
                        *value = stated.clone();
                    }
                    default(other, value);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = &schema.items else { return };
            for item in items {
                if let Some(stated) = schema.default.as_ref().filter(|_| item.is_null() && !schema.nullable) {
                    *item = stated.clone();
                }
                default(schema, item);
            }
        }
        _ => {}
    }
}

/// The type of every object's metadata.
pub(crate) const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shaped(schema: &Value, mut object: Value) -> (Value, Vec<String>) {
        let unknown = prune_and_default(&Structural::read(schema).unwrap(), &mut object);
        (object, unknown)
    }

    #[test]
    fn unknown_fields_go_unless_they_are_to_be_preserved() {
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "a": {"type": "string"},
            "items": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
                "known": {"type": "object", "properties": {"c": {"type": "string"}}}}},
            "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"d": {"type": "string"}}}},
        }}}});
        let sent = json!({
            "apiVersion": "g/v1", "kind": "K", "metadata": {"name": "n", "nope": 1}, "nope": 1,
            "spec": {"a": "1", "x": 1, "items": [{"b": "1", "x": 1}], "free": {"x": {"y": 1}, "known": {"c": "1", "x": 1}},
                "map": {"k": {"d": "1", "x": 1}}},
        });
        let (object, unknown) = shaped(&schema, sent);
        let expected = json!({
            "apiVersion": "g/v1", "kind": "K", "metadata": {"name": "n"},
            "spec": {"a": "1", "items": [{"b": "1"}], "free": {"x": {"y": 1}, "known": {"c": "1"}}, "map": {"k": {"d": "1"}}},
        });
        assert_eq!(object, expected);
        let paths = ["metadata.nope", "nope", "spec.free.known.x", "spec.items[0].x", "spec.map.k.x", "spec.x"];
        assert_eq!(unknown, paths);
    }

    #[test]
    fn nulls_go_and_defaults_come() {
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "default": {}, "properties": {
            "a": {"type": "string"},
            "n": {"type": "string", "nullable": true},
            "d": {"type": "string", "default": "d"},
            "e": {"type": "string", "nullable": true, "default": "e"},
            "deep": {"type": "object", "properties": {"x": {"type": "integer", "default": 1}}},
            "items": {"type": "array", "items": {"type": "object", "properties": {"y": {"type": "integer", "default": 2}}}},
        }}}});
        let (object, _) = shaped(&schema, json!({"metadata": {}}));
        assert_eq!(object["spec"], json!({"d": "d", "e": "e"}));
        let sent =
            json!({"metadata": {}, "spec": {"a": null, "n": null, "d": null, "e": null, "deep": {}, "items": [{}]}});
        let (object, _) = shaped(&schema, sent);
        assert_eq!(object["spec"], json!({"n": null, "d": "d", "e": null, "deep": {"x": 1}, "items": [{"y": 2}]}));
    }

    #[test]
    fn an_object_in_shape_stays_as_it_is() {
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "default": {"a": 1}, "properties": {
            "a": {"type": "integer"}, "b": {"x-kubernetes-preserve-unknown-fields": true, "default": {"c": [1]}}}}}});
        let (once, _) = shaped(&schema, json!({"metadata": {"name": "n"}}));
        assert_eq!(shaped(&schema, once.clone()), (once, Vec::new()));
    }
}
