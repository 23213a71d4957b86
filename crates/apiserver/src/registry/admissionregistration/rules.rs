//! The rules of webhooks and policies: operations, groups, versions and resources.

use crate::registry::validation::field::Field;
use crate::response::status::FieldError;

/// What is wrong with a rule.
pub(super) fn errors(rule: &Field<'_>) -> Vec<FieldError> {
    let operations = rule.field("operations");
    let mut errors = listed(&operations, "operations");
    for operation in operations.items() {
        errors.extend(one_of(&operation, &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]));
    }
    errors.extend(listed(&rule.field("apiGroups"), "API groups"));
    let versions = rule.field("apiVersions");
    errors.extend(listed(&versions, "API versions"));
    errors.extend(versions.items().filter_map(|version| version.required()));
    errors.extend(resources(&rule.field("resources")));
    errors.extend(rule.field("scope").one_of(&["*", "Cluster", "Namespaced"]));
    errors
}

/// A text is one of these, which nothing is not.
fn one_of(text: &Field<'_>, known: &[&str]) -> Option<FieldError> {
    (!known.contains(&text.text())).then(|| FieldError::not_supported(&text.path, text.text(), known))
}

/// There is at least one, and where all are meant no single ones.
fn listed(list: &Field<'_>, what: &str) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = list.required().into_iter().collect();
    if list.items().count() > 1 && list.items().any(|item| item.text() == "*") {
        errors.push(list.wrong(&format!("if '*' is present, must not specify other {what}")));
    }
    errors
}

/// Resources and subresources; what a star covers is not named again.
fn resources(list: &Field<'_>) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = list.required().into_iter().collect();
    let (mut starred_subresources, mut starred_resources) = (Vec::new(), Vec::new());
    let mut ends_with_plain_resource = false;
    for item in list.items() {
        errors.extend(item.required());
        let text = item.text();
        let Some((resource, subresource)) = text.split_once('/') else {
            if !text.is_empty() {
                ends_with_plain_resource = text != "*";
            }
            continue;
        };
        if starred_subresources.contains(&resource) {
            errors.push(item.wrong_text(&format!("if '{resource}/*' is present, must not specify {text}")));
        }
        if starred_resources.contains(&subresource) {
            errors.push(item.wrong_text(&format!("if '*/{subresource}' is present, must not specify {text}")));
        }
        if subresource == "*" {
            starred_subresources.push(resource);
        }
        if resource == "*" {
            starred_resources.push(subresource);
        }
    }
    let has = |wanted: &str| list.items().any(|item| item.text() == wanted);
    if list.items().count() > 1 && has("*/*") {
        errors.push(list.wrong("if '*/*' is present, must not specify other resources"));
    }
    if has("*") && ends_with_plain_resource {
        errors.push(list.wrong("if '*' is present, must not specify other resources without subresources"));
    }
    errors
}
