//! The bytes of one object, and how they are read.

mod managed_fields;

use std::borrow::Cow;
use std::fmt;

use serde::de::DeserializeOwned;

use crate::decoders;
use crate::facts::Type;
use crate::json;
use crate::protobuf::{self, Envelope, ProtobufError};

/// What bodies are written in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MediaType {
    /// `application/json`.
    Json,
    /// Kubernetes' protobuf.
    Protobuf,
}

impl MediaType {
    /// What a Content-Type says, whatever its parameters; `None` for any other. No Content-Type counts as JSON.
    pub fn of(content_type: Option<&str>) -> Option<Self> {
        let named = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if named.is_empty() || named.eq_ignore_ascii_case("application/json") {
            Some(Self::Json)
        } else if named.eq_ignore_ascii_case(protobuf::MEDIA_TYPE) {
            Some(Self::Protobuf)
        } else {
            None
        }
    }
}

/// How the bytes of an object are read.
#[derive(Clone, Copy, Debug)]
pub enum Encoding {
    /// As JSON.
    Json,
    /// As the message of this type, without an envelope.
    Protobuf(&'static Type),
}

/// The bytes of one object.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    /// What the envelope said: group and version, kind.
    names: Option<(&'a str, &'a str)>,
    /// Whether its `metadata.managedFields` are decoded.
    has_managed_fields: bool,
}

/// Why bytes are not what was wanted. It never quotes them.
#[derive(Debug)]
#[non_exhaustive]
pub enum BodyError {
    /// As JSON they break off, or are of another type. The message of the source quotes them: do not print it.
    Json(serde_json::Error),
    /// As protobuf they are malformed, or of another type.
    Protobuf(ProtobufError),
}

impl<'a> Body<'a> {
    /// An object as JSON.
    pub const fn json(bytes: &'a [u8]) -> Self {
        Self { bytes, encoding: Encoding::Json, names: None, has_managed_fields: true }
    }

    /// An object as the message of this type, without an envelope.
    pub const fn protobuf(kind: &'static Type, bytes: &'a [u8]) -> Self {
        Self { bytes, encoding: Encoding::Protobuf(kind), names: None, has_managed_fields: true }
    }

    /// The object in an envelope.
    ///
    /// # Errors
    /// When it is not an envelope, or of a kind that the tables do not know.
    pub fn in_envelope(bytes: &'a [u8]) -> Result<Self, ProtobufError> {
        let envelope = Envelope::open(bytes)?;
        let encoding = Encoding::Protobuf(envelope.type_of()?);
        let names = Some((envelope.api_version, envelope.kind));
        Ok(Self { bytes: envelope.raw, encoding, names, has_managed_fields: true })
    }

    /// Whether its `metadata.managedFields` are decoded.
    pub const fn has_managed_fields(self) -> bool {
        self.has_managed_fields
    }

    /// What its envelope said: group and version, kind.
    pub(crate) const fn names(self) -> Option<(&'a str, &'a str)> {
        self.names
    }

    /// The bytes.
    pub const fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// How they are read.
    pub const fn encoding(self) -> Encoding {
        self.encoding
    }

    /// The object as JSON, however it came; `None` if it cannot be read.
    pub fn to_json(self) -> Option<Cow<'a, [u8]>> {
        match self.encoding {
            Encoding::Json => Some(Cow::Borrowed(self.bytes)),
            Encoding::Protobuf(kind) => protobuf::message_to_json(kind, self.bytes).ok().map(Cow::Owned),
        }
    }

    /// The same object as one that has no `metadata.managedFields`: decoding is about half the work, and half the memory.
    #[must_use]
    pub const fn without_managed_fields(self) -> Self {
        Self { has_managed_fields: false, ..self }
    }

    /// Decodes the object.
    ///
    /// # Errors
    /// When it is not a `K`.
    pub fn decode<K: DeserializeOwned>(self) -> Result<K, BodyError> {
        if !self.has_managed_fields {
            return self.decode_lean();
        }
        match self.encoding {
            Encoding::Json => decode_json(self.bytes).map_err(BodyError::Json),
            Encoding::Protobuf(kind) => {
                protobuf::decode_named(kind, self.bytes, self.names).map_err(BodyError::Protobuf)
            }
        }
    }
}

impl Body<'_> {
    /// Decodes the object, by a decoder made for its kind if there is one: the same in fewer instructions.
    ///
    /// # Errors
    /// When it is not a `K`.
    pub fn decode_object<K: DeserializeOwned + 'static>(self) -> Result<K, BodyError> {
        if !decoders::has::<K>() {
            return self.decode();
        }
        decoders::decode(self).map_or_else(|| self.decode_declined(), Ok)
    }

    /// Decodes what its decoder has declined, which is rare: by `serde_json` alone. Each way for serde to read a pod adds half a
    /// megabyte to a program.
    fn decode_declined<K: DeserializeOwned>(self) -> Result<K, BodyError> {
        let whole = Self { has_managed_fields: true, ..self };
        let lean = if self.has_managed_fields { None } else { managed_fields::without(whole) };
        let bytes = lean.as_deref().unwrap_or(self.bytes);
        match self.encoding {
            Encoding::Json => serde_json::from_slice(bytes).map_err(BodyError::Json),
            Encoding::Protobuf(kind) => {
                let json = protobuf::json_of(kind, bytes, self.names).map_err(BodyError::Protobuf)?;
                let not_one = |_| BodyError::Protobuf(ProtobufError::expected(std::any::type_name::<K>()));
                serde_json::from_slice(&json).map_err(not_one)
            }
        }
    }

    /// The same over another object; whether it was decoded. If not, `place` holds anything.
    pub(crate) fn decode_over<K: 'static>(self, place: &mut K) -> bool {
        decoders::decode_over(place, self)
    }

    fn decode_lean<K: DeserializeOwned>(self) -> Result<K, BodyError> {
        if let (Encoding::Json, Ok(text)) = (self.encoding, std::str::from_utf8(self.bytes))
            && let Some(object) = json::decode_without_managed_fields(text)
        {
            return Ok(object);
        }
        let whole = Self { has_managed_fields: true, ..self };
        match managed_fields::without(whole) {
            Some(lean) => Body { bytes: &lean, ..whole }.decode(),
            None => whole.decode(),
        }
    }
}

/// Checks once that it is UTF-8, and not again for each of hundreds of strings. What is not may still decode: strings that
/// `K` does not have are skipped unread.
fn decode_json<K: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<K> {
    match std::str::from_utf8(bytes) {
        Ok(text) => json::decode(text),
        Err(_) => serde_json::from_slice(bytes),
    }
}

/// An object as JSON.
impl<'a> From<&'a [u8]> for Body<'a> {
    fn from(json: &'a [u8]) -> Self {
        Self::json(json)
    }
}

impl fmt::Debug for Body<'_> {
    /// How much there is of it; the content may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Body({} bytes, {:?})", self.bytes.len(), self.encoding)
    }
}

impl fmt::Display for BodyError {
    /// Where it went wrong.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "line {}, column {}", error.line(), error.column()),
            Self::Protobuf(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BodyError {}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    #[test]
    fn bytes_that_are_not_text_matter_only_where_they_are_read() {
        let skipped = Body::json(b"{\"metadata\":{\"name\":\"a\"},\"unknown\":\"\xff\"}");
        assert_eq!(skipped.decode::<ConfigMap>().unwrap().metadata.name.as_deref(), Some("a"));
        let error = Body::json(b"{\"metadata\":{\"name\":\"\xff\"}}").decode::<ConfigMap>().unwrap_err();
        assert_eq!(error.to_string(), "line 1, column 22");
    }

    #[test]
    fn a_content_type_is_known_by_its_name_alone() {
        for (text, expected) in [
            (None, Some(MediaType::Json)),
            (Some(""), Some(MediaType::Json)),
            (Some("application/json; charset=utf-8"), Some(MediaType::Json)),
            (Some("Application/JSON;stream=watch"), Some(MediaType::Json)),
            (Some("application/vnd.kubernetes.protobuf;stream=watch"), Some(MediaType::Protobuf)),
            (Some("application/cbor"), None),
            (Some("text/html"), None),
        ] {
            assert_eq!(MediaType::of(text), expected, "{text:?}");
        }
    }
}
