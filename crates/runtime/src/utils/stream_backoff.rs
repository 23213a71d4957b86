//! A stream that is not polled for a while after an error.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::TryStream;
use pin_project_lite::pin_project;

use crate::watcher::backoff::Backoff;

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
    }
}

impl<S: TryStream, B: Backoff> StreamBackoff<S, B> {
    /// Waits after each error of `stream` as `backoff` says.
    pub fn new(stream: S, backoff: B) -> Self {
        Self { stream, backoff, pause: None, has_given_up: false }
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
        let next = std::task::ready!(this.stream.try_poll_next(cx));
        match &next {
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
