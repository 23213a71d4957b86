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
//! A client prints a [`Call`](call::Call) as an HTTP request and a server parses it back from one, so neither side
//! formats or picks apart URLs by itself. The same holds for label selectors ([`labels`]) and field selectors
//! ([`fields`]). There is no I/O in this crate and no async runtime; the clock is read in one place,
//! [`Request::restart`].
//!
//! Reading order: [`resource`] (what an object is), [`metadata`], [`object`] and [`dynamic`] (shapes without a Rust
//! type), [`mod@reference`] (an object's key), [`params`], [`call`] and [`paging`] (what is asked), [`labels`] and [`fields`]
//! (which objects), [`watch`] and [`response`] (what comes back), [`subresource`] and [`util`] (parts of objects, small
//! changes), [`crd`] (custom resources), [`conversion`] and `admission` (what servers ask of webhooks), then the small
//! words: [`version`], [`resource_version`], [`field_set`] (`managedFields`), [`duration`], [`backoff`], [`metrics`], [`certificate`].
//!
//! The modules lie side by side because their paths are kube's. Names at the root are those that kube has there, since programs import all of them; what kube does not have stands in
//! the module it belongs to.

#[cfg(feature = "admission")]
pub mod admission;
pub mod backoff;
pub mod call;
pub mod cel;
pub mod certificate;
pub mod conversion;
pub mod crd;
pub mod difference;
pub mod discovery;
pub mod duration;
pub mod dynamic;
pub mod error_boundary;
pub mod field_set;
pub mod fields;
pub mod gvk;
#[cfg(feature = "kubelet-debug")]
pub mod kubelet_debug;
pub mod labels;
pub mod metadata;
pub mod metrics;
pub mod object;
pub mod paging;
pub mod params;
pub mod reference;
pub mod request;
pub mod resource;
pub mod resource_version;
pub mod response;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(test)]
mod seeded;
pub mod subresource;
pub mod util;
pub mod version;
pub mod watch;

pub use cel::{ListMerge, MapMerge, Message, Reason, Rule, StructMerge};
#[cfg(feature = "schema")]
pub use cel::{merge_properties, merge_strategy, merge_strategy_property, validate, validate_property};
pub use crd::CustomResourceExt;
pub use discovery::ApiResource;
pub use duration::Duration;
pub use dynamic::DynamicObject;
pub use error_boundary::DeserializeGuard;
pub use gvk::{GroupVersion, GroupVersionKind, GroupVersionResource};
pub use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope, ResourceScope, SubResourceScope};
pub use labels::{Expression, ParseExpressionError, Selector, SelectorExt};
pub use metadata::{ListMeta, ObjectMeta, PartialObjectMeta, PartialObjectMetaExt, TypeMeta};
pub use object::{NotUsed, Object, ObjectList};
pub use request::Request;
pub use resource::{DynamicResourceScope, NamespaceScope, Resource, ResourceExt, api_version_from_group_version};
#[expect(deprecated, reason = "kube still has the old name")]
pub use response::ErrorResponse;
pub use response::Status;
pub use version::Version;
pub use watch::WatchEvent;
