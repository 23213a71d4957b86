//! Answers in the media type a client asked for first: JSON, YAML or protobuf, and packed where it is worth it.
//!
//! In: an answer in JSON. Out: the same, rewritten where the `Accept` header prefers another encoding that the object
//! has. A custom resource stays JSON; so does a watch, unless its client takes nothing but protobuf.

mod gzip;
mod indent;

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, USER_AGENT, VARY,
};
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use pintle_core::call::by_preference;
use pintle_wire::protobuf;
use serde_json::Value;

use gzip::Packed;

use crate::request::resolve::{ACCEPTED, accepted_only};
use crate::response;
use crate::response::body::{Body, Interrupted};

/// What an answer is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Json,
    Yaml,
    Protobuf,
}

impl Encoding {
    /// Those that a client takes, the one it would rather have first; JSON where it does not say.
    fn wanted(headers: &HeaderMap) -> Vec<Encoding> {
        let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut wanted: Vec<Encoding> = by_preference(accept).into_iter().filter_map(Encoding::of).collect();
        if wanted.is_empty() {
            wanted.push(Encoding::Json);
        }
        wanted
    }

    /// That of one range of an `Accept` header.
    fn of(range: &str) -> Option<Encoding> {
        match range.split(';').next().unwrap_or_default().trim() {
            "application/json" | "application/*" | "*/*" => Some(Encoding::Json),
            "application/yaml" => Some(Encoding::Yaml),
            protobuf::MEDIA_TYPE => Some(Encoding::Protobuf),
            _ => None,
        }
    }
}

/// A document of discovery in the best encoding that its client takes and that it has; 406 where there is none.
pub(crate) fn document(headers: &HeaderMap, document: &Value) -> Response<Body> {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let plain = by_preference(accept).into_iter().filter(|range| !range.contains("as="));
    let wanted: Vec<Encoding> = plain.filter_map(Encoding::of).collect();
    if wanted.is_empty() && !accept.trim().is_empty() {
        return response::refusal(&accepted_only(ACCEPTED));
    }
    let (bytes, media_type) = rewritten(&wanted, document.to_string().into(), false);
    let mut response = response::json(200, bytes);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// Whether an `Accept` header names an encoding that there is, in whatever form.
pub(crate) fn is_known(accept: &str) -> bool {
    by_preference(accept).iter().any(|range| Encoding::of(range).is_some())
}

/// Whether a client takes nothing but protobuf, which custom resources do not have.
pub(crate) fn wants_protobuf_alone(headers: &HeaderMap) -> bool {
    Encoding::wanted(headers).iter().all(|encoding| *encoding == Encoding::Protobuf)
}

/// Whether a client takes nothing but YAML, which a watch does not have.
pub(crate) fn wants_yaml_alone(headers: &HeaderMap) -> bool {
    Encoding::wanted(headers).iter().all(|encoding| *encoding == Encoding::Yaml)
}

/// Rewrites an answer that is not a watch.
pub(crate) async fn negotiate(
    headers: &HeaderMap,
    query: Option<&str>,
    response: Response<Body>,
) -> Result<Response<Body>, Interrupted> {
    let wanted = Encoding::wanted(headers);
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|value| value == "application/json");
    let (packs, is_pretty) = (takes_gzip(headers), is_pretty(headers, query.unwrap_or_default()));
    if !is_json || (wanted.first() == Some(&Encoding::Json) && !packs && !is_pretty) {
        return Ok(response);
    }
    let (mut parts, mut body) = response.into_parts();
    if wanted.first() != Some(&Encoding::Json) || is_pretty {
        let json = body.collect().await?.to_bytes();
        let (bytes, media_type) = rewritten(&wanted, json, is_pretty);
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

/// The answer in the first encoding that it has.
fn rewritten(wanted: &[Encoding], json: Bytes, is_pretty: bool) -> (Bytes, &'static str) {
    for encoding in wanted {
        match encoding {
            Encoding::Json => break,
            Encoding::Protobuf => {
                if let Ok(message) = protobuf::from_json(&json) {
                    return (message.into(), protobuf::MEDIA_TYPE);
                }
            }
            Encoding::Yaml => {
                if let Ok(value) = serde_json::from_slice::<Value>(&json) {
                    return (crate::codec::yaml::print(&value).into(), "application/yaml");
                }
            }
        }
    }
    let json = if is_pretty { indent::indented(&json) } else { json };
    (json, "application/json")
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

fn takes_gzip(headers: &HeaderMap) -> bool {
    let said = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split(',').any(|coding| coding.split(';').next().unwrap_or_default().trim() == "gzip")
}
