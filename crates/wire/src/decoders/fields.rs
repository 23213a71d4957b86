//! The fields of one message, taken one after the other.
//!
//! It keeps which numbers it has seen: a field in several pieces is for serde.

use crate::json::{Declined, ManagedFields};
use crate::protobuf::read::{Wire, take_field};

/// What is left of a message.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    /// That of the field taken last.
    number: u32,
    /// By bit: the numbers of the known fields that were taken.
    seen: u64,
    place: Place,
    /// Whether what it is read into may hold something else.
    overwrites: bool,
}

/// Where in an object a message stands, as far as its managed fields are concerned.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Place {
    /// It is the object, whose managed fields are skipped.
    Object,
    /// It is its metadata, or stands beside it.
    Metadata,
    /// Nothing is skipped in it.
    Elsewhere,
}

impl<'a> Fields<'a> {
    /// Those of a whole object.
    pub(super) fn of_object(message: &'a [u8], managed_fields: ManagedFields, overwrites: bool) -> Self {
        let place = match managed_fields {
            ManagedFields::Read => Place::Elsewhere,
            ManagedFields::Skipped => Place::Object,
        };
        Self { rest: message, number: 0, seen: 0, place, overwrites }
    }

    /// Those of a message that was not sent.
    pub(super) const fn none() -> Self {
        Self { rest: &[], number: 0, seen: 0, place: Place::Elsewhere, overwrites: true }
    }

    /// Those of a message in a field of this one.
    #[inline]
    pub(super) fn within<'b>(&self, wire: Wire<'b>) -> Result<Fields<'b>, Declined> {
        let place = if self.place == Place::Object { Place::Metadata } else { Place::Elsewhere };
        Ok(Fields { rest: bytes(wire)?, number: 0, seen: 0, place, overwrites: self.overwrites })
    }

    /// Takes the next one. Inlined, so that what it takes stays in registers: a call would hand it over in memory, several
    /// hundred times for each object.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Result<Option<(u32, Wire<'a>)>, Declined> {
        let taken = take_field(&mut self.rest).map_err(|_| Declined)?;
        if let Some((number, _)) = taken {
            self.number = number;
        }
        Ok(taken)
    }

    /// Notes that the field of this number was taken, which must be for the first time.
    #[inline]
    pub(super) fn note(&mut self, number: u32) -> Result<(), Declined> {
        let bit = 1 << number;
        if self.seen & bit != 0 {
            return Err(Declined);
        }
        self.seen |= bit;
        Ok(())
    }

    /// Whether the field of this number was taken.
    #[inline]
    pub(super) const fn has(&self, number: u32) -> bool {
        self.seen & (1 << number) != 0
    }

    /// How many fields of the same number follow at once.
    #[inline]
    pub(super) fn same_count(&self) -> Result<usize, Declined> {
        let (mut rest, mut count) = (self.rest, 0);
        while let Some((number, _)) = take_field(&mut rest).map_err(|_| Declined)? {
            if number != self.number {
                break;
            }
            count += 1;
        }
        Ok(count)
    }

    /// Whether what it is read into may hold something else.
    #[inline]
    pub(super) const fn overwrites(&self) -> bool {
        self.overwrites
    }

    /// Whether this is metadata whose managed fields are skipped.
    #[inline]
    pub(super) fn skips_managed_fields(&self) -> bool {
        self.place == Place::Metadata
    }
}

/// The bytes of a field that carries bytes.
#[inline]
pub(super) fn bytes(wire: Wire<'_>) -> Result<&[u8], Declined> {
    match wire {
        Wire::Bytes(bytes) => Ok(bytes),
        Wire::Varint(_) | Wire::Fixed64(_) | Wire::Fixed32 => Err(Declined),
    }
}

/// The number of a field that carries one.
#[inline]
pub(super) fn varint(wire: Wire<'_>) -> Result<u64, Declined> {
    match wire {
        Wire::Varint(number) => Ok(number),
        Wire::Bytes(_) | Wire::Fixed64(_) | Wire::Fixed32 => Err(Declined),
    }
}

/// The text of a field. What is not UTF-8 has a reading of its own, which is serde's to give.
#[inline]
pub(super) fn text(wire: Wire<'_>) -> Result<&str, Declined> {
    std::str::from_utf8(bytes(wire)?).map_err(|_| Declined)
}
