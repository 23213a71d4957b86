//! Calls whose caller tries again by itself.
//!
//! A watch and a lease have a backoff of their own and want to know of a failure at once: two layers that both try again
//! hide it for half a minute. The word is local to the task, so it reaches the policy whatever lies between.

use std::future::Future;

tokio::task_local! {
    static ONCE: ();
}

/// Runs `calls`; what fails in them is not tried again by a [`RetryPolicy`](crate::client::layers::retry::RetryPolicy), but for a 401 whose
/// credentials have been renewed since.
pub fn once<F: Future>(calls: F) -> impl Future<Output = F::Output> {
    ONCE.scope((), calls)
}

/// Whether the caller at hand tries again by itself.
pub(in crate::client) fn is_once() -> bool {
    ONCE.try_with(|()| ()).is_ok()
}
