//! Questions about permission: SubjectAccessReview and its kin, SelfSubjectRulesReview.
//!
//! In: a review, and the authorizer that every request passes. Out: its answer, with the reason.

use pintle_core::fields::FieldSelector;
use serde_json::{Value, json};

use crate::authorization::Authorizer;
use crate::authorization::attributes::{Attributes, Requested, ResourceAttributes};
use crate::authorization::decision::Missing;
use crate::authorization::policy_rule::PolicyRule;
use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::request::user::User;
use crate::response::status::{Answer, FieldError, invalid};
use crate::storage::selection::label_grammar;

/// What a question must say.
pub(super) fn check(target: &ResolvedTarget, review: &Object) -> Answer<()> {
    let kind = target.kind.kind.as_str();
    let spec = review.get("spec").cloned().unwrap_or_default();
    let has = |field: &str| spec.get(field).is_some_and(|value| !value.is_null());
    let mut errors = Vec::new();
    if has("resourceAttributes") == has("nonResourceAttributes") {
        let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        errors.push(FieldError::invalid("spec", "null", why));
    }
    let names_nobody = text(&spec, "/user").is_empty() && spec["groups"].as_array().is_none_or(Vec::is_empty);
    if kind != "SelfSubjectAccessReview" && names_nobody {
        errors.push(FieldError::invalid("spec.user", "\"\"", "at least one of user or group must be specified"));
    }
    if let Some(namespace) = &target.namespace {
        errors.extend(check_local(&spec, namespace));
    }
    errors.extend(check_metadata(target, review));
    // These are the refusals in which kube-apiserver names no kind.
    if errors.is_empty() { Ok(()) } else { Err(invalid("", &target.kind.group, "", &errors)) }
}

/// A question has no name, and nothing else that only what is stored has.
fn check_metadata(target: &ResolvedTarget, review: &Object) -> Option<FieldError> {
    let metadata = review.get("metadata")?.as_object()?;
    let is_said = |value: &Value| !value.is_null() && *value != "" && *value != json!({}) && *value != json!([]);
    let is_wrong = |(field, value): (&String, &Value)| {
        field != "managedFields" && (field != "namespace" || target.namespace.is_none()) && is_said(value)
    };
    let why = if target.namespace.is_some() { "must be empty except for namespace" } else { "must be empty" };
    let printed = Value::Object(metadata.clone()).to_string();
    metadata.iter().any(is_wrong).then(|| FieldError::invalid("metadata", &printed, why))
}

/// A question in a namespace is about that namespace.
fn check_local(spec: &Value, namespace: &str) -> Option<FieldError> {
    if let Some(path) = spec.get("nonResourceAttributes").filter(|path| !path.is_null()) {
        let asked = format!("{{\"Path\":{:?},\"Verb\":{:?}}}", text(path, "/path"), text(path, "/verb"));
        let why = "disallowed on this kind of request";
        return Some(FieldError::invalid("spec.nonResourceAttributes", &asked, why));
    }
    let named = text(spec, "/resourceAttributes/namespace");
    let why = "must match metadata.namespace";
    let field = "spec.resourceAttributes.namespace";
    (named != namespace).then(|| FieldError::invalid_text(field, named, why))
}

/// The answer to a question.
pub(super) fn status(authorizer: &Authorizer, target: &ResolvedTarget, review: &Object, asking: &User) -> Value {
    let spec = review.get("spec").cloned().unwrap_or_default();
    let user = match target.kind.kind.as_str() {
        "SelfSubjectAccessReview" => asking.clone(),
        _ => User::bare(text(&spec, "/user"), texts(&spec["groups"])),
    };
    let decision = authorizer.authorize(&user, &attributes(&spec));
    let mut status = json!({"allowed": decision.is_allowed});
    if !decision.reason.is_empty() {
        status["reason"] = decision.reason.into();
    }
    if let Some(error) = evaluation_error(&spec["resourceAttributes"]) {
        status["evaluationError"] = error.into();
    }
    status
}

fn attributes(spec: &Value) -> Attributes {
    let resource = |field: &str| text(spec, &format!("/resourceAttributes/{field}")).to_owned();
    if spec.get("nonResourceAttributes").is_some_and(|path| !path.is_null()) {
        let verb = text(spec, "/nonResourceAttributes/verb").to_owned();
        return Attributes { verb, requested: Requested::Path(text(spec, "/nonResourceAttributes/path").to_owned()) };
    }
    let requested = ResourceAttributes {
        group: resource("group"),
        resource: resource("resource"),
        subresource: resource("subresource"),
        namespace: resource("namespace"),
        name: resource("name"),
    };
    Attributes::new(&resource("verb"), requested)
}

/// Selectors do not matter to roles; one that cannot be read is said to have been ignored.
fn evaluation_error(resource: &Value) -> Option<String> {
    let raw = |field: &str| text(resource, &format!("/{field}/rawSelector"));
    let wrong = [
        ("fieldSelector", raw("fieldSelector").parse::<FieldSelector>().is_ok()),
        ("labelSelector", label_grammar::problem(raw("labelSelector")).is_none()),
    ];
    let errors: Vec<String> = wrong
        .into_iter()
        .filter(|(_, is_readable)| !is_readable)
        .map(|(field, _)| format!("spec.resourceAttributes.{field} ignored due to parse error"))
        .collect();
    match &errors[..] {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("[{}]", several.join(", "))),
    }
}

/// Everything a user may do in a namespace.
pub(super) fn rules(authorizer: &Authorizer, user: &User, namespace: &str) -> Value {
    let Some(roles) = authorizer.roles() else {
        return listed(&PolicyRule::everything());
    };
    let found = roles.rules_of(user, namespace);
    let mut status = listed(&found.rules);
    if !found.not_found.is_empty() {
        status["evaluationError"] = Missing(&found.not_found).to_string().into();
    }
    status
}

fn listed(rules: &[PolicyRule]) -> Value {
    json!({
        "resourceRules": rules.iter().filter_map(PolicyRule::resource_rule).collect::<Vec<_>>(),
        "nonResourceRules": rules.iter().filter_map(PolicyRule::non_resource_rule).collect::<Vec<_>>(),
        "incomplete": false,
    })
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
