//! One reconcile on its way, with what is needed when it ends.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::{AbortHandle, Abortable};
use pin_project_lite::pin_project;
use pintle_client::client::writes::Writes;
use tokio::time::{Instant, Sleep};
use tracing::Span;

use crate::controller::machine::pending_deletes::PendingDelete;
use crate::controller::reconciler::handlers::Ended;
use crate::controller::source::watch_progress::Reached;
use crate::reflector::{Entry, Key};

/// What is known of a run when it has ended.
pub(super) struct Ticket<K> {
    pub(super) key: Key,
    pub(super) object: Arc<K>,
    /// Of the object, as its entry has it.
    pub(super) weight: usize,
    /// Set if the delete of the object is handled, and it is not reconciled.
    pub(super) delete: Option<PendingDelete<Entry<K>>>,
    /// How often it was tried in a row, this time included.
    pub(super) attempt: u32,
    pub(super) span: Span,
    pub(super) began: Instant,
    /// Set if it ran into its deadline, and the program's handler of failures runs now: how long it had taken.
    pub(super) timed_out_after: Option<Duration>,
    /// What it writes.
    pub(super) writes: Writes,
    /// How far everything was known when it began.
    pub(super) reached: Reached,
}

/// How a run leaves the engine: `None` if it was cut off.
pub(super) type Left<K, E> = (Ticket<K>, Option<Ended<E>>);

pin_project! {
    /// A reconcile on its way; it ends by itself or by its deadline.
    pub(super) struct Run<K, F> {
        #[pin]
        future: Abortable<F>,
        #[pin]
        deadline: Option<Sleep>,
        cut: AbortHandle,
        ticket: Option<Ticket<K>>,
    }
}

impl<K, F> Run<K, F> {
    pub(super) fn new(future: F, deadline: Option<Sleep>, ticket: Ticket<K>) -> Self {
        let (cut, registration) = AbortHandle::new_pair();
        Self { future: Abortable::new(future, registration), deadline, cut, ticket: Some(ticket) }
    }

    /// Ends it: its future is not polled any more.
    pub(super) fn cut(self: Pin<&Self>) {
        self.project_ref().cut.abort();
    }

    /// What is known of it, until it ends.
    pub(super) fn ticket(self: Pin<&Self>) -> Option<&Ticket<K>> {
        self.project_ref().ticket.as_ref()
    }
}

impl<K, F, E> Future for Run<K, F>
where
    F: Future<Output = Ended<E>>,
{
    type Output = Left<K, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let ended = match this.future.poll(cx) {
            Poll::Ready(ended) => ended.ok(),
            Poll::Pending => match this.deadline.as_pin_mut().map(|deadline| deadline.poll(cx)) {
                Some(Poll::Ready(())) => Some(Ended::TimedOut(None)),
                Some(Poll::Pending) | None => return Poll::Pending,
            },
        };
        Poll::Ready((this.ticket.take().expect("a run ends once"), ended))
    }
}
