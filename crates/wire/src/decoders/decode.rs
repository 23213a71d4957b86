//! What can be read into its place.

use super::fields::Fields;
use crate::json::{Declined, Reader};
use crate::protobuf::read::Wire;

/// A value that is read into its place. Whatever that holds is overwritten, and its memory used again: the texts and lists of
/// another object are mostly as long as those that come.
///
/// What is read is what serde reads, in protobuf through the JSON that Go would have written; everything else is declined, and
/// what the place holds then does not matter.
pub(super) trait Decode: Sized {
    /// What serde makes of a field that is not there.
    fn blank() -> Self;

    /// Becomes [`blank`](Self::blank).
    #[inline]
    fn reset(&mut self) {
        *self = Self::blank();
    }

    /// Reads the next value of a JSON text.
    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined>;

    /// Reads the value of a field, or of the elements that come with it.
    fn protobuf(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined>;

    /// The same of a field that Go's JSON leaves out when it is empty.
    #[inline]
    fn protobuf_unless_empty(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        self.protobuf(wire, fields)
    }

    /// Becomes what Go's JSON has for a field that it always has, and that was not sent.
    #[inline]
    fn zero(&mut self) -> Result<(), Declined> {
        self.reset();
        Ok(())
    }

    /// Whether Go calls it empty. A struct never is.
    #[inline]
    fn is_empty(_: Wire<'_>) -> bool {
        false
    }

    /// Reads the value of a field that may be absent; some types have a value that JSON writes as `null`.
    #[inline]
    fn optional(place: &mut Option<Self>, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        place.get_or_insert_with(Self::blank).protobuf(wire, fields)
    }

    /// [`zero`](Self::zero) of a field that may be absent.
    #[inline]
    fn optional_zero(place: &mut Option<Self>) -> Result<(), Declined> {
        place.get_or_insert_with(Self::blank).zero()
    }
}

/// A value of fields.
pub(super) trait Message: Decode {
    /// Reads the fields of a message.
    fn message(&mut self, fields: Fields<'_>) -> Result<(), Declined>;
}

/// An object that says its kind.
pub(super) trait Object: Message {
    /// Its type in OpenAPI documents.
    const DEFINITION: &'static str;
    /// Group and version, as it says them itself.
    const API_VERSION: &'static str;
    /// Its kind.
    const KIND: &'static str;
}
