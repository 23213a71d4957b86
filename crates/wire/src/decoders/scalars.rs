//! Text, truth values and whole numbers.

use super::decode::Decode;
use super::fields::{Fields, bytes, varint};
use crate::json::{Declined, Integer, Reader, Text};
use crate::protobuf::read::Wire;

impl Decode for String {
    #[inline]
    fn blank() -> Self {
        Self::new()
    }

    #[inline]
    fn reset(&mut self) {
        self.clear();
    }

    #[inline]
    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        match reader.text()? {
            Text::Plain(text) if has_room(self, text.len()) => {
                self.clear();
                self.push_str(text);
            }
            Text::Plain(text) => *self = text.to_owned(),
            Text::Unescaped(text) => *self = text,
        }
        Ok(())
    }

    #[inline]
    fn protobuf(&mut self, wire: Wire<'_>, _: &mut Fields<'_>) -> Result<(), Declined> {
        let came = bytes(wire)?;
        // Objects of one kind have much in common, and what is the same is not checked again.
        if self.as_bytes() == came {
            return Ok(());
        }
        let copy = if has_room(self, came.len()) {
            let mut memory = std::mem::take(self).into_bytes();
            memory.clear();
            memory.extend_from_slice(came);
            memory
        } else {
            came.to_vec()
        };
        // Checked behind the copy, which is aligned: that goes by words from the first byte on.
        *self = Self::from_utf8(copy).map_err(|_| Declined)?;
        Ok(())
    }

    #[inline]
    fn is_empty(wire: Wire<'_>) -> bool {
        matches!(wire, Wire::Bytes([]))
    }
}

/// Whether the memory of a text serves for another of this length, without being far too much for it.
#[inline]
fn has_room(text: &String, length: usize) -> bool {
    text.capacity() >= length && text.capacity() <= 2 * length + 64
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
