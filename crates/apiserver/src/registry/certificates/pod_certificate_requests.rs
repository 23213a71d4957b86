//! PodCertificateRequests: certificates that pods ask for.
//!
//! What is asked for is checked when it is created and stays as it is; a signer answers once, in the status. Not checked are the
//! signature of a request and the certificates of an answer: that takes cryptography.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_core::certificate::{CertificateRequest, PublicKey};
use serde_json::Value;

use super::request_pem::first_block;
use super::signer_names;
use crate::catalog::kinds::Kind;
use crate::codec::conversion::Shapes;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::{names, qualified_names};
use crate::response::status::FieldError;

/// The strategy of PodCertificateRequests.
#[derive(Debug)]
pub(super) struct PodCertificateRequests;

impl Strategy for PodCertificateRequests {
    fn shapes(&self) -> Shapes {
        Shapes::Certificates
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(&Field::of(object, "spec"))
    }

    fn validate_update(&self, _: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        crate::registry::validation::immutable::errors(before, object, self.immutable_fields())
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("spec", Printed::Value)]
    }

    fn validate_status_update(&self, _: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        let (before, status) = (Field::of(before, "status"), Field::of(object, "status"));
        let errors = conditions(&status.field("conditions"));
        if errors.is_empty() { answered(&before, &status) } else { errors }
    }
}

/// What is wrong with what is asked for.
fn errors(spec: &Field<'_>) -> Vec<FieldError> {
    let mut errors = signer_names::errors(&spec.field("signerName"));
    errors.extend(annotations(&spec.field("unverifiedUserAnnotations")));
    for (name, uid) in [("podName", "podUID"), ("serviceAccountName", "serviceAccountUID"), ("nodeName", "nodeUID")] {
        let (name, uid) = (spec.field(name), spec.field(uid));
        errors.extend(names::subdomain(name.text()).iter().map(|why| text_error(&name, why)));
        match uid.text().len() {
            0 => errors.push(text_error(&uid, "must not be empty")),
            length if length > UID_BYTES_MAX => errors.push(FieldError::too_long(&uid.path, UID_BYTES_MAX)),
            _ => {}
        }
    }
    errors.extend(expiration(&spec.field("maxExpirationSeconds"), spec.field("signerName").text()));
    errors.extend(key(spec));
    errors
}

/// A text that is not allowed, be it missing.
fn text_error(field: &Field<'_>, why: &str) -> FieldError {
    FieldError::invalid_text(&field.path, field.text(), why)
}

fn annotations(annotations: &Field<'_>) -> Vec<FieldError> {
    let (path, mut errors, mut bytes) = (&annotations.path, Vec::new(), 0);
    for (key, value) in annotations.value.as_object().into_iter().flatten() {
        bytes += key.len() + value.as_str().map_or(0, str::len);
        let key = key.to_lowercase();
        if key.is_empty() {
            errors.push(FieldError::required(path, ""));
        } else if !key.contains('/') {
            let why = "must be a domain-prefixed key (such as \"acme.io/foo\")";
            errors.push(FieldError::invalid_text(path, &key, why));
        } else {
            errors.extend(qualified_names::key(&key).iter().map(|why| FieldError::invalid_text(path, &key, why)));
        }
    }
    if bytes > ANNOTATION_BYTES_MAX {
        errors.push(FieldError::too_long(path, ANNOTATION_BYTES_MAX));
    }
    errors
}

fn expiration(seconds: &Field<'_>, signer: &str) -> Option<FieldError> {
    let most = if signer.starts_with("kubernetes.io/") { DAY } else { 91 * DAY };
    let number = seconds.value.as_i64()?;
    let why = || format!("must be in the range [{HOUR}, {most}]");
    (!(HOUR..=most).contains(&number)).then(|| seconds.wrong(&why()))
}

/// What is wrong with the key, of which older versions have another form.
fn key(spec: &Field<'_>) -> Option<FieldError> {
    let (request, older) = (spec.field("stubPKCS10Request"), spec.field("pkixPublicKey"));
    if request.is_empty() == older.is_empty() {
        let why = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
        return Some(FieldError::invalid_alone(&spec.path, why));
    }
    let der = STANDARD.decode(request.text()).unwrap_or_default();
    if der.len() > REQUEST_BYTES_MAX {
        return Some(FieldError::too_long(&request.path, REQUEST_BYTES_MAX));
    }
    let wrong = |shown: &str, why: &str| Some(FieldError::invalid_text(&request.path, shown, why));
    match CertificateRequest::read(&der).and_then(|request| request.key()).filter(|_| older.is_empty()) {
        _ if request.is_empty() => None,
        Some(PublicKey::Rsa(3072 | 4096) | PublicKey::Elliptic("P-256" | "P-384" | "P-521") | PublicKey::Ed25519) => {
            None
        }
        Some(PublicKey::Rsa(bits)) => {
            wrong(&format!("{bits}-bit modulus"), "RSA keys must have modulus size 3072 or 4096")
        }
        Some(PublicKey::Elliptic(curve)) => {
            wrong(&format!("curve {curve}"), "elliptic public keys must use curve P256, P384, or P521")
        }
        _ => Some(FieldError::invalid_alone(&request.path, "must be a valid PKCS#10 CSR")),
    }
}

/// What is wrong with the conditions of an answer.
fn conditions(conditions: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (number, condition) in conditions.items().enumerate() {
        // The dot is kube-apiserver's.
        let path = |field: &str| format!("{}.[{number}].{field}", conditions.path);
        let (kind, status) = (condition.field("type"), condition.field("status"));
        if !ANSWERS.contains(&kind.text()) {
            errors.push(FieldError::not_supported(&path("type"), kind.text(), &ANSWERS));
        } else if number > 0 {
            let why = "There may be at most one condition with type \"Issued\", \"Denied\", or \"Failed\"";
            errors.push(FieldError::invalid_text(&path("type"), kind.text(), why));
        }
        if status.text() != "True" {
            errors.push(FieldError::not_supported(&path("status"), status.text(), &["True"]));
        }
    }
    errors
}

/// The condition that ends a request, if there is one.
fn answer<'a>(status: &Field<'a>) -> Option<&'a str> {
    status.field("conditions").items().next().map(|condition| condition.field("type").text())
}

/// What is wrong with the step from one status to another.
fn answered(before: &Field<'_>, status: &Field<'_>) -> Vec<FieldError> {
    let is_same = ["conditions", "certificateChain", "notBefore", "notAfter", "beginRefreshAt"]
        .iter()
        .all(|field| before.field(field).value == status.field(field).value);
    if is_same {
        return Vec::new();
    }
    let alone = |why: &str| vec![FieldError::invalid_alone(&status.path, why)];
    if answer(before).is_some() {
        return alone("immutable after PodCertificateRequest is issued, denied, or failed");
    }
    let others = ["certificateChain", "notBefore", "notAfter", "beginRefreshAt"];
    match answer(status) {
        None => alone("status is immutable unless transitioning to \"Issued\", \"Denied\", or \"Failed\""),
        Some("Issued") => {
            let chain = status.field("certificateChain");
            let why = "issued certificate chain must contain at least one certificate";
            let has_one = first_block(chain.text(), "CERTIFICATE").is_some();
            (!has_one).then(|| text_error(&chain, why)).into_iter().collect()
        }
        Some(_) if others.iter().any(|field| !matches!(status.field(field).value, Value::Null)) => {
            alone("non-condition status fields must be empty when denying or failing the PodCertificateRequest")
        }
        Some(_) => Vec::new(),
    }
}

/// The conditions that are the end of a request.
const ANSWERS: [&str; 3] = ["Issued", "Denied", "Failed"];

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// A uid is 36 bytes; this leaves room for those of others.
const UID_BYTES_MAX: usize = 128;

/// As much as an empty request with the largest key takes, several times.
const REQUEST_BYTES_MAX: usize = 10 * 1024;

/// As much as annotations may have.
const ANNOTATION_BYTES_MAX: usize = 256 * 1024;
