//! CertificateSigningRequests: certificates that are asked for, approved and signed.
//!
//! Who may approve and sign is for admission to say (`certificate_signers`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::names::NameRule;
use crate::request::user::User;
use crate::response::status::{Answer, FieldError};

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
        let request = Field::of(object, "spec").field("request");
        let text = STANDARD.decode(request.text()).unwrap_or_default();
        let begins = text.windows(PEM_HEAD.len()).any(|part| part == PEM_HEAD);
        (!begins).then(|| request.wrong_text("PEM block type must be CERTIFICATE REQUEST")).into_iter().collect()
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

    /// The only one is `approval`.
    fn prepare_for_subresource_update(
        &self,
        snapshot: &ClusterSnapshot,
        _: &ResolvedTarget,
        before: &Object,
        new: Object,
    ) -> Answer<Object> {
        Ok(with_approval(before, &new, &snapshot.clock.timestamp()))
    }
}

/// The signing request as it was, but for what was decided about it.
fn with_approval(before: &Object, new: &Object, now: &str) -> Object {
    let mut object = before.clone();
    let mut status = before.get("status").filter(|status| status.is_object()).cloned().unwrap_or_else(|| json!({}));
    let mut conditions = new.get("status").and_then(|status| status.get("conditions")).cloned().unwrap_or_default();
    for condition in conditions.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        for field in ["lastUpdateTime", "lastTransitionTime"] {
            if condition.get(field).is_none_or(Value::is_null) {
                condition.insert(field.to_owned(), now.into());
            }
        }
    }
    status["conditions"] = conditions;
    object.set("status", status);
    object
}

/// How the PEM of a request begins.
const PEM_HEAD: &[u8] = b"-----BEGIN CERTIFICATE REQUEST-----";
