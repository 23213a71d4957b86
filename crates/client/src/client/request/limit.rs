//! How long the calls of one handle may take, all tries included.
//!
//! A timeout is counted for each call anew, a deadline is a moment for all of them. For a plain call it holds until the
//! whole answer is there. For a watch, a log and a connection it holds until they begin: how long those last is said
//! otherwise. It works over any service, and comes on top of the limits that a client from a `Config` has.

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

use crate::client::layers::call_span::Unanswered;
use crate::client::reporter::call_name::CallName;
use crate::client::reporter::stalled::{Stage, Stalled};
use crate::error::{Error, Result};

/// What a handle grants its calls.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::client) struct Limit {
    pub(in crate::client) timeout: Option<Duration>,
    pub(in crate::client) deadline: Option<Instant>,
}

impl Limit {
    /// Waits for `call`, but not longer than granted.
    pub(in crate::client) async fn hold<T>(self, name: &CallName, call: impl Future<Output = Result<T>>) -> Result<T> {
        let begun = Instant::now();
        let ends = [self.timeout.and_then(|timeout| begun.checked_add(timeout)), self.deadline];
        let Some(end) = ends.into_iter().flatten().min() else {
            return call.await;
        };
        let limit = end.saturating_duration_since(begun);
        // A call that is too late must not be sent: what is polled once may have reached the wire.
        let stage = if limit.is_zero() { Stage::Before } else { Stage::Whole };
        if let Stage::Whole = stage
            && let Ok(answer) = tokio::time::timeout_at(end, call).await
        {
            return answer;
        }
        let stalled = Stalled::new(stage, limit);
        Err(Error::Service(Unanswered::new(name.clone(), stalled.into()).into()))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::stream;
    use http::{Method, Request, Response};
    use http_body_util::StreamBody;
    use tower::service_fn;

    use super::*;
    use crate::client::{Body, Client};

    /// A client whose server answers headers after `seconds`, and then never ends; with a count of its requests.
    fn slow(seconds: u64) -> (Client, Arc<AtomicUsize>) {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let service = service_fn(move |_: Request<Body>| {
            counted.fetch_add(1, Ordering::Relaxed);
            async move {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                let endless = stream::pending::<Result<http_body::Frame<bytes::Bytes>, Infallible>>();
                Ok::<_, Infallible>(Response::new(Body::wrap_body(StreamBody::new(endless))))
            }
        });
        (Client::new(service, "home"), count)
    }

    fn request(method: Method) -> Request<Vec<u8>> {
        Request::builder().method(method).uri("/api/v1/pods?&limit=5").body(Vec::new()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_timeout_is_for_the_whole_of_each_call() {
        let client = slow(4).0.with_timeout(Duration::from_secs(10));
        for _ in 0..2 {
            let begun = Instant::now();
            let error = client.request_text(request(Method::GET)).await.unwrap_err();
            assert_eq!(begun.elapsed().as_secs(), 10);
            assert!(error.is_timeout() && error.is_transient() && !error.maybe_executed(), "{error:?}");
        }
        let error = client.request_text(request(Method::POST)).await.unwrap_err();
        assert!(error.maybe_executed(), "{error:?}");
        let message = "the request failed: POST /api/v1/pods got no answer: the whole call took longer than 10s";
        assert_eq!(error.to_string(), message);
    }

    #[tokio::test(start_paused = true)]
    async fn what_streams_has_to_begin_in_time_and_may_then_last() {
        let client = slow(4).0.with_timeout(Duration::from_secs(5));
        assert!(client.request_stream(request(Method::GET)).await.is_ok());
        let hasty = client.with_timeout(Duration::from_secs(3));
        assert!(hasty.request_stream(request(Method::GET)).await.err().unwrap().is_timeout());
    }

    #[tokio::test(start_paused = true)]
    async fn behind_a_deadline_nothing_is_sent() {
        let (client, count) = slow(4);
        let client =
            client.with_timeout(Duration::from_secs(60)).with_deadline(Instant::now() + Duration::from_secs(6));
        let begun = Instant::now();
        assert!(client.request_text(request(Method::POST)).await.unwrap_err().maybe_executed());
        assert_eq!((begun.elapsed().as_secs(), count.load(Ordering::Relaxed)), (6, 1));
        let late = client.request_text(request(Method::POST)).await.unwrap_err();
        assert!(late.is_timeout() && !late.maybe_executed(), "{late:?}");
        assert_eq!((begun.elapsed().as_secs(), count.load(Ordering::Relaxed)), (6, 1));
    }
}
