//! The paths of Kubernetes' own kinds: each is known, with its methods.
//!
//! In: the segments behind a group and version. Out: the request rewritten, or 404, 405, 415 or 406 in the router's words.

use http::Method;
use http::request::Parts;
use pintle_core::call::Target;
use pintle_wire::protobuf;

use super::{Route, Routed, accepts, follow, parameters, unsupported};
use crate::catalog::kinds::{self, Kind};
use crate::request::resolve;
use crate::response::status::{no_such_method, no_such_resource};

pub(super) fn route(group: &str, version: &str, rest: &[&str], parts: &mut Parts) -> Routed {
    let (is_watch, rest) = match rest {
        ["watch", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (namespace, rest) = match rest {
        ["namespaces", _, "status" | "finalize"] => (None, rest),
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
        rest => (None, rest),
    };
    let Some(kind) = rest.first().and_then(|plural| kinds::built_in(group, version, plural)) else {
        return no_such_resource().into();
    };
    let methods = methods(&kind, namespace.is_some(), &rest[1..], is_watch);
    if methods.is_empty() {
        return no_such_resource().into();
    }
    if !methods.contains(&parts.method.as_str()) {
        return no_such_method().into();
    }
    let subresource = rest.get(2).and_then(|name| kind.subresource(name));
    // What connects says itself what it answers with.
    let has_objects = subresource.is_none_or(|it| it.name != "log" && !it.kind.ends_with("Options"));
    if has_objects && parts.method == Method::PATCH && !is_patch(parts) {
        return unsupported().into();
    }
    if subresource.is_some_and(|it| it.name == "log") && !accepts(&parts.headers, LOG) {
        return resolve::no_representation(&LOG.join(", ")).into();
    }
    if has_objects && !accepts(&parts.headers, OBJECTS) {
        let is_collection = parts.method == Method::GET && rest.len() == 1 && kind.is_stored();
        return resolve::no_representation(if is_collection || is_watch { WATCHED } else { OBJECT }).into();
    }
    let query = parameters::known(parts, rest.len() > 1 && !is_watch, !has_objects);
    let segment = |at: usize| rest.get(at).map(|segment| (*segment).to_owned());
    let target = Target {
        group: group.to_owned(),
        version: version.to_owned(),
        plural: kind.plural.clone(),
        // No namespace is all of them.
        namespace: namespace.filter(|namespace| !namespace.is_empty()).map(str::to_owned),
        name: segment(1),
        // What follows a proxy is not of this server.
        subresource: segment(2),
    };
    follow(parts, Route { target, is_watch_path: is_watch }, &query)
}

/// The methods of a path; none where there is no such path.
fn methods(kind: &Kind, has_namespace: bool, rest: &[&str], is_watch: bool) -> Vec<&'static str> {
    let of = |table: &[(&str, &'static str)]| -> Vec<&'static str> {
        table.iter().filter(|(verb, _)| kind.allows(verb)).map(|(_, method)| *method).collect()
    };
    let is_of_scope = kind.namespaced == has_namespace;
    match rest {
        _ if is_watch && !kind.allows("watch") => Vec::new(),
        [] if is_watch && (is_of_scope || kind.namespaced) => vec!["GET"],
        [_] if is_watch && is_of_scope => vec!["GET"],
        _ if is_watch => Vec::new(),
        [] if is_of_scope => of(&[("list", "GET"), ("create", "POST"), ("deletecollection", "DELETE")]),
        // Only lists go across namespaces.
        [] if kind.namespaced => of(&[("list", "GET")]),
        _ if !is_of_scope => Vec::new(),
        [_] => of(&[("get", "GET"), ("update", "PUT"), ("patch", "PATCH"), ("delete", "DELETE")]),
        [_, subresource, more @ ..] => {
            let Some(found) = kind.subresource(subresource) else { return Vec::new() };
            if found.name == "proxy" {
                return PROXIED.to_vec();
            }
            let is_whole = more.is_empty();
            let verbs =
                [("get", "GET"), ("update", "PUT"), ("patch", "PATCH"), ("create", "POST"), ("delete", "DELETE")];
            let allowed = verbs.into_iter().filter(|(verb, _)| is_whole && found.verbs.iter().any(|it| it == verb));
            allowed.map(|(_, method)| method).collect()
        }
        [] => Vec::new(),
    }
}

/// Whether the body is one of the patches.
fn is_patch(parts: &Parts) -> bool {
    let said = parts.headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut types = said.split(',').map(|said| said.split(';').next().unwrap_or_default().trim());
    types.any(|said| PATCHES.contains(&said))
}

const PROXIED: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

const PATCHES: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

pub(super) const OBJECTS: &[&str] = &["application/json", "application/yaml", protobuf::MEDIA_TYPE];

/// What there is of a log.
const LOG: &[&str] = &["text/plain", "application/json", "application/yaml", protobuf::MEDIA_TYPE];

/// What there is of an object, and of a collection, in the words of the refusal.
pub(super) const OBJECT: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const WATCHED: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf, \
                       application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
