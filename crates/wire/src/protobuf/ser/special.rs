//! The types whose message has another form than their JSON, and the zeros that Go writes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::super::de::Either;
use super::super::error::ProtobufError;
use super::super::write::{insert_length, put_bytes, put_double, put_length_delimited, put_number};
use super::super::{span, time};
use super::message::put_fields;
use super::{Output, Put, Slot, begin};
use crate::facts::{Field, Holds, Shape, Type};

/// A text in the place of something that JSON writes as text.
pub(super) fn put_text(slot: &mut Slot<'_>, text: &str) -> Result<Put, ProtobufError> {
    let (number, shape) = (slot.number, slot.kind.shape());
    let bytes = &mut slot.out.bytes;
    match shape {
        Shape::Bytes => {
            let decoded = STANDARD.decode(text).map_err(|_| ProtobufError::expected("base64"))?;
            put_bytes(bytes, number, &decoded);
        }
        Shape::Time | Shape::MicroTime => {
            let start = begin(slot.out, number);
            time::put(&mut slot.out.bytes, shape, text)?;
            insert_length(&mut slot.out.bytes, start);
        }
        Shape::Duration => {
            let nanoseconds = span::parse(text)?;
            put_length_delimited(bytes, number, |out| put_number(out, 1, nanoseconds));
        }
        Shape::Quantity => put_length_delimited(bytes, number, |out| put_bytes(out, 1, text.as_bytes())),
        Shape::IntOrString => put_int_or_string(bytes, number, Err(text)),
        _ => return slot.wrong(),
    }
    Ok(Put::Something)
}

/// A number or a text.
pub(super) fn put_int_or_string(bytes: &mut Vec<u8>, number: u8, value: Result<i64, &str>) {
    put_length_delimited(bytes, number, |out| {
        put_number(out, 1, value.is_err().into());
        put_number(out, 2, value.unwrap_or_default());
        put_bytes(out, 3, value.err().unwrap_or_default().as_bytes());
    });
}

/// Anything that JSON can say, kept as JSON.
pub(super) fn put_raw<T: Serialize + ?Sized>(out: &mut Output, number: u8, value: &T) -> Result<Put, ProtobufError> {
    let before = out.bytes.len();
    let outer = begin(out, number);
    let inner = begin(out, 1);
    serde_json::to_writer(&mut out.bytes, value).map_err(|_| ProtobufError::expected("JSON"))?;
    if &out.bytes[inner..] == b"null" {
        out.bytes.truncate(before);
        return Ok(Put::Nothing);
    }
    insert_length(&mut out.bytes, inner);
    insert_length(&mut out.bytes, outer);
    Ok(Put::Something)
}

/// A truth value in the place of a schema.
pub(super) fn put_either_bool(slot: &mut Slot<'_>, value: bool) {
    let number = Either::of(slot.kind).other.map_or(1, Field::number);
    put_length_delimited(&mut slot.out.bytes, slot.number, |out| put_number(out, number, value.into()));
}

/// A schema in the place of a truth value counts as true.
pub(super) fn put_allows(out: &mut Output, shape: Shape, either: &Either) {
    if let (Shape::OrBool, Some(allows)) = (shape, either.other) {
        put_number(&mut out.bytes, allows.number(), 1);
    }
}

/// What Go writes for a field that is not set.
pub(super) fn put_zero_field(out: &mut Vec<u8>, field: &'static Field) {
    let is_nothing = matches!(field.kind().shape(), Shape::Bytes | Shape::Items | Shape::Any);
    if field.holds() == Holds::One && !field.is_pointer() && !is_nothing {
        put_zero(out, field.kind(), field.number());
    }
}

/// The zero of a type.
pub(super) fn put_zero(out: &mut Vec<u8>, kind: &'static Type, number: u8) {
    match kind.shape() {
        Shape::Bool | Shape::Int32 | Shape::Int64 => put_number(out, number, 0),
        Shape::Double => put_double(out, number, 0.0),
        Shape::Struct => put_length_delimited(out, number, |out| put_fields(out, kind, &[], 0, &[])),
        Shape::Duration => put_length_delimited(out, number, |out| put_number(out, 1, 0)),
        Shape::Quantity => put_length_delimited(out, number, |out| put_bytes(out, 1, b"0")),
        Shape::IntOrString => put_int_or_string(out, number, Ok(0)),
        Shape::OrBool => put_length_delimited(out, number, |out| put_number(out, 1, 0)),
        _ => put_bytes(out, number, b""),
    }
}

/// What a type takes, for the error where it is given something else.
pub(super) fn expected(kind: &Type) -> &'static str {
    match kind.shape() {
        Shape::String => "a text",
        Shape::Bool => "true or false",
        Shape::Int32 => "a whole number of 32 bits",
        Shape::Int64 => "a whole number of 64 bits",
        Shape::Double => "a number",
        Shape::Bytes => "base64",
        Shape::Any | Shape::Raw => "JSON",
        Shape::Struct => "an object",
        Shape::Items => "a list of texts",
        Shape::Time | Shape::MicroTime => "a time",
        Shape::Duration => "a span of time",
        Shape::Quantity => "a quantity",
        Shape::IntOrString => "a number of 32 bits or a text",
        Shape::OrArray => "a schema or a list of schemas",
        Shape::OrBool => "a schema, true or false",
        Shape::OrStrings => "a schema or a list of texts",
    }
}
