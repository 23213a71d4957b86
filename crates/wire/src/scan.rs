//! Where a JSON value ends, found in chunks that split it anywhere.
//!
//! The scanner knows strings, escapes and brackets, and nothing else of JSON: what is between the brackets is checked
//! by the decoder. In: bytes. Out: how many of them belong to the value, and whether it is complete. Its state
//! is a few words, so a value may arrive a byte at a time. Objects and arrays are gone over a block at a time.

mod block;
mod fields;
mod marks;

use memchr::memchr2;

use self::block::{Brackets, Strings};
use self::marks::BLOCK_BYTES;
use crate::Limits;

pub(crate) use fields::{Fields, Malformed};

/// Follows one JSON value at a time through chunks.
#[derive(Debug)]
pub(crate) struct Scanner {
    state: State,
    depth: usize,
    /// How many objects and arrays stand directly in the value.
    nested: usize,
    strings: Strings,
    depth_max: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    /// Between values.
    Before,
    /// In an object or array.
    Nested,
    /// In a string that is the whole value.
    String,
    /// In such a string, behind a backslash.
    Escape,
    /// In a number, `true`, `false` or `null`, which end where something else begins.
    Word,
}

/// What a chunk brought.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Scanned {
    /// The value ends before this byte of the chunk.
    Complete(usize),
    /// All bytes belong to the value, and more are needed.
    Partial,
}

/// The value is nested too deeply.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct TooDeep;

impl Scanner {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { state: State::Before, depth: 0, nested: 0, strings: Strings::default(), depth_max: limits.depth }
    }

    /// Goes on with `chunk`, whose first byte follows the last one seen. A new value must begin at its first byte.
    pub(crate) fn scan(&mut self, chunk: &[u8]) -> Result<Scanned, TooDeep> {
        let Some(&first) = chunk.first() else { return Ok(Scanned::Partial) };
        let start = if self.state == State::Before { self.begin(first) } else { 0 };
        let end = match self.state {
            State::Nested => self.nested_end(chunk)?,
            State::Word => chunk[start..].iter().position(|byte| ends_word(*byte)).map(|end| start + end),
            State::Before | State::String | State::Escape => self.string_end(chunk, start),
        };
        let Some(end) = end else { return Ok(Scanned::Partial) };
        (self.state, self.strings) = (State::Before, Strings::default());
        Ok(Scanned::Complete(end))
    }

    /// How many objects and arrays stand directly in the value that was followed last.
    pub(crate) fn nested(&self) -> usize {
        self.nested
    }

    /// What kind of value begins with `first`, and how much of the chunk is known by that.
    fn begin(&mut self, first: u8) -> usize {
        self.nested = 0;
        self.state = match first {
            b'"' => State::String,
            b'{' | b'[' => State::Nested,
            _ => State::Word,
        };
        usize::from(self.state != State::Nested)
    }

    fn string_end(&mut self, chunk: &[u8], start: usize) -> Option<usize> {
        let mut at = start;
        while at < chunk.len() {
            if self.state == State::Escape {
                self.state = State::String;
                at += 1;
                continue;
            }
            at += memchr2(b'"', b'\\', &chunk[at..])? + 1;
            if chunk[at - 1] == b'"' {
                return Some(at);
            }
            self.state = State::Escape;
        }
        None
    }

    fn nested_end(&mut self, chunk: &[u8]) -> Result<Option<usize>, TooDeep> {
        let (blocks, rest) = chunk.as_chunks::<BLOCK_BYTES>();
        for (index, block) in blocks.iter().enumerate() {
            let brackets = self.strings.brackets(block);
            if let Some(end) = self.follow(brackets)? {
                return Ok(Some(index * BLOCK_BYTES + end));
            }
        }
        if rest.is_empty() {
            return Ok(None);
        }
        let brackets = self.strings.brackets_of_rest(rest);
        Ok(self.follow(brackets)?.map(|end| blocks.len() * BLOCK_BYTES + end))
    }

    /// Goes up and down with the brackets of a block; where the last one closes, the value ends.
    fn follow(&mut self, Brackets { opens, closes }: Brackets) -> Result<Option<usize>, TooDeep> {
        let (opened, closed) = (opens.count_ones() as usize, closes.count_ones() as usize);
        // Nowhere in this block is it back at the outermost brackets.
        if self.depth > closed + 1 && self.depth + opened <= self.depth_max {
            self.depth = self.depth + opened - closed;
            return Ok(None);
        }
        let mut brackets = opens | closes;
        while brackets != 0 {
            let bit = brackets & brackets.wrapping_neg();
            brackets ^= bit;
            if opens & bit != 0 {
                self.depth += 1;
                self.nested += usize::from(self.depth == 2);
                if self.depth > self.depth_max {
                    return Err(TooDeep);
                }
            } else {
                self.depth -= 1;
                if self.depth == 0 {
                    return Ok(Some(bit.trailing_zeros() as usize + 1));
                }
            }
        }
        Ok(None)
    }
}

fn ends_word(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}' | b':') || byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_it_ends_at_every_split() {
        for value in
            [r#"{"a":"}\"{","b":[1,{"c":null}]}"#, r#""x\\""#, "[[],[]]", r#"{"esc":"\\\"\u00e9"}"#, "{}", r#""""#]
        {
            let text = format!("{value},tail");
            for split in 0..=value.len() {
                let mut scanner = Scanner::new(Limits::default());
                let (head, tail) = text.as_bytes().split_at(split);
                let end = match scanner.scan(head).unwrap() {
                    Scanned::Complete(end) => end,
                    Scanned::Partial => match scanner.scan(tail).unwrap() {
                        Scanned::Complete(end) => split + end,
                        Scanned::Partial => panic!("{value} never ended at split {split}"),
                    },
                };
                assert_eq!(&text[..end], value, "split {split}");
                assert_eq!(scanner.state, State::Before);
            }
        }
    }

    #[test]
    fn what_stands_directly_in_a_value_is_counted_at_every_split() {
        let long = format!(r#"{{"a":[{}],"b":"[","c":{{"d":[{{}}]}}}}"#, "[],".repeat(100));
        for (value, expected) in [("{}", 0), ("[[]]", 1), (r#"{"a":{"b":[]},"c":1,"d":[{}]}"#, 2), (&*long, 2)] {
            for split in 0..value.len() {
                let mut scanner = Scanner::new(Limits::default());
                scanner.scan(b"[[],[],[]]").unwrap();
                let (head, tail) = value.as_bytes().split_at(split);
                assert_eq!(scanner.scan(head).unwrap(), Scanned::Partial);
                assert_eq!(scanner.scan(tail).unwrap(), Scanned::Complete(tail.len()));
                assert_eq!(scanner.nested(), expected, "{value} split at {split}");
            }
        }
    }

    #[test]
    fn depth_has_a_limit() {
        let mut scanner = Scanner::new(Limits { depth: 3, ..Limits::default() });
        assert_eq!(scanner.scan(b"[[[[").unwrap_err(), TooDeep);
    }

    /// Where the object or array at the start of `text` ends, a byte at a time: what a reader of the format would do.
    fn end_by_bytes(text: &[u8]) -> Option<usize> {
        let (mut depth, mut is_inside, mut is_escaped) = (0, false, false);
        for (at, &byte) in text.iter().enumerate() {
            match byte {
                b'"' if !is_escaped => is_inside = !is_inside,
                b'{' | b'[' if !is_inside => depth += 1,
                b'}' | b']' if !is_inside => depth -= 1,
                _ => {}
            }
            is_escaped = byte == b'\\' && !is_escaped;
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    fn end_by_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Option<usize> {
        let mut scanner = Scanner::new(Limits::default());
        let mut before = 0;
        for chunk in chunks {
            match scanner.scan(chunk).unwrap() {
                Scanned::Complete(end) => return Some(before + end),
                Scanned::Partial => before += chunk.len(),
            }
        }
        None
    }

    /// All texts of five signs, each across the border of a block, whole and split there.
    #[test]
    fn blocks_find_the_end_that_bytes_find() {
        const SIGNS: &[u8] = br#"{]"\a"#;
        const LENGTH: u32 = 5;
        const START: usize = BLOCK_BYTES - 3;
        for number in 0..SIGNS.len().pow(LENGTH) {
            let signs = (0..LENGTH).map(|place| SIGNS[number / SIGNS.len().pow(place) % SIGNS.len()]);
            let mut text = vec![b'['];
            text.resize(START, b' ');
            text.extend(signs);
            text.extend_from_slice(br#""]]]]]]"#);
            let expected = end_by_bytes(&text);
            let (before, behind) = text.split_at(START);
            let said = String::from_utf8_lossy(behind);
            assert_eq!(end_by_chunks([&text[..]]), expected, "{said}");
            assert_eq!(end_by_chunks([before].into_iter().chain(behind.chunks(1))), expected, "{said} by bytes");
            for split in START..START + 6 {
                assert_eq!(end_by_chunks([&text[..split], &text[split..]]), expected, "{said} split at {split}");
            }
        }
    }
}
