//! From a call to its target: does the kind exist, does the verb, is the path of the right scope.
//!
//! In: a parsed call. Out: a [`ResolvedTarget`], or the refusal a client gets. Old spellings of a watch are rewritten here.

use http::header::ACCEPT;
use http::request::Parts;
use http::{HeaderMap, Method, Response, Uri};
use pintle_core::call::{Call, Form, Verb, by_preference};
use pintle_core::fields::FieldSelector;

use crate::catalog::Catalog;
use crate::catalog::kinds::{self, Kind};
use crate::cluster::ResolvedTarget;
use crate::managed_fields;
use crate::response;
use crate::response::body::Body;
use crate::response::negotiation::{wants_protobuf_alone, wants_yaml_alone};
use crate::response::status::{
    Answer, Refusal, bad_request, method_not_allowed, no_such_method, no_such_resource, not_found, refuse,
    refuse_plainly,
};

/// The answer to a path that leads nowhere: below the groups of Kubernetes' own it is a Status, elsewhere a page.
pub(crate) fn nowhere(uri: &Uri) -> Response<Body> {
    match super::segments(uri)[..] {
        ["api", _, ..] => response::refusal(&no_such_resource()),
        ["apis", group, _, ..] if kinds::is_built_in_group(group) => response::refusal(&no_such_resource()),
        _ => response::no_page(),
    }
}

/// What a call is about; `None` when there is no such path.
pub(crate) fn target(catalog: &Catalog, call: &Call, headers: &HeaderMap) -> Option<ResolvedTarget> {
    let target = &call.target;
    let kind = catalog.kind(&target.group, &target.version, &target.plural)?;
    if target.namespace.is_some() && !kind.namespaced {
        return None;
    }
    // Only reads go across namespaces; what custom resources have no path for, built-in kinds have no method for.
    let needs_namespace = target.name.is_some() || (kind.is_custom() && !across_namespaces(call));
    if target.namespace.is_none() && kind.namespaced && needs_namespace {
        return None;
    }
    if let Some(subresource) = &target.subresource
        && !kind.is_custom()
        && kind.subresource(subresource).is_none()
    {
        return None;
    }
    Some(ResolvedTarget {
        kind,
        namespace: target.namespace.clone(),
        name: target.name.clone(),
        subresource: target.subresource.clone(),
        manager: managed_fields::manager_name(call.query.field_manager.as_deref(), headers),
    })
}

fn across_namespaces(call: &Call) -> bool {
    matches!(call.verb, Verb::List | Verb::Watch)
}

/// Whether the verb can be performed on the target.
pub(crate) fn check(target: &ResolvedTarget, call: &Call, headers: &HeaderMap) -> Answer<()> {
    let (kind, verb) = (&target.kind, call.verb.as_str());
    match &target.subresource {
        None if !kind.allows(verb) => return Err(method_not_allowed(kind, verb)),
        None => {}
        Some(subresource) => check_part(kind, target.name(), subresource, verb)?,
    }
    if !across_namespaces(call) && kind.namespaced && target.namespace.is_none() {
        return Err(no_such_method());
    }
    check_encoding(target, call, headers)
}

fn check_part(kind: &Kind, object: &str, name: &str, verb: &str) -> Answer<()> {
    let Some(subresource) = kind.subresource(name) else {
        // Only of custom resources: what a built-in kind does not have has no path.
        return Err(not_found(kind, object));
    };
    if !subresource.verbs.iter().any(|allowed| allowed == verb) {
        return Err(method_not_allowed(kind, verb));
    }
    Ok(())
}

/// Whether the client takes an encoding that there is.
fn check_encoding(target: &ResolvedTarget, call: &Call, headers: &HeaderMap) -> Answer<()> {
    if target.kind.is_custom() && wants_protobuf_alone(headers) {
        return Err(accepted_only("application/json, application/yaml"));
    }
    if call.verb == Verb::Watch && wants_yaml_alone(headers) {
        return Err(accepted_only("application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"));
    }
    if call.form == Form::Table && !target.kind.allows("list") {
        return Err(accepted_only(ACCEPTED));
    }
    Ok(())
}

/// PartialObjectMetadata is the form of one object, PartialObjectMetadataList of a list. Whether an answer is the right one is
/// seen only when it is there.
pub(crate) fn check_form(kind: &Kind, verb: Verb, form: Form, headers: &HeaderMap) -> Answer<()> {
    if form != Form::Metadata {
        return Ok(());
    }
    let wants_list = wants_list_of_metadata(headers);
    let message = match verb {
        Verb::List | Verb::DeleteCollection if !wants_list => {
            "you requested PartialObjectMetadata, but the requested object is a list"
        }
        Verb::Get | Verb::Create | Verb::Replace | Verb::Patch(_) if wants_list => {
            "you requested PartialObjectMetadataList, but the requested object is not a list"
        }
        _ => return Ok(()),
    };
    Err(refuse(406, "NotAcceptable", format!("{message} ({})", go_type(kind, verb))))
}

/// Whether a client asks for a list of metadata.
pub(crate) fn wants_list_of_metadata(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    by_preference(accept).first().is_some_and(|best| best.contains("as=PartialObjectMetadataList"))
}

/// What Go calls the type of an answer.
fn go_type(kind: &Kind, verb: Verb) -> String {
    let is_list = matches!(verb, Verb::List | Verb::DeleteCollection);
    if kind.is_custom() {
        return format!("*unstructured.Unstructured{}", if is_list { "List" } else { "" });
    }
    let package = kind.group.split('.').next().filter(|package| !package.is_empty()).unwrap_or("core");
    format!("*{package}.{}", if is_list { &kind.list_kind } else { &kind.kind })
}

/// 406: an encoding that there is, and not for this.
pub(crate) fn accepted_only(media_types: &str) -> Refusal {
    refuse(406, "NotAcceptable", format!("only the following media types are accepted: {media_types}"))
}

/// What objects and lists of built-in kinds come in.
pub(crate) const ACCEPTED: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// 406 in the router's words.
pub(super) fn no_representation(media_types: &str) -> Refusal {
    let why = format!("406: Not Acceptable\n\nAvailable representations: {media_types}");
    refuse_plainly(406, "NotAcceptable", &why)
}

/// `?timeout=` is accepted and has no effect, since nothing here takes a minute; but it has to be a duration.
pub(crate) fn check_timeout(parts: &Parts) -> Answer<()> {
    let segments = super::segments(&parts.uri);
    let mut parameters = parts.uri.query().unwrap_or_default().split('&');
    // What may take its time has none.
    let is_long = |segment: &&str| matches!(*segment, "watch" | "proxy" | "exec" | "attach" | "portforward" | "log");
    let is_watch = parts.method == Method::GET && parameters.clone().any(|it| matches!(it, "watch=true" | "watch=1"));
    if is_watch || segments.iter().any(is_long) {
        return Ok(());
    }
    match parameters.by_ref().filter_map(|parameter| parameter.strip_prefix("timeout=")).find(|text| !is_duration(text))
    {
        Some(text) => {
            let why = format!("invalid timeout specified in the request URL - time: invalid duration \"{text}\"");
            Err(bad_request(why))
        }
        None => Ok(()),
    }
}

/// Whether this is a duration in Go's spelling, such as `1m30s`.
fn is_duration(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(rest.len());
        let units = ["ns", "us", "ms", "s", "m", "h"];
        let Some(unit) = units.iter().find(|unit| rest[digits..].starts_with(**unit)) else {
            return text == "0";
        };
        if digits == 0 {
            return false;
        }
        rest = &rest[digits + unit.len()..];
    }
    true
}

/// The old path of a watch, `/api/v1/watch/namespaces/n/pods/x`, as a watch of the collection; refused where a selector
/// asks for another name.
pub(crate) fn plain_watch(uri: &Uri) -> Option<Answer<Uri>> {
    let mut segments = super::segments(uri);
    let at = match segments.first().copied() {
        Some("api") => 2,
        Some("apis") => 3,
        _ => return None,
    };
    if segments.get(at) != Some(&"watch") || segments.len() < at + 2 {
        return None;
    }
    segments.remove(at);
    let depth = segments.len() - at;
    let namespaced = segments[at] == "namespaces" && depth > 2;
    let name = if depth == if namespaced { 4 } else { 2 } { segments.pop() } else { None };
    let query = match name {
        None => format!("watch=true&{}", uri.query().unwrap_or_default()),
        Some(name) => match of_one_name(uri.query().unwrap_or_default(), name) {
            Ok(query) => query,
            Err(refusal) => return Some(Err(refusal)),
        },
    };
    format!("/{}?{query}", segments.join("/")).parse().ok().map(Ok)
}

/// The query of a watch of one object, given that of its old path.
fn of_one_name(query: &str, name: &str) -> Answer<String> {
    let mut printed = form_urlencoded::Serializer::new(String::new());
    printed.append_pair("watch", "true");
    let mut selector = format!("metadata.name={name}");
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        if key != "fieldSelector" {
            printed.append_pair(&key, &value);
            continue;
        }
        let asked: FieldSelector = value.parse().map_err(|error| bad_request(format!("{error}")))?;
        if asked.exact("metadata.name").is_some_and(|asked| asked != name) {
            return Err(bad_request("fieldSelector metadata.name doesn't match requested name"));
        }
        if !value.is_empty() {
            selector = format!("{selector},{value}");
        }
    }
    Ok(printed.append_pair("fieldSelector", &selector).finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_watch_paths_become_watches_of_the_collection() {
        let rewritten = |path: &str| plain_watch(&path.parse().unwrap()).map(|uri| uri.unwrap().to_string());
        let table = [
            ("/api/v1/watch/pods", Some("/api/v1/pods?watch=true&")),
            ("/api/v1/watch/namespaces/n/pods", Some("/api/v1/namespaces/n/pods?watch=true&")),
            (
                "/apis/g/v1/watch/namespaces/n/foos/x?a=b",
                Some("/apis/g/v1/namespaces/n/foos?watch=true&a=b&fieldSelector=metadata.name%3Dx"),
            ),
            ("/api/v1/watch/nodes/x", Some("/api/v1/nodes?watch=true&fieldSelector=metadata.name%3Dx")),
            ("/api/v1/watch/namespaces/x", Some("/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dx")),
            ("/api/v1/pods", None),
        ];
        for (path, expected) in table {
            assert_eq!(rewritten(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn a_timeout_is_a_go_duration() {
        for good in ["5s", "1m30s", "1.5h", "0", "100ms", "", "-1s", "+2m"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["5", "s", "five", "5x"] {
            assert!(!is_duration(bad), "{bad}");
        }
    }
}
