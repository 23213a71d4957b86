//! Structural schemas: what the API server accepts as the schema of a custom resource, made from what schemars writes.
//!
//! In: the JSON Schema of a Rust type, with every subschema inlined. Out: a schema in which each node has exactly one
//! type, `null` is a flag and not a type, and what differs between the variants of an enum stands beside them
//! instead of inside them (`schema/variants.rs`).
//! The invariant: a schema that leaves here is structural. What cannot be made so is an error, or a panic, that names
//! every offending field and what to do about each, because a wrong schema would be refused by the server much later, or
//! worse, accepted and prune the user's data. Kinds of problems: `schema/problem.rs`. The way from a Rust type to
//! `JSONSchemaProps`: `schema/structural.rs`.

mod optional;
mod problem;
pub mod structural;
mod variants;

use schemars::Schema;
use schemars::transform::Transform;
use serde_json::{Map, Value};

pub use self::optional::{OptionalEnum, OptionalIntOrString};
use self::problem::{Problem, Problems};

/// A schemars transform that makes a schema structural.
///
/// It expects inlined subschemas; [`structural::schema_for`] sets schemars up that way.
///
/// # Panics
///
/// When a part of the schema has no structural form. The message names each such field and its remedy.
#[derive(Clone, Copy, Debug, Default)]
pub struct StructuralSchemaRewriter;

impl Transform for StructuralSchemaRewriter {
    fn transform(&mut self, schema: &mut Schema) {
        let schema = schema.ensure_object();
        let mut problems = Problems::default();
        rewrite(schema, "", &mut problems);
        let title = schema.get("title").and_then(Value::as_str).unwrap_or("a custom resource");
        assert!(problems.is_empty(), "{}", problems.about(title));
    }
}

/// A JSON Schema that is an object, as all but `true` and `false` are.
type Node = Map<String, Value>;

/// Makes one node and everything below it structural, or says why that cannot be.
fn rewrite(node: &mut Node, path: &str, problems: &mut Problems) {
    variants::take_null_out(node);
    make_null_a_flag(node);
    rewrite_children(node, path, problems);
    let_optional_int_or_string_be_null(node);
    variants::hoist(node, path, problems);
    settle_additional_properties(node, path, problems);
    drop_what_the_server_does_not_read(node);
    refuse_what_has_no_structural_form(node, path, problems);
}

/// `type: [string, "null"]` becomes `type: string, nullable: true`; `const` becomes an enum of one.
fn make_null_a_flag(node: &mut Node) {
    if let Some(Value::Array(types)) = node.get_mut("type") {
        let before = types.len();
        types.retain(|one| one != "null");
        let had_null = types.len() < before;
        if let [only] = types.as_slice() {
            let only = only.clone();
            node.insert("type".to_owned(), only);
        }
        if had_null {
            node.insert("nullable".to_owned(), Value::Bool(true));
        }
    }
    if let Some(value) = node.remove("const") {
        node.insert("enum".to_owned(), Value::Array(vec![value]));
    }
}

fn rewrite_children(node: &mut Node, path: &str, problems: &mut Problems) {
    if let Some(Value::Object(properties)) = node.get_mut("properties") {
        for (name, property) in properties {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            rewrite_child(property, &path, problems);
        }
    }
    if let Some(items) = node.get_mut("items").filter(|items| !items.is_array()) {
        rewrite_child(items, &format!("{path}[*]"), problems);
    }
    // `true` says "any value" and is structural as it stands.
    if let Some(values) = node.get_mut("additionalProperties").filter(|values| values.is_object()) {
        if values.as_object().is_some_and(Map::is_empty) {
            *values = Value::Bool(true);
        } else {
            rewrite_child(values, &format!("{path}.*"), problems);
        }
    }
}

/// schemars takes a schema without a type as one that allows `null` already, so an `Option` of it leaves no trace but
/// not being required.
fn let_optional_int_or_string_be_null(node: &mut Node) {
    let required = node.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = node.get_mut("properties") else {
        return;
    };
    for (name, property) in properties {
        if let (false, Some(property)) = (required.iter().any(|one| one == name), property.as_object_mut())
            && property.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true))
        {
            property.insert("nullable".to_owned(), Value::Bool(true));
        }
    }
}

fn rewrite_child(child: &mut Value, path: &str, problems: &mut Problems) {
    if let Value::Bool(_) = child {
        *child = Value::Object(Node::new());
    }
    if let Value::Object(node) = child {
        rewrite(node, path, problems);
    }
}

/// The server prunes unknown fields by itself, and takes either named properties or a map, not both.
fn settle_additional_properties(node: &mut Node, path: &str, problems: &mut Problems) {
    let is_named = node.get("properties").and_then(Value::as_object).is_some_and(|properties| !properties.is_empty());
    match node.get("additionalProperties") {
        Some(Value::Bool(false)) if node.contains_key("patternProperties") => return,
        Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) if is_named => {
            node.insert("x-kubernetes-preserve-unknown-fields".to_owned(), Value::Bool(true));
        }
        Some(_) if is_named => return problems.add(path, Problem::MapBesideProperties),
        _ => return,
    }
    node.remove("additionalProperties");
}

fn drop_what_the_server_does_not_read(node: &mut Node) {
    // The server refuses `uniqueItems: true` because the check is quadratic; a set stays a plain list.
    node.remove("uniqueItems");
    // No default at all is what `null` says.
    if node.get("default").is_some_and(Value::is_null) {
        node.remove("default");
    }
    if node.get("unevaluatedProperties") == Some(&Value::Bool(false)) {
        node.remove("unevaluatedProperties");
    }
    node.retain(|key, _| !ANNOTATIONS.contains(&key.as_str()) && (!key.starts_with("x-") || is_kubernetes(key)));
    if let Some(Value::Array(required)) = node.get_mut("required") {
        required.sort_by(|left, right| left.as_str().cmp(&right.as_str()));
    }
}

fn refuse_what_has_no_structural_form(node: &Node, path: &str, problems: &mut Problems) {
    if node.contains_key("$ref") {
        return problems.add(path, Problem::Recursive);
    }
    if node.contains_key("patternProperties") {
        return problems.add(path, Problem::MapKeys);
    }
    if node.get("items").is_some_and(Value::is_array) || node.contains_key("prefixItems") {
        return problems.add(path, Problem::Tuple);
    }
    for keyword in ["allOf", "not"] {
        if node.get(keyword).is_some_and(|value| !variants::only_validates(value)) {
            problems.add(path, Problem::Keyword(keyword.to_owned()));
        }
    }
    for (keyword, value) in node {
        if !is_known(keyword) || (keyword.starts_with("exclusive") && !value.is_boolean()) {
            problems.add(path, Problem::Keyword(keyword.clone()));
        }
    }
    if !has_one_type(node) && !problems.mention(path) {
        problems.add(path, Problem::NoType);
    }
}

fn has_one_type(node: &Node) -> bool {
    let is_set = |flag: &str| node.get(flag) == Some(&Value::Bool(true));
    node.get("type").is_some_and(|one| one.is_string() && one != "null")
        || is_set("x-kubernetes-int-or-string")
        || is_set("x-kubernetes-preserve-unknown-fields")
}

fn is_known(keyword: &str) -> bool {
    KEYWORDS.contains(&keyword) || is_kubernetes(keyword)
}

fn is_kubernetes(keyword: &str) -> bool {
    keyword.starts_with("x-kubernetes-")
}

/// What schemars may write that says nothing about which values are valid.
const ANNOTATIONS: &[&str] = &[
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "components",
    "contentEncoding",
    "contentMediaType",
    "definitions",
    "deprecated",
    "examples",
    "readOnly",
    "writeOnly",
];

/// What the API server reads, Kubernetes' own extensions aside.
const KEYWORDS: &[&str] = &[
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];

#[cfg(test)]
mod tests;
