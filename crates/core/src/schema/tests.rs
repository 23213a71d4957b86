//! What each shape of Rust type becomes: the structural form, or the panic that names field and remedy.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::structural::{schema_as_written, schema_for, try_schema_for};

/// One field `field` of type `T`, as in a spec.
#[derive(JsonSchema)]
#[schemars(rename = "Shape")]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Shape<T> {
    field: T,
}

fn schema_of<T: JsonSchema>() -> Value {
    let mut schema = serde_json::to_value(schema_for::<Shape<T>>()).unwrap();
    schema["properties"]["field"].take()
}

fn refusal_of<T: JsonSchema>() -> String {
    let panic = std::panic::catch_unwind(schema_for::<Shape<T>>).expect_err("there is no structural form");
    let message = *panic.downcast::<String>().expect("the message is formatted");
    assert_eq!(try_schema_for::<Shape<T>>().unwrap_err().to_string(), message);
    message
}

#[derive(JsonSchema, Serialize)]
struct Nested {
    /// The name.
    name: String,
    size: Option<u8>,
}

fn nested(extra: &Value) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "The name." },
            "size": { "type": "integer", "format": "uint8", "minimum": 0.0, "maximum": 255.0, "nullable": true },
        },
        "required": ["name"],
    });
    schema.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    schema
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Mode {
    Fast,
    Safe,
}

/// How it is done.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
enum DocumentedMode {
    /// In a hurry.
    Fast,
    /// With care.
    Safe,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Source {
    Inline(Nested),
    Remote { url: String },
}

#[test]
fn scalars_keep_their_formats_and_bounds() {
    assert_eq!(schema_of::<String>(), json!({ "type": "string" }));
    assert_eq!(schema_of::<bool>(), json!({ "type": "boolean" }));
    assert_eq!(schema_of::<u32>(), json!({ "type": "integer", "format": "uint32", "minimum": 0.0 }));
    assert_eq!(schema_of::<i64>(), json!({ "type": "integer", "format": "int64" }));
    assert_eq!(schema_of::<f64>(), json!({ "type": "number", "format": "double" }));
}

#[test]
fn an_option_is_the_plain_type_with_a_flag() {
    assert_eq!(schema_of::<Option<String>>(), json!({ "type": "string", "nullable": true }));
    assert_eq!(schema_of::<Option<Option<bool>>>(), json!({ "type": "boolean", "nullable": true }));
    assert_eq!(schema_of::<Option<Nested>>(), nested(&json!({ "nullable": true })));
    assert_eq!(
        schema_of::<Vec<Option<Nested>>>(),
        json!({ "type": "array", "items": nested(&json!({ "nullable": true })) })
    );
}

#[test]
fn structs_lists_and_maps_are_inlined() {
    assert_eq!(schema_of::<Nested>(), nested(&json!({})));
    assert_eq!(schema_of::<Vec<Nested>>(), json!({ "type": "array", "items": nested(&json!({})) }));
    assert_eq!(
        schema_of::<BTreeMap<String, Nested>>(),
        json!({ "type": "object", "additionalProperties": nested(&json!({})) })
    );
    assert_eq!(schema_of::<BTreeMap<String, Value>>(), json!({ "type": "object", "additionalProperties": true }));
    assert_eq!(schema_of::<BTreeSet<String>>(), json!({ "type": "array", "items": { "type": "string" } }));
}

#[test]
fn an_enum_of_names_is_a_string_with_choices() {
    assert_eq!(schema_of::<Mode>(), json!({ "type": "string", "enum": ["Fast", "Safe"] }));
    assert_eq!(
        schema_of::<Option<Mode>>(),
        json!({ "type": "string", "enum": ["Fast", "Safe", null], "nullable": true })
    );
    let documented = json!({ "type": "string", "enum": ["Fast", "Safe"], "description": "How it is done." });
    assert_eq!(schema_of::<DocumentedMode>(), documented);
    let mut optional = documented;
    optional["nullable"] = json!(true);
    assert_eq!(schema_of::<Option<DocumentedMode>>(), optional);
}

#[test]
fn the_properties_of_variants_stand_beside_them() {
    let expected = json!({
        "type": "object",
        "properties": {
            "Inline": nested(&json!({})),
            "Remote": { "type": "object", "properties": { "url": { "type": "string" } }, "required": ["url"] },
        },
        "oneOf": [{ "required": ["Inline"] }, { "required": ["Remote"] }],
    });
    assert_eq!(schema_of::<Source>(), expected);
    let mut optional = expected;
    optional["nullable"] = json!(true);
    assert_eq!(schema_of::<Option<Source>>(), optional);
}

#[test]
fn untagged_structs_may_be_flattened_or_stand_beside_plain_values() {
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum StructOrText {
        Struct { url: String },
        Text(String),
    }
    let object = json!({
        "type": "object",
        "properties": { "url": { "type": "string" } },
        "anyOf": [{ "required": ["url"] }, {}],
    });
    assert_eq!(schema_of::<StructOrText>(), object);

    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Place {
        Here { name: String },
        There { url: String },
    }
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Flat {
        size: bool,
        #[serde(flatten)]
        place: Option<Place>,
    }
    assert_eq!(
        schema_of::<Flat>(),
        json!({
            "type": "object",
            "properties": { "name": { "type": "string" }, "size": { "type": "boolean" }, "url": { "type": "string" } },
            "required": ["size"],
            "anyOf": [{ "required": ["name"] }, { "required": ["url"] }, {}],
        })
    );
}

#[test]
fn the_documentation_of_a_variant_is_that_of_its_property() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Documented {
        /// By its name.
        Named(String),
    }
    let schema = schema_of::<Documented>();
    assert_eq!(schema["properties"]["Named"], json!({ "type": "string", "description": "By its name." }));
    assert_eq!(schema["oneOf"], json!([{ "required": ["Named"] }]));
}

#[test]
fn an_integer_or_string_may_be_null_where_it_is_optional() {
    struct IntOrString;
    impl JsonSchema for IntOrString {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "IntOrString".into()
        }
        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({ "x-kubernetes-int-or-string": true })
        }
    }
    assert_eq!(schema_of::<IntOrString>(), json!({ "x-kubernetes-int-or-string": true }));
    assert_eq!(schema_of::<Option<IntOrString>>(), json!({ "x-kubernetes-int-or-string": true, "nullable": true }));
}

#[test]
fn unknown_fields_are_left_to_the_server() {
    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Strict {
        name: String,
    }
    assert_eq!(
        schema_of::<Strict>(),
        json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] })
    );

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Open {
        name: String,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }
    assert_eq!(
        schema_of::<Open>(),
        json!({
            "type": "object",
            "properties": { "name": { "type": "string" } },
            "required": ["name"],
            "x-kubernetes-preserve-unknown-fields": true,
        })
    );
}

#[test]
fn defaults_stay_unless_they_are_null() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Defaulted {
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        count: i64,
    }
    assert_eq!(
        schema_of::<Defaulted>(),
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "nullable": true },
                "count": { "type": "integer", "format": "int64", "default": 0 },
            },
        })
    );
}

#[test]
fn what_has_no_structural_form_is_refused_with_field_and_remedy() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Recursive {
        next: Option<Box<Recursive>>,
    }
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum NumberOrText {
        Number(i32),
        Text(String),
    }
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Mixed {
        Nothing,
        Something(String),
    }
    #[derive(JsonSchema)]
    #[serde(tag = "type")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Tagged {
        One { size: i32 },
        Two { name: String },
    }
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct MapBeside {
        name: String,
        #[serde(flatten)]
        rest: BTreeMap<String, String>,
    }
    let cases = [
        (refusal_of::<Value>(), "`field` accepts values of any type", "x-kubernetes-preserve-unknown-fields"),
        (refusal_of::<Vec<Value>>(), "`field[*]` accepts values of any type", "give it a type"),
        (refusal_of::<()>(), "`field` accepts values of any type", "give it a type"),
        (refusal_of::<(i32, String)>(), "`field` is a tuple", "use a struct"),
        (refusal_of::<BTreeMap<i32, String>>(), "`field` is a map whose keys", "use `String` keys"),
        (refusal_of::<Recursive>(), "`field.next` contains its own type", "schema_with"),
        (refusal_of::<NumberOrText>(), "`field` is an enum whose variants", "schema_with"),
        (refusal_of::<Mixed>(), "`field` is an enum whose variants", "give every variant data"),
        (refusal_of::<Tagged>(), "`field` is an enum with different schemas for `type`", "default representation"),
        (refusal_of::<MapBeside>(), "`field` flattens a map", "drop `#[serde(flatten)]`"),
    ];
    for (message, what, remedy) in cases {
        assert!(message.starts_with("the schema of Shape has no structural form"), "{message}");
        assert!(message.contains(what) && message.contains(remedy), "{message}");
    }
}

#[test]
fn every_problem_of_a_schema_is_reported_at_once() {
    let message = refusal_of::<(BTreeMap<i32, String>, Value)>();
    assert_eq!(message.matches("field `").count(), 1, "a tuple is named once: {message}");
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Two {
        anything: Value,
        pair: (i32, i32),
    }
    let message = refusal_of::<Two>();
    assert!(message.contains("`field.anything`") && message.contains("`field.pair`"), "{message}");
}

#[test]
fn a_schema_written_by_hand_is_taken_as_it_is() {
    struct Written;
    impl JsonSchema for Written {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Written".into()
        }
        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({ "properties": { "spec": { "type": "object" }, "any": {} } })
        }
    }
    assert_eq!(
        serde_json::to_value(schema_as_written::<Written>()).unwrap(),
        json!({ "title": "Written", "properties": { "spec": { "type": "object" }, "any": {} } })
    );
    assert!(try_schema_for::<Written>().is_err());
}
