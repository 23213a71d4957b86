//! What the options change.

use pintle_types::{Generator, Maps, SchemaSource};

use crate::{generator, widget};

const SPEC: &str = "{type: object, description: A spec., required: [ratio], properties: {\
    ratio: {type: number}, \
    labels: {type: object, additionalProperties: {type: string}}, \
    selector: {type: object, properties: {matchLabels: {type: object, additionalProperties: {type: string}}, \
        matchExpressions: {type: array, items: {type: object, properties: {key: {type: string}}}}}}, \
    template: {type: object, x-kubernetes-preserve-unknown-fields: true}, \
    ports: {type: array, items: {type: object, properties: {name: {type: string}}}}}}";

/// Which of these are in the source, by the options.
#[track_caller]
fn check(options: impl FnOnce(Generator) -> Generator, present: &[&str], absent: &[&str]) {
    let source = options(generator(&widget(SPEC))).generate().unwrap_or_else(|error| panic!("{error}"));
    for expected in present {
        assert!(source.contains(expected), "{expected} is not in\n{source}");
    }
    for unexpected in absent {
        assert!(!source.contains(unexpected), "{unexpected} is in\n{source}");
    }
}

#[test]
fn without_options_the_types_need_no_schema() {
    let present = ["/// A spec.", "schema = \"disabled\"", "BTreeMap<String, String>", "use pintle::CustomResource;"];
    check(|it| it, &present, &["schemars", "HashMap", "LabelSelector", " Eq,"]);
}

#[test]
fn maps_docs_and_the_name_of_the_library_can_be_chosen() {
    check(|it| it.maps(Maps::HashMap), &["use std::collections::HashMap;", "HashMap<String, String>"], &["BTreeMap"]);
    check(Generator::without_docs, &["pub struct WidgetSpec"], &["A spec.", "/// `spec"]);
    check(|it| it.crate_name("kube"), &["use kube::CustomResource;"], &["pintle::"]);
}

#[test]
fn eq_is_derived_where_it_can_be() {
    let present = [
        "#[derive(CustomResource, Clone, Debug, Default, Deserialize, PartialEq, Serialize)]",
        "#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize, my::Trait)]",
    ];
    check(|it| it.derive("Eq").derive("PartialEq").derive("my::Trait"), &[present[1]], &[]);
    check(|it| it.derive("Eq"), &[present[0]], &[]);
}

#[test]
fn a_schema_is_the_original_or_derived() {
    check(
        |it| it.schema(SchemaSource::Original),
        &["schema = \"manual\"", "impl schemars::JsonSchema for Widget {", "\"description\": \"A spec.\""],
        &["use schemars::JsonSchema"],
    );
    check(
        |it| it.schema(SchemaSource::Derived),
        &["use schemars::JsonSchema;", "JsonSchema, PartialEq"],
        &["schema = "],
    );
}

#[test]
fn a_place_can_have_another_type_or_be_left_out() {
    let pod = "k8s_openapi::api::core::v1::PodTemplateSpec";
    check(|it| it.type_at("spec.template", pod), &[&format!("pub template: Option<{pod}>,")], &[]);
    check(|it| it.type_at(".spec.labels.*", "u8"), &["pub labels: Option<BTreeMap<String, u8>>,"], &[]);
    check(
        |it| it.type_at("Widget:spec.ports[*]", "my::Port"),
        &["pub ports: Option<Vec<my::Port>>,"],
        &["WidgetPorts"],
    );
    check(|it| it.elide("spec.ports"), &[], &["ports"]);
    check(Generator::well_known_types, &["pub selector: Option<LabelSelector>,"], &["WidgetSelector"]);
}

#[test]
fn versions_are_modules_and_so_are_kinds_if_there_are_several() {
    let two = widget(SPEC).replace(
        "versions: [",
        "versions: [{name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}, ",
    );
    let modules = |generator: Generator| {
        let source = generator.generate().unwrap_or_else(|error| panic!("{error}"));
        let modules = source.lines().filter_map(|line| line.split_once("pub mod "));
        modules.map(|(indent, name)| format!("{indent}{}", name.trim_end_matches(" {"))).collect::<Vec<_>>()
    };
    assert_eq!(modules(generator(&two)), ["v1"]);
    assert_eq!(modules(generator(&two).version("v2")), ["v2"]);
    assert_eq!(modules(generator(&two).all_versions()), ["v2", "v1"]);
    let other =
        two.replace("widgets.example.com", "widgets.other.org").replace("group: example.com", "group: other.org");
    let third = two.replace("widgets", "gadgets").replace("Widget", "Gadget");
    let all = format!("{two}---\n{other}---\n{third}---\n{third}");
    assert_eq!(
        modules(generator(&all)),
        ["gadget", "    v1", "widget_example_com", "    v1", "widget_other_org", "    v1"]
    );
}

#[test]
fn a_file_is_written_whole_and_only_if_it_changes() {
    let folder = std::env::temp_dir().join(format!("pintle-types-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let file = folder.join("widget.rs");
    generator(&widget(SPEC)).write(&file).unwrap_or_else(|error| panic!("{error}"));
    let before = std::fs::metadata(&file).and_then(|it| it.modified()).expect("it is there");
    generator(&widget(SPEC)).write(&file).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(std::fs::metadata(&file).and_then(|it| it.modified()).expect("it is there"), before);
    assert!(generator(&widget("{type: object}")).elide("spec.none").write(&file).is_err());
    assert!(std::fs::read_to_string(&file).expect("it is there").contains("pub struct WidgetPorts"));
    assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 1, "nothing else is left behind");
    let error = generator(&widget(SPEC)).write(folder.join("none/widget.rs")).expect_err("there is no such folder");
    assert!(error.to_string().contains("none/widget.rs"), "{error}");
    std::fs::remove_dir_all(folder).expect("it is ours");
}
