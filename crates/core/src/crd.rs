//! Custom resources: how a Rust type becomes the definition that the API server needs.
//!
//! In: a [`Definition`](definition::Definition), the facts that `#[derive(CustomResource)]` reads from its attributes
//! (`crd/definition.rs`), and the schema of the type. Out: the `CustomResourceDefinition` of one version, and
//! [`merge_crds`], which makes one definition of several versions (`crd/merge.rs`).
//! What an API server would refuse is found by `try_crd` (`crd/check.rs`); `crd` leaves it to the server.

mod check;
pub mod definition;
mod merge;

pub use v1::{CustomResourceExt, MergeError, merge_crds};

/// Definitions of `apiextensions.k8s.io/v1`, the only version that API servers still serve.
pub mod v1 {
    use super::check::checked;
    use super::definition::{CustomResourceDefinition, InvalidDefinition};
    pub use super::merge::{MergeError, merge_crds};
    use crate::discovery::ApiResource;

    /// What a type made by `#[derive(CustomResource)]` knows of its definition.
    pub trait CustomResourceExt {
        /// The definition to install in the cluster, schema included.
        ///
        /// # Panics
        ///
        /// When the type has no structural schema; [`try_crd`](Self::try_crd) returns that as an error.
        fn crd() -> CustomResourceDefinition;
        /// The definition, or everything that an API server would refuse in it: fields without a structural schema,
        /// names it does not take and, with feature `cel`, rules that do not parse.
        ///
        /// A unit test of one line keeps a definition installable: `Document::try_crd().unwrap()`.
        ///
        /// # Errors
        ///
        /// All problems at once.
        fn try_crd() -> Result<CustomResourceDefinition, InvalidDefinition>
        where
            Self: Sized,
        {
            checked(Self::crd())
        }
        /// The name of the definition: `<plural>.<group>`.
        fn crd_name() -> &'static str;
        /// Where the kind is served.
        fn api_resource() -> ApiResource;
        /// The short names that `kubectl` accepts for the kind.
        fn shortnames() -> &'static [&'static str];
    }
}
