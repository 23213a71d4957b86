//! Reads one JSON token or value after the other, as its caller asks for them.

use std::fmt;

use super::text::{special_in, string_end, unescaped};
use crate::Limits;
use crate::scan::{Scanned, Scanner};

/// Reads one text.
pub(crate) struct Reader<'de> {
    text: &'de str,
    /// Where the next token, or white space before it, is.
    at: usize,
    /// How many brackets are open.
    depth: usize,
    managed_fields: ManagedFields,
    /// Whether the member of the outermost object that is being read is its `metadata`.
    is_metadata: bool,
    /// Whether what is read into may hold something else.
    overwrites: bool,
}

/// What becomes of `metadata.managedFields`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ManagedFields {
    /// They are read as everything else.
    Read,
    /// They are read as `null`.
    Skipped,
}

/// The text is not read here: it is wrong, or holds something rare.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Declined;

/// The name of a member.
#[derive(Clone, Copy)]
pub(crate) struct Name<'de> {
    pub(crate) bytes: &'de [u8],
    /// As [`beginning_of`] has it.
    pub(crate) beginning: u128,
}

/// The first sixteen bytes of a name as a number, zeros behind its end: most names are compared by this alone.
pub(crate) const fn beginning_of(name: &[u8]) -> u128 {
    if let Some(sixteen) = name.first_chunk() {
        return u128::from_le_bytes(*sixteen);
    }
    let (mut beginning, mut at) = (0, 0);
    while at < name.len() {
        beginning |= (name[at] as u128) << (8 * at);
        at += 1;
    }
    beginning
}

/// The contents of a string.
pub(crate) enum Text<'de> {
    /// As they stand in the text.
    Plain(&'de str),
    /// Without the escapes that stand there.
    Unescaped(String),
}

/// serde_json gives up at 128 levels, of which the value itself is one.
const DEPTH_MAX: usize = 127;
/// How many brackets are open within the metadata of an object.
const METADATA_DEPTH: usize = 2;
/// More digits may not fit into an integer.
const DIGITS_MAX: usize = 18;

impl<'de> Text<'de> {
    fn is(&self, name: &str) -> bool {
        match self {
            Self::Plain(text) => *text == name,
            Self::Unescaped(text) => text == name,
        }
    }
}

impl<'de> Reader<'de> {
    pub(crate) fn new(text: &'de str, managed_fields: ManagedFields) -> Self {
        Self { text, at: 0, depth: 0, managed_fields, is_metadata: false, overwrites: false }
    }

    /// The same for places that may hold something else.
    pub(crate) const fn overwriting(mut self, overwrites: bool) -> Self {
        self.overwrites = overwrites;
        self
    }

    /// Whether what is read into may hold something else.
    #[inline]
    pub(crate) const fn overwrites(&self) -> bool {
        self.overwrites
    }

    /// There must be nothing left.
    pub(crate) fn end(&mut self) -> Result<(), Declined> {
        if self.peek().is_none() { Ok(()) } else { Err(Declined) }
    }

    /// The first byte of the next token, which is not taken.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                next => return next.copied(),
            }
        }
    }

    /// Takes the next token, which must be this byte.
    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> Result<(), Declined> {
        if self.peek() != Some(byte) {
            return Err(Declined);
        }
        self.at += 1;
        Ok(())
    }

    /// Whether another member or element follows, whose comma is taken; if not, `close` comes next.
    #[inline]
    pub(crate) fn goes_on(&mut self, close: u8, is_first: &mut bool) -> Result<bool, Declined> {
        let next = self.peek();
        if std::mem::take(is_first) {
            return Ok(next != Some(close));
        }
        match next {
            Some(b',') => {
                self.at += 1;
                // A value must follow, and `close` is none.
                Ok(true)
            }
            Some(byte) if byte == close => Ok(false),
            _ => Err(Declined),
        }
    }

    /// The next token, which must be a string.
    #[inline]
    pub(crate) fn text(&mut self) -> Result<Text<'de>, Declined> {
        self.take(b'"')?;
        let start = self.at;
        let end = string_end(self.text.as_bytes(), start)?;
        self.at = end.quote + 1;
        if end.is_escaped {
            return self.unescaped(start).map(Text::Unescaped);
        }
        self.text.get(start..end.quote).map(Text::Plain).ok_or(Declined)
    }

    /// Whether the member of this name, which was just read, is to be read as `null`.
    #[inline]
    pub(super) fn skips(&mut self, name: &Text<'_>) -> bool {
        if self.managed_fields == ManagedFields::Read || self.depth > 2 {
            return false;
        }
        if self.depth == 1 {
            self.is_metadata = name.is("metadata");
        }
        self.depth == 2 && self.is_metadata && name.is("managedFields")
    }

    /// Passes over the next value, of which only the brackets and quotes are looked at; returns it.
    pub(crate) fn skip(&mut self) -> Result<&'de str, Declined> {
        self.peek();
        let rest = self.text.get(self.at..).ok_or(Declined)?;
        // Nothing here recurses, so depth is not a danger.
        match Scanner::new(Limits { depth: usize::MAX, ..Limits::default() }).scan(rest.as_bytes()) {
            Ok(Scanned::Complete(end)) if end > 0 => {
                self.at += end;
                rest.get(..end).ok_or(Declined)
            }
            _ => Err(Declined),
        }
    }

    #[inline]
    pub(crate) fn open(&mut self, bracket: u8) -> Result<(), Declined> {
        self.take(bracket)?;
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(Declined) } else { Ok(()) }
    }

    /// Fails if the visitor has not taken everything, as serde_json does.
    #[inline]
    pub(crate) fn close(&mut self, bracket: u8) -> Result<(), Declined> {
        self.depth -= 1;
        self.take(bracket)
    }

    #[inline]
    pub(super) fn word(&mut self, word: &str) -> Result<(), Declined> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(Declined);
        }
        self.at += word.len();
        Ok(())
    }

    /// The next value, which must be true or false.
    #[inline]
    pub(crate) fn truth(&mut self) -> Result<bool, Declined> {
        let value = self.peek() == Some(b't');
        self.word(if value { "true" } else { "false" })?;
        Ok(value)
    }

    /// Whether the next value is `null`, which is taken then.
    #[inline]
    pub(crate) fn takes_null(&mut self) -> Result<bool, Declined> {
        if self.peek() != Some(b'n') {
            return Ok(false);
        }
        self.word("null")?;
        Ok(true)
    }

    /// The name of the next member and its colon, which are taken; `None` behind the last. Names with escapes are declined.
    #[inline]
    pub(crate) fn next_name(&mut self, is_first: &mut bool) -> Result<Option<Name<'de>>, Declined> {
        if let Some(name) = self.short_name(*is_first) {
            *is_first = false;
            return Ok(Some(name));
        }
        // The end of nearly every object.
        if self.text.as_bytes().get(self.at) == Some(&b'}') {
            return Ok(None);
        }
        self.next_long_name(is_first)
    }

    /// The same of a name of up to fifteen bytes with no white space around it, which nearly all are; `None` if it is another.
    #[inline]
    fn short_name(&mut self, is_first: bool) -> Option<Name<'de>> {
        let bytes = self.text.as_bytes();
        if !is_first && *bytes.get(self.at)? != b',' {
            return None;
        }
        let quote = self.at + usize::from(!is_first);
        let (opening, behind) = bytes.get(quote..)?.split_first()?;
        let sixteen = behind.first_chunk::<16>()?;
        let length = special_in(*sixteen).trailing_zeros() as usize;
        if *opening != b'"' || length >= sixteen.len() || *behind.get(length..length + 2)? != *b"\":" {
            return None;
        }
        self.at = quote + length + 3;
        let beginning = u128::from_le_bytes(*sixteen) & !(u128::MAX << (8 * length));
        Some(Name { bytes: &behind[..length], beginning })
    }

    fn next_long_name(&mut self, is_first: &mut bool) -> Result<Option<Name<'de>>, Declined> {
        if !self.goes_on(b'}', is_first)? {
            return Ok(None);
        }
        self.take(b'"')?;
        let start = self.at;
        let end = string_end(self.text.as_bytes(), start)?;
        self.at = end.quote + 1;
        self.take(b':')?;
        let bytes = self.text.as_bytes().get(start..end.quote).filter(|_| !end.is_escaped).ok_or(Declined)?;
        Ok(Some(Name { bytes, beginning: beginning_of(bytes) }))
    }

    /// The next value, which must be a string.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<String, Declined> {
        self.take(b'"')?;
        let start = self.at;
        let end = string_end(self.text.as_bytes(), start)?;
        self.at = end.quote + 1;
        if end.is_escaped {
            return self.unescaped(start);
        }
        self.text.get(start..end.quote).map(str::to_owned).ok_or(Declined)
    }

    /// The string that was just passed, whose first character is at `start`.
    fn unescaped(&self, start: usize) -> Result<String, Declined> {
        let quoted = self.text.get(start - 1..self.at).ok_or(Declined)?;
        match unescaped(&quoted[1..quoted.len() - 1]) {
            Some(text) => Ok(text),
            None => Ok(serde_json::from_str(quoted)?),
        }
    }

    /// Whether `managedFields` of the metadata that is being read are to be read as `null`.
    #[inline]
    pub(crate) fn skips_managed_fields(&self) -> bool {
        self.managed_fields == ManagedFields::Skipped && self.depth == METADATA_DEPTH
    }

    /// The next value if it is an integer of usual size and spelling; it is taken then.
    pub(crate) fn integer(&mut self) -> Option<Integer> {
        let is_negative = self.peek()? == b'-';
        let digits = &self.text.as_bytes()[self.at + usize::from(is_negative)..];
        let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_fraction = matches!(digits.get(count), Some(b'.' | b'e' | b'E'));
        let has_leading_zero = digits.first() == Some(&b'0') && (count > 1 || is_negative);
        if count == 0 || count > DIGITS_MAX || is_fraction || has_leading_zero {
            return None;
        }
        self.at += usize::from(is_negative) + count;
        let value = digits[..count].iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
        Some(if is_negative { Integer::Negative(-value.cast_signed()) } else { Integer::Positive(value) })
    }
}

/// As serde_json shows them to a visitor.
pub(crate) enum Integer {
    Positive(u64),
    Negative(i64),
}

impl From<serde_json::Error> for Declined {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

impl serde::de::Error for Declined {
    /// What was wrong is said by serde_json.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not read here")
    }
}

impl std::error::Error for Declined {}
