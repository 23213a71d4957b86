//! The way from a store to one listener: what it has not received, and how to wake it.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures::Stream;

use super::backlog::{Backlog, Pending};
use crate::reflector::shelf::{Change, Key};

/// A listener's mailbox, held by the store (to fill it) and by the listener (to read it).
pub(crate) struct Mailbox<E> {
    contents: Mutex<Contents<E>>,
}

struct Contents<E> {
    backlog: Backlog<E>,
    /// The writer is gone: what lies here is the last.
    is_closed: bool,
    reader: Option<Waker>,
}

impl<E> Mailbox<E> {
    pub(crate) fn new(is_closed: bool) -> Arc<Self> {
        Arc::new(Self { contents: Mutex::new(Contents { backlog: Backlog::default(), is_closed, reader: None }) })
    }

    /// Files changes and wakes the listener.
    pub(crate) fn deliver(&self, changes: impl IntoIterator<Item = Change<E>>, are_initial: bool) {
        let mut contents = self.contents();
        for change in changes {
            contents.backlog.push(change, are_initial);
        }
        contents.wake();
    }

    /// Nothing more will come.
    pub(crate) fn close(&self) {
        let mut contents = self.contents();
        contents.is_closed = true;
        contents.wake();
    }

    // Nothing here panics halfway, so a poisoned lock still guards a whole state.
    fn contents(&self) -> MutexGuard<'_, Contents<E>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E> Contents<E> {
    fn wake(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}

/// The listener's end: a stream of what it has not received, ending once the writer is gone and all is received.
pub(crate) struct Inbox<E>(pub(crate) Arc<Mailbox<E>>);

impl<E> Stream for Inbox<E> {
    type Item = (Key, Pending<E>);

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut contents = self.0.contents();
        if let Some(next) = contents.backlog.pop() {
            return Poll::Ready(Some(next));
        }
        if contents.is_closed {
            return Poll::Ready(None);
        }
        contents.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}
