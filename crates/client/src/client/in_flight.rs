//! How many plain calls are under way at once.
//!
//! A program that starts ten thousand calls together gets its answers sooner when they queue here than when they queue
//! in the server, which would refuse most of them. A place is held until the answer was read or dropped. Watches and
//! other answers without an end are not counted: they would take the places for ever.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::{BoxFuture, FutureExt};
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::{BoxError, Service};

use super::body::Body;
use super::deadline::{Stage, Stalled, WHOLE_TIMEOUT};
use super::pace::Pace;
use crate::error::Error;

/// Enough to keep every server busy, and what a client may cost it at most.
pub(super) const IN_FLIGHT_MAX: usize = 1024;

/// The service that lets so many calls through.
#[derive(Clone)]
pub(super) struct InFlight<S> {
    inner: S,
    places: Arc<Semaphore>,
}

impl<S> InFlight<S> {
    pub(super) fn new(inner: S, max: usize) -> Self {
        Self { inner, places: Arc::new(Semaphore::new(max)) }
    }
}

impl<S> Service<Request<Body>> for InFlight<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<Body>, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if Pace::of(&request) != Pace::Plain {
            return self.inner.call(request).boxed();
        }
        let next = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, next);
        let turn = self.places.clone().acquire_owned();
        async move {
            let Ok(Ok(place)) = tokio::time::timeout(WHOLE_TIMEOUT, turn).await else {
                return Err(Stalled::new(Stage::Turn, WHOLE_TIMEOUT).into());
            };
            let response = inner.call(request).await?;
            Ok(response.map(|body| Body::wrap_body(Placed { body, _place: place })))
        }
        .boxed()
    }
}

/// A body that holds its place.
struct Placed {
    body: Body,
    _place: OwnedSemaphorePermit,
}

impl HttpBody for Placed {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tower::{ServiceExt, service_fn};

    use super::*;
    use crate::error::ErrorKind;

    fn get(uri: &str) -> Request<Body> {
        Request::get(uri).body(Body::empty()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_waits_for_its_turn_until_an_answer_is_dropped_and_a_watch_never_does() {
        let answer = service_fn(|_: Request<Body>| async { Ok::<_, BoxError>(Response::new(Body::empty())) });
        let service = InFlight::new(answer, 2);
        let ask = |uri: &'static str| service.clone().oneshot(get(uri));
        let (first, _second) = (ask("/a").await.unwrap(), ask("/b").await.unwrap());
        ask("/c?watch=true").await.unwrap();
        let waiting = tokio::spawn(ask("/d"));
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!waiting.is_finished());
        drop(first);
        let _third = waiting.await.unwrap().unwrap();
        let error = ask("/e").await.unwrap_err();
        assert_eq!(Error::of_service(error).kind(), ErrorKind::Unreachable);
    }
}
