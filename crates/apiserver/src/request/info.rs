//! What the server knows of a request before it looks anything up: verb, resource, namespace, name, query.
//!
//! In: method, URI and headers. Out: a [`RequestInfo`], which fault rules match and the trace prints. It does not know
//! whether the resource exists.

use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::request::Parts;
use pintle_core::call::{Query, Verb};
use tokio::time::Instant;

use super::router::Route;

/// A request, as it is known before any object is looked up.
#[derive(Clone, Debug)]
pub(crate) struct RequestInfo {
    pub(crate) method: Method,
    /// Without its query.
    pub(crate) path: String,
    /// Path and query.
    pub(crate) text: String,
    /// `None` where the request is not about objects.
    pub(crate) verb: Option<Verb>,
    pub(crate) query: Option<Query>,
    pub(crate) speaks_protobuf: bool,
    pub(crate) asks_aggregated_discovery: bool,
    pub(crate) plural: Option<String>,
    pub(crate) group: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
    /// When it came.
    pub(crate) began: Instant,
}

impl RequestInfo {
    pub(crate) fn of(parts: &Parts) -> RequestInfo {
        let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (accept, content_type) = (header(ACCEPT), header(CONTENT_TYPE));
        // What leads nowhere has a verb and a resource too.
        let route = parts.extensions.get().cloned().or_else(|| Route::parse(&parts.uri));
        let target = route.as_ref().map(|route| &route.target);
        let verb = route.as_ref().and_then(|route| route.verb(parts).ok());
        let query = target.and_then(|target| Query::parse(parts.uri.query().unwrap_or_default(), target).ok());
        let is_discovery = matches!(parts.uri.path().trim_end_matches('/'), "/api" | "/apis");
        RequestInfo {
            method: parts.method.clone(),
            path: parts.uri.path().to_owned(),
            text: parts.uri.path_and_query().map(|text| text.as_str().to_owned()).unwrap_or_default(),
            verb,
            speaks_protobuf: accept.contains(PROTOBUF) || content_type.contains(PROTOBUF),
            asks_aggregated_discovery: is_discovery && accept.contains("as=APIGroupDiscoveryList"),
            plural: target.map(|target| target.plural.clone()),
            group: target.map(|target| target.group.clone()),
            namespace: target.and_then(|target| target.namespace.clone()),
            name: target.and_then(|target| target.name.clone()),
            subresource: target.and_then(|target| target.subresource.clone()),
            query,
            began: Instant::now(),
        }
    }
}

/// The media type of protobuf bodies.
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
