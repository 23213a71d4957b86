//! The fields that a path does not write, whatever is sent to it, and that no manager can own through it.

use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::managed_fields::merge::FieldSet;

/// The fields that a write to this target leaves as they are.
pub(super) fn fields(target: &ResolvedTarget) -> FieldSet {
    FieldSet::of_fields(paths(target))
}

/// Puts back what a write to this target leaves as it is.
pub(crate) fn restore(target: &ResolvedTarget, before: &Object, object: &mut Object) {
    for path in paths(target) {
        match path {
            ["metadata", field] => object.put_meta(field, before.metadata().get(*field).cloned()),
            [field] => object.put(field, before.get(field).cloned()),
            _ => {}
        }
    }
}

fn paths(target: &ResolvedTarget) -> &'static [&'static [&'static str]] {
    let kind = &target.kind;
    match target.subresource.as_deref() {
        None if kind.has_status() && !kind.storage.keeps_status => &[&["status"]],
        Some("status") if kind.is_custom() => &[&["metadata"], &["spec"]],
        Some("status") => {
            let special = SPECIAL.iter().find(|(group, plural, _)| kind.is(group, plural));
            special.map_or(&[&["spec"]], |(_, _, paths)| paths)
        }
        _ => &[],
    }
}

/// Kinds whose status path leaves more alone than the spec.
const SPECIAL: &[(&str, &str, &[&[&str]])] = &[
    ("", "pods", &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]]),
    ("apps", "deployments", &[&["spec"], &["metadata", "labels"]]),
    ("apiextensions.k8s.io", "customresourcedefinitions", &[&["spec"], &["metadata"]]),
    ("apiregistration.k8s.io", "apiservices", &[&["spec"], &["metadata"]]),
];
