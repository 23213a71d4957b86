//! Choices for property tests: the same seed gives the same walk, so a failure is named by its seed.

/// A walk through choices.
pub(crate) struct Walk {
    state: u64,
}

impl Walk {
    /// The walk of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        // An odd multiplier spreads neighbouring seeds; the walk must not begin at zero.
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        let bound = u64::try_from(bound).expect("a test's bound is small");
        usize::try_from(self.state % bound).expect("it is below the bound")
    }

    /// One of two.
    pub(crate) fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// One of `choices`.
    pub(crate) fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// A text of at most `length` characters, awkward ones among them, or nothing.
    pub(crate) fn text(&mut self, length: usize) -> String {
        let alphabet: Vec<char> = "aZ0-._:~ %/?#[]{}\\^|\"'<>&=+;@!$()*,é漢\u{7f}\t".chars().collect();
        (0..self.below(length + 1)).map(|_| self.one_of(&alphabet)).collect()
    }

    /// What `choose` chooses, or nothing.
    pub(crate) fn perhaps<T>(&mut self, choose: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.coin().then(|| choose(self))
    }
}
