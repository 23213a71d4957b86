//! Who waits after an error: the watch that told it, or whoever is around it.
//!
//! A watch backs off by itself. The usual [`StreamBackoff`](crate::utils::StreamBackoff) around it, however many adapters
//! lie between, would wait once more, and its type cannot say what lies within it. So a watch that tells an error leaves a
//! word on its thread, and whoever polled it finds it there when the error arrives.

use std::cell::Cell;
use std::task::Poll;

thread_local! {
    static IS_WAITED_FOR: Cell<bool> = const { Cell::new(false) };
}

/// Passes on what a watch tells; if it is an error, the watch waits after it.
pub(crate) fn tell<T, E>(told: Poll<Option<Result<T, E>>>) -> Poll<Option<Result<T, E>>> {
    if matches!(told, Poll::Ready(Some(Err(_)))) {
        IS_WAITED_FOR.set(true);
    }
    told
}

/// What `poll` tells, and whether a watch told an error on the way and waits after it.
pub(crate) fn hear<T>(poll: impl FnOnce() -> T) -> (T, bool) {
    IS_WAITED_FOR.set(false);
    let told = poll();
    // Whoever is around this one must not wait either.
    (told, IS_WAITED_FOR.get())
}
