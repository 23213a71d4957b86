//! Kubernetes' protobuf, both ways, by the [tables](crate::facts).
//!
//! ```text
//!   k8s\0 │ kind │ message     Envelope
//!                    │ ▲
//!        decode      ▼ │ encode            straight into a type and out of it: no tree, no JSON
//!                    K
//!                    │ ▲
//!        to_json     ▼ │ from_json         and where there is no type, the bytes of its JSON
//!                  JSON
//! ```
//! What comes out of a message is what a server would have said in JSON: a value that is empty and may be left out is
//! left out, one that may not is there although it was not sent. What goes into a message is what a server would have
//! sent, byte for byte. A custom resource has no protobuf form.
//!
//! Reading order: `read` and `write` (protobuf's own grammar), [`Envelope`], `de`, `order` (what becomes of a message that
//! does not decode at once), `ser`, `transcode`, `objects`.

mod de;
pub(crate) mod envelope;
mod error;
mod objects;
mod order;
pub(crate) mod read;
mod ser;
mod span;
mod time;
mod transcode;
pub(crate) mod write;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use envelope::{Envelope, MAGIC};
pub use error::ProtobufError;
pub use objects::edit_objects;

use crate::facts::Type;
use de::Message;
use ser::{Output, Slot};
use transcode::Transcoded;

/// The media type of an object, with which it is asked for and sent.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// Decodes a body: an object, a list or a `Status` in its envelope.
///
/// # Errors
/// When it is not protobuf, of a kind that the tables do not know, or not a `K`.
pub fn decode<K: DeserializeOwned>(body: &[u8]) -> Result<K, ProtobufError> {
    let envelope = Envelope::open(body)?;
    decode_named(envelope.type_of()?, envelope.raw, Some((envelope.api_version, envelope.kind)))
}

/// Decodes a message without its envelope, as it stands in a list.
///
/// # Errors
/// When it is not protobuf of this type, or not a `K`.
pub fn decode_message<K: DeserializeOwned>(kind: &'static Type, message: &[u8]) -> Result<K, ProtobufError> {
    decode_named(kind, message, None)
}

/// The same, of an object that says its group and version and its kind.
pub(crate) fn decode_named<K: DeserializeOwned>(
    kind: &'static Type,
    message: &[u8],
    names: Option<(&str, &str)>,
) -> Result<K, ProtobufError> {
    // What servers write decodes at once. What does not is gone over first, which brings its fields into order or says
    // what is wrong with them.
    K::deserialize(Message { kind, bytes: message, names }).or_else(|_| {
        let bytes = order::in_order(kind, message)?;
        K::deserialize(Message { kind, bytes: &bytes, names })
    })
}

/// Encodes an object of this kind, in its envelope.
///
/// # Errors
/// When the tables do not know the kind, or the object is not of it.
pub fn encode<K: Serialize + ?Sized>(api_version: &str, kind: &str, object: &K) -> Result<Vec<u8>, ProtobufError> {
    let raw = encode_message(envelope::known(api_version, kind)?, object)?;
    Ok(Envelope { api_version, kind, raw: &raw }.seal())
}

/// Encodes an object of this type, without an envelope.
///
/// # Errors
/// When the object is not of this type.
pub fn encode_message<K: Serialize + ?Sized>(kind: &'static Type, object: &K) -> Result<Vec<u8>, ProtobufError> {
    let mut out = Output::default();
    object.serialize(Slot::object(&mut out, kind))?;
    Ok(out.bytes)
}

/// The JSON of a body in its envelope, with its `apiVersion` and `kind`.
///
/// # Errors
/// When it is not protobuf, or of a kind that the tables do not know.
pub fn to_json(body: &[u8]) -> Result<Vec<u8>, ProtobufError> {
    let envelope = Envelope::open(body)?;
    json_of(envelope.type_of()?, envelope.raw, Some((envelope.api_version, envelope.kind)))
}

/// The JSON of a message without its envelope; it does not say its kind, as in a list.
///
/// # Errors
/// When it is not protobuf of this type.
pub fn message_to_json(kind: &'static Type, message: &[u8]) -> Result<Vec<u8>, ProtobufError> {
    json_of(kind, message, None)
}

/// The body, in its envelope, of an object given as JSON that says its `apiVersion` and `kind`.
///
/// # Errors
/// When it is not JSON, of a kind that the tables do not know, or not as that kind must be.
pub fn from_json(json: &[u8]) -> Result<Vec<u8>, ProtobufError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Names {
        #[serde(default)]
        api_version: String,
        #[serde(default)]
        kind: String,
    }
    let names: Names = serde_json::from_slice(json).map_err(<ProtobufError as serde::ser::Error>::custom)?;
    let raw = message_from_json(envelope::known(&names.api_version, &names.kind)?, json)?;
    Ok(Envelope { api_version: &names.api_version, kind: &names.kind, raw: &raw }.seal())
}

/// The message, without an envelope, of an object of this type given as JSON.
///
/// # Errors
/// When it is not JSON, or not as the type must be.
pub fn message_from_json(kind: &'static Type, json: &[u8]) -> Result<Vec<u8>, ProtobufError> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let message = encode_message(kind, &Transcoded::new(&mut reader))?;
    reader.end().map_err(<ProtobufError as serde::ser::Error>::custom)?;
    Ok(message)
}

/// The same, of an object that says its group and version and its kind.
pub(crate) fn json_of(
    kind: &'static Type,
    message: &[u8],
    names: Option<(&str, &str)>,
) -> Result<Vec<u8>, ProtobufError> {
    let bytes = order::in_order(kind, message)?;
    // Names and quotes make JSON about half as long again.
    let mut json = Vec::with_capacity(message.len() + message.len() / 2 + 64);
    let object = Transcoded::new(Message { kind, bytes: &bytes, names });
    serde_json::to_writer(&mut json, &object).map_err(<ProtobufError as serde::ser::Error>::custom)?;
    Ok(json)
}
