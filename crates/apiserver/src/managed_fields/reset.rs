//! The fields that a path does not write, whatever is sent to it, and that no manager can own through it.

use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::managed_fields::merge::FieldSet;

/// Fields by their paths: a field of the object, or one of its metadata.
pub(crate) type ResetFields = &'static [&'static [&'static str]];

/// The fields that a write to this target leaves as they are.
pub(super) fn fields(target: &ResolvedTarget) -> FieldSet {
    FieldSet::of_fields(paths(target))
}

/// Puts back fields as they were.
pub(crate) fn restore(fields: ResetFields, before: &Object, object: &mut Object) {
    for path in fields {
        match path {
            ["metadata", field] => object.put_meta(field, before.metadata().get(*field).cloned()),
            [field] => object.put(field, before.get(field).cloned()),
            _ => {}
        }
    }
}

fn paths(target: &ResolvedTarget) -> ResetFields {
    let kind = &target.kind;
    match target.subresource.as_deref() {
        None if kind.has_status() && !kind.storage.keeps_status => &[&["status"]],
        Some("status") => kind.strategy.status_reset_fields(),
        _ => &[],
    }
}
