//! Whether a task may still write: what a leader's lease, or its share of the work, lets through.
//!
//! ```text
//!   Writes::guarded_by(guard).scope(task)
//!        poll ──► check                                             a task past its time is not polled any more
//!                   └─ client.request(PATCH …) ──► check ──► each try: check ──► body, as it is written: check ══► cluster
//! ```
//! The last check is made by the socket, before it takes bytes (`connection/write_fence.rs`): a process that was stopped with
//! a request on its way and continued much later does not send it then. What the socket had by that time does arrive.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http::Request;
use tower::BoxError;

use super::class::RequestClass;
use super::info::RequestInfo;
use super::writes::Writes;
use crate::client::body::Body;
use crate::error::{Error, Result};

/// Says whether a task may still write; clones say the same.
///
/// It is asked often, so it should look at a clock or a flag and nothing else.
#[derive(Clone)]
pub struct WriteGuard(Arc<dyn Fn() -> std::result::Result<(), BoxError> + Send + Sync>);

/// A request that would have changed the cluster was not sent.
#[derive(Debug, thiserror::Error)]
#[error("nothing is written any more: {0}")]
pub struct WriteRefused(#[source] BoxError);

impl WriteGuard {
    /// A guard that lets writes through while `check` returns `Ok`.
    pub fn new<E: Into<BoxError>>(check: impl Fn() -> std::result::Result<(), E> + Send + Sync + 'static) -> Self {
        Self(Arc::new(move || check().map_err(Into::into)))
    }

    /// Whether writes are let through.
    ///
    /// # Errors
    /// If not: why.
    pub fn check(&self) -> Result<()> {
        (self.0)().map_err(|cause| Error::Service(Box::new(WriteRefused(cause))))
    }
}

impl fmt::Debug for WriteGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteGuard").field("is_open", &self.check().is_ok()).finish()
    }
}

/// `request`, with the guard of the scope it is made in, if it may change something.
///
/// # Errors
/// If that guard says no.
pub(in crate::client) fn guarded(request: Request<Body>) -> Result<Request<Body>> {
    // What runs in a container is as much a change as what is stored.
    let may_change = !request.method().is_safe() || RequestInfo::of(&request).class() == RequestClass::Upgrade;
    let Some(guard) = Writes::guard_here().filter(|_| may_change) else { return Ok(request) };
    guard.check()?;
    Ok(request.map(|body| body.guarded_by(guard)))
}

/// How often a task asks again that may not go on. Its owner should drop it; one that does not finds it as it was, should
/// it be allowed to go on.
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Runs `task`, polling it only while its guard lets it write.
pub(super) async fn while_open<F: Future>(task: F, guard: Option<WriteGuard>) -> F::Output {
    let Some(guard) = guard else { return task.await };
    let mut task = pin!(task);
    loop {
        let step = poll_fn(|cx| match guard.check() {
            Ok(()) => task.as_mut().poll(cx).map(Some),
            Err(_) => Poll::Ready(None),
        });
        if let Some(output) = step.await {
            return output;
        }
        tokio::time::sleep(ASKED_AGAIN_AFTER).await;
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use http::{Method, Response};
    use http_body_util::BodyExt;
    use tower::service_fn;

    use super::*;
    use crate::client::Client;

    fn guard() -> (Arc<AtomicBool>, WriteGuard) {
        let is_open = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&is_open);
        let check = move || if asked.load(Ordering::SeqCst) { Ok(()) } else { Err("another leads") };
        (is_open, WriteGuard::new(check))
    }

    fn request(method: Method) -> Request<Vec<u8>> {
        Request::builder().method(method).uri("/api/v1/namespaces/a/pods/b").body(b"{}".to_vec()).unwrap()
    }

    /// A client whose server counts the requests whose body it gets, each after a second, and how the body ended.
    fn counting() -> (Client, Arc<AtomicUsize>) {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let service = service_fn(move |request: Request<Body>| {
            let counted = Arc::clone(&counted);
            async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let body = request.into_body().collect().await;
                counted.fetch_add(usize::from(body.is_ok()), Ordering::SeqCst);
                Ok::<_, Infallible>(Response::new(Body::from(b"{}".to_vec())))
            }
        });
        (Client::new(service, "home"), count)
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_behind_a_closed_guard_is_refused_and_a_read_is_not() {
        let ((client, count), (is_open, guard)) = (counting(), guard());
        let task = async {
            client.request_text(request(Method::PUT)).await.unwrap();
            is_open.store(false, Ordering::SeqCst);
            for method in [Method::PUT, Method::DELETE, Method::POST, Method::PATCH] {
                let error = client.request_text(request(method)).await.unwrap_err();
                assert_eq!(error.to_string(), "the request failed: nothing is written any more: another leads");
                assert!(!error.maybe_executed() && !error.is_transient(), "{error:?}");
            }
            // The guard closed while the task ran, and it goes on to its next await.
            drop(client.request_text(request(Method::GET)));
        };
        Writes::new().guarded_by(guard).scope(task).await;
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_waited_past_its_guard_is_not_sent_and_its_task_is_not_polled() {
        let ((client, count), (is_open, guard)) = (counting(), guard());
        let call = tokio::spawn(
            Writes::new().guarded_by(guard).scope(async move { client.request_text(request(Method::PUT)).await }),
        );
        tokio::time::sleep(Duration::from_millis(500)).await;
        is_open.store(false, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(!call.is_finished(), "it stays where it was");
        assert_eq!(count.load(Ordering::SeqCst), 0, "its body was not read");
        call.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_a_connection_takes_too_late_ends_with_an_error() {
        let (is_open, guard) = guard();
        let body = Body::from(b"{}".to_vec()).guarded_by(guard);
        let copy = body.try_clone().unwrap();
        assert!(body.collect().await.is_ok());
        is_open.store(false, Ordering::SeqCst);
        assert!(copy.collect().await.is_err(), "a second try has the same guard");
    }

    #[tokio::test]
    async fn without_a_guard_nothing_is_asked() {
        let (client, count) = counting();
        Writes::new().scope(client.request_text(request(Method::PUT))).await.unwrap();
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}
