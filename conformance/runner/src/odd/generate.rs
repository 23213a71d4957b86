//! Requests that no sensible client sends, and some that one does.
//!
//! ```text
//!   randomness ─► method ─► path and kind ─► query ─► headers ─► body ─► OddRequest
//! ```
//! In: randomness. Out: a request. Half of its parts are as they should be, so that each check behind another is reached.
//! The same seed gives the same requests.

mod bodies;
mod headers;
mod paths;
mod queries;

use std::fmt;

use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;

/// A request, kept in its parts so that it can be printed.
pub(super) struct OddRequest {
    method: String,
    path: String,
    accept: Option<String>,
    content_type: Option<String>,
    body: Vec<u8>,
}

impl OddRequest {
    /// A plain create.
    pub(super) fn create(path: &str, body: &Value) -> OddRequest {
        OddRequest {
            method: "POST".to_owned(),
            path: path.to_owned(),
            accept: Some(headers::JSON.to_owned()),
            content_type: Some(headers::JSON.to_owned()),
            body: body.to_string().into_bytes(),
        }
    }

    /// The next request.
    pub(super) fn new(random: &mut fastrand::Rng) -> OddRequest {
        let method = pick(random, METHODS).to_owned();
        let (path, row) = paths::path(random);
        let query = queries::query(random, &method);
        let content_type = headers::content_type(random, &method);
        let accept = headers::accept(random);
        let body = bodies::body(random, &method, row);
        let mut made = OddRequest { method, path: format!("{path}{query}"), accept, content_type, body };
        if made.method == "DELETE" && paths::holds_the_others(&path) {
            made.content_type = Some(headers::JSON.to_owned());
            made.body = bodies::DRY_RUN.into();
        }
        made
    }

    /// Path and query.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn http(&self) -> http::Result<Request<Vec<u8>>> {
        let mut request = Request::builder().method(self.method.as_str()).uri(&self.path);
        if let Some(accept) = &self.accept {
            request = request.header(ACCEPT, accept);
        }
        if let Some(content_type) = &self.content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        request.body(self.body.clone())
    }
}

impl fmt::Display for OddRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let body: String = String::from_utf8_lossy(&self.body).chars().take(BODY_SHOWN).collect();
        let (accept, content_type) = (header(&self.accept), header(&self.content_type));
        write!(f, "{} {} accept={accept} content-type={content_type} body={body:?}", self.method, self.path)
    }
}

fn pick<'a>(random: &mut fastrand::Rng, all: &[&'a str]) -> &'a str {
    all[random.usize(..all.len())]
}

/// As often as they are interesting.
const METHODS: &[&str] = &[
    "GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "POST", "POST", "POST", "POST", "PUT", "PUT", "PUT", "PUT",
    "PATCH", "PATCH", "PATCH", "PATCH", "DELETE", "DELETE", "DELETE", "HEAD", "HEAD", "OPTIONS", "TRACE", "ODD", "get",
    "LIST", "WATCH",
];

/// Enough to see what it is.
const BODY_SHOWN: usize = 160;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_can_be_sent_and_a_seed_gives_the_same_ones() {
        let requests = |seed: u64| {
            let mut random = fastrand::Rng::with_seed(seed);
            (0..20_000).map(move |_| OddRequest::new(&mut random))
        };
        for (one, other) in requests(7).zip(requests(7)) {
            assert_eq!(one.to_string(), other.to_string());
            assert!(one.http().is_ok(), "{one}");
        }
    }
}
