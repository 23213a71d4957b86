//! An object as JSON while it is being written: a map with the few fields the server itself reads and sets.
//!
//! In: decoded request bodies and stored bytes. Out: bytes in the one layout the store relies on: `kind` first,
//! then `apiVersion`, then `metadata`, then the rest. It does not know which kinds exist or what is valid.

use bytes::Bytes;
use serde_json::{Map, Value};

/// A decoded object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Object(Map<String, Value>);

impl Object {
    /// Takes a JSON value; `None` when it or its metadata is not a JSON object.
    pub(crate) fn from_value(value: Value) -> Option<Object> {
        let Value::Object(mut map) = value else { return None };
        let metadata = map.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        if metadata.is_null() {
            *metadata = Value::Object(Map::new());
        }
        metadata.is_object().then_some(Object(map))
    }

    /// Decodes bytes which the store encoded.
    pub(crate) fn decode(body: &[u8]) -> Object {
        let value = serde_json::from_slice(body).expect("stored bodies were encoded by this server");
        Object::from_value(value).expect("stored bodies are objects with metadata")
    }

    /// Changes the object as a JSON value, which stays an object with metadata.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Value)) {
        let mut value = Value::Object(std::mem::take(&mut self.0));
        change(&mut value);
        *self = Object::from_value(value).expect("an object with metadata stays one");
    }

    /// A copy that does not say who set what, which is often half of an object.
    pub(crate) fn without_managers(&self) -> Object {
        let metadata = self.metadata().iter().filter(|(field, _)| *field != "managedFields");
        let metadata: Map<String, Value> = metadata.map(|(field, value)| (field.clone(), value.clone())).collect();
        let fields = self.0.iter().filter(|(field, _)| *field != "metadata");
        let mut fields: Map<String, Value> = fields.map(|(field, value)| (field.clone(), value.clone())).collect();
        fields.insert("metadata".to_owned(), Value::Object(metadata));
        Object(fields)
    }

    /// The object as a JSON value.
    pub(crate) fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.0.get(field)
    }

    /// The value at a JSON pointer, such as `/spec/nodeName`.
    pub(crate) fn at(&self, pointer: &str) -> Option<&Value> {
        let pointer = pointer.strip_prefix('/')?;
        match pointer.find('/') {
            None => self.get(pointer),
            Some(end) => self.get(&pointer[..end])?.pointer(&pointer[end..]),
        }
    }

    /// The text at a JSON pointer, empty when absent.
    pub(crate) fn text_at(&self, pointer: &str) -> &str {
        self.at(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// The items of the list at a JSON pointer.
    pub(crate) fn items_at<'a>(&'a self, pointer: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.at(pointer).and_then(Value::as_array).into_iter().flatten()
    }

    /// Changes the struct in a top-level field, made where there is none.
    pub(crate) fn change_field(&mut self, field: &str, change: impl FnOnce(&mut Map<String, Value>)) {
        let mut fields = match self.remove(field) {
            Some(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        change(&mut fields);
        self.set(field, Value::Object(fields));
    }

    /// Takes over the fields of the spec before which this one leaves out.
    pub(crate) fn keep_spec(&mut self, before: &Object, fields: &[&str]) {
        self.change_field("spec", |spec| {
            for field in fields {
                if let Some(value) = before.get("spec").and_then(|spec| spec.get(*field)) {
                    put_if_absent(spec, field, value.clone());
                }
            }
        });
    }

    pub(crate) fn set(&mut self, field: &str, value: Value) {
        self.0.insert(field.to_owned(), value);
    }

    pub(crate) fn remove(&mut self, field: &str) -> Option<Value> {
        self.0.remove(field)
    }

    /// Sets or removes a top-level field.
    pub(crate) fn put(&mut self, field: &str, value: Option<Value>) {
        match value {
            Some(value) => self.set(field, value),
            None => drop(self.remove(field)),
        }
    }

    pub(crate) fn text(&self, field: &str) -> &str {
        self.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// Everything besides `metadata`, `apiVersion` and `kind`, and besides `status` where that is not counted.
    pub(crate) fn same_content(&self, other: &Object, status_counts: bool) -> bool {
        let is_counted =
            |field: &str| !matches!(field, "metadata" | "apiVersion" | "kind") && (field != "status" || status_counts);
        let content = |object: &'_ Object| object.0.iter().filter(move |(field, _)| is_counted(field)).count();
        let is_same = |(field, value): (&String, &Value)| !is_counted(field) || other.get(field) == Some(value);
        content(self) == content(other) && self.0.iter().all(is_same)
    }

    pub(crate) fn metadata(&self) -> &Map<String, Value> {
        self.0.get("metadata").and_then(Value::as_object).expect("an Object always has metadata")
    }

    pub(crate) fn metadata_mut(&mut self) -> &mut Map<String, Value> {
        self.0.get_mut("metadata").and_then(Value::as_object_mut).expect("an Object always has metadata")
    }

    /// A text field of the metadata, empty when absent.
    pub(crate) fn meta(&self, field: &str) -> &str {
        self.metadata().get(field).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn set_meta(&mut self, field: &str, value: impl Into<Value>) {
        self.metadata_mut().insert(field.to_owned(), value.into());
    }

    /// Sets or removes a field of the metadata.
    pub(crate) fn put_meta(&mut self, field: &str, value: Option<Value>) {
        match value {
            Some(value) => self.set_meta(field, value),
            None => drop(self.metadata_mut().remove(field)),
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.meta("name")
    }

    pub(crate) fn generation(&self) -> i64 {
        self.metadata().get("generation").and_then(Value::as_i64).unwrap_or_default()
    }

    pub(crate) fn is_deleting(&self) -> bool {
        self.metadata().get("deletionTimestamp").is_some_and(|value| !value.is_null())
    }

    pub(crate) fn finalizers(&self) -> Vec<String> {
        let list = self.metadata().get("finalizers").and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Sets the finalizers; an empty list leaves no field behind.
    pub(crate) fn set_finalizers(&mut self, finalizers: &[String]) {
        let value = (!finalizers.is_empty()).then(|| Value::from(finalizers.to_vec()));
        self.put_meta("finalizers", value);
    }

    /// Sets a label.
    pub(crate) fn set_label(&mut self, key: &str, value: &str) {
        let labels = self.metadata_mut().entry("labels").or_insert_with(|| Value::Object(Map::new()));
        if !labels.is_object() {
            *labels = Value::Object(Map::new());
        }
        labels.as_object_mut().expect("made an object just now").insert(key.to_owned(), value.into());
    }

    /// Writes the object in the store's layout.
    pub(crate) fn encode_into(&self, buffer: &mut Vec<u8>) {
        buffer.extend_from_slice(b"{\"kind\":");
        write_value(buffer, self.get("kind").unwrap_or(&Value::Null));
        for field in ["apiVersion", "metadata"] {
            write_field(buffer, field, self.get(field).unwrap_or(&Value::Null));
        }
        self.encode_rest_into(buffer);
    }

    /// Writes the object in the store's layout with an empty `metadata.resourceVersion`, and returns where its text belongs.
    pub(crate) fn encode_unversioned(&self, buffer: &mut Vec<u8>) -> usize {
        buffer.extend_from_slice(b"{\"kind\":");
        write_value(buffer, self.get("kind").unwrap_or(&Value::Null));
        write_field(buffer, "apiVersion", self.get("apiVersion").unwrap_or(&Value::Null));
        buffer.extend_from_slice(b",\"metadata\":{");
        let open = buffer.len();
        let mut version = None;
        for (field, value) in self.metadata() {
            if version.is_none() && field.as_str() >= VERSION {
                version = Some(write_version(buffer, open));
            }
            if field != VERSION {
                write_next(buffer, open, field, value);
            }
        }
        let version = version.unwrap_or_else(|| write_version(buffer, open));
        buffer.push(b'}');
        self.encode_rest_into(buffer);
        version
    }

    fn encode_rest_into(&self, buffer: &mut Vec<u8>) {
        for (field, value) in &self.0 {
            if !matches!(field.as_str(), "apiVersion" | "kind" | "metadata") {
                write_field(buffer, field, value);
            }
        }
        buffer.push(b'}');
    }

    /// The object in the store's layout, as bytes of its own.
    pub(crate) fn encode(&self) -> Bytes {
        let mut buffer = Vec::new();
        self.encode_into(&mut buffer);
        buffer.into()
    }
}

/// Sets a field that is absent, null or an empty text.
pub(crate) fn put_if_absent(fields: &mut Map<String, Value>, field: &str, value: Value) {
    if fields.get(field).is_none_or(|known| known.is_null() || known == "") {
        fields.insert(field.to_owned(), value);
    }
}

/// The field of the metadata that only the store sets.
const VERSION: &str = "resourceVersion";

/// Writes an empty version, and returns where its text belongs.
fn write_version(buffer: &mut Vec<u8>, open: usize) -> usize {
    write_next(buffer, open, VERSION, &Value::String(String::new()));
    buffer.len() - 1
}

/// Writes a field of the map that opened there.
fn write_next(buffer: &mut Vec<u8>, open: usize, field: &str, value: &Value) {
    let is_first = buffer.len() == open;
    write_field(buffer, field, value);
    if is_first {
        buffer.remove(open);
    }
}

fn write_field(buffer: &mut Vec<u8>, field: &str, value: &Value) {
    buffer.push(b',');
    serde_json::to_writer(&mut *buffer, field).expect("a text always prints into memory");
    buffer.push(b':');
    write_value(buffer, value);
}

fn write_value(buffer: &mut Vec<u8>, value: &Value) {
    serde_json::to_writer(buffer, value).expect("a JSON value always prints into memory");
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_layout_starts_with_the_kind_whatever_came_in() {
        let value = json!({"spec": {"a": 1}, "metadata": {"name": "x"}, "kind": "K", "apiVersion": "g/v1"});
        let object = Object::from_value(value.clone()).unwrap();
        let bytes = object.encode();
        assert!(bytes.starts_with(b"{\"kind\":\"K\",\"apiVersion\":\"g/v1\",\"metadata\":{"));
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), value);
    }

    #[test]
    fn content_ignores_metadata_and_on_request_status() {
        let a = Object::from_value(json!({"metadata": {"name": "x"}, "spec": 1, "status": 1})).unwrap();
        let b = Object::from_value(json!({"metadata": {"name": "y"}, "spec": 1, "status": 2})).unwrap();
        assert!(a.same_content(&b, false));
        assert!(!a.same_content(&b, true));
    }
}
