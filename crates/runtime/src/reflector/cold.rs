//! A body for which there is no room decoded: loose as it came, and compressed soon after.
//!
//! Compressing takes its time, and making a dictionary takes more, so neither happens where events are read: a thread of
//! its own does it, one body after the other in the order they came. It begins with the first of them and ends when there
//! has been none for a while. A body can be read all the time, and one that nobody holds any more is passed over.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use super::press::{Press, Pressed, Unrestorable};

/// What compresses the bodies of one store.
pub(crate) type SharedPress = Arc<Mutex<Press>>;

/// One body.
pub(crate) struct Cold(Mutex<Lying>);

#[derive(Clone)]
enum Lying {
    Loose(Arc<[u8]>),
    Pressed(Arc<Pressed>),
}

impl Cold {
    /// Keeps `body`, which is compressed when its turn comes.
    pub(crate) fn new(body: &[u8], press: &SharedPress) -> Arc<Self> {
        let cold = Arc::new(Self(Mutex::new(Lying::Loose(body.into()))));
        Bale::hand_over(Job { cold: Arc::downgrade(&cold), press: Arc::clone(press) });
        cold
    }

    /// Whether it is compressed.
    pub(crate) fn is_pressed(&self) -> bool {
        matches!(*locked(&self.0), Lying::Pressed(_))
    }

    /// The body as it came.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Unrestorable> {
        let lying = locked(&self.0).clone();
        match lying {
            Lying::Loose(bytes) => Ok(bytes.to_vec()),
            Lying::Pressed(pressed) => pressed.restore(),
        }
    }

    fn press(&self, press: &mut Press) {
        let Lying::Loose(bytes) = locked(&self.0).clone() else { return };
        if let Some(pressed) = press.press(&bytes) {
            *locked(&self.0) = Lying::Pressed(Arc::new(pressed));
        }
    }
}

/// A body to be compressed, if somebody still has it then.
struct Job {
    cold: Weak<Cold>,
    press: SharedPress,
}

impl Job {
    fn perform(&self) {
        // Locked first: a body that goes while the press is busy need not be compressed.
        let mut press = locked(&self.press);
        if let Some(cold) = self.cold.upgrade() {
            cold.press(&mut press);
        }
    }
}

/// What waits to be compressed, in all stores of the process. It holds no bodies, so it is no longer than they are many.
struct Bale {
    jobs: VecDeque<Job>,
    has_thread: bool,
    is_busy: bool,
}

static BALE: Mutex<Bale> = Mutex::new(Bale { jobs: VecDeque::new(), has_thread: false, is_busy: false });
static CAME: Condvar = Condvar::new();

/// What the thread is called.
const THREAD: &str = "pintle-press";
/// Between the events of a busy kind the thread stays; in a process that rests there is none.
const LINGER: Duration = Duration::from_secs(1);

impl Bale {
    fn hand_over(job: Job) {
        let mut bale = locked(&BALE);
        bale.jobs.push_back(job);
        if bale.has_thread {
            CAME.notify_all();
        } else {
            // Without a thread bodies stay loose, which costs memory and nothing else; the next one tries again.
            bale.has_thread = thread::Builder::new().name(THREAD.to_owned()).spawn(Self::work).is_ok();
        }
    }

    fn work() {
        while let Some(job) = Self::next() {
            // A panic would be a defect of zstd; the body stays loose, and the others are compressed.
            drop(catch_unwind(AssertUnwindSafe(|| job.perform())));
        }
    }

    /// The next job; `None` when there was none for a while, and the thread ends.
    fn next() -> Option<Job> {
        let mut bale = locked(&BALE);
        bale.is_busy = false;
        CAME.notify_all();
        let is_empty = |bale: &mut Self| bale.jobs.is_empty();
        (bale, _) = CAME.wait_timeout_while(bale, LINGER, is_empty).unwrap_or_else(PoisonError::into_inner);
        let job = bale.jobs.pop_front();
        (bale.has_thread, bale.is_busy) = (job.is_some(), job.is_some());
        job
    }
}

/// Waits until everything is compressed that was handed over.
#[cfg(test)]
pub(crate) fn all_pressed() {
    let is_at_work = |bale: &mut Bale| bale.is_busy || !bale.jobs.is_empty();
    drop(CAME.wait_while(locked(&BALE), is_at_work).unwrap_or_else(PoisonError::into_inner));
}

// Nothing panics while it holds one of these locks but zstd, and then what they guard is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
