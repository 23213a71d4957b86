//! Answers of a few lines of text, as probes and scrapers get them.

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Method, Response, StatusCode};
use http_body_util::Full;

/// A text, and nothing that a browser could take for something else.
pub(crate) fn text_answer(code: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::from(text));
    *answer.status_mut() = code;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}

/// The refusal of a method that does not read; `None` if it does.
pub(crate) fn unless_reading(method: &Method) -> Option<Response<Full<Bytes>>> {
    if method == Method::GET || method == Method::HEAD {
        return None;
    }
    let mut refused = text_answer(StatusCode::METHOD_NOT_ALLOWED, "405 method not allowed\n".to_owned());
    refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    Some(refused)
}
