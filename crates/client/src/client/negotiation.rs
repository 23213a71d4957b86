//! Which format objects are asked for.
//!
//! Built-in kinds are asked for as protobuf first and as JSON second; what the answer's Content-Type says is what is
//! read. A server (or something in front of it) that refuses the question itself is asked for JSON from then on.

use std::sync::atomic::{AtomicBool, Ordering};

use http::Request;
use http::header::{ACCEPT, HeaderValue};
use pintle_wire::MediaType;

use super::Client;
use super::body::Body;
use crate::error::{Error, Result};

const PROTOBUF_FIRST: HeaderValue = HeaderValue::from_static("application/vnd.kubernetes.protobuf,application/json");

/// What the server has said about formats so far.
#[derive(Debug, Default)]
pub(super) struct Negotiation {
    refuses_protobuf: AtomicBool,
}

impl Client {
    /// Like [`stream`](Self::stream), for objects that may come as protobuf.
    pub(crate) async fn stream_protobuf_first(&self, request: Request<Vec<u8>>) -> Result<(MediaType, Body)> {
        let refused = &self.negotiation.refuses_protobuf;
        if refused.load(Ordering::Relaxed) || request.headers().contains_key(ACCEPT) {
            return self.stream(request).await;
        }
        let mut first = request.clone();
        first.headers_mut().insert(ACCEPT, PROTOBUF_FIRST);
        match self.stream(first).await {
            Err(Error::Api(status)) if matches!(status.code, NOT_ACCEPTABLE | UNSUPPORTED_MEDIA_TYPE) => {
                tracing::debug!(
                    code = status.code,
                    "the server refuses to be asked for protobuf; it is asked for JSON"
                );
                refused.store(true, Ordering::Relaxed);
                self.stream(request).await
            }
            answer => answer,
        }
    }
}

const NOT_ACCEPTABLE: u16 = 406;
const UNSUPPORTED_MEDIA_TYPE: u16 = 415;
