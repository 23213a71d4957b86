//! The `Accept` header of a request, understood as kube-apiserver understands it.
//!
//! In: the header, and what an endpoint can be asked for. Out: the first of its ranges, by preference, that the endpoint
//! allows: an encoding, and the form in which objects come in it. A refusal is written by the same rules at an endpoint that
//! has no forms; where those leave nothing it is JSON.

use http::HeaderMap;
use http::header::ACCEPT;
use pintle_core::call::{Form, by_preference};
use pintle_wire::protobuf;

use crate::catalog::kinds::Kind;

/// What an answer is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    Yaml,
    Protobuf,
}

/// A form that objects are asked for in, by its kind, group and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Transform<'a> {
    kind: &'a str,
    group: &'a str,
    version: &'a str,
}

/// The range of an `Accept` header that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) encoding: Encoding,
    pub(crate) form: Form,
    /// Whether the form is `PartialObjectMetadataList`.
    pub(crate) is_list_of_metadata: bool,
    /// Whether the form is wanted in its first version, `v1beta1`.
    pub(crate) is_beta: bool,
}

/// What a client gets that does not say what it takes.
pub(crate) const PLAIN: Accepted =
    Accepted { encoding: Encoding::Json, form: Form::Object, is_list_of_metadata: false, is_beta: false };

impl Encoding {
    /// In the order in which a wildcard is tried.
    const ALL: [Encoding; 3] = [Encoding::Json, Encoding::Yaml, Encoding::Protobuf];

    pub(super) fn media_type(self) -> &'static str {
        match self {
            Encoding::Json => "application/json",
            Encoding::Yaml => "application/yaml",
            Encoding::Protobuf => protobuf::MEDIA_TYPE,
        }
    }
}

/// What the client of a request about a kind gets; none where it takes nothing that there is.
pub(crate) fn of_objects(headers: &HeaderMap, kind: &Kind) -> Option<Accepted> {
    first_allowed(headers, |encoding, transform| match transform {
        // A custom resource has no message, but its metadata has.
        None => encoding != Encoding::Protobuf || !kind.is_custom(),
        Some(Transform { group, version, .. }) if *group != "meta.k8s.io" || !matches!(*version, "v1" | "v1beta1") => {
            false
        }
        Some(Transform { kind: "Table", .. }) => encoding != Encoding::Protobuf && kind.allows("list"),
        Some(Transform { kind, .. }) => matches!(*kind, "PartialObjectMetadata" | "PartialObjectMetadataList"),
    })
}

/// What a document that has no other form is written in; none where its client takes nothing that there is.
pub(crate) fn of_document(headers: &HeaderMap) -> Option<Encoding> {
    first_allowed(headers, |_, transform| transform.is_none()).map(|accepted| accepted.encoding)
}

/// What a refusal is written in.
pub(crate) fn of_refusal(headers: &HeaderMap) -> Encoding {
    of_document(headers).unwrap_or(Encoding::Json)
}

fn first_allowed(headers: &HeaderMap, allows: impl Fn(Encoding, Option<&Transform<'_>>) -> bool) -> Option<Accepted> {
    let accept = headers.get(ACCEPT).map_or("", |value| value.to_str().unwrap_or("?"));
    if accept.is_empty() {
        return Some(PLAIN);
    }
    by_preference(accept).into_iter().find_map(|range| {
        let (media_type, parameters) = range.split_once(';').unwrap_or((range, ""));
        let said = |wanted: &str| {
            let mut pairs = parameters.split(';').filter_map(|parameter| parameter.split_once('='));
            pairs.find(|(name, value)| name.trim() == wanted && !value.contains('=')).map(|(_, value)| value.trim())
        };
        let transform = ["as", "g", "v"].iter().any(|name| said(name).is_some()).then(|| Transform {
            kind: said("as").unwrap_or_default(),
            group: said("g").unwrap_or_default(),
            version: said("v").unwrap_or_default(),
        });
        let stream = said("stream").unwrap_or_default();
        let encoding = Encoding::ALL.into_iter().find(|encoding| {
            let is_meant = matches!(media_type.trim(), "*" | "*/*" | "application/*")
                || media_type.trim() == encoding.media_type();
            // There is no stream of YAML documents.
            let streams = stream.is_empty() || (stream == "watch" && *encoding != Encoding::Yaml);
            // Versions of servers were never served.
            is_meant && streams && said("sv").is_none() && allows(*encoding, transform.as_ref())
        })?;
        Some(Accepted::new(encoding, transform.unwrap_or_default()))
    })
}

impl Accepted {
    fn new(encoding: Encoding, transform: Transform<'_>) -> Accepted {
        Accepted {
            encoding,
            form: match transform.kind {
                "Table" => Form::Table,
                "PartialObjectMetadata" | "PartialObjectMetadataList" => Form::Metadata,
                _ => Form::Object,
            },
            is_list_of_metadata: transform.kind == "PartialObjectMetadataList",
            is_beta: transform.version == "v1beta1",
        }
    }
}

#[cfg(test)]
mod tests {
    use http::header::HeaderValue;

    use super::*;
    use crate::catalog::kinds;

    fn headers(accept: &str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT, HeaderValue::from_str(accept).unwrap())])
    }

    #[test]
    fn the_first_range_that_an_endpoint_allows_counts() {
        let pods = kinds::built_in("", "v1", "pods").unwrap();
        let of = |accept: &str| of_objects(&headers(accept), &pods).map(|accepted| (accepted.encoding, accepted.form));
        use Encoding::{Json, Protobuf, Yaml};
        let table = [
            ("", Some((Json, Form::Object))),
            ("*", Some((Json, Form::Object))),
            ("application/json;as=Table;v=v1;g=meta.k8s.io", Some((Json, Form::Table))),
            ("application/json;as=Table;v=v2;g=meta.k8s.io,application/yaml", Some((Yaml, Form::Object))),
            ("application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", None),
            (
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
                Some((Protobuf, Form::Metadata)),
            ),
            ("application/yaml;stream=watch", None),
            ("application/json;v=v1", None),
            ("Application/JSON", None),
            (",", None),
        ];
        for (accept, expected) in table {
            assert_eq!(of(accept), expected, "{accept}");
        }
    }

    #[test]
    fn a_refusal_comes_in_an_encoding_that_was_asked_for_without_a_form_or_in_json() {
        let table = [
            ("application/yaml", Encoding::Yaml),
            ("application/yaml;as=Table;v=v1;g=meta.k8s.io", Encoding::Json),
            ("application/yaml;stream=watch", Encoding::Json),
            ("text/html,application/vnd.kubernetes.protobuf;q=0.5", Encoding::Protobuf),
            ("nonsense", Encoding::Json),
        ];
        for (accept, expected) in table {
            assert_eq!(of_refusal(&headers(accept)), expected, "{accept}");
        }
    }
}
