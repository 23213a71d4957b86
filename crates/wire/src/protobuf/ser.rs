//! Protobuf as serde writes it: what is serialized as if to JSON comes out as the message that a server would send.
//!
//! In: any `Serialize` whose fields have the JSON names of a type. Out: its message, fields in the order of their
//! numbers, and every field that Go does not hold behind a pointer there, although it be zero. Fields that the type
//! does not know are dropped, as Go does.

mod message;
mod special;

use serde::ser::{Serialize, Serializer};

use super::error::ProtobufError;
use super::write::{insert_length, put_bytes, put_double, put_number, put_tag_of_bytes};
use crate::facts::{Field, Holds, Shape, Type};
use message::{Elements, Object};

/// What has been written, and the room to put it into order.
#[derive(Default)]
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    spare: Vec<u8>,
}

/// Where one value goes.
pub(super) struct Slot<'o> {
    out: &'o mut Output,
    kind: &'static Type,
    holds: Holds,
    /// Of the field it is in; 0 for the object itself, which has neither tag nor length.
    number: u8,
}

/// Whether a value was there: `null` is none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Put {
    Something,
    Nothing,
}

impl<'o> Slot<'o> {
    /// The place of an object.
    pub(super) fn object(out: &'o mut Output, kind: &'static Type) -> Self {
        Self { out, kind, holds: Holds::One, number: 0 }
    }

    fn field(out: &'o mut Output, field: &'static Field) -> Self {
        Self { out, kind: field.kind(), holds: field.holds(), number: field.number() }
    }

    /// One value, of a list or of a map's entry.
    fn one(out: &'o mut Output, kind: &'static Type, number: u8) -> Self {
        Self { out, kind, holds: Holds::One, number }
    }

    /// Puts a value here.
    fn put<T: Serialize + ?Sized>(self, value: &T) -> Result<Put, ProtobufError> {
        if self.kind.shape() == Shape::Raw && self.holds == Holds::One {
            return special::put_raw(self.out, self.number, value);
        }
        value.serialize(self)
    }

    fn wrong<T>(&self) -> Result<T, ProtobufError> {
        let what = match self.holds {
            Holds::List => "a list",
            Holds::Map => "a map",
            Holds::One => special::expected(self.kind),
        };
        Err(ProtobufError::expected(what))
    }

    fn whole(self, value: i64) -> Result<Put, ProtobufError> {
        let bytes = &mut self.out.bytes;
        match (self.holds, self.kind.shape()) {
            (Holds::One, Shape::Int64) => put_number(bytes, self.number, value),
            (Holds::One, Shape::Int32) if i32::try_from(value).is_ok() => put_number(bytes, self.number, value),
            (Holds::One, Shape::Double) => return self.serialize_f64(value as f64),
            (Holds::One, Shape::IntOrString) if i32::try_from(value).is_ok() => {
                special::put_int_or_string(bytes, self.number, Ok(value));
            }
            _ => return self.wrong(),
        }
        Ok(Put::Something)
    }

    fn text(mut self, text: &str) -> Result<Put, ProtobufError> {
        if self.holds != Holds::One {
            return self.wrong();
        }
        match self.kind.shape() {
            Shape::String => put_bytes(&mut self.out.bytes, self.number, text.as_bytes()),
            _ => return special::put_text(&mut self, text),
        }
        Ok(Put::Something)
    }
}

/// Begins a message and leaves its length to [`insert_length`].
fn begin(out: &mut Output, number: u8) -> usize {
    put_tag_of_bytes(&mut out.bytes, number);
    out.bytes.len()
}

impl<'o> Serializer for Slot<'o> {
    type Ok = Put;
    type Error = ProtobufError;
    type SerializeSeq = Elements<'o>;
    type SerializeTuple = Elements<'o>;
    type SerializeTupleStruct = Elements<'o>;
    type SerializeTupleVariant = serde::ser::Impossible<Put, ProtobufError>;
    type SerializeMap = Object<'o>;
    type SerializeStruct = Object<'o>;
    type SerializeStructVariant = serde::ser::Impossible<Put, ProtobufError>;

    fn serialize_bool(mut self, value: bool) -> Result<Put, ProtobufError> {
        match (self.holds, self.kind.shape()) {
            (Holds::One, Shape::Bool) => put_number(&mut self.out.bytes, self.number, value.into()),
            (Holds::One, Shape::OrBool) => special::put_either_bool(&mut self, value),
            _ => return self.wrong(),
        }
        Ok(Put::Something)
    }

    fn serialize_i64(self, value: i64) -> Result<Put, ProtobufError> {
        self.whole(value)
    }

    fn serialize_u64(self, value: u64) -> Result<Put, ProtobufError> {
        match i64::try_from(value) {
            Ok(value) => self.whole(value),
            Err(_) if self.kind.shape() == Shape::Double => self.serialize_f64(value as f64),
            Err(_) => self.wrong(),
        }
    }

    fn serialize_f64(self, value: f64) -> Result<Put, ProtobufError> {
        if self.holds != Holds::One || self.kind.shape() != Shape::Double {
            return self.wrong();
        }
        // JSON would say `null`, and the number would be gone without a word.
        if !value.is_finite() {
            return Err(ProtobufError::expected("a finite number"));
        }
        put_double(&mut self.out.bytes, self.number, value);
        Ok(Put::Something)
    }

    fn serialize_str(self, value: &str) -> Result<Put, ProtobufError> {
        self.text(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Put, ProtobufError> {
        if self.holds != Holds::One || self.kind.shape() != Shape::Bytes {
            return self.wrong();
        }
        put_bytes(&mut self.out.bytes, self.number, value);
        Ok(Put::Something)
    }

    fn serialize_none(self) -> Result<Put, ProtobufError> {
        Ok(Put::Nothing)
    }

    fn serialize_unit(self) -> Result<Put, ProtobufError> {
        Ok(Put::Nothing)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Put, ProtobufError> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Put, ProtobufError> {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Put, ProtobufError> {
        self.text(variant)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements<'o>, ProtobufError> {
        Elements::new(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Elements<'o>, ProtobufError> {
        Elements::new(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Elements<'o>, ProtobufError> {
        Elements::new(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Object<'o>, ProtobufError> {
        Object::new(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Object<'o>, ProtobufError> {
        Object::new(self)
    }

    fn serialize_i8(self, value: i8) -> Result<Put, ProtobufError> {
        self.whole(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<Put, ProtobufError> {
        self.whole(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<Put, ProtobufError> {
        self.whole(value.into())
    }

    fn serialize_u8(self, value: u8) -> Result<Put, ProtobufError> {
        self.whole(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<Put, ProtobufError> {
        self.whole(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<Put, ProtobufError> {
        self.whole(value.into())
    }

    fn serialize_f32(self, value: f32) -> Result<Put, ProtobufError> {
        self.serialize_f64(value.into())
    }

    fn serialize_char(self, value: char) -> Result<Put, ProtobufError> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Put, ProtobufError> {
        self.serialize_unit()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Put, ProtobufError> {
        self.wrong()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, ProtobufError> {
        self.wrong()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, ProtobufError> {
        self.wrong()
    }
}
