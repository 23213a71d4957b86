//! What operations take in their paths and queries.

use pintle_wire::facts::{Shape, Type};
use serde_json::{Map, Value, json};

use crate::catalog::kinds::Kind;

/// What every operation of a path takes.
pub(super) fn of_path(kind: &Kind, names: &[&str]) -> Vec<Value> {
    let namespace = kind.namespaced.then_some("namespace");
    names.iter().copied().chain(namespace).map(path_parameter).collect()
}

fn path_parameter(name: &str) -> Value {
    let description = match name {
        "path" => "what follows the path of the object",
        "namespace" => "the namespace of the object",
        _ => "the name of the object",
    };
    json!({
        "name": name, "in": "path", "required": true, "description": description,
        "schema": {"type": "string", "uniqueItems": true},
    })
}

/// The fields of a type as options.
pub(super) fn of_type(options: &Type) -> Vec<Value> {
    let simple = options.fields().iter().filter(|field| !matches!(field.name(), "apiVersion" | "kind"));
    let typed = simple.filter_map(|field| {
        let kind = match field.kind().shape() {
            Shape::String => "string",
            Shape::Bool => "boolean",
            Shape::Int32 | Shape::Int64 => "integer",
            _ => return None,
        };
        Some(in_query(field.name(), kind, &format!("the option {}", field.name())))
    });
    typed.collect()
}

/// Says of a path what all its operations take, once for all of them.
pub(super) fn hoist(item: &mut Map<String, Value>, mut common: Vec<Value>) {
    let mut lists = item.values().map(|operation| operation["parameters"].as_array().cloned().unwrap_or_default());
    let mut shared = lists.next().unwrap_or_default();
    lists.for_each(|list| shared.retain(|parameter| list.contains(parameter)));
    for operation in item.values_mut().filter_map(Value::as_object_mut) {
        let own = operation.get_mut("parameters").and_then(Value::as_array_mut);
        own.into_iter().for_each(|own| own.retain(|parameter| !shared.contains(parameter)));
        if operation.get("parameters").and_then(Value::as_array).is_some_and(Vec::is_empty) {
            operation.remove("parameters");
        }
    }
    common.append(&mut shared);
    common.sort_by_key(|parameter| parameter["name"].to_string());
    if !common.is_empty() {
        item.insert("parameters".to_owned(), common.into());
    }
}

/// An option that many operations take.
pub(super) fn query(name: &str) -> Value {
    let (kind, description) = match name {
        "allowWatchBookmarks" => ("boolean", "whether a watch also sends bookmarks"),
        "continue" => ("string", "where the page before ended"),
        "dryRun" => ("string", "All: everything is done but storing"),
        "fieldManager" => ("string", "who is written down as having set what is set"),
        "fieldSelector" => ("string", "which objects, by their fields"),
        "fieldValidation" => ("string", "what becomes of unknown fields: Ignore, Warn or Strict"),
        "force" => ("boolean", "whether fields are taken from those who manage them"),
        "ignoreStoreReadErrorWithClusterBreakingPotential" => ("boolean", "whether an object goes that cannot be read"),
        "gracePeriodSeconds" => ("integer", "how long the object may take to end"),
        "labelSelector" => ("string", "which objects, by their labels"),
        "limit" => ("integer", "how many objects a page has at most"),
        "orphanDependents" => ("boolean", "whether what the object owns stays; propagationPolicy says it better"),
        "pretty" => ("string", "whether the answer is indented"),
        "propagationPolicy" => ("string", "what becomes of what the object owns: Orphan, Background or Foreground"),
        "resourceVersion" => ("string", "how new the answer has to be"),
        "resourceVersionMatch" => ("string", "whether it may be newer"),
        "sendInitialEvents" => ("boolean", "whether a watch begins with what is there"),
        "shardSelector" => ("string", "which part of the objects, by a hash"),
        "timeoutSeconds" => ("integer", "how long a watch goes on at most"),
        _ => ("boolean", "whether changes are sent as they happen"),
    };
    in_query(name, kind, description)
}

fn in_query(name: &str, kind: &str, description: &str) -> Value {
    json!({"name": name, "in": "query", "description": description, "schema": {"type": kind, "uniqueItems": true}})
}

pub(super) const LIST_OPTIONS: &[&str] = &[
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
    "watch",
];

/// Of the options of lists and of deletes those that apply to both at once.
pub(super) const DELETE_COLLECTION_OPTIONS: &[&str] = &[
    "continue",
    "dryRun",
    "fieldSelector",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "labelSelector",
    "limit",
    "orphanDependents",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
];
