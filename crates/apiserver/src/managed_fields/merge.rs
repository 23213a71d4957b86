//! The typed merge behind server-side apply: who owns which field, what two states differ in, and what a state becomes
//! when a client applies to it.
//!
//! ```text
//!              ┌────────── Schema: of a table of facts or of a definition ──────────┐
//!              ▼                      ▼                      ▼                      ▼
//!  value ─► owned ─► FieldSet   compare(a, b) ─► Changes   combine(live, applied)   without(value, FieldSet)
//!                       ▲
//!        fieldsV1 ⇄ text (pintle_core::field_set)
//! ```
//! In: JSON values and a [`Schema`]. Out: values and sets of paths. Everything here is pure: it knows no request, no
//! manager and no time; those are in `managed`. Reading order: `pintle_core::field_set`, `schema`, then one file
//! per operation: `check`, `owned`, `declared`, `compare`, `combine`, `remove`.

pub(crate) mod check;
pub(crate) mod combine;
pub(crate) mod compare;
pub(crate) mod declared;
mod items;
pub(crate) mod owned;
pub(crate) mod remove;
pub(crate) mod schema;

pub(crate) use compare::Changes;
pub(crate) use pintle_core::field_set::{FieldPath, FieldSet};
pub(crate) use schema::Schema;
