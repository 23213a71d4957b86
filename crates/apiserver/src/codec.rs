//! Objects and the bytes they travel in.
//!
//! ```text
//!  JSON, YAML ─► typed (a built-in kind as its Go type) ─► object ─► conversion ─► the version that is stored
//!                   read · default · print
//! ```
//! In: bytes or values. Out: an [`Object`](object::Object) with the fields of its type, its defaults, quantities and
//! times in their one spelling; and back again. Everything here is pure: it knows no request and no store. What the
//! schema of a definition does to custom resources is in `catalog/crd`.

pub(crate) mod conversion;
pub(crate) mod go_json;
pub(crate) mod object;
pub(crate) mod typed;
pub(crate) mod yaml;
