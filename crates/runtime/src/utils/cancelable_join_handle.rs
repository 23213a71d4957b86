//! A task that does not outlive its waiter.

use std::future::Future;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// The result of a task, which is stopped when this is dropped.
#[derive(Debug)]
pub struct CancelableJoinHandle<T> {
    task: JoinHandle<T>,
}

impl<T: Send + 'static> CancelableJoinHandle<T> {
    /// Starts a task.
    pub fn spawn(future: impl Future<Output = T> + Send + 'static, runtime: &Handle) -> Self {
        Self { task: runtime.spawn(future) }
    }
}

impl<T> Drop for CancelableJoinHandle<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<T> Future for CancelableJoinHandle<T> {
    type Output = T;

    /// A panic of the task goes on here.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        match ready!(Pin::new(&mut self.task).poll(cx)) {
            Ok(output) => Poll::Ready(output),
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            // Only a runtime that is shutting down cancels it, and then it is not polled again.
            Err(_) => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_is_stopped_when_it_is_not_waited_for_any_more() {
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        let task = CancelableJoinHandle::spawn(
            async move {
                let _held = sender;
                std::future::pending::<()>().await;
            },
            &Handle::current(),
        );
        drop(task);
        assert!(receiver.await.is_err(), "what it held is gone");
        assert_eq!(CancelableJoinHandle::spawn(async { 7 }, &Handle::current()).await, 7);
    }
}
