//! The variants of an enum: `oneOf` and `anyOf` made structural.
//!
//! In: a node whose alternatives schemars wrote as whole schemas. Out: the node with everything that describes data
//! (types, properties, names) standing beside the alternatives, which only say what is required. That is the one
//! form in which the API server takes them. An alternative `null` becomes the flag `nullable`.
//! What cannot be hoisted is reported, and the node is left alone.

use serde_json::Value;

use super::problem::{Problem, Problems};
use super::{Node, rewrite_child};

/// Turns an alternative `null` (an `Option` of an enum) into `nullable: true`.
pub(super) fn take_null_out(node: &mut Node) {
    // With properties beside it the alternative belongs to a flattened enum: `null` there is not the node's.
    if node.contains_key("properties") {
        return;
    }
    for keyword in ALTERNATIVES {
        let Some(Value::Array(alternatives)) = node.get_mut(keyword) else {
            continue;
        };
        let before = alternatives.len();
        alternatives.retain(|alternative| !is_null(alternative));
        if alternatives.len() == before {
            continue;
        }
        if let [Value::Object(only)] = alternatives.as_slice() {
            let only = only.clone();
            node.remove(keyword);
            absorb(node, only);
        }
        node.insert("nullable".to_owned(), Value::Bool(true));
    }
}

/// Moves what the alternatives say about data out of them.
pub(super) fn hoist(node: &mut Node, path: &str, problems: &mut Problems) {
    for keyword in ALTERNATIVES {
        let Some(alternatives) = node.get(keyword) else {
            continue;
        };
        // Alternatives that only validate are structural as they are; integer or string is the server's own exception.
        if only_validates(alternatives) || node.contains_key("x-kubernetes-int-or-string") {
            continue;
        }
        let Some(Value::Array(mut alternatives)) = node.remove(keyword) else {
            continue;
        };
        for alternative in &mut alternatives {
            // "Or nothing of these", as a flattened `Option` has it: there is nothing to rewrite, and nothing to refuse.
            if is_null(alternative) || alternative.as_object().is_none_or(Node::is_empty) {
                *alternative = Value::Object(Node::new());
            } else {
                rewrite_child(alternative, path, problems);
            }
        }
        if let Some(names) = names_of(&alternatives) {
            node.insert("type".to_owned(), Value::from("string"));
            node.insert("enum".to_owned(), Value::Array(names));
        } else if are_objects(keyword, &alternatives) {
            if keyword == "oneOf" {
                alternatives.iter_mut().for_each(describe_only_property);
            }
            hoist_properties(node, &mut alternatives, path, problems);
            node.insert(keyword.to_owned(), Value::Array(alternatives));
        } else {
            problems.add(path, Problem::MixedVariants);
        }
    }
}

/// Whether a schema says only which values are valid and nothing about their types, names or meaning.
pub(super) fn only_validates(schema: &Value) -> bool {
    match schema {
        Value::Array(schemas) => schemas.iter().all(only_validates),
        Value::Object(node) => node.iter().all(|(keyword, value)| match keyword.as_str() {
            "properties" => value.as_object().is_some_and(|properties| properties.values().all(only_validates)),
            "allOf" | "anyOf" | "items" | "not" | "oneOf" => only_validates(value),
            keyword => !DESCRIBING.contains(&keyword) && !super::is_kubernetes(keyword),
        }),
        _ => false,
    }
}

fn hoist_properties(node: &mut Node, alternatives: &mut [Value], path: &str, problems: &mut Problems) {
    let mut hoisted = match node.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Node::new(),
    };
    for alternative in alternatives.iter_mut().filter_map(Value::as_object_mut) {
        if let Some(Value::Object(properties)) = alternative.remove("properties") {
            for (name, property) in properties {
                if hoisted.get(&name).is_some_and(|known| *known != property) {
                    problems.add(path, Problem::VariantsDisagree(name));
                } else {
                    hoisted.insert(name, property);
                }
            }
        }
        for keyword in ["type", "description", "title"] {
            alternative.remove(keyword);
        }
    }
    if !alternatives.iter().all(only_validates) {
        problems.add(path, Problem::MixedVariants);
    }
    node.insert("type".to_owned(), Value::from("object"));
    node.insert("properties".to_owned(), Value::Object(hoisted));
}

/// Keeps the documentation of a variant, which is an object with the variant's name as its one property.
fn describe_only_property(alternative: &mut Value) {
    let Some(description) = alternative.get("description").cloned() else {
        return;
    };
    let Some(Value::Object(properties)) = alternative.get_mut("properties") else {
        return;
    };
    if let (1, Some(Value::Object(only))) = (properties.len(), properties.values_mut().next()) {
        only.insert("description".to_owned(), description);
    }
}

/// The names of an enum without data, if that is what the alternatives are.
fn names_of(alternatives: &[Value]) -> Option<Vec<Value>> {
    let mut names = Vec::new();
    for alternative in alternatives {
        if alternative.get("type")? != "string" {
            return None;
        }
        names.extend(alternative.get("enum")?.as_array()?.iter().cloned());
    }
    Some(names)
}

/// Lets the one alternative that is not `null` be the node itself.
fn absorb(node: &mut Node, mut only: Node) {
    // Which description stays follows kube, so that a definition does not change with the library: that of an enum
    // of names wins over the field's, that of an enum with data gives way even to none.
    let alternatives = ALTERNATIVES.iter().find_map(|keyword| only.get(*keyword)?.as_array());
    let is_names = alternatives.is_some_and(|alternatives| names_of(alternatives).is_some());
    if alternatives.is_some() && !is_names {
        only.remove("description");
    }
    // The rules of the type and those of the field both hold.
    if let Some(Value::Array(rules)) = only.get_mut(RULES)
        && let Some(Value::Array(more)) = node.remove(RULES)
    {
        rules.extend(more);
    }
    for (keyword, value) in only {
        if is_names || !node.contains_key(&keyword) {
            node.insert(keyword, value);
        }
    }
}

fn is_null(alternative: &Value) -> bool {
    let is_null_type = alternative.get("type").is_some_and(|one| one == "null");
    let is_null_only = alternative.get("enum").and_then(Value::as_array).is_some_and(|values| values == &[Value::Null]);
    is_null_type || (is_null_only && alternative.get("type").is_none())
}

/// Whether the node is an object whichever alternative holds.
///
/// An untagged enum of structs and plain values is one too, as in kube: the server then takes the structs only, which a
/// program may well be content with.
fn are_objects(keyword: &str, alternatives: &[Value]) -> bool {
    let is_open = |alternative: &Value| alternative.as_object().is_some_and(Node::is_empty);
    let is_plain = |alternative: &Value| {
        let kind = alternative.get("type").and_then(Value::as_str);
        keyword == "anyOf" && kind.is_some_and(|kind| ["boolean", "integer", "number", "string"].contains(&kind))
    };
    let fits = |alternative: &Value| is_object(alternative) || is_open(alternative) || is_plain(alternative);
    alternatives.iter().any(is_object) && alternatives.iter().all(fits)
}

fn is_object(alternative: &Value) -> bool {
    alternative.get("type").is_some_and(|one| one == "object")
}

const RULES: &str = "x-kubernetes-validations";

const ALTERNATIVES: [&str; 2] = ["oneOf", "anyOf"];

/// What describes data, and may therefore not stand inside an alternative.
const DESCRIBING: &[&str] =
    &["additionalProperties", "default", "description", "example", "nullable", "title", "type", "$ref"];
