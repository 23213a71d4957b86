//! The envelope around every object that travels as protobuf: `k8s`, a zero, and a message that says of which kind the
//! object is and holds its bytes.

use super::error::ProtobufError;
use super::read::{Wire, take_field};
use super::write::{put_bytes, put_length_delimited};
use crate::facts::{self, Type};

/// What every envelope begins with.
pub const MAGIC: &[u8; 4] = b"k8s\0";

/// The numbers of the envelope's fields.
pub(crate) const TYPE_META: u32 = 1;
pub(crate) const RAW: u32 = 2;
const CONTENT_ENCODING: u32 = 3;
const CONTENT_TYPE: u32 = 4;

/// An object's kind and its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Envelope<'a> {
    /// Group and version.
    pub api_version: &'a str,
    /// The kind.
    pub kind: &'a str,
    /// The object.
    pub raw: &'a [u8],
}

impl<'a> Envelope<'a> {
    /// Opens an envelope.
    ///
    /// # Errors
    /// When the bytes are none, or hold something else than plain protobuf.
    pub fn open(body: &'a [u8]) -> Result<Self, ProtobufError> {
        let mut rest = body.strip_prefix(MAGIC).ok_or_else(ProtobufError::no_envelope)?;
        let mut envelope = Self::default();
        while let Some((number, wire)) = take_field(&mut rest)? {
            match number {
                TYPE_META => envelope.read_type_meta(wire)?,
                RAW => envelope.raw = wire.bytes(),
                CONTENT_ENCODING | CONTENT_TYPE if !wire.bytes().is_empty() => {
                    return Err(ProtobufError::not_protobuf(text(wire)?));
                }
                _ => {}
            }
        }
        Ok(envelope)
    }

    /// What the tables know of its kind.
    ///
    /// # Errors
    /// When they do not know it.
    pub fn type_of(&self) -> Result<&'static Type, ProtobufError> {
        known(self.api_version, self.kind)
    }

    /// Reads the message that says the kind.
    pub(crate) fn read_type_meta(&mut self, wire: Wire<'a>) -> Result<(), ProtobufError> {
        let mut rest = wire.bytes();
        while let Some((number, wire)) = take_field(&mut rest)? {
            match number {
                1 => self.api_version = text(wire)?,
                2 => self.kind = text(wire)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Puts the object into its envelope, as a server writes it.
    pub fn seal(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.raw.len() + self.api_version.len() + self.kind.len() + 32);
        body.extend_from_slice(MAGIC);
        put_length_delimited(&mut body, 1, |names| {
            put_bytes(names, 1, self.api_version.as_bytes());
            put_bytes(names, 2, self.kind.as_bytes());
        });
        put_bytes(&mut body, 2, self.raw);
        // A server writes the two empty fields too.
        put_bytes(&mut body, 3, b"");
        put_bytes(&mut body, 4, b"");
        body
    }
}

/// The type of a kind that has a protobuf form.
pub(super) fn known(api_version: &str, kind: &str) -> Result<&'static Type, ProtobufError> {
    facts::kind_of(api_version, kind)
        .filter(|found| found.has_protobuf())
        .ok_or_else(|| ProtobufError::unknown_kind(api_version, kind))
}

fn text(wire: Wire<'_>) -> Result<&str, ProtobufError> {
    std::str::from_utf8(wire.bytes()).map_err(|_| ProtobufError::malformed("an envelope's text"))
}
