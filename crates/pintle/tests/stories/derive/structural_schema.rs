//! The rules that an API server has for structural schemas, implemented a second time: a check that is independent of the
//! code under test.

use serde_json::{Map, Value};

/// What the API server would refuse, with the path of each.
pub(super) fn violations(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, "", &mut found);
    if schema["type"] != "object" {
        found.push("the root is not an object".to_owned());
    }
    if let Some(metadata) = schema["properties"]["metadata"]["properties"].as_object() {
        let others = metadata.keys().filter(|name| *name != "name" && *name != "generateName");
        found.extend(others.map(|name| format!("metadata restricts {name}")));
    }
    found
}

fn check(schema: &Value, path: &str, found: &mut Vec<String>) {
    let Some(node) = schema.as_object() else {
        return found.push(format!("{path}: is not an object"));
    };
    let is_set = |flag: &str| node.get(flag) == Some(&Value::Bool(true));
    let is_int_or_string = is_set("x-kubernetes-int-or-string");
    if !node.get("type").is_some_and(Value::is_string)
        && !is_int_or_string
        && !is_set("x-kubernetes-preserve-unknown-fields")
    {
        found.push(format!("{path}: has no type"));
    }
    if is_set("x-kubernetes-embedded-resource") && node.get("type") != Some(&Value::from("object")) {
        found.push(format!("{path}: is an embedded resource and not an object"));
    }
    if node.contains_key("properties") && node.contains_key("additionalProperties") {
        found.push(format!("{path}: has properties and additionalProperties"));
    }
    for forbidden in ["$ref", "definitions", "$defs", "const", "patternProperties", "uniqueItems", "deprecated"] {
        if node.contains_key(forbidden) {
            found.push(format!("{path}: has {forbidden}"));
        }
    }
    children(node, |name, child| check(child, &format!("{path}.{name}"), found));
    alternatives(node, |keyword, child| {
        if !is_int_or_string {
            check_alternative(child, schema, &format!("{path}.{keyword}"), found);
        }
    });
}

/// Inside `allOf`, `anyOf`, `oneOf` and `not`, values are restricted and nothing is described.
fn check_alternative(schema: &Value, described: &Value, path: &str, found: &mut Vec<String>) {
    let Some(node) = schema.as_object() else {
        return found.push(format!("{path}: is not an object"));
    };
    let describing = ["type", "additionalProperties", "default", "nullable", "description", "title", "example"];
    for keyword in node.keys() {
        if describing.contains(&keyword.as_str()) || keyword.starts_with("x-kubernetes-") {
            found.push(format!("{path}: has {keyword}"));
        }
    }
    children(node, |name, child| {
        let outside = &described["properties"][name];
        if outside.is_null() {
            found.push(format!("{path}.{name}: is not described outside"));
        }
        check_alternative(child, outside, &format!("{path}.{name}"), found);
    });
    alternatives(node, |keyword, child| check_alternative(child, described, &format!("{path}.{keyword}"), found));
}

fn children(node: &Map<String, Value>, mut visit: impl FnMut(&str, &Value)) {
    for (name, child) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        visit(name, child);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(child) = node.get(keyword).filter(|child| !child.is_boolean()) {
            visit(keyword, child);
        }
    }
}

fn alternatives(node: &Map<String, Value>, mut visit: impl FnMut(&str, &Value)) {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for child in node.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            visit(keyword, child);
        }
    }
    if let Some(child) = node.get("not") {
        visit("not", child);
    }
}

#[test]
fn the_structural_checker_finds_each_violation() {
    use serde_json::json;
    let wrong = json!({
        "type": "object",
        "properties": {
            "anything": {},
            "map": { "type": "object", "properties": {}, "additionalProperties": { "type": "string" } },
            "choice": { "type": "object", "oneOf": [{ "type": "object", "properties": { "a": {} } }] },
            "metadata": { "type": "object", "properties": { "labels": { "type": "object" } } },
        },
    });
    let mut found = violations(&wrong);
    found.sort();
    assert_eq!(
        found,
        [
            ".anything: has no type",
            ".choice.oneOf.a: is not described outside",
            ".choice.oneOf: has type",
            ".map: has properties and additionalProperties",
            "metadata restricts labels",
        ]
    );
}
