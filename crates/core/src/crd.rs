//! Custom resources: how a Rust type tells the definition that the API server needs of it.
//!
//! In: a [`Definition`](v1::Definition), the handful of facts that `#[derive(CustomResource)]` reads from its
//! attributes, and the schema of the type. Out: the `CustomResourceDefinition` with one served and stored version.
//! Merging the definitions of several versions is not built yet.

pub use v1::CustomResourceExt;

/// Definitions of `apiextensions.k8s.io/v1`, the only version that API servers still serve.
pub mod v1 {
    pub use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        CustomResourceDefinition, JSONSchemaProps,
    };
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        CustomResourceDefinitionNames, CustomResourceDefinitionSpec, CustomResourceDefinitionVersion,
        CustomResourceSubresourceStatus, CustomResourceSubresources, CustomResourceValidation,
    };

    use crate::discovery::ApiResource;
    use crate::metadata::ObjectMeta;

    /// What a type made by `#[derive(CustomResource)]` knows of its definition.
    pub trait CustomResourceExt {
        /// The definition to install in the cluster, schema included.
        fn crd() -> CustomResourceDefinition;
        /// The name of the definition: `<plural>.<group>`.
        fn crd_name() -> &'static str;
        /// Where the kind is served.
        fn api_resource() -> ApiResource;
        /// The short names that `kubectl` accepts for the kind.
        fn shortnames() -> &'static [&'static str];
    }

    /// The facts of a custom resource with one version, everything but its schema.
    #[derive(Clone, Copy, Debug)]
    pub struct Definition {
        /// The API group.
        pub group: &'static str,
        /// The version, served and stored.
        pub version: &'static str,
        /// The kind.
        pub kind: &'static str,
        /// The name of the collection in URLs.
        pub plural: &'static str,
        /// The name of one object on the command line.
        pub singular: &'static str,
        /// Short names for the command line.
        pub shortnames: &'static [&'static str],
        /// Whether objects live in a namespace.
        pub scope: Scope,
        /// Whether `status` has an endpoint of its own.
        pub status: StatusSubresource,
    }

    /// Whether the objects of a kind live in a namespace.
    #[derive(Clone, Copy, Debug, Eq, PartialEq)]
    pub enum Scope {
        /// In the cluster as a whole.
        Cluster,
        /// Each in a namespace.
        Namespaced,
    }

    /// Whether a kind has the `status` subresource.
    #[derive(Clone, Copy, Debug, Eq, PartialEq)]
    pub enum StatusSubresource {
        /// There is none.
        Absent,
        /// It is served.
        Served,
    }

    impl Definition {
        /// The definition as the API server takes it.
        pub fn with_schema(self, schema: JSONSchemaProps) -> CustomResourceDefinition {
            CustomResourceDefinition {
                metadata: ObjectMeta { name: Some(format!("{}.{}", self.plural, self.group)), ..ObjectMeta::default() },
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
            let short_names: Vec<String> = self.shortnames.iter().map(|&name| name.to_owned()).collect();
            CustomResourceDefinitionNames {
                kind: self.kind.to_owned(),
                plural: self.plural.to_owned(),
                singular: Some(self.singular.to_owned()),
                short_names: (!short_names.is_empty()).then_some(short_names),
                ..CustomResourceDefinitionNames::default()
            }
        }

        fn only_version(self, schema: JSONSchemaProps) -> CustomResourceDefinitionVersion {
            let subresources = (self.status == StatusSubresource::Served).then(|| CustomResourceSubresources {
                status: Some(CustomResourceSubresourceStatus(serde_json::json!({}))),
                ..CustomResourceSubresources::default()
            });
            CustomResourceDefinitionVersion {
                name: self.version.to_owned(),
                schema: Some(CustomResourceValidation { open_api_v3_schema: Some(schema) }),
                served: true,
                storage: true,
                subresources,
                ..CustomResourceDefinitionVersion::default()
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
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::v1::{Definition, JSONSchemaProps, Scope, StatusSubresource};

    #[test]
    fn a_definition_leaves_out_what_it_does_not_have() {
        let definition = Definition {
            group: "example.com",
            version: "v1",
            kind: "Document",
            plural: "documents",
            singular: "document",
            shortnames: &[],
            scope: Scope::Cluster,
            status: StatusSubresource::Absent,
        };
        assert_eq!(
            serde_json::to_value(definition.with_schema(JSONSchemaProps::default())).unwrap(),
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
}
