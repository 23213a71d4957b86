//! Custom resources and the schemas of their definitions: what goes, what comes, what is refused.

use super::world::World;
use serde_json::{Value, json};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const FOOS: &str = "/apis/example.com/v1/namespaces/default/foos";

fn definition(spec: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}});
    json!({"metadata": {"name": "foos.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "foos", "kind": "Foo"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
    }})
}

async fn world(spec: &Value) -> World {
    let world = World::new();
    world.post(DEFINITIONS, definition(spec)).await.expect(201);
    world
}

fn foo(spec: &Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a"}, "spec": spec})
}

#[tokio::test]
async fn a_wrong_field_is_refused_in_the_servers_words() {
    let world = world(&json!({
        "int": {"type": "integer", "minimum": 1, "maximum": 9},
        "num": {"type": "number", "minimum": 0.5, "exclusiveMinimum": true, "multipleOf": 0.5},
        "str": {"type": "string", "minLength": 2, "maxLength": 4},
        "pat": {"type": "string", "pattern": "^a+$"},
        "enum": {"type": "string", "enum": ["a", "b"]},
        "arr": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "integer"}},
        "obj": {"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "string"}},
        "req": {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        "date": {"type": "string", "format": "date-time"},
        "ios": {"x-kubernetes-int-or-string": true},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "map": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}, "v": {"type": "string"}}}},
        "emb": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
        "any": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "one": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "not": {"type": "object", "properties": {"a": {"type": "integer"}}, "not": {"required": ["a"]}},
    }))
    .await;
    let table = [
        (
            json!({"int": "x"}),
            "spec.int: Invalid value: \"string\": spec.int in body must be of type integer: \"string\"",
        ),
        (json!({"int": 0}), "spec.int: Invalid value: 0: spec.int in body should be greater than or equal to 1"),
        (json!({"int": 10}), "spec.int: Invalid value: 10: spec.int in body should be less than or equal to 9"),
        (json!({"num": 0.5}), "spec.num: Invalid value: 0.5: spec.num in body should be greater than 0.5"),
        (json!({"num": 0.7}), "spec.num: Invalid value: 0.7: spec.num in body should be a multiple of 0.5"),
        (json!({"str": "a"}), "spec.str: Invalid value: \"a\": spec.str in body should be at least 2 chars long"),
        (json!({"str": "abcde"}), "spec.str: Too long: may not be more than 4 bytes"),
        (json!({"pat": "b"}), "spec.pat: Invalid value: \"b\": spec.pat in body should match '^a+$'"),
        (json!({"enum": "c"}), "spec.enum: Unsupported value: \"c\": supported values: \"a\", \"b\""),
        (json!({"arr": []}), "spec.arr: Invalid value: 0: spec.arr in body should have at least 1 items"),
        (json!({"arr": [1, 2, 3]}), "spec.arr: Too many: 3: must have at most 2 items"),
        (json!({"obj": {}}), "spec.obj: Invalid value: 0: spec.obj in body should have at least 1 properties"),
        (json!({"req": {}}), "[spec.req.a: Required value, spec.req.b: Required value]"),
        (json!({"date": "x"}), "spec.date: Invalid value: \"x\": spec.date in body must be of type date-time: \"x\""),
        (
            json!({"ios": true}),
            "spec.ios: Invalid value: \"boolean\": spec.ios in body must be of type integer,string: \"boolean\"",
        ),
        (json!({"set": ["a", "b", "a"]}), "spec.set[2]: Duplicate value: \"a\""),
        (json!({"map": [{"k": "a"}, {"k": "a", "v": "x"}]}), "spec.map[1]: Duplicate value: {\"k\":\"a\"}"),
        (json!({"emb": {"metadata": {}}}), "[spec.emb.apiVersion: Required value, spec.emb.kind: Required value]"),
        (
            json!({"any": {}}),
            "[<nil>: Invalid value: \"\": \"spec.any\" must validate at least one schema (anyOf), spec.any.a: Required value]",
        ),
        (
            json!({"one": {"a": 1, "b": 2}}),
            "<nil>: Invalid value: \"\": \"spec.one\" must validate one and only one schema (oneOf). Found 2 valid alternatives",
        ),
        (json!({"not": {"a": 1}}), "<nil>: Invalid value: \"\": \"spec.not\" must not validate the schema (not)"),
    ];
    for (spec, expected) in table {
        let refused = world.post(FOOS, foo(&spec)).await.expect(422);
        assert_eq!(refused["message"], format!("Foo.example.com \"a\" is invalid: {expected}"), "{spec}");
    }
}

#[tokio::test]
async fn unknown_fields_go_with_a_word_and_defaults_come() {
    let world = world(&json!({"a": {"type": "string"}, "d": {"type": "integer", "default": 3}})).await;
    let sent = foo(&json!({"a": "x", "nope": 1})).to_string().into_bytes();
    let reply = world.send("POST", FOOS, &[], sent.clone()).await;
    assert_eq!(reply.headers["warning"], "299 - \"unknown field \\\"spec.nope\\\"\"");
    assert_eq!(reply.expect(201)["spec"], json!({"a": "x", "d": 3}));
    let refused = world.send("PUT", &format!("{FOOS}/a?fieldValidation=Strict"), &[], sent).await.expect(400);
    let message =
        "Foo in version \"v1\" cannot be handled as a Foo: strict decoding error: unknown field \"spec.nope\"";
    assert_eq!(refused["message"], message);
}

#[tokio::test]
async fn a_schema_that_is_not_structural_is_refused() {
    let world = World::new();
    let at = "spec.validation.openAPIV3Schema.properties[spec].properties[a]";
    let table = [
        (json!({}), "type: Required value: must not be empty for specified object fields"),
        (json!({"type": "array"}), "items: Required value: must be specified"),
        (
            json!({"type": "array", "items": {}}),
            "items.type: Required value: must not be empty for specified array items",
        ),
        (
            json!({"type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
            "additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
        ),
        (
            json!({"type": "object", "anyOf": [{"type": "object"}]}),
            "anyOf[0].type: Forbidden: must be empty to be structural",
        ),
        (
            json!({"type": "string", "default": 1}),
            "default: Invalid value: \"integer\":  in body must be of type string: \"integer\"",
        ),
        (
            json!({"type": "object", "default": {"x": 1}, "properties": {"b": {"type": "string"}}}),
            "default: Invalid value: {\"x\":1}: must not have unknown fields",
        ),
        (
            json!({"type": "string", "x-kubernetes-list-type": "set"}),
            "type: Invalid value: \"string\": must be array if x-kubernetes-list-type is specified",
        ),
        (
            json!({"type": "string", "pattern": "("}),
            "pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`",
        ),
    ];
    for (schema, expected) in table {
        let refused = world.post(DEFINITIONS, definition(&json!({"a": schema}))).await.expect(422);
        let name = "CustomResourceDefinition.apiextensions.k8s.io \"foos.example.com\" is invalid";
        assert_eq!(refused["message"], format!("{name}: {at}.{expected}"), "{schema}");
    }
}

#[tokio::test]
async fn what_was_wrong_before_may_stay_wrong() {
    let world = world(&json!({"a": {"type": "string"}, "b": {"type": "string"}})).await;
    world.post(FOOS, foo(&json!({"a": "long"}))).await.expect(201);
    let stored = world.get(&format!("{DEFINITIONS}/foos.example.com")).await.expect(200);
    let mut stricter = definition(&json!({"a": {"type": "string", "maxLength": 1}, "b": {"type": "string"}}));
    stricter["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
    world.put(&format!("{DEFINITIONS}/foos.example.com"), &stricter).await.expect(200);
    world.merge(&format!("{FOOS}/a"), json!({"spec": {"b": "x"}})).await.expect(200);
    world.merge(&format!("{FOOS}/a"), json!({"spec": {"a": "other"}})).await.expect(422);
}

#[tokio::test]
async fn what_was_stored_under_another_schema_is_read_by_the_one_there_is() {
    let world = world(&json!({"a": {"type": "string"}, "b": {"type": "string"}})).await;
    world.post(FOOS, foo(&json!({"a": "x", "b": "y"}))).await.expect(201);
    let path = format!("{DEFINITIONS}/foos.example.com");
    let stored = world.get(&path).await.expect(200);
    let mut changed = definition(&json!({"a": {"type": "string"}, "d": {"type": "integer", "default": 3}}));
    changed["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
    world.put(&path, &changed).await.expect(200);
    let read = world.get(&format!("{FOOS}/a")).await.expect(200);
    assert_eq!(read["spec"], json!({"a": "x", "d": 3}));
    assert_eq!(world.get(FOOS).await.expect(200)["items"][0]["spec"], read["spec"]);
}

#[tokio::test]
async fn objects_are_selected_by_the_fields_that_their_definition_names() {
    let world = World::new();
    let mut definition = definition(&json!({"color": {"type": "string"}, "size": {"type": "integer"}}));
    definition["spec"]["versions"][0]["selectableFields"] = json!([{"jsonPath": ".spec.color"}]);
    world.post(DEFINITIONS, definition).await.expect(201);
    for (name, color) in [("a", "red"), ("b", "blue")] {
        let mut object = foo(&json!({"color": color, "size": 1}));
        object["metadata"]["name"] = name.into();
        world.post(FOOS, object).await.expect(201);
    }
    let found = world.get(&format!("{FOOS}?fieldSelector=spec.color%3Dblue")).await.expect(200);
    let names: Vec<&Value> = found["items"].as_array().unwrap().iter().map(|it| &it["metadata"]["name"]).collect();
    assert_eq!(names, ["b"]);
    let refused = world.get(&format!("{FOOS}?fieldSelector=spec.size%3D1")).await.expect(400);
    assert_eq!(refused["message"], "field label not supported: spec.size");
}

#[tokio::test]
async fn what_a_write_leaves_as_it_was_may_stay_wrong_where_it_can_be_told_that_it_was() {
    let item =
        |size: Value| json!({"type": "object", "properties": {"k": {"type": "string"}, "v": size}, "required": ["k"]});
    let schema = |size: Value| {
        json!({
            "text": size,
            "other": {"type": "string"},
            "list": {"type": "array", "items": size, "x-kubernetes-list-type": "atomic"},
            "map": {"type": "array", "items": item(size.clone()), "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
            "any": {"type": "object", "additionalProperties": size},
            "object": {"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}}},
        })
    };
    let world = world(&schema(json!({"type": "string"}))).await;
    let spec = json!({
        "text": "aaaa", "list": ["aaaa"], "map": [{"k": "1", "v": "aaaa"}], "any": {"x": "aaaa"}, "object": {"x": "aaaa"},
    });
    world.post(FOOS, foo(&spec)).await.expect(201);
    let path = format!("{DEFINITIONS}/foos.example.com");
    let stored = world.get(&path).await.expect(200);
    let mut stricter = schema(json!({"type": "string", "maxLength": 3}));
    stricter["object"]["required"] = json!(["y"]);
    stricter["object"]["allOf"] = json!([{"properties": {"x": {"maxLength": 3}}}]);
    let mut changed = definition(&stricter);
    changed["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
    world.put(&path, &changed).await.expect(200);
    let too_long = "Too long: may not be more than 3 bytes";
    let all = "<nil>: Invalid value: \"\": \"spec.object\" must validate all the schemas (allOf). None validated";
    let table = [
        (json!({"metadata": {"labels": {"a": "b"}}}), None),
        (json!({"spec": {"other": "b"}}), None),
        (json!({"spec": {"any": {"y": "b"}}}), None),
        // Its place in the list does not matter, only its keys.
        (json!({"spec": {"map": [{"k": "0"}, {"k": "1", "v": "aaaa"}]}}), None),
        (json!({"spec": {"map": [{"k": "0"}, {"k": "2", "v": "aaaa"}]}}), Some(format!("spec.map[1].v: {too_long}"))),
        // Nobody can tell which item of an atomic list was which.
        (json!({"spec": {"list": ["aaaa", "b"]}}), Some(format!("spec.list[0]: {too_long}"))),
        (json!({"spec": {"object": {"x": "bbb"}}}), Some("spec.object.y: Required value".to_owned())),
        // An alternative judges the whole object.
        (json!({"spec": {"object": {"y": "b"}}}), Some(format!("[spec.object.x: {too_long}, {all}"))),
    ];
    for (patch, expected) in table {
        let answer = world.merge(&format!("{FOOS}/a?dryRun=All"), patch.clone()).await;
        match expected {
            None => assert_eq!(answer.code, 200, "{patch}: {}", answer.text),
            Some(why) => {
                assert_eq!(answer.code, 422, "{patch}");
                assert!(answer.message().contains(&why), "{patch}: {}", answer.message());
            }
        }
    }
}

#[tokio::test]
async fn an_embedded_object_says_what_it_is_even_where_a_write_leaves_it_as_it_was() {
    let mut schema = json!({"whole": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let world = world(&schema).await;
    world.post(FOOS, foo(&json!({"whole": {"a": "b"}}))).await.expect(201);
    let path = format!("{DEFINITIONS}/foos.example.com");
    schema["whole"]["x-kubernetes-embedded-resource"] = json!(true);
    let mut changed = definition(&schema);
    changed["metadata"]["resourceVersion"] = world.get(&path).await.expect(200)["metadata"]["resourceVersion"].clone();
    world.put(&path, &changed).await.expect(200);
    let refused = world.merge(&format!("{FOOS}/a"), json!({"metadata": {"labels": {"a": "b"}}})).await;
    let why = "[spec.whole.apiVersion: Required value, spec.whole.kind: Required value]";
    assert!(refused.message().ends_with(why), "{}", refused.message());
}
