//! What programs can use of some crates, one line per item, from rustdoc's JSON.
//!
//! ```text
//!   arguments, remembered ─► rustdoc (JSON) ─► World: names and definitions ─► Facts
//!   one set per crate                          through all re-exports           a line each
//! ```
//!
//! A fact is one thing a program can rely on: a path, a signature with its bounds, a public field, a variant with its
//! payload, an implementation of a trait, `non_exhaustive`. Equal things are spelled alike: type parameters by position,
//! aliases expanded, lifetimes left out.
//!
//! Two programs use it: `conformance/dropin/items` compares kube's items with ours, and `cargo xtask public-api` writes
//! ours down. Reading order: `documentation` (rustdoc), `world` (what each path leads to), `spelling` (types as text),
//! `facts`, `listing`.

mod documentation;
mod facts;
mod listing;
mod spelling;
mod world;

pub use facts::{Fact, Facts};
pub use listing::listing;
pub use spelling::Names;
pub use world::{Meaning, World};

/// What goes wrong here ends the run.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
