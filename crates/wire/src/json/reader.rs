//! Reads one JSON value after the other, as a serde visitor asks for them.

use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};

use super::access::{Elements, Members};
use super::text::string_end;
use crate::Limits;
use crate::scan::{Scanned, Scanner};

/// Reads one text.
pub(super) struct Reader<'de> {
    text: &'de str,
    /// Where the next token, or white space before it, is.
    at: usize,
    /// How many brackets are open.
    depth: usize,
    managed_fields: ManagedFields,
    /// Whether the member of the outermost object that is being read is its `metadata`.
    is_metadata: bool,
}

/// What becomes of `metadata.managedFields`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ManagedFields {
    /// They are read as everything else.
    Read,
    /// They are read as `null`.
    Skipped,
}

/// The text is not read here: it is wrong, or holds something rare.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Declined;

/// The contents of a string.
pub(super) enum Text<'de> {
    /// As they stand in the text.
    Plain(&'de str),
    /// Without the escapes that stand there.
    Unescaped(String),
}

/// serde_json gives up at 128 levels, of which the value itself is one.
const DEPTH_MAX: usize = 127;
/// More digits may not fit into an integer.
const DIGITS_MAX: usize = 18;
/// What the types that serde_json treats specially call themselves.
const SERDE_JSON_NAMES: &str = "$serde_json::";

impl<'de> Text<'de> {
    #[inline]
    pub(super) fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        match self {
            Self::Plain(text) => visitor.visit_borrowed_str(text),
            Self::Unescaped(text) => visitor.visit_string(text),
        }
    }

    fn is(&self, name: &str) -> bool {
        match self {
            Self::Plain(text) => *text == name,
            Self::Unescaped(text) => text == name,
        }
    }
}

impl<'de> Reader<'de> {
    pub(super) fn new(text: &'de str, managed_fields: ManagedFields) -> Self {
        Self { text, at: 0, depth: 0, managed_fields, is_metadata: false }
    }

    /// There must be nothing left.
    pub(super) fn end(&mut self) -> Result<(), Declined> {
        if self.peek().is_none() { Ok(()) } else { Err(Declined) }
    }

    /// The first byte of the next token, which is not taken.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                next => return next.copied(),
            }
        }
    }

    /// Takes the next token, which must be this byte.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> Result<(), Declined> {
        if self.peek() != Some(byte) {
            return Err(Declined);
        }
        self.at += 1;
        Ok(())
    }

    /// Whether another member or element follows, whose comma is taken; if not, `close` comes next.
    #[inline]
    pub(super) fn goes_on(&mut self, close: u8, is_first: &mut bool) -> Result<bool, Declined> {
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
    pub(super) fn text(&mut self) -> Result<Text<'de>, Declined> {
        self.take(b'"')?;
        let start = self.at;
        let end = string_end(self.text.as_bytes(), start)?;
        self.at = end.quote + 1;
        if end.is_escaped {
            let quoted = self.text.get(start - 1..self.at).ok_or(Declined)?;
            return Ok(Text::Unescaped(serde_json::from_str(quoted)?));
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
    pub(super) fn skip(&mut self) -> Result<&'de str, Declined> {
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

    /// Has serde_json read the next value.
    fn pass_on<T>(
        &mut self,
        read: impl FnOnce(&mut serde_json::Deserializer<serde_json::de::StrRead<'de>>) -> serde_json::Result<T>,
    ) -> Result<T, Declined> {
        let mut reader = serde_json::Deserializer::from_str(self.skip()?);
        let value = read(&mut reader)?;
        reader.end()?;
        Ok(value)
    }

    fn object<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Declined> {
        self.open(b'{')?;
        let value = visitor.visit_map(Members::new(self))?;
        self.close(b'}')?;
        Ok(value)
    }

    fn array<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Declined> {
        self.open(b'[')?;
        let value = visitor.visit_seq(Elements::new(self))?;
        self.close(b']')?;
        Ok(value)
    }

    #[inline]
    fn open(&mut self, bracket: u8) -> Result<(), Declined> {
        self.take(bracket)?;
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(Declined) } else { Ok(()) }
    }

    /// Fails if the visitor has not taken everything, as serde_json does.
    #[inline]
    fn close(&mut self, bracket: u8) -> Result<(), Declined> {
        self.depth -= 1;
        self.take(bracket)
    }

    #[inline]
    fn word(&mut self, word: &str) -> Result<(), Declined> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(Declined);
        }
        self.at += word.len();
        Ok(())
    }

    fn boolean<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Declined> {
        let value = self.peek() == Some(b't');
        self.word(if value { "true" } else { "false" })?;
        visitor.visit_bool(value)
    }

    /// The next value if it is an integer of usual size and spelling; it is taken then.
    fn integer(&mut self) -> Option<Integer> {
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
enum Integer {
    Positive(u64),
    Negative(i64),
}

impl Integer {
    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        match self {
            Self::Positive(value) => visitor.visit_u64(value),
            Self::Negative(value) => visitor.visit_i64(value),
        }
    }
}

/// Numbers: integers are read here, everything else is serde_json's.
macro_rules! numbers {
    ($($method:ident)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
                match self.integer() {
                    Some(integer) => integer.visit(visitor),
                    None => self.pass_on(|reader| reader.$method(visitor)),
                }
            }
        )*
    };
}

/// What is rare: serde_json reads it.
macro_rules! passed_on {
    ($($method:ident($($name:ident: $type:ty),*))*) => {
        $(
            fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, Declined> {
                self.pass_on(|reader| reader.$method($($name,)* visitor))
            }
        )*
    };
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Declined;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        match self.peek() {
            Some(b'"') => self.text()?.visit(visitor),
            Some(b'{') => self.object(visitor),
            Some(b'[') => self.array(visitor),
            Some(b't' | b'f') => self.boolean(visitor),
            Some(b'n') => {
                self.word("null")?;
                visitor.visit_unit()
            }
            _ => match self.integer() {
                Some(integer) => integer.visit(visitor),
                None => self.pass_on(|reader| reader.deserialize_any(visitor)),
            },
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        if self.peek() == Some(b'n') {
            self.word("null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        self.boolean(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        self.text()?.visit(visitor)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        self.text()?.visit(visitor)
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        self.text()?.visit(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        self.array(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        self.object(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Declined> {
        if self.peek() == Some(b'{') {
            return self.object(visitor);
        }
        self.pass_on(|reader| reader.deserialize_struct(name, fields, visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Declined> {
        if name.starts_with(SERDE_JSON_NAMES) {
            return self.pass_on(|reader| reader.deserialize_newtype_struct(name, visitor));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Declined> {
        if self.peek() != Some(b'"') {
            return self.pass_on(|reader| reader.deserialize_enum(name, variants, visitor));
        }
        match self.text()? {
            Text::Plain(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Text::Unescaped(text) => {
                let text: StringDeserializer<Declined> = text.into_deserializer();
                visitor.visit_enum(text)
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        self.skip()?;
        visitor.visit_unit()
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32
        deserialize_u64 deserialize_f32 deserialize_f64
    }

    passed_on! {
        deserialize_i128() deserialize_u128() deserialize_char() deserialize_bytes() deserialize_byte_buf()
        deserialize_unit() deserialize_unit_struct(name: &'static str) deserialize_tuple(length: usize)
        deserialize_tuple_struct(name: &'static str, length: usize)
    }
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
