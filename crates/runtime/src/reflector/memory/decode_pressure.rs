//! How much readers have to wait for what was decoded for them before.
//!
//! In: the weight of each object that had to be decoded once more, and the time. Out: how much more the store had better keep decoded.
//! What is decoded again now and then is forgotten; what takes a noticeable part of a processor is not. So a program that goes through a
//! large store every few minutes keeps its memory, and one that does so all the time gets what it would have from a store that keeps
//! everything decoded.

use std::time::Instant;

/// The pressure on one store.
#[derive(Debug, Default)]
pub(super) struct DecodePressure {
    bytes: usize,
    since: Option<Instant>,
}

/// About a hundredth of a processor: so much weight of pods is decoded in ten milliseconds. Memory for less is not worth it.
const FORGOTTEN_A_SECOND: usize = 16 << 20;

/// Two seconds of that may come at once: who goes through a store now and then decodes it in one go.
const BURST: usize = 2 * FORGOTTEN_A_SECOND;

/// What a store grows by at once: sixty pods. Small enough that one which is a little too large takes only what it lacks.
const STEP: usize = 4 << 20;

/// What had to be decoded again for each byte that a store grows by: twice, or what is read a second time and never more would grow it.
const WORTH: usize = 2;

impl DecodePressure {
    /// An object of this weight was decoded again. Returns by how many bytes the store should grow.
    pub(super) fn add(&mut self, weight: usize, now: Instant) -> usize {
        let rested = self.since.replace(now).map_or(0, |since| now.saturating_duration_since(since).as_micros());
        let forgotten = rested.saturating_mul(FORGOTTEN_A_SECOND as u128) / 1_000_000;
        let forgotten = usize::try_from(forgotten).unwrap_or(usize::MAX);
        self.bytes = self.bytes.saturating_sub(forgotten).saturating_add(weight);
        let steps = self.bytes.saturating_sub(BURST) / (STEP * WORTH);
        self.bytes -= steps * STEP * WORTH;
        steps * STEP
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// What a store grows by if so much is decoded again every so often, a hundred times.
    fn grown(weight: usize, every: Duration) -> usize {
        let (mut pressure, begun) = (DecodePressure::default(), Instant::now());
        (0..100).map(|turn| pressure.add(weight, begun + every * turn)).sum()
    }

    #[test]
    fn a_store_grows_by_half_of_what_is_decoded_again_at_once_and_not_by_what_is_decoded_now_and_then() {
        assert_eq!(grown(1 << 20, Duration::ZERO), 32 << 20, "half of what is beyond the burst, in whole steps");
        assert_eq!(grown(1 << 20, Duration::from_secs(1)), 0);
        assert_eq!(grown(16 << 20, Duration::from_secs(1)), 0, "a hundredth of a processor is nothing");
        assert!(grown(32 << 20, Duration::from_secs(1)) >= 700 << 20, "twice that is half too much");
    }

    #[test]
    fn an_object_of_any_weight_after_any_time_is_no_overflow() {
        let (mut pressure, begun) = (DecodePressure::default(), Instant::now());
        pressure.add(usize::MAX, begun);
        pressure.add(usize::MAX, begun);
        assert_eq!(pressure.add(0, begun + Duration::from_secs(1 << 40)), 0);
    }
}
