//! Which bytes of a block structure JSON, a bit for each.
//!
//! In: sixty-four bytes. Out: their quotes, backslashes and brackets, wherever they stand. Sixteen bytes are compared at
//! once, so that a block costs about as many instructions as it has bytes.

use wide::u8x16;

/// How many bytes a block has: as many as an integer has bits.
pub(super) const BLOCK_BYTES: usize = u64::BITS as usize;

/// The marks of a block, by bit.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Marks {
    pub(super) quotes: u64,
    pub(super) backslashes: u64,
    /// `{` and `[`.
    pub(super) opens: u64,
    /// `}` and `]`.
    pub(super) closes: u64,
}

/// This bit is all that differs between round and square brackets in ASCII.
const ROUND: u8 = 0x20;

impl Marks {
    #[inline]
    pub(super) fn of(block: &[u8; BLOCK_BYTES]) -> Self {
        let (sixteens, _) = block.as_chunks::<16>();
        let mut marks = Self::default();
        for (index, sixteen) in sixteens.iter().enumerate() {
            let bytes = u8x16::new(*sixteen);
            let round = bytes | u8x16::splat(ROUND);
            marks.quotes |= equal(bytes, b'"') << (16 * index);
            marks.backslashes |= equal(bytes, b'\\') << (16 * index);
            marks.opens |= equal(round, b'{') << (16 * index);
            marks.closes |= equal(round, b'}') << (16 * index);
        }
        marks
    }
}

#[inline]
fn equal(bytes: u8x16, byte: u8) -> u64 {
    u64::from(bytes.simd_eq(u8x16::splat(byte)).to_bitmask())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte at every place, among bytes that are none of the marks.
    #[test]
    fn marks_are_found_wherever_they_stand() {
        for byte in 0..=u8::MAX {
            for place in 0..BLOCK_BYTES {
                let mut block = [b'a'; BLOCK_BYTES];
                block[place] = byte;
                let at = |is: bool| u64::from(is) << place;
                let expected = Marks {
                    quotes: at(byte == b'"'),
                    backslashes: at(byte == b'\\'),
                    opens: at(matches!(byte, b'{' | b'[')),
                    closes: at(matches!(byte, b'}' | b']')),
                };
                assert_eq!(Marks::of(&block), expected, "{byte} at {place}");
            }
        }
    }
}
