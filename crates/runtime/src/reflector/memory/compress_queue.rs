//! What waits to be compressed, and the thread that does it.
//!
//! Compressing takes its time, and training a dictionary takes more, so as a rule neither happens where events are read: a thread
//! does it, one body after the other. An object that has just changed is likely to change again, or to be read by a reconciler,
//! so that compressing it would be for nothing: its body rests first, unless those that rest take more memory than they may. What a
//! list brings is no likelier to change than anything else and does not rest. The thread starts with the first body and ends when
//! there has been none for a while. Where it does not keep up, who brings more bodies compresses one for each, so that memory
//! stays bounded. The queue holds no bodies: one that is dropped meanwhile is passed over.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::compressible_body::{CompressibleBody, SharedDictionary};
use super::dictionary::{Busy, Patience};

/// The queue; cloning shares it.
#[derive(Clone, Default)]
pub(crate) struct CompressQueue(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// The bytes of the bodies that wait and still exist.
    bytes: AtomicUsize,
}

/// Some bytes that wait, as long as it exists.
pub(crate) struct Counted {
    queue: CompressQueue,
    bytes: usize,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.queue.0.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Waiting {
    /// What is due at once, then what rests, in the order it came.
    jobs: VecDeque<Job>,
    thread: Thread,
    /// How many bytes may wait.
    bytes_max: usize,
    #[cfg(test)]
    pushed: usize,
    #[cfg(test)]
    is_hurried: bool,
}

impl Waiting {
    /// The first job whose body still exists.
    fn pop_living(&mut self) -> Option<Job> {
        std::iter::from_fn(|| self.jobs.pop_front()).find(|job| job.body.strong_count() > 0)
    }
}

/// What the thread does.
#[derive(Clone, Copy, Default, Eq, PartialEq)]
enum Thread {
    #[default]
    None,
    /// It waits for a job, and must be woken for one.
    Waits,
    /// It has a job, and takes the next one by itself.
    Works,
}

/// When a body is compressed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Turn {
    /// As soon as there is time for it.
    Next,
    /// Once it has rested for a while.
    AfterRest,
}

/// A body to be compressed, if it still exists then.
struct Job {
    body: Weak<CompressibleBody>,
    dictionary: SharedDictionary,
    due: Instant,
}

impl Job {
    /// Whether it has waited for long enough, or for nothing.
    fn is_due(&self, now: Instant) -> bool {
        self.due <= now || self.body.strong_count() == 0
    }

    fn perform(&self, patience: Patience) -> Result<(), Busy> {
        let Some(body) = self.body.upgrade() else { return Ok(()) };
        // A panic would be a defect of zstd; the body stays as it is, and the others are compressed.
        catch_unwind(AssertUnwindSafe(|| body.compress(&self.dictionary, patience))).unwrap_or(Ok(()))
    }
}

/// What the thread is called.
const THREAD: &str = "pintle-compress";
/// Between the events of a busy kind the thread stays; in a process that rests there is none.
const LINGER: Duration = Duration::from_secs(1);

/// What comes within so much time is compressed together: the thread is not woken for each object, and one that is read at
/// once, as a controller does, or changes again need not be restored.
const GATHER: Duration = Duration::from_millis(20);

/// So many times what may wait is more than the thread keeps up with: a list comes as fast as the network, and on a busy machine
/// the thread may not run for a while.
const OVERFULL: usize = 2;

/// The changes of an object come in bursts: a pod that starts changes about five times within a few seconds.
const REST: Duration = Duration::from_secs(10);

impl CompressQueue {
    /// Counts so many bytes among those that wait.
    pub(crate) fn count(&self, bytes: usize) -> Counted {
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        Counted { queue: self.clone(), bytes }
    }

    /// Has `body` compressed when its `turn` comes, or more than `bytes_max` wait.
    pub(crate) fn push(
        &self,
        body: &Arc<CompressibleBody>,
        dictionary: &SharedDictionary,
        turn: Turn,
        bytes_max: usize,
    ) {
        let due = match turn {
            Turn::Next => Instant::now(),
            Turn::AfterRest => Instant::now() + REST,
        };
        let job = Job { body: Arc::downgrade(body), dictionary: Arc::clone(dictionary), due };
        let mut waiting = locked(&self.0.waiting);
        match turn {
            Turn::Next => waiting.jobs.push_front(job),
            Turn::AfterRest => waiting.jobs.push_back(job),
        }
        waiting.bytes_max = bytes_max;
        #[cfg(test)]
        {
            waiting.pushed += 1;
        }
        let overdue = self.is_fuller_than(OVERFULL, &waiting).then(|| waiting.pop_living()).flatten();
        match waiting.thread {
            // To wake it is a system call, and a list brings thousands.
            Thread::Works => {}
            Thread::Waits if turn == Turn::Next || self.is_full(&waiting) => {
                waiting.thread = Thread::Works;
                self.0.changed.notify_all();
            }
            // It looks by itself.
            Thread::Waits => {}
            Thread::None => {
                let queue = self.clone();
                let spawned = thread::Builder::new().name(THREAD.to_owned()).spawn(move || queue.work());
                // Without a thread bodies stay as they are, which costs memory and nothing else; the next one tries again.
                waiting.thread = if spawned.is_ok() { Thread::Works } else { Thread::None };
            }
        }
        drop(waiting);
        if let Some(job) = overdue
            && job.perform(Patience::None) == Err(Busy)
        {
            // No event waits while another thread trains the dictionary.
            locked(&self.0.waiting).jobs.push_front(job);
        }
    }

    fn is_full(&self, waiting: &Waiting) -> bool {
        self.is_fuller_than(1, waiting)
    }

    fn is_fuller_than(&self, times: usize, waiting: &Waiting) -> bool {
        self.0.bytes.load(Ordering::Relaxed) > waiting.bytes_max.saturating_mul(times)
    }

    /// Whether the first job is to be done now.
    fn is_due(&self, waiting: &Waiting, now: Instant) -> bool {
        #[cfg(test)]
        if waiting.is_hurried {
            return !waiting.jobs.is_empty();
        }
        waiting.jobs.front().is_some_and(|job| self.is_full(waiting) || job.is_due(now))
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            let (Ok(()) | Err(Busy)) = job.perform(Patience::Waits);
        }
    }

    /// The next job; `None` when there was none for a while, and the thread ends.
    fn next(&self) -> Option<Job> {
        let mut waiting = locked(&self.0.waiting);
        loop {
            let now = Instant::now();
            if self.is_due(&waiting, now) {
                waiting.thread = Thread::Works;
                return waiting.jobs.pop_front();
            }
            let was_empty = waiting.jobs.is_empty();
            // Not for each of many that came one after the other.
            let patience =
                waiting.jobs.front().map_or(LINGER, |job| LINGER.max(job.due.saturating_duration_since(now)));
            waiting.thread = Thread::Waits;
            self.0.changed.notify_all();
            let is_idle = |waiting: &mut Waiting| waiting.thread == Thread::Waits;
            (waiting, _) =
                self.0.changed.wait_timeout_while(waiting, patience, is_idle).unwrap_or_else(PoisonError::into_inner);
            if waiting.thread == Thread::Works {
                drop(waiting);
                thread::sleep(GATHER);
                waiting = locked(&self.0.waiting);
            } else if was_empty && waiting.jobs.is_empty() {
                waiting.thread = Thread::None;
                return None;
            }
        }
    }

    /// Waits until everything is compressed that was pushed, which it need not rest for.
    #[cfg(test)]
    pub(crate) fn wait_until_empty(&self) {
        let mut waiting = locked(&self.0.waiting);
        waiting.is_hurried = true;
        if waiting.thread == Thread::Waits && !waiting.jobs.is_empty() {
            waiting.thread = Thread::Works;
            self.0.changed.notify_all();
        }
        let is_at_work = |waiting: &mut Waiting| waiting.thread == Thread::Works || !waiting.jobs.is_empty();
        let mut waiting = self.0.changed.wait_while(waiting, is_at_work).unwrap_or_else(PoisonError::into_inner);
        waiting.is_hurried = false;
    }

    /// Waits until only that waits which rests.
    #[cfg(test)]
    pub(crate) fn wait_until_nothing_is_due(&self) {
        let is_due = |waiting: &mut Waiting| waiting.thread == Thread::Works || self.is_due(waiting, Instant::now());
        drop(self.0.changed.wait_while(locked(&self.0.waiting), is_due).unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits until no more bytes wait than may.
    #[cfg(test)]
    pub(crate) fn wait_until_within_bounds(&self) {
        let waiting = locked(&self.0.waiting);
        let is_full = |waiting: &mut Waiting| self.is_full(waiting);
        drop(self.0.changed.wait_while(waiting, is_full).unwrap_or_else(PoisonError::into_inner));
    }

    /// How many bytes wait.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// How many bodies were ever pushed.
    #[cfg(test)]
    pub(crate) fn pushed(&self) -> usize {
        locked(&self.0.waiting).pushed
    }
}

// Nothing panics while it holds one of these locks but zstd, and then what they guard is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
