//! A cluster with nothing but pods: a tower service that answers list and watch from prepared bytes.
//!
//! In: requests for pods, with `limit` and `continue` as the client likes. Out: pages cut from one run of bytes, sent
//! in chunks as a socket would hand them over, each a fresh copy; then a watch on which nothing ever happens.
//! It checks nothing and knows no other kind.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use http_body_util::combinators::UnsyncBoxBody;
use tower::Service;

use crate::pods::Pods;

/// The service under a client.
#[derive(Clone)]
pub(crate) struct Cluster {
    pods: Arc<Pods>,
}

impl Cluster {
    pub(crate) fn new(pods: Pods) -> Self {
        Self { pods: Arc::new(pods) }
    }

    fn answer(&self, query: &str) -> UnsyncBoxBody<Bytes, Infallible> {
        let parameter = |name: &str| {
            form_urlencoded::parse(query.as_bytes())
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned())
        };
        if parameter("watch").is_some() {
            return UnsyncBoxBody::new(StreamBody::new(stream::pending()));
        }
        let first: usize = parameter("continue").and_then(|token| token.parse().ok()).unwrap_or(0);
        let limit: usize = parameter("limit")
            .and_then(|limit| limit.parse().ok())
            .unwrap_or(usize::MAX);
        self.page(first, limit)
    }

    fn page(&self, first: usize, limit: usize) -> UnsyncBoxBody<Bytes, Infallible> {
        let end = first.saturating_add(limit).min(self.pods.len());
        let rest = self.pods.len() - end;
        let more = if rest == 0 {
            String::new()
        } else {
            format!(r#","continue":"{end}","remainingItemCount":{rest}"#)
        };
        let head = format!(
            r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{}"{more}}},"items":["#,
            self.pods.resource_version()
        );
        let pods = Arc::clone(&self.pods);
        let items = pods.range(first, end);
        let starts = items.clone().step_by(CHUNK_BYTES);
        let chunks = stream::iter(starts.map(move |start| {
            let chunk_end = items.end.min(start + CHUNK_BYTES);
            Bytes::copy_from_slice(&pods.bytes()[start..chunk_end])
        }));
        let once = |bytes| stream::iter([bytes]);
        let body = once(Bytes::from(head))
            .chain(chunks)
            .chain(once(Bytes::from_static(b"]}")));
        UnsyncBoxBody::new(StreamBody::new(body.map(|bytes| Ok(Frame::data(bytes)))))
    }
}

impl<B> Service<Request<B>> for Cluster {
    type Response = Response<UnsyncBoxBody<Bytes, Infallible>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let body = self.answer(request.uri().query().unwrap_or_default());
        let mut response = Response::new(body);
        response.headers_mut().insert(
            http::header::CONTENT_TYPE,
            http::HeaderValue::from_static("application/json"),
        );
        ready(Ok(response))
    }
}

/// What one read of a busy HTTP/2 connection gives: a DATA frame of the default size.
const CHUNK_BYTES: usize = 16 * 1024;
