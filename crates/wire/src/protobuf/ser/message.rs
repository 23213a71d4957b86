//! Structs, maps and lists on their way into protobuf.
//!
//! The fields of a struct come in any order and are put into that of their numbers at its end. Fields that JSON writes
//! inline are gathered into the message they belong to.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, SerializeTupleStruct};

use super::super::de::Either;
use super::super::error::ProtobufError;
use super::super::read::take_field;
use super::super::write::{put_length_delimited, put_tag_of_bytes, put_varint};
use super::{Holds, Output, Put, Shape, Slot, Type, begin, insert_length, special};
use crate::facts::{self, Field};

/// Numbers from the outermost message that is written inline to the field; 0 where there is none.
type Path = [u8; 3];

/// A struct or a map.
pub(in crate::protobuf) struct Object<'o> {
    out: &'o mut Output,
    form: Form,
    /// Where the message begins whose length is still missing, if this object stands in one of its own.
    wrapper: Option<usize>,
}

enum Form {
    Struct { kind: &'static Type, number: u8, start: usize, parts: Vec<Part>, next: Option<(Path, &'static Field)> },
    Map { kind: &'static Type, number: u8, entry: usize },
}

/// Where the bytes of one field stand, its tag included.
pub(super) struct Part {
    path: Path,
    start: usize,
    end: usize,
}

impl<'o> Object<'o> {
    pub(super) fn new(slot: Slot<'o>) -> Result<Self, ProtobufError> {
        let Slot { out, kind, number, holds } = slot;
        let (form, wrapper) = match (holds, kind.shape()) {
            (Holds::Map, _) => (Form::Map { kind, number, entry: 0 }, None),
            (Holds::One, Shape::Struct) => (Form::of(out, kind, number), None),
            (Holds::One, Shape::OrArray | Shape::OrBool | Shape::OrStrings) => {
                let wrapper = begin(out, number);
                let either = Either::of(kind);
                special::put_allows(out, kind.shape(), &either);
                (Form::of(out, either.schema.kind(), either.schema.number()), Some(wrapper))
            }
            _ => return Slot { out, kind, number, holds }.wrong(),
        };
        Ok(Self { out, form, wrapper })
    }

    fn finish(self) -> Put {
        if let Form::Struct { kind, number, start, mut parts, .. } = self.form {
            parts.sort_by_key(|part| part.path);
            let mut ordered = std::mem::take(&mut self.out.spare);
            put_fields(&mut ordered, kind, &parts, 0, &self.out.bytes);
            self.out.bytes.truncate(start);
            if number != 0 {
                put_tag_of_bytes(&mut self.out.bytes, number);
                put_varint(&mut self.out.bytes, ordered.len() as u64);
            }
            self.out.bytes.extend_from_slice(&ordered);
            ordered.clear();
            self.out.spare = ordered;
        }
        if let Some(wrapper) = self.wrapper {
            insert_length(&mut self.out.bytes, wrapper);
        }
        Put::Something
    }
}

impl Form {
    fn of(out: &Output, kind: &'static Type, number: u8) -> Self {
        Self::Struct { kind, number, start: out.bytes.len(), parts: Vec::new(), next: None }
    }
}

/// Writes the fields of a message in the order of their numbers: those that came from `bytes`, of the others the zeros
/// that Go writes.
pub(super) fn put_fields(out: &mut Vec<u8>, kind: &'static Type, parts: &[Part], level: usize, bytes: &[u8]) {
    for field in kind.fields_by_number() {
        let own = |part: &&Part| part.path[level] == field.number();
        if field.is_inline() {
            let start = parts.partition_point(|part| part.path[level] < field.number());
            let inner = &parts[start..];
            let inner = &inner[..inner.iter().take_while(own).count()];
            put_length_delimited(out, field.number(), |out| put_fields(out, field.kind(), inner, level + 1, bytes));
        } else if let Some(part) = parts.iter().rfind(own) {
            out.extend_from_slice(&bytes[part.start..part.end]);
        } else {
            special::put_zero_field(out, field);
        }
    }
}

/// The field of this JSON name, and the way to it through messages written inline.
fn locate(kind: &'static Type, name: &str) -> Option<(Path, &'static Field)> {
    fn within(kind: &'static Type, name: &str, path: &mut Path, level: usize) -> Option<&'static Field> {
        if let Some(field) = kind.own_field(name) {
            path[level] = field.number();
            return Some(field);
        }
        let mut inline = kind.fields().iter().take_while(|field| field.is_inline());
        inline.find_map(|field| {
            path[level] = field.number();
            within(field.kind(), name, path, level + 1)
        })
    }
    let mut path = [0; 3];
    let field = within(kind, name, &mut path, 0)?;
    // Without a number it is not a field of the message, like an object's kind, which stands on its envelope.
    (path[0] != 0 && field.number() != 0).then_some((path, field))
}

fn put_field<T: Serialize + ?Sized>(
    out: &mut Output,
    parts: &mut Vec<Part>,
    (path, field): (Path, &'static Field),
    value: &T,
) -> Result<(), ProtobufError> {
    let start = out.bytes.len();
    let put = Slot::field(out, field).put(value).map_err(|error| error.at(field.name()))?;
    if put == Put::Something {
        parts.push(Part { path, start, end: out.bytes.len() });
    }
    Ok(())
}

impl SerializeStruct for Object<'_> {
    type Ok = Put;
    type Error = ProtobufError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), ProtobufError> {
        match &mut self.form {
            Form::Struct { kind, parts, .. } => match locate(kind, key) {
                Some(place) => put_field(self.out, parts, place, value),
                None => Ok(()),
            },
            Form::Map { .. } => self.serialize_entry(key, value),
        }
    }

    fn end(self) -> Result<Put, ProtobufError> {
        Ok(self.finish())
    }
}

impl SerializeMap for Object<'_> {
    type Ok = Put;
    type Error = ProtobufError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ProtobufError> {
        match &mut self.form {
            Form::Map { number, entry, .. } => {
                *entry = begin(self.out, *number);
                Slot::one(self.out, &facts::STRING, 1).put(key)?;
            }
            Form::Struct { kind, next, .. } => {
                // The key is written as any text is, read there, and taken away again.
                let start = self.out.bytes.len();
                Slot::one(self.out, &facts::STRING, 1).put(key)?;
                let written = take_field(&mut &self.out.bytes[start..])?;
                let name = written.and_then(|(_, wire)| std::str::from_utf8(wire.bytes()).ok());
                *next = name.and_then(|name| locate(kind, name));
                self.out.bytes.truncate(start);
            }
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProtobufError> {
        match &mut self.form {
            Form::Map { kind, entry, .. } => {
                if Slot::one(self.out, kind, 2).put(value)? == Put::Nothing {
                    special::put_zero(&mut self.out.bytes, kind, 2);
                }
                insert_length(&mut self.out.bytes, *entry);
                Ok(())
            }
            Form::Struct { parts, next, .. } => match next.take() {
                Some(place) => put_field(self.out, parts, place, value),
                None => Ok(()),
            },
        }
    }

    fn end(self) -> Result<Put, ProtobufError> {
        Ok(self.finish())
    }
}

/// A list.
pub(in crate::protobuf) struct Elements<'o> {
    out: &'o mut Output,
    kind: &'static Type,
    number: u8,
    /// Where the message begins whose length is still missing, if the list stands in one of its own.
    wrapper: Option<usize>,
}

impl<'o> Elements<'o> {
    pub(super) fn new(slot: Slot<'o>) -> Result<Self, ProtobufError> {
        let Slot { out, kind, number, holds } = slot;
        let (inner, inner_number) = match (holds, kind.shape()) {
            (Holds::List, _) => return Ok(Self { out, kind, number, wrapper: None }),
            (Holds::One, Shape::Items) => (&facts::STRING, 1),
            (Holds::One, Shape::OrArray | Shape::OrStrings) => match Either::of(kind).other {
                Some(list) => (list.kind(), list.number()),
                None => return Slot { out, kind, number, holds }.wrong(),
            },
            _ => return Slot { out, kind, number, holds }.wrong(),
        };
        let wrapper = Some(begin(out, number));
        Ok(Self { out, kind: inner, number: inner_number, wrapper })
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProtobufError> {
        if Slot::one(self.out, self.kind, self.number).put(value)? == Put::Nothing {
            special::put_zero(&mut self.out.bytes, self.kind, self.number);
        }
        Ok(())
    }

    fn finish(self) -> Put {
        if let Some(wrapper) = self.wrapper {
            insert_length(&mut self.out.bytes, wrapper);
        }
        Put::Something
    }
}

impl SerializeSeq for Elements<'_> {
    type Ok = Put;
    type Error = ProtobufError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProtobufError> {
        self.element(value)
    }

    fn end(self) -> Result<Put, ProtobufError> {
        Ok(self.finish())
    }
}

impl SerializeTuple for Elements<'_> {
    type Ok = Put;
    type Error = ProtobufError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProtobufError> {
        self.element(value)
    }

    fn end(self) -> Result<Put, ProtobufError> {
        Ok(self.finish())
    }
}

impl SerializeTupleStruct for Elements<'_> {
    type Ok = Put;
    type Error = ProtobufError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProtobufError> {
        self.element(value)
    }

    fn end(self) -> Result<Put, ProtobufError> {
        Ok(self.finish())
    }
}
