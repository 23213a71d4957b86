//! The typed merge behind server-side apply: who owns which field, what two states differ in, and what a state becomes
//! when somebody applies to it.
//!
//! ```text
//!              ┌────────── Schema: of a table of facts or of a definition ──────────┐
//!              ▼                      ▼                      ▼                      ▼
//!  value ─► owned ─► FieldSet   compare(a, b) ─► Changes   combine(live, applied)   without(value, FieldSet)
//!                       ▲
//!              FieldsV1 ⇄ text
//! ```
//! In: JSON values and a [`Schema`]. Out: values and sets of paths. Everything here is pure: it knows no request, no
//! manager and no time; those are in `managed`. Reading order: `path`, `set`, `fields_v1`, `schema`, then one file per
//! operation: `check`, `owned`, `compare`, `combine`, `remove`.

pub(crate) mod check;
pub(crate) mod combine;
pub(crate) mod compare;
pub(crate) mod fields_v1;
mod items;
pub(crate) mod owned;
pub(crate) mod path;
pub(crate) mod remove;
pub(crate) mod schema;
pub(crate) mod set;

pub(crate) use compare::Changes;
pub(crate) use path::Path;
pub(crate) use schema::Schema;
pub(crate) use set::FieldSet;
