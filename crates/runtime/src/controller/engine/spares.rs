//! Objects that were reconciled and that nobody holds any more: the next ones are decoded over them.
//!
//! Objects of one template have texts and lists of about the same length, so decoding one over another needs hardly any new
//! memory; how long its bytes are tells the templates apart well enough. A controller at work keeps one spare for each
//! reconcile that runs at once by default, one that rests keeps none.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

/// The spare objects of one controller.
pub(super) struct Spares<K> {
    objects: Vec<Spare<K>>,
    /// When one was last asked for.
    used: Instant,
}

struct Spare<K> {
    object: Arc<K>,
    /// Of the object, before it was decoded.
    weight: usize,
}

/// As many as run at once by default. A controller with more slots decodes the others anew.
const SPARES_MAX: usize = 16;
/// A controller that did nothing for so long may do nothing for hours.
const REST: Duration = Duration::from_secs(10);

impl<K> Spares<K> {
    pub(super) fn new(now: Instant) -> Self {
        Self { objects: Vec::new(), used: now }
    }

    /// The one that is most like an object of this weight, to be decoded over.
    pub(super) fn take(&mut self, weight: usize, now: Instant) -> Option<Arc<K>> {
        self.used = now;
        let nearest = (0..self.objects.len()).min_by_key(|&nth| self.objects[nth].weight.abs_diff(weight))?;
        Some(self.objects.swap_remove(nearest).object)
    }

    /// Keeps `object` unless somebody else holds it, or there are enough.
    pub(super) fn keep(&mut self, mut object: Arc<K>, weight: usize) {
        if Arc::get_mut(&mut object).is_some() && self.objects.len() < SPARES_MAX {
            self.objects.push(Spare { object, weight });
        }
    }

    /// Lets them go if the controller has rested for long.
    pub(super) fn rest(&mut self, now: Instant) {
        if !self.objects.is_empty() && now.saturating_duration_since(self.used) >= REST {
            self.objects = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_that_is_most_like_it_is_taken_and_none_that_somebody_holds() {
        let now = Instant::now();
        let mut spares = Spares::new(now);
        let held = Arc::new(50);
        spares.keep(Arc::clone(&held), 50);
        for weight in [100, 10, 60] {
            spares.keep(Arc::new(weight), weight);
        }
        let taken = [50, 50, 50, 50].map(|weight| spares.take(weight, now).as_deref().copied());
        assert_eq!(taken, [Some(60), Some(10), Some(100), None]);
    }

    #[test]
    fn there_are_as_many_as_run_at_once_and_none_after_a_rest() {
        let now = Instant::now();
        let mut spares = Spares::new(now);
        (0..100).for_each(|number| spares.keep(Arc::new(number), number));
        assert_eq!(spares.objects.len(), SPARES_MAX);
        spares.take(0, now + REST);
        spares.rest(now + REST);
        assert_eq!(spares.objects.len(), SPARES_MAX - 1, "one was used just now");
        spares.rest(now + 2 * REST);
        assert_eq!(spares.objects.len(), 0);
    }
}
