//! Rust types from CustomResourceDefinitions, for build scripts and for the command `pintle types`.
//!
//! ```text
//!   YAML, JSON ─► Definition ─► Model ─► Rust source
//!       definition.rs      plan.rs   print.rs
//! ```
//!
//! In a build script:
//!
//! ```no_run
//! // build.rs, with pintle-types among the build-dependencies
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     println!("cargo::rerun-if-changed=crds");
//!     let out = std::env::var("OUT_DIR")?;
//!     pintle_types::Generator::new()
//!         .file("crds/certificates.yaml")?
//!         .file("crds/issuers.yaml")?
//!         .write(format!("{out}/crds.rs"))?;
//!     Ok(())
//! }
//! ```
//!
//! and in the program:
//!
//! ```text
//! mod crds {
//!     include!(concat!(env!("OUT_DIR"), "/crds.rs"));
//! }
//! use crds::certificate::v1::{Certificate, CertificateSpec};
//! ```
//!
//! The generated code uses `pintle` (with feature `derive`), `serde`, `serde_json` and `k8s-openapi`; with a schema also
//! `schemars`. This crate uses none of them but serde, so a build script does not wait for a client.
//!
//! # What becomes what
//!
//! | in the schema | in Rust |
//! |---|---|
//! | an object with `properties` | a struct, named by the kind and the properties on the way: `WidgetTemplateSpec` |
//! | `additionalProperties` | `BTreeMap<String, …>` |
//! | an object with `x-kubernetes-preserve-unknown-fields` | `BTreeMap<String, serde_json::Value>`; beside properties a flattened field `other` |
//! | the same without a type | `serde_json::Value` |
//! | `x-kubernetes-embedded-resource` | `RawExtension`, or a struct with `apiVersion`, `kind` and `metadata` |
//! | a string with `enum` | an enum |
//! | a string with format `date-time`, `byte` | `Time`, `ByteString` |
//! | `x-kubernetes-int-or-string` | `IntOrString`, or `Quantity` if it has the pattern of quantities |
//! | a list `conditions` of `metav1.Condition` | `Vec<Condition>` |
//! | `integer`, `number` | `i64`, `f64`, or what the format says: `i32`, `u32`, `f32` |
//! | a property with a default | the type itself; the default is filled in as by the server, and is what `Default` gives |
//! | any other property that is not required, or is nullable | `Option<…>` |
//!
//! What only constrains values (`oneOf`, `pattern`, CEL rules) leaves no trace in the types; `SchemaSource::Original` keeps
//! all of it in `Kind::crd()`.
//!
//! Limits: a `null` where the property is not required is read as absent. Fields beside `spec` and `status` make the kind
//! one with `no_spec`. A `status` that is not a subresource is generated as if it were one.
//!
//! Reading order: `generator`, `definition`, `schema`, `plan` with `model`, `print`.

mod default_value;
mod definition;
mod doc_comment;
mod error;
mod generator;
mod identifier;
mod model;
mod options;
mod plan;
mod print;
mod schema;
mod well_known;

/// The page of the book on this, so that its programs are compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/types.md")]
mod page {}

pub use error::Error;
pub use generator::Generator;
pub use options::{Maps, SchemaSource};
