//! The paths of custom resources: one handler for all, which reads a path word by word.
//!
//! In: the segments behind a group and version. Out: the request rewritten, or what that handler refuses it with. What
//! follows a subresource means nothing to it, and a POST is meant for the collection whatever name it goes on with.

use http::Method;
use http::request::Parts;
use pintle_core::call::Target;

use super::{Route, Routed, follow, parameters};
use crate::catalog::Catalog;
use crate::response;
use crate::response::status::{method_not_allowed, not_found};

pub(super) fn route(catalog: &Catalog, group: &str, version: &str, rest: &[&str], parts: &mut Parts) -> Routed {
    let (is_watch, rest) = match rest {
        ["watch", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (namespace, rest) = match rest {
        ["namespaces", namespace, "status" | "finalize", ..] => (Some(*namespace), &rest[..0]),
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
        rest => (None, rest),
    };
    let namespace = namespace.filter(|namespace| !namespace.is_empty());
    let name = rest.get(1).copied().filter(|name| !name.is_empty());
    let verb = if is_watch { "watch" } else { verb(parts, name.is_some()) };
    let Some(kind) = rest.first().and_then(|plural| catalog.kind(group, version, plural)) else {
        return Routed::Refused(response::no_page());
    };
    let is_across = kind.namespaced && namespace.is_none();
    if (is_across && !matches!(verb, "list" | "watch")) || (!kind.namespaced && namespace.is_some()) {
        return Routed::Refused(response::no_page());
    }
    let subresource = rest.get(2).copied().filter(|subresource| !subresource.is_empty());
    match subresource {
        Some(subresource) if kind.subresource(subresource).is_none() => {
            return not_found(&kind, name.unwrap_or_default()).into();
        }
        Some(_) if !matches!(verb, "get" | "update" | "patch") => return method_not_allowed(&kind, verb).into(),
        None if verb.is_empty() => return method_not_allowed(&kind, verb).into(),
        _ => {}
    }
    if is_watch {
        parts.method = Method::GET;
    }
    let query = parameters::known(parts, name.is_some() && !is_watch, false);
    let target = Target {
        group: group.to_owned(),
        version: version.to_owned(),
        plural: kind.plural.clone(),
        namespace: namespace.map(str::to_owned),
        name: name.filter(|_| verb != "create").map(str::to_owned),
        subresource: subresource.map(str::to_owned),
    };
    follow(parts, Route { target, is_watch_path: is_watch }, &query)
}

/// The verb of a method; none of one that Kubernetes has no word for.
fn verb(parts: &Parts, has_name: bool) -> &'static str {
    match (parts.method.as_str(), has_name) {
        ("POST", _) => "create",
        ("GET" | "HEAD", true) => "get",
        ("GET" | "HEAD", false) => "list",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", true) => "delete",
        ("DELETE", false) => "deletecollection",
        _ => "",
    }
}
