//! What is fuzzed: a claim about every input.

use std::hash::{BuildHasher, Hash};

/// A claim that must hold for every input.
pub(crate) struct Target {
    /// What it is called on the command line.
    pub(crate) name: &'static str,
    /// What must hold, in one line.
    pub(crate) claim: &'static str,
    /// Inputs to begin with: what a program would really write.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Pieces of the grammar, which blind mutation would take ages to find.
    pub(crate) words: &'static [&'static str],
    /// Runs one input. It panics where the claim does not hold, and says what the run looked like.
    pub(crate) run: fn(&[u8]) -> Print,
}

/// What a run looked like: inputs with a new one are worth mutating further. Few hundred different ones are good; one
/// per input would keep everything, one for all nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Print(pub(crate) u64);

impl Print {
    /// A digest of what distinguishes one run from another.
    pub(crate) fn of(look: impl Hash) -> Self {
        Self(foldhash::fast::FixedState::with_seed(0).hash_one(look))
    }
}
