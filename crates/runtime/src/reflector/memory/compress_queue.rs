//! What waits to be compressed, and the thread that does it.
//!
//! Compressing takes its time, and training a dictionary takes more, so neither happens where events are read: a thread
//! does it, one body after the other in the order they came. It starts with the first of them and ends when there has been
//! none for a while. The queue holds no bodies: one that is dropped meanwhile is passed over.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use super::compressible_body::{CompressibleBody, SharedDictionary};

/// The queue; cloning shares it.
#[derive(Clone, Default)]
pub(crate) struct CompressQueue(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    thread: Thread,
    #[cfg(test)]
    pushed: usize,
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

/// A body to be compressed, if it still exists then.
struct Job {
    body: Weak<CompressibleBody>,
    dictionary: SharedDictionary,
}

impl Job {
    fn perform(&self) {
        // Locked first: a body that is dropped while the dictionary is busy need not be compressed.
        let mut dictionary = locked(&self.dictionary);
        if let Some(body) = self.body.upgrade() {
            body.compress(&mut dictionary);
        }
    }
}

/// What the thread is called.
const THREAD: &str = "pintle-compress";
/// Between the events of a busy kind the thread stays; in a process that rests there is none.
const LINGER: Duration = Duration::from_secs(1);

/// What comes within so much time is compressed together: the thread is not woken for each object, and one that is read at
/// once, as a controller does, or changes again need not be restored.
const GATHER: Duration = Duration::from_millis(20);

impl CompressQueue {
    /// Has `body` compressed when its turn comes.
    pub(crate) fn push(&self, body: &Arc<CompressibleBody>, dictionary: &SharedDictionary) {
        let mut waiting = locked(&self.0.waiting);
        waiting.jobs.push_back(Job { body: Arc::downgrade(body), dictionary: Arc::clone(dictionary) });
        #[cfg(test)]
        {
            waiting.pushed += 1;
        }
        match waiting.thread {
            // To wake it is a system call, and a list brings thousands.
            Thread::Works => {}
            Thread::Waits => self.0.changed.notify_all(),
            Thread::None => {
                let queue = self.clone();
                let spawned = thread::Builder::new().name(THREAD.to_owned()).spawn(move || queue.work());
                // Without a thread bodies stay as they are, which costs memory and nothing else; the next one tries again.
                waiting.thread = if spawned.is_ok() { Thread::Works } else { Thread::None };
            }
        }
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            // A panic would be a defect of zstd; the body stays as it is, and the others are compressed.
            drop(catch_unwind(AssertUnwindSafe(|| job.perform())));
        }
    }

    /// The next job; `None` when there was none for a while, and the thread ends.
    fn next(&self) -> Option<Job> {
        let mut waiting = locked(&self.0.waiting);
        if waiting.jobs.is_empty() {
            waiting.thread = Thread::Waits;
            self.0.changed.notify_all();
            let is_empty = |waiting: &mut Waiting| waiting.jobs.is_empty();
            (waiting, _) =
                self.0.changed.wait_timeout_while(waiting, LINGER, is_empty).unwrap_or_else(PoisonError::into_inner);
            if !waiting.jobs.is_empty() {
                waiting.thread = Thread::Works;
                drop(waiting);
                thread::sleep(GATHER);
                waiting = locked(&self.0.waiting);
            }
        }
        let job = waiting.jobs.pop_front();
        waiting.thread = if job.is_some() { Thread::Works } else { Thread::None };
        job
    }

    /// Waits until everything is compressed that was pushed.
    #[cfg(test)]
    pub(crate) fn wait_until_empty(&self) {
        let is_at_work = |waiting: &mut Waiting| waiting.thread == Thread::Works || !waiting.jobs.is_empty();
        let waiting = locked(&self.0.waiting);
        drop(self.0.changed.wait_while(waiting, is_at_work).unwrap_or_else(PoisonError::into_inner));
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
