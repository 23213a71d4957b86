//! Go's regular expressions, which the schemas of Kubernetes are written in, matched by Rust's engine.
//!
//! ```text
//!   Go's syntax ──translate──► Rust's syntax ──► Regex          or Go's own sentence about what is wrong
//! ```
//! Both engines match the same way; they read some texts differently. In Go `\d`, `\w`, `\s` and `\b` are about ASCII, a
//! `{` that begins no repetition and a `[` within brackets are themselves, `&&` within brackets is two ampersands, every
//! punctuation mark may be escaped, `\Q…\E` quotes, flags may be named twice and stand between what repeats and its repetition,
//! and a repetition counts to 1000 at most. Brackets are in `go_regexp/class.rs`, what follows a backslash is in
//! `go_regexp/escape.rs` and `go_regexp/unicode_class.rs`, flags are in `go_regexp/flags.rs`.

mod class;
mod escape;
mod flags;
mod unicode_class;

use std::fmt;

use regex::bytes::{Match, Regex, RegexBuilder};

use flags::Flags;

/// A pattern that Go would take, compiled.
///
/// # Errors
/// Go's sentence about what is wrong.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    let translated = translate(pattern).map_err(|error| error.to_string())?;
    let compiled = RegexBuilder::new(&translated).size_limit(SIZE_MAX).build();
    // Everything else that can be wrong the translation has found.
    compiled.map_err(|_| Error::new("expression too large", pattern).to_string())
}

/// Every part of a text that a pattern finds, as Go counts them: an empty one only between characters.
pub fn find_all<'t>(pattern: &Regex, text: &'t str) -> impl Iterator<Item = Match<'t>> {
    pattern.find_iter(text.as_bytes()).filter(move |found| !found.is_empty() || text.is_char_boundary(found.start()))
}

/// What a compiled pattern may take: Go's own limit is of the same order.
const SIZE_MAX: usize = 64 << 20;

/// As often as something may be repeated, repetitions within repetitions multiplied.
const REPEAT_MAX: u32 = 1000;

/// As deep as groups may lie in each other.
const DEPTH_MAX: usize = 1000;

/// What is wrong with a pattern, in Go's words, and where.
#[derive(Debug, PartialEq)]
struct Error {
    what: &'static str,
    /// The part of the pattern that is meant.
    place: String,
}

impl Error {
    fn new(what: &'static str, place: &str) -> Error {
        Error { what, place: place.to_owned() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error parsing regexp: {}: `{}`", self.what, self.place)
    }
}

/// The same pattern in Rust's syntax.
fn translate(pattern: &str) -> Result<String, Error> {
    let mut reader = Reader {
        pattern,
        rest: pattern,
        text: String::new(),
        groups: Vec::new(),
        operand: Operand::None,
        operand_at: 0,
        is_ungreedy: false,
        pending_flags: String::new(),
    };
    while !reader.rest.is_empty() {
        reader.step()?;
    }
    if reader.groups.is_empty() { Ok(reader.text) } else { Err(Error::new("missing closing )", pattern)) }
}

struct Reader<'a> {
    pattern: &'a str,
    rest: &'a str,
    text: String,
    groups: Vec<Group>,
    operand: Operand<'a>,
    /// Where in `text` the operand begins.
    operand_at: usize,
    /// Whether repetitions take as little as they can, unless they say otherwise.
    is_ungreedy: bool,
    /// Flags that hold from the next operand on. They wait for it, because a repetition may come first.
    pending_flags: String,
}

/// A group that is open.
struct Group {
    /// How often what is in it repeats.
    repeats: u32,
    begins_at: usize,
    /// What counted before it and counts after it.
    was_ungreedy: bool,
}

/// What a repetition would repeat.
#[derive(Clone, Copy)]
enum Operand<'a> {
    /// Nothing: the beginning, or just after `(` or `|`.
    None,
    /// Something that itself repeats what is in it so often.
    Atom(u32),
    /// A repetition, which began here and repeats so often: it cannot be repeated.
    Repeated(&'a str, u32),
    /// A repetition with flags or an empty quotation behind it: it can.
    Enclosed(u32),
}

impl<'a> Reader<'a> {
    fn step(&mut self) -> Result<(), Error> {
        let first = self.rest.chars().next().expect("it is asked for while something is left");
        match first {
            '(' => self.open(),
            ')' => self.close(),
            '|' => {
                self.take(1, "|");
                self.operand = Operand::None;
                Ok(())
            }
            '*' | '+' | '?' => self.repeat(1, None),
            '{' => match counted(self.rest) {
                Some((length, range)) => self.repeat(length, Some(range)),
                None => self.atom(1, r"\{"),
            },
            '[' => {
                let (class, rest) = class::translate(self.rest)?;
                self.atom(self.rest.len() - rest.len(), &class)
            }
            '\\' => self.escaped(),
            '.' | '^' | '$' => self.atom(1, first.encode_utf8(&mut [0; 4])),
            literal => self.atom(literal.len_utf8(), &escape::literal(literal.into())),
        }
    }

    /// Goes on after `length` bytes, which become `text`.
    fn take(&mut self, length: usize, text: &str) {
        self.rest = &self.rest[length..];
        self.text.push_str(&std::mem::take(&mut self.pending_flags));
        self.operand_at = self.text.len();
        self.text.push_str(text);
    }

    fn atom(&mut self, length: usize, text: &str) -> Result<(), Error> {
        self.take(length, text);
        self.operand = Operand::Atom(1);
        Ok(())
    }

    fn open(&mut self) -> Result<(), Error> {
        if self.groups.len() >= DEPTH_MAX {
            return Err(Error::new("expression nests too deeply", self.pattern));
        }
        if !self.rest.starts_with("(?") {
            self.begin_group(1, "(", self.is_ungreedy);
            return Ok(());
        }
        if let Some(length) = named(self.rest)? {
            // Nothing here asks for names, and Rust has other rules for them.
            self.begin_group(length, "(", self.is_ungreedy);
            return Ok(());
        }
        let flags = Flags::read(self.rest)?;
        let is_ungreedy = flags.is_ungreedy.unwrap_or(self.is_ungreedy);
        if flags.opens_group {
            self.begin_group(flags.length, &format!("(?{}:", flags.others), is_ungreedy);
            return Ok(());
        }
        self.rest = &self.rest[flags.length..];
        self.is_ungreedy = is_ungreedy;
        if !flags.others.is_empty() {
            self.pending_flags.push_str(&format!("(?{})", flags.others));
        }
        self.enclose();
        Ok(())
    }

    fn begin_group(&mut self, length: usize, text: &str, is_ungreedy: bool) {
        self.take(length, text);
        self.groups.push(Group { repeats: 1, begins_at: self.operand_at, was_ungreedy: self.is_ungreedy });
        self.is_ungreedy = is_ungreedy;
        self.operand = Operand::None;
    }

    fn close(&mut self) -> Result<(), Error> {
        let Some(Group { repeats, begins_at, was_ungreedy }) = self.groups.pop() else {
            return Err(Error::new("unexpected )", self.pattern));
        };
        self.take(1, ")");
        (self.operand, self.operand_at, self.is_ungreedy) = (Operand::Atom(repeats), begins_at, was_ungreedy);
        self.note_repeats(repeats);
        Ok(())
    }

    /// Something that is nothing to repeat stands behind the operand.
    fn enclose(&mut self) {
        if let Operand::Repeated(_, repeats) = self.operand {
            self.operand = Operand::Enclosed(repeats);
        }
    }

    fn repeat(&mut self, length: usize, range: Option<Range>) -> Result<(), Error> {
        let before = self.rest;
        let is_marked = before[length..].starts_with('?');
        let whole = &before[..length + usize::from(is_marked)];
        if let Some(Range { min, max }) = range
            && (min > REPEAT_MAX || max.is_some_and(|max| max > REPEAT_MAX || min > max))
        {
            return Err(Error::new("invalid repeat count", &before[..length]));
        }
        let repeats = match self.operand {
            Operand::None => return Err(Error::new("missing argument to repetition operator", whole)),
            Operand::Repeated(start, _) => {
                let both = &start[..start.len() - before.len() + whole.len()];
                return Err(Error::new("invalid nested repetition operator", both));
            }
            Operand::Enclosed(repeats) => {
                self.text.insert_str(self.operand_at, "(?:");
                self.text.push(')');
                repeats
            }
            Operand::Atom(repeats) => repeats,
        };
        let repeats = match range {
            Some(Range { max: Some(0), .. }) => 1,
            Some(Range { min, max }) => repeats.saturating_mul(max.unwrap_or(min).max(1)),
            None => repeats,
        };
        if range.is_some_and(|Range { min, max }| min >= 2 || max.is_some_and(|max| max >= 2)) && repeats > REPEAT_MAX {
            return Err(Error::new("invalid repeat count", &before[..whole.len()]));
        }
        self.note_repeats(repeats);
        self.rest = &before[whole.len()..];
        self.text.push_str(&before[..length]);
        if is_marked != self.is_ungreedy {
            self.text.push('?');
        }
        self.operand = Operand::Repeated(before, repeats);
        Ok(())
    }

    /// Something in the innermost group repeats so often.
    fn note_repeats(&mut self, repeats: u32) {
        if let Some(group) = self.groups.last_mut() {
            group.repeats = repeats.max(group.repeats);
        }
    }

    fn escaped(&mut self) -> Result<(), Error> {
        if let Some(quoted) = self.rest.strip_prefix(r"\Q") {
            let (quoted, rest) = quoted.split_once(r"\E").unwrap_or((quoted, ""));
            self.enclose();
            for letter in quoted.chars() {
                self.atom(0, &escape::literal(letter.into()))?;
            }
            self.rest = rest;
            return Ok(());
        }
        let (text, rest) = escape::outside(self.rest)?;
        self.atom(self.rest.len() - rest.len(), &text)
    }
}

/// From how often to how often; without an end if there is no `max`.
#[derive(Clone, Copy)]
struct Range {
    min: u32,
    max: Option<u32>,
}

/// The length and range of a repetition such as `{2}`, `{2,}` or `{2,5}`; what looks otherwise is a text.
fn counted(text: &str) -> Option<(usize, Range)> {
    let (inner, _) = text.strip_prefix('{')?.split_once('}')?;
    let range = match inner.split_once(',') {
        None => number(inner).map(|exactly| Range { min: exactly, max: Some(exactly) })?,
        Some((min, "")) => Range { min: number(min)?, max: None },
        Some((min, max)) => Range { min: number(min)?, max: Some(number(max)?) },
    };
    Some((inner.len() + 2, range))
}

fn number(digits: &str) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = digits.len() > 1 && digits.starts_with('0');
    (is_number && !has_leading_zero).then(|| digits.parse().unwrap_or(u32::MAX))
}

/// How long the beginning of a group with a name is, if this is one.
fn named(text: &str) -> Result<Option<usize>, Error> {
    let Some(name) = text.strip_prefix("(?P<").or_else(|| text.strip_prefix("(?<")) else { return Ok(None) };
    let wrong = |place: &str| Err(Error::new("invalid named capture", place));
    let Some((name, _)) = name.split_once('>') else { return wrong(text) };
    let length = text.find('>').expect("it was just found") + 1;
    let is_word = |letter: char| letter == '_' || letter.is_ascii_alphanumeric();
    if name.is_empty() || !name.chars().all(is_word) {
        return wrong(&text[..length]);
    }
    Ok(Some(length))
}

#[cfg(test)]
mod tests;
