//! From a route to its target: is the kind still there, and can it be answered as it is asked for.
//!
//! In: what the router made of a path. Out: a [`ResolvedTarget`], or the refusal a client gets.

use http::request::Parts;
use http::{HeaderMap, Response, Uri};
use pintle_core::call::{Form, Query, Target, Verb};
use pintle_core::fields::FieldSelector;

use crate::authorization::attributes::{Attributes, Requested};
use crate::catalog::Catalog;
use crate::catalog::kinds::{self, Kind};
use crate::cluster::ResolvedTarget;
use crate::response;
use crate::response::body::Body;
use crate::response::negotiation::accept::{self, Accepted, Encoding};
use crate::response::status::{
    Answer, Refusal, bad_request, method_not_allowed, no_such_resource, refuse, refuse_plainly,
};

/// The answer to a path that leads nowhere: below the groups of Kubernetes' own it is a Status, elsewhere a page.
pub(crate) fn nowhere(uri: &Uri) -> Response<Body> {
    match super::segments(uri)[..] {
        ["api", _, ..] => response::refusal(&no_such_resource()),
        ["apis", group, _, ..] if kinds::is_built_in_group(group) => response::refusal(&no_such_resource()),
        _ => response::no_page(),
    }
}

/// What a request is about; `None` when there is no such kind any more.
pub(crate) fn target(catalog: &Catalog, target: &Target, manager: String) -> Option<ResolvedTarget> {
    Some(ResolvedTarget {
        kind: catalog.kind(&target.group, &target.version, &target.plural)?,
        namespace: target.namespace.clone(),
        name: target.name.clone(),
        subresource: target.subresource.clone(),
        manager,
    })
}

/// Whether a collection can be watched: what cannot has no path for it, but the parameter can be sent to any.
pub(crate) fn check_watch(target: &ResolvedTarget, headers: &HeaderMap) -> Answer<()> {
    if !target.kind.allows("watch") {
        return Err(method_not_allowed(&target.kind, "watch"));
    }
    if accept::of_objects(headers, &target.kind).is_some_and(|accepted| accepted.encoding == Encoding::Yaml) {
        return Err(accepted_only("application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"));
    }
    Ok(())
}

/// PartialObjectMetadata is the form of one object, PartialObjectMetadataList of a list. Whether an answer is the right one is
/// seen only when it is there.
pub(crate) fn check_form(kind: &Kind, verb: Verb, accepted: Accepted) -> Answer<()> {
    if accepted.form != Form::Metadata {
        return Ok(());
    }
    let message = match verb {
        Verb::List | Verb::DeleteCollection if !accepted.is_list_of_metadata => {
            "you requested PartialObjectMetadata, but the requested object is a list"
        }
        Verb::Get | Verb::Create | Verb::Replace | Verb::Patch(_) if accepted.is_list_of_metadata => {
            "you requested PartialObjectMetadataList, but the requested object is not a list"
        }
        _ => return Ok(()),
    };
    Err(refuse(406, "NotAcceptable", format!("{message} ({})", go_type(kind, verb))))
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
    if is_long_running(parts) {
        return Ok(());
    }
    let mut parameters = parts.uri.query().unwrap_or_default().split('&');
    match parameters.by_ref().filter_map(|parameter| parameter.strip_prefix("timeout=")).find(|text| !is_duration(text))
    {
        Some(text) => {
            let why = format!("invalid timeout specified in the request URL - time: invalid duration \"{text}\"");
            Err(bad_request(why))
        }
        None => Ok(()),
    }
}

/// Whether a request may take as long as it likes: a watch, and what connects.
fn is_long_running(parts: &Parts) -> bool {
    let Ok(attributes) = Attributes::of(&parts.method, &parts.uri) else { return false };
    let connects = match &attributes.requested {
        Requested::Resource(resource) => {
            matches!(resource.subresource.as_str(), "attach" | "exec" | "proxy" | "log" | "portforward")
        }
        Requested::Path(_) => false,
    };
    connects || matches!(attributes.verb.as_str(), "watch" | "proxy")
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

/// Narrows a query down to the object that the old path of a watch names; refused where a selector asks for another.
pub(crate) fn select_name(query: &mut Query, name: &str) -> Answer<()> {
    let said = query.field_selector.as_deref().unwrap_or_default();
    let asked: FieldSelector = said.parse().map_err(|error| bad_request(format!("{error}")))?;
    if !asked.selects_all() && asked.exact("metadata.name") != Some(name) {
        return Err(bad_request("fieldSelector metadata.name doesn't match requested name"));
    }
    if asked.selects_all() {
        query.field_selector = Some(format!("metadata.name={name}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_the_path_of_a_watch_is_the_one_that_a_selector_asks_for() {
        let table = [
            ("", Some("metadata.name=x")),
            ("metadata.name=x", Some("metadata.name=x")),
            ("metadata.name=x,spec.nodeName=n", Some("metadata.name=x,spec.nodeName=n")),
            ("metadata.name=y", None),
            ("spec.nodeName=n", None),
        ];
        for (said, expected) in table {
            let mut query = Query { field_selector: Some(said.to_owned()), ..Query::default() };
            let selected = select_name(&mut query, "x").ok().and(query.field_selector);
            assert_eq!(selected.as_deref(), expected, "{said}");
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
