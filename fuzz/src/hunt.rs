//! One walk through inputs: keeps what is new, and stops at what breaks the claim.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::mutate::mutate;
use crate::target::{Print, Target};
use crate::watchdog::Watchdog;

/// The most inputs that are kept: more than any target has kinds of outcome that matter.
const CORPUS_MAX: usize = 4096;

/// How often the clock is read: a run takes microseconds, and so does asking for the time.
const CLOCK_EVERY: u64 = 64;

/// An input for which the claim does not hold.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) input: Vec<u8>,
    /// What the panic said.
    pub(crate) why: String,
}

/// A walk through inputs of one target.
pub(crate) struct Hunt {
    target: Target,
    rng: Rng,
    corpus: Vec<Vec<u8>>,
    prints: HashSet<Print>,
    executions: u64,
}

impl Hunt {
    pub(crate) fn new(target: Target, seed: u64) -> Self {
        Self { target, rng: Rng::with_seed(seed), corpus: Vec::new(), prints: HashSet::new(), executions: 0 }
    }

    pub(crate) fn executions(&self) -> u64 {
        self.executions
    }

    pub(crate) fn corpus_len(&self) -> usize {
        self.corpus.len()
    }

    /// Walks until the time is over. A run that takes for ever is noticed by the watchdog, which ends the process.
    pub(crate) fn run_for(&mut self, time: Duration) -> Result<(), Finding> {
        let watchdog = Watchdog::start(self.target.name);
        let started = Instant::now();
        self.walk(|hunt, input| {
            watchdog.note(input);
            hunt.executions % CLOCK_EVERY != 0 || started.elapsed() < time
        })
    }

    /// Walks so many steps.
    #[cfg(test)]
    pub(crate) fn run_times(&mut self, times: u64) -> Result<(), Finding> {
        self.walk(|hunt, _| hunt.executions < times)
    }

    fn walk(&mut self, goes_on: impl Fn(&Self, &[u8]) -> bool) -> Result<(), Finding> {
        for seed in (self.target.seeds)() {
            self.execute(seed)?;
        }
        assert!(!self.corpus.is_empty(), "{} has no seeds", self.target.name);
        loop {
            let (one, other) = (self.rng.usize(0..self.corpus.len()), self.rng.usize(0..self.corpus.len()));
            let input = mutate(&mut self.rng, &self.corpus[one], &self.corpus[other], self.target.words);
            if !goes_on(self, &input) {
                return Ok(());
            }
            self.execute(input)?;
        }
    }

    fn execute(&mut self, input: Vec<u8>) -> Result<(), Finding> {
        self.executions += 1;
        match attempt(&self.target, &input) {
            Ok(print) => {
                if self.prints.len() < CORPUS_MAX && self.prints.insert(print) {
                    self.corpus.push(input);
                }
                Ok(())
            }
            Err(_) => Err(shrunk(&self.target, input)),
        }
    }
}

fn attempt(target: &Target, input: &[u8]) -> Result<Print, String> {
    // A target keeps nothing between runs, so there is nothing a panic could leave half done.
    catch_unwind(AssertUnwindSafe(|| (target.run)(input))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        text.unwrap_or("a panic without a text").to_owned()
    })
}

/// The same finding with as little as possible around it: stretches are left out, long ones first.
fn shrunk(target: &Target, mut input: Vec<u8>) -> Finding {
    let mut length = input.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at + length <= input.len() {
            let mut without = input.clone();
            without.drain(at..at + length);
            if attempt(target, &without).is_err() {
                input = without;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    let why = attempt(target, &input).err().unwrap_or_else(|| "it does not happen again".to_owned());
    Finding { input, why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets;

    /// Breaks where `<` comes before `>` with a `!` between them.
    const PLANTED: Target = Target {
        name: "planted",
        claim: "never <!>",
        seeds: || vec![b"some text that begins harmless".to_vec()],
        words: &["<", ">"],
        run: |input| {
            let place = |byte| input.iter().position(|other| *other == byte);
            let places = (place(b'<'), place(b'!'), place(b'>'));
            assert!(!matches!(places, (Some(a), Some(b), Some(c)) if a < b && b < c), "there it is");
            Print::of((places.0.is_some(), places.1.is_some(), places.2.is_some()))
        },
    };

    #[test]
    fn a_planted_mistake_is_found_shrunk_and_found_again_by_the_same_seed() {
        let hunt = |seed| {
            let mut hunt = Hunt::new(PLANTED, seed);
            let found = hunt.run_times(200_000).expect_err("it is there");
            (found.input, found.why, hunt.executions())
        };
        let (input, why, executions) = hunt(3);
        assert_eq!((input.as_slice(), why.as_str()), (b"<!>".as_slice(), "there it is"));
        assert_eq!(hunt(3).2, executions);
    }

    #[test]
    fn every_target_holds_for_a_moment_and_distinguishes_runs() {
        for target in targets::all() {
            let name = target.name;
            let mut hunt = Hunt::new(target, 1);
            hunt.run_times(2000).unwrap_or_else(|finding| panic!("{name}: {finding:?}"));
            assert!(hunt.corpus_len() > 4, "{name} distinguishes only {} runs", hunt.corpus_len());
        }
    }
}
