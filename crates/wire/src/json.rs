//! JSON into types, in about three quarters of the instructions that `serde_json` takes.
//!
//! ```text
//!   text ─► Reader ─┬─► a value, usually                        strings are searched sixteen bytes at a time
//!                   └─► declined: serde_json reads it all again and has the last word
//! ```
//! In: text. Out: what `serde_json::from_str` makes of it, value or error. The reader knows what objects of a cluster
//! consist of and passes on what is rare (fractions, escapes, enums with contents) piece by piece; whatever it finds wrong it
//! declines, so that errors are always serde_json's. Of a field that the type does not have, only the brackets are looked at.

mod access;
mod deserializer;
mod reader;
mod text;

use serde::Deserialize;
use serde::de::DeserializeOwned;

pub(crate) use reader::{Declined, Integer, ManagedFields, Name, Reader, Text, beginning_of};

/// Decodes `text`.
///
/// # Errors
/// As `serde_json::from_str`.
pub(crate) fn decode<'de, T: Deserialize<'de>>(text: &'de str) -> serde_json::Result<T> {
    read(text, ManagedFields::Read).or_else(|Declined| serde_json::from_str(text))
}

/// Decodes an object as if its `metadata.managedFields` were `null`; `None` if it cannot be read, or not here.
pub(crate) fn decode_without_managed_fields<T: DeserializeOwned>(text: &str) -> Option<T> {
    read(text, ManagedFields::Skipped).ok()
}

fn read<'de, T: Deserialize<'de>>(text: &'de str, managed_fields: ManagedFields) -> Result<T, Declined> {
    let mut reader = Reader::new(text, managed_fields);
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests;
