//! Which decoder a type has: decided where the type is known, so that a program has the decoders of the kinds it reads and no others.
//!
//! In: a place, whose type the compiler knows. Out: what the decoder of that type has filled it with, or nothing if it has none. The
//! comparisons of types are done by the compiler, and what they leave is a call; the decoders themselves are compiled
//! in this crate, once.

use std::any::{Any, TypeId};

use super::decode::Object;
use crate::body::Body;
use crate::json::Declined;

/// The decoders, by a name and the kind of each.
macro_rules! decoders {
    ($($name:ident: $kind:ty,)*) => {
        $(
            #[inline(never)]
            fn $name(object: &mut $kind, body: Body<'_>, overwrites: bool) -> Result<(), Declined> {
                super::fill(object, body, overwrites)
            }
        )*

        /// Whether `K` has one.
        #[inline]
        pub(super) fn has<K: 'static>() -> bool {
            false $(|| TypeId::of::<K>() == TypeId::of::<$kind>())*
        }

        /// Decodes into `place`, an object whose kind has a decoder or the place of one.
        pub(super) fn fill<P: 'static>(place: &mut P, body: Body<'_>) -> Result<(), Declined> {
            $(
                if let Some(filled) = fill_if(place, body, $name) {
                    return filled;
                }
            )*
            Err(Declined)
        }
    };
}

/// Decodes into `place` by `decoder` if that is an `O` or the place of one, and says whether it is.
#[inline(always)]
pub(super) fn fill_if<P: 'static, O: Object + 'static>(
    place: &mut P,
    body: Body<'_>,
    decoder: impl FnOnce(&mut O, Body<'_>, bool) -> Result<(), Declined>,
) -> Option<Result<(), Declined>> {
    let place_type = TypeId::of::<P>();
    if place_type == TypeId::of::<Option<O>>() {
        let place = (place as &mut dyn Any).downcast_mut::<Option<O>>()?;
        return Some(decoder(place.insert(O::blank()), body, false));
    }
    if place_type == TypeId::of::<O>() {
        return Some(decoder((place as &mut dyn Any).downcast_mut::<O>()?, body, true));
    }
    None
}
