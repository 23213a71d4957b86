//! Why bytes are not an object, or an object has no bytes.
//!
//! Invariant: an error says which field of which type it is about and what was expected there, and never what stood
//! there: the object may be a Secret.

use std::fmt;

use serde::{de, ser};

/// Why something could not be read from protobuf or written to it.
// Boxed: hundreds of results per object are passed on with room for an error that never comes.
#[derive(Debug)]
pub struct ProtobufError(Box<Failure>);

#[derive(Debug)]
struct Failure {
    /// From the innermost field outwards.
    path: Vec<&'static str>,
    why: Why,
}

#[derive(Debug)]
enum Why {
    /// The bytes are not protobuf, or not of this type.
    Malformed(&'static str),
    TooDeep(usize),
    NoEnvelope,
    NotProtobuf(String),
    UnknownKind {
        api_version: String,
        kind: String,
    },
    Expected(String),
}

impl ProtobufError {
    #[cold]
    pub(super) fn malformed(what: &'static str) -> Self {
        Why::Malformed(what).into()
    }

    pub(super) fn too_deep(limit: usize) -> Self {
        Why::TooDeep(limit).into()
    }

    pub(super) fn no_envelope() -> Self {
        Why::NoEnvelope.into()
    }

    /// The envelope holds something of another media type.
    pub(super) fn not_protobuf(content_type: &str) -> Self {
        Why::NotProtobuf(content_type.to_owned()).into()
    }

    pub(super) fn unknown_kind(api_version: &str, kind: &str) -> Self {
        Why::UnknownKind { api_version: api_version.to_owned(), kind: kind.to_owned() }.into()
    }

    pub(crate) fn expected(what: impl fmt::Display) -> Self {
        Why::Expected(format!("expected {what}")).into()
    }

    /// The same, one field further out.
    #[cold]
    pub(super) fn at(mut self, field: &'static str) -> Self {
        self.0.path.push(field);
        self
    }

    /// Whether the kind is one that protobuf has no form for: a custom resource, or one of a newer Kubernetes.
    pub fn is_unknown_kind(&self) -> bool {
        matches!(self.0.why, Why::UnknownKind { .. })
    }
}

impl From<Why> for ProtobufError {
    fn from(why: Why) -> Self {
        Self(Box::new(Failure { path: Vec::new(), why }))
    }
}

impl fmt::Display for ProtobufError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { path, why } = &*self.0;
        for (place, field) in path.iter().rev().enumerate() {
            write!(f, "{}{field}", if place == 0 { "" } else { "." })?;
        }
        if !path.is_empty() {
            f.write_str(": ")?;
        }
        match why {
            Why::Malformed(what) => write!(f, "malformed protobuf: {what}"),
            Why::TooDeep(limit) => write!(f, "nested deeper than {limit} levels"),
            Why::NoEnvelope => f.write_str("the body does not begin as Kubernetes' protobuf does"),
            Why::NotProtobuf(content_type) => write!(f, "the envelope holds {content_type:?} and no protobuf"),
            Why::UnknownKind { api_version, kind } => {
                write!(f, "{kind:?} of {api_version:?} has no protobuf form here; ask for it as JSON")
            }
            Why::Expected(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for ProtobufError {}

impl de::Error for ProtobufError {
    /// The message may quote the object, and is not kept.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::expected("another value")
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::expected(expected)
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::expected(expected)
    }

    fn invalid_length(_: usize, expected: &dyn de::Expected) -> Self {
        Self::expected(expected)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::expected(format_args!("one of {expected:?}"))
    }

    fn missing_field(field: &'static str) -> Self {
        Why::Expected(format!("missing field `{field}`")).into()
    }
}

impl ser::Error for ProtobufError {
    /// What types say when they cannot be written, and what a JSON reader says: both name places.
    fn custom<T: fmt::Display>(message: T) -> Self {
        Why::Expected(message.to_string()).into()
    }
}
