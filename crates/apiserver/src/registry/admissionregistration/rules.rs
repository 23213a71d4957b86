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

/// Resources and subresources; what a star covers is not named after it.
fn resources(list: &Field<'_>) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = list.required().into_iter().collect();
    let named: Vec<Field<'_>> = list.items().collect();
    for (place, item) in named.iter().enumerate() {
        errors.extend(item.required());
        let Some((resource, subresource)) = item.text().split_once('/') else { continue };
        let stars = [format!("{resource}/*"), format!("*/{subresource}")];
        let before = |star: &&String| named[..place].iter().any(|earlier| earlier.text() == *star);
        let why = |star: &String| format!("if '{star}' is present, must not specify {}", item.text());
        errors.extend(stars.iter().filter(before).map(|star| item.wrong_text(&why(star))));
    }
    let has = |wanted: &str| named.iter().any(|item| item.text() == wanted);
    if named.len() > 1 && has("*/*") {
        errors.push(list.wrong("if '*/*' is present, must not specify other resources"));
    }
    // kube-apiserver judges by the last of those that have no slash.
    let last = named.iter().map(Field::text).rfind(|text| !text.is_empty() && !text.contains('/'));
    if has("*") && last != Some("*") {
        errors.push(list.wrong("if '*' is present, must not specify other resources without subresources"));
    }
    errors
}
