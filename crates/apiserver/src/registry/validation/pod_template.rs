//! Templates of pods, and the selector that has to select them.

use crate::registry::subresources::selector;
use crate::registry::validation::field::Field;
use crate::registry::validation::{go_json, label_selector, metadata, pod_spec};
use crate::response::status::FieldError;

/// The selector and the template of pods that it has to select.
pub(crate) fn selected(spec: &Field<'_>, what: &str, runner: &str) -> Vec<FieldError> {
    let mut wrong = selector_errors(spec, what);
    wrong.extend(errors(&spec.field("template")));
    wrong.extend(always_running(&spec.field("template").field("spec"), runner));
    wrong
}

/// What is wrong with a selector, and with what it is to select.
pub(crate) fn selector_errors(spec: &Field<'_>, what: &str) -> Vec<FieldError> {
    let (asked, template) = (spec.field("selector"), spec.field("template"));
    let labels = template.field("metadata").field("labels");
    let mut errors = Vec::new();
    if asked.value.is_null() {
        // For a DaemonSet the only error is that its pods are not selected.
        errors.extend(asked.required().filter(|_| what != "daemonset"));
        errors.push(labels.wrong("`selector` does not match template `labels`"));
    } else if asked.is_empty() {
        errors.push(asked.wrong(&format!("empty selector is invalid for {what}")));
    } else {
        let wrong = label_selector::errors(&asked);
        if !wrong.is_empty() {
            errors.extend(wrong);
            errors.push(FieldError::invalid(&asked.path, &go_json::selector(asked.value), "invalid label selector"));
        } else if !selector::matches(asked.value, Some(labels.value)) {
            errors.push(labels.wrong("`selector` does not match template `labels`"));
        }
    }
    errors
}

/// Pods that are to be there for good do not end on their own.
pub(crate) fn always_running(pods: &Field<'_>, runner: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let policy = pods.field("restartPolicy");
    if matches!(policy.text(), "Never" | "OnFailure") {
        errors.extend(policy.one_of(&["Always"]));
    }
    let deadline = pods.field("activeDeadlineSeconds");
    if !deadline.value.is_null() {
        errors.push(deadline.forbidden(&format!("activeDeadlineSeconds in {runner} is not Supported")));
    }
    errors
}

/// What is wrong with a template.
pub(crate) fn errors(template: &Field<'_>) -> Vec<FieldError> {
    errors_with(template, &template.field("spec"))
}

/// What is wrong with a template whose pods get this spec.
pub(crate) fn errors_with(template: &Field<'_>, pods: &Field<'_>) -> Vec<FieldError> {
    let labels = template.field("metadata").field("labels");
    // Here a step of the path is left out.
    let mut errors = metadata::labels(&format!("{}.labels", template.path), Some(labels.value));
    let annotations = template.field("metadata").field("annotations");
    errors.extend(metadata::annotations_at(&format!("{}.annotations", template.path), Some(annotations.value)));
    errors.extend(pod_spec::errors(pods));
    let ephemeral = pods.field("ephemeralContainers");
    if !ephemeral.is_empty() {
        errors.push(ephemeral.forbidden("ephemeral containers not allowed in pod template"));
    }
    errors
}
