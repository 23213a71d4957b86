//! The definition of a custom resource with one version, from the facts that are known when it is compiled.
//!
//! In: a [`Definition`], whose every field is a constant, and a schema or none. Out: the `CustomResourceDefinition`
//! with everything left out that was not given, as kube writes it.

use std::collections::BTreeMap;
use std::fmt::Display;

pub use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceColumnDefinition, CustomResourceDefinitionNames, CustomResourceDefinitionSpec,
    CustomResourceDefinitionVersion, CustomResourceSubresourceScale, CustomResourceSubresourceStatus,
    CustomResourceSubresources, CustomResourceValidation, JSONSchemaProps, SelectableField,
};

pub use super::check::InvalidDefinition;
use super::check::checked;
use crate::metadata::ObjectMeta;

/// The facts of a custom resource with one version, everything but its schema.
#[derive(Clone, Copy, Debug, Default)]
pub struct Definition {
    /// The API group.
    pub group: &'static str,
    /// The version.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The name of the collection in URLs.
    pub plural: &'static str,
    /// The name of one object on the command line.
    pub singular: &'static str,
    /// Short names for the command line.
    pub shortnames: &'static [&'static str],
    /// Groups of kinds on the command line, such as `all`.
    pub categories: &'static [&'static str],
    /// Whether objects live in a namespace.
    pub scope: Scope,
    /// Whether `status` has an endpoint of its own.
    pub status: StatusSubresource,
    /// Where `scale` finds the number of replicas, if the kind has that endpoint.
    pub scale: Option<Scale>,
    /// What `kubectl get` shows.
    pub columns: &'static [Column],
    /// The paths of the fields that field selectors may name.
    pub selectable: &'static [&'static str],
    /// Annotations of the definition itself.
    pub annotations: &'static [(&'static str, &'static str)],
    /// Labels of the definition itself.
    pub labels: &'static [(&'static str, &'static str)],
    /// Whether the version is served.
    pub is_served: bool,
    /// Whether objects are stored in this version.
    pub is_stored: bool,
    /// Whether, and how, users of the version are warned.
    pub deprecation: Deprecation,
}

/// Whether the objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Scope {
    /// In the cluster as a whole.
    #[default]
    Cluster,
    /// Each in a namespace.
    Namespaced,
}

/// Whether a kind has the `status` subresource.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum StatusSubresource {
    /// There is none.
    #[default]
    Absent,
    /// It is served.
    Served,
}

/// The paths that the `scale` subresource reads and writes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Scale {
    /// The wanted number of replicas, under `.spec`.
    pub spec_replicas_path: &'static str,
    /// The present number of replicas, under `.status`.
    pub status_replicas_path: &'static str,
    /// The selector of the replicas, as a string.
    pub label_selector_path: Option<&'static str>,
}

/// One column of `kubectl get`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Column {
    /// The heading.
    pub name: &'static str,
    /// `integer`, `number`, `string`, `boolean` or `date`.
    pub type_: &'static str,
    /// The value's path in the object.
    pub json_path: &'static str,
    /// What the column means.
    pub description: Option<&'static str>,
    /// An OpenAPI format, such as `int32`.
    pub format: Option<&'static str>,
    /// Columns above 0 are shown only by `-o wide`.
    pub priority: Option<i32>,
}

/// Whether the users of a version are warned that it will go.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Deprecation {
    /// It stays.
    #[default]
    None,
    /// The server warns in its own words.
    Plain,
    /// The server warns in these words.
    Warning(&'static str),
}

impl Definition {
    /// The definition as the API server takes it.
    pub fn with_schema(self, schema: JSONSchemaProps) -> CustomResourceDefinition {
        self.with(Some(schema))
    }

    /// The definition of a kind that another program installs. The API server would refuse it.
    pub fn without_schema(self) -> CustomResourceDefinition {
        self.with(None)
    }

    /// The definition with a schema, if both are such as the API server takes them.
    ///
    /// # Errors
    ///
    /// Everything that it would refuse.
    pub fn try_with_schema(
        self,
        schema: Result<JSONSchemaProps, impl Display>,
    ) -> Result<CustomResourceDefinition, InvalidDefinition> {
        match schema {
            Ok(schema) => checked(self.with_schema(schema)),
            Err(problem) => Err(InvalidDefinition::with(&self.without_schema(), problem.to_string())),
        }
    }

    /// The definition of a kind that another program installs, if its names are valid for the API server.
    ///
    /// # Errors
    ///
    /// Everything that it would refuse, but for the missing schema.
    pub fn try_without_schema(self) -> Result<CustomResourceDefinition, InvalidDefinition> {
        checked(self.without_schema())
    }

    fn with(self, schema: Option<JSONSchemaProps>) -> CustomResourceDefinition {
        CustomResourceDefinition {
            metadata: ObjectMeta {
                name: Some(format!("{}.{}", self.plural, self.group)),
                annotations: map(self.annotations),
                labels: map(self.labels),
                ..ObjectMeta::default()
            },
            spec: CustomResourceDefinitionSpec {
                group: self.group.to_owned(),
                names: self.names(),
                scope: self.scope.as_str().to_owned(),
                versions: vec![self.only_version(schema)],
                ..CustomResourceDefinitionSpec::default()
            },
            status: None,
        }
    }

    fn names(self) -> CustomResourceDefinitionNames {
        CustomResourceDefinitionNames {
            kind: self.kind.to_owned(),
            plural: self.plural.to_owned(),
            singular: Some(self.singular.to_owned()),
            short_names: list(self.shortnames, |&name| name.to_owned()),
            categories: list(self.categories, |&name| name.to_owned()),
            ..CustomResourceDefinitionNames::default()
        }
    }

    fn only_version(self, schema: Option<JSONSchemaProps>) -> CustomResourceDefinitionVersion {
        let (deprecated, deprecation_warning) = match self.deprecation {
            Deprecation::None => (None, None),
            Deprecation::Plain => (Some(true), None),
            Deprecation::Warning(warning) => (Some(true), Some(warning.to_owned())),
        };
        CustomResourceDefinitionVersion {
            name: self.version.to_owned(),
            additional_printer_columns: list(self.columns, Column::definition),
            deprecated,
            deprecation_warning,
            schema: Some(CustomResourceValidation { open_api_v3_schema: schema }),
            selectable_fields: list(self.selectable, |&path| SelectableField { json_path: absolute(path) }),
            served: self.is_served,
            storage: self.is_stored,
            subresources: self.subresources(),
        }
    }

    fn subresources(self) -> Option<CustomResourceSubresources> {
        let status = (self.status == StatusSubresource::Served)
            .then(|| CustomResourceSubresourceStatus(serde_json::Value::Object(serde_json::Map::new())));
        let scale = self.scale.map(|scale| CustomResourceSubresourceScale {
            label_selector_path: scale.label_selector_path.map(str::to_owned),
            spec_replicas_path: scale.spec_replicas_path.to_owned(),
            status_replicas_path: scale.status_replicas_path.to_owned(),
        });
        (status.is_some() || scale.is_some()).then_some(CustomResourceSubresources { scale, status })
    }
}

impl Column {
    fn definition(&self) -> CustomResourceColumnDefinition {
        CustomResourceColumnDefinition {
            description: self.description.map(str::to_owned),
            format: self.format.map(str::to_owned),
            json_path: self.json_path.to_owned(),
            name: self.name.to_owned(),
            priority: self.priority,
            type_: self.type_.to_owned(),
        }
    }
}

impl Scope {
    fn as_str(self) -> &'static str {
        match self {
            Self::Cluster => "Cluster",
            Self::Namespaced => "Namespaced",
        }
    }
}

fn list<T, U>(items: &[T], convert: impl FnMut(&T) -> U) -> Option<Vec<U>> {
    (!items.is_empty()).then(|| items.iter().map(convert).collect())
}

/// Annotations or labels as an object has them: none at all, if there are none.
pub fn map(entries: &[(&str, &str)]) -> Option<BTreeMap<String, String>> {
    (!entries.is_empty()).then(|| entries.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect())
}

/// The server takes only paths that begin with a dot, and kube's documentation shows one that does not.
fn absolute(path: &str) -> String {
    if path.starts_with('.') { path.to_owned() } else { format!(".{path}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Column, Definition, Deprecation, JSONSchemaProps, Scale, Scope, StatusSubresource};

    const DOCUMENT: Definition = Definition {
        group: "example.com",
        version: "v1",
        kind: "Document",
        plural: "documents",
        singular: "document",
        shortnames: &[],
        categories: &[],
        scope: Scope::Cluster,
        status: StatusSubresource::Absent,
        scale: None,
        columns: &[],
        selectable: &[],
        annotations: &[],
        labels: &[],
        is_served: true,
        is_stored: true,
        deprecation: Deprecation::None,
    };

    const SCALE: Scale = Scale {
        spec_replicas_path: ".spec.replicas",
        status_replicas_path: ".status.replicas",
        label_selector_path: None,
    };

    const COLUMN: Column = Column {
        name: "Words",
        type_: "integer",
        json_path: ".status.words",
        description: None,
        format: None,
        priority: None,
    };

    #[test]
    fn a_definition_leaves_out_what_it_does_not_have() {
        assert_eq!(
            serde_json::to_value(DOCUMENT.with_schema(JSONSchemaProps::default())).unwrap(),
            json!({
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "metadata": { "name": "documents.example.com" },
                "spec": {
                    "group": "example.com",
                    "names": { "kind": "Document", "plural": "documents", "singular": "document" },
                    "scope": "Cluster",
                    "versions": [{ "name": "v1", "schema": { "openAPIV3Schema": {} }, "served": true, "storage": true }],
                },
            })
        );
    }

    #[test]
    fn a_definition_has_everything_that_was_set() {
        let definition = Definition {
            categories: &["all"],
            status: StatusSubresource::Served,
            scale: Some(SCALE),
            columns: &[COLUMN],
            selectable: &[".spec.title", "spec.author"],
            annotations: &[("a", "b")],
            labels: &[("c", "d")],
            is_served: false,
            is_stored: false,
            deprecation: Deprecation::Warning("use v2"),
            ..DOCUMENT
        };
        let definition = serde_json::to_value(definition.without_schema()).unwrap();
        assert_eq!(
            definition["metadata"],
            json!({ "name": "documents.example.com", "annotations": { "a": "b" }, "labels": { "c": "d" } })
        );
        assert_eq!(definition["spec"]["names"]["categories"], json!(["all"]));
        assert_eq!(
            definition["spec"]["versions"][0],
            json!({
                "name": "v1",
                "additionalPrinterColumns": [{ "name": "Words", "type": "integer", "jsonPath": ".status.words" }],
                "deprecated": true,
                "deprecationWarning": "use v2",
                "schema": {},
                "selectableFields": [{ "jsonPath": ".spec.title" }, { "jsonPath": ".spec.author" }],
                "served": false,
                "storage": false,
                "subresources": {
                    "scale": { "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas" },
                    "status": {},
                },
            })
        );
    }

    #[test]
    fn scale_is_served_without_status_too() {
        let definition = Definition { scale: Some(SCALE), ..DOCUMENT }.without_schema();
        let subresources = definition.spec.versions[0].subresources.clone().unwrap();
        assert!(subresources.scale.is_some() && subresources.status.is_none());
    }
}
