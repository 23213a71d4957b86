//! Where a path and a method lead, in the order in which kube-apiserver's routers ask.
//!
//! ```text
//!  path ─► timeout ─► is there such a path? ─► such a method on it? ─► such a body? ─► such an answer? ─► a name? ─► Routed
//!                          404                      405                  415 (PATCH)       406             400
//! ```
//! In: a request as it came. Out: the same with a path in one spelling and only those parameters that its verb knows; or
//! the refusal. Kubernetes' own kinds are behind a router that knows each path and its methods ([`built_in`]); all custom
//! resources are behind one handler, which understands a path word by word ([`custom`]) and misses things later.

mod built_in;
mod custom;
mod parameters;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, Method, Response, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::resolve;
use crate::catalog::Catalog;
use crate::catalog::kinds;
use crate::response;
use crate::response::body::Body;
use crate::response::status::{
    Refusal, bad_request, no_such_method, no_such_resource, refuse, refuse_plainly, unforeseen,
};

/// Where a request goes on.
pub(super) enum Routed {
    /// To health, discovery or documents.
    Document,
    /// To objects; its path and query are rewritten.
    Objects,
    Refused(Response<Body>),
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

/// Gives a request the one spelling of its path, and the parameters that its verb knows.
fn rewrite(parts: &mut Parts, segments: &[&str], query: &str) -> Option<Refusal> {
    let encoded: Vec<String> =
        segments.iter().map(|segment| utf8_percent_encode(segment, ENCODED).to_string()).collect();
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    match format!("/{}{query}", encoded.join("/")).parse() {
        Ok(uri) => {
            parts.uri = uri;
            None
        }
        Err(error) => Some(bad_request(error.to_string())),
    }
}

/// 500: a namespace that could not be a folder's, which is found out where objects are stored.
fn invalid_namespace(parts: &Parts, namespace: Option<&str>, storage: &str, name: Option<&str>) -> Option<Refusal> {
    let namespace = namespace.filter(|namespace| matches!(*namespace, "." | ".."))?;
    if parts.method == Method::POST {
        let why = format!("Internal error occurred: invalid resource name {namespace:?}: [may not be '{namespace}']");
        return Some(refuse(500, "InternalError", why));
    }
    let key: String = [Some(storage), Some(namespace), name].into_iter().flatten().map(|it| format!("/{it}")).collect();
    Some(unforeseen(format!("invalid key: {key:?}")))
}

/// 400: a name that could not be a file's.
fn invalid_name(name: &str) -> Option<Refusal> {
    let why = match name {
        "." | ".." => format!("may not be '{name}'"),
        _ if name.contains('%') => "may not contain '%'".to_owned(),
        _ => return None,
    };
    Some(bad_request(format!("Name parameter invalid: {name:?}: {why}")))
}

/// What a segment is written with as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':');
