//! Roles and ClusterRoles: what may be done, by rules that allow something; and of which others a ClusterRole is made.

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::label_selector;
use crate::registry::validation::names::NameRule;
use crate::response::status::FieldError;

/// The strategy of Roles.
#[derive(Debug)]
pub(super) struct Roles;

impl Strategy for Roles {
    fn name_rule(&self) -> NameRule {
        NameRule::PathSegment
    }

    fn validate(&self, kind: &Kind, role: &Object) -> Vec<FieldError> {
        errors(kind, role)
    }
}

/// The strategy of ClusterRoles.
#[derive(Debug)]
pub(super) struct ClusterRoles;

impl Strategy for ClusterRoles {
    fn name_rule(&self) -> NameRule {
        NameRule::PathSegment
    }

    fn validate(&self, kind: &Kind, role: &Object) -> Vec<FieldError> {
        let mut errors = errors(kind, role);
        errors.extend(aggregation_errors(role));
        errors
    }
}

/// What is wrong with a Role or ClusterRole.
fn errors(kind: &Kind, object: &Object) -> Vec<FieldError> {
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

/// What is wrong with the labels that choose the parts of an aggregated ClusterRole.
fn aggregation_errors(object: &Object) -> Vec<FieldError> {
    let rule = Field::of(object, "aggregationRule");
    if rule.value.is_null() {
        return Vec::new();
    }
    let selectors = rule.field("clusterRoleSelectors");
    let mut errors: Vec<FieldError> = Vec::new();
    errors
        .extend(selectors.required_because("at least one clusterRoleSelector required if aggregationRule is non-nil"));
    for selector in selectors.items() {
        let wrong = label_selector::errors(&selector);
        let is_wrong = !wrong.is_empty();
        errors.extend(wrong);
        errors.extend(is_wrong.then(|| FieldError::invalid(&selector.path, "null", "invalid label selector.")));
    }
    errors
}
