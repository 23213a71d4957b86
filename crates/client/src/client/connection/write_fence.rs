//! Keeps what was on its way when its [`WriteGuard`] closed from being sent.
//!
//! ```text
//!   GuardLayer ──holds──► unanswered guarded calls ──► WriteFence ◄──asks── FencedIo, before each write to a socket
//! ```
//! Between a call and the socket lie the buffers of HTTP/2 and TLS, which know nothing of guards. A process that is stopped with
//! a request in one of them and continued when its lease has run out would send it then. So each socket asks before it
//! takes bytes whether a call is unanswered whose guard has closed; if there is one, every socket there is is broken for
//! good, with whatever lies in front of it. New ones are made for the calls that come after that.

use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};

use crate::client::request::write_guard::WriteGuard;

/// What all connections of a client have in common.
#[derive(Default)]
pub(in crate::client) struct WriteFence(Mutex<State>);

#[derive(Default)]
struct State {
    /// Sockets from before this are broken.
    generation: u64,
    unanswered: BTreeMap<u64, WriteGuard>,
    next: u64,
}

impl WriteFence {
    /// A call with `guard` is on its way until what this returns is dropped.
    pub(in crate::client) fn hold(self: &Arc<Self>, guard: WriteGuard) -> Unanswered {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.unanswered.insert(number, guard);
        Unanswered { fence: Arc::clone(self), number }
    }

    /// `io`, which takes no bytes any more once a guarded call is unanswered whose guard has closed.
    pub(super) fn around<T>(self: &Arc<Self>, io: T) -> FencedIo<T> {
        FencedIo { io, generation: self.state().generation, fence: Arc::clone(self) }
    }

    fn check(&self, generation: u64) -> io::Result<()> {
        let mut state = self.state();
        if state.unanswered.values().any(|guard| guard.check().is_err()) {
            state.generation = state.generation.max(generation) + 1;
        }
        if generation < state.generation {
            return Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "nothing may be written any more that was on its way",
            ));
        }
        Ok(())
    }

    // Nothing panics while it is locked.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A guarded call that is on its way.
pub(in crate::client) struct Unanswered {
    fence: Arc<WriteFence>,
    number: u64,
}

impl Drop for Unanswered {
    /// A call that was given up may still lie in front of its socket.
    fn drop(&mut self) {
        let mut state = self.fence.state();
        if state.unanswered.remove(&self.number).is_some_and(|guard| guard.check().is_err()) {
            state.generation += 1;
        }
    }
}

/// A socket that asks before it takes bytes.
pub(super) struct FencedIo<T> {
    io: T,
    generation: u64,
    fence: Arc<WriteFence>,
}

impl<T: Read + Unpin> Read for FencedIo<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<T: Write + Unpin> Write for FencedIo<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.fence.check(self.generation)?;
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.fence.check(self.generation)?;
        Pin::new(&mut self.io).poll_write_vectored(cx, slices)
    }
}

impl<T: Connection> Connection for FencedIo<T> {
    fn connected(&self) -> Connected {
        self.io.connected()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn guard() -> (Arc<AtomicBool>, WriteGuard) {
        let is_open = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&is_open);
        (is_open, WriteGuard::new(move || if asked.load(Ordering::SeqCst) { Ok(()) } else { Err("closed") }))
    }

    #[test]
    fn sockets_break_for_good_when_a_guard_closes_under_an_unanswered_call_and_new_ones_work() {
        for is_given_up in [false, true] {
            let (fence, (is_open, guard)) = (Arc::<WriteFence>::default(), guard());
            let old = fence.around(());
            let answered = fence.hold(guard.clone());
            drop(answered);
            let call = fence.hold(guard);
            assert!(fence.check(old.generation).is_ok());
            is_open.store(false, Ordering::SeqCst);
            if is_given_up {
                drop(call);
                assert!(fence.check(old.generation).is_err(), "its bytes may lie in a buffer");
            } else {
                assert!(fence.check(old.generation).is_err());
                drop(call);
            }
            assert!(fence.check(old.generation).is_err(), "for good");
            assert!(fence.check(fence.around(()).generation).is_ok());
        }
    }

    #[test]
    fn an_answered_call_breaks_nothing_later() {
        let (fence, (is_open, guard)) = (Arc::<WriteFence>::default(), guard());
        let socket = fence.around(());
        drop(fence.hold(guard));
        is_open.store(false, Ordering::SeqCst);
        assert!(fence.check(socket.generation).is_ok());
    }
}
