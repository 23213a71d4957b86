//! Aggregated discovery (`apidiscovery.k8s.io/v2`): all groups in one document, with an ETag to ask again cheaply.

use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH, VARY};
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::Group;
use crate::catalog::kinds::{Kind, Subresource};
use crate::response;
use crate::response::body::Body;
use crate::response::shared_text::SharedText;

/// Whether the first media type that can be served is the aggregated one.
pub(crate) fn is_wanted(accept: &str) -> bool {
    // A client that names it gets it, even with a lower preference (`q`) than something else.
    let media_type = accept.split(',').map(str::trim).find(|media_type| {
        let plain = !media_type.contains("as=");
        is_aggregated(media_type)
            || (plain && (media_type.starts_with("application/json") || media_type.starts_with("*/*")))
    });
    media_type.is_some_and(is_aggregated)
}

fn is_aggregated(media_type: &str) -> bool {
    let mut parameters = media_type.split(';').map(str::trim);
    let is_json = parameters.next() == Some("application/json");
    let rest: Vec<&str> = parameters.collect();
    is_json && ["g=apidiscovery.k8s.io", "v=v2", "as=APIGroupDiscoveryList"].iter().all(|wanted| rest.contains(wanted))
}

/// The document, or the fact that the client has it.
pub(crate) fn answer(text: &SharedText, headers: &HeaderMap) -> Response<Body> {
    let tag = format!("\"{}\"", text.digest());
    let known = headers.get(IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
    let mut response = if known { response::json(304, Default::default()) } else { text.answer(headers) };
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
    }
    let set: [(HeaderName, HeaderValue); 3] = [
        (CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE)),
        (ETAG, HeaderValue::from_str(&tag).expect("a quoted hexadecimal number is a header value")),
        (CACHE_CONTROL, HeaderValue::from_static("public")),
    ];
    for (name, value) in set {
        response.headers_mut().insert(name, value);
    }
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    response
}

/// The document of these groups.
pub(super) fn document(groups: &[Group]) -> Value {
    let items: Vec<Value> = groups.iter().map(group).collect();
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items})
}

fn group(group: &Group) -> Value {
    let versions: Vec<Value> = group
        .versions
        .iter()
        .map(|(version, kinds)| {
            let resources: Vec<Value> = kinds.iter().map(|kind| resource(kind)).collect();
            json!({"version": version, "resources": resources, "freshness": "Current"})
        })
        .collect();
    let metadata = if group.name.is_empty() { json!({}) } else { json!({"name": group.name}) };
    json!({"metadata": metadata, "versions": versions})
}

fn resource(kind: &Kind) -> Value {
    let mut document = json!({
        "resource": kind.plural,
        "responseKind": own_kind(kind, &kind.kind),
        "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": kind.singular,
        "verbs": kind.verbs,
    });
    if !kind.short_names.is_empty() {
        document["shortNames"] = json!(kind.short_names);
    }
    if !kind.categories.is_empty() {
        document["categories"] = json!(kind.categories);
    }
    if !kind.subresources.is_empty() {
        document["subresources"] = kind.subresources.iter().map(|part| subresource(kind, part)).collect();
    }
    document
}

fn subresource(kind: &Kind, subresource: &Subresource) -> Value {
    let response_kind = match subresource.group_version.split_once('/') {
        Some((group, version)) => json!({"group": group, "version": version, "kind": subresource.kind}),
        None => own_kind(kind, &subresource.kind),
    };
    json!({"subresource": subresource.name, "responseKind": response_kind, "verbs": subresource.verbs})
}

/// A built-in kind leaves its own group and version empty, as kube-apiserver does; a custom one states them.
fn own_kind(kind: &Kind, name: &str) -> Value {
    if kind.is_custom() {
        json!({"group": kind.group, "version": kind.version, "kind": name})
    } else {
        json!({"group": "", "version": "", "kind": name})
    }
}

const MEDIA_TYPE: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
