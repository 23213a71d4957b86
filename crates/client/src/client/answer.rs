//! From an HTTP response to what was asked for, or to an error that says what came instead.
//!
//! A status of 400 and above becomes [`Error::Api`] with the server's own [`Status`] where it sent one. Decode errors
//! are rebuilt without the text they quote: a body may be a Secret, and errors end up in logs. Of a list they name the
//! object that it was (`answer/item.rs`).

pub(super) mod events;
mod excerpt;
mod item;
pub(super) mod reader;
pub(super) mod refusal;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request, Response, StatusCode, Uri};
use pintle_core::Status;
use pintle_core::response::reason;
use pintle_wire::{Body as ObjectBody, BodyError, Encoding, HeadReader, MediaType, protobuf};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::body::Body;

use crate::error::{Error, Result};
use excerpt::excerpt;
use refusal::{NO_STATUS, NO_SUCH_RESOURCE};

/// The most that is collected of a plain answer. One object is at most 3 MiB on the wire; a list of 5,000 pods is about
/// 60 MB. What is larger than this has to be listed in pages or would not fit beside its decoded form anyway.
const ANSWER_BYTES_MAX: usize = 512 * 1024 * 1024;

/// The most that is read of a refusal. A `Status` with a thousand causes is far below; a proxy's error page too.
const REFUSAL_BYTES_MAX: usize = 1024 * 1024;

/// What Go's HTTP server says of a path without a handler; client-go reads it as [`NO_SUCH_RESOURCE`].
const PAGE_NOT_FOUND: &[u8] = b"404 page not found";

/// A list or watch was answered in a format that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the server answered with Content-Type {content_type:?}, where only JSON and protobuf can be read")]
pub(crate) struct UnexpectedContentType {
    content_type: String,
}

/// Lets successful responses through and turns the others into errors.
pub(crate) async fn refuse_failures(response: Response<Body>) -> Result<Response<Body>> {
    let code = response.status();
    if code.is_success() || code.is_informational() {
        return Ok(response);
    }
    if code.is_redirection() {
        // Following one would carry the token to another host.
        let status =
            Status::failure("the server answered with a redirect, which is not followed", "UnexpectedRedirect");
        return Err(Error::Api(Box::new(status.with_code(code.as_u16()))));
    }
    let body = response.into_body().collect_at_most(REFUSAL_BYTES_MAX).await.unwrap_or_default();
    Err(Error::Api(Box::new(refusal(code, &body))))
}

/// What a streamed answer is written in; an error names any Content-Type that cannot be read.
pub(crate) fn media_type(response: &Response<Body>) -> Result<MediaType> {
    let content_type = response.headers().get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    MediaType::of(content_type.as_deref()).ok_or_else(|| {
        let content_type = content_type.unwrap_or_default().into_owned();
        Error::Service(Box::new(UnexpectedContentType { content_type }))
    })
}

/// As [`media_type`]; what it does not know counts as JSON, as in kube. Then it is the events that cannot be read.
pub(crate) fn media_type_or_json(response: &Response<Body>) -> MediaType {
    media_type(response).unwrap_or(MediaType::Json)
}

/// The whole body of a successful response.
pub(crate) async fn collect(response: Response<Body>) -> Result<Bytes> {
    refuse_failures(response).await?.into_body().collect_at_most(ANSWER_BYTES_MAX).await
}

/// Decodes a whole body, JSON or protobuf in its envelope; the error names the type, the object and the position, and
/// nothing else.
pub(crate) fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    decode_in(body, "")
}

fn decode_in<T: DeserializeOwned>(body: &[u8], call: &str) -> Result<T> {
    let object = if body.starts_with(protobuf::MAGIC) {
        ObjectBody::in_envelope(body).map_err(|error| Error::SerdeError(serde::de::Error::custom(error)))?
    } else {
        body.into()
    };
    object.decode().map_err(|error| {
        let item = item::undecodable(body, &error).map_or_else(String::new, |name| format!(", in {name}"));
        without_content::<T>(object, error, &format!("{item}{call}"))
    })
}

/// The same for one object of a list or watch.
pub(crate) fn decode_object<T: DeserializeOwned>(object: ObjectBody<'_>) -> Result<T> {
    object.decode().map_err(|error| without_content::<T>(object, error, ""))
}

/// What was asked, for the error where the answer is not understood.
pub(crate) struct Question {
    method: Method,
    uri: Uri,
}

impl Question {
    pub(crate) fn of<B>(request: &Request<B>) -> Self {
        Self { method: request.method().clone(), uri: request.uri().clone() }
    }

    /// As [`decode`]; the error names the call too.
    pub(crate) fn decode<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T> {
        decode_in(body, &format!(", in the answer to {} {}", self.method, self.uri.path()))
    }
}

fn refusal(code: StatusCode, body: &[u8]) -> Status {
    if code == StatusCode::NOT_FOUND && body.trim_ascii() == PAGE_NOT_FOUND {
        return Status::failure(NO_SUCH_RESOURCE, reason::NOT_FOUND).with_code(code.as_u16());
    }
    match decode::<Status>(body) {
        // A proxy may answer in JSON too; what says nothing is not a Status.
        Ok(mut status) if !(status.message.is_empty() && status.reason.is_empty()) => {
            if status.code == 0 {
                status.code = code.as_u16();
            }
            status
        }
        Ok(_) | Err(_) => {
            let said = excerpt(body).map_or_else(String::new, |words| format!("; it begins: {words}"));
            let message = format!("the server answered {code} without a Status that could be read{said}");
            Status::failure(&message, NO_STATUS).with_code(code.as_u16())
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    kind: String,
    metadata: NamedMeta,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NamedMeta {
    name: String,
    namespace: String,
}

impl Named {
    /// By its type, and by its head, which a list does not have and which can be read although the rest cannot.
    fn in_protobuf(object: ObjectBody<'_>) -> Self {
        let Encoding::Protobuf(kind) = object.encoding() else { return Self::default() };
        let kind = kind.name().rsplit('.').next().unwrap_or_default().to_owned();
        let metadata = HeadReader::new().read_body(object).map_or_else(
            |_| NamedMeta::default(),
            |head| NamedMeta {
                name: head.name().to_owned(),
                namespace: head.namespace().unwrap_or_default().to_owned(),
            },
        );
        Self { kind, metadata }
    }
}

fn name_of(named: &Named) -> String {
    match (named.kind.as_str(), named.metadata.namespace.as_str(), named.metadata.name.as_str()) {
        ("", ..) => "the answer".to_owned(),
        (kind, _, "") => kind.to_owned(),
        (kind, "", name) => format!("{kind} {name}"),
        (kind, namespace, name) => format!("{kind} {namespace}/{name}"),
    }
}

fn without_content<T>(object: ObjectBody<'_>, error: BodyError, place: &str) -> Error {
    let wanted = std::any::type_name::<T>();
    let BodyError::Json(error) = error else {
        let named = name_of(&Named::in_protobuf(object));
        return Error::SerdeError(serde::de::Error::custom(format_args!("{named} is not a {wanted}: {error}{place}")));
    };
    let named = name_of(&serde_json::from_slice(object.bytes()).unwrap_or_default());
    let why = expectation(&error.to_string()).map_or_else(String::new, |why| format!(": {why}"));
    // serde_json reads the position back from the end of the message, so `line()` and `column()` still answer.
    let (line, column) = (error.line(), error.column());
    let message = format_args!("{named} is not a {wanted}{why}{place} at line {line} column {column}");
    Error::SerdeError(serde::de::Error::custom(message))
}

/// The part of a decode error that is about the type and not about the content.
fn expectation(message: &str) -> Option<String> {
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    if message.starts_with("missing field") || message.starts_with("EOF while parsing") {
        return Some(message.to_owned());
    }
    let quotes_a_value = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "];
    if quotes_a_value.iter().any(|prefix| message.starts_with(prefix)) {
        // The value stands before the last `expected`; what follows comes from the type.
        return message.rsplit_once(", expected ").map(|(_, expected)| format!("expected {expected}"));
    }
    None
}
