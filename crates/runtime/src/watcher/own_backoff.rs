//! Who waits after an error: the watch that yielded it, or the backoff around it.
//!
//! A watch backs off by itself, and after one event that cannot be read it need not wait at all. The usual
//! [`StreamBackoff`](crate::utils::StreamBackoff) around it would wait after each. It cannot see in its type that there is
//! a watch within (adapters and boxes of the program lie between), nor in the error, which is kube's. So a watch that
//! yields an error marks that on its thread, and the code that polled it finds the mark when the error arrives: both happen in
//! one call of `poll_next`.

use std::cell::Cell;
use std::task::Poll;

thread_local! {
    static IS_MARKED: Cell<bool> = const { Cell::new(false) };
}

/// Passes on what a watch yields; an error is marked as one after which the watch waits by itself.
pub(crate) fn mark<T, E>(next: Poll<Option<Result<T, E>>>) -> Poll<Option<Result<T, E>>> {
    if matches!(next, Poll::Ready(Some(Err(_)))) {
        IS_MARKED.set(true);
    }
    next
}

/// What `poll` returns, and whether it contains an error after which a watch waits by itself.
pub(crate) fn poll_marked<T>(poll: impl FnOnce() -> T) -> (T, bool) {
    IS_MARKED.set(false);
    let polled = poll();
    // The mark stays: an adapter around this one must not wait either.
    (polled, IS_MARKED.get())
}
