//! Bodies of requests: bytes in some media type, out comes the JSON of an object.
//!
//! In: headers, bytes, and what is expected there. Out: a value whose type is the path's, read as the Go type where the
//! kind is built in; what a strict reader refuses is judged by the request's `fieldValidation`. YAML and protobuf are
//! made into the same JSON first.

use std::pin::pin;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use pintle_wire::protobuf;
use serde_json::Value;

use crate::cluster::ResolvedTarget;
use crate::codec::typed::{self, Read, Trouble, go_errors};
use crate::codec::yaml;
use crate::registry::custom_resource;
use crate::registry::{self, field_validation::FieldValidation, owner_references};
use crate::response::status::{Answer, Refusal, bad_request, too_large, unsupported_media_type};
use crate::server::BoxError;

/// The media types of bodies that hold objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    Yaml,
    Protobuf,
}

impl Encoding {
    /// What the headers say the body is in; JSON where they say nothing.
    pub(crate) fn of(headers: &HeaderMap) -> Answer<Encoding> {
        let said = headers.get(CONTENT_TYPE).map_or("", |value| value.to_str().unwrap_or("?"));
        let (media_type, parameters) = said.split_once(';').unwrap_or((said, ""));
        match media_type.trim().to_ascii_lowercase().as_str() {
            "" if said.is_empty() => Ok(Encoding::Json),
            _ if !are_parameters(parameters) => Err(unsupported_media_type(ACCEPTED)),
            "application/json" => Ok(Encoding::Json),
            "application/yaml" => Ok(Encoding::Yaml),
            protobuf::MEDIA_TYPE => Ok(Encoding::Protobuf),
            _ => Err(unsupported_media_type(ACCEPTED)),
        }
    }
}

/// Whether what follows a media type is `name=value`, each behind a semicolon. Nothing may follow the last one.
fn are_parameters(text: &str) -> bool {
    let is_token = |text: &str| {
        !text.is_empty() && text.chars().all(|sign| sign.is_ascii_graphic() && !"()<>@,;:\\\"/[]?=".contains(sign))
    };
    let is_quoted = |text: &str| text.len() > 1 && text.starts_with('"') && text.ends_with('"');
    let is_one = |pair: &str| match pair.trim().split_once('=') {
        Some((name, value)) => is_token(name) && (is_token(value) || is_quoted(value)),
        None => false,
    };
    text.trim().is_empty() || text.strip_suffix(';').unwrap_or(text).split(';').all(is_one)
}

/// The object in a body that was sent to a target, and what the client is warned of.
pub(crate) fn object(
    target: &ResolvedTarget,
    headers: &HeaderMap,
    body: &[u8],
    validation: FieldValidation,
) -> Answer<(Value, Vec<String>)> {
    let (mut value, mut warnings) = object_as_sent(target, headers, body, validation)?;
    warnings.extend(owner_references::dedup(&mut value));
    Ok((value, warnings))
}

fn object_as_sent(
    target: &ResolvedTarget,
    headers: &HeaderMap,
    body: &[u8],
    validation: FieldValidation,
) -> Answer<(Value, Vec<String>)> {
    let encoding = Encoding::of(headers)?;
    let Some(kind) = typed::of_body(target) else {
        if encoding == Encoding::Protobuf {
            return Err(unsupported_media_type(ACCEPTED_CUSTOM));
        }
        let mut read = free(target, encoding, body)?;
        check_custom_type(target, &read.value, body)?;
        custom_resource::read_metadata(&read.value).map_err(|why| registry::cannot_be_handled(target, &why))?;
        read.strict.extend(custom_resource::prune(&target.kind, &mut read.value));
        return Ok((read.value, validation.judge(target, &read.strict)?));
    };
    let read = match encoding {
        Encoding::Json => typed::read(kind, body),
        Encoding::Protobuf => typed::read(kind, &unpacked(target, body)?),
        Encoding::Yaml => {
            let read = free(target, encoding, body)?;
            typed::reread(kind, read.value).map(|typed| Read { strict: [read.strict, typed.strict].concat(), ..typed })
        }
    };
    match read {
        Ok(read) => {
            let says_type = |found: &String| TYPE_FIELDS.iter().any(|field| found.eq_ignore_ascii_case(field));
            if read.strict.iter().any(says_type) {
                registry::check_value_type(target, &free(target, encoding, body)?.value)?;
            }
            registry::check_value_type(target, &read.value)?;
            let warnings = validation.judge(target, &read.strict)?;
            Ok((read.value, warnings))
        }
        Err(Trouble::Syntax(error)) => Err(unrecognized(target, &go_errors::syntax(&error, body), body)),
        Err(Trouble::WrongType(why)) => {
            // What the body says it is comes first.
            let value = free(target, encoding, body)?.value;
            if !value.is_object() {
                let why = format!("couldn't get version/kind; json parse error: {}", go_errors::no_object(&value));
                return Err(unrecognized(target, &why, body));
            }
            registry::check_value_type(target, &value)?;
            Err(registry::cannot_be_handled(target, &why))
        }
    }
}

/// A custom resource says what it is, because nothing else does.
fn check_custom_type(target: &ResolvedTarget, value: &Value, body: &[u8]) -> Answer<()> {
    custom_resource::read_type(value).map_err(|why| unrecognized(target, &why, body))?;
    let (version, kind) = (registry::type_text(value, "apiVersion"), registry::type_text(value, "kind"));
    if kind.is_empty() {
        let shown = String::from_utf8_lossy(body);
        return Err(unrecognized(target, &format!("Object 'Kind' is missing in '{}'", shown.trim_end()), body));
    }
    if version.is_empty() {
        let expected = target.kind.api_version();
        let why = format!("the API version in the data () does not match the expected API version ({expected})");
        return Err(bad_request(why));
    }
    let (group, _) = version.split_once('/').unwrap_or_default();
    // Another kind of the same group is found out by validation.
    if kind != target.kind.kind && group == target.kind.group {
        Ok(())
    } else {
        registry::check_value_type(target, value)
    }
}

/// A value of no type.
fn free(target: &ResolvedTarget, encoding: Encoding, body: &[u8]) -> Answer<Read> {
    match encoding {
        Encoding::Json => {
            typed::read_free(body).map_err(|error| unrecognized(target, &go_errors::syntax(&error, body), body))
        }
        Encoding::Yaml => yaml::read(body).map_err(|why| unrecognized(target, &why, body)),
        Encoding::Protobuf => free(target, Encoding::Json, &unpacked(target, body)?),
    }
}

/// The JSON of a body in protobuf.
fn unpacked(target: &ResolvedTarget, body: &[u8]) -> Answer<Vec<u8>> {
    if !body.starts_with(protobuf::MAGIC) {
        let prefix = protobuf::MAGIC.map(|byte| byte.to_string()).join(" ");
        let why = format!("provided data does not appear to be a protobuf message, expected prefix [{prefix}]");
        return Err(unrecognized(target, &why, body));
    }
    protobuf::to_json(body).map_err(|error| unrecognized(target, &error.to_string(), body))
}

/// The name in a body, if it is JSON or protobuf and has one.
pub(super) fn name_in(headers: &HeaderMap, body: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Named {
        metadata: Metadata,
    }
    #[derive(serde::Deserialize)]
    struct Metadata {
        name: String,
    }
    let named: Named = match Encoding::of(headers).ok()? {
        Encoding::Json => serde_json::from_slice(body).ok()?,
        Encoding::Protobuf => serde_json::from_slice(&protobuf::to_json(body).ok()?).ok()?,
        Encoding::Yaml => return None,
    };
    Some(named.metadata.name)
}

/// The options in a body, which have a type but no path.
pub(super) fn options(headers: &HeaderMap, body: &[u8]) -> Answer<Value> {
    let read = match Encoding::of(headers)? {
        Encoding::Json => typed::read_free(body).map_err(|error| go_errors::syntax(&error, body)),
        Encoding::Yaml => yaml::read(body),
        Encoding::Protobuf => match protobuf::to_json(body) {
            Ok(json) => typed::read_free(&json).map_err(|error| go_errors::syntax(&error, &json)),
            Err(error) => Err(error.to_string()),
        },
    };
    read.map(|read| read.value).map_err(bad_request)
}

/// 400: nothing that could be an object of the kind.
fn unrecognized(target: &ResolvedTarget, why: &str, body: &[u8]) -> Refusal {
    let kind = target.body_type().1;
    bad_request(format!(
        "the object provided is unrecognized (must be of type {kind}): {why} ({})",
        go_errors::summary(body)
    ))
}

/// Reads a body to its end, or to the limit.
pub(crate) async fn read<B>(body: B) -> Answer<Bytes>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    let mut body = pin!(body);
    let (mut read, mut length) = (BytesMut::new(), 0);
    while let Some(frame) = body.frame().await {
        let broken = |error: B::Error| {
            let error: BoxError = error.into();
            bad_request(format!("the body of the request could not be read: {error}"))
        };
        let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
        length += data.remaining();
        if length > BODY_BYTES_DRAINED {
            break;
        }
        // A body that is too large is read and dropped, so that a client that is still sending receives the refusal.
        if length <= BODY_BYTES_MAX {
            read.put(data);
        }
    }
    if length > BODY_BYTES_MAX { Err(too_large(&format!("limit is {BODY_BYTES_MAX}"))) } else { Ok(read.freeze()) }
}

/// What a strict reader says of a type in other capitals.
const TYPE_FIELDS: [&str; 2] = ["unknown field \"apiVersion\"", "unknown field \"kind\""];

/// Enough for a client's mistake, not for its malice.
pub(super) const BODY_BYTES_DRAINED: usize = 16 * 1024 * 1024;

/// kube-apiserver's limit, which is what etcd takes with room for the request around it.
const BODY_BYTES_MAX: usize = 3 * 1024 * 1024;

/// The media types that a refused client may send.
const ACCEPTED: &[&str] = &["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/// The same of a custom resource, which has no protobuf form.
const ACCEPTED_CUSTOM: &[&str] = &["application/json", "application/yaml"];
