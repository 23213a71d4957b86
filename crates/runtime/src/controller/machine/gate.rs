//! What holds reconciles back until enough is known: reconciling before an owned kind has been listed would create what
//! exists.
//!
//! In: which watches are complete, refused, and the time. Out: when it opens. It opens when all watches that the
//! controller opened itself are complete; one that was refused is not waited for, and the others not for ever. It is
//! pure: the time is an input.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant;

/// The number of the controller's own watch.
pub(in crate::controller) const MAIN: usize = 0;
/// How long other watches are waited for once the controller's own is ready.
pub(in crate::controller) const PATIENCE: Duration = Duration::from_secs(30);

/// Opens once, and stays open.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Gate {
    /// The kinds that are not complete yet.
    unsynced: BTreeMap<usize, String>,
    /// Those that are not waited for, though they are not complete.
    skipped: BTreeSet<usize>,
    opens: Option<Instant>,
}

impl Gate {
    /// Waits for the watches in `awaited`, of these kinds; [`MAIN`] is always waited for.
    pub(in crate::controller) fn new(awaited: BTreeMap<usize, String>) -> Self {
        debug_assert!(awaited.contains_key(&MAIN), "nothing can be reconciled before the objects themselves are known");
        Self { unsynced: awaited, skipped: BTreeSet::new(), opens: None }
    }

    /// A watch is complete; says whether it was not waited for, so that objects were reconciled without it.
    pub(in crate::controller) fn synced(&mut self, number: usize, now: Instant) -> bool {
        self.unsynced.remove(&number);
        if number == MAIN {
            self.opens.get_or_insert(now + PATIENCE);
        }
        self.open_if_complete(now);
        self.skipped.remove(&number)
    }

    /// A watch was refused: a controller that may not watch a kind, or whose kind does not exist, is not kept waiting for
    /// it. Returns the kind if it was waited for.
    pub(in crate::controller) fn refused(&mut self, number: usize, now: Instant) -> Option<String> {
        if number == MAIN {
            return None;
        }
        let kind = self.unsynced.remove(&number)?;
        self.skipped.insert(number);
        self.open_if_complete(now);
        Some(kind)
    }

    /// When it opens, if that is known.
    pub(in crate::controller) fn opening(&self) -> Option<Instant> {
        self.opens
    }

    /// The kinds it gave up waiting for, once: empty unless it is open because the patience has run out.
    pub(in crate::controller) fn given_up(&mut self, now: Instant) -> Vec<String> {
        if self.opens.is_none_or(|opens| opens > now) {
            return Vec::new();
        }
        self.skipped.extend(self.unsynced.keys());
        std::mem::take(&mut self.unsynced).into_values().collect()
    }

    fn open_if_complete(&mut self, now: Instant) {
        if self.unsynced.is_empty() {
            self.opens = Some(self.opens.map_or(now, |opens| opens.min(now)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Synced(usize),
        Refused(usize),
        Second,
    }

    /// Every sequence of five steps in a world of three watches: the gate is open if and only if all are complete or
    /// refused, the main one complete, or thirty seconds have gone since the main one was.
    fn walk(steps: &mut Vec<Step>, start: Instant, walked: &mut usize) {
        *walked += 1;
        check(steps, start);
        if steps.len() == 5 {
            return;
        }
        for step in [
            Step::Synced(0),
            Step::Synced(1),
            Step::Synced(2),
            Step::Refused(0),
            Step::Refused(1),
            Step::Refused(2),
            Step::Second,
        ] {
            steps.push(step);
            walk(steps, start, walked);
            steps.pop();
        }
    }

    fn check(steps: &[Step], start: Instant) {
        let kinds = [(0, "Document".to_owned()), (1, "ConfigMap".to_owned()), (2, "Secret".to_owned())];
        let mut gate = Gate::new(kinds.into());
        let (mut now, mut main, mut known) = (start, None, [false; 3]);
        for step in steps {
            match *step {
                Step::Synced(number) => {
                    gate.synced(number, now);
                    known[number] = true;
                    if number == MAIN {
                        main = main.or(Some(now));
                    }
                }
                Step::Refused(number) => {
                    gate.refused(number, now);
                    known[number] |= number != MAIN;
                }
                Step::Second => now += Duration::from_secs(16),
            }
        }
        let is_open = gate.opening().is_some_and(|opens| opens <= now);
        let should = known == [true; 3] || main.is_some_and(|main| now >= main + PATIENCE);
        assert_eq!(is_open, should, "{steps:?}");
        let given_up = gate.given_up(now).len();
        assert_eq!(given_up, if is_open { known.iter().filter(|known| !**known).count() } else { 0 }, "{steps:?}");
    }

    #[test]
    fn it_opens_when_all_is_known_or_patience_ends_in_every_sequence_of_five_steps() {
        let mut walked = 0;
        walk(&mut Vec::new(), Instant::now(), &mut walked);
        assert!(walked > 19_000, "only {walked} sequences were walked");
    }
}
