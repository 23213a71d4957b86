//! Media types: what a body is said to be in, and what the answer may come in.

use super::pick;

/// The `Content-Type` of a body, if there is one.
pub(super) fn content_type(random: &mut fastrand::Rng, method: &str) -> Option<String> {
    match (method, random.u8(..4)) {
        (_, 0) => some(random, MEDIA_TYPES),
        ("PATCH", _) => Some(pick(random, PATCH_TYPES).to_owned()),
        _ => Some(JSON.to_owned()),
    }
}

/// The `Accept` header, if there is one.
pub(super) fn accept(random: &mut fastrand::Rng) -> Option<String> {
    if random.bool() { Some(JSON.to_owned()) } else { some(random, ACCEPTS) }
}

/// One of them, or none.
fn some(random: &mut fastrand::Rng, all: &[&str]) -> Option<String> {
    (random.u8(..6) > 0).then(|| pick(random, all).to_owned())
}

pub(super) const JSON: &str = "application/json";

const ACCEPTS: &[&str] = &[
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "*/*",
    "application/*",
    "*",
    "text/html",
    "text/plain",
    "text/*",
    "",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
    "application/json;as=Table;v=v2;g=meta.k8s.io",
    "application/json;as=Table;v=v1;g=example.com",
    "application/json;as=Table",
    "application/json;as=Table;v=v2;g=meta.k8s.io,application/json",
    "application/yaml;as=Table;v=v1;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v2;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/json;as=Nothing;v=v1;g=meta.k8s.io",
    "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io",
    "application/json;as=APIGroupDiscoveryList;v=v9;g=apidiscovery.k8s.io",
    "application/vnd.kubernetes.protobuf,application/json",
    "application/vnd.kubernetes.protobuf;q=0.1,application/json;q=0.9",
    "text/html,application/yaml;q=0.5",
    "text/html;q=0.9,*/*;q=0.1",
    "nonsense",
    "application/json;q=0",
    "application/json;q=x",
    "application/json;stream=watch",
    "application/yaml;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/cbor",
    "application/json,",
    ";",
    ",",
    "application/json;pretty=1",
    "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
];

const MEDIA_TYPES: &[&str] = &[
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "text/plain",
    "application/json;charset=utf-8",
    "application/json; charset=latin1",
    "application/json;",
    "application/json;x",
    "Application/JSON",
    " application/json",
    "application/json, application/yaml",
    "application/cbor",
    "application/*",
    "*/*",
    "nonsense",
    "",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/merge-patch+json; charset=utf-8",
    "Application/Merge-Patch+JSON",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/apply-patch+cbor",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
];

const PATCH_TYPES: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];
