//! Responses: the few shapes in which an answer leaves, and what is done to one on its way out.
//!
//! ```text
//!  answer or Refusal (status) ─► Response<Body> ─► table ─► metadata_v1beta1 ─► negotiation ─► protobuf_watch ─► client
//! ```
//! In: bytes, values and refusals. Out: a `Response<Body>` with kube-apiserver's headers, rewritten as `Accept` wants it.

pub(crate) mod body;
pub(crate) mod metadata_v1beta1;
pub(crate) mod negotiation;
pub(crate) mod protobuf_watch;
pub(crate) mod shared_text;
pub(crate) mod status;
pub(crate) mod table;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WARNING, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, Response, StatusCode};
use pintle_core::response::document::Document;
use serde_json::Value;

use crate::response::body::Body;
use crate::response::status::Refusal;

/// JSON that is ready.
pub(crate) fn json(code: u16, body: Bytes) -> Response<Body> {
    with_body(code, Body::full(body))
}

/// JSON that comes in pieces.
pub(crate) fn stream(body: Body) -> Response<Body> {
    with_body(200, body)
}

/// JSON from a value.
pub(crate) fn value(value: &Value) -> Response<Body> {
    json(200, value.to_string().into())
}

/// JSON from a value that was made by this request.
pub(crate) fn made(value: &Value) -> Response<Body> {
    json(201, value.to_string().into())
}

/// A refusal.
pub(crate) fn refusal(refusal: &Refusal) -> Response<Body> {
    // Where kube-apiserver's router refuses, and not what is behind it, the answer is indented.
    let is_routers = refusal.details.as_ref().is_some_and(|details| *details == Default::default());
    let print = if is_routers { serde_json::to_vec_pretty } else { serde_json::to_vec };
    let body = print(&Document(refusal)).expect("a Status always prints");
    let mut response = json(refusal.code, body.into());
    let seconds = refusal.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    if seconds > 0 {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Adds warnings to an answer, one header per sentence. As kube-apiserver does, once they
/// are too long together each is cut short.
pub(crate) fn warn(headers: &mut HeaderMap, warnings: &[String]) {
    let total: usize = warnings.iter().map(|warning| warning.chars().count()).sum();
    for warning in warnings {
        let most = if total > WARNINGS_MAX { WARNING_MAX } else { usize::MAX };
        let text: String = warning.chars().filter(|sign| !sign.is_control()).take(most).collect();
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_bytes(format!("299 - \"{quoted}\"").as_bytes()) {
            headers.append(WARNING, value);
        }
    }
}

/// Adds a warning before all others.
pub(crate) fn warn_first(headers: &mut HeaderMap, warning: &str) {
    let others: Vec<HeaderValue> = headers.get_all(WARNING).iter().cloned().collect();
    headers.remove(WARNING);
    warn(headers, &[warning.to_owned()]);
    for other in others {
        headers.append(WARNING, other);
    }
}

/// Plain text.
pub(crate) fn text(code: u16, text: impl Into<Bytes>) -> Response<Body> {
    let mut response = with_body(code, Body::full(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Nothing to say.
pub(crate) fn no_content() -> Response<Body> {
    let mut response = with_body(204, Body::empty());
    response.headers_mut().remove(CONTENT_TYPE);
    response
}

/// The answer for an unknown path.
pub(crate) fn no_page() -> Response<Body> {
    let mut response = text(404, "404 page not found\n");
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn with_body(code: u16, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    response
}

/// kube-apiserver's: so many signs of warnings in one answer, and so many of each beyond that.
const WARNINGS_MAX: usize = 4096;
const WARNING_MAX: usize = 256;
