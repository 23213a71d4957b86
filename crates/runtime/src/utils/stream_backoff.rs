//! A stream that is not polled for a while after an error.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::TryStream;
use pin_project_lite::pin_project;

use crate::watcher::backoff::Backoff;
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
        Self { stream, backoff, pause: None, has_given_up: false, after: After::Every }
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
        let (next, is_waited_for) = match this.after {
            After::Every => (own_backoff::poll_replaced(|| this.stream.try_poll_next(cx)), false),
            After::Unwaited => own_backoff::poll_marked(|| this.stream.try_poll_next(cx)),
        };
        let next = std::task::ready!(next);
        match &next {
            Some(Err(_)) if is_waited_for => {}
            Some(Err(_)) => match this.backoff.next() {
                Some(pause) => this.pause.set(Some(tokio::time::sleep(pause))),
                None => *this.has_given_up = true,
            },
            Some(Ok(_)) => this.backoff.reset(),
            None => {}
        }
        Poll::Ready(next)
    }
}
