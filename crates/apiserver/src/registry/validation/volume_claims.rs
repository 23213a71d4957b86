//! Claims of storage: how they are used, how much they ask for.

use super::field::Field;
use super::workloads;
use crate::codec::object::Object;
use crate::response::status::FieldError;

/// What is wrong with a PersistentVolumeClaim.
pub(super) fn claim(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let modes = spec.field("accessModes");
    let mut errors = workloads::selector_errors(&spec.field("selector"));
    errors.extend(modes.required_because("at least 1 access mode is required"));
    for mode in modes.items() {
        errors.extend(Field { path: modes.path.clone(), ..mode }.one_of(MODES));
    }
    if modes.items().count() > 1 && modes.items().any(|mode| mode.text() == "ReadWriteOncePod") {
        errors.push(modes.forbidden("may not use ReadWriteOncePod with other access modes"));
    }
    let size = spec.field("resources").field("requests").field("storage");
    // Its path leaves out a step.
    let size = Field { path: "spec.resources[storage]".to_owned(), ..size };
    errors.extend(size.required());
    if size.text() == "0" || size.text().starts_with('-') {
        errors.push(size.wrong("must be greater than zero"));
    }
    errors.extend(spec.field("storageClassName").subdomain());
    errors.extend(spec.field("volumeMode").one_of(&["Block", "Filesystem"]));
    errors
}

/// How a volume can be used, and by how many.
pub(super) const MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
