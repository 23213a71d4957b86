//! Answers in the media type a client asked for first: JSON, YAML or protobuf, and packed where it is worth it.
//!
//! In: an answer in JSON. Out: the same, rewritten where the `Accept` header prefers another encoding that the object
//! has. A watch stays JSON, which every client takes that would rather have protobuf; so does a custom resource.

use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, VARY};
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use pintle_wire::protobuf;
use serde_json::Value;

use crate::body::{Body, Interrupted};

/// What an answer is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Json,
    Yaml,
    Protobuf,
}

impl Encoding {
    /// The first that a client names.
    fn wanted(headers: &HeaderMap) -> Encoding {
        let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let first = accept.split(',').find_map(|range| match range.split(';').next().unwrap_or_default().trim() {
            "application/json" | "application/*" | "*/*" => Some(Encoding::Json),
            "application/yaml" => Some(Encoding::Yaml),
            protobuf::MEDIA_TYPE => Some(Encoding::Protobuf),
            _ => None,
        });
        first.unwrap_or(Encoding::Json)
    }
}

/// Rewrites an answer that is not a watch.
pub(super) async fn negotiate(headers: &HeaderMap, response: Response<Body>) -> Result<Response<Body>, Interrupted> {
    let wanted = Encoding::wanted(headers);
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|value| value == "application/json");
    let packs = takes_gzip(headers);
    if !is_json || (wanted == Encoding::Json && !packs) {
        return Ok(response);
    }
    let (mut parts, body) = response.into_parts();
    let json = body.collect().await?.to_bytes();
    let (bytes, media_type) = rewritten(wanted, json);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    parts.headers.remove(CONTENT_LENGTH);
    if packs && bytes.len() > PACKED_BYTES_MIN {
        parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        parts.headers.append(VARY, HeaderValue::from_static("Accept-Encoding"));
        return Ok(Response::from_parts(parts, Body::full(packed(&bytes))));
    }
    Ok(Response::from_parts(parts, Body::full(bytes)))
}

fn rewritten(wanted: Encoding, json: Bytes) -> (Bytes, &'static str) {
    match wanted {
        Encoding::Protobuf => match protobuf::from_json(&json) {
            Ok(message) => (message.into(), protobuf::MEDIA_TYPE),
            // A custom resource has no such form.
            Err(_) => (json, "application/json"),
        },
        Encoding::Yaml => {
            let value = serde_json::from_slice::<Value>(&json).ok();
            match value.and_then(|value| serde_saphyr::to_string(&value).ok()) {
                Some(yaml) => (yaml.into(), "application/yaml"),
                None => (json, "application/json"),
            }
        }
        Encoding::Json => (json, "application/json"),
    }
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let said = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split(',').any(|coding| coding.split(';').next().unwrap_or_default().trim() == "gzip")
}

fn packed(bytes: &[u8]) -> Bytes {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("memory takes what is written").into()
}

/// kube-apiserver packs nothing smaller: it would cost more time than it saves.
const PACKED_BYTES_MIN: usize = 128 * 1024;
