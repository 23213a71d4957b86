//! A queue of work, usable by itself: what is added twice is done once, never by two workers at once.
//!
//! ```text
//!   add, add_after, add_rate_limited ──► Queue ──get().await──► Item ──dropped──► gone, or waiting again
//!                       ▲                                         │
//!                       └────────── RateLimiter ◄── on failure ───┘
//! ```
//!
//! It is client-go's workqueue with the priorities of controller-runtime's. The order is that of the controller's own
//! `Queue`, which is pure; here are the lock, the clock and the waiting workers. An
//! [`Item`] says by being dropped that it is done, so a worker that panics or is cancelled blocks no other.
//!
//! A retry is counted once however often it is asked for while it waits: other news about an object do not lengthen
//! its backoff.

mod item;
mod limiter;
mod metrics;
mod work;

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

pub use crate::metrics::Histogram;
pub use item::Item;
use item::Turn;
pub use limiter::{ItemExponential, ItemFastSlow, MaxOf, RateLimiter, TokenBucket, WithMaxWait};
pub use metrics::Metrics;

pub use crate::queue::{PRIORITY_LOW, PRIORITY_NORMAL, Priority};

use crate::queue::{Popped, Queue};
use crate::scheduler::DELAY_MAX;
use metrics::Meter;

/// A queue of work; clones are the same queue.
///
/// ```
/// # use std::time::Duration;
/// # use pintle_runtime::workqueue::WorkQueue;
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let queue = WorkQueue::new();
/// queue.add("pod-a");
/// queue.add("pod-a");
/// queue.add_after("pod-b", Duration::from_secs(5));
/// assert_eq!(*queue.get().await.unwrap(), "pod-a");
/// assert_eq!(*queue.get().await.unwrap(), "pod-b");
/// # }
/// ```
pub struct WorkQueue<T> {
    shared: Arc<Shared<T>>,
}

/// How something is added; see [`WorkQueue::add_with`].
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Not before this delay.
    pub after: Duration,
    /// How much it matters; more is sooner.
    pub priority: Priority,
    /// Whether the rate limiter says how long to wait, at least.
    pub is_rate_limited: bool,
}

impl Options {
    /// At once, with normal priority.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Not before `after`.
    #[must_use]
    pub fn after(mut self, after: Duration) -> Self {
        self.after = after;
        self
    }

    /// More is sooner; [`PRIORITY_LOW`] for what is not urgent.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Not before the rate limiter allows it.
    #[must_use]
    pub fn rate_limited(mut self) -> Self {
        self.is_rate_limited = true;
        self
    }
}

struct Shared<T> {
    state: Mutex<State<T>>,
    /// One of the workers that wait for work should look again.
    news: Notify,
    /// All that wait for the end should look again.
    rest: Notify,
}

struct State<T> {
    queue: Queue<T>,
    limiter: Box<dyn RateLimiter<T>>,
    meter: Meter,
    is_ending: bool,
}

impl<T> WorkQueue<T>
where
    T: Clone + Eq + Hash + Send + 'static,
{
    /// A queue whose retries wait for each item by itself: 5 ms, doubled up to 1000 s.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limiter(ItemExponential::default())
    }

    /// A queue whose retries wait as `limiter` says.
    #[must_use]
    pub fn with_limiter(limiter: impl RateLimiter<T>) -> Self {
        let state =
            State { queue: Queue::default(), limiter: Box::new(limiter), meter: Meter::default(), is_ending: false };
        Self { shared: Arc::new(Shared { state: Mutex::new(state), news: Notify::new(), rest: Notify::new() }) }
    }

    /// Adds `item`, unless it waits already; one that is being worked on is given out again after that.
    pub fn add(&self, item: T) {
        self.add_with(item, Options::new());
    }

    /// Adds `item` after a while, unless it comes sooner anyway.
    pub fn add_after(&self, item: T, after: Duration) {
        self.add_with(item, Options::new().after(after));
    }

    /// Adds `item` as soon as the rate limiter allows it: what failed is added by this, and [`forget`](Self::forget)
    /// says that it has succeeded.
    pub fn add_rate_limited(&self, item: T) {
        self.add_with(item, Options::new().rate_limited());
    }

    /// Adds `item` as `options` say. A queue that is ending takes nothing in.
    pub fn add_with(&self, item: T, options: Options) {
        let now = Instant::now();
        let mut state = self.lock();
        if state.is_ending {
            return;
        }
        let limit = if options.is_rate_limited {
            // An item that already waits for its retry has not failed again, and comes no sooner.
            if state.queue.is_wanted(&item) && !state.queue.is_running(&item) {
                return;
            }
            state.meter.retried();
            state.limiter.when(&item, now)
        } else {
            Duration::ZERO
        };
        match options.after.max(limit).min(DELAY_MAX) {
            Duration::ZERO => state.queue.add_due(item, now, options.priority),
            after => state.queue.add_with(item, now + after, options.priority),
        }
        drop(state);
        self.shared.news.notify_one();
    }

    /// `item` has succeeded: its next retry waits as if it were the first.
    pub fn forget(&self, item: &T) {
        self.lock().limiter.forget(item);
    }

    /// How often `item` was retried since it last succeeded.
    pub fn retries(&self, item: &T) -> u32 {
        self.lock().limiter.retries(item)
    }

    /// The next item, when there is one; `None` once the queue is [shut down](Self::shut_down) and empty. Any number of
    /// workers may wait at once, and one that stops waiting loses nothing.
    pub async fn get(&self) -> Option<Item<T>> {
        loop {
            let news = self.shared.news.notified();
            let due = match self.take() {
                Taken::Item(item) => return Some(item),
                Taken::Over => return None,
                Taken::Due(due) => due,
            };
            match due {
                Some(due) => {
                    tokio::select! {
                        biased;
                        () = news => {}
                        () = sleep_until(due) => {}
                    }
                }
                None => news.await,
            }
        }
    }

    fn take(&self) -> Taken<T> {
        let now = Instant::now();
        let mut state = self.lock();
        let Some(Popped { key, number, due }) = state.queue.pop_numbered(now) else {
            if state.is_ending && !state.queue.is_any_wanted() {
                drop(state);
                // So do the others who wait.
                self.shared.news.notify_one();
                return Taken::Over;
            }
            return Taken::Due(state.queue.next_due());
        };
        let began = state.meter.began(due, now);
        let is_more = !state.queue.is_empty();
        drop(state);
        if is_more {
            // A sleeping worker may sleep for too long: this worker is busy from now on.
            self.shared.news.notify_one();
        }
        Taken::Item(Item::new(key, self.clone(), Turn { number, began }))
    }

    fn done(&self, turn: Turn) {
        let now = Instant::now();
        let mut state = self.lock();
        state.meter.ended(turn.began, now);
        let is_wanted = state.queue.done_numbered(turn.number);
        let is_ending = state.is_ending;
        drop(state);
        if is_wanted {
            self.shared.news.notify_one();
        }
        if is_ending {
            self.shared.rest.notify_waiters();
        }
    }

    /// Takes nothing in from now on; what is due is still given out, what waits for its time is dropped.
    pub fn shut_down(&self) {
        let mut state = self.lock();
        state.is_ending = true;
        state.queue.forget_delayed(Instant::now());
        drop(state);
        self.shared.news.notify_one();
        self.shared.rest.notify_waiters();
    }

    /// As [`shut_down`](Self::shut_down), and waits until all that was given out is done.
    pub async fn shut_down_with_drain(&self) {
        self.shut_down();
        loop {
            let rest = self.shared.rest.notified();
            let mut rest = std::pin::pin!(rest);
            // A worker that is done between the look and the wait must be noticed.
            rest.as_mut().enable();
            if self.is_at_rest() {
                return;
            }
            rest.await;
        }
    }

    fn is_at_rest(&self) -> bool {
        let state = self.lock();
        state.queue.is_empty() && state.meter.working() == 0
    }

    /// Whether it was [shut down](Self::shut_down).
    pub fn is_shutting_down(&self) -> bool {
        self.lock().is_ending
    }

    /// How many items wait, those included whose time has not come.
    pub fn len(&self) -> usize {
        self.lock().queue.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it has counted so far.
    pub fn metrics(&self) -> Metrics {
        let now = Instant::now();
        let mut state = self.lock();
        state.queue.due_len(now);
        let (depths, adds) = (state.queue.depths(), state.queue.adds());
        state.meter.metrics(depths, adds, now)
    }

    // What is done under the lock panics nowhere but in a limiter of the user, which leaves the queue whole.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was found in the queue.
enum Taken<T: Clone + Eq + Hash + Send + 'static> {
    Item(Item<T>),
    /// Nothing is due before then.
    Due(Option<Instant>),
    Over,
}

impl<T> Clone for WorkQueue<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> Default for WorkQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueue").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
