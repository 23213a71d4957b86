//! Text, truth values and whole numbers.

use super::decode::Decode;
use super::fields::{Fields, text, varint};
use crate::json::{Declined, Integer, Reader};
use crate::protobuf::read::Wire;

impl Decode for String {
    #[inline]
    fn blank() -> Self {
        Self::new()
    }

    #[inline]
    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        *self = reader.string()?;
        Ok(())
    }

    #[inline]
    fn protobuf(&mut self, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
        *self = text(wire)?.to_owned();
        Ok(())
    }

    #[inline]
    fn is_empty(wire: Wire<'_>) -> bool {
        matches!(wire, Wire::Bytes([]))
    }
}

impl Decode for bool {
    #[inline]
    fn blank() -> Self {
        false
    }

    #[inline]
    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        *self = reader.truth()?;
        Ok(())
    }

    #[inline]
    fn protobuf(&mut self, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
        *self = varint(wire)? != 0;
        Ok(())
    }

    #[inline]
    fn is_empty(wire: Wire<'_>) -> bool {
        matches!(wire, Wire::Varint(0))
    }
}

impl Decode for i32 {
    #[inline]
    fn blank() -> Self {
        0
    }

    #[inline]
    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        *self = integer(reader)?.try_into().map_err(|_| Declined)?;
        Ok(())
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the upper half is the sign")]
    fn protobuf(&mut self, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
        *self = varint(wire)? as Self;
        Ok(())
    }

    #[inline]
    fn is_empty(wire: Wire<'_>) -> bool {
        matches!(wire, Wire::Varint(0))
    }
}

impl Decode for i64 {
    #[inline]
    fn blank() -> Self {
        0
    }

    #[inline]
    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        *self = integer(reader)?;
        Ok(())
    }

    #[inline]
    fn protobuf(&mut self, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
        *self = varint(wire)?.cast_signed();
        Ok(())
    }

    #[inline]
    fn is_empty(wire: Wire<'_>) -> bool {
        matches!(wire, Wire::Varint(0))
    }
}

/// The next value, which must be an integer of usual size and spelling.
pub(super) fn integer(reader: &mut Reader<'_>) -> Result<i64, Declined> {
    match reader.integer().ok_or(Declined)? {
        Integer::Positive(value) => value.try_into().map_err(|_| Declined),
        Integer::Negative(value) => Ok(value),
    }
}
