//! The requests of one connection, all answered by its own task.
//!
//! HTTP/2 would rather have a task for each. A thousand watches in a thousand tasks are woken one by one, and each wakes
//! its connection for one frame; here the connection is woken once, asks those of its watches that have something to
//! say, and sends it all in one go.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};

use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use hyper::rt::Executor;

type Answering = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The requests that are being answered.
#[derive(Default)]
pub(super) struct Streams {
    answering: FuturesUnordered<Answering>,
    arrived: Arc<Mutex<Vec<Answering>>>,
}

impl Streams {
    /// Where the connection puts its requests.
    pub(super) fn executor(&self) -> ConnectionExecutor {
        ConnectionExecutor { arrived: Arc::downgrade(&self.arrived) }
    }

    /// Goes on with every request that can go on.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) {
        while let Poll::Ready(Some(())) = self.answering.poll_next_unpin(cx) {}
    }

    /// Takes in the requests that have arrived; says whether there were any.
    pub(super) fn take_in(&mut self) -> bool {
        let arrived = std::mem::take(&mut *self.arrived.lock().unwrap_or_else(PoisonError::into_inner));
        let any = !arrived.is_empty();
        self.answering.extend(arrived);
        any
    }
}

/// Takes requests in; after its connection is gone, it forgets them. Each request holds one of these, so it must not hold
/// the requests.
#[derive(Clone)]
pub(super) struct ConnectionExecutor {
    arrived: Weak<Mutex<Vec<Answering>>>,
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for ConnectionExecutor {
    fn execute(&self, request: F) {
        if let Some(arrived) = self.arrived.upgrade() {
            // The connection's turn is not used up by its requests, or what they wrote would wait for the next one. What one
            // request does at a time is bounded by what its client lets it send.
            let request = tokio::task::unconstrained(quiet_end(request));
            arrived.lock().unwrap_or_else(PoisonError::into_inner).push(Box::pin(request));
        }
    }
}

/// A request that panics while its answer is on the way ends, and the others of its connection go on.
pub(super) async fn quiet_end(request: impl Future<Output = ()>) {
    if AssertUnwindSafe(request).catch_unwind().await.is_err() {
        tracing::error!("an answer on its way panicked, which is a defect of Pintle; its stream was reset");
    }
}
