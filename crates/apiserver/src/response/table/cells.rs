//! What cells are made of: values found in an object, counted, joined and put into words.

use serde_json::Value;

use super::{age, path};
use crate::registry::subresources::selector;

/// How many entries a list or map has.
pub(super) fn count(object: &Value, path: &str) -> usize {
    match path::find(object, path).first() {
        Some(Value::Array(items)) => items.len(),
        Some(Value::Object(fields)) => fields.len(),
        _ => 0,
    }
}

/// A cell of a definition's column.
pub(super) fn of_path(kind: &str, found: &[&Value], now: i64) -> Value {
    let Some(first) = found.first().filter(|value| !value.is_null()) else {
        return Value::Null;
    };
    match kind {
        "integer" if first.is_i64() || first.is_u64() => (*first).clone(),
        "number" if first.is_number() => (*first).clone(),
        "boolean" if first.is_boolean() => (*first).clone(),
        "integer" | "number" | "boolean" => Value::Null,
        "date" => age::since(first, now).into(),
        // A cell shows one value, whatever else the path leads to.
        _ => text(first).into(),
    }
}

/// A value as it is printed.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The number at a pointer, zero where there is none.
pub(crate) fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

/// The text at a pointer, empty where there is none.
pub(crate) fn said<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The items of the list at a pointer.
pub(crate) fn items<'a>(object: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    object.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// Texts, with commas between them.
pub(crate) fn joined(texts: impl Iterator<Item = String>) -> Value {
    texts.collect::<Vec<_>>().join(",").into()
}

/// A text, or what stands for none.
pub(crate) fn or_none(text: String, none: &str) -> Value {
    if text.is_empty() { none.into() } else { text.into() }
}

/// A number or text, or what stands for none.
pub(crate) fn number_or(value: &Value, none: &str) -> Value {
    if value.is_null() { none.into() } else { text(value).into() }
}

/// The first few of many.
pub(crate) fn shortened(all: &[String], shown: usize) -> Value {
    match all.len().checked_sub(shown) {
        _ if all.is_empty() => "<none>".into(),
        Some(more) if more > 0 => format!("{} + {more} more...", all[..shown].join(",")).into(),
        _ => all.join(",").into(),
    }
}

/// Labels as `a=b,c=d`.
pub(crate) fn labels(labels: &Value) -> Value {
    let pairs = labels.as_object().into_iter().flatten().map(|(key, value)| format!("{key}={}", text(value)));
    or_none(pairs.collect::<Vec<_>>().join(","), "<none>")
}

/// A LabelSelector as text.
pub(crate) fn selector(selector: &Value) -> Value {
    or_none(selector::text(selector).unwrap_or_default(), "<none>")
}

/// A field of each container.
pub(super) fn containers(object: &Value, spec: &str, field: &str) -> Value {
    joined(
        items(object, &format!("{spec}/containers")).map(|container| said(container, &format!("/{field}")).to_owned()),
    )
}

/// How many replicas are ready, of how many.
pub(crate) fn ready_replicas(object: &Value) -> Value {
    format!("{}/{}", number(object, "/status/readyReplicas"), number(object, "/spec/replicas")).into()
}

/// Where a load balancer is reached.
pub(crate) fn load_balancer(object: &Value) -> Value {
    joined(items(object, "/status/loadBalancer/ingress").map(|place| {
        let address = said(place, "/ip");
        if address.is_empty() { said(place, "/hostname") } else { address }.to_owned()
    }))
}
