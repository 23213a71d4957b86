//! Refuses what a [`WriteGuard`](crate::client::write_guard::WriteGuard) does not let through any more.
//!
//! Innermost: a call may have waited for its turn, for credentials or for its next try since it was made.

use std::sync::Arc;

use futures::future::FutureExt;
use http::Request;

use crate::client::body::Body;
use crate::client::connection::write_fence::WriteFence;
use crate::client::layers::wrapped::{Answer, Inner, WrapsCalls};

/// Asks the guard of each request that has one, and lets the connections know of it until it is answered.
#[derive(Clone)]
pub(in crate::client) struct GuardLayer {
    fence: Arc<WriteFence>,
}

impl GuardLayer {
    pub(in crate::client) fn new(fence: Arc<WriteFence>) -> Self {
        Self { fence }
    }
}

impl WrapsCalls for GuardLayer {
    fn call<S: Inner>(&self, inner: &mut S, request: Request<Body>) -> Answer {
        let Some(guard) = request.body().guard().cloned() else { return inner.call(request).boxed() };
        if let Err(error) = guard.check() {
            return std::future::ready(Err(error.into())).boxed();
        }
        let (unanswered, answer) = (self.fence.hold(guard), inner.call(request));
        async move {
            let answer = answer.await;
            drop(unanswered);
            answer
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use http::{Response, StatusCode};
    use tower::{BoxError, service_fn};

    use super::Arc;
    use crate::client::write_guard::WriteGuard;
    use crate::client::writes::Writes;
    use crate::client::{Body, Client};

    /// A server that is too busy, each time.
    #[tokio::test(start_paused = true)]
    async fn a_second_try_behind_the_guard_is_not_made() {
        let (tries, start) = (Arc::new(AtomicUsize::new(0)), tokio::time::Instant::now());
        let counted = Arc::clone(&tries);
        let service = service_fn(move |_: http::Request<Body>| {
            counted.fetch_add(1, Ordering::SeqCst);
            let response = Response::builder().status(StatusCode::TOO_MANY_REQUESTS).header("Retry-After", "3");
            std::future::ready(response.body(Body::empty()).map_err(BoxError::from))
        });
        let client = Client::layered(service, "home");
        let check = move || if start.elapsed() < Duration::from_secs(7) { Ok(()) } else { Err("the lease is over") };
        let request = http::Request::delete("/api/v1/namespaces/a/pods/b").body(Vec::new()).unwrap();
        let call = Writes::new().guarded_by(WriteGuard::new(check)).scope(client.request_text(request));
        assert!(tokio::time::timeout(Duration::from_secs(60), call).await.is_err(), "it is not polled any more");
        // At 0 s, and each time three seconds later or a little more.
        assert!((2..=3).contains(&tries.load(Ordering::SeqCst)), "{tries:?}");
    }
}
