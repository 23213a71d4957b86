//! The words that both sides of the Kubernetes API say.
//!
//! ```text
//!   who an object is            what is asked of it               what comes back
//!   Resource, ResourceExt       params ─► Call ─► http::Request   ObjectList, WatchEvent, Status
//!   Lookup, ObjectRef                      ▲            │
//!   DynamicObject, TypeMeta                └── parse ◄──┘         both directions of each grammar
//!   GroupVersionKind            Selector, FieldSelector           live in one file
//! ```
//!
//! A client prints a [`Call`] as an HTTP request and a server parses it back from one, so neither side
//! formats or picks apart URLs by itself. The same holds for label selectors ([`labels`]) and field selectors
//! ([`fields`]). There is no I/O in this crate, no clock and no async runtime.
//!
//! Reading order: [`resource`] (what an object is), [`metadata`], [`object`] and [`dynamic`] (shapes without a Rust
//! type), [`mod@reference`] (an object's key), [`params`] and [`call`] (what is asked), [`labels`] and [`fields`]
//! (which objects), [`watch`] and [`response`] (what comes back), [`crd`] (custom resources).

pub mod call;
pub mod crd;
pub mod discovery;
pub mod dynamic;
pub mod fields;
pub mod gvk;
pub mod labels;
pub mod metadata;
pub mod object;
pub mod params;
pub mod reference;
pub mod request;
pub mod resource;
pub mod response;
#[cfg(feature = "schema")]
pub mod schema;
pub mod watch;

pub use call::Call;
pub use crd::CustomResourceExt;
pub use discovery::ApiResource;
pub use dynamic::{DynamicObject, ParseDynamicObjectError};
pub use gvk::{GroupVersion, GroupVersionKind, GroupVersionResource, ParseGroupVersionError};
pub use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope, ResourceScope, SubResourceScope};
pub use labels::{Expression, ParseExpressionError, Selector, SelectorExt};
pub use metadata::{ListMeta, ObjectMeta, PartialObjectMeta, PartialObjectMetaExt, PartialObjectMetaList, TypeMeta};
pub use object::{HasSpec, HasStatus, NotUsed, Object, ObjectList};
pub use reference::{Lookup, ObjectRef};
pub use resource::{DynamicResourceScope, NamespaceScope, Resource, ResourceExt, api_version_from_group_version};
#[expect(deprecated, reason = "kube still has the old name")]
pub use response::ErrorResponse;
pub use response::{Status, StatusCause, StatusDetails, StatusSummary};
pub use watch::WatchEvent;
