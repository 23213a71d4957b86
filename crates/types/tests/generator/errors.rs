//! What cannot be generated is said with definition, version and path.

use pintle_types::Generator;

use crate::{generator, widget, widget_with};

#[track_caller]
fn check(generator: &Generator, expected: &str) {
    let error = generator.generate().expect_err("it cannot be generated").to_string();
    assert!(error.starts_with(expected), "{error}\ndoes not begin with\n{expected}");
}

#[test]
fn a_place_without_a_type_is_named() {
    let of = |properties: &str| generator(&widget(&format!("{{type: object, properties: {properties}}}")));
    for (properties, expected) in [
        ("{a: {}}", "`spec.a` has no type, and nothing says that it may be anything"),
        ("{a: {type: array, items: {description: x}}}", "`spec.a[*]` has no type"),
        ("{a: {type: object, additionalProperties: {anyOf: [{type: string}]}}}", "`spec.a.*` has no type"),
        ("{a: {type: array}}", "`spec.a` is an array, and nothing says of what"),
        ("{a: {type: text}}", "`spec.a` has the type \"text\", which OpenAPI does not have"),
        ("{a: {type: integer, default: x}}", "`spec.a` has the default \"x\", which is not of its type"),
        ("{a: {type: string, enum: [x], default: z}}", "`spec.a` has the default \"z\", which is not of its type"),
        (
            "{a: {type: object, default: {}, required: [b], properties: {b: {type: string}}}}",
            "`spec.a.b` is required, and a default around it does not have it",
        ),
    ] {
        check(&of(properties), &format!("widgets.example.com, version v1: {expected}"));
    }
    // The remedy works.
    let source = of("{a: {}}").type_at("spec.a", "serde_json::Value").generate();
    assert!(source.is_ok_and(|source| source.contains("pub a: Option<serde_json::Value>,")));
    assert!(of("{a: {}}").elide("spec.a").generate().is_ok());
}

#[test]
fn a_choice_that_fits_nothing_is_named() {
    let text = widget("{type: object}");
    check(&generator(&text).version("v3"), "the definition widgets.example.com has no version v3: it has v1");
    check(&generator(&text).elide("spec.none"), "no definition has a field at spec.none");
    check(&generator(&text).type_at("Other:spec", "u8"), "no definition has a field at Other:spec");
    check(&generator(""), "there is no CustomResourceDefinition in widget.yaml");
    check(&Generator::new(), "there is no CustomResourceDefinition in what was given");
    let without = widget_with("{}").replace(", schema: {openAPIV3Schema: {}}", "");
    check(&generator(&without), "widgets.example.com, version v1: there is no schema to generate types from");
    let status = widget_with("{type: object, properties: {status: {type: string}}}");
    check(&generator(&status), "widgets.example.com, version v1: `status` is not an object");
    let unstored = text.replace("storage: true", "storage: false");
    check(
        &generator(&unstored),
        "the definition widgets.example.com has no version that objects are stored in: it has v1",
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Generator::new().file("no/such/file.yaml").expect_err("it is not there").to_string();
    assert!(error.starts_with("cannot read no/such/file.yaml: "), "{error}");
}
