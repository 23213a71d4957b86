//! Protobuf's own grammar: tags, varints and lengths. It knows no types.
//!
//! In: bytes. Out: one field after the other as its number and what it carries. Groups, which are not written any more,
//! are malformed.

use super::error::ProtobufError;

/// What a field carries.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    /// No field of Kubernetes is one; it can be gone past.
    Fixed32,
    Bytes(&'a [u8]),
}

impl<'a> Wire<'a> {
    /// Its bytes; none if it is a number.
    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Varint(_) | Self::Fixed64(_) | Self::Fixed32 => &[],
        }
    }

    /// Its number; zero if it is bytes.
    pub(crate) fn varint(self) -> u64 {
        match self {
            Self::Varint(number) => number,
            Self::Fixed64(_) | Self::Fixed32 | Self::Bytes(_) => 0,
        }
    }
}

/// Takes the next field off `rest`; `None` at its end.
#[inline(always)]
pub(crate) fn take_field<'a>(rest: &mut &'a [u8]) -> Result<Option<(u32, Wire<'a>)>, ProtobufError> {
    // Nearly every field: its number is below 16, its length or value below 128, so that each takes one byte.
    if let [tag @ 8..0x80, first @ 0..0x80, after @ ..] = *rest {
        let number = u32::from(*tag >> 3);
        match tag & 7 {
            0 => {
                *rest = after;
                return Ok(Some((number, Wire::Varint(u64::from(*first)))));
            }
            2 => {
                if let Some((bytes, behind)) = after.split_at_checked(usize::from(*first)) {
                    *rest = behind;
                    return Ok(Some((number, Wire::Bytes(bytes))));
                }
            }
            _ => {}
        }
    }
    take_any_field(rest)
}

fn take_any_field<'a>(rest: &mut &'a [u8]) -> Result<Option<(u32, Wire<'a>)>, ProtobufError> {
    match **rest {
        [] => return Ok(None),
        // Nearly every other field: more than 127 bytes,
        [tag @ 8..0x80, low @ 0x80..=0xff, high @ 0..0x80, ref after @ ..] if tag & 7 == 2 => {
            if let Some((bytes, behind)) = after.split_at_checked(two_bytes(low, high)) {
                *rest = behind;
                return Ok(Some((u32::from(tag >> 3), Wire::Bytes(bytes))));
            }
        }
        // or a number from 16 on.
        [low @ 0x80..=0xff, high @ 1..0x80, length @ 0..0x80, ref after @ ..] if low & 7 == 2 => {
            if let Some((bytes, behind)) = after.split_at_checked(usize::from(length)) {
                *rest = behind;
                return Ok(Some(((two_bytes(low, high) >> 3) as u32, Wire::Bytes(bytes))));
            }
        }
        [low @ 0x80..=0xff, high @ 1..0x80, value @ 0..0x80, ref after @ ..] if low & 7 == 0 => {
            *rest = after;
            return Ok(Some(((two_bytes(low, high) >> 3) as u32, Wire::Varint(u64::from(value)))));
        }
        _ => {}
    }
    let tag = take_varint(rest)?;
    let number = u32::try_from(tag >> 3).map_err(|_| ProtobufError::malformed("a field number out of range"))?;
    if number == 0 {
        return Err(ProtobufError::malformed("a field without a number"));
    }
    let wire = match tag & 7 {
        0 => Wire::Varint(take_varint(rest)?),
        1 => Wire::Fixed64(u64::from_le_bytes(take_array(rest)?)),
        2 => Wire::Bytes(take_bytes(rest)?),
        5 => take_array::<4>(rest).map(|_| Wire::Fixed32)?,
        _ => return Err(ProtobufError::malformed("an unknown wire type")),
    };
    Ok(Some((number, wire)))
}

/// The value of a varint of two bytes.
#[inline]
const fn two_bytes(low: u8, high: u8) -> usize {
    (low & 0x7f) as usize | (high as usize) << 7
}

/// What stands before the content of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) number: u32,
    /// Whether the content is bytes, and no number.
    pub(crate) is_bytes: bool,
    /// How many bytes tag and length take.
    pub(crate) bytes: usize,
    /// How many bytes follow.
    pub(crate) content: usize,
}

/// Reads the beginning of a field of which not everything may be there yet; `None` if too little is.
pub(crate) fn take_head(bytes: &[u8]) -> Result<Option<Head>, ProtobufError> {
    let mut rest = bytes;
    let Some(tag) = take_partial_varint(&mut rest)? else { return Ok(None) };
    let number = u32::try_from(tag >> 3).map_err(|_| ProtobufError::malformed("a field number out of range"))?;
    if number == 0 {
        return Err(ProtobufError::malformed("a field without a number"));
    }
    let taken = bytes.len() - rest.len();
    let head = |bytes, content| Some(Head { number, is_bytes: tag & 7 == 2, bytes, content });
    Ok(match tag & 7 {
        0 => take_partial_varint(&mut rest)?.and_then(|_| head(taken, bytes.len() - rest.len() - taken)),
        1 => head(taken, 8),
        2 => take_partial_varint(&mut rest)?
            .and_then(|length| head(bytes.len() - rest.len(), usize::try_from(length).unwrap_or(usize::MAX))),
        5 => head(taken, 4),
        _ => return Err(ProtobufError::malformed("an unknown wire type")),
    })
}

/// A varint, or `None` if more of it is to come.
fn take_partial_varint(rest: &mut &[u8]) -> Result<Option<u64>, ProtobufError> {
    let is_partial = rest.len() < 10 && rest.iter().all(|byte| *byte >= 0x80);
    if is_partial { Ok(None) } else { take_varint(rest).map(Some) }
}

/// The last field of this number in `message`, which is how protobuf reads a field that comes twice.
pub(crate) fn last_of(message: &[u8], wanted: u32) -> Result<Option<Wire<'_>>, ProtobufError> {
    let mut rest = message;
    let mut found = None;
    while let Some((number, wire)) = take_field(&mut rest)? {
        if number == wanted {
            found = Some(wire);
        }
    }
    Ok(found)
}

/// Takes a number of up to 64 bits, seven of them to a byte.
#[inline]
pub(crate) fn take_varint(rest: &mut &[u8]) -> Result<u64, ProtobufError> {
    if let [byte @ 0..0x80, after @ ..] = *rest {
        *rest = after;
        return Ok(u64::from(*byte));
    }
    take_long_varint(rest)
}

fn take_long_varint(rest: &mut &[u8]) -> Result<u64, ProtobufError> {
    let mut value = 0_u64;
    for (place, &byte) in rest.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            if place == 9 && byte > 1 {
                break;
            }
            *rest = &rest[place + 1..];
            return Ok(value);
        }
    }
    Err(ProtobufError::malformed("a number that does not end"))
}

/// Takes a length and so many bytes.
#[inline]
pub(crate) fn take_bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], ProtobufError> {
    let length = take_varint(rest)?;
    let taken = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    let Some((bytes, after)) = taken else {
        return Err(ProtobufError::malformed("a length beyond the end"));
    };
    *rest = after;
    Ok(bytes)
}

fn take_array<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], ProtobufError> {
    let Some((bytes, after)) = rest.split_first_chunk() else {
        return Err(ProtobufError::malformed("a number that does not end"));
    };
    *rest = after;
    Ok(*bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_field_is_taken() {
        let mut rest: &[u8] = &[
            0x08, 0x96, 0x01, 0x11, 1, 0, 0, 0, 0, 0, 0, 0, 0x1a, 2, b'h', b'i', 0x25, 7, 0, 0, 0, 0x2a, 0, 0x80, 1, 5,
            0x82, 1, 1, b'a', 0x80, 1, 0x96, 1,
        ];
        let mut taken = Vec::new();
        while let Some((number, wire)) = take_field(&mut rest).unwrap() {
            taken.push(format!("{number} {wire:?}"));
        }
        let small = ["1 Varint(150)", "2 Fixed64(1)", "3 Bytes([104, 105])", "4 Fixed32", "5 Bytes([])"];
        assert_eq!(taken[..5], small);
        assert_eq!(taken[5..], ["16 Varint(5)", "16 Bytes([97])", "16 Varint(150)"]);
    }

    #[test]
    fn negative_numbers_take_ten_bytes_and_no_more() {
        let mut rest: &[u8] = &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(take_varint(&mut rest).unwrap(), u64::MAX);
        let mut longer: &[u8] = &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        take_varint(&mut longer).unwrap_err();
    }

    #[test]
    fn what_breaks_off_is_malformed_and_never_read_beyond() {
        for bytes in [&[0x08][..], &[0x80], &[0x11, 1, 2], &[0x0a, 5, 1], &[0x0b], &[0x0c], &[0x00, 0x00], &[0x25, 1]] {
            let mut rest = bytes;
            take_field(&mut rest).unwrap_err();
        }
    }

    #[test]
    fn the_last_field_of_a_number_counts() {
        assert_eq!(last_of(&[0x08, 1, 0x10, 9, 0x08, 2], 1).unwrap().unwrap().varint(), 2);
        assert!(last_of(&[0x08, 1], 2).unwrap().is_none());
    }
}
