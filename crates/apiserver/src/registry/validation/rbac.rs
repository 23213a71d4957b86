//! Roles and what binds them: rules that allow something, targets and roles that can exist.

use serde_json::Value;

use super::field::Field;
use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::validation::names;
use crate::response::status::FieldError;

/// What is wrong with a Role or ClusterRole.
pub(super) fn role(kind: &Kind, object: &Object) -> Vec<FieldError> {
    let rules = Field::of(object, "rules");
    let mut errors: Vec<FieldError> = rules.items().flat_map(|rule| rule_errors(kind, &rule)).collect();
    errors.extend(rules.items().filter_map(|rule| rule.field("verbs").required()));
    errors
}

fn rule_errors(kind: &Kind, rule: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (groups, resources, paths) = (rule.field("apiGroups"), rule.field("resources"), rule.field("nonResourceURLs"));
    if paths.is_empty() {
        errors.extend(groups.required_because("resource rules must supply at least one api group"));
        errors.extend(resources.required_because("resource rules must supply at least one resource"));
        return errors;
    }
    if kind.namespaced {
        errors.push(paths.wrong("namespaced rules cannot apply to non-resource URLs"));
    }
    if !groups.is_empty() || !resources.is_empty() || !rule.field("resourceNames").is_empty() {
        errors.push(paths.wrong("rules cannot apply to both regular resources and non-resource URLs"));
    }
    errors
}

/// What is wrong with a RoleBinding or ClusterRoleBinding.
pub(super) fn binding(kind: &Kind, object: &Object) -> Vec<FieldError> {
    let (role, subjects) = (Field::of(object, "roleRef"), Field::of(object, "subjects"));
    let mut errors = Vec::new();
    let (group, name) = (role.field("apiGroup"), role.field("name"));
    if group.text() != GROUP {
        errors.push(FieldError::not_supported(&group.path, group.text(), &[GROUP]));
    }
    let kinds: &[&str] = if kind.namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    errors.extend(known(&role.field("kind"), kinds));
    errors.extend(name.named(names::path_segment));
    for subject in subjects.items() {
        errors.extend(subject_errors(kind, &subject));
    }
    errors.extend(subjects.items().filter_map(|subject| subject.field("name").required()));
    errors.extend(name.required());
    errors
}

fn subject_errors(kind: &Kind, subject: &Field<'_>) -> Vec<FieldError> {
    let (name, group) = (subject.field("name"), subject.field("apiGroup"));
    let of_group = |wanted: &str| {
        let is_other = group.text() != wanted;
        is_other.then(|| FieldError::not_supported(&group.path, group.text(), &[wanted]))
    };
    match subject.field("kind").text() {
        "ServiceAccount" => {
            let mut errors = name.subdomain();
            errors.extend(of_group(""));
            if !kind.namespaced {
                errors.extend(subject.field("namespace").required());
            }
            errors
        }
        // Left out, it is meant.
        "User" | "Group" => of_group(GROUP).filter(|_| !group.is_empty()).into_iter().collect(),
        _ => known(&subject.field("kind"), &["ServiceAccount", "User", "Group"]).into_iter().collect(),
    }
}

/// One of these, and nothing is none of them.
fn known(spot: &Field<'_>, known: &[&str]) -> Option<FieldError> {
    let is_known = matches!(spot.value, Value::String(text) if known.contains(&text.as_str()));
    (!is_known).then(|| FieldError::not_supported(&spot.path, spot.text(), known))
}

const GROUP: &str = "rbac.authorization.k8s.io";
