//! The kinds that programs read most, decoded field by field into their place, without serde.
//!
//! ```text
//!   bytes ─► decoders ─┬─► a value, nearly always          no visitor, no field looked up twice, no struct moved up
//!                      └─► None: serde reads it all again and has the last word
//! ```
//! In: the bytes of an object, and the type that is wanted. Out: what serde makes of them, or nothing: at whatever is wrong,
//! odd or rare (a field that comes twice, text that is not UTF-8, another kind) a decoder declines, so that errors and odd
//! values are always serde's. Which field has which name and number is in the [tables](tables), which are generated; the Rust
//! type of a field chooses how it is read.
//!
//! Reading order: `dispatch` (which type has which), `decode` (the seam), `message` (what a table becomes), `names`, `fields`, then `scalars`, `collections`,
//! `special`.

mod collections;
mod decode;
#[macro_use]
mod dispatch;
mod fields;
#[macro_use]
mod message;
mod names;
mod scalars;
mod special;
mod tables;

use crate::body::{Body, Encoding};
use crate::json::{Declined, ManagedFields, Reader};
use decode::Object;
use fields::Fields;

/// Whether a type has a decoder; known when a program is compiled, so that it holds no other way to read the type.
#[inline]
pub(crate) fn has<K: 'static>() -> bool {
    tables::has::<K>()
}

/// Decodes an object of a kind that has a decoder; `None` if `K` has none, or if this is for serde.
pub(crate) fn decode<K: 'static>(body: Body<'_>) -> Option<K> {
    let mut place: Option<K> = None;
    tables::fill(&mut place, body).ok()?;
    place
}

/// The same over another object, whose memory is used again; returns whether it was decoded. If not, what `place` holds is
/// neither of the two.
pub(crate) fn decode_over<K: 'static>(place: &mut K, body: Body<'_>) -> bool {
    tables::fill(place, body).is_ok()
}

fn fill<O: Object>(object: &mut O, body: Body<'_>, overwrites: bool) -> Result<(), Declined> {
    let managed_fields = if body.has_managed_fields() { ManagedFields::Read } else { ManagedFields::Skipped };
    match body.encoding() {
        Encoding::Json => {
            let text = std::str::from_utf8(body.bytes()).map_err(|_| Declined)?;
            let mut reader = Reader::new(text, managed_fields).overwriting(overwrites);
            object.json(&mut reader)?;
            reader.end()
        }
        Encoding::Protobuf(kind) => {
            let is_named_otherwise = body.names().is_some_and(|names| names != (O::API_VERSION, O::KIND));
            if kind.name() != O::DEFINITION || is_named_otherwise {
                return Err(Declined);
            }
            object.message(Fields::of_object(body.bytes(), managed_fields, overwrites))
        }
    }
}

#[cfg(test)]
mod tests;
