//! What a connection has to send, gathered: the small frames of many watches leave in one write and one TLS record.
//!
//! In: writes and flushes, one of each for every frame, from HTTP. Out: the same bytes in the same order, in as few writes
//! as there is room for. Invariant: a flush only sets a mark; the task that polls the connection calls
//! [`Outbox::poll_send`] after each poll, so no bytes stay here without a later write.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Sends what was gathered.
pub(super) struct Outbox<S> {
    gathered: Arc<Mutex<Gathered<S>>>,
}

/// The stream that gathers what is written to it.
pub(super) struct Gathering<S> {
    gathered: Arc<Mutex<Gathered<S>>>,
}

struct Gathered<S> {
    stream: S,
    bytes: Vec<u8>,
    /// So many of the bytes are gone already.
    sent: usize,
    /// Whether the stream was given something since it was last flushed.
    is_unflushed: bool,
}

/// Puts an outbox in front of a stream.
pub(super) fn gather<S>(stream: S) -> (Gathering<S>, Outbox<S>) {
    let gathered = Gathered { stream, bytes: Vec::new(), sent: 0, is_unflushed: false };
    let gathered = Arc::new(Mutex::new(gathered));
    (Gathering { gathered: Arc::clone(&gathered) }, Outbox { gathered })
}

impl<S: AsyncWrite + Unpin> Outbox<S> {
    /// Sends everything; pending while the stream takes no more.
    pub(super) fn poll_send(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        lock(&self.gathered).poll_send(cx)
    }
}

impl<S: AsyncWrite + Unpin> Gathered<S> {
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_empty(cx))?;
        if self.is_unflushed {
            ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
            self.is_unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    /// Gives the stream what was gathered.
    fn poll_empty(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.sent < self.bytes.len() {
            self.is_unflushed = true;
            match ready!(Pin::new(&mut self.stream).poll_write(cx, &self.bytes[self.sent..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                taken => self.sent += taken,
            }
        }
        self.bytes.clear();
        self.sent = 0;
        Poll::Ready(Ok(()))
    }

    fn poll_take(&mut self, cx: &mut Context<'_>, slices: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let length: usize = slices.iter().map(|slice| slice.len()).sum();
        if length >= DIRECT_BYTES {
            ready!(self.poll_empty(cx))?;
            self.is_unflushed = true;
            return Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        }
        if self.bytes.len() >= FULL_BYTES {
            ready!(self.poll_send(cx))?;
        }
        slices.iter().for_each(|slice| self.bytes.extend_from_slice(slice));
        Poll::Ready(Ok(length))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gathering<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut lock(&self.gathered).stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gathering<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        lock(&self.gathered).poll_take(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        lock(&self.gathered).poll_take(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut gathered = lock(&self.gathered);
        ready!(gathered.poll_send(cx))?;
        Pin::new(&mut gathered.stream).poll_shutdown(cx)
    }
}

/// The two handles are used by one task, so the lock is always free.
fn lock<S>(gathered: &Mutex<Gathered<S>>) -> MutexGuard<'_, Gathered<S>> {
    gathered.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Past this the stream has to take something before there is room again: four TLS records, which one write carries.
const FULL_BYTES: usize = 64 * 1024;

/// What fills a TLS record by itself gains nothing by being copied first.
const DIRECT_BYTES: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures::FutureExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    async fn send<S: AsyncWrite + Unpin>(outbox: &Outbox<S>) {
        poll_fn(|cx| outbox.poll_send(cx)).await.unwrap();
    }

    #[tokio::test]
    async fn flushed_frames_wait_for_each_other_and_leave_together() {
        let (near, mut far) = tokio::io::duplex(1024);
        let (mut gathering, outbox) = gather(near);
        for frame in [&b"one "[..], b"two ", b"three"] {
            gathering.write_all(frame).await.unwrap();
            gathering.flush().await.unwrap();
        }
        let mut buffer = [0; 64];
        assert!(far.read(&mut buffer).now_or_never().is_none(), "nothing leaves before it is sent");
        send(&outbox).await;
        let read = far.read(&mut buffer).await.unwrap();
        assert_eq!(&buffer[..read], b"one two three");
    }

    #[tokio::test]
    async fn no_size_of_writes_loses_doubles_or_reorders_a_byte() {
        for size in [1, 7, 1000, DIRECT_BYTES - 1, DIRECT_BYTES, FULL_BYTES, 3 * FULL_BYTES + 1] {
            let (near, mut far) = tokio::io::duplex(10_000);
            let (mut gathering, outbox) = gather(near);
            let expected: Vec<u8> = (0..4 * size + FULL_BYTES).map(|at| (at * 31 % 251) as u8).collect();
            let reader = async {
                let mut read = Vec::new();
                far.read_to_end(&mut read).await.unwrap();
                read
            };
            let writer = async {
                for piece in expected.chunks(size) {
                    gathering.write_all(piece).await.unwrap();
                }
                send(&outbox).await;
                gathering.shutdown().await.unwrap();
                drop((gathering, outbox));
            };
            let ((), read) = tokio::join!(writer, reader);
            assert!(read == expected, "in writes of {size}");
        }
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_not_gathered_for_without_end() {
        let (near, _far) = tokio::io::duplex(100);
        let (mut gathering, _outbox) = gather(near);
        let mut taken = 0;
        while gathering.write_all(&[0; 1000]).now_or_never().is_some() {
            taken += 1000;
            assert!(taken < 2 * FULL_BYTES, "it goes on taking");
        }
        assert!(taken >= FULL_BYTES);
    }
}
