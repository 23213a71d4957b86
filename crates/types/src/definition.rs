//! CustomResourceDefinitions, read from text.
//!
//! In: YAML or JSON with any number of documents. Out: the [`Definition`]s among them; lists are looked into, and what is
//! not a definition is passed over, so that the install manifest of an operator can be given as it is.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::Error;

/// What the generator reads of a CustomResourceDefinition.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Definition {
    pub(crate) metadata: Metadata,
    pub(crate) spec: DefinitionSpec,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) name: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct DefinitionSpec {
    pub(crate) group: String,
    pub(crate) names: Names,
    pub(crate) scope: String,
    pub(crate) versions: Vec<Version>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Names {
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) singular: Option<String>,
    #[serde(default)]
    pub(crate) short_names: Vec<String>,
    #[serde(default)]
    pub(crate) categories: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) served: bool,
    pub(crate) storage: bool,
    #[serde(default)]
    pub(crate) deprecated: bool,
    pub(crate) deprecation_warning: Option<String>,
    #[serde(default)]
    pub(crate) schema: Validation,
    #[serde(default)]
    pub(crate) additional_printer_columns: Vec<Column>,
    #[serde(default)]
    pub(crate) selectable_fields: Vec<SelectableField>,
    #[serde(default)]
    pub(crate) subresources: Subresources,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Validation {
    #[serde(rename = "openAPIV3Schema")]
    pub(crate) root: Option<Map<String, Value>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Column {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) type_: String,
    pub(crate) json_path: String,
    pub(crate) description: Option<String>,
    pub(crate) format: Option<String>,
    #[serde(default)]
    pub(crate) priority: i32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SelectableField {
    pub(crate) json_path: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Subresources {
    pub(crate) scale: Option<Scale>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scale {
    pub(crate) spec_replicas_path: String,
    pub(crate) status_replicas_path: String,
    pub(crate) label_selector_path: Option<String>,
}

/// All definitions in a text.
pub(crate) fn definitions_in(text: &str, source_name: &str) -> Result<Vec<Definition>, Error> {
    let mut definitions = Vec::new();
    for document in documents(text, source_name)? {
        collect(document, source_name, &mut definitions)?;
    }
    Ok(definitions)
}

fn collect(document: Value, source_name: &str, definitions: &mut Vec<Definition>) -> Result<(), Error> {
    let kind = document.get("kind").and_then(Value::as_str).unwrap_or_default();
    if kind != "CustomResourceDefinition" && kind.ends_with("List") {
        let Value::Object(mut list) = document else { return Ok(()) };
        // The items of a typed list do not repeat the kind.
        let is_typed = list.get("kind").is_some_and(|kind| kind == "CustomResourceDefinitionList");
        let api_version = list.get("apiVersion").cloned();
        let Some(Value::Array(items)) = list.remove("items") else { return Ok(()) };
        for mut item in items {
            if let (true, Value::Object(item)) = (is_typed, &mut item) {
                item.entry("kind").or_insert_with(|| "CustomResourceDefinition".into());
                item.entry("apiVersion").or_insert_with(|| api_version.clone().unwrap_or_default());
            }
            collect(item, source_name, definitions)?;
        }
    } else if kind == "CustomResourceDefinition" {
        definitions.push(definition(document, source_name)?);
    }
    Ok(())
}

fn definition(document: Value, source_name: &str) -> Result<Definition, Error> {
    let name = document.pointer("/metadata/name").and_then(Value::as_str).unwrap_or("without a name").to_owned();
    let wrong =
        |message: String| Error::Definition { source_name: source_name.to_owned(), definition: name.clone(), message };
    match document.get("apiVersion").and_then(Value::as_str) {
        Some("apiextensions.k8s.io/v1") => {}
        Some("apiextensions.k8s.io/v1beta1") => {
            let message = "it is of apiextensions.k8s.io/v1beta1, which no API server since Kubernetes 1.22 serves; \
                           convert it to apiextensions.k8s.io/v1, or read it from a cluster";
            return Err(wrong(message.to_owned()));
        }
        other => {
            let found = other.map_or_else(|| "missing".to_owned(), |other| format!("{other:?}"));
            return Err(wrong(format!("its apiVersion is {found}; it must be \"apiextensions.k8s.io/v1\"")));
        }
    }
    serde_json::from_value(document).map_err(|error| wrong(error.to_string()))
}

/// JSON is read as JSON, which is quicker than reading it as the YAML that it is, too.
fn documents(text: &str, source_name: &str) -> Result<Vec<Value>, Error> {
    if text.trim_start().starts_with('{')
        && let Ok(documents) = serde_json::Deserializer::from_str(text).into_iter().collect()
    {
        return Ok(documents);
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEPTH_MAX,
            max_nodes: NODES_MAX,
            max_events: NODES_MAX * 2,
            max_documents: DOCUMENTS_MAX,
        },
    };
    serde_saphyr::from_multiple_with_options(text, options)
        .map_err(|error| Error::Syntax { source_name: source_name.to_owned(), message: error.to_string() })
}

/// A pod template inside a custom resource is about 50 deep as a schema; a cluster's limit for objects is higher.
const DEPTH_MAX: usize = 256;

/// The definitions of the largest operators have about 100,000 nodes each, and a manifest has many.
const NODES_MAX: usize = 20_000_000;

/// Nobody has so many objects in one manifest.
const DOCUMENTS_MAX: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::definitions_in;

    const WIDGET: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true}]
";

    #[test]
    fn definitions_are_found_among_other_documents_and_in_lists_as_yaml_and_json() {
        let item = WIDGET.replace("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n", "");
        let indented = item.lines().map(|line| format!("  {line}\n")).collect::<String>().replacen("  ", "- ", 1);
        let json = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
            "metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Cluster",
            "names":{"kind":"Widget","plural":"widgets"},"versions":[]}}"#;
        for (text, count) in [
            (WIDGET.to_owned(), 1),
            (format!("---\n{WIDGET}---\napiVersion: v1\nkind: Namespace\n---\n---\n{WIDGET}"), 2),
            (format!("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\nitems:\n{indented}"), 1),
            (json.to_owned(), 1),
            (format!("{json}\n{json}"), 2),
            (format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{json}]}}"), 1),
            (String::new(), 0),
        ] {
            let found = definitions_in(&text, "a test").map(|found| found.len());
            assert_eq!(found.map_err(|error| error.to_string()), Ok(count), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_definition_is_said_with_its_name() {
        for (text, expected) in [
            (
                WIDGET.replace("k8s.io/v1", "k8s.io/v1beta1"),
                "the definition widgets.example.com in widget.yaml cannot be used: it is of apiextensions.k8s.io/v1beta1",
            ),
            (WIDGET.replace("apiVersion", "version"), "its apiVersion is missing"),
            (WIDGET.replace("  scope: Namespaced\n", ""), "missing field `scope`"),
            ("a: [".to_owned(), "widget.yaml is not YAML or JSON: "),
        ] {
            let error = definitions_in(&text, "widget.yaml").unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
