//! A stream that is not polled for a while after an error.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::TryStream;
use pin_project_lite::pin_project;
use tokio::time::Instant;

use crate::watcher::backoff::{Backoff, HEALTHY_AFTER};
use crate::watcher::{handover, own_backoff};

pin_project! {
    /// Waits after each error of `stream` as `backoff` says; ends if that ends.
    #[must_use = "streams do nothing unless polled"]
    pub struct StreamBackoff<S, B> {
        #[pin]
        stream: S,
        backoff: B,
        #[pin]
        pause: Option<tokio::time::Sleep>,
        // The first success since the last error that was waited after.
        healthy_since: Option<Instant>,
        has_given_up: bool,
        after: After,
    }
}

/// Which errors are waited after.
enum After {
    Every,
    /// Those without a wait after them: a watch waits by itself, unless `Every` error is waited after here.
    Unwaited,
}

impl<S: TryStream, B: Backoff> StreamBackoff<S, B> {
    /// Waits after each error of `stream` as `backoff` says.
    pub fn new(stream: S, backoff: B) -> Self {
        Self { stream, backoff, pause: None, healthy_since: None, has_given_up: false, after: After::Every }
    }
}

impl<S, B> StreamBackoff<S, B> {
    /// Does not wait after an error that a watch within `stream` waits after by itself.
    pub(crate) fn unless_waited_for(mut self) -> Self {
        self.after = After::Unwaited;
        self
    }

    /// The stream, as it is without this.
    pub(crate) fn into_inner(self) -> S {
        self.stream
    }

    pub(crate) fn inner(&self) -> &S {
        &self.stream
    }
}

impl<S: TryStream, B: Backoff> futures::Stream for StreamBackoff<S, B> {
    type Item = Result<S::Ok, S::Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        if *this.has_given_up {
            return Poll::Ready(None);
        }
        if let Some(pause) = this.pause.as_mut().as_pin_mut() {
            std::task::ready!(pause.poll(cx));
            this.pause.set(None);
        }
        handover::pass_on::<Self, S>();
        let (next, is_of_watch) = own_backoff::poll_marked(|| match this.after {
            After::Every => own_backoff::poll_replaced(|| this.stream.try_poll_next(cx)),
            After::Unwaited => this.stream.try_poll_next(cx),
        });
        let next = std::task::ready!(next);
        match (&next, this.after) {
            (Some(Err(_)), After::Unwaited) if is_of_watch => {}
            (Some(Err(_)), _) => {
                let healthy_for = this.healthy_since.take().map(|since| since.elapsed());
                // Each round of a watch begins with an event, so that one is not yet a success.
                if healthy_for.is_some_and(|healthy_for| !is_of_watch || healthy_for >= HEALTHY_AFTER) {
                    this.backoff.reset();
                }
                match this.backoff.next() {
                    Some(pause) => this.pause.set(Some(tokio::time::sleep(pause))),
                    None => *this.has_given_up = true,
                }
            }
            (Some(Ok(_)), _) => drop(this.healthy_since.get_or_insert_with(Instant::now)),
            (None, _) => {}
        }
        Poll::Ready(next)
    }
}
