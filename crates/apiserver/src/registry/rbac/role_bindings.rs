//! RoleBindings and ClusterRoleBindings: who has a role; which one stays as it is.

use serde_json::Value;

use crate::authorization::GROUP;
use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::names::{self, NameRule};
use crate::response::status::FieldError;
use crate::response::table::cells::{items, said};
use crate::response::table::columns::Column;

/// The strategy of both.
#[derive(Debug)]
pub(super) struct RoleBindings;

impl Strategy for RoleBindings {
    fn name_rule(&self) -> NameRule {
        NameRule::PathSegment
    }

    fn validate(&self, kind: &Kind, binding: &Object) -> Vec<FieldError> {
        errors(kind, binding)
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("roleRef", Printed::RoleReference)]
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::computed("Role", role),
            Column::age(),
            Column::computed("Users", |binding| subjects(binding, "User")).wide(),
            Column::computed("Groups", |binding| subjects(binding, "Group")).wide(),
            Column::computed("ServiceAccounts", |binding| subjects(binding, "ServiceAccount")).wide(),
        ]
    }
}

/// What is wrong with a RoleBinding or ClusterRoleBinding.
fn errors(kind: &Kind, object: &Object) -> Vec<FieldError> {
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

fn role(binding: &Value) -> Value {
    format!("{}/{}", said(binding, "/roleRef/kind"), said(binding, "/roleRef/name")).into()
}

fn subjects(binding: &Value, kind: &str) -> Value {
    let of_kind = items(binding, "/subjects").filter(|subject| subject["kind"] == kind);
    let texts: Vec<String> = of_kind
        .map(|subject| match kind {
            "ServiceAccount" => format!("{}/{}", said(subject, "/namespace"), said(subject, "/name")),
            _ => said(subject, "/name").to_owned(),
        })
        .collect();
    texts.join(", ").into()
}
