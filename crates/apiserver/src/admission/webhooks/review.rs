//! AdmissionReview: the question to a webhook and its answer.
//!
//! In: what a request does, as the webhook is to see it. Out: the JSON that is sent; and from what came back a [`Verdict`],
//! or what is wrong with it, in kube-apiserver's words.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintle_core::Status;
use pintle_core::response::StatusSummary;
use serde_json::{Map, Value, json};

use super::configuration::Webhook;
use crate::codec::typed::go_errors;
use crate::response::status::Refusal;
use crate::webhook::decode_json_patch;
use crate::webhook::review::{ReviewType, type_said};

/// Whether a webhook may change what it is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Mutating,
    Validating,
}

/// What a webhook answered.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) denied: Option<Refusal>,
    /// The operations of its patch.
    pub(super) patch: Vec<Value>,
    pub(super) warnings: Vec<String>,
    pub(super) audit_annotations: Vec<(String, String)>,
}

/// The question, with its uid.
pub(super) fn print(
    hook: &Webhook,
    uid: &str,
    mut request: Value,
    object: Option<&Value>,
    old: Option<&Value>,
) -> Value {
    request["uid"] = uid.into();
    request["object"] = object.cloned().unwrap_or_default();
    request["oldObject"] = old.cloned().unwrap_or_default();
    let review = review_type(hook);
    json!({"kind": review.kind, "apiVersion": review.api_version(), "request": request})
}

fn review_type(hook: &Webhook) -> ReviewType {
    ReviewType { group: "admission.k8s.io", version: hook.review_version, kind: "AdmissionReview" }
}

/// Why what came back is not an answer.
pub(super) enum Malformed {
    /// It cannot be read.
    Unreadable(String),
    /// It says what no answer may say.
    Invalid(String),
    /// Its patch cannot be read.
    Patch(String),
}

/// The verdict in what came back.
pub(super) fn read(hook: &Webhook, phase: Phase, uid: &str, value: &Value) -> Result<Verdict, Malformed> {
    let expected = review_type(hook);
    expected.check(value).map_err(Malformed::Unreadable)?;
    let invalid = |why: String| Err(Malformed::Invalid(why));
    let Some(response) = value.get("response").filter(|response| !response.is_null()) else {
        return invalid("webhook response was absent".to_owned());
    };
    let response = Response::read(response).map_err(Malformed::Unreadable)?;
    // The first version of reviews was not so strict.
    let is_strict = hook.review_version == "v1";
    if is_strict && response.uid != uid {
        return invalid(format!("expected response.uid={uid:?}, got {:?}", response.uid));
    }
    if is_strict && type_said(value) != expected.print() {
        return invalid(format!("expected webhook response of {}, got {}", expected.print(), type_said(value)));
    }
    let (has_patch, has_type) = (!response.patch.is_empty(), response.patch_type.is_some());
    match phase {
        Phase::Validating if is_strict && has_patch => {
            return invalid("validating webhook may not return response.patch".to_owned());
        }
        Phase::Validating if is_strict && has_type => {
            return invalid("validating webhook may not return response.patchType".to_owned());
        }
        Phase::Mutating if is_strict && has_patch && !has_type => {
            return invalid("webhook returned response.patch but not response.patchType".to_owned());
        }
        Phase::Mutating if is_strict && has_type && !has_patch => {
            return invalid("webhook returned response.patchType but not response.patch".to_owned());
        }
        _ => {}
    }
    response.verdict(hook, phase)
}

/// An AdmissionResponse.
struct Response {
    uid: String,
    is_allowed: bool,
    status: Value,
    patch: Vec<u8>,
    patch_type: Option<String>,
    warnings: Vec<String>,
    audit_annotations: Vec<(String, String)>,
}

impl Response {
    fn read(value: &Value) -> Result<Response, String> {
        let fields =
            value.as_object().ok_or_else(|| wrong(value, "AdmissionReview.response", "v1.AdmissionResponse"))?;
        let field = |name: &str| fields.get(name).filter(|value| !value.is_null());
        let text = |name: &str| {
            let read =
                |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| of_response(value, name, "string"));
            field(name).map(read).transpose()
        };
        let allowed = field("allowed").map(|it| it.as_bool().ok_or_else(|| of_response(it, "allowed", "bool")));
        Ok(Response {
            uid: text("uid")?.unwrap_or_default(),
            is_allowed: allowed.transpose()?.unwrap_or_default(),
            status: field("status").cloned().unwrap_or_default(),
            patch: field("patch").map(bytes).transpose()?.unwrap_or_default(),
            patch_type: text("patchType")?,
            warnings: strings(field("warnings"))?,
            audit_annotations: annotations(field("auditAnnotations"))?,
        })
    }

    fn verdict(self, hook: &Webhook, phase: Phase) -> Result<Verdict, Malformed> {
        let denied = (!self.is_allowed).then(|| denial(&hook.name, &self.status));
        let is_patched = phase == Phase::Mutating && self.is_allowed && !self.patch.is_empty();
        let patch = if is_patched { decode_json_patch(&self.patch).map_err(Malformed::Patch)? } else { Vec::new() };
        let audit_annotations = self.audit_annotations.into_iter();
        Ok(Verdict {
            denied,
            patch,
            warnings: self.warnings,
            audit_annotations: audit_annotations.map(|(key, value)| (format!("{}/{key}", hook.name), value)).collect(),
        })
    }
}

/// The refusal of a request that a webhook denied: what it said, made a failure.
fn denial(name: &str, status: &Value) -> Refusal {
    let mut status = status.clone();
    // Whatever it says of that, it is a failure.
    status.as_object_mut().into_iter().for_each(|fields| drop(fields.remove("status")));
    let mut status: Status = serde_json::from_value(status).unwrap_or_default();
    let why = [&status.message, &status.reason].into_iter().find(|why| !why.is_empty());
    status.message = match why {
        Some(why) => format!("admission webhook {name:?} denied the request: {why}"),
        None => format!("admission webhook {name:?} denied the request without explanation"),
    };
    status.status = Some(StatusSummary::Failure);
    if status.code < FIRST_FAILURE {
        status.code = BAD_REQUEST;
    }
    Box::new(status)
}

/// Bytes as Go reads them: base64, or a list of numbers, which is what kube-rs sends.
fn bytes(value: &Value) -> Result<Vec<u8>, String> {
    let wrong = |value: &Value| of_response(value, "patch", "uint8");
    match value {
        Value::String(text) => STANDARD.decode(text).map_err(|_| illegal_base64(text)),
        Value::Array(items) => {
            let byte = |item: &Value| item.as_u64().and_then(|byte| u8::try_from(byte).ok()).ok_or_else(|| wrong(item));
            items.iter().map(byte).collect()
        }
        other => Err(of_response(other, "patch", "[]uint8")),
    }
}

fn strings(value: Option<&Value>) -> Result<Vec<String>, String> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let items = value.as_array().ok_or_else(|| of_response(value, "warnings", "[]string"))?;
    let text = |item: &Value| item.as_str().map(str::to_owned).ok_or_else(|| of_response(item, "warnings", "string"));
    items.iter().map(text).collect()
}

fn annotations(value: Option<&Value>) -> Result<Vec<(String, String)>, String> {
    const FIELD: &str = "auditAnnotations";
    let Some(value) = value else { return Ok(Vec::new()) };
    let fields: &Map<String, Value> =
        value.as_object().ok_or_else(|| of_response(value, FIELD, "map[string]string"))?;
    let pair = |(key, value): (&String, &Value)| {
        let text = value.as_str().ok_or_else(|| of_response(value, FIELD, "string"))?;
        Ok((key.clone(), text.to_owned()))
    };
    fields.iter().map(pair).collect()
}

fn of_response(value: &Value, field: &str, wanted: &str) -> String {
    wrong(value, &format!("AdmissionResponse.response.{field}"), wanted)
}

fn wrong(value: &Value, field: &str, wanted: &str) -> String {
    format!("json: cannot unmarshal {} into Go struct field {field} of type {wanted}", go_errors::type_name(value))
}

fn illegal_base64(text: &str) -> String {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let at = text.bytes().position(|byte| !is_sign(byte)).unwrap_or(text.len());
    format!("illegal base64 data at input byte {at}")
}

/// Codes below this are not of failures.
const FIRST_FAILURE: u16 = 400;
const BAD_REQUEST: u16 = 400;
