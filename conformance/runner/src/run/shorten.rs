//! Leaves of an answer what its step wants to see.
//!
//! A refusal is left whole, whatever was wanted: it is what was not expected.

use serde_json::{Map, Value, json};

use crate::exchange::{Answer, Body, is_event};
use crate::script::Print;

pub(super) fn shorten(answer: &mut Answer, print: &Print) {
    let Body::Json(values) = &answer.body else { return };
    let is_refused = answer.status.is_some_and(|status| status >= 400);
    answer.body = match print {
        Print::Picked(pointers) => {
            let picked = |pointer: &String| (pointer.clone(), answer.body.pointer(pointer).unwrap_or_default());
            Body::Json(vec![pointers.iter().map(picked).collect::<Map<_, _>>().into()])
        }
        Print::Brief if !is_refused => {
            answer.headers.clear();
            values.first().and_then(version).map_or(Body::Nothing, |version| Body::Json(vec![version]))
        }
        Print::Names if !is_refused => Body::Json(values.iter().map(named).collect()),
        _ => return,
    };
}

/// The version of an object that was written.
fn version(object: &Value) -> Option<Value> {
    let metadata = object.get("metadata")?;
    Some(json!({"name": metadata.get("name")?, "resourceVersion": metadata.get("resourceVersion")?}))
}

fn named(value: &Value) -> Value {
    if is_event(value) {
        return named_event(value);
    }
    let Some(items) = value.get("items").and_then(Value::as_array) else { return value.clone() };
    let names: Vec<&Value> = items.iter().filter_map(|item| item.pointer("/metadata/name")).collect();
    json!({"items": names, "kind": value["kind"], "metadata": value["metadata"]})
}

/// A bookmark has no name, and an error almost no metadata.
fn named_event(event: &Value) -> Value {
    let object = &event["object"];
    let mut short = Map::from_iter([("type".to_owned(), event["type"].clone())]);
    if event["type"] == "ERROR" {
        short.insert("object".to_owned(), object.clone());
    }
    short.insert("kind".to_owned(), object["kind"].clone());
    for key in ["name", "resourceVersion", "annotations"] {
        if let Some(value) = object["metadata"].get(key) {
            short.insert(key.to_owned(), value.clone());
        }
    }
    short.into()
}
