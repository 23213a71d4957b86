//! Kinds that are asked and answered but never stored: who am I, may I, is this token good.
//!
//! In: a review and the user who sent it. Out: the same with its status. Everything is answered truly: by the roles,
//! where they decide.

mod access;

use serde_json::{Value, json};

use crate::cluster::{Cluster, ResolvedTarget};
use crate::codec::object::Object;
use crate::registry::core::service_accounts::token::ISSUER;
use crate::request::user::User;
use crate::response::status::{Answer, bad_request, not_implemented};

impl Cluster {
    /// Answers a review.
    pub(crate) fn review(&mut self, target: &ResolvedTarget, body: Value, user: &User) -> Answer<Value> {
        let mut review = crate::registry::object(target, body)?;
        let status = match target.kind.kind.as_str() {
            "SubjectAccessReview" | "SelfSubjectAccessReview" | "LocalSubjectAccessReview" => {
                access::check(target, &review)?;
                access::status(&self.authorizer, target, &review, user)
            }
            "SelfSubjectRulesReview" => {
                let namespace = spec_text(&review, "namespace").to_owned();
                if namespace.is_empty() {
                    return Err(bad_request("no namespace on request"));
                }
                review.set("spec", json!({}));
                access::rules(&self.authorizer, user, &namespace)
            }
            "SelfSubjectReview" => {
                review.set_meta("creationTimestamp", self.clock.timestamp());
                json!({"userInfo": user.info()})
            }
            "TokenReview" => self.token_status(&review)?,
            other => return Err(not_implemented(&format!("create of {other}"))),
        };
        review.set("status", status);
        Ok(review.into_value())
    }

    fn token_status(&self, review: &Object) -> Answer<Value> {
        let token = spec_text(review, "token");
        if token.is_empty() {
            return Err(bad_request("token is required for TokenReview in authentication"));
        }
        let audiences = review.get("spec").and_then(|spec| spec.get("audiences"));
        let asked: Vec<&str> =
            audiences.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let asked = if asked.is_empty() { vec![ISSUER] } else { asked };
        Ok(match self.account_of(token, &asked) {
            Ok((user, audiences)) => json!({"authenticated": true, "user": user.info(), "audiences": audiences}),
            Err(why) => json!({"user": {}, "error": why}),
        })
    }
}

fn spec_text<'a>(review: &'a Object, field: &str) -> &'a str {
    review.get("spec").and_then(|spec| spec.get(field)).and_then(Value::as_str).unwrap_or_default()
}
