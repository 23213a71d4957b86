//! The fields of a message, one after the other under their JSON names.
//!
//! Messages whose fields JSON writes inline (the source of a volume, the handler of a probe) are gone through in place.
//! A field that JSON always has comes at the end as its zero if the message did not say it.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess};

use super::super::error::ProtobufError;
use super::super::order::{DEPTH_MAX, check_wire, levels_of};
use super::super::read::{Wire, take_field};
use super::{Content, Value, special};
use crate::facts::{Field, Holds, Shape, Type};

/// How deep messages are written inline into one another; the tables have two levels.
const INLINE_MAX: usize = 2;

/// The type that is the same for the metadata of every kind, and its `apiVersion` and `kind`.
const PARTIAL_OBJECT_METADATA: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata";
const METADATA_NAMES: (&str, &str) = ("meta.k8s.io/v1", "PartialObjectMetadata");

/// Goes over the fields of one message.
pub(super) struct Fields<'de> {
    level: Level<'de>,
    /// Messages left while one that is written inline is gone through.
    outer: [Option<Level<'de>>; INLINE_MAX],
    names: Names<'de>,
    value: Next<'de>,
}

#[derive(Clone, Copy)]
struct Level<'de> {
    kind: &'static Type,
    rest: &'de [u8],
    /// Bit by number.
    seen: u64,
    /// How many more levels may be nested, this one included.
    depth: usize,
}

/// What an object says of itself, as long as it has not been returned.
#[derive(Clone, Copy)]
enum Names<'de> {
    Both { api_version: &'de str, kind: &'de str },
    Kind(&'de str),
    Nothing,
}

/// What belongs to the name returned last.
enum Next<'de> {
    Nothing,
    Name(&'de str),
    Field(&'static Field, Value<'de>),
}

impl<'de> Fields<'de> {
    pub(super) fn new(
        kind: &'static Type,
        bytes: &'de [u8],
        names: Option<(&'de str, &'de str)>,
        depth: usize,
    ) -> Result<Self, ProtobufError> {
        // A list of metadata says in JSON what each of its objects is, unlike any other list.
        let names = match names.or_else(|| (kind.name() == PARTIAL_OBJECT_METADATA).then_some(METADATA_NAMES)) {
            Some((api_version, kind)) => Names::Both { api_version, kind },
            None => Names::Nothing,
        };
        Ok(Self { level: Level::new(kind, bytes, depth)?, outer: [None, None], names, value: Next::Nothing })
    }

    /// The next field that JSON would have.
    fn next_field(&mut self) -> Result<Option<(&'static Field, Value<'de>)>, ProtobufError> {
        loop {
            if let Some((field, content)) = self.level.next()? {
                if !field.is_inline() {
                    let depth = self.level.depth.saturating_sub(levels_of(field));
                    return Ok(Some((field, Value { kind: field.kind(), content, depth })));
                }
                self.enter(field, content)?;
                continue;
            }
            let Some(outer) = self.outer.iter_mut().rev().find_map(Option::take) else {
                return Ok(None);
            };
            self.level = outer;
        }
    }

    /// The name of the next field; its value comes then.
    fn next_name(&mut self) -> Result<Option<&'static str>, ProtobufError> {
        let (name, value) = match self.names {
            Names::Both { api_version, kind } => {
                self.names = Names::Kind(kind);
                ("apiVersion", Next::Name(api_version))
            }
            Names::Kind(kind) => {
                self.names = Names::Nothing;
                ("kind", Next::Name(kind))
            }
            Names::Nothing => {
                let Some((field, value)) = self.next_field()? else { return Ok(None) };
                (field.name(), Next::Field(field, value))
            }
        };
        self.value = value;
        Ok(Some(name))
    }

    fn enter(&mut self, field: &'static Field, content: Content<'de>) -> Result<(), ProtobufError> {
        let bytes = match content {
            Content::One(wire) => wire.bytes(),
            Content::Null | Content::List(..) | Content::Map(..) => &[],
        };
        let Some(free) = self.outer.iter_mut().find(|outer| outer.is_none()) else {
            return Err(ProtobufError::too_deep(INLINE_MAX));
        };
        let inner = Level::new(field.kind(), bytes, self.level.depth.saturating_sub(1))?;
        *free = Some(std::mem::replace(&mut self.level, inner));
        Ok(())
    }
}

impl<'de> Level<'de> {
    fn new(kind: &'static Type, rest: &'de [u8], depth: usize) -> Result<Self, ProtobufError> {
        if depth == 0 {
            return Err(ProtobufError::too_deep(DEPTH_MAX));
        }
        Ok(Self { kind, rest, seen: 0, depth })
    }

    /// The next field of this message; behind the last, those that JSON has although they were not sent.
    fn next(&mut self) -> Result<Option<(&'static Field, Content<'de>)>, ProtobufError> {
        loop {
            let before = self.rest;
            let Some((number, wire)) = take_field(&mut self.rest)? else {
                return Ok(self.next_missing());
            };
            let Some(field) = self.kind.field_numbered(number) else { continue };
            check_wire(field, wire)?;
            if self.seen & (1 << number) != 0 {
                return Err(ProtobufError::malformed("a field in several pieces").at(field.name()));
            }
            self.seen |= 1 << number;
            match field.holds() {
                Holds::One if is_left_out(field, wire)? => {}
                Holds::One => return Ok(Some((field, Content::One(wire)))),
                Holds::List => {
                    let (run, count) = self.take_run(before, number)?;
                    return Ok(Some((field, Content::List(run, count))));
                }
                Holds::Map => {
                    let (run, count) = self.take_run(before, number)?;
                    return Ok(Some((field, Content::Map(run, count))));
                }
            }
        }
    }

    /// Takes the fields of the same number that follow; all of them, from `before` on, and how many they are.
    fn take_run(&mut self, before: &'de [u8], number: u32) -> Result<(&'de [u8], usize), ProtobufError> {
        let mut count = 1;
        loop {
            let mut ahead = self.rest;
            match take_field(&mut ahead)? {
                Some((same, _)) if same == number => {
                    self.rest = ahead;
                    count += 1;
                }
                Some(_) | None => return Ok((&before[..before.len() - self.rest.len()], count)),
            }
        }
    }

    fn next_missing(&mut self) -> Option<(&'static Field, Content<'de>)> {
        let missing = self.kind.always_written() & !self.seen;
        if missing == 0 {
            return None;
        }
        let number = missing.trailing_zeros();
        self.seen |= 1 << number;
        let field = self.kind.field_numbered(number)?;
        let content = if is_items_of_list(self.kind, field) { Content::List(&[], 0) } else { zero(field) };
        Some((field, content))
    }
}

/// Whether the field holds the objects of a list: a server writes none as `[]`, where Go by itself would write `null`.
fn is_items_of_list(kind: &Type, field: &Field) -> bool {
    let is_list_meta = |metadata: &Field| metadata.kind().name().ends_with(".meta.v1.ListMeta");
    field.name() == "items" && field.holds() == Holds::List && kind.field("metadata").is_some_and(is_list_meta)
}

/// Whether JSON leaves the field out: it holds nothing, and need not be there.
fn is_left_out(field: &Field, wire: Wire<'_>) -> Result<bool, ProtobufError> {
    if field.is_pointer() || field.is_inline() {
        return Ok(false);
    }
    let is_left_out = field.omits_empty() && is_empty(field.kind(), wire);
    Ok(is_left_out || (field.omits_zero() && special::is_null(field.kind(), wire)?))
}

/// Whether Go calls it empty. A struct never is.
fn is_empty(kind: &Type, wire: Wire<'_>) -> bool {
    match (kind.shape(), wire) {
        (Shape::Bool | Shape::Int32 | Shape::Int64, Wire::Varint(number)) => number == 0,
        (Shape::Double, Wire::Fixed64(bits)) => f64::from_bits(bits) == 0.0,
        (Shape::String | Shape::Bytes | Shape::Items, wire) => wire.bytes().is_empty(),
        _ => false,
    }
}

/// What JSON has for a field that was not sent.
fn zero(field: &Field) -> Content<'static> {
    if field.is_pointer() || field.holds() != Holds::One {
        return Content::Null;
    }
    match field.kind().shape() {
        Shape::Bytes | Shape::Items | Shape::Any => Content::Null,
        _ => Content::One(special::zero(field.kind())),
    }
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = ProtobufError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ProtobufError> {
        let Some(name) = self.next_name()? else { return Ok(None) };
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ProtobufError> {
        match std::mem::replace(&mut self.value, Next::Nothing) {
            Next::Field(field, value) => seed.deserialize(value).map_err(|error| error.at(field.name())),
            Next::Name(text) => seed.deserialize(BorrowedStrDeserializer::new(text)),
            Next::Nothing => Err(ProtobufError::expected("a name before its value")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts;

    #[test]
    fn no_table_writes_more_messages_inline_than_there_is_room_for() {
        fn levels(kind: &'static Type) -> usize {
            let inline = kind.fields().iter().filter(|field| field.is_inline() && field.number() != 0);
            inline.map(|field| 1 + levels(field.kind())).max().unwrap_or(0)
        }
        assert_eq!(facts::types().map(levels).max(), Some(INLINE_MAX));
    }
}
