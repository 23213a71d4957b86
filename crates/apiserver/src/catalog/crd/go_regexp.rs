//! Go's regular expressions, which the schemas of Kubernetes are written in, matched by Rust's engine.
//!
//! ```text
//!   Go's syntax ──translate──► Rust's syntax ──► Regex          or Go's own sentence about what is wrong
//! ```
//! Both engines match the same way; they read some texts differently. In Go `\d`, `\w`, `\s` and `\b` are about ASCII, a
//! `{` that begins no repetition and a `[` within brackets are themselves, `&&` within brackets is two ampersands, every
//! punctuation mark may be escaped, `\Q…\E` quotes, and a repetition counts to 1000 at most. Brackets are in
//! `go_regexp/class.rs`, what follows a backslash is in `go_regexp/escape.rs`.

mod class;
mod escape;

use std::fmt;

use regex::bytes::{Regex, RegexBuilder};

/// A pattern that Go would take, compiled.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    #[cfg(test)]
    COMPILED.with(|compiled| compiled.set(compiled.get() + 1));
    let translated = translate(pattern).map_err(|error| error.to_string())?;
    let compiled = RegexBuilder::new(&translated).size_limit(SIZE_MAX).build();
    // Everything else that can be wrong the translation has found.
    compiled.map_err(|_| Error::new("expression too large", pattern).to_string())
}

#[cfg(test)]
thread_local! {
    /// How many patterns a test has compiled: it takes as long as everything else about a place of a schema together.
    pub(crate) static COMPILED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
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
    let mut reader = Reader { pattern, rest: pattern, text: String::new(), groups: Vec::new(), operand: Operand::None };
    while !reader.rest.is_empty() {
        reader.step()?;
    }
    if reader.groups.is_empty() { Ok(reader.text) } else { Err(Error::new("missing closing )", pattern)) }
}

struct Reader<'a> {
    pattern: &'a str,
    rest: &'a str,
    text: String,
    /// For each open group, how often what is in it repeats.
    groups: Vec<u32>,
    operand: Operand<'a>,
}

/// What a repetition would repeat.
#[derive(Clone, Copy)]
enum Operand<'a> {
    /// Nothing: the beginning, or just after `(` or `|`.
    None,
    /// Something that itself repeats what is in it so often.
    Atom(u32),
    /// A repetition, which began here: it cannot be repeated.
    Repeated(&'a str),
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
            literal => self.atom(literal.len_utf8(), &escape::literal(literal)),
        }
    }

    /// Goes on after `length` bytes, which become `text`.
    fn take(&mut self, length: usize, text: &str) {
        self.rest = &self.rest[length..];
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
            self.take(1, "(");
            self.begin_group();
            return Ok(());
        }
        if let Some(length) = named(self.rest)? {
            let name = &self.rest[..length];
            self.take(length, name);
            self.begin_group();
            return Ok(());
        }
        let (length, flags) = flags(self.rest)?;
        match &self.rest[..length] {
            // Rust knows no empty one, and it says nothing.
            "(?)" => self.take(length, ""),
            _ => self.take(length, flags),
        }
        if flags.ends_with(':') {
            self.begin_group();
        }
        Ok(())
    }

    fn begin_group(&mut self) {
        self.groups.push(1);
        self.operand = Operand::None;
    }

    fn close(&mut self) -> Result<(), Error> {
        let Some(repeats) = self.groups.pop() else { return Err(Error::new("unexpected )", self.pattern)) };
        self.take(1, ")");
        self.operand = Operand::Atom(repeats);
        self.note_repeats(repeats);
        Ok(())
    }

    fn repeat(&mut self, length: usize, range: Option<Range>) -> Result<(), Error> {
        let before = self.rest;
        let is_lazy = before[length..].starts_with('?');
        let whole = &before[..length + usize::from(is_lazy)];
        if let Some(Range { min, max }) = range
            && (min > REPEAT_MAX || max.is_some_and(|max| max > REPEAT_MAX || min > max))
        {
            return Err(Error::new("invalid repeat count", &before[..length]));
        }
        let repeats = match self.operand {
            Operand::None => return Err(Error::new("missing argument to repetition operator", whole)),
            Operand::Repeated(start) => {
                let both = &start[..start.len() - before.len() + whole.len()];
                return Err(Error::new("invalid nested repetition operator", both));
            }
            Operand::Atom(repeats) => repeats,
        };
        if let Some(Range { min, max }) = range {
            let all = repeats.saturating_mul(max.unwrap_or(min).max(1));
            if (min >= 2 || max.is_some_and(|max| max >= 2)) && all > REPEAT_MAX {
                return Err(Error::new("invalid repeat count", &before[..whole.len()]));
            }
            self.note_repeats(all);
        }
        self.take(whole.len(), whole);
        self.operand = Operand::Repeated(before);
        Ok(())
    }

    /// Something in the innermost group repeats so often.
    fn note_repeats(&mut self, repeats: u32) {
        if let Some(group) = self.groups.last_mut() {
            *group = repeats.max(*group);
        }
    }

    fn escaped(&mut self) -> Result<(), Error> {
        if let Some(quoted) = self.rest.strip_prefix(r"\Q") {
            let (quoted, rest) = quoted.split_once(r"\E").unwrap_or((quoted, ""));
            if !quoted.is_empty() {
                self.operand = Operand::Atom(1);
            }
            quoted.chars().for_each(|letter| self.text.push_str(&escape::literal(letter)));
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

/// The length of `(?flags)` or `(?flags:`, and the same.
fn flags(text: &str) -> Result<(usize, &str), Error> {
    let (mut is_negated, mut has_flag) = (false, false);
    for (place, letter) in text.char_indices().skip(2) {
        let until = &text[..place + letter.len_utf8()];
        match letter {
            'i' | 'm' | 's' | 'U' => has_flag = true,
            '-' if !is_negated => (is_negated, has_flag) = (true, false),
            ':' | ')' if !is_negated || has_flag => return Ok((until.len(), until)),
            _ => return Err(Error::new("invalid or unsupported Perl syntax", until)),
        }
    }
    Err(Error::new("invalid or unsupported Perl syntax", text))
}

#[cfg(test)]
mod tests;
