//! What a server answers when it does not answer with an object: success, or what went wrong and why.
//!
//! The questions a program asks about it ([`Status::is_conflict`] and its siblings) are in `response/questions.rs`.

pub mod conflicts;
pub mod document;
mod questions;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::metadata::ListMeta;

/// The outcome of a call, as the server reports it.
///
/// It is written as a part of another document, without `kind` and `apiVersion`; as a document of its own it is a
/// [`Document`](document::Document).
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Status {
    /// Success or failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusSummary>,
    /// The HTTP code.
    #[serde(skip_serializing_if = "no_code")]
    pub code: u16,
    /// For people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// A fresh continue token, where an old one expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<ListMeta>,
    /// For programs, one of [`reason`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Which object, and what about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<StatusDetails>,
}

/// Whether the call did what it should.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum StatusSummary {
    /// It did.
    Success,
    /// It did not.
    Failure,
}

/// Which object a [`Status`] is about, and what about it.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatusDetails {
    /// The object's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The API group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The plural, or for invalid objects the kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The object's uid.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// What in particular.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<StatusCause>,
    /// Seconds after which trying again may help; 0 for no advice.
    #[serde(skip_serializing_if = "is_zero")]
    pub retry_after_seconds: u32,
}

fn is_zero(seconds: &u32) -> bool {
    *seconds == 0
}

/// One particular of a [`Status`].
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct StatusCause {
    /// For programs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// For people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The field at fault.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
}

impl Status {
    /// It worked.
    pub fn success() -> Self {
        Self { status: Some(StatusSummary::Success), ..Self::default() }
    }

    /// It did not: a sentence for people and a [`reason`] for programs.
    pub fn failure(message: &str, reason: &str) -> Self {
        Self {
            status: Some(StatusSummary::Failure),
            message: message.to_owned(),
            reason: reason.to_owned(),
            ..Self::default()
        }
    }

    /// With the HTTP code.
    #[must_use]
    pub fn with_code(mut self, code: u16) -> Self {
        self.code = code;
        self
    }

    /// With the object it is about.
    #[must_use]
    pub fn with_details(mut self, details: StatusDetails) -> Self {
        self.details = Some(details);
        self
    }

    /// On the heap, as errors carry it.
    pub fn boxed(self) -> Box<Self> {
        Box::new(self)
    }

    /// Whether it worked.
    pub fn is_success(&self) -> bool {
        self.status == Some(StatusSummary::Success)
    }

    /// Whether it did not.
    pub fn is_failure(&self) -> bool {
        self.status == Some(StatusSummary::Failure)
    }
}

fn no_code(code: &u16) -> bool {
    *code == 0
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.message, self.reason)
    }
}

impl std::error::Error for Status {}

/// The old name of [`Status`].
#[deprecated = "use `Status`"]
pub type ErrorResponse = Status;

/// The reasons a server gives.
pub mod reason {
    /// The request was not understood.
    pub const BAD_REQUEST: &str = "BadRequest";
    /// The caller is unknown.
    pub const UNAUTHORIZED: &str = "Unauthorized";
    /// The caller may not do that.
    pub const FORBIDDEN: &str = "Forbidden";
    /// There is no such object.
    pub const NOT_FOUND: &str = "NotFound";
    /// The verb is not possible there.
    pub const METHOD_NOT_ALLOWED: &str = "MethodNotAllowed";
    /// The form asked for cannot be served.
    pub const NOT_ACCEPTABLE: &str = "NotAcceptable";
    /// The object is there already.
    pub const ALREADY_EXISTS: &str = "AlreadyExists";
    /// Another client changed the object first.
    pub const CONFLICT: &str = "Conflict";
    /// What was asked for is gone for good.
    pub const GONE: &str = "Gone";
    /// The version asked for is no longer known.
    pub const EXPIRED: &str = "Expired";
    /// The body is too large.
    pub const REQUEST_ENTITY_TOO_LARGE: &str = "RequestEntityTooLarge";
    /// The body's media type is not understood.
    pub const UNSUPPORTED_MEDIA_TYPE: &str = "UnsupportedMediaType";
    /// The object is not valid.
    pub const INVALID: &str = "Invalid";
    /// Ask less often.
    pub const TOO_MANY_REQUESTS: &str = "TooManyRequests";
    /// The server failed.
    pub const INTERNAL_ERROR: &str = "InternalError";
    /// The server cannot answer now.
    pub const SERVICE_UNAVAILABLE: &str = "ServiceUnavailable";
    /// The server took too long; the call may have been executed.
    pub const TIMEOUT: &str = "Timeout";
    /// The server took too long and did nothing.
    pub const SERVER_TIMEOUT: &str = "ServerTimeout";
    /// An object could not be read from the storage.
    pub const STORAGE_READ_ERROR: &str = "StorageReadError";
    /// Unknown.
    pub const UNKNOWN: &str = "";

    /// Every reason that says something.
    pub const ALL: &[&str] = &[
        BAD_REQUEST,
        UNAUTHORIZED,
        FORBIDDEN,
        NOT_FOUND,
        METHOD_NOT_ALLOWED,
        NOT_ACCEPTABLE,
        ALREADY_EXISTS,
        CONFLICT,
        GONE,
        EXPIRED,
        REQUEST_ENTITY_TOO_LARGE,
        UNSUPPORTED_MEDIA_TYPE,
        INVALID,
        TOO_MANY_REQUESTS,
        INTERNAL_ERROR,
        SERVICE_UNAVAILABLE,
        TIMEOUT,
        SERVER_TIMEOUT,
        STORAGE_READ_ERROR,
    ];

    /// Whether `reason` is one of [`ALL`].
    pub fn is_known(reason: &str) -> bool {
        ALL.contains(&reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_written_as_a_part_or_as_a_document() {
        let status = Status::failure("pods \"a\" not found", reason::NOT_FOUND)
            .with_code(404)
            .with_details(StatusDetails { name: "a".into(), kind: "pods".into(), ..StatusDetails::default() });
        assert_eq!(
            serde_json::to_string(&status).unwrap(),
            r#"{"status":"Failure","code":404,"message":"pods \"a\" not found","reason":"NotFound","details":{"name":"a","kind":"pods"}}"#
        );
        let document = serde_json::to_string(&document::Document(&status)).unwrap();
        assert_eq!(
            document,
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \"a\" not found","reason":"NotFound","details":{"name":"a","kind":"pods"},"code":404}"#
        );
        assert_eq!(serde_json::from_str::<Status>(&document).unwrap().details, status.details);
    }
}
