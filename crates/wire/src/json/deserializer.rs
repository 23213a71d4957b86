//! The reader as serde sees it: each visitor is shown the next value.

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};

use super::access::{Elements, Members};
use super::reader::{Declined, Integer, Reader, Text};

/// What the types that serde_json treats specially call themselves.
const SERDE_JSON_NAMES: &str = "$serde_json::";

impl<'de> Reader<'de> {
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

    fn boolean<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Declined> {
        let value = self.truth()?;
        visitor.visit_bool(value)
    }
}

impl<'de> Text<'de> {
    #[inline]
    pub(super) fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        match self {
            Self::Plain(text) => visitor.visit_borrowed_str(text),
            Self::Unescaped(text) => visitor.visit_string(text),
        }
    }
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
