//! Built-in objects as Go types: what kube-apiserver makes of JSON when it reads and writes it.
//!
//! ```text
//!   bytes ──read──► Value, unknown and duplicate fields ──default──► Value ──print──► Value as it is stored
//! ```
//! In: JSON and a [`Type`] of the fact tables. Out: JSON that has the fields of the type and no others, quantities and
//! times in their one spelling, zeros written or left out as Go does it. Reading refuses values of the wrong type with
//! Go's words. It knows nothing of custom resources, which have schemas instead.

mod defaults;
mod go_base64;
pub(crate) mod go_errors;
mod go_text;
mod print;
mod read;

use pintle_wire::facts::{self, Type};
use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;

pub(crate) use pintle_cel::quantity;
pub(crate) use print::print;
pub(crate) use read::{Read, Trouble, convert, read, read_free, reread};

/// The type of a kind's objects, if it is built in.
pub(crate) fn of_kind(kind: &Kind) -> Option<&'static Type> {
    if kind.is_custom() { None } else { facts::kind(&kind.group, &kind.version, &kind.kind) }
}

/// Fills in what an object means and does not say, where the kind is built in.
pub(crate) fn fill_in(target: &ResolvedTarget, object: &mut Object) {
    if let Some(kind) = of_body(target) {
        object.change(|value| defaults::fill(kind, value));
    }
}

/// Fills in what a value of a kind means and does not say.
pub(crate) fn fill_value(kind: &Kind, value: &mut Value) {
    of_kind(kind).into_iter().for_each(|kind| defaults::fill(kind, value));
}

/// Gives an object the shape in which it is stored: zeros as Go writes them, where the kind is built in.
pub(crate) fn finish(kind: &Kind, object: &mut Object) {
    if let Some(kind) = of_kind(kind) {
        object.change(|value| print(kind, value));
    }
}

/// The type of a body that is sent to a target, if it is built in; a scale is, whatever it scales.
pub(crate) fn of_body(target: &ResolvedTarget) -> Option<&'static Type> {
    let (api_version, kind) = target.body_type();
    if target.kind.is_custom() && kind == target.kind.kind { None } else { facts::kind_of(&api_version, kind) }
}
