//! The elements of a list and the entries of a map.

use serde::de::value::{BorrowedStrDeserializer, CowStrDeserializer};
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess};

use super::super::error::ProtobufError;
use super::super::order::{check_wire_of_value, entry};
use super::super::read::{Wire, take_field, take_varint};
use super::{Content, Value, special};
use crate::facts::{Shape, Type};

/// Elements, each behind its tag.
pub(super) struct Elements<'de> {
    kind: &'static Type,
    rest: &'de [u8],
    /// Numbers that stand together behind one tag.
    packed: &'de [u8],
    left: usize,
    depth: usize,
}

impl<'de> Elements<'de> {
    pub(super) fn new(kind: &'static Type, run: &'de [u8], count: usize, depth: usize) -> Self {
        Self { kind, rest: run, packed: &[], left: count, depth }
    }

    fn next_wire(&mut self) -> Result<Option<Wire<'de>>, ProtobufError> {
        loop {
            if !self.packed.is_empty() {
                return self.next_packed().map(Some);
            }
            let Some((_, wire)) = take_field(&mut self.rest)? else { return Ok(None) };
            self.left = self.left.saturating_sub(1);
            match (self.kind.shape(), wire) {
                (Shape::Bool | Shape::Int32 | Shape::Int64 | Shape::Double, Wire::Bytes(packed)) => {
                    self.packed = packed;
                }
                _ => {
                    check_wire_of_value(self.kind, wire)?;
                    return Ok(Some(wire));
                }
            }
        }
    }

    fn next_packed(&mut self) -> Result<Wire<'de>, ProtobufError> {
        if self.kind.shape() != Shape::Double {
            return take_varint(&mut self.packed).map(Wire::Varint);
        }
        let Some((bits, rest)) = self.packed.split_first_chunk() else {
            return Err(ProtobufError::malformed("a number that does not end"));
        };
        self.packed = rest;
        Ok(Wire::Fixed64(u64::from_le_bytes(*bits)))
    }
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = ProtobufError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ProtobufError> {
        let Some(wire) = self.next_wire()? else { return Ok(None) };
        seed.deserialize(Value { kind: self.kind, content: Content::One(wire), depth: self.depth }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// Entries, each behind its tag.
pub(super) struct Entries<'de> {
    kind: &'static Type,
    rest: &'de [u8],
    left: usize,
    depth: usize,
    value: Option<Wire<'de>>,
}

impl<'de> Entries<'de> {
    pub(super) fn new(kind: &'static Type, run: &'de [u8], count: usize, depth: usize) -> Self {
        Self { kind, rest: run, left: count, depth, value: None }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = ProtobufError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ProtobufError> {
        let Some((_, wire)) = take_field(&mut self.rest)? else { return Ok(None) };
        self.left = self.left.saturating_sub(1);
        let Wire::Bytes(bytes) = wire else { return Err(ProtobufError::malformed("an entry that is not a message")) };
        let (key, value) = entry(bytes)?;
        if let Some(value) = value {
            check_wire_of_value(self.kind, value)?;
        }
        self.value = value;
        if let Ok(key) = std::str::from_utf8(key) {
            return seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some);
        }
        let key: CowStrDeserializer<'_, ProtobufError> = String::from_utf8_lossy(key).into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ProtobufError> {
        let wire = self.value.take().unwrap_or_else(|| special::zero(self.kind));
        seed.deserialize(Value { kind: self.kind, content: Content::One(wire), depth: self.depth })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}
