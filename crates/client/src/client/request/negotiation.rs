//! Which format objects are asked for.
//!
//! Built-in kinds, and the metadata of every kind, are asked for as protobuf first and as JSON second, where they are read
//! and where a write is answered with what was stored; what the answer says it is is what is read. A server (or something
//! in front of it) that refuses the question itself is asked for JSON from then on, and so is every server by a client
//! [that wants JSON alone](Client::with_json_only). What is sent is JSON.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::header::{ACCEPT, HeaderValue};
use http::{Request, StatusCode};
use pintle_wire::MediaType;
use serde::de::DeserializeOwned;

use super::info::RequestInfo;
use crate::client::Client;
use crate::client::body::Body;
use crate::error::{Error, Result};

/// What is known about formats so far.
#[derive(Debug, Default)]
pub(in crate::client) struct Negotiation {
    is_json_only: AtomicBool,
}

impl Client {
    /// The same client, which asks for JSON alone. Otherwise built-in kinds and metadata come as protobuf where the server has it,
    /// which costs both sides a fraction of the work; what it decodes to is the same.
    #[must_use]
    pub fn with_json_only(mut self) -> Self {
        self.negotiation = Arc::new(Negotiation { is_json_only: AtomicBool::new(true) });
        self
    }

    /// Like [`stream`](Self::stream), for objects that may come as protobuf.
    pub(crate) async fn stream_protobuf_first(&self, request: Request<Vec<u8>>) -> Result<(MediaType, Body)> {
        self.protobuf_first(request, |request| self.stream(request)).await
    }

    /// Like [`request_with_code`](Self::request_with_code), for objects that may come as protobuf.
    pub(crate) async fn request_protobuf_first<T: DeserializeOwned>(
        &self,
        request: Request<Vec<u8>>,
    ) -> Result<(StatusCode, T)> {
        self.protobuf_first(request, |request| self.request_with_code(request)).await
    }

    async fn protobuf_first<T, F>(&self, request: Request<Vec<u8>>, ask: impl Fn(Request<Vec<u8>>) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let is_json_only = &self.negotiation.is_json_only;
        let accept = RequestInfo::of(&request).call().and_then(|call| call.accept_protobuf_first());
        let Some(accept) = accept.filter(|_| !is_json_only.load(Ordering::Relaxed)) else {
            return ask(request).await;
        };
        let mut first = request.clone();
        first.headers_mut().insert(ACCEPT, HeaderValue::from_static(accept));
        let answer = ask(first).await;
        if !is_about_formats(&answer) {
            return answer;
        }
        // Nothing was executed, so a write may be sent again too.
        let answer = ask(request).await;
        // Where this is refused as well it was not about protobuf: the server may not know the patch that was sent.
        if !is_about_formats(&answer) {
            tracing::debug!("the server refuses to be asked for protobuf; from now on it is asked for JSON");
            is_json_only.store(true, Ordering::Relaxed);
        }
        answer
    }
}

/// Whether the server says that it does not have the format of the question or of the answer.
fn is_about_formats<T>(answer: &Result<T>) -> bool {
    matches!(answer, Err(Error::Api(status)) if matches!(status.code, NOT_ACCEPTABLE | UNSUPPORTED_MEDIA_TYPE))
}

const NOT_ACCEPTABLE: u16 = 406;
const UNSUPPORTED_MEDIA_TYPE: u16 = 415;
