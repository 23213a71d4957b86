//! What is wrong with a definition, and what may not change in one, with kube-apiserver's sentences and in its order.
//!
//! In: a definition whose defaults are filled in, and the one before it. Out: errors by field. What versions state alike is
//! looked at once, for all of them ([`per_version`]); whether a schema is structural is checked by `schema_validation`.

mod conversion;
mod go_value;
mod per_version;
mod selectable_fields;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::definition::{Names, Spec};
use crate::codec::object::Object;
use crate::registry::validation::names::{label_1035, subdomain};
use crate::response::status::FieldError;
use per_version::PerVersion;

/// What is wrong with a new definition.
pub(super) fn of_new(object: &Object, spec: &Spec) -> Vec<FieldError> {
    let expected = format!("{}.{}", spec.names.plural, spec.group);
    let mut errors = Vec::new();
    if !object.name().is_empty() && object.name() != expected {
        let why = "must be spec.names.plural+\".\"+spec.group";
        errors.push(FieldError::invalid_text("metadata.name", object.name(), why));
    }
    errors.extend(spec_errors(object, spec));
    errors.extend(of_any(object, spec));
    errors
}

/// What is wrong with a definition that is to take the place of the one before: objects are stored under the names it had.
pub(super) fn of_change(before: &Object, object: &Object, spec: &Spec) -> Vec<FieldError> {
    let mut errors = spec_errors(object, spec);
    if let Some(Ok(old)) = before.get("spec").map(Spec::read) {
        let is_established = is_established(before);
        let fields = [
            ("spec.scope", &spec.scope, &old.scope, is_established),
            ("spec.names.kind", &spec.names.kind, &old.names.kind, is_established),
            ("spec.group", &spec.group, &old.group, true),
            ("spec.names.plural", &spec.names.plural, &old.names.plural, true),
        ];
        let changed = fields.iter().filter(|(_, new, old, is_fixed)| *is_fixed && new != old);
        errors.extend(changed.map(|(field, new, ..)| FieldError::invalid_text(field, new, "field is immutable")));
    }
    errors.extend(of_any(object, spec));
    errors
}

/// Whether a definition says of itself that it is served.
pub(super) fn is_established(object: &Object) -> bool {
    let conditions = object.get("status").and_then(|status| status.get("conditions"));
    let mut conditions = conditions.and_then(Value::as_array).into_iter().flatten();
    conditions.any(|it| it["type"] == "Established" && it["status"] == "True")
}

/// What follows the errors of the spec.
fn of_any(object: &Object, spec: &Spec) -> Vec<FieldError> {
    let mut errors = stored_version_errors(object, spec);
    errors.extend(approval_error(object, spec));
    let value = object.get("spec");
    if value.and_then(|spec| spec.get("preserveUnknownFields")).and_then(Value::as_bool) == Some(true) {
        let why =
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        errors.push(FieldError::invalid("spec.preserveUnknownFields", "true", why));
    }
    errors
}

fn spec_errors(object: &Object, spec: &Spec) -> Vec<FieldError> {
    let value = object.get("spec").unwrap_or(&Value::Null);
    let stated = PerVersion::of(value);
    let mut errors: Vec<FieldError> = group_error(&spec.group).into_iter().collect();
    match spec.scope.as_str() {
        "Cluster" | "Namespaced" => {}
        "" => errors.push(FieldError::required("spec.scope", "")),
        other => errors.push(FieldError::not_supported("spec.scope", other, &["Cluster", "Namespaced"])),
    }
    errors.extend(version_errors(spec, &stated));
    errors.extend(name_errors(&spec.names));
    errors.extend(stated.common_errors());
    errors.extend(conversion::errors(value.get("conversion").unwrap_or(&Value::Null)));
    errors
}

fn version_errors(spec: &Spec, stated: &PerVersion<'_>) -> Vec<FieldError> {
    let mut errors = stated.missing_schemas();
    for (place, version) in spec.versions.iter().enumerate() {
        errors.extend(label_error(&format!("spec.versions[{place}].name"), &version.name));
        errors.extend(stated.errors_of(place));
    }
    let names: BTreeSet<&str> = spec.versions.iter().map(|version| version.name.as_str()).collect();
    let mut refuse = |why: &str| errors.push(FieldError::invalid("spec.versions", &stated.print(), why));
    if names.len() < spec.versions.len() {
        refuse("must contain unique version names");
    }
    if spec.versions.iter().filter(|version| version.storage).count() != 1 {
        refuse("must have exactly one version marked as storage version");
    }
    if let Some(first) = spec.versions.first() {
        errors.extend(label_error("spec.version", &first.name));
    }
    errors
}

/// A version in which objects are or may still be stored has to exist and be listed.
fn stored_version_errors(object: &Object, spec: &Spec) -> Vec<FieldError> {
    let path = "status.storedVersions";
    let stored = object.get("status").and_then(|status| status.get("storedVersions")).and_then(Value::as_array);
    let stored: Vec<&str> = stored.into_iter().flatten().filter_map(Value::as_str).collect();
    if stored.is_empty() {
        return vec![FieldError::invalid(path, "null", "must have at least one stored version")];
    }
    let mut errors = Vec::new();
    for version in spec.versions.iter().filter(|version| version.storage && !stored.contains(&version.name.as_str())) {
        let why = format!("must have the storage version {}", version.name);
        errors.push(FieldError::invalid(path, &json!(stored).to_string(), &why));
    }
    let is_stated = |name: &str| spec.versions.iter().any(|version| version.name == name);
    for (place, name) in stored.iter().enumerate().filter(|(_, name)| !is_stated(name)) {
        let why = format!(
            "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until \
             a storage migration ensures no data remains persisted in {name} and removes {name} from \
             status.storedVersions"
        );
        errors.push(FieldError::invalid_text(&format!("{path}[{place}]"), name, &why));
    }
    errors
}

fn name_errors(names: &Names) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let all = [
        ("plural", &names.plural),
        ("singular", &names.singular),
        ("kind", &names.kind),
        ("listKind", &names.list_kind),
    ];
    for (field, _) in all.iter().filter(|(_, name)| name.is_empty()) {
        errors.push(FieldError::required(&format!("spec.names.{field}"), ""));
    }
    let (resources, kinds) = all.split_at(2);
    for (field, name) in resources {
        errors.extend(label_error(&format!("spec.names.{field}"), name));
    }
    for (field, name) in kinds.iter().filter(|(_, name)| !name.is_empty()) {
        for why in label_1035(&name.to_lowercase()) {
            let why = format!("may have mixed case, but should otherwise match: {why}");
            errors.push(FieldError::invalid_text(&format!("spec.names.{field}"), name, &why));
        }
    }
    errors.extend(list_errors("spec.names.shortNames", &names.short_names));
    if !names.kind.is_empty() && names.kind == names.list_kind {
        let why = "kind and listKind may not be the same";
        errors.push(FieldError::invalid_text("spec.names.listKind", &names.list_kind, why));
    }
    errors.extend(list_errors("spec.names.categories", &names.categories));
    errors
}

fn list_errors(path: &str, names: &[String]) -> Vec<FieldError> {
    let wrong = |(place, name): (usize, &String)| {
        let why = label_1035(name).join(",");
        (!why.is_empty()).then(|| FieldError::invalid_text(&format!("{path}[{place}]"), name, &why))
    };
    names.iter().enumerate().filter_map(wrong).collect()
}

/// Whether a name is a label; an empty one has been left out.
fn label_error(field: &str, name: &str) -> Option<FieldError> {
    let why = label_1035(name).join(",");
    (!name.is_empty() && !why.is_empty()).then(|| FieldError::invalid_text(field, name, &why))
}

fn group_error(group: &str) -> Option<FieldError> {
    if group.is_empty() {
        return Some(FieldError::required("spec.group", ""));
    }
    let dotted = "should be a domain with at least one dot".to_owned();
    let why = Some(subdomain(group).join(",")).filter(|why| !why.is_empty());
    let why = why.or_else(|| (!group.contains('.')).then_some(dotted))?;
    Some(FieldError::invalid_text("spec.group", group, &why))
}

/// Kubernetes' own groups are kept for what its reviewers have seen.
fn approval_error(object: &Object, spec: &Spec) -> Option<FieldError> {
    let is_protected = is_protected(&spec.group);
    let approved = object.metadata().get("annotations").and_then(|all| all.get(APPROVED)).is_some();
    (is_protected && !approved).then(|| {
        let why = format!(
            "protected groups must have approval annotation \"{APPROVED}\", see \
             https://github.com/kubernetes/enhancements/pull/1111"
        );
        FieldError::required(&format!("metadata.annotations[{APPROVED}]"), &why)
    })
}

/// The condition that says how a definition in one of Kubernetes' own groups was approved; others have none.
pub(super) fn approval(object: &Object) -> Option<Value> {
    object.at("/spec/group").and_then(Value::as_str).filter(|group| is_protected(group))?;
    let said = object.metadata().get("annotations").and_then(|all| all.get(APPROVED)).and_then(Value::as_str)?;
    let (status, reason, message) = if said.starts_with("unapproved") {
        ("False", "UnapprovedAnnotation", format!("not approved: {said:?}"))
    } else {
        ("True", "ApprovedAnnotation", format!("approved in {said}"))
    };
    Some(json!({
        "type": "KubernetesAPIApprovalPolicyConformant", "status": status, "reason": reason, "message": message,
    }))
}

fn is_protected(group: &str) -> bool {
    [".k8s.io", ".kubernetes.io"].iter().any(|suffix| group.ends_with(suffix) || group == &suffix[1..])
}

const APPROVED: &str = "api-approved.kubernetes.io";
