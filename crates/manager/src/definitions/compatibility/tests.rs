//! Pairs of schemas, and what would break.

use super::*;

fn definition(versions: &Value) -> CustomResourceDefinition {
    let names = json!({"plural": "widgets", "kind": "Widget"});
    let spec = json!({"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions});
    serde_json::from_value(json!({"metadata": {"name": "widgets.example.com"}, "spec": spec})).unwrap()
}

fn version(name: &str, is_served: bool, is_storage: bool, schema: &Value) -> Value {
    json!({"name": name, "served": is_served, "storage": is_storage, "schema": {"openAPIV3Schema": schema}})
}

/// What breaks when the schema of `.a` changes.
#[track_caller]
fn check(old: &Value, new: &Value, expected: &[&str]) {
    let whole = |schema: &Value| {
        let object = json!({"type": "object", "properties": {"a": schema}});
        definition(&json!([version("v1", true, true, &object)]))
    };
    let found: Vec<_> = breaks(&whole(old), &whole(new)).iter().map(ToString::to_string).collect();
    let expected: Vec<_> = expected.iter().map(|text| format!("v1 .a{text}")).collect();
    assert_eq!(found, expected, "from {old} to {new}");
}

#[test]
fn what_accepts_more_breaks_nothing() {
    for (old, new) in [
        (json!({"type": "integer"}), json!({"type": "number"})),
        (json!({"type": "string"}), json!({"x-kubernetes-int-or-string": true})),
        (json!({"type": "string", "enum": ["a"]}), json!({"type": "string", "enum": ["a", "b"]})),
        (json!({"type": "string", "maxLength": 3, "pattern": "a"}), json!({"type": "string", "maxLength": 4})),
        (
            json!({"type": "object", "required": ["b"]}),
            json!({"type": "object", "properties": {"c": {"type": "string"}}}),
        ),
        (json!({"type": "object"}), json!({"x-kubernetes-preserve-unknown-fields": true})),
    ] {
        check(&old, &new, &[]);
    }
    let with_default =
        json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "string", "default": "x"}}});
    check(&json!({"type": "object"}), &with_default, &[]);
}

#[test]
fn what_accepts_less_is_named_with_its_place() {
    let string = |more: Value| {
        let mut schema = json!({"type": "string"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    check(&json!({"type": "string"}), &json!({"type": "integer"}), &[": the type changes from string to integer"]);
    check(&json!({"type": "number"}), &json!({"type": "integer"}), &[": the type changes from number to integer"]);
    check(&string(json!({"nullable": true})), &string(json!({})), &[": null is not accepted any more"]);
    let enumerated = string(json!({"enum": ["x", "y"]}));
    check(&enumerated, &string(json!({"enum": ["x"]})), &[": \"y\" is not accepted any more"]);
    check(&string(json!({})), &enumerated, &[": only \"x\", \"y\" are accepted from now on"]);
    check(&string(json!({})), &string(json!({"pattern": "^a"})), &[": pattern \"^a\" is checked from now on"]);
    check(&string(json!({"maxLength": 9})), &string(json!({"maxLength": 5})), &[": maxLength is 5, was 9"]);
    check(&string(json!({})), &string(json!({"minLength": 1})), &[": minLength is 1"]);
    let rule = string(json!({"x-kubernetes-validations": [{"rule": "self != ''"}]}));
    check(&string(json!({})), &rule, &[": x-kubernetes-validations differs, and may refuse what was accepted"]);
}

#[test]
fn fields_that_go_or_become_required_are_named_at_any_depth() {
    let items = |schema: Value| json!({"type": "array", "items": {"type": "object", "properties": schema}});
    let removed = ["[].size: the field is removed: stored values are dropped"];
    check(&items(json!({"size": {"type": "integer"}})), &items(json!({})), &removed);
    let map =
        |required: Value| json!({"type": "object", "additionalProperties": {"type": "object", "required": required}});
    let required = [".*.b: the field is required from now on, and has no default"];
    check(&map(json!([])), &map(json!(["b"])), &required);
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    check(&open, &json!({"type": "object"}), &[": fields without a schema are dropped from now on"]);
}

#[test]
fn a_version_that_is_no_longer_served_breaks_its_clients_and_its_objects_take_the_storage_schema() {
    let size = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    let old = definition(&json!([version("v1", true, true, &size), version("v2", true, false, &size)]));
    let unserved = definition(&json!([version("v1", false, false, &size), version("v2", true, true, &size)]));
    let text = |found: Vec<Break>| found.iter().map(ToString::to_string).collect::<Vec<_>>();
    let gone = "v1: the version is served and would not be any more: its clients fail";
    assert_eq!(text(breaks(&old, &unserved)), [gone]);
    let other = json!({"type": "object", "properties": {}});
    let removed = definition(&json!([version("v2", true, true, &other)]));
    let expected = [
        "v1: the version is served and would be removed: its clients fail",
        "v1 .size: the field is removed: stored values are dropped",
        "v2 .size: the field is removed: stored values are dropped",
    ];
    assert_eq!(text(breaks(&old, &removed)), expected);
    assert_eq!(breaks(&old, &old), []);
}
