//! Answers in the media type a client asked for first: JSON, YAML or protobuf, and packed where it is worth it.
//!
//! In: an answer in JSON. Out: the same, rewritten where the `Accept` header ([`mod@accept`]) prefers another encoding that the
//! object has. A watch stays JSON, unless its client takes nothing but protobuf.

pub(crate) mod accept;
pub(crate) mod gzip;
mod indent;

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, USER_AGENT, VARY,
};
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use pintle_wire::protobuf;
use serde_json::Value;

use accept::Encoding;
use gzip::Packed;

use crate::request::resolve::{ACCEPTED, accepted_only};
use crate::response;
use crate::response::body::{Body, Interrupted};

/// A document of discovery in the best encoding that its client takes and that it has; 406 where there is none.
pub(crate) fn document(headers: &HeaderMap, document: &Value) -> Response<Body> {
    let Some(encoding) = accept::of_document(headers) else {
        return response::refusal(&accepted_only(ACCEPTED));
    };
    let (bytes, media_type) = rewritten(encoding, document.to_string().into(), false);
    let mut response = response::json(200, bytes);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// Whether a client of a watch takes nothing but protobuf.
pub(crate) fn wants_protobuf_alone(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_types = accept.split(',').map(|range| range.split(';').next().unwrap_or_default().trim());
    let mut known =
        media_types.filter(|it| matches!(*it, "application/json" | "application/*" | "*/*" | protobuf::MEDIA_TYPE));
    let first = known.next();
    first == Some(protobuf::MEDIA_TYPE) && known.all(|it| it == protobuf::MEDIA_TYPE)
}

/// Rewrites an answer that is not a watch in the encoding that its client takes.
pub(crate) async fn negotiate(
    headers: &HeaderMap,
    query: Option<&str>,
    encoding: Encoding,
    response: Response<Body>,
) -> Result<Response<Body>, Interrupted> {
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|value| value == "application/json");
    let (packs, is_pretty) = (takes_gzip(headers), is_pretty(headers, query.unwrap_or_default()));
    if !is_json || (encoding == Encoding::Json && !packs && !is_pretty) {
        return Ok(response);
    }
    let (mut parts, mut body) = response.into_parts();
    if encoding != Encoding::Json || is_pretty {
        let json = body.collect().await?.to_bytes();
        let (bytes, media_type) = rewritten(encoding, json, is_pretty);
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        parts.headers.remove(CONTENT_LENGTH);
        body = Body::full(bytes);
    }
    if !packs {
        return Ok(Response::from_parts(parts, body));
    }
    Ok(match gzip::pack(body).await? {
        Packed::Plain(body) => Response::from_parts(parts, body),
        Packed::Gzip(body) => {
            parts.headers.remove(CONTENT_LENGTH);
            parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.append(VARY, HeaderValue::from_static("Accept-Encoding"));
            Response::from_parts(parts, body)
        }
    })
}

/// The answer in an encoding; in JSON if it has no such one.
fn rewritten(encoding: Encoding, json: Bytes, is_pretty: bool) -> (Bytes, &'static str) {
    let other = match encoding {
        Encoding::Json => None,
        Encoding::Protobuf => protobuf::from_json(&json).ok().map(Bytes::from),
        Encoding::Yaml => serde_json::from_slice(&json).ok().map(|value| crate::codec::yaml::print(&value).into()),
    };
    match other {
        Some(bytes) => (bytes, encoding.media_type()),
        None if is_pretty => (indent::indented(&json), "application/json"),
        None => (json, "application/json"),
    }
}

/// People who look at an answer say so, or use a program that is known for it.
fn is_pretty(headers: &HeaderMap, query: &str) -> bool {
    let said = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "pretty");
    if let Some((_, value)) = said {
        return !matches!(&*value, "0" | "f" | "F" | "false" | "FALSE" | "False");
    }
    let agent = headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    ["curl", "Wget", "Mozilla/5.0"].iter().any(|program| agent.starts_with(program))
}

/// Whether a client unpacks answers.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let said = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split(',').any(|coding| coding.split(';').next().unwrap_or_default().trim() == "gzip")
}
