//! What becomes what: the properties of a spec, and the types they get.

use crate::{generator, types_of, widget, widget_with};

#[track_caller]
fn check(properties: &str, expected: &str) {
    let expected = expected.trim().to_owned() + "\n";
    let found = types_of(properties);
    assert!(found == expected, "{properties}\n{found}\nis not\n{expected}");
}

/// The type of one property that is not required.
#[track_caller]
fn check_type(schema: &str, expected: &str) {
    let found = types_of(&format!("{{x: {schema}}}"));
    let field = found.lines().find_map(|line| line.trim().strip_prefix("pub x: ")).expect("there is a field");
    assert_eq!(field.trim_end_matches(','), expected, "{schema}");
}

#[test]
fn scalars_have_the_types_of_their_formats() {
    for (schema, expected) in [
        ("{type: string}", "Option<String>"),
        ("{type: string, format: date}", "Option<String>"),
        ("{type: string, format: date-time}", "Option<Time>"),
        ("{type: string, format: byte}", "Option<ByteString>"),
        ("{type: boolean}", "Option<bool>"),
        ("{type: integer}", "Option<i64>"),
        ("{type: integer, format: int32}", "Option<i32>"),
        ("{type: integer, format: int64}", "Option<i64>"),
        ("{type: integer, format: uint8}", "Option<u8>"),
        ("{type: integer, format: uint64}", "Option<u64>"),
        ("{type: integer, enum: [1, 2]}", "Option<i64>"),
        ("{type: number}", "Option<f64>"),
        ("{type: number, format: float}", "Option<f32>"),
        ("{type: number, format: double}", "Option<f64>"),
        ("{x-kubernetes-int-or-string: true}", "Option<IntOrString>"),
        ("{x-kubernetes-int-or-string: true, pattern: '^[0-9]+%$'}", "Option<IntOrString>"),
        (
            r"{x-kubernetes-int-or-string: true, pattern: '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$'}",
            "Option<Quantity>",
        ),
    ] {
        check_type(schema, expected);
    }
}

#[test]
fn containers_are_lists_maps_and_values() {
    for (schema, expected) in [
        ("{type: array, items: {type: string}}", "Option<Vec<String>>"),
        ("{type: array, items: {type: array, items: {type: integer, format: int32}}}", "Option<Vec<Vec<i32>>>"),
        ("{type: array, items: {type: string, nullable: true}}", "Option<Vec<Option<String>>>"),
        ("{type: object, additionalProperties: {type: string}}", "Option<BTreeMap<String, String>>"),
        ("{additionalProperties: {type: string}}", "Option<BTreeMap<String, String>>"),
        (
            "{type: object, additionalProperties: {type: boolean, nullable: true}}",
            "Option<BTreeMap<String, Option<bool>>>",
        ),
        ("{type: object, additionalProperties: true}", "Option<BTreeMap<String, serde_json::Value>>"),
        ("{type: object, x-kubernetes-preserve-unknown-fields: true}", "Option<BTreeMap<String, serde_json::Value>>"),
        ("{x-kubernetes-preserve-unknown-fields: true}", "Option<serde_json::Value>"),
        ("{type: object}", "Option<WidgetX>"),
        ("{type: object, additionalProperties: false}", "Option<WidgetX>"),
        (
            "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
            "Option<RawExtension>",
        ),
    ] {
        check_type(schema, expected);
    }
}

#[test]
fn a_field_is_optional_nullable_or_has_its_default() {
    check(
        "{a: {type: string}, b: {type: string, nullable: true}, c: {type: string}, d: {type: integer, default: 0}, \
         e: {type: integer, default: 5}, f: {type: string, nullable: true, default: x}}, required: [b, c]",
        r#"
pub struct WidgetSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    pub b: Option<String>,
    pub c: String,
    #[serde(default)]
    pub d: i64,
    #[serde(default = "WidgetSpec::default_e")]
    pub e: i64,
    #[serde(default = "WidgetSpec::default_f")]
    pub f: Option<String>,
}

impl WidgetSpec {
    fn default_e() -> i64 {
        5
    }

    fn default_f() -> Option<String> {
        Some("x".to_owned())
    }
}

impl Default for WidgetSpec {
    fn default() -> Self {
        Self {
            a: Default::default(),
            b: Default::default(),
            c: Default::default(),
            d: Default::default(),
            e: Self::default_e(),
            f: Self::default_f(),
        }
    }
}"#,
    );
}

#[test]
fn a_default_of_an_object_is_completed_by_the_defaults_in_it() {
    check(
        "{a: {type: object, default: {b: 2}, required: [e], properties: {b: {type: integer}, c: {type: boolean, default: true}, \
         d: {type: string}, e: {type: string, enum: [x, Z], default: Z}}}}",
        r#"
pub struct WidgetSpec {
    #[serde(default = "WidgetSpec::default_a")]
    pub a: WidgetA,
}

impl WidgetSpec {
    fn default_a() -> WidgetA {
        WidgetA { b: Some(2), c: WidgetA::default_c(), d: None, e: Default::default() }
    }
}

impl Default for WidgetSpec {
    fn default() -> Self {
        Self {
            a: Self::default_a(),
        }
    }
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct WidgetA {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<i64>,
    #[serde(default = "WidgetA::default_c")]
    pub c: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub d: Option<String>,
    #[serde(default)]
    pub e: WidgetAE,
}

impl WidgetA {
    fn default_c() -> bool {
        true
    }
}

impl Default for WidgetA {
    fn default() -> Self {
        Self {
            b: Default::default(),
            c: Self::default_c(),
            d: Default::default(),
            e: Default::default(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub enum WidgetAE {
    #[serde(rename = "x")]
    X,
    #[default]
    Z,
}"#,
    );
}

#[test]
fn a_struct_with_a_required_enum_or_time_has_no_default() {
    let source = types_of("{a: {type: object, required: [m], properties: {m: {type: string, enum: [x]}}}}");
    assert!(
        source.contains("#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]\npub struct WidgetA {"),
        "{source}"
    );
    let source = types_of("{a: {type: object, required: [t], properties: {t: {type: string, format: date-time}}}}");
    assert!(
        source.contains("#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]\npub struct WidgetA {"),
        "{source}"
    );
}

#[test]
fn names_of_types_follow_the_path_and_differ() {
    check(
        "{status: {type: object}, template: {type: object, properties: {spec: {type: object}}}, templateSpec: {type: object}}",
        r#"
pub struct WidgetSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<WidgetStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<WidgetTemplate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_spec: Option<WidgetSpecTemplateSpec>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct WidgetStatus {}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct WidgetTemplate {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<WidgetTemplateSpec>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct WidgetTemplateSpec {}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct WidgetSpecTemplateSpec {}"#,
    );
    // The name of the kind's own status is not free.
    let text = widget_with(
        "{type: object, properties: {spec: {type: object, properties: {status: {type: object}}}, status: {type: object}}}",
    );
    let source = generator(&text).generate().unwrap_or_else(|error| panic!("{error}"));
    assert!(source.contains("pub status: Option<WidgetSpecStatus>,"), "{source}");
    assert!(source.contains("status = \"WidgetStatus\""), "{source}");
}

#[test]
fn unknown_fields_beside_known_ones_are_kept_apart() {
    check(
        "{a: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {other: {type: string}}}}",
        r#"
pub struct WidgetSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<WidgetA>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct WidgetA {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    #[serde(flatten)]
    pub other_2: BTreeMap<String, serde_json::Value>,
}"#,
    );
}

#[test]
fn only_conditions_with_everything_required_are_the_library_type() {
    let condition = |required: &str, format: &str| {
        format!(
            "{{type: array, items: {{type: object, required: [{required}], properties: {{lastTransitionTime: {{type: string{format}}}, \
             message: {{type: string}}, reason: {{type: string}}, status: {{type: string}}, type: {{type: string}}}}}}}}"
        )
    };
    let all = "lastTransitionTime, message, reason, status, type";
    for (required, format, expected) in [
        (all, ", format: date-time", "Option<Vec<Condition>>"),
        ("status, type", ", format: date-time", "Option<Vec<WidgetConditions>>"),
        (all, "", "Option<Vec<WidgetConditions>>"),
    ] {
        let source = types_of(&format!("{{conditions: {}}}", condition(required, format)));
        assert!(source.contains(&format!("pub conditions: {expected},")), "{source}");
    }
}

#[test]
fn the_kind_has_everything_that_its_definition_has() {
    let text = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: string-things.example.com}
spec:
  group: example.com
  names: {kind: String, plural: string-things, singular: str, shortNames: [s], categories: [all]}
  scope: Cluster
  versions:
  - name: v1
    served: false
    storage: true
    deprecated: true
    additionalPrinterColumns: [{name: A, type: string, jsonPath: '.spec[\"a\"]', description: Why., format: byte, priority: 1}]
    selectableFields: [{jsonPath: .spec.a}]
    subresources: {status: {}, scale: {specReplicasPath: .spec.n, statusReplicasPath: .status.n, labelSelectorPath: .status.s}}
    schema: {openAPIV3Schema: {type: object, description: A text., properties: {spec: {type: object}, status: {type: object}}}}
";
    let source = generator(text).generate().unwrap_or_else(|error| panic!("{error}"));
    let attributes: Vec<&str> = source.lines().filter_map(|line| line.trim().strip_prefix("#[kube(")).collect();
    assert_eq!(
        attributes,
        [
            r#"group = "example.com", version = "v1", kind = "String", plural = "string-things")]"#,
            r#"root = "StringObject", singular = "str", shortname = "s", category = "all")]"#,
            r#"optional_spec, status = "StringStatus")]"#,
            r#"scale(spec_replicas_path = ".spec.n", status_replicas_path = ".status.n", label_selector_path = ".status.s"))]"#,
            r#"derive = "PartialEq", derive = "Default", schema = "disabled", doc = "A text.")]"#,
            r##"printcolumn = r#"{"description":"Why.","format":"byte","jsonPath":".spec[\"a\"]","name":"A","priority":1,"type":"string"}"#)]"##,
            r#"selectable = ".spec.a", served = false, deprecated)]"#,
        ]
    );
}

#[test]
fn a_schema_that_allows_anything_still_has_spec_and_status() {
    let text = widget_with("{type: object, x-kubernetes-preserve-unknown-fields: true}");
    let source = generator(&text).generate().unwrap_or_else(|error| panic!("{error}"));
    for expected in
        ["optional_spec", "status = \"WidgetStatus\"", "pub struct WidgetSpec {", "pub struct WidgetStatus {"]
    {
        assert!(source.contains(expected), "{source}");
    }
    assert_eq!(source.matches("pub other: BTreeMap<String, serde_json::Value>,").count(), 2, "{source}");
}

#[test]
fn a_spec_that_is_a_map_or_a_list_is_a_field() {
    let map = generator(&widget("{type: object, additionalProperties: {type: string}}")).generate();
    let map = map.unwrap_or_else(|error| panic!("{error}"));
    assert!(map.contains("#[serde(flatten)]\n        pub other: BTreeMap<String, String>,"), "{map}");
    let list = generator(&widget("{type: array, items: {type: string}}")).generate();
    let list = list.unwrap_or_else(|error| panic!("{error}"));
    assert!(
        list.contains("no_spec") && list.contains("pub struct WidgetFields {\n        pub spec: Vec<String>,"),
        "{list}"
    );
}
