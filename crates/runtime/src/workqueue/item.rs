//! One piece of work, given out to one worker.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;

use super::WorkQueue;

/// An item that is being worked on; an equal one is not given out until it is dropped.
pub struct Item<T: Clone + Eq + Hash + Send + 'static> {
    item: T,
    queue: WorkQueue<T>,
    turn: Turn,
}

/// By what its queue knows an item that is being worked on.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    /// In the queue.
    pub(super) number: usize,
    /// In its metrics.
    pub(super) began: usize,
}

impl<T: Clone + Eq + Hash + Send + 'static> Item<T> {
    pub(super) fn new(item: T, queue: WorkQueue<T>, turn: Turn) -> Self {
        Self { item, queue, turn }
    }

    /// It succeeded: forgets its retries. The same as dropping it after [`WorkQueue::forget`].
    pub fn succeeded(self) {
        self.queue.forget(&self.item);
    }

    /// It failed: comes again as the rate limiter says. The same as dropping it after
    /// [`WorkQueue::add_rate_limited`].
    pub fn failed(self) {
        self.queue.add_rate_limited(self.item.clone());
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> Deref for Item<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> Drop for Item<T> {
    fn drop(&mut self) {
        self.queue.done(self.turn);
    }
}

impl<T: Clone + Eq + Hash + Send + fmt::Debug + 'static> fmt::Debug for Item<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Item").field(&self.item).finish()
    }
}
