//! What readers come back to, in a store that is too large to lie decoded.
//!
//! In: objects that were decoded for a reader. Out: which of them stay decoded. A ring of places is gone round by a hand, one
//! place for each object that a reader had to wait for. What was not read while the hand came by a few times gives its place to the new
//! one; else the new one is not kept. So objects that are read often stay, whoever reads all of them once drives none out, and
//! readers that go round and round a store which is too large always find the same part of it decoded.
//!
//! Where they do that all the time, so that [decoding again](super::decode_pressure) takes a noticeable part of a processor, the store
//! keeps more, as far as the budget stretches. What is not read for a minute it then gives back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::budget::{DecodedBudget, HotShare};
use super::decode_pressure::DecodePressure;

/// An object that can be kept decoded.
pub(crate) trait Hot: Sized {
    /// Whether it was read since this was last asked.
    fn was_read(&self) -> bool;

    /// Keeps it decoded no longer.
    fn cool(&self);
}

/// Refers to an object that may be gone.
pub(crate) trait Reference {
    type Object: Hot;

    fn object(&self) -> Option<Self::Object>;
}

/// Whether a reader waits for an object for the first time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Decoded {
    First,
    Again,
}

/// The objects of one store that are kept decoded beyond its budget; at most as much as the budget allows for.
pub(crate) struct HotObjects<R> {
    ring: Mutex<Ring<R>>,
    /// Whether there is something to give back, for those who do not hold the lock.
    is_stretched: AtomicBool,
}

struct Ring<R> {
    places: Vec<Place<R>>,
    hand: usize,
    /// Of all places.
    weight: usize,
    /// From the first object on.
    share: Option<HotShare>,
    pressure: DecodePressure,
    /// When it was stretched, or last looked for what is not read any more.
    looked: Option<Instant>,
}

struct Place<R> {
    object: R,
    weight: usize,
    /// How often the hand came by since it was last found to be read.
    passed: u8,
    /// Whether the hand found it to be read since the ring last [relaxed](Ring::relax).
    was_read: bool,
}

impl<R: Reference> Place<R> {
    /// Whether `object`, which is its own, was read since the ring last relaxed.
    fn was_read_lately(&mut self, object: &R::Object) -> bool {
        let by_hand = std::mem::take(&mut self.was_read);
        object.was_read() || by_hand
    }
}

/// So often the hand comes by an object that is not read before it is given up. While readers go round a store of up to so many times the
/// budget, everything that is kept is read before; the others are decoded over spare objects, which costs half of decoding
/// them anew.
const PATIENCE: u8 = 8;

/// What is not read for so long makes room in a store that was stretched: who goes through it every few seconds finds everything
/// decoded, and who has stopped holds the memory for one or two of these.
const REST: Duration = Duration::from_secs(60);

impl<R> Default for HotObjects<R> {
    fn default() -> Self {
        let pressure = DecodePressure::default();
        let ring = Ring { places: Vec::new(), hand: 0, weight: 0, share: None, pressure, looked: None };
        Self { ring: Mutex::new(ring), is_stretched: AtomicBool::new(false) }
    }
}

impl<R: Reference> HotObjects<R> {
    /// Whether to keep an object of this weight that was decoded just now. `refer` is called if it is to be kept.
    pub(crate) fn admit(
        &self,
        weight: usize,
        decoded: Decoded,
        budget: &DecodedBudget,
        refer: impl FnOnce() -> R,
    ) -> bool {
        self.admit_at(Instant::now, weight, decoded, budget, refer)
    }

    fn admit_at(
        &self,
        now: impl FnOnce() -> Instant,
        weight: usize,
        decoded: Decoded,
        budget: &DecodedBudget,
        refer: impl FnOnce() -> R,
    ) -> bool {
        let mut ring = self.ring();
        let weight_max = ring.share.get_or_insert_with(|| budget.hot_share()).weight_max();
        let fits = ring.weight + weight <= weight_max
            || ring.makes_room(weight, weight_max)
            || (decoded == Decoded::Again && ring.stretches(weight, now()));
        self.is_stretched.store(ring.is_stretched(), Ordering::Relaxed);
        if !fits {
            return false;
        }
        ring.weight += weight;
        let place = Place { object: refer(), weight, passed: 0, was_read: false };
        // Behind the hand, so that it comes there last.
        let hand = ring.hand;
        ring.places.push(place);
        let last = ring.places.len() - 1;
        ring.places.swap(hand, last);
        ring.hand = (hand + 1) % ring.places.len();
        true
    }

    /// Gives back what it was stretched by and nobody has read for a while. To be called now and then; mostly there is nothing to do.
    pub(crate) fn relax(&self) {
        if self.is_stretched.load(Ordering::Relaxed) {
            self.relax_at(Instant::now());
        }
    }

    fn relax_at(&self, now: Instant) {
        let mut ring = self.ring();
        ring.relax(now);
        self.is_stretched.store(ring.is_stretched(), Ordering::Relaxed);
    }

    fn ring(&self) -> MutexGuard<'_, Ring<R>> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> Ring<R> {
    fn is_stretched(&self) -> bool {
        self.share.as_ref().is_some_and(HotShare::is_stretched)
    }
}

impl<R: Reference> Ring<R> {
    /// An object of this weight was decoded again; returns whether there is room for it now.
    fn stretches(&mut self, weight: usize, now: Instant) -> bool {
        self.relax(now);
        let step = self.pressure.add(weight, now);
        let Some(share) = self.share.as_mut().filter(|_| step > 0) else { return false };
        if share.stretch(step) {
            self.looked.get_or_insert(now);
        }
        self.weight + weight <= share.weight_max()
    }

    /// Lets go of what was not read since it was last looked at, if that is long ago, until the share need not be stretched.
    fn relax(&mut self, now: Instant) {
        if !self.is_stretched() || self.looked.is_some_and(|looked| now.saturating_duration_since(looked) < REST) {
            return;
        }
        let Some(share) = &mut self.share else { return };
        let weight_max = share.unstretched_max();
        self.places.retain_mut(|place| {
            let stays = place.object.object().is_some_and(|object| {
                let stays = place.was_read_lately(&object) || self.weight <= weight_max;
                if !stays {
                    object.cool();
                }
                stays
            });
            if !stays {
                self.weight -= place.weight;
            }
            stays
        });
        self.hand = 0;
        share.shrink_to(self.weight);
        self.looked = share.is_stretched().then_some(now);
    }

    /// Moves the hand by one place, or over several whose objects are not needed; returns whether there is room now.
    fn makes_room(&mut self, weight: usize, weight_max: usize) -> bool {
        // What is too much already is not waited for.
        let patience = if self.weight > weight_max { 1 } else { PATIENCE };
        while self.weight + weight > weight_max {
            let Some(place) = self.places.get_mut(self.hand) else { return false };
            if let Some(object) = place.object.object() {
                let was_read = object.was_read();
                place.was_read |= was_read;
                place.passed = if was_read { 0 } else { place.passed + 1 };
                if place.passed < patience {
                    self.hand = (self.hand + 1) % self.places.len();
                    return false;
                }
                object.cool();
            }
            self.weight -= self.places.swap_remove(self.hand).weight;
            if self.hand == self.places.len() {
                self.hand = 0;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::{Rc, Weak};

    use super::*;

    /// An object that is decoded or not.
    #[derive(Default)]
    struct Thing {
        is_decoded: Cell<bool>,
        was_read: Cell<bool>,
    }

    impl Hot for Rc<Thing> {
        fn was_read(&self) -> bool {
            self.was_read.take()
        }

        fn cool(&self) {
            self.is_decoded.set(false);
        }
    }

    impl Reference for Weak<Thing> {
        type Object = Rc<Thing>;

        fn object(&self) -> Option<Rc<Thing>> {
            self.upgrade()
        }
    }

    struct World {
        hot: HotObjects<Weak<Thing>>,
        budget: DecodedBudget,
        things: Vec<Rc<Thing>>,
    }

    impl World {
        /// So many things of weight 10, of which a tenth of `weight_max` may stay decoded.
        fn new(count: usize, weight_max: usize) -> Self {
            let things = std::iter::repeat_with(Rc::default).take(count).collect();
            Self { hot: HotObjects::default(), budget: DecodedBudget::new(weight_max), things }
        }

        /// Reads one; returns whether it had to be decoded.
        fn read(&self, which: usize) -> bool {
            let thing = &self.things[which];
            thing.was_read.set(true);
            let was_decoded = thing.is_decoded.get();
            if !was_decoded && self.hot.admit(10, Decoded::First, &self.budget, || Rc::downgrade(thing)) {
                thing.is_decoded.set(true);
            }
            assert!(self.decoded() * 10 <= self.budget.bytes_max(), "{} are decoded", self.decoded());
            !was_decoded
        }

        /// How many are decoded.
        fn decoded(&self) -> usize {
            self.things.iter().filter(|thing| thing.is_decoded.get()).count()
        }

        fn read_all(&self, which: std::ops::Range<usize>) -> usize {
            which.filter(|which| self.read(*which)).count()
        }
    }

    #[test]
    fn who_goes_round_a_store_that_is_a_little_too_large_finds_most_of_it_decoded() {
        let world = World::new(110, 1000);
        assert_eq!(world.read_all(0..110), 110);
        for _ in 0..5 {
            assert_eq!(world.read_all(0..110), 10, "all but what does not fit");
        }
    }

    #[test]
    fn who_goes_round_a_store_that_is_much_too_large_always_finds_the_same_part_of_it_decoded() {
        let world = World::new(600, 1000);
        assert_eq!(world.read_all(0..600), 600);
        for _ in 0..5 {
            assert_eq!((world.read_all(0..100), world.read_all(100..600)), (0, 500));
        }
    }

    #[test]
    fn who_reads_everything_once_drives_out_nothing_that_is_read_often() {
        let world = World::new(1000, 1000);
        for _ in 0..3 {
            world.read_all(0..50);
        }
        for once in 100..1000 {
            world.read(once);
            assert_eq!(world.read_all(0..50), 0, "after {once}");
        }
    }

    #[test]
    fn what_is_not_read_any_more_makes_room_for_what_is() {
        let world = World::new(200, 1000);
        world.read_all(0..100);
        let rounds = (0..).take_while(|_| world.read_all(100..200) > 0).count();
        assert!(rounds <= 4 * usize::from(PATIENCE), "{rounds} rounds");
    }

    #[test]
    fn what_is_gone_takes_no_room() {
        let mut world = World::new(200, 1000);
        world.read_all(0..100);
        world.things.drain(0..100);
        world.read_all(0..100);
        assert_eq!(world.read_all(0..100), 0);
    }

    #[test]
    fn what_is_too_large_and_a_budget_of_nothing_keep_nothing() {
        let world = World::new(1, 9);
        assert!(world.read(0) && world.read(0));
        let world = World::new(1, 0);
        assert!(world.read(0) && world.read(0));
    }

    #[test]
    fn stores_share_the_budget() {
        let mut one = World::new(100, 1000);
        assert_eq!((one.read_all(0..100), one.read_all(0..100)), (100, 0));
        let other = World { budget: one.budget.clone(), ..World::new(100, 0) };
        other.read_all(0..100);
        assert_eq!(other.read_all(0..100), 50, "half of it");
        one.things.extend(World::new(200, 0).things);
        one.read_all(100..300);
        assert_eq!(one.decoded(), 50, "the first store gives up its half as it goes on");
        drop(other);
        for _ in 0..2 * PATIENCE {
            one.read_all(200..300);
        }
        assert_eq!(one.read_all(200..300), 0, "and has it back");
    }

    /// Things of 1 MiB, of which sixteen may stay decoded, and sixty-four if need be.
    struct LargeWorld(World);

    impl LargeWorld {
        fn new(count: usize) -> Self {
            let budget = DecodedBudget::new(16 << 20).stretching_by(48 << 20);
            Self(World { budget, ..World::new(count, 0) })
        }

        /// Goes through the first of them; returns how many had to be decoded.
        fn read(&self, count: usize, now: Instant) -> usize {
            let World { hot, budget, things } = &self.0;
            let has_to_be_decoded = |thing: &&Rc<Thing>| {
                let decoded = if thing.was_read.replace(true) { Decoded::Again } else { Decoded::First };
                let was_decoded = thing.is_decoded.get();
                if !was_decoded && hot.admit_at(|| now, 1 << 20, decoded, budget, || Rc::downgrade(thing)) {
                    thing.is_decoded.set(true);
                }
                !was_decoded
            };
            things[..count].iter().filter(has_to_be_decoded).count()
        }
    }

    #[test]
    fn who_goes_round_a_store_that_is_too_large_soon_finds_all_of_it_decoded_and_later_gives_it_back() {
        let (world, begun) = (LargeWorld::new(40), Instant::now());
        let rounds = (0..).take_while(|_| world.read(40, begun) > 0).count();
        assert!((3..12).contains(&rounds), "{rounds} rounds");
        let minutes = |count| begun + REST * count;
        // Read within the first minute, so it stays.
        world.0.hot.relax_at(minutes(1));
        assert_eq!(world.read(40, minutes(1)), 0);
        assert_eq!(world.read(20, minutes(2)), 0);
        // What was not read since goes, as far as the budget is exceeded.
        world.0.hot.relax_at(minutes(2));
        world.read(20, minutes(3));
        world.0.hot.relax_at(minutes(3));
        assert_eq!(world.0.decoded(), 20);
        world.0.hot.relax_at(minutes(4));
        assert_eq!(world.0.decoded(), 16, "what fits into the budget stays, read or not");
        assert!(!world.0.hot.is_stretched.load(Ordering::Relaxed));
    }

    #[test]
    fn what_is_read_all_the_time_stays_though_the_hand_has_seen_it() {
        let (world, begun) = (LargeWorld::new(200), Instant::now());
        for _ in 0..50 {
            world.read(200, begun);
        }
        assert_eq!(world.0.decoded(), 64, "as far as it stretches");
        // The readers go on, and the hand goes round for what there is no room for.
        let kept: Vec<_> = (0..200).filter(|&nth| world.0.things[nth].is_decoded.get()).collect();
        world.0.hot.relax_at(begun + REST);
        world.read(200, begun + REST);
        world.0.hot.relax_at(begun + REST * 2);
        let still = kept.iter().filter(|&&nth| world.0.things[nth].is_decoded.get()).count();
        assert!(still > 60, "{still} of {} were read within the minute", kept.len());
    }

    #[test]
    fn a_store_stretches_no_further_than_its_budget_and_not_for_what_is_read_now_and_then() {
        let (world, begun) = (LargeWorld::new(200), Instant::now());
        for _ in 0..50 {
            world.read(200, begun);
        }
        assert_eq!(world.0.decoded(), 64);
        let world = LargeWorld::new(40);
        for round in 0..50 {
            world.read(40, begun + round * Duration::from_secs(10));
        }
        assert_eq!(world.0.decoded(), 16, "a few megabytes a second are not worth it");
    }
}
