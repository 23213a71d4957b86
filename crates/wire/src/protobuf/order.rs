//! Checks a message against its type, and brings its fields into order where they are not.
//!
//! In: bytes and their type. Out: the same bytes if every field stands in one piece, which is how servers write
//! them; otherwise a copy in which the parts of a field stand together, as protobuf lets them be apart. After it,
//! lengths hold, wire types fit the table, and nothing is nested deeper than the limit. The decoder asks the same of
//! what it reads, and refuses fields that are not in order; only what it refused is gone over here first.

use std::borrow::Cow;

use super::envelope::Envelope;
use super::error::ProtobufError;
use super::read::{Wire, last_of, take_field};
use super::write::{put_bytes, put_double, put_number};
use crate::facts::{Field, Holds, Shape, Type};

/// Levels of nesting; what JSON decoders accept too. A decoder's stack must hold them.
pub(crate) const DEPTH_MAX: usize = 128;

/// `bytes` in order.
pub(super) fn in_order<'a>(kind: &'static Type, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, ProtobufError> {
    if is_in_order(kind, bytes, DEPTH_MAX)? {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut ordered = Vec::with_capacity(bytes.len());
    put_in_order(&mut ordered, kind, bytes)?;
    Ok(Cow::Owned(ordered))
}

/// Whether each field stands in one piece, in the whole message, of which so many levels may be nested.
pub(super) fn is_in_order(kind: &'static Type, bytes: &[u8], depth: usize) -> Result<bool, ProtobufError> {
    if depth == 0 {
        return Err(ProtobufError::too_deep(DEPTH_MAX));
    }
    let mut rest = bytes;
    let (mut seen, mut last, mut is_ordered) = (0_u64, 0, true);
    while let Some((number, wire)) = take_field(&mut rest)? {
        let follows = std::mem::replace(&mut last, number);
        let Some(field) = kind.field_numbered(number) else { continue };
        check_wire(field, wire)?;
        let bit = 1_u64 << number;
        is_ordered &= seen & bit == 0 || (field.holds() != Holds::One && follows == number);
        seen |= bit;
        let within = |kind, message| {
            is_in_order(kind, message, depth.saturating_sub(levels_of(field))).map_err(|error| error.at(field.name()))
        };
        if let Some(message) = message_in(field, wire)? {
            is_ordered &= within(field.kind(), message)?;
        } else if let Some((kind, message)) = embedded_in(field, wire) {
            // Whether it is in order is asked when it is opened; how deep it goes must be known before.
            within(kind, message)?;
        }
    }
    Ok(is_ordered)
}

/// The bytes of the message within a field, if its type has fields of its own.
fn message_in<'a>(field: &Field, wire: Wire<'a>) -> Result<Option<&'a [u8]>, ProtobufError> {
    match field.holds() {
        Holds::Map => {
            let value = entry(wire.bytes())?.1;
            if let Some(value) = value {
                check_wire_of_value(field.kind(), value).map_err(|error| error.at(field.name()))?;
            }
            Ok(value.map(Wire::bytes).filter(|_| has_fields(field.kind())))
        }
        Holds::One | Holds::List => Ok(Some(wire.bytes()).filter(|_| has_fields(field.kind()))),
    }
}

/// The object that stands in a field in an envelope of its own, if it is of a kind that the tables know.
fn embedded_in<'a>(field: &Field, wire: Wire<'a>) -> Option<(&'static Type, &'a [u8])> {
    if field.kind().shape() != Shape::Raw {
        return None;
    }
    let value = if field.holds() == Holds::Map { entry(wire.bytes()).ok()?.1? } else { wire };
    let envelope = Envelope::open(last_of(value.bytes(), 1).ok()??.bytes()).ok()?;
    Some((envelope.type_of().ok()?, envelope.raw))
}

fn has_fields(kind: &Type) -> bool {
    !kind.fields().is_empty()
}

/// How many levels deeper the values of a field are. A list or map is a level of its own, as in JSON.
#[inline]
pub(super) fn levels_of(field: &Field) -> usize {
    if field.holds() == Holds::One { 1 } else { 2 }
}

/// Whether a field carries what its type wants.
#[inline]
pub(super) fn check_wire(field: &Field, wire: Wire<'_>) -> Result<(), ProtobufError> {
    if fits(field, wire) {
        return Ok(());
    }
    Err(ProtobufError::malformed("a field of another wire type").at(field.name()))
}

/// The same of an element of a list, and of the value in a map's entry.
#[inline]
pub(super) fn check_wire_of_value(kind: &Type, wire: Wire<'_>) -> Result<(), ProtobufError> {
    if fits_one(kind, wire) {
        return Ok(());
    }
    Err(ProtobufError::malformed("a value of another wire type"))
}

#[inline]
fn fits(field: &Field, wire: Wire<'_>) -> bool {
    match (field.holds(), wire) {
        (Holds::Map, wire) => matches!(wire, Wire::Bytes(_)),
        // Numbers in a list may be packed.
        (Holds::List, Wire::Bytes(_)) => true,
        (Holds::One | Holds::List, wire) => fits_one(field.kind(), wire),
    }
}

#[inline]
fn fits_one(kind: &Type, wire: Wire<'_>) -> bool {
    match kind.shape() {
        Shape::Bool | Shape::Int32 | Shape::Int64 => matches!(wire, Wire::Varint(_)),
        Shape::Double => matches!(wire, Wire::Fixed64(_)),
        _ => matches!(wire, Wire::Bytes(_)),
    }
}

/// Key and value of a map's entry.
#[inline]
pub(super) fn entry(bytes: &[u8]) -> Result<(&[u8], Option<Wire<'_>>), ProtobufError> {
    let (mut key, mut value) = (&[][..], None);
    let mut rest = bytes;
    while let Some((number, wire)) = take_field(&mut rest)? {
        match number {
            1 => key = wire.bytes(),
            2 => value = Some(wire),
            _ => {}
        }
    }
    Ok((key, value))
}

/// Writes a message again, the parts of each field together, fields that no type knows left out.
fn put_in_order(out: &mut Vec<u8>, kind: &'static Type, bytes: &[u8]) -> Result<(), ProtobufError> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some((number, wire)) = take_field(&mut rest)? {
        if let Some(field) = kind.field_numbered(number) {
            parts.push((field, wire));
        }
    }
    parts.sort_by_key(|(field, _)| field.number());
    for same in parts.chunk_by(|one, other| one.0.number() == other.0.number()) {
        put_parts(out, same)?;
    }
    Ok(())
}

/// All parts of one field: the messages of a single one are one message, of other single values the last counts.
fn put_parts(out: &mut Vec<u8>, parts: &[(&'static Field, Wire<'_>)]) -> Result<(), ProtobufError> {
    let [.., (field, last)] = parts else { return Ok(()) };
    if field.holds() != Holds::One {
        return parts.iter().try_for_each(|(field, wire)| put_part(out, field, *wire));
    }
    if !has_fields(field.kind()) {
        return put_part(out, field, *last);
    }
    let whole: Vec<u8> = parts.iter().flat_map(|(_, wire)| wire.bytes()).copied().collect();
    put_part(out, field, Wire::Bytes(&whole))
}

fn put_part(out: &mut Vec<u8>, field: &'static Field, wire: Wire<'_>) -> Result<(), ProtobufError> {
    let number = field.number();
    match wire {
        Wire::Varint(value) => put_number(out, number, value.cast_signed()),
        Wire::Fixed64(bits) => put_double(out, number, f64::from_bits(bits)),
        Wire::Fixed32 => {}
        Wire::Bytes(bytes) if !has_fields(field.kind()) => put_bytes(out, number, bytes),
        Wire::Bytes(bytes) => {
            let mut ordered = Vec::with_capacity(bytes.len());
            if field.holds() == Holds::Map {
                let (key, value) = entry(bytes)?;
                put_bytes(&mut ordered, 1, key);
                let mut message = Vec::new();
                put_in_order(&mut message, field.kind(), value.map_or(&[][..], Wire::bytes))?;
                put_bytes(&mut ordered, 2, &message);
            } else {
                put_in_order(&mut ordered, field.kind(), bytes)?;
            }
            put_bytes(out, number, &ordered);
        }
    }
    Ok(())
}
