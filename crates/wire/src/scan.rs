//! Where a JSON value ends, found in chunks that split it anywhere.
//!
//! The scanner knows strings, escapes and brackets, and nothing else of JSON: what is between the brackets is checked
//! by whoever decodes it. In: bytes. Out: how many of them belong to the value, and whether it is complete. Its state
//! is a few words, so a value may arrive a byte at a time.

use memchr::memchr2;

use crate::Limits;

/// Follows one JSON value at a time through chunks.
#[derive(Debug)]
pub(crate) struct Scanner {
    depth: usize,
    state: State,
    depth_max: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    /// Between values.
    Before,
    /// In an object or array, outside any string.
    Inside,
    /// In a string.
    String,
    /// In a string, behind a backslash.
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
        Self { depth: 0, state: State::Before, depth_max: limits.depth }
    }

    /// Goes on with `chunk`, whose first byte follows the last one seen. A new value must begin at its first byte.
    pub(crate) fn scan(&mut self, chunk: &[u8]) -> Result<Scanned, TooDeep> {
        let mut at = 0;
        while at < chunk.len() {
            match self.state {
                State::String => match memchr2(b'"', b'\\', &chunk[at..]) {
                    None => return Ok(Scanned::Partial),
                    Some(offset) => {
                        at += offset + 1;
                        if chunk[at - 1] == b'\\' {
                            self.state = State::Escape;
                        } else if self.close_string() {
                            return Ok(Scanned::Complete(at));
                        }
                    }
                },
                State::Escape => {
                    self.state = State::String;
                    at += 1;
                }
                State::Word => {
                    if matches!(chunk[at], b',' | b']' | b'}' | b':') || chunk[at].is_ascii_whitespace() {
                        self.state = State::Before;
                        return Ok(Scanned::Complete(at));
                    }
                    at += 1;
                }
                State::Before | State::Inside => {
                    if self.step(chunk[at])? {
                        return Ok(Scanned::Complete(at + 1));
                    }
                    at += 1;
                }
            }
        }
        Ok(Scanned::Partial)
    }

    /// A byte outside any string; true if it ends the value.
    fn step(&mut self, byte: u8) -> Result<bool, TooDeep> {
        match byte {
            b'"' => self.state = State::String,
            b'{' | b'[' => {
                self.depth += 1;
                self.state = State::Inside;
                if self.depth > self.depth_max {
                    return Err(TooDeep);
                }
            }
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.state = State::Before;
                    return Ok(true);
                }
            }
            _ if self.state == State::Before => self.state = State::Word,
            _ => {}
        }
        Ok(false)
    }

    /// True if the string was the whole value.
    fn close_string(&mut self) -> bool {
        self.state = if self.depth == 0 { State::Before } else { State::Inside };
        self.depth == 0
    }
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
    fn depth_has_a_limit() {
        let mut scanner = Scanner::new(Limits { depth: 3, ..Limits::default() });
        assert_eq!(scanner.scan(b"[[[[").unwrap_err(), TooDeep);
    }
}
