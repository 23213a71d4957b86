//! Sixty-four bytes of JSON at once: a bit for each byte, so that a whole block costs a few dozen instructions however
//! many strings and brackets are in it.
//!
//! ```text
//!   bytes    {"a":"}\"{","b":[1]}
//!   opens    1...............1...      those outside strings alone
//!   closes   ..................11
//! ```
//! In: blocks in their order. Out: which bytes open and close brackets. Between blocks it keeps whether a string is open
//! and whether the last byte was a backslash that escapes the next one.

use super::marks::{BLOCK_BYTES, Marks};

/// Follows strings through blocks.
#[derive(Debug, Default)]
pub(super) struct Strings {
    is_inside: bool,
    is_escaped: bool,
}

/// The brackets of a block, by bit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Brackets {
    /// `{` and `[`.
    pub(super) opens: u64,
    /// `}` and `]`.
    pub(super) closes: u64,
}

impl Strings {
    /// The brackets of the next block.
    pub(super) fn brackets(&mut self, block: &[u8; BLOCK_BYTES]) -> Brackets {
        self.brackets_of_first(BLOCK_BYTES, block)
    }

    /// The brackets of the next bytes, which do not fill a block.
    pub(super) fn brackets_of_rest(&mut self, rest: &[u8]) -> Brackets {
        // A space means nothing, in a string and outside.
        let mut block = [b' '; BLOCK_BYTES];
        block[..rest.len()].copy_from_slice(rest);
        self.brackets_of_first(rest.len(), &block)
    }

    fn brackets_of_first(&mut self, count: usize, block: &[u8; BLOCK_BYTES]) -> Brackets {
        let marks = Marks::of(block);
        let quotes = marks.quotes & !self.escaped(count, marks.backslashes);
        let inside = inside(quotes) ^ if self.is_inside { u64::MAX } else { 0 };
        self.is_inside = inside >> (BLOCK_BYTES - 1) == 1;
        Brackets { opens: marks.opens & !inside, closes: marks.closes & !inside }
    }

    /// The bytes behind a backslash that is not itself behind one. Outside strings JSON has none.
    fn escaped(&mut self, count: usize, backslashes: u64) -> u64 {
        let mut escaped = u128::from(std::mem::take(&mut self.is_escaped));
        if backslashes == 0 {
            return u64::from(escaped == 1);
        }
        let mut backslashes = u128::from(backslashes) & !escaped;
        while backslashes != 0 {
            let behind = (backslashes & backslashes.wrapping_neg()) << 1;
            escaped |= behind;
            backslashes &= (backslashes - 1) & !behind;
        }
        self.is_escaped = escaped >> count & 1 == 1;
        u64::try_from(escaped & u128::from(u64::MAX)).unwrap_or_default()
    }
}

/// From each opening quote up to its closing one: a bit is set if the number of quotes up to there is odd.
fn inside(quotes: u64) -> u64 {
    [1, 2, 4, 8, 16, 32].into_iter().fold(quotes, |odd, distance| odd ^ (odd << distance))
}
