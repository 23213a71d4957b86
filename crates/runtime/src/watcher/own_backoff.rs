//! Who waits after an error: the watch that yielded it, or the backoff around it.
//!
//! ```text
//!   watcher(…)                        the watch, as its own backoff says
//!   watcher(…) ….default_backoff()    the same: it changes nothing
//!   watcher(…) ….backoff(own)         what the program put around it, alone
//! ```
//!
//! A watch backs off by itself, and after one event that cannot be read it need not wait at all. The usual
//! [`StreamBackoff`](crate::utils::StreamBackoff) around it would wait after each. Neither sees the other in its type
//! (adapters and boxes of the program lie between), nor in the error, which is kube's. So each leaves a mark on its thread,
//! and the other finds it there: a watch that yields an error says that it waits, and a backoff of the program's own says,
//! while it polls, that it does. All of it happens in one call of `poll_next`.

use std::cell::Cell;
use std::task::Poll;

thread_local! {
    static IS_MARKED: Cell<bool> = const { Cell::new(false) };
    static IS_REPLACED: Cell<bool> = const { Cell::new(false) };
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

/// What `poll` returns; meanwhile no watch waits by itself after an error that it yields.
pub(crate) fn poll_replaced<T>(poll: impl FnOnce() -> T) -> T {
    /// Takes it back, also when what was polled panics.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            IS_REPLACED.set(self.0);
        }
    }
    let _before = Before(IS_REPLACED.replace(true));
    poll()
}

/// Whether another backoff waits after the errors of the watch that is being polled.
pub(super) fn is_replaced() -> bool {
    IS_REPLACED.get()
}
