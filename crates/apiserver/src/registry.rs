//! The registry: what is checked and changed between a request body and the store.
//!
//! ```text
//!  body ─► create ───────────────────────────────────┐
//!       ─► update, patch, apply ─► guaranteed_update ─┼─► strategy ─► validation ─► store
//!       ─► delete ───────────────────────────────────┤
//!       ─► subresources: scale, binding, eviction, … ─┘
//!       ─► reviews: answered and never stored
//! ```
//! In: a target and a body. Out: a stored entry or a refusal. This file holds what the verbs share: the checks that a body
//! belongs to its path. What is special about a kind is in its [`strategy`], one file per kind in a folder per group, as in
//! kube-apiserver: `core/pods.rs`, `apps/deployments.rs`; custom resources have theirs in `custom_resource`. `validation` has
//! the rules that kinds share, `field_validation` decides about unknown and duplicate fields. Who owns which field is in
//! `managed_fields`. More files than elsewhere, because there are that many groups.

mod admissionregistration;
mod apiextensions;
mod apiregistration;
pub(crate) mod apply;
mod apps;
mod autoscaling;
mod batch;
pub(crate) mod certificates;
mod coordination;
pub(crate) mod core;
pub(crate) mod create;
pub(crate) mod custom_resource;
pub(crate) mod delete;
mod discovery;
mod events;
pub(crate) mod field_validation;
pub(crate) mod guaranteed_update;
mod networking;
mod node;
pub(crate) mod owner_references;
pub(crate) mod patch;
mod policy;
#[cfg(test)]
mod published_checks;
mod rbac;
mod resource;
mod reviews;
mod scheduling;
mod storage;
pub(crate) mod storage_key;
pub(crate) mod strategy;
pub(crate) mod subresources;
pub(crate) mod update;
pub(crate) mod validation;
pub(crate) mod write;

use pintle_wire::facts;
use serde_json::Value;

use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::codec::typed;
use crate::response::status::{Answer, Refusal, bad_request};

/// Makes an object of a decoded body, or says what is wrong with it.
pub(crate) fn object(target: &ResolvedTarget, value: Value) -> Answer<Object> {
    // To Go, null is an object of which nothing was said.
    let value = if value.is_null() { Value::Object(serde_json::Map::new()) } else { value };
    let mut object = Object::from_value(value).ok_or_else(|| {
        bad_request(format!(
            "the body is no {}: a JSON object with an object as metadata is expected",
            target.kind.kind
        ))
    })?;
    check_type(target, &mut object)?;
    check_namespace(target, &mut object)?;
    typed::fill_in(target, &mut object);
    target.kind.strategy.complete_body(target, &mut object);
    Ok(object)
}

/// The type in the body is the path's; a body without one gets it.
fn check_type(target: &ResolvedTarget, object: &mut Object) -> Answer<()> {
    let (expected, kind) = target.body_type();
    if is_another_custom_kind(target, object) {
        return Ok(());
    }
    check_type_said(target, object.text("apiVersion"), object.text("kind"))?;
    object.set("apiVersion", expected.into());
    object.set("kind", kind.into());
    Ok(())
}

/// Whether a custom resource says that it is of another kind of its group, which validation refuses.
pub(crate) fn is_another_custom_kind(target: &ResolvedTarget, object: &Object) -> bool {
    let kind = &target.kind;
    let group = object.text("apiVersion").split_once('/').map(|(group, _)| group);
    let said = object.text("kind");
    kind.is_custom()
        && target.body_type().1 == kind.kind
        && !said.is_empty()
        && said != kind.kind
        && group == Some(kind.group.as_str())
}

/// The type that a decoded body says it is of is the path's, if it says one.
pub(crate) fn check_value_type(target: &ResolvedTarget, value: &Value) -> Answer<()> {
    check_type_said(target, type_text(value, "apiVersion"), type_text(value, "kind"))
}

/// `apiVersion` or `kind` as Go's own reader of JSON finds them, which does not mind capitals.
pub(crate) fn type_text<'a>(value: &'a Value, field: &str) -> &'a str {
    let said = value.get(field).or_else(|| {
        let fields = value.as_object()?;
        fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(field)).map(|(_, value)| value)
    });
    said.and_then(Value::as_str).unwrap_or_default()
}

fn check_type_said(target: &ResolvedTarget, found: &str, found_kind: &str) -> Answer<()> {
    let (expected, kind) = target.body_type();
    let found = if found.is_empty() { expected.as_str() } else { found };
    let found_kind = if found_kind.is_empty() { kind } else { found_kind };
    if is_foreign(target, found, found_kind) {
        let version = found.rsplit('/').next().unwrap_or_default();
        let why = foreign_type(target, found, found_kind).map(|why| format!(": {why}")).unwrap_or_default();
        return Err(bad_request(format!("{found_kind} in version \"{version}\" cannot be handled as a {kind}{why}")));
    }
    if found != expected {
        return Err(bad_request(format!(
            "the API version in the data ({found}) does not match the expected API version ({expected})"
        )));
    }
    Ok(())
}

fn is_foreign(target: &ResolvedTarget, found: &str, found_kind: &str) -> bool {
    let (expected, kind) = target.body_type();
    found_kind != kind || (found != expected && !target.kind.is_custom() && facts::kind_of(found, kind).is_none())
}

/// Why an object that was patched into another type of Kubernetes' own is not what is wanted here.
fn patched_away(target: &ResolvedTarget, value: &Value) -> Option<String> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    let (found, kind) = (text("apiVersion"), text("kind"));
    if found.is_empty() || kind.is_empty() || !is_foreign(target, found, kind) {
        return None;
    }
    foreign_type(target, found, kind)
}

/// Why an object of another type is not what is wanted here, in Go's words; custom resources have none.
fn foreign_type(target: &ResolvedTarget, found: &str, found_kind: &str) -> Option<String> {
    if target.kind.is_custom() {
        return None;
    }
    if facts::kind_of(found, found_kind).is_none() && found_kind != "List" {
        return Some(no_such_kind(found, found_kind));
    }
    let (expected, kind) = target.body_type();
    let package = expected.split_once('/').map_or("core", |(group, _)| group.split('.').next().unwrap_or_default());
    let version = found.rsplit('/').next().unwrap_or_default();
    Some(format!("converting ({version}.{found_kind}) to ({package}.{kind}): unknown conversion"))
}

/// What Go says of a kind that it does not know.
pub(crate) fn no_such_kind(api_version: &str, kind: &str) -> String {
    format!("no kind {kind:?} is registered for version {api_version:?} in scheme \"pkg/runtime/scheme.go:111\"")
}

/// 400: a body of the right kind that cannot be read.
pub(crate) fn cannot_be_handled(target: &ResolvedTarget, why: &str) -> Refusal {
    let (expected, kind) = target.body_type();
    let version = expected.rsplit('/').next().unwrap_or_default();
    bad_request(format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {why}"))
}

/// The namespace in the body is the path's; a body without one gets it, one of a cluster-wide kind loses it.
fn check_namespace(target: &ResolvedTarget, object: &mut Object) -> Answer<()> {
    let found = object.meta("namespace");
    match &target.namespace {
        None => object.put_meta("namespace", None),
        Some(namespace) if found.is_empty() => object.set_meta("namespace", namespace.as_str()),
        Some(namespace) if found == namespace => {}
        Some(_) => {
            return Err(bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
    }
    Ok(())
}

/// The name in the body is the path's.
pub(crate) fn check_name(target: &ResolvedTarget, object: &Object) -> Answer<()> {
    let (found, expected) = (object.name(), target.name());
    if found.is_empty() {
        return Err(bad_request(format!(
            "the name of the object ({expected} based on URL) was undeterminable: name must be provided"
        )));
    }
    if found != expected {
        return Err(bad_request(format!(
            "the name of the object ({found}) does not match the name on the URL ({expected})"
        )));
    }
    Ok(())
}
