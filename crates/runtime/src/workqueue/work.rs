//! Workers for a queue.

use std::future::Future;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures::FutureExt;

use super::{Item, WorkQueue};

impl<T> WorkQueue<T>
where
    T: Clone + Eq + Hash + Send + Sync + 'static,
{
    /// Works on everything that is added, `workers` items at a time (one at least), until the queue is
    /// [shut down](Self::shut_down) and what was given out is done. An item whose handler fails or panics comes again
    /// as the rate limiter says; one that succeeds is forgotten by it.
    pub async fn work<E, Fut>(&self, workers: usize, handler: impl Fn(T) -> Fut + Send + Sync + 'static)
    where
        Fut: Future<Output = Result<(), E>> + Send,
        E: std::fmt::Display,
    {
        let handler = Arc::new(handler);
        let worker = || async {
            while let Some(item) = self.get().await {
                handle(item, handler.as_ref()).await;
            }
        };
        futures::future::join_all((0..workers.max(1)).map(|_| worker())).await;
    }
}

async fn handle<T, E, Fut>(item: Item<T>, handler: &impl Fn(T) -> Fut)
where
    T: Clone + Eq + Hash + Send + 'static,
    Fut: Future<Output = Result<(), E>>,
    E: std::fmt::Display,
{
    let work = catch_unwind(AssertUnwindSafe(|| handler(item.clone())));
    let ended = match work {
        Ok(work) => AssertUnwindSafe(work).catch_unwind().await,
        Err(panic) => Err(panic),
    };
    match ended {
        Ok(Ok(())) => item.succeeded(),
        Ok(Err(error)) => {
            tracing::warn!(%error, "an item of a work queue failed and is retried");
            item.failed();
        }
        Err(_) => {
            tracing::error!("the handler of a work queue panicked; its item is retried");
            item.failed();
        }
    }
}
