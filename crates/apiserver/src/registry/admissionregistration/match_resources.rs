//! What policies and bindings are about: `matchConstraints`, `matchResources`, `paramKind` and `paramRef`.

use crate::registry::admissionregistration::rules;
use crate::registry::validation::field::Field;
use crate::registry::validation::{label_selector, names};
use crate::response::status::FieldError;

/// What is wrong with `matchConstraints` or `matchResources`.
pub(super) fn errors(resources: &Field<'_>) -> Vec<FieldError> {
    if resources.value.is_null() {
        return Vec::new();
    }
    let policy = resources.field("matchPolicy");
    let mut errors: Vec<FieldError> = policy.required().into_iter().collect();
    errors.extend(policy.one_of(&["Equivalent", "Exact"]));
    for selector in ["namespaceSelector", "objectSelector"] {
        errors.extend(label_selector::errors(&resources.field(selector)));
    }
    for rules in ["resourceRules", "excludeResourceRules"] {
        errors.extend(resources.field(rules).items().flat_map(|rule| named_rule(&rule)));
    }
    errors
}

fn named_rule(rule: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for name in rule.field("resourceNames").items() {
        errors.extend(names::path_segment(name.text()).iter().map(|why| name.wrong_text(why)));
        if seen.contains(&name.text()) {
            errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        }
        seen.push(name.text());
    }
    errors.extend(rules::errors(rule));
    errors
}

/// What a mutating policy may not be about: only what is created or updated can be changed.
pub(super) fn mutable_operations(resources: &Field<'_>) -> Vec<FieldError> {
    let path = format!("{}.resourceRules.operations", resources.path);
    let known = ["*", "CONNECT", "CREATE", "UPDATE"];
    let operations = resources.field("resourceRules").items().flat_map(|rule| rule.field("operations").items());
    let others = operations.filter(|operation| !known.contains(&operation.text()));
    others.map(|operation| FieldError::not_supported(&path, operation.text(), &known)).collect()
}

/// What is wrong with `paramKind`.
pub(super) fn param_kind(kind: &Field<'_>) -> Vec<FieldError> {
    if kind.value.is_null() {
        return Vec::new();
    }
    let (api_version, name) = (kind.field("apiVersion"), kind.field("kind"));
    let mut errors = group_version(&api_version);
    errors.extend(name.required());
    let wrong = if name.is_empty() { Vec::new() } else { names::label_1035(&name.text().to_lowercase()) };
    if !wrong.is_empty() {
        let why = format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
        errors.push(name.wrong_text(&why));
    }
    errors
}

fn group_version(api_version: &Field<'_>) -> Vec<FieldError> {
    let text = api_version.text();
    if text.is_empty() {
        return vec![FieldError::required(&api_version.path, "")];
    }
    let (group, version) = match text.split_once('/') {
        Some((_, version)) if version.contains('/') => {
            return vec![api_version.wrong_text(&format!("unexpected GroupVersion string: {text}"))];
        }
        Some(parts) => parts,
        None => ("", text),
    };
    let mut errors = Vec::new();
    let mut refuse = |value: &str, wrong: Vec<String>| {
        if !wrong.is_empty() {
            errors.push(FieldError::invalid_text(&api_version.path, value, &wrong.join(",")));
        }
    };
    if !group.is_empty() {
        refuse(group, names::subdomain(group));
    }
    match version {
        "" => refuse(text, vec!["version must be specified".to_owned()]),
        version => refuse(version, names::label_1035(version)),
    }
    errors
}

/// What is wrong with `paramRef`.
pub(super) fn param_ref(reference: &Field<'_>) -> Vec<FieldError> {
    if reference.value.is_null() {
        return Vec::new();
    }
    let (name, selector) = (reference.field("name"), reference.field("selector"));
    let has_both = !name.is_empty() && !selector.value.is_null();
    let exclusive = |field: &Field<'_>| has_both.then(|| field.forbidden("name and selector are mutually exclusive"));
    let mut errors = name.named(names::path_segment);
    errors.extend(exclusive(&name));
    errors.extend(label_selector::errors(&selector));
    errors.extend(exclusive(&selector));
    if name.is_empty() && selector.value.is_null() {
        errors.push(FieldError::required(&reference.path, "one of name or selector must be specified"));
    }
    let action = reference.field("parameterNotFoundAction");
    errors.extend(action.required());
    errors.extend(action.one_of(&["Deny", "Allow"]));
    errors
}
