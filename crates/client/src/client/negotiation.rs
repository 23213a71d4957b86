//! Which format objects are asked for.
//!
//! Built-in kinds are asked for as protobuf first and as JSON second; what the answer says it is is what is read. A
//! server (or something in front of it) that refuses the question itself is asked for JSON from then on, and so is every
//! server by a client that was [told to](Client::with_json_only).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::Request;
use http::header::{ACCEPT, HeaderValue};
use pintle_wire::MediaType;
use serde::de::DeserializeOwned;

use super::Client;
use super::body::Body;
use crate::error::{Error, Result};

const PROTOBUF_FIRST: HeaderValue = HeaderValue::from_static("application/vnd.kubernetes.protobuf,application/json");

/// What is known about formats so far.
#[derive(Debug, Default)]
pub(super) struct Negotiation {
    is_json_only: AtomicBool,
}

impl Client {
    /// The same client, which asks for JSON alone. Otherwise it reads and watches built-in kinds as protobuf where the
    /// server has it, which costs both sides a fraction of the work; what it decodes to is the same.
    #[must_use]
    pub fn with_json_only(mut self) -> Self {
        self.negotiation = Arc::new(Negotiation { is_json_only: AtomicBool::new(true) });
        self
    }

    /// Like [`stream`](Self::stream), for objects that may come as protobuf.
    pub(crate) async fn stream_protobuf_first(&self, request: Request<Vec<u8>>) -> Result<(MediaType, Body)> {
        self.protobuf_first(request, |request| self.stream(request)).await
    }

    /// Like [`request`](Self::request), for objects that may come as protobuf.
    pub(crate) async fn request_protobuf_first<T: DeserializeOwned>(&self, request: Request<Vec<u8>>) -> Result<T> {
        self.protobuf_first(request, |request| self.request(request)).await
    }

    async fn protobuf_first<T, F>(&self, request: Request<Vec<u8>>, ask: impl Fn(Request<Vec<u8>>) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let is_json_only = &self.negotiation.is_json_only;
        if is_json_only.load(Ordering::Relaxed) || request.headers().contains_key(ACCEPT) {
            return ask(request).await;
        }
        let mut first = request.clone();
        first.headers_mut().insert(ACCEPT, PROTOBUF_FIRST);
        match ask(first).await {
            Err(Error::Api(status)) if matches!(status.code, NOT_ACCEPTABLE | UNSUPPORTED_MEDIA_TYPE) => {
                tracing::debug!(
                    code = status.code,
                    "the server refuses to be asked for protobuf; it is asked for JSON"
                );
                is_json_only.store(true, Ordering::Relaxed);
                ask(request).await
            }
            answer => answer,
        }
    }
}

const NOT_ACCEPTABLE: u16 = 406;
const UNSUPPORTED_MEDIA_TYPE: u16 = 415;
