//! The members of an object and the elements of an array, one after the other.

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer, UnitDeserializer};
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::reader::{Declined, Reader, Text};

/// The members of an object whose opening bracket was read.
pub(super) struct Members<'a, 'de> {
    reader: &'a mut Reader<'de>,
    is_first: bool,
    /// Whether the value that comes next is read as `null`.
    is_skipped: bool,
}

impl<'a, 'de> Members<'a, 'de> {
    pub(super) fn new(reader: &'a mut Reader<'de>) -> Self {
        Self { reader, is_first: true, is_skipped: false }
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Declined;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Declined> {
        if !self.reader.goes_on(b'}', &mut self.is_first)? {
            return Ok(None);
        }
        let name = self.reader.text()?;
        self.is_skipped = self.reader.skips(&name);
        seed.deserialize(Key(name)).map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Declined> {
        self.reader.take(b':')?;
        if self.is_skipped {
            self.reader.skip()?;
            return seed.deserialize(UnitDeserializer::new());
        }
        seed.deserialize(&mut *self.reader)
    }
}

/// The elements of an array whose opening bracket was read.
pub(super) struct Elements<'a, 'de> {
    reader: &'a mut Reader<'de>,
    is_first: bool,
}

impl<'a, 'de> Elements<'a, 'de> {
    pub(super) fn new(reader: &'a mut Reader<'de>) -> Self {
        Self { reader, is_first: true }
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Declined;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Declined> {
        if !self.reader.goes_on(b']', &mut self.is_first)? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}

/// The name of a member. Types whose names are numbers are declined.
struct Key<'de>(Text<'de>);

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Declined;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        self.0.visit(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Declined> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Declined> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Declined> {
        match self.0 {
            Text::Plain(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Text::Unescaped(text) => {
                let text: StringDeserializer<Declined> = text.into_deserializer();
                visitor.visit_enum(text)
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}
