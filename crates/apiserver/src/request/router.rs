//! Where a path and a method lead, in the order in which kube-apiserver's routers ask.
//!
//! ```text
//!  path ─► timeout ─► is there such a path? ─► such a method on it? ─► such a body? ─► such an answer? ─► Routed
//!                          404                      405                  415 (PATCH)       406
//! ```
//! In: a request as it came. Out: the same with a path in one spelling, its [`Route`], and only those parameters that its verb
//! knows; or the refusal. Kubernetes' own kinds are behind a router that knows each path and its methods ([`built_in`]); all custom
//! resources are behind one handler, which understands a path word by word ([`custom`]) and misses things later.

mod built_in;
mod custom;
mod parameters;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, Method, Response, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use pintle_core::call::{self, Target, Verb};

use super::resolve;
use crate::catalog::Catalog;
use crate::catalog::kinds;
use crate::response;
use crate::response::body::Body;
use crate::response::status::{Refusal, bad_request, no_such_method, no_such_resource, refuse_plainly};

/// Where a request goes on.
pub(super) enum Routed {
    /// To health, discovery or documents.
    Document,
    /// To objects; its path and query are rewritten, and its [`Route`] is among its extensions.
    Objects,
    Refused(Response<Body>),
}

/// What the path of a request is about. Its segments are what the client sent, be they good names or not: that is judged
/// where the object is looked up.
#[derive(Clone)]
pub(super) struct Route {
    pub(super) target: Target,
    /// Whether the path is that of a watch, as paths were before there was a parameter for it.
    pub(super) is_watch_path: bool,
}

impl Route {
    /// That of a path that is spelt as it should be.
    pub(super) fn parse(uri: &Uri) -> Option<Route> {
        Some(Route { target: Target::parse(uri.path()).ok()?, is_watch_path: false })
    }

    /// What a request asks of its target.
    pub(super) fn verb(&self, parts: &Parts) -> call::Result<Verb> {
        if self.is_watch_path { Ok(Verb::Watch) } else { Verb::parse(parts, &self.target) }
    }
}

impl From<Refusal> for Routed {
    fn from(refusal: Refusal) -> Routed {
        Routed::Refused(response::refusal(&refusal))
    }
}

/// Routes a request.
pub(super) fn route(catalog: &Catalog, parts: &mut Parts) -> Routed {
    let path = percent_decode_str(parts.uri.path()).decode_utf8_lossy().into_owned();
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    let is_rooted = path.starts_with("/api/") || path.starts_with("/apis/");
    match segments[..] {
        ["api", _, "watch" | "proxy"] | ["apis", _, _, "watch" | "proxy"] => no_resource(&parts.uri),
        _ if !is_rooted => document(&path, parts),
        ["apis", "", _] => Routed::Refused(response::no_page()),
        ["api" | "apis"] | ["api", "v1"] | ["apis", _] | ["apis", _, _] => document(&path, parts),
        ["api", "v1", ref rest @ ..] => built_in::route("", "v1", rest, parts),
        ["apis", "", ..] => Routed::Refused(response::no_page()),
        ["apis", group, version, ref rest @ ..] if kinds::is_built_in_group(group) => {
            built_in::route(group, version, rest, parts)
        }
        ["apis", group, version, ref rest @ ..] => custom::route(catalog, group, version, rest, parts),
        _ => no_such_resource().into(),
    }
}

/// Documents that are behind the router are only read, in the media types they have; the others answer any method.
fn document(path: &str, parts: &Parts) -> Routed {
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    let json: &[&str] = &["application/json"];
    // Which bodies are taken (any, where it is not said), and which answers there are.
    let (bodies, answers): (Option<&[&str]>, &[&str]) = match segments[..] {
        _ if path.starts_with("//") => return Routed::Document,
        ["version", _, ..] => return no_such_resource().into(),
        ["version"] => (Some(json), json),
        [".well-known", "openid-configuration"] => (None, json),
        ["openid", "v1", "jwks"] => (None, &["application/jwk-set+json"]),
        ["api"] | ["api", _] => (Some(built_in::OBJECTS), built_in::OBJECTS),
        ["apis", group, version] if !group.is_empty() && kinds::is_built_in_group(group) => {
            if kinds::built_in_of(group, version).is_empty() {
                return no_such_resource().into();
            }
            (Some(built_in::OBJECTS), built_in::OBJECTS)
        }
        _ => return Routed::Document,
    };
    if parts.method != Method::GET {
        return no_such_method().into();
    }
    if bodies.is_some_and(|bodies| !is_body_of(&parts.headers, bodies)) {
        return unsupported().into();
    }
    if !accepts(&parts.headers, answers) {
        return resolve::no_representation(&answers.join(", ")).into();
    }
    Routed::Document
}

/// 500: a path that names no resource where one belongs.
fn no_resource(uri: &Uri) -> Routed {
    let url = uri.to_string().replace('&', "&amp;");
    let why = format!(
        "Internal Server Error: {url:?}: failed to create RequestInfo: unable to determine kind and namespace from url, \
         {url}\n"
    );
    Routed::Refused(response::text(500, why))
}

/// 415 in the router's words.
fn unsupported() -> Refusal {
    refuse_plainly(415, "UnsupportedMediaType", "415: Unsupported Media Type")
}

/// Whether a client takes one of these, as the router reads its header: exact types, whatever their parameters.
fn accepts(headers: &HeaderMap, media_types: &[&str]) -> bool {
    let said = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut ranges = said.split(',').map(|range| range.split(';').next().unwrap_or_default().trim());
    said.is_empty() || ranges.any(|range| range == "*/*" || media_types.contains(&range))
}

/// Whether a body is of one of these types; one that does not say is.
fn is_body_of(headers: &HeaderMap, media_types: &[&str]) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.is_empty() || media_types.contains(&said.split(';').next().unwrap_or_default().trim())
}

/// Gives a request its route, the one spelling of its path, and the parameters that its verb knows.
fn follow(parts: &mut Parts, route: Route, query: &str) -> Routed {
    let Target { group, version, plural, namespace, name, subresource } = &route.target;
    let mut segments = if group.is_empty() { vec!["api", version] } else { vec!["apis", group, version] };
    segments.extend(namespace.iter().flat_map(|namespace| ["namespaces", namespace]));
    segments.extend([Some(plural), name.as_ref(), subresource.as_ref()].into_iter().flatten().map(String::as_str));
    let path: String = segments.iter().map(|segment| format!("/{}", utf8_percent_encode(segment, ENCODED))).collect();
    let watch = if route.is_watch_path { "watch=true&" } else { "" };
    let query = if query.is_empty() && watch.is_empty() { String::new() } else { format!("?{watch}{query}") };
    match format!("{path}{query}").parse() {
        Ok(uri) => {
            parts.uri = uri;
            parts.extensions.insert(route);
            Routed::Objects
        }
        Err(error) => bad_request(format!("{error}")).into(),
    }
}

/// What a segment is written with as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':');
