//! One value by its shape: scalars, and the types whose JSON has another form than their message.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserializer;
use serde::de::Visitor;
use serde::de::value::SeqDeserializer;

use super::super::envelope::{Envelope, MAGIC};
use super::super::error::ProtobufError;
use super::super::order::{DEPTH_MAX, check_wire, is_in_order, levels_of};
use super::super::read::{Wire, last_of, take_field};
use super::super::{span, time};
use super::fields::Fields;
use super::lists::Elements;
use super::{Content, Message, Value};
use crate::facts::{Field, Holds, Shape, Type};

/// Shows one value.
pub(super) fn visit<'de, V: Visitor<'de>>(
    kind: &'static Type,
    wire: Wire<'de>,
    depth: usize,
    visitor: V,
) -> Result<V::Value, ProtobufError> {
    let bytes = wire.bytes();
    match kind.shape() {
        Shape::String => visit_text(bytes, visitor),
        Shape::Bool => visitor.visit_bool(wire.varint() != 0),
        // A number of 32 bits travels in 64 and is cut, as everywhere in protobuf.
        #[expect(clippy::cast_possible_truncation, reason = "the upper half is the sign")]
        Shape::Int32 => visitor.visit_i32(wire.varint() as i32),
        Shape::Int64 => visitor.visit_i64(wire.varint().cast_signed()),
        Shape::Double => visit_double(double(wire), visitor),
        Shape::Bytes => visitor.visit_string(STANDARD.encode(bytes)),
        Shape::Any => Err(ProtobufError::malformed("a type that has no protobuf form")),
        Shape::Struct => visitor.visit_map(Fields::new(kind, bytes, None, depth)?),
        Shape::Items => visit_items(bytes, visitor),
        Shape::Time | Shape::MicroTime => match time::text_of(kind.shape(), bytes)? {
            Some(text) => visitor.visit_str(text.as_str()),
            None => visitor.visit_unit(),
        },
        Shape::Duration => {
            let nanoseconds = last_of(bytes, 1)?.map_or(0, Wire::varint).cast_signed();
            visitor.visit_str(&span::text_of(nanoseconds))
        }
        Shape::Quantity => match last_of(bytes, 1)?.map_or(&[][..], Wire::bytes) {
            b"" => visitor.visit_str("0"),
            text => visit_text(text, visitor),
        },
        Shape::IntOrString => visit_int_or_string(bytes, visitor),
        Shape::Raw => visit_raw(bytes, depth, visitor),
        Shape::OrArray | Shape::OrBool | Shape::OrStrings => visit_either(kind, bytes, depth, visitor),
    }
}

/// Whether JSON says `null` for it.
#[inline]
pub(super) fn is_null(kind: &'static Type, wire: Wire<'_>) -> Result<bool, ProtobufError> {
    let bytes = wire.bytes();
    match kind.shape() {
        Shape::Time | Shape::MicroTime => time::is_never(kind.shape(), bytes),
        Shape::Raw => Ok(raw(bytes)?.is_empty()),
        Shape::OrArray | Shape::OrStrings => has_neither(kind, bytes),
        _ => Ok(false),
    }
}

/// What a message has where it has nothing.
pub(super) fn zero(kind: &Type) -> Wire<'static> {
    match kind.shape() {
        Shape::Bool | Shape::Int32 | Shape::Int64 => Wire::Varint(0),
        Shape::Double => Wire::Fixed64(0),
        _ => Wire::Bytes(&[]),
    }
}

/// Go does not ask whether text is UTF-8 when it reads protobuf, and replaces what is not when it writes JSON. So do we.
#[inline]
pub(super) fn visit_text<'de, V: Visitor<'de>>(bytes: &'de [u8], visitor: V) -> Result<V::Value, ProtobufError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => visitor.visit_borrowed_str(text),
        Err(_) => visitor.visit_string(String::from_utf8_lossy(bytes).into_owned()),
    }
}

fn double(wire: Wire<'_>) -> f64 {
    match wire {
        Wire::Fixed64(bits) => f64::from_bits(bits),
        Wire::Varint(_) | Wire::Fixed32 | Wire::Bytes(_) => 0.0,
    }
}

/// As Go prints it: a whole number without a point. What JSON cannot write Go refuses to write, so no server has sent it.
fn visit_double<'de, V: Visitor<'de>>(value: f64, visitor: V) -> Result<V::Value, ProtobufError> {
    /// Up to here every whole number is a double of its own.
    const WHOLE_MAX: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
    if !value.is_finite() {
        return Err(ProtobufError::expected("a finite number"));
    }
    let is_whole = value.fract() == 0.0 && value.abs() <= WHOLE_MAX && (value != 0.0 || value.is_sign_positive());
    if !is_whole {
        return visitor.visit_f64(value);
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the range")]
    visitor.visit_i64(value as i64)
}

/// A list of strings in a message of its own.
fn visit_items<'de, V: Visitor<'de>>(mut rest: &'de [u8], visitor: V) -> Result<V::Value, ProtobufError> {
    let mut items = Vec::new();
    while let Some((number, wire)) = take_field(&mut rest)? {
        if number == 1 {
            items.push(String::from_utf8_lossy(wire.bytes()));
        }
    }
    visitor.visit_seq(SeqDeserializer::new(items.into_iter()))
}

fn visit_int_or_string<'de, V: Visitor<'de>>(bytes: &'de [u8], visitor: V) -> Result<V::Value, ProtobufError> {
    const STRING: u64 = 1;
    if last_of(bytes, 1)?.map_or(0, Wire::varint) == STRING {
        return visit_text(last_of(bytes, 3)?.map_or(&[][..], Wire::bytes), visitor);
    }
    #[expect(clippy::cast_possible_truncation, reason = "the upper half is the sign")]
    visitor.visit_i32(last_of(bytes, 2)?.map_or(0, Wire::varint) as i32)
}

fn raw(bytes: &[u8]) -> Result<&[u8], ProtobufError> {
    Ok(last_of(bytes, 1)?.map_or(&[][..], Wire::bytes))
}

/// JSON that was kept as it came, or an object in an envelope of its own.
fn visit_raw<'de, V: Visitor<'de>>(bytes: &'de [u8], depth: usize, visitor: V) -> Result<V::Value, ProtobufError> {
    let raw = raw(bytes)?;
    if raw.is_empty() {
        return visitor.visit_unit();
    }
    if raw.starts_with(MAGIC) {
        let envelope = Envelope::open(raw)?;
        let kind = envelope.type_of()?;
        if !is_in_order(kind, envelope.raw, depth)? {
            return Err(ProtobufError::malformed("an embedded object whose fields are out of order"));
        }
        let names = Some((envelope.api_version, envelope.kind));
        return Message { kind, bytes: envelope.raw, names }.deserialize_any(visitor);
    }
    // Checked once whether it is text, and not again for each of its strings.
    match std::str::from_utf8(raw) {
        Ok(text) => visit_json(serde_json::Deserializer::from_str(text), visitor),
        Err(_) => visit_json(serde_json::Deserializer::from_slice(raw), visitor),
    }
}

fn visit_json<'de, R: serde_json::de::Read<'de>, V: Visitor<'de>>(
    mut json: serde_json::Deserializer<R>,
    visitor: V,
) -> Result<V::Value, ProtobufError> {
    let value = json.deserialize_any(visitor).map_err(|_| ProtobufError::expected("JSON"))?;
    json.end().map_err(|_| ProtobufError::expected("JSON and nothing behind it"))?;
    Ok(value)
}

/// A schema, or in its place a list or a truth value.
fn visit_either<'de, V: Visitor<'de>>(
    kind: &'static Type,
    bytes: &'de [u8],
    depth: usize,
    visitor: V,
) -> Result<V::Value, ProtobufError> {
    if depth == 0 {
        return Err(ProtobufError::too_deep(DEPTH_MAX));
    }
    let either = Either::of(kind);
    let schema = piece_of(bytes, either.schema)?;
    let Some(other) = either.other else { return visitor.visit_unit() };
    let of_other = piece_of(bytes, other)?;
    let depth_of = |field: &Field| depth.saturating_sub(levels_of(field));
    match (other.holds(), schema.last) {
        (Holds::List, _) if of_other.count > 0 => {
            visitor.visit_seq(Elements::new(other.kind(), of_other.run, of_other.count, depth_of(other)))
        }
        (_, Some(wire)) => {
            let (kind, depth) = (either.schema.kind(), depth_of(either.schema));
            Value { kind, content: Content::One(wire), depth }.deserialize_any(visitor)
        }
        (Holds::List | Holds::Map, None) => visitor.visit_unit(),
        (Holds::One, None) => visitor.visit_bool(of_other.last.map_or(0, Wire::varint) != 0),
    }
}

/// Whether a message holds neither of the two forms that its type has; it may hold what only a newer server knows.
fn has_neither(kind: &'static Type, bytes: &[u8]) -> Result<bool, ProtobufError> {
    let either = Either::of(kind);
    for field in [Some(either.schema), either.other].into_iter().flatten() {
        if last_of(bytes, field.number().into())?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The two forms of a type that has two.
pub(in crate::protobuf) struct Either {
    pub(in crate::protobuf) schema: &'static Field,
    pub(in crate::protobuf) other: Option<&'static Field>,
}

impl Either {
    pub(in crate::protobuf) fn of(kind: &'static Type) -> Self {
        let is_schema = |field: &&Field| field.holds() == Holds::One && field.kind().shape() == Shape::Struct;
        let fields = kind.fields();
        let schema = fields.iter().find(is_schema).unwrap_or(&fields[0]);
        Self { schema, other: fields.iter().find(|field| !is_schema(field)) }
    }
}

/// What a message has of one field.
struct Piece<'a> {
    /// The elements, each behind its tag.
    run: &'a [u8],
    count: usize,
    last: Option<Wire<'a>>,
}

/// What `bytes` has of a field; an error if it is not in one piece.
fn piece_of<'a>(bytes: &'a [u8], field: &Field) -> Result<Piece<'a>, ProtobufError> {
    let mut rest = bytes;
    let (mut start, mut end, mut count, mut last) = (0, 0, 0, None);
    loop {
        let before = bytes.len() - rest.len();
        let Some((number, wire)) = take_field(&mut rest)? else {
            return Ok(Piece { run: &bytes[start..end], count, last });
        };
        if number != u32::from(field.number()) {
            continue;
        }
        check_wire(field, wire)?;
        let goes_on = field.holds() == Holds::List && end == before;
        if count == 0 {
            start = before;
        } else if !goes_on {
            return Err(ProtobufError::malformed("a field in several pieces").at(field.name()));
        }
        end = bytes.len() - rest.len();
        count += 1;
        last = Some(wire);
    }
}
