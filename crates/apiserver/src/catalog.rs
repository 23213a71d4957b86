//! What is served: every kind, built-in or defined by a CustomResourceDefinition, and the documents that list them.
//!
//! ```text
//!  kinds/table (generated) ──┬─► Kind ─► request::resolve, registry, storage
//!  CustomResourceDefinition ─┤
//!        └─► crd             ├─► discovery    which groups, versions and resources there are
//!                            └─► openapi      what can be done to them, and their schemas
//! ```
//! In: the generated table and stored definitions. Out: a [`Kind`](kinds::Kind) per group, version and plural. Invariant: a
//! `Kind` never changes; a changed definition makes new ones.

pub(crate) mod crd;
pub(crate) mod discovery;
pub(crate) mod kinds;
pub(crate) mod openapi;
