//! Tests of this crate from outside.

#[path = "wire/golden.rs"]
mod golden;
