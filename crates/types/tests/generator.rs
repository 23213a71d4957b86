//! What is generated, as text. That it compiles and does what it should is a story of `pintle`
//! (`crates/pintle/tests/stories/generated_types.rs`), which is compiled with the files of `generated/`.

#[path = "generator/errors.rs"]
mod errors;
#[path = "generator/generated.rs"]
mod generated;
#[path = "generator/options.rs"]
mod options;
#[path = "generator/shapes.rs"]
mod shapes;

use pintle_types::Generator;

/// A definition with one version, whose spec has this schema.
pub(crate) fn widget(spec: &str) -> String {
    widget_with(&format!("{{type: object, required: [spec], properties: {{spec: {spec}}}}}"))
}

/// The same by the schema of the whole object.
pub(crate) fn widget_with(schema: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  names: {{kind: Widget, plural: widgets, singular: widget}}
  scope: Namespaced
  versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {schema}}}}}]
"
    )
}

/// The types of a spec with these properties, without what every kind has.
pub(crate) fn types_of(properties: &str) -> String {
    // More keywords of the spec may follow its properties.
    let text = widget(&format!("{{type: object, properties: {properties}}}"));
    let source = generator(&text).without_docs().generate().unwrap_or_else(|error| panic!("{error}"));
    let start = source.find("pub struct WidgetSpec").expect("there is a spec");
    let body = source[start..].trim_end().trim_end_matches('}').trim_end();
    body.lines().map(|line| line.strip_prefix("    ").unwrap_or(line).to_owned() + "\n").collect()
}

pub(crate) fn generator(text: &str) -> Generator {
    Generator::new().definitions("widget.yaml", text).unwrap_or_else(|error| panic!("{error}"))
}
