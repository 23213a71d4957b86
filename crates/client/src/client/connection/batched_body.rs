//! A body of HTTP/2 that is read in batches where it comes fast.
//!
//! A connection is read by a task of its own, and each frame that it hands over wakes the reader of the body: on two threads, a
//! large list would cost two switches for every 16 KiB. So where much has come within a moment, the reader is not woken for
//! the next frame but naps for a millisecond, while what comes waits in the window of its stream. Whatever comes slowly, as
//! changes do, is handed over as it comes.
//!
//! ```text
//!               nothing more is there, and much came within a moment
//!   woken by what comes ───────────────────────────────────────────► naps for a millisecond
//!            ▲                                                               │
//!            └───────────────────────────────────────────────────────────────┘
//! ```
//!
//! In: a body that goes on to receive while nobody looks at it, which those of HTTP/1.1 do not. Out: the same frames.

use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

/// So much is worth a nap: four frames of the usual size.
const BATCH_BYTES: usize = 64 * 1024;
/// A batch that took longer than this to come did not come fast: 16 MB in a second.
const MOMENT: Duration = Duration::from_millis(4);
/// As short as timers are. A window of 2 MiB is not full before.
const NAP: Duration = Duration::from_millis(1);

/// A body that is read in batches.
pub(super) struct BatchedBody<B> {
    inner: B,
    batch: Option<Batch>,
    nap: Option<Pin<Box<Sleep>>>,
    is_napping: bool,
}

/// What came since the last nap.
struct Batch {
    bytes: usize,
    since: Instant,
}

impl<B> BatchedBody<B> {
    pub(super) fn new(inner: B) -> Self {
        Self { inner, batch: None, nap: None, is_napping: false }
    }

    fn count(&mut self, bytes: usize) {
        let batch = self.batch.get_or_insert_with(|| Batch { bytes: 0, since: Instant::now() });
        batch.bytes += bytes;
    }

    /// Whether much came within a moment; what came slowly is not counted on.
    fn comes_fast(&mut self) -> bool {
        let Some(batch) = self.batch.take_if(|batch| batch.bytes >= BATCH_BYTES) else { return false };
        let comes_fast = batch.since.elapsed() < MOMENT;
        self.batch = Some(batch).filter(|_| comes_fast);
        comes_fast
    }

    fn begin_nap(&mut self) {
        self.batch = None;
        self.is_napping = true;
        match &mut self.nap {
            Some(nap) => nap.as_mut().reset(Instant::now() + NAP),
            none => *none = Some(Box::pin(sleep(NAP))),
        }
    }

    /// Until the nap is over, if there is one.
    fn poll_nap(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.is_napping
            && let Some(nap) = &mut self.nap
        {
            ready!(nap.as_mut().poll(context));
            self.is_napping = false;
        }
        Poll::Ready(())
    }
}

impl<B: Body<Data = Bytes> + Unpin> BatchedBody<B> {
    fn poll_inner(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(context));
        if let Some(Ok(frame)) = &frame {
            self.count(frame.data_ref().map_or(0, Bytes::len));
        }
        Poll::Ready(frame)
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for BatchedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        ready!(self.poll_nap(context));
        if self.comes_fast() {
            // Nobody is woken by what comes next.
            if let Poll::Ready(frame) = self.poll_inner(&mut Context::from_waker(Waker::noop())) {
                return Poll::Ready(frame);
            }
            self.begin_nap();
            ready!(self.poll_nap(context));
        }
        self.poll_inner(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::task::Wake;

    use super::*;

    /// A body that is filled from outside.
    #[derive(Clone, Default)]
    struct Filled(Arc<Mutex<(VecDeque<usize>, Option<Waker>)>>);

    impl Filled {
        fn fill(&self, bytes: usize) {
            let waker = {
                let mut inner = self.0.lock().unwrap();
                inner.0.push_back(bytes);
                inner.1.take()
            };
            waker.into_iter().for_each(Waker::wake);
        }
    }

    impl Body for Filled {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let mut inner = self.0.lock().unwrap();
            match inner.0.pop_front() {
                Some(bytes) => Poll::Ready(Some(Ok(Frame::data(Bytes::from(vec![0; bytes]))))),
                None => {
                    inner.1 = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        }
    }

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    struct World {
        filled: Filled,
        body: BatchedBody<Filled>,
        wakes: Arc<Count>,
    }

    impl World {
        fn new() -> Self {
            let filled = Filled::default();
            Self { body: BatchedBody::new(filled.clone()), filled, wakes: Arc::default() }
        }

        /// Reads what is there.
        fn read(&mut self) -> usize {
            let waker = Waker::from(Arc::clone(&self.wakes));
            let mut context = Context::from_waker(&waker);
            let mut read = 0;
            while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut self.body).poll_frame(&mut context) {
                read += frame.into_data().unwrap().len();
            }
            read
        }

        fn wakes(&self) -> usize {
            self.wakes.0.load(Ordering::Relaxed)
        }
    }

    const FRAME: usize = 16 * 1024;

    #[tokio::test(start_paused = true)]
    async fn who_reads_a_flood_is_woken_once_for_what_comes_in_a_millisecond() {
        let mut world = World::new();
        assert_eq!(world.read(), 0);
        for wakes in 1..=3 {
            world.filled.fill(FRAME);
            assert_eq!((world.wakes(), world.read()), (wakes, FRAME), "up to a batch it is woken for each frame");
        }
        world.filled.fill(FRAME);
        assert_eq!(world.read(), FRAME);
        for _ in 0..10 {
            world.filled.fill(FRAME);
        }
        assert_eq!((world.wakes(), world.read()), (4, 0), "it naps");
        tokio::time::sleep(NAP * 2).await;
        assert_eq!((world.wakes(), world.read()), (5, 10 * FRAME), "everything is there when it wakes");
        // That was a batch again, and then nothing comes.
        tokio::time::sleep(NAP * 2).await;
        assert_eq!((world.wakes(), world.read()), (6, 0));
        world.filled.fill(1);
        assert_eq!((world.wakes(), world.read()), (7, 1), "what comes alone is handed over at once");
    }

    #[tokio::test(start_paused = true)]
    async fn who_reads_what_comes_slowly_is_woken_for_each_of_it() {
        let mut world = World::new();
        assert_eq!(world.read(), 0);
        for wakes in 1..100 {
            world.filled.fill(FRAME);
            assert_eq!((world.wakes(), world.read()), (wakes, FRAME));
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}
