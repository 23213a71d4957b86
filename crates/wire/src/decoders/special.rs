//! The types whose JSON has another form than their message: times, quantities, bytes and what may be a number or a text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use k8s_openapi::ByteString;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, MicroTime, Time};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::decode::Decode;
use super::fields::{Fields, bytes, text, varint};
use super::scalars::integer;
use crate::json::{self, Declined, Reader, Text};
use crate::protobuf::MAGIC;
use crate::protobuf::read::{Wire, take_field};

/// Both types of time differ in what they keep of a second.
macro_rules! times {
    ($($time:ident keeps $kept:expr),*) => {$(
        impl Decode for $time {
            #[inline]
            fn blank() -> Self {
                Self(Timestamp::UNIX_EPOCH)
            }

            fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
                let Text::Plain(text) = reader.text()? else { return Err(Declined) };
                self.0 = in_seconds(text).map_or_else(|| text.parse().map_err(|_| Declined), Ok)?;
                Ok(())
            }

            fn protobuf(&mut self, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
                self.0 = time(bytes(wire)?, $kept)?.ok_or(Declined)?;
                Ok(())
            }

            /// It would be `null`, which a time that must be there cannot be.
            fn zero(&mut self) -> Result<(), Declined> {
                Err(Declined)
            }

            fn optional(place: &mut Option<Self>, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
                *place = time(bytes(wire)?, $kept)?.map(Self);
                Ok(())
            }

            fn optional_zero(place: &mut Option<Self>) -> Result<(), Declined> {
                *place = None;
                Ok(())
            }
        }
    )*};
}

times! { Time keeps Kept::Seconds, MicroTime keeps Kept::Microseconds }

/// What is kept of a time; what is finer is cut off.
#[derive(Clone, Copy)]
enum Kept {
    Seconds,
    Microseconds,
}

/// A time as nearly all are written, `2026-11-16T00:35:45Z`; jiff reads any other, and takes several times as long for this.
fn in_seconds(text: &str) -> Option<Timestamp> {
    let text: &[u8; 20] = text.as_bytes().try_into().ok()?;
    let pair = |at: usize| -> Option<i8> {
        let (ten, one) = (text[at].wrapping_sub(b'0'), text[at + 1].wrapping_sub(b'0'));
        (ten < 10 && one < 10).then(|| (ten * 10 + one).cast_signed())
    };
    if [text[4], text[7], text[10], text[13], text[16], text[19]] != *b"--T::Z" {
        return None;
    }
    let year = i16::from(pair(0)?) * 100 + i16::from(pair(2)?);
    let time = DateTime::new(year, pair(5)?, pair(8)?, pair(11)?, pair(14)?, pair(17)?, 0).ok()?;
    Offset::UTC.to_timestamp(time).ok()
}

/// The time of a message; `None` for one that was never set. Times before 1970 are left to serde, as are those after 9999.
fn time(message: &[u8], kept: Kept) -> Result<Option<Timestamp>, Declined> {
    /// The beginning of the year 10000.
    const END: u64 = 253_402_300_800;
    if message.is_empty() {
        return Ok(None);
    }
    let (mut seconds, mut nanoseconds) = (0, 0);
    let mut rest = message;
    while let Some((number, wire)) = take_field(&mut rest).map_err(|_| Declined)? {
        match number {
            1 => seconds = varint(wire)?,
            2 => nanoseconds = varint(wire)?,
            _ => {}
        }
    }
    if seconds >= END || nanoseconds >= 1_000_000_000 {
        return Err(Declined);
    }
    let nanoseconds = match kept {
        Kept::Seconds => 0,
        Kept::Microseconds => nanoseconds / 1000 * 1000,
    };
    let nanoseconds = i32::try_from(nanoseconds).map_err(|_| Declined)?;
    Timestamp::new(seconds.cast_signed(), nanoseconds).map(Some).map_err(|_| Declined)
}

impl Decode for Quantity {
    #[inline]
    fn blank() -> Self {
        Self(String::new())
    }

    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        self.0.json(reader)
    }

    fn protobuf(&mut self, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
        let mut rest = bytes(wire)?;
        let mut amount = "";
        while let Some((number, wire)) = take_field(&mut rest).map_err(|_| Declined)? {
            if number == 1 {
                amount = text(wire)?;
            }
        }
        self.0 = if amount.is_empty() { "0" } else { amount }.to_owned();
        Ok(())
    }

    fn zero(&mut self) -> Result<(), Declined> {
        self.0 = "0".to_owned();
        Ok(())
    }
}

impl Decode for IntOrString {
    #[inline]
    fn blank() -> Self {
        Self::Int(0)
    }

    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        *self = match reader.peek() {
            Some(b'"') => Self::String(reader.string()?),
            _ => Self::Int(integer(reader)?.try_into().map_err(|_| Declined)?),
        };
        Ok(())
    }

    fn protobuf(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        const STRING: u64 = 1;
        let (mut form, mut number_form, mut text_form) = (0, 0, "");
        let mut rest = bytes(wire)?;
        while let Some((number, wire)) = take_field(&mut rest).map_err(|_| Declined)? {
            match number {
                1 => form = varint(wire)?,
                2 => number_form.protobuf(wire, fields)?,
                3 => text_form = text(wire)?,
                _ => {}
            }
        }
        *self = if form == STRING { Self::String(text_form.to_owned()) } else { Self::Int(number_form) };
        Ok(())
    }
}

impl Decode for ByteString {
    #[inline]
    fn blank() -> Self {
        Self(Vec::new())
    }

    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        let Text::Plain(text) = reader.text()? else { return Err(Declined) };
        self.0 = STANDARD.decode(text).map_err(|_| Declined)?;
        Ok(())
    }

    fn protobuf(&mut self, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
        self.0 = bytes(wire)?.to_vec();
        Ok(())
    }

    #[inline]
    fn is_empty(wire: Wire<'_>) -> bool {
        matches!(wire, Wire::Bytes([]))
    }
}

impl Decode for FieldsV1 {
    #[inline]
    fn blank() -> Self {
        Self(Value::Null)
    }

    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        self.0 = tree(reader)?;
        Ok(())
    }

    fn protobuf(&mut self, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
        self.0 = raw(wire)?.ok_or(Declined)?;
        Ok(())
    }

    fn zero(&mut self) -> Result<(), Declined> {
        Err(Declined)
    }

    fn optional(place: &mut Option<Self>, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
        *place = raw(wire)?.map(Self);
        Ok(())
    }

    fn optional_zero(place: &mut Option<Self>) -> Result<(), Declined> {
        *place = None;
        Ok(())
    }
}

/// The next value. Those of managed fields are objects within objects, which are read here without visitors; what else there
/// may be is serde's.
fn tree(reader: &mut Reader<'_>) -> Result<Value, Declined> {
    if reader.peek() != Some(b'{') {
        return Value::deserialize(reader);
    }
    let mut members = Map::new();
    reader.open(b'{')?;
    let mut is_first = true;
    while reader.goes_on(b'}', &mut is_first)? {
        let name = reader.string()?;
        reader.take(b':')?;
        members.insert(name, tree(reader)?);
    }
    reader.close(b'}')?;
    Ok(Value::Object(members))
}

/// JSON that was kept as it came; `None` if there is none. An object in an envelope of its own is for serde.
fn raw(wire: Wire<'_>) -> Result<Option<Value>, Declined> {
    let mut rest = bytes(wire)?;
    let mut raw = &[][..];
    while let Some((number, wire)) = take_field(&mut rest).map_err(|_| Declined)? {
        if number == 1 {
            raw = bytes(wire)?;
        }
    }
    if raw.is_empty() {
        return Ok(None);
    }
    if raw.starts_with(MAGIC) {
        return Err(Declined);
    }
    let text = std::str::from_utf8(raw).map_err(|_| Declined)?;
    Ok(Some(json::decode(text)?))
}
