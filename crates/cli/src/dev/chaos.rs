//! Chaos: a sequence of actions that follows from a seed alone.
//!
//! It comes in episodes: something breaks, an object is changed or deleted meanwhile, what broke is mended. So whatever
//! is seen heals, and a second run with the same seed does the same.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use super::controls::Action;

/// The actions of one seed.
pub(super) struct Chaos {
    random: fastrand::Rng,
    episode: VecDeque<Action>,
    /// How many objects it has made more than it has deleted.
    surplus: usize,
    /// What it switches on for an episode, and off at its end.
    switches: &'static [Action],
    /// The change that comes now and then instead of an ordinary one.
    odd_change: Action,
}

/// Long enough to see what an action does, short enough to wait for the next.
const PAUSE_MILLISECONDS: Range<u64> = 1500..4000;
/// It makes no more objects than fit on a small screen.
const SURPLUS_MAX: usize = 3;
/// Everything that can be switched on and off; the last is for a controller of ours.
const SWITCHES: [Action; 4] = [Action::CutWatches, Action::SlowDown, Action::Refuse, Action::Crash];

impl Chaos {
    /// For the sample and its controller.
    pub(super) fn of_sample(seed: u64) -> Self {
        Self::new(seed, &SWITCHES, Action::Spoil)
    }

    /// For objects and controllers that are not known here.
    pub(super) fn of_manifests(seed: u64) -> Self {
        Self::new(seed, &SWITCHES[..3], Action::Change)
    }

    fn new(seed: u64, switches: &'static [Action], odd_change: Action) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        Self { random, episode: VecDeque::new(), surplus: 0, switches, odd_change }
    }

    /// How long to wait, and what to do then.
    pub(super) fn next(&mut self) -> (Duration, Action) {
        let pause = Duration::from_millis(self.random.u64(PAUSE_MILLISECONDS));
        let action = loop {
            match self.episode.pop_front() {
                Some(action) => break action,
                None => self.plan(),
            }
        };
        (pause, action)
    }

    fn plan(&mut self) {
        let meanwhile = self.edit();
        match self.random.usize(..self.switches.len() + 2) {
            0 => self.episode.push_back(meanwhile),
            1 => self.episode.extend([meanwhile, Action::ExpireHistory]),
            at => self.episode.extend([self.switches[at - 2], meanwhile, self.switches[at - 2]]),
        }
    }

    fn edit(&mut self) -> Action {
        match self.random.u8(..4) {
            0 if self.surplus < SURPLUS_MAX => {
                self.surplus += 1;
                Action::Create
            }
            1 if self.surplus > 0 => {
                self.surplus -= 1;
                Action::Delete
            }
            2 => self.odd_change,
            _ => Action::Change,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(seed: u64) -> Vec<(Duration, Action)> {
        let mut chaos = Chaos::of_sample(seed);
        (0..300).map(|_| chaos.next()).collect()
    }

    #[test]
    fn the_same_seed_does_the_same_and_another_does_not() {
        assert_eq!(actions(7), actions(7));
        assert_ne!(actions(7), actions(8));
    }

    #[test]
    fn what_needs_the_sample_does_not_happen_without_it() {
        let mut chaos = Chaos::of_manifests(1);
        let is_of_sample = |action| matches!(action, Action::Crash | Action::Spoil);
        assert!((0..300).all(|_| !is_of_sample(chaos.next().1)));
    }

    #[test]
    fn everything_happens_and_what_breaks_is_mended_two_steps_later() {
        let actions: Vec<Action> = actions(1).into_iter().map(|(_, action)| action).collect();
        for action in SWITCHES.into_iter().chain([
            Action::Create,
            Action::Change,
            Action::Spoil,
            Action::Delete,
            Action::ExpireHistory,
        ]) {
            assert!(actions.contains(&action), "{action:?} never happens");
        }
        let mut at = 0;
        while at + 2 < actions.len() {
            if SWITCHES.contains(&actions[at]) {
                assert_eq!(actions[at], actions[at + 2]);
                at += 2;
            }
            at += 1;
        }
    }
}
