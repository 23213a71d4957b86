//! What goes on with a connection once HTTP is done with it: a process or ports, over a WebSocket or SPDY.
//!
//! In: the future that a request left behind. Out: it runs in the task of the connection until it has ended and all it said is sent.
//! Invariant: whatever wakes the task, the future is polled with the task's own waker. A socket keeps one waker for writing, and the
//! [`Outbox`] and the future both write: with a waker of its own, the future would sleep on after the outbox had put its waker there.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::{Fuse, FusedFuture};
use tokio::io::AsyncWrite;
use tokio::task::unconstrained;

use super::outbox::Outbox;
use super::streams::quiet_end;

type Speaking = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where a request leaves what its connection becomes. The future must not hold one of these.
#[derive(Clone, Default)]
pub(super) struct Successor(Arc<Mutex<Option<Speaking>>>);

impl Successor {
    pub(super) fn leave(&self, speaking: impl Future<Output = ()> + Send + 'static) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::pin(quiet_end(speaking)));
    }

    pub(super) fn take(&self) -> Option<Speaking> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Goes on with what a connection has become, until it has ended and all it said is sent.
pub(super) async fn speak(speaking: Speaking, outbox: &Outbox<impl AsyncWrite + Unpin>) {
    let mut speaking = speaking.fuse();
    let ended = poll_fn(|cx| poll(&mut speaking, outbox, cx));
    if let Err(error) = ended.await {
        tracing::debug!("a connection ended before its process did: {error}");
    }
}

fn poll(
    speaking: &mut Fuse<Speaking>,
    outbox: &Outbox<impl AsyncWrite + Unpin>,
    cx: &mut Context<'_>,
) -> Poll<io::Result<()>> {
    let is_over = speaking.poll_unpin(cx).is_ready() || speaking.is_terminated();
    // What was said leaves although the turn of the task may be used up: what one socket takes is bounded.
    match pin!(unconstrained(poll_fn(|cx| outbox.poll_send(cx)))).poll(cx) {
        Poll::Ready(Ok(())) if !is_over => Poll::Pending,
        sent => sent,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::timeout;

    use super::super::outbox;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_late_gets_everything() {
        for size in [1000, 20_000, 100_000] {
            let (near, mut far) = tokio::io::duplex(10_000);
            let (mut gathering, outbox) = outbox::gather(near);
            let said = vec![7; 1_000_000];
            let successor = Successor::default();
            successor.leave({
                let said = said.clone();
                async move {
                    for piece in said.chunks(size) {
                        gathering.write_all(piece).await.unwrap();
                        gathering.flush().await.unwrap();
                    }
                    gathering.shutdown().await.unwrap();
                }
            });
            let speaking = tokio::spawn(async move { speak(successor.take().unwrap(), &outbox).await });
            // Nothing more goes out by now: both are waiting for the client.
            tokio::time::sleep(Duration::from_secs(1)).await;
            let mut read = Vec::new();
            timeout(Duration::from_secs(60), far.read_to_end(&mut read)).await.expect("it does not hang").unwrap();
            assert!(read == said, "{} bytes in writes of {size}", read.len());
            speaking.await.unwrap();
        }
    }
}
