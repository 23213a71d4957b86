//! OpenAPI v2: one document for everything, which kubectl still asks for when it checks a `List`.
//!
//! In: the documents of v3 and what a client accepts. Out: the same paths and schemas in the words of v2, as JSON or in the
//! protobuf of [`gnostic`]. What v2 has no word for is left out, as Kubernetes does.

use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE, ETAG, HeaderValue, VARY};
use http::request::Parts;
use http::{Response, StatusCode};
use pintle_core::call::by_preference;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::pieces::Printed;
use super::{Document, gnostic, hash, header};
use crate::catalog::Catalog;
use crate::response;
use crate::response::body::Body;
use crate::response::shared_text::SharedText;

/// The document, as the client accepts it.
pub(super) fn answer(documents: &[Arc<Document>], catalog: &Catalog, parts: &Parts) -> Response<Body> {
    let accept = parts.headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
    let mut response = match form(accept) {
        None => return refused(),
        Some(Form::Json) => {
            let printed = || print(documents, catalog).to_string().into();
            catalog.memo.printed(catalog, "openapi/v2 as JSON", printed).answer(&parts.headers)
        }
        Some(Form::Protobuf) => {
            let printed = || SharedText::new(vec![gnostic::print(&print(documents, catalog)).into()]);
            let mut response = catalog.memo.printed(catalog, "openapi/v2", printed).answer(&parts.headers);
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(PROTOBUF));
            response
        }
    };
    let hashes: String = documents.iter().map(|document| document.hash.as_str()).collect();
    response.headers_mut().insert(ETAG, header(&format!("\"{}\"", hash(&hashes))));
    varied(response)
}

/// How the document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    Protobuf,
}

/// The best form that is accepted.
fn form(accept: &str) -> Option<Form> {
    by_preference(accept).into_iter().find_map(|range| match range.split(';').next().unwrap_or_default().trim() {
        PROTOBUF | OLD_PROTOBUF => Some(Form::Protobuf),
        "application/json" | "application/*" | "*/*" => Some(Form::Json),
        _ => None,
    })
}

fn refused() -> Response<Body> {
    let mut response = response::json(406, Vec::new().into());
    *response.status_mut() = StatusCode::NOT_ACCEPTABLE;
    response.headers_mut().remove(CONTENT_TYPE);
    varied(response)
}

/// Says what the answer depends on.
fn varied(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept-Encoding"));
    response
}

fn print(documents: &[Arc<Document>], catalog: &Catalog) -> Value {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    for document in documents {
        let (newer, newer_schemas) = document.parts(catalog);
        for (name, schema) in newer_schemas {
            schemas.insert(name.into_owned(), older(open_or_closed(read(&schema.printed()))));
        }
        let newer: Map<String, Value> = read(&newer);
        paths.extend(newer.into_iter().map(|(path, item)| (path, path_item(item))));
    }
    json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": pintle_wire::facts::VERSION},
        "paths": paths,
        "definitions": schemas,
    })
}

/// What was printed, as a value.
fn read<T: DeserializeOwned>(printed: &Printed) -> T {
    serde_json::from_slice(&printed.text()).expect("it is printed as JSON")
}

/// In v2 the type of a parameter stands in the parameter itself; only v3 describes bodies.
fn path_item(mut item: Value) -> Value {
    for (name, operation) in item.as_object_mut().into_iter().flatten() {
        if name == "parameters" {
            older_parameters(operation);
            continue;
        }
        if let Some(fields) = operation.as_object_mut() {
            fields.remove("requestBody");
            fields.get_mut("parameters").map(older_parameters);
        }
        for response in operation["responses"].as_object_mut().into_iter().flat_map(Map::values_mut) {
            response.as_object_mut().map(|fields| fields.remove("content"));
        }
    }
    item
}

fn older_parameters(parameters: &mut Value) {
    for parameter in parameters.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(Value::Object(schema)) = parameter.remove("schema") {
            parameter.extend(schema);
        }
    }
}

/// A kind that preserves unknown fields is any object here: kubectl would refuse whatever its properties do not name.
fn open_or_closed(schema: Value) -> Value {
    let kind = &schema["x-kubernetes-group-version-kind"];
    if kind.is_null() || schema["x-kubernetes-preserve-unknown-fields"] != true {
        return schema;
    }
    json!({"type": "object", "x-kubernetes-group-version-kind": kind})
}

/// A schema in the words of v2.
fn older(schema: Value) -> Value {
    let Value::Object(mut schema) = schema else { return schema };
    if let Some(Value::String(name)) = schema.get("allOf").and_then(|all| all.pointer("/0/$ref")) {
        return json!({"$ref": name.replace("#/components/schemas/", "#/definitions/")});
    }
    if schema.contains_key("oneOf") && !schema.contains_key("type") {
        // A number or a text: v2 has no word for it, and says text.
        schema.insert("type".to_owned(), "string".into());
    }
    for unknown in ["oneOf", "anyOf", "allOf", "not", "nullable"] {
        schema.remove(unknown);
    }
    for nested in ["items", "additionalProperties"] {
        if let Some(value) = schema.get_mut(nested) {
            *value = older(value.take());
        }
    }
    for property in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        *property = older(property.take());
    }
    Value::Object(schema)
}

const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// Its name before it was a valid one; clients still ask for it.
const OLD_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_acceptable_form_is_given() {
        assert_eq!(form("application/json"), Some(Form::Json));
        assert_eq!(form("*/*"), Some(Form::Json));
        assert_eq!(form("text/plain, application/json;q=0.5"), Some(Form::Json));
        assert_eq!(form(PROTOBUF), Some(Form::Protobuf));
        assert_eq!(form(&format!("{OLD_PROTOBUF}, application/json")), Some(Form::Protobuf));
        assert_eq!(form("text/plain"), None);
    }

    #[test]
    fn what_v2_has_no_word_for_is_left_out() {
        let newer = json!({"type": "object", "nullable": true, "properties": {
            "a": {"allOf": [{"$ref": "#/components/schemas/io.A"}], "default": {}},
            "b": {"type": "array", "items": {"oneOf": [{"type": "string"}, {"type": "number"}]}},
            "c": {"type": "object", "additionalProperties": {"allOf": [{"$ref": "#/components/schemas/io.C"}]}},
        }});
        let expected = json!({"type": "object", "properties": {
            "a": {"$ref": "#/definitions/io.A"},
            "b": {"type": "array", "items": {"type": "string"}},
            "c": {"type": "object", "additionalProperties": {"$ref": "#/definitions/io.C"}},
        }});
        assert_eq!(older(newer), expected);
    }
}
