//! Custom resources: how a Rust type tells the definition that the API server needs of it.
//!
//! In: a [`Definition`](v1::Definition), the facts that `#[derive(CustomResource)]` reads from its attributes
//! (`crd/definition.rs`), and the schema of the type. Out: the `CustomResourceDefinition` of one version, and
//! [`merge_crds`], which makes one definition of several versions (`crd/merge.rs`).
//! What the attributes say is not checked against the schema here: the API server does that.

mod definition;
mod merge;

pub use v1::{CustomResourceExt, MergeError, merge_crds};

/// Definitions of `apiextensions.k8s.io/v1`, the only version that API servers still serve.
pub mod v1 {
    pub use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        CustomResourceDefinition, JSONSchemaProps,
    };

    pub use super::definition::{Column, Definition, Deprecation, Scale, Scope, StatusSubresource};
    pub use super::merge::{MergeError, merge_crds};
    use crate::discovery::ApiResource;

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
}
