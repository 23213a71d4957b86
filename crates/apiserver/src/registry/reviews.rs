//! Kinds that are asked and answered but never stored: who am I, may I, is this token good.
//!
//! In: a review and whoever sent it. Out: the same with its status. Everybody may do everything here, so every question
//! about permission is answered with yes; who somebody is, is answered truly.

use serde_json::{Value, json};

use crate::cluster::{Cluster, ResolvedTarget};
use crate::codec::object::Object;
use crate::registry::subresources::token::ISSUER;
use crate::request::user::User;
use crate::response::status::{Answer, FieldError, bad_request, invalid, not_implemented};

impl Cluster {
    /// Answers a review.
    pub(crate) fn review(&mut self, target: &ResolvedTarget, body: Value, user: &User) -> Answer<Value> {
        let mut review = crate::registry::object(target, body)?;
        check(target, &review)?;
        let status = match target.kind.kind.as_str() {
            "SubjectAccessReview" | "SelfSubjectAccessReview" | "LocalSubjectAccessReview" => json!({"allowed": true}),
            "SelfSubjectRulesReview" => every_rule(),
            "SelfSubjectReview" => json!({"userInfo": user.info()}),
            "TokenReview" => self.token_status(&review),
            other => return Err(not_implemented(&format!("create of {other}"))),
        };
        if target.kind.kind == "SelfSubjectReview" {
            review.set_meta("creationTimestamp", self.clock.timestamp());
        }
        if target.kind.kind == "SelfSubjectRulesReview" {
            review.set("spec", json!({}));
        }
        review.set("status", status);
        Ok(review.into_value())
    }

    fn token_status(&self, review: &Object) -> Value {
        let spec = |field: &str| review.get("spec").and_then(|spec| spec.get(field));
        let token = spec("token").and_then(Value::as_str).unwrap_or_default();
        let asked: Vec<&str> =
            spec("audiences").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let asked = if asked.is_empty() { vec![ISSUER] } else { asked };
        let unknown = json!({"user": {}, "error": "invalid bearer token"});
        let Some((user, audiences)) = self.account_of(token) else {
            return unknown;
        };
        let shared: Vec<&str> =
            asked.into_iter().filter(|asked| audiences.iter().any(|known| known == asked)).collect();
        if shared.is_empty() {
            return unknown;
        }
        json!({"authenticated": true, "user": user.info(), "audiences": shared})
    }
}

fn every_rule() -> Value {
    json!({
        "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
        "incomplete": false,
    })
}

/// What a question must say.
fn check(target: &ResolvedTarget, review: &Object) -> Answer<()> {
    let kind = target.kind.kind.as_str();
    let spec = review.get("spec").cloned().unwrap_or_default();
    let has = |field: &str| spec.get(field).is_some_and(|value| !value.is_null());
    let text = |field: &str| spec.get(field).and_then(Value::as_str).unwrap_or_default();
    let mut errors = Vec::new();
    match kind {
        "TokenReview" if text("token").is_empty() => {
            return Err(bad_request("token is required for TokenReview in authentication"));
        }
        "SelfSubjectRulesReview" if text("namespace").is_empty() => {
            return Err(bad_request("no namespace on request"));
        }
        "SubjectAccessReview" | "SelfSubjectAccessReview" | "LocalSubjectAccessReview" => {
            if has("resourceAttributes") == has("nonResourceAttributes") {
                let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
                errors.push(FieldError::invalid("spec", "null", why));
            }
            if kind != "SelfSubjectAccessReview"
                && text("user").is_empty()
                && spec["groups"].as_array().is_none_or(Vec::is_empty)
            {
                errors.push(FieldError::invalid(
                    "spec.user",
                    "\"\"",
                    "at least one of user or group must be specified",
                ));
            }
        }
        _ => {}
    }
    let named = spec.pointer("/resourceAttributes/namespace").and_then(Value::as_str).unwrap_or_default();
    if target.namespace.as_deref().is_some_and(|namespace| namespace != named) {
        let why = "must match metadata.namespace";
        errors.push(FieldError::invalid("spec.resourceAttributes.namespace", &format!("{named:?}"), why));
    }
    // These are the refusals in which kube-apiserver names no kind.
    if errors.is_empty() { Ok(()) } else { Err(invalid("", &target.kind.group, "", &errors)) }
}
