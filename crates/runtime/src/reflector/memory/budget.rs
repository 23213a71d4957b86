//! How much memory decoded objects may take, and what happens to those for which there is no room.
//!
//! Every packed object in a store that has this budget counts with what it would weigh decoded, by estimate. While all of
//! them fit, each is decoded once and kept so. What comes when they do not is decoded when it is read,
//! [kept](super::hot_objects) so if readers come back to it, and [compressed](super::compress_queue) once it has rested for a while.
//! Where readers come back to more than the budget allows for, again and again, it stretches; what they leave, it gives back.
//! Small objects stay as they came for longer: to compress one costs as much as to decode it, and saves little.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use pintle_wire::{Body, Encoding};

use super::compress_queue::CompressQueue;
use super::process_memory::process_memory;

/// A budget for the decoded objects of one or more stores; cloning shares it.
///
/// Every store has that of the [process](Self::process), unless [`Writer::with_budget`](crate::reflector::Writer::with_budget) says
/// otherwise.
#[derive(Clone)]
pub struct DecodedBudget(Arc<Account>);

struct Account {
    /// What the packed objects of its stores would weigh if they were decoded.
    bytes: AtomicUsize,
    bytes_max: AtomicUsize,
    queue: CompressQueue,
    /// The bytes of small objects that are neither decoded nor to be compressed.
    small_bytes: AtomicUsize,
    /// How many stores keep objects decoded beyond it.
    hot_stores: AtomicUsize,
    /// How many bytes those have beyond their shares.
    stretched: AtomicUsize,
    stretched_max: AtomicUsize,
}

/// What one store may keep decoded when not everything fits, as long as it exists.
pub(crate) struct HotShare {
    budget: DecodedBudget,
    stretched: usize,
}

impl HotShare {
    /// An equal part of the budget, and what the share was stretched by. A store that has more gives it up as its readers go on.
    pub(crate) fn weight_max(&self) -> usize {
        let stretched_max = self.budget.0.stretched_max.load(Ordering::Relaxed);
        self.unstretched_max() + self.stretched.min(stretched_max)
    }

    /// An equal part of the budget.
    pub(super) fn unstretched_max(&self) -> usize {
        self.budget.bytes_max() / self.budget.0.hot_stores.load(Ordering::Relaxed).max(1)
    }

    /// Makes it larger by so many bytes, if the budget stretches that far; returns whether it does.
    pub(super) fn stretch(&mut self, bytes: usize) -> bool {
        let Account { stretched, stretched_max, .. } = &*self.budget.0;
        let max = stretched_max.load(Ordering::Relaxed);
        let grow = |all: usize| all.checked_add(bytes).filter(|all| *all <= max);
        let is_granted = stretched.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grow).is_ok();
        if is_granted {
            self.stretched += bytes;
        }
        is_granted
    }

    /// Gives back what a store of this weight does not need.
    pub(super) fn shrink_to(&mut self, weight: usize) {
        let needed = weight.saturating_sub(self.unstretched_max()).min(self.stretched);
        let stretched = std::mem::replace(&mut self.stretched, needed);
        self.budget.0.stretched.fetch_sub(stretched - needed, Ordering::Relaxed);
    }

    /// Whether it is larger than its part of the budget.
    pub(super) fn is_stretched(&self) -> bool {
        self.stretched > 0
    }
}

impl Drop for HotShare {
    fn drop(&mut self) {
        self.budget.0.stretched.fetch_sub(self.stretched, Ordering::Relaxed);
        self.budget.0.hot_stores.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Enough for every small cluster to stay decoded.
const PROCESS_BYTES_MAX: usize = 64 << 20;

/// The part of its memory that the process may take beyond its budget for what readers come back to: with the budget, what is packed and
/// the program's own there is room left in a container that was sized for it.
const STRETCH_SHARE: usize = 4;

/// Where it is not known how much memory the process may use.
const STRETCH_UNKNOWN: usize = 256 << 20;

/// How many times the bytes that an object came as it takes when it is decoded: of pods, by `bench weigh`. `managedFields` become
/// trees; where they are skipped their bytes count all the same.
fn growth(body: Body<'_>) -> usize {
    match (body.encoding(), body.has_managed_fields()) {
        (Encoding::Json, false) => 5,
        (Encoding::Json, true) | (Encoding::Protobuf(_), false) => 7,
        (Encoding::Protobuf(_), true) => 10,
    }
}

/// A quarter of the budget may be taken by what came last and is not compressed yet: with what stays decoded that is well
/// below the memory that the estimate allows for.
const RECENT_SHARE: usize = 4;

/// A quarter more than the budget is too much for certain. A store that is about as large as the budget would otherwise be kept now in one way and
/// now in the other, at each event.
const MARGIN: usize = 4;

/// Up to here an object is small: of a ConfigMap of 2 KB compression saves one, of a pod of 12 KB ten.
const SMALL_BYTES: usize = 4 << 10;

/// Small objects may take so many times the budget before they are compressed, too: 256 MiB unless the budget is set. Where they were decoded
/// as other clients have them, they would take four times that.
const SMALL_SHARE: usize = 4;

static PROCESS: LazyLock<DecodedBudget> = LazyLock::new(|| {
    let stretched_max = process_memory().map_or(STRETCH_UNKNOWN, |bytes| bytes / STRETCH_SHARE);
    DecodedBudget::new(PROCESS_BYTES_MAX).stretching_by(stretched_max)
});

/// Sets the budget of the [process](DecodedBudget::process), for what comes from now on; 64 MiB unless set. Where all objects
/// would take more, they are kept compressed, those of up to 4 KiB only where they take more than four times the budget. What a store's
/// readers come back to stays decoded within the same number of bytes, and the rest is decoded each time it is read.
///
/// Unless it is set, the budget stretches: while readers decode the same objects again and again, for more than a hundredth of a
/// processor, more of them stay decoded, up to a quarter of the memory that the process may use. What has not been read for a minute is
/// let go when the next event comes.
pub fn set_decoded_budget(bytes: usize) {
    DecodedBudget::process().set_max(bytes);
}

impl DecodedBudget {
    /// A budget of so many bytes, by estimate.
    pub fn new(bytes_max: usize) -> Self {
        Self(Arc::new(Account {
            bytes: AtomicUsize::new(0),
            bytes_max: AtomicUsize::new(bytes_max),
            queue: CompressQueue::default(),
            small_bytes: AtomicUsize::new(0),
            hot_stores: AtomicUsize::new(0),
            stretched: AtomicUsize::new(0),
            stretched_max: AtomicUsize::new(0),
        }))
    }

    /// Lets it stretch by so many bytes for what readers come back to, as that of the process does unless it is set.
    #[must_use]
    pub fn stretching_by(self, bytes: usize) -> Self {
        self.0.stretched_max.store(bytes, Ordering::Relaxed);
        self
    }

    /// The one that all stores of the process share unless they are given another.
    pub fn process() -> &'static Self {
        &PROCESS
    }

    /// Allows so many bytes and no more, for what comes from now on.
    pub fn set_max(&self, bytes: usize) {
        self.0.bytes_max.store(bytes, Ordering::Relaxed);
        self.0.stretched_max.store(0, Ordering::Relaxed);
    }

    /// Counts an object with this body, of which so much is decoded; returns its weight.
    pub(crate) fn add(&self, body: Body<'_>) -> usize {
        let weight = body.bytes().len() * growth(body);
        self.0.bytes.fetch_add(weight, Ordering::Relaxed);
        weight
    }

    /// Counts an object that is never kept decoded with its bytes; returns their number.
    pub(crate) fn add_bytes(&self, bytes: usize) -> usize {
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        bytes
    }

    /// An object of this weight is gone.
    pub(crate) fn subtract(&self, weight: usize) {
        self.0.bytes.fetch_sub(weight, Ordering::Relaxed);
    }

    /// Whether the packed stores are larger than may stay decoded.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.0.bytes.load(Ordering::Relaxed) > self.bytes_max()
    }

    /// Whether they are so much larger that nothing stays decoded only because it came first.
    pub(crate) fn is_far_exceeded(&self) -> bool {
        let bytes_max = self.bytes_max();
        self.0.bytes.load(Ordering::Relaxed) > bytes_max.saturating_add(bytes_max / MARGIN)
    }

    /// Whether an object of so many bytes may stay as it came though the budget is exceeded: it is small, and there are not too
    /// many of them. It counts until [`give_up_small`](Self::give_up_small).
    pub(super) fn take_small(&self, bytes: usize) -> bool {
        if bytes > SMALL_BYTES {
            return false;
        }
        let bytes_max = self.bytes_max().saturating_mul(SMALL_SHARE);
        let fits = self.0.small_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= bytes_max;
        if !fits {
            self.give_up_small(bytes);
        }
        fits
    }

    /// A small object of so many bytes stays as it came, whatever else does.
    pub(super) fn keep_small(&self, bytes: usize) {
        self.0.small_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A small object of so many bytes is gone.
    pub(super) fn give_up_small(&self, bytes: usize) {
        self.0.small_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// How many bytes it allows.
    pub(super) fn bytes_max(&self) -> usize {
        self.0.bytes_max.load(Ordering::Relaxed)
    }

    /// The share of one more store.
    pub(super) fn hot_share(&self) -> HotShare {
        self.0.hot_stores.fetch_add(1, Ordering::Relaxed);
        HotShare { budget: self.clone(), stretched: 0 }
    }

    /// How many bytes of what came last stay as they came for a while.
    pub(crate) fn recent_bytes_max(&self) -> usize {
        self.bytes_max() / RECENT_SHARE
    }

    /// Where bodies are compressed.
    pub(crate) fn queue(&self) -> &CompressQueue {
        &self.0.queue
    }
}

impl fmt::Debug for DecodedBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let load = |number: &AtomicUsize| number.load(Ordering::Relaxed);
        f.debug_struct("DecodedBudget")
            .field("bytes", &load(&self.0.bytes))
            .field("bytes_max", &load(&self.0.bytes_max))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_exceeded_by_what_its_objects_would_weigh_decoded_and_can_be_set_anew() {
        let budget = DecodedBudget::new(100);
        let weight = budget.add(Body::json(&[b' '; 10]));
        assert_eq!((weight, budget.is_exceeded()), (70, false));
        budget.subtract(weight);
        let weight = budget.add(Body::json(&[b' '; 20]).without_managed_fields());
        assert_eq!((weight, budget.is_exceeded()), (100, false));
        assert!(budget.add_bytes(5) == 5 && budget.is_exceeded());
        budget.set_max(105);
        assert!(!budget.is_exceeded());
        budget.subtract(weight);
        budget.set_max(4);
        assert!(budget.is_exceeded());
    }

    #[test]
    fn small_objects_stay_as_they_came_up_to_four_times_the_budget() {
        let budget = DecodedBudget::new(1000);
        assert!(budget.take_small(3000) && budget.take_small(1000));
        assert!(!budget.take_small(1), "there are too many");
        budget.give_up_small(1000);
        assert!(budget.take_small(1), "one is gone");
        assert!(!DecodedBudget::new(1 << 20).take_small(SMALL_BYTES + 1), "it is not small");
    }

    /// The only test that sets the budget of the process: it puts back what all others rely on.
    #[test]
    fn the_budget_of_the_process_is_the_one_that_stores_share_and_can_be_set() {
        let bytes_max = || DecodedBudget::process().0.bytes_max.load(Ordering::Relaxed);
        let stretched_max = || DecodedBudget::process().0.stretched_max.load(Ordering::Relaxed);
        assert_eq!(bytes_max(), PROCESS_BYTES_MAX);
        let before = stretched_max();
        assert!(before >= 16 << 20, "it stretches");
        set_decoded_budget(PROCESS_BYTES_MAX + 1);
        assert_eq!((bytes_max(), stretched_max()), (PROCESS_BYTES_MAX + 1, 0), "one that is set is kept to");
        assert!(format!("{:?}", super::super::storage::Storage::default().budget).contains("bytes_max: 67108865"));
        set_decoded_budget(PROCESS_BYTES_MAX);
        DecodedBudget::process().0.stretched_max.store(before, Ordering::Relaxed);
    }

    #[test]
    fn a_budget_stretches_so_far_for_all_stores_together_and_has_it_back_when_they_are_gone() {
        let budget = DecodedBudget::new(100).stretching_by(50);
        let (mut one, mut other) = (budget.hot_share(), budget.hot_share());
        assert!(one.stretch(30) && !other.stretch(30) && other.stretch(20));
        assert_eq!((one.weight_max(), other.weight_max()), (80, 70));
        one.shrink_to(60);
        assert_eq!((one.weight_max(), one.is_stretched()), (60, true));
        assert!(!one.stretch(21) && one.stretch(20));
        drop(one);
        assert!(other.stretch(30) && other.weight_max() == 150);
        other.shrink_to(0);
        assert_eq!((other.weight_max(), other.is_stretched()), (100, false));
        assert!(other.stretch(10) && other.weight_max() == 110);
        budget.set_max(100);
        assert_eq!(other.weight_max(), 100, "one that is set does not, whatever it has done before");
        assert!(!DecodedBudget::new(100).hot_share().stretch(1), "one that is made does not stretch by itself");
    }
}
