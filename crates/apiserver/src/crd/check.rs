//! What is wrong with a definition, and what may not change in one, with kube-apiserver's sentences.
//!
//! In: a definition that could be decoded, and the one before it. Out: errors by field. Names are checked because
//! they become paths and types; schemas are not, since they are not applied yet.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::definition::{Names, Spec};
use crate::names::{label_1035, subdomain};
use crate::object::Object;
use crate::status::FieldError;

/// What is wrong with a definition by itself.
pub(super) fn errors(object: &Object, spec: &Spec) -> Vec<FieldError> {
    let mut errors = name_errors(&spec.names);
    errors.extend(group_error(&spec.group));
    let expected = format!("{}.{}", spec.names.plural, spec.group);
    if errors.is_empty() && object.name() != expected {
        let why = "must be spec.names.plural+\".\"+spec.group";
        errors.push(invalid("metadata.name", object.name(), why));
    }
    match spec.scope.as_str() {
        "Cluster" | "Namespaced" => {}
        "" => errors.push(FieldError::required("spec.scope", "")),
        other => errors.push(FieldError::not_supported("spec.scope", other, &["Cluster", "Namespaced"])),
    }
    errors.extend(version_errors(spec));
    errors.extend(approval_error(object, spec));
    errors
}

/// What cannot become of the definition before: objects are stored under the names it had.
pub(super) fn changes(before: &Object, spec: &Spec) -> Vec<FieldError> {
    let Some(Ok(old)) = before.get("spec").map(Spec::read) else {
        return Vec::new();
    };
    let is_established = is_established(before);
    let fields = [
        ("spec.group", &spec.group, &old.group, true),
        ("spec.names.plural", &spec.names.plural, &old.names.plural, true),
        ("spec.scope", &spec.scope, &old.scope, is_established),
        ("spec.names.kind", &spec.names.kind, &old.names.kind, is_established),
    ];
    let mut errors: Vec<FieldError> = fields
        .iter()
        .filter(|(_, new, old, is_fixed)| *is_fixed && new != old)
        .map(|(field, new, ..)| invalid(field, new, "field is immutable"))
        .collect();
    errors.extend(stored_version_errors(before, spec));
    errors
}

/// Whether a definition says of itself that it is served.
pub(super) fn is_established(object: &Object) -> bool {
    conditions(object).any(|it| it["type"] == "Established" && it["status"] == "True")
}

/// A version in which objects may still be stored has to stay.
fn stored_version_errors(before: &Object, spec: &Spec) -> Vec<FieldError> {
    let stored = before.get("status").and_then(|status| status.get("storedVersions"));
    let stored = stored.and_then(Value::as_array).into_iter().flatten();
    let missing = stored.filter_map(Value::as_str).enumerate();
    missing
        .filter(|(_, name)| !spec.versions.iter().any(|version| version.name == *name))
        .map(|(index, name)| {
            let why = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in \
                 spec.versions until a storage migration ensures no data remains persisted in {name} and removes \
                 {name} from status.storedVersions"
            );
            invalid(&format!("status.storedVersions[{index}]"), name, &why)
        })
        .collect()
}

fn conditions(object: &Object) -> impl Iterator<Item = &Value> {
    let conditions = object.get("status").and_then(|status| status.get("conditions"));
    conditions.and_then(Value::as_array).into_iter().flatten()
}

fn name_errors(names: &Names) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (field, name) in [("spec.names.plural", &names.plural), ("spec.names.kind", &names.kind)] {
        if name.is_empty() {
            errors.push(FieldError::required(field, ""));
        }
    }
    let exact = [("plural", &names.plural), ("singular", &names.singular)].into_iter();
    let exact = exact.chain(names.short_names.iter().map(|name| ("shortNames", name)));
    for (field, name) in exact.chain(names.categories.iter().map(|name| ("categories", name))) {
        errors.extend(label_error(&format!("spec.names.{field}"), name, name));
    }
    for (field, name) in [("kind", &names.kind), ("listKind", &names.list_kind)] {
        errors.extend(label_error(&format!("spec.names.{field}"), name, &name.to_lowercase()));
    }
    if !names.kind.is_empty() && names.kind == names.list_kind {
        let why = "kind and listKind may not be the same";
        errors.push(invalid("spec.names.listKind", &names.list_kind, why));
    }
    errors
}

/// Whether a name, spelled in lower case, is a label; an empty one has been left out.
fn label_error(field: &str, name: &str, lower: &str) -> Option<FieldError> {
    let why = label_1035(lower).into_iter().next().filter(|_| !name.is_empty())?;
    Some(invalid(field, name, &why))
}

fn group_error(group: &str) -> Option<FieldError> {
    if group.is_empty() {
        return Some(FieldError::required("spec.group", ""));
    }
    let dotted = "should be a domain with at least one dot".to_owned();
    let why = subdomain(group).into_iter().next().or_else(|| (!group.contains('.')).then_some(dotted))?;
    Some(invalid("spec.group", group, &why))
}

fn version_errors(spec: &Spec) -> Vec<FieldError> {
    let names: Vec<&str> = spec.versions.iter().map(|version| version.name.as_str()).collect();
    let storage = spec.versions.iter().filter(|version| version.storage).count();
    let mut errors = Vec::new();
    let mut refuse = |why: &str| errors.push(FieldError::invalid("spec.versions", &json!(names).to_string(), why));
    if storage != 1 {
        refuse("must have exactly one version marked as storage version");
    }
    if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
        refuse("must contain unique version names");
    }
    for (index, version) in spec.versions.iter().enumerate() {
        for why in label_1035(&version.name) {
            errors.push(invalid(&format!("spec.versions[{index}].name"), &version.name, &why));
        }
        let schema = version.schema.as_ref().and_then(|schema| schema.get("openAPIV3Schema"));
        if schema.is_none() {
            let field = format!("spec.versions[{index}].schema.openAPIV3Schema");
            errors.push(FieldError::required(&field, "schemas are required"));
        }
    }
    errors
}

/// Kubernetes' own groups are kept for what its reviewers have seen.
fn approval_error(object: &Object, spec: &Spec) -> Option<FieldError> {
    let is_protected = [".k8s.io", ".kubernetes.io"].iter().any(|suffix| spec.group.ends_with(suffix))
        || matches!(spec.group.as_str(), "k8s.io" | "kubernetes.io");
    let approved = object.metadata().get("annotations").and_then(|all| all.get(APPROVED)).is_some();
    (is_protected && !approved).then(|| {
        let why = format!(
            "protected groups must have approval annotation \"{APPROVED}\", see \
             https://github.com/kubernetes/enhancements/pull/1111"
        );
        FieldError::required(&format!("metadata.annotations[{APPROVED}]"), &why)
    })
}

fn invalid(field: &str, value: &str, why: &str) -> FieldError {
    FieldError::invalid(field, &format!("{value:?}"), why)
}

const APPROVED: &str = "api-approved.kubernetes.io";
