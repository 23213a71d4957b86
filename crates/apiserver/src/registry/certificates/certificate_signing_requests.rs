//! CertificateSigningRequests: certificates that are asked for, approved and signed.
//!
//! Who may approve and sign is for admission to say (`certificate_signers`).

use pintle_core::certificate::CertificateRequest;
use serde_json::Value;

use super::request_pem::request_der;
use super::request_status::{self, Path};
use super::{asn1_errors, request_signature, signer_names};
use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::update;
use crate::registry::validation::field::Field;
use crate::registry::validation::names::NameRule;
use crate::request::user::User;
use crate::response::status::{Answer, FieldError};
use crate::response::table::age;
use crate::response::table::columns::Column;

/// The strategy of CertificateSigningRequests.
#[derive(Debug)]
pub(super) struct CertificateSigningRequests;

impl Strategy for CertificateSigningRequests {
    fn name_rule(&self) -> NameRule {
        NameRule::PathSegment
    }

    /// Whatever the request says itself.
    fn note_creator(&self, user: &User, object: &mut Object) {
        let info = user.info();
        object.change_field("spec", |spec| {
            for field in ["username", "uid", "groups", "extra"] {
                match info.get(field) {
                    Some(value) => spec.insert(field.to_owned(), value.clone()),
                    None => spec.remove(field),
                };
            }
        });
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        let spec = Field::of(object, "spec");
        let (signer, expiration) = (spec.field("signerName"), spec.field("expirationSeconds"));
        let mut errors: Vec<FieldError> = request(&spec.field("request")).into_iter().collect();
        errors.extend(usages(&spec.field("usages")));
        errors.extend(signer_names::errors(&signer));
        if signer.text() == "kubernetes.io/legacy-unknown" {
            errors.push(signer.wrong_text("the legacy signerName is not allowed via this API version"));
        }
        if expiration.value.as_i64().is_some_and(|seconds| seconds < EXPIRATION_MIN) {
            let why = format!("may not specify a duration less than {EXPIRATION_MIN} seconds (10 minutes)");
            errors.push(expiration.wrong(&why));
        }
        errors
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::age(),
            Column::text("SignerName", ".spec.signerName", "<none>"),
            Column::text("Requestor", ".spec.username", ""),
            Column::computed("RequestedDuration", |request| match request["spec"]["expirationSeconds"].as_i64() {
                Some(seconds) => age::in_words(seconds).into(),
                None => "<none>".into(),
            }),
            Column::computed("Condition", decision),
        ]
    }

    /// What is asked for stays as it was asked, so what was wrong with it may stay, too.
    fn validate_update(&self, _: &Kind, _: &Object, _: &Object) -> Vec<FieldError> {
        Vec::new()
    }

    /// What is asked for stays as it was asked.
    fn prepare_for_update(
        &self,
        _: &ClusterSnapshot,
        _: &ResolvedTarget,
        before: &Object,
        object: &mut Object,
    ) -> Answer<()> {
        object.set("spec", before.get("spec").cloned().unwrap_or_default());
        Ok(())
    }

    fn prepare_for_status_update(&self, snapshot: &ClusterSnapshot, before: &Object, new: Object) -> Object {
        with_status(Path::Status, snapshot, before, new)
    }

    fn validate_status_update(&self, _: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        request_status::errors(Path::Status, status(before), &Field::of(object, "status"))
    }

    /// The only one is `approval`.
    fn prepare_for_subresource_update(
        &self,
        snapshot: &ClusterSnapshot,
        _: &ResolvedTarget,
        before: &Object,
        new: Object,
    ) -> Answer<Object> {
        Ok(with_status(Path::Approval, snapshot, before, new))
    }

    fn validate_subresource_update(&self, _: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        request_status::errors(Path::Approval, status(before), &Field::of(object, "status"))
    }
}

/// The request that was sent to the path of a part, with what that path does not write put back.
fn with_status(path: Path, snapshot: &ClusterSnapshot, before: &Object, mut new: Object) -> Object {
    update::keep_system_metadata(before, &mut new);
    new.set("spec", before.get("spec").cloned().unwrap_or_default());
    let prepared = request_status::prepared(path, status(before), status(&new), &snapshot.clock.timestamp());
    new.set("status", prepared);
    new
}

fn status(object: &Object) -> &Value {
    object.get("status").unwrap_or_default()
}

/// What was decided about a request, and what came of it.
fn decision(request: &Value) -> Value {
    let conditions = request["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is = |kind: &str| conditions.iter().any(|condition| condition["type"] == kind);
    let mut words = match (is("Denied"), is("Approved")) {
        (true, _) => vec!["Denied"],
        (false, true) => vec!["Approved"],
        (false, false) => vec!["Pending"],
    };
    words.extend(is("Failed").then_some("Failed"));
    words.extend(request["status"]["certificate"].as_str().map(|_| "Issued"));
    words.join(",").into()
}

/// What is wrong with the request itself.
fn request(request: &Field<'_>) -> Option<FieldError> {
    let Some(der) = request_der(request.text()) else {
        return Some(request.wrong("PEM block type must be CERTIFICATE REQUEST"));
    };
    match CertificateRequest::read(&der) {
        None => Some(request.wrong(&asn1_errors::of(&der))),
        Some(read) if read.key().is_none() => Some(request.wrong("x509: unsupported elliptic curve")),
        Some(read) => request_signature::problem(&read).map(|why| request.wrong(&why)),
    }
}

/// What is wrong with what the certificate may be used for.
fn usages(usages: &Field<'_>) -> Vec<FieldError> {
    if usages.is_empty() {
        return vec![FieldError::required(&usages.path, "")];
    }
    let (mut errors, mut seen) = (Vec::new(), Vec::new());
    for usage in usages.items() {
        if !USAGES.contains(&usage.text()) {
            errors.push(FieldError::not_supported(&usage.path, usage.text(), &USAGES));
        }
        if seen.contains(&usage.text()) {
            errors.push(FieldError::duplicate(&usage.path, &usage.value.to_string()));
        }
        seen.push(usage.text());
    }
    errors
}

/// Ten minutes, so that clocks need not agree to the second.
const EXPIRATION_MIN: i64 = 600;

/// What a certificate can be for.
const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];
