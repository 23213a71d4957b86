//! Those who wait for a change, each with a place of its own.
//!
//! In: a call after each change. Out: one wake-up for each waiter since, however many changes came before it
//! looked again. A waiter with a place is not queued again each time it waits, and waits without a future of its own; one that
//! looks again although nothing has changed takes no lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// All waiters.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    /// How many changes there were; counted while `waiting` is locked.
    changes: AtomicU64,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// By place: how to wake its holder, if it waits.
    wakers: Vec<Option<Waker>>,
    /// Places without a holder.
    free: Vec<usize>,
}

/// A place among those who wait.
pub(crate) struct Waiter {
    waiters: Arc<Waiters>,
    place: usize,
    /// How many changes its holder knows of.
    seen: u64,
    /// Whose waker is in its place, where there was no change since it was put there.
    placed: Option<Identity>,
}

/// Which waker it is, without holding it: what it points to, and how that is woken.
type Identity = (usize, usize);

impl Waiters {
    /// A place; its holder knows of every change so far.
    pub(crate) fn join(self: &Arc<Self>) -> Waiter {
        let mut waiting = self.waiting();
        let place = waiting.free.pop().unwrap_or_else(|| {
            waiting.wakers.push(None);
            waiting.wakers.len() - 1
        });
        Waiter { waiters: Arc::clone(self), place, seen: self.changes(), placed: None }
    }

    /// How many changes there were.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Wakes all waiters.
    pub(crate) fn wake(&self) {
        let woken: Vec<Waker> = {
            let mut waiting = self.waiting();
            self.changes.fetch_add(1, Ordering::Release);
            waiting.wakers.iter_mut().filter_map(Option::take).collect()
        };
        woken.into_iter().for_each(Waker::wake);
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    /// Notes that its holder is about to look: changes up to now need no wake-up.
    pub(crate) fn look(&mut self) {
        let changes = self.waiters.changes();
        if changes != self.seen {
            self.seen = changes;
            self.placed = None;
        }
    }

    /// Ready where something has changed since this was last ready, or since its holder last began to look.
    pub(crate) fn poll_changed(&mut self, cx: &Context<'_>) -> Poll<()> {
        let identity = identity(cx.waker());
        if self.waiters.changes() == self.seen && self.placed == Some(identity) {
            return Poll::Pending;
        }
        let mut waiting = self.waiters.waiting();
        // None can come while this is locked.
        let changes = self.waiters.changes();
        if changes != self.seen {
            self.seen = changes;
            self.placed = None;
            return Poll::Ready(());
        }
        match &mut waiting.wakers[self.place] {
            Some(waker) => waker.clone_from(cx.waker()),
            place => *place = Some(cx.waker().clone()),
        }
        self.placed = Some(identity);
        Poll::Pending
    }
}

/// A waker in its place is alive, so no other one has the same identity.
fn identity(waker: &Waker) -> Identity {
    (waker.data().addr(), std::ptr::from_ref(waker.vtable()).addr())
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut waiting = self.waiters.waiting();
        waiting.wakers[self.place] = None;
        waiting.free.push(self.place);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn many_changes_are_one_wake_up_until_its_holder_looks() {
        let (waiters, count) = (Arc::new(Waiters::default()), Arc::new(Count::default()));
        let waker = Waker::from(Arc::clone(&count));
        let cx = Context::from_waker(&waker);
        let mut waiter = waiters.join();
        assert!(waiter.poll_changed(&cx).is_pending() && waiter.poll_changed(&cx).is_pending());
        (0..3).for_each(|_| waiters.wake());
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        assert!(waiter.poll_changed(&cx).is_ready());
        assert!(waiter.poll_changed(&cx).is_pending(), "all three were seen at once");
        waiters.wake();
        assert_eq!(count.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_change_before_the_holder_looks_is_no_wake_up_and_one_after_it_is() {
        let (waiters, count) = (Arc::new(Waiters::default()), Arc::new(Count::default()));
        let waker = Waker::from(Arc::clone(&count));
        let cx = Context::from_waker(&waker);
        let mut waiter = waiters.join();
        assert!(waiter.poll_changed(&cx).is_pending());
        waiters.wake();
        waiter.look();
        assert!(waiter.poll_changed(&cx).is_pending(), "it was seen");
        waiters.wake();
        assert_eq!(count.0.load(Ordering::Relaxed), 2, "its waker is in its place again");
        waiter.look();
        waiters.wake();
        assert!(waiter.poll_changed(&cx).is_ready(), "it came after the look");
    }

    #[test]
    fn whoever_looks_again_as_another_task_is_woken_as_that() {
        let waiters = Arc::new(Waiters::default());
        let counts = [Arc::new(Count::default()), Arc::new(Count::default())];
        let mut waiter = waiters.join();
        for count in &counts {
            let waker = Waker::from(Arc::clone(count));
            let cx = Context::from_waker(&waker);
            assert!(waiter.poll_changed(&cx).is_pending() && waiter.poll_changed(&cx).is_pending());
        }
        waiters.wake();
        assert_eq!(counts.map(|count| count.0.load(Ordering::Relaxed)), [0, 1]);
    }

    #[tokio::test]
    async fn a_change_before_the_wait_is_not_missed_and_one_before_the_place_is_none() {
        let waiters = Arc::new(Waiters::default());
        waiters.wake();
        let mut waiter = waiters.join();
        assert!(futures::poll!(poll_fn(|cx| waiter.poll_changed(cx))).is_pending());
        waiters.wake();
        poll_fn(|cx| waiter.poll_changed(cx)).await;
    }

    #[test]
    fn a_place_that_was_left_is_given_again_and_its_last_holder_is_not_woken() {
        let (waiters, count) = (Arc::new(Waiters::default()), Arc::new(Count::default()));
        let waker = Waker::from(Arc::clone(&count));
        let mut waiter = waiters.join();
        assert!(waiter.poll_changed(&Context::from_waker(&waker)).is_pending());
        drop(waiter);
        let _next = waiters.join();
        waiters.wake();
        assert_eq!(count.0.load(Ordering::Relaxed), 0);
        assert_eq!(waiters.waiting().wakers.len(), 1);
    }
}
