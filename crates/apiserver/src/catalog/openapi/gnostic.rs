//! The protobuf form of an OpenAPI v2 document, in which client-go fetches it (gnostic's `openapi.v2.Document`).
//!
//! In: the document as JSON, with the words that [`v2`](super::v2) prints. Out: its bytes. Field numbers are those of
//! gnostic's `OpenAPIv2.proto`; what stands under `x-…` becomes a vendor extension, whose value is YAML text, and so JSON.

use serde_json::{Map, Value};

/// A message that is being written.
#[derive(Default)]
struct Message(Vec<u8>);

/// The whole document.
pub(super) fn print(document: &Value) -> Vec<u8> {
    let mut message = Message::default();
    message.text(1, &document["swagger"]);
    message.nested(2, info(&document["info"]));
    message.nested(8, named(2, &document["paths"], path_item));
    message.nested(9, named(1, &document["definitions"], schema));
    message.0
}

fn info(info: &Value) -> Message {
    let mut message = Message::default();
    message.text(1, &info["title"]);
    message.text(2, &info["version"]);
    message
}

fn path_item(item: &Value) -> Message {
    let mut message = Message::default();
    for (number, method) in [(2, "get"), (3, "put"), (4, "post"), (5, "delete"), (8, "patch")] {
        if let Some(operation) = item.get(method) {
            message.nested(number, self::operation(operation));
        }
    }
    message
}

fn operation(operation: &Value) -> Message {
    let mut message = Message::default();
    message.text(5, &operation["operationId"]);
    for parameter in items(&operation["parameters"]) {
        // An item is a parameter, which is not the body's, but one of the query.
        message.nested(8, Message::around(1, Message::around(2, Message::around(3, query_parameter(parameter)))));
    }
    message.nested(
        9,
        named(1, &operation["responses"], |response| {
            let mut message = Message::default();
            message.text(1, &response["description"]);
            Message::around(1, message)
        }),
    );
    message.extensions(13, operation);
    message
}

fn query_parameter(parameter: &Value) -> Message {
    let mut message = Message::default();
    message.text(2, &parameter["in"]);
    message.text(4, &parameter["name"]);
    message.text(6, &parameter["type"]);
    message.flag(20, &parameter["uniqueItems"]);
    message
}

fn schema(schema: &Value) -> Message {
    let mut message = Message::default();
    for (number, word) in [(1, "$ref"), (2, "format"), (3, "title"), (4, "description"), (13, "pattern")] {
        message.text(number, &schema[word]);
    }
    if let Some(default) = schema.get("default") {
        message.nested(5, any(default));
    }
    for (number, word) in [(6, "multipleOf"), (7, "maximum"), (9, "minimum")] {
        message.double(number, &schema[word]);
    }
    for (number, word) in [(8, "exclusiveMaximum"), (10, "exclusiveMinimum"), (16, "uniqueItems")] {
        message.flag(number, &schema[word]);
    }
    let counts = ["maxLength", "minLength", "", "maxItems", "minItems", "", "maxProperties", "minProperties"];
    for (number, word) in (11..).zip(counts).filter(|(_, word)| !word.is_empty()) {
        message.count(number, &schema[word]);
    }
    items(&schema["required"]).for_each(|name| message.text(19, name));
    items(&schema["enum"]).for_each(|value| message.nested(20, any(value)));
    nested_schemas(&mut message, schema);
    message.extensions(31, schema);
    message
}

fn nested_schemas(message: &mut Message, schema: &Value) {
    match &schema["additionalProperties"] {
        Value::Bool(allowed) => message.nested(21, {
            let mut item = Message::default();
            item.number(2, u64::from(*allowed));
            item
        }),
        of @ Value::Object(_) => message.nested(21, Message::around(1, self::schema(of))),
        _ => {}
    }
    if schema["type"].is_string() {
        let mut item = Message::default();
        item.text(1, &schema["type"]);
        message.nested(22, item);
    }
    if schema["items"].is_object() {
        message.nested(23, Message::around(1, self::schema(&schema["items"])));
    }
    if schema["properties"].is_object() {
        message.nested(25, named(1, &schema["properties"], self::schema));
    }
}

/// Entries of a map, each a message of a name and a value.
fn named(number: u32, map: &Value, value: fn(&Value) -> Message) -> Message {
    let mut message = Message::default();
    for (name, of) in map.as_object().into_iter().flatten() {
        let mut entry = Message::default();
        entry.bytes(1, name.as_bytes());
        entry.nested(2, value(of));
        message.nested(number, entry);
    }
    message
}

/// A value of any kind, as YAML text.
fn any(value: &Value) -> Message {
    let mut message = Message::default();
    message.bytes(2, value.to_string().as_bytes());
    message
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

impl Message {
    /// A message with nothing but this one in it.
    fn around(number: u32, inner: Message) -> Message {
        let mut message = Message::default();
        message.nested(number, inner);
        message
    }

    fn text(&mut self, number: u32, value: &Value) {
        if let Some(text) = value.as_str() {
            self.bytes(number, text.as_bytes());
        }
    }

    fn flag(&mut self, number: u32, value: &Value) {
        if value.as_bool() == Some(true) {
            self.number(number, 1);
        }
    }

    fn count(&mut self, number: u32, value: &Value) {
        if let Some(count) = value.as_u64() {
            self.number(number, count);
        }
    }

    fn double(&mut self, number: u32, value: &Value) {
        if let Some(double) = value.as_f64() {
            self.varint(u64::from(number) << 3 | FIXED_64);
            self.0.extend_from_slice(&double.to_le_bytes());
        }
    }

    /// What stands under names that begin with `x-`.
    fn extensions(&mut self, number: u32, of: &Value) {
        let all = of.as_object().into_iter().flat_map(Map::iter);
        for (name, value) in all.filter(|(name, _)| name.starts_with("x-")) {
            let mut entry = Message::default();
            entry.bytes(1, name.as_bytes());
            entry.nested(2, any(value));
            self.nested(number, entry);
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a message is written into one other, and then gone")]
    fn nested(&mut self, number: u32, message: Message) {
        self.bytes(number, &message.0);
    }

    fn number(&mut self, number: u32, value: u64) {
        self.varint(u64::from(number) << 3 | VARINT);
        self.varint(value);
    }

    fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.varint(u64::from(number) << 3 | LENGTH_DELIMITED);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const LENGTH_DELIMITED: u64 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_has_the_bytes_that_gnostic_gives_it() {
        let document = json!({
            "swagger": "2.0",
            "info": {"title": "K", "version": "1"},
            "paths": {"/a": {"get": {"operationId": "g", "parameters": [{"name": "p", "in": "query", "type": "string"}]}}},
            "definitions": {"A": {"type": "object", "maximum": 1, "x-k": [1]}},
        });
        let mut expected = Vec::new();
        expected.extend(b"\x0a\x032.0");
        expected.extend(b"\x12\x06\x0a\x01K\x12\x011");
        let parameter = b"\x12\x05query\x22\x01p\x32\x06string";
        let wrapped = |number: u8, inner: &[u8]| [&[number << 3 | 2, inner.len() as u8], inner].concat();
        let item = wrapped(8, &wrapped(1, &wrapped(2, &wrapped(3, parameter))));
        let operation = [b"\x2a\x01g".to_vec(), item, wrapped(9, b"")].concat();
        let path = [b"\x0a\x02/a".to_vec(), wrapped(2, &wrapped(2, &operation))].concat();
        expected.extend(wrapped(8, &wrapped(2, &path)));
        let mut schema = vec![7 << 3 | 1];
        schema.extend(1.0_f64.to_le_bytes());
        schema.extend([0xb2, 0x01, 8]);
        schema.extend(b"\x0a\x06object");
        schema.extend([0xfa, 0x01, 12]);
        schema.extend(b"\x0a\x03x-k\x12\x05\x12\x03[1]");
        let named = [b"\x0a\x01A".to_vec(), wrapped(2, &schema)].concat();
        expected.extend(wrapped(9, &wrapped(1, &named)));
        assert_eq!(print(&document), expected);
    }
}
