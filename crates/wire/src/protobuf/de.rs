//! Protobuf as serde sees it: what the JSON of the same object would have been, without the JSON.
//!
//! ```text
//!   Message ─► Fields ─► Value ─┬─► Elements (a list)      names, zeros and nulls as Go's JSON has them:
//!                               ├─► Entries  (a map)       a value that is empty and may be left out is left out,
//!                               └─► scalar, special        one that may not is there although it was not sent
//! ```
//! In: a message and its type. Out: calls of a serde visitor, or an error where a field is malformed, nested too deeply or
//! not in one piece. Only the last of these may be readable after all, once it is [in order](super::order).

mod fields;
mod lists;
mod special;

use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::error::ProtobufError;
use super::order::DEPTH_MAX;
use super::read::Wire;
use crate::facts::{Shape, Type};
use fields::Fields;
use lists::{Elements, Entries};
pub(super) use special::Either;

/// One object.
pub(super) struct Message<'de> {
    pub(super) kind: &'static Type,
    pub(super) bytes: &'de [u8],
    /// `apiVersion` and `kind`, which an object within a list does not say.
    pub(super) names: Option<(&'de str, &'de str)>,
}

/// The value of a field, of an element or of a map's entry.
#[derive(Clone, Copy)]
struct Value<'de> {
    kind: &'static Type,
    content: Content<'de>,
    /// How many more levels may be nested: within it, or within the elements of a list or map.
    depth: usize,
}

/// What there is of a value.
#[derive(Clone, Copy)]
enum Content<'de> {
    Null,
    One(Wire<'de>),
    /// The elements, each behind its tag, and how many they are.
    List(&'de [u8], usize),
    /// The entries, each behind its tag, and how many they are.
    Map(&'de [u8], usize),
}

impl<'de> Deserializer<'de> for Message<'de> {
    type Error = ProtobufError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ProtobufError> {
        visitor.visit_map(Fields::new(self.kind, self.bytes, self.names, DEPTH_MAX)?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ProtobufError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ProtobufError> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = ProtobufError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ProtobufError> {
        match self.content {
            Content::Null => visitor.visit_unit(),
            Content::One(wire) => special::visit(self.kind, wire, self.depth, visitor),
            Content::List(run, count) => visitor.visit_seq(Elements::new(self.kind, run, count, self.depth)),
            Content::Map(run, count) => visitor.visit_map(Entries::new(self.kind, run, count, self.depth)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ProtobufError> {
        let is_null = match self.content {
            Content::Null => true,
            Content::One(wire) => special::is_null(self.kind, wire)?,
            Content::List(..) | Content::Map(..) => false,
        };
        if is_null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    // Text and messages are nearly all there is; what a visitor of these gets is known without asking the shape twice.
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ProtobufError> {
        match self.content {
            Content::One(Wire::Bytes(bytes)) if self.kind.shape() == Shape::String => {
                special::visit_text(bytes, visitor)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ProtobufError> {
        match self.content {
            Content::One(Wire::Bytes(bytes)) if self.kind.shape() == Shape::Struct => {
                visitor.visit_map(Fields::new(self.kind, bytes, None, self.depth)?)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ProtobufError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ProtobufError> {
        let Content::One(Wire::Bytes(bytes)) = self.content else {
            return self.deserialize_any(visitor);
        };
        let text = String::from_utf8_lossy(bytes);
        let text: StrDeserializer<'_, ProtobufError> = text.as_ref().into_deserializer();
        visitor.visit_enum(text)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ProtobufError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}
