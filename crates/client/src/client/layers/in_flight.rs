//! Adds a limit to how many plain calls of a client are under way at once: a call counts until its answer was read or
//! dropped. Watches and other answers without an end are not counted: they would take the places for ever.
//!
//! A program that starts ten thousand calls together gets its answers sooner when they queue here than when they queue
//! in the server, which would refuse most of them.
//!
//! Outside of the time limits, so that waiting for a turn does not count as the server's time.

use std::sync::Arc;

use futures::future::FutureExt;
use http::Request;
use tokio::sync::Semaphore;

use crate::client::body::Body;
use crate::client::layers::timeouts::WHOLE_TIMEOUT;
use crate::client::layers::wrapped::{Answer, Inner, WrapsCalls, take_ready};
use crate::client::reporter::stalled::{Stage, Stalled};
use crate::client::request::class::RequestClass;
use crate::client::request::info::RequestInfo;

/// Enough to keep every server busy, and what a client may cost it at most.
pub(in crate::client) const IN_FLIGHT_MAX: usize = 1024;

/// Lets so many calls through at once.
#[derive(Clone)]
pub(in crate::client) struct InFlightLayer {
    places: Arc<Semaphore>,
}

impl InFlightLayer {
    pub(in crate::client) fn new(max: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(max)) }
    }
}

impl WrapsCalls for InFlightLayer {
    fn call<S: Inner>(&self, inner: &mut S, request: Request<Body>) -> Answer {
        if RequestInfo::of(&request).class() != RequestClass::Plain {
            return inner.call(request).boxed();
        }
        let mut inner = take_ready(inner);
        let turn = self.places.clone().acquire_owned();
        async move {
            let Ok(Ok(place)) = tokio::time::timeout(WHOLE_TIMEOUT, turn).await else {
                return Err(Stalled::new(Stage::Turn, WHOLE_TIMEOUT).into());
            };
            let response = inner.call(request).await?;
            Ok(response.map(|body| body.holding(place)))
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::Response;
    use tower::{BoxError, ServiceExt, service_fn};

    use super::*;
    use crate::error::{Error, ErrorKind};

    fn get(uri: &str) -> Request<Body> {
        Request::get(uri).body(Body::empty()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_waits_for_its_turn_until_an_answer_is_dropped_and_a_watch_never_does() {
        let answer = service_fn(|_: Request<Body>| async { Ok::<_, BoxError>(Response::new(Body::empty())) });
        let service = InFlightLayer::new(2).layer(answer);
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
