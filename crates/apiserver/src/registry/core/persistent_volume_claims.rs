//! PersistentVolumeClaims: how they are used, how much they ask for; once bound, they can only grow.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::codec::typed::quantity::Quantity;
use crate::registry::core::persistent_volumes::{ACCESS_MODES, access_modes, phase};
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::{at, label_selector};
use crate::response::status::FieldError;
use crate::response::table::cells::said;
use crate::response::table::columns::Column;

/// The strategy of PersistentVolumeClaims.
#[derive(Debug)]
pub(super) struct PersistentVolumeClaims;

impl Strategy for PersistentVolumeClaims {
    fn validate(&self, _: &Kind, claim: &Object) -> Vec<FieldError> {
        spec_errors(&Field::of(claim, "spec"))
    }

    fn validate_update(&self, kind: &Kind, before: &Object, claim: &Object) -> Vec<FieldError> {
        let mut errors = self.validate(kind, claim);
        errors.extend(change_error(before, claim));
        errors
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::computed("Status", phase),
            Column::text("Volume", ".spec.volumeName", ""),
            Column::computed("Capacity", capacity),
            Column::computed("Access Modes", given_access_modes),
            Column::text("StorageClass", ".spec.storageClassName", ""),
            Column::text("VolumeAttributesClass", ".spec.volumeAttributesClassName", "<unset>"),
            Column::age(),
            Column::text("VolumeMode", ".spec.volumeMode", "<unset>").wide(),
        ]
    }
}

/// What is wrong with what a claim asks for, wherever it stands.
pub(crate) fn spec_errors(spec: &Field<'_>) -> Vec<FieldError> {
    let modes = spec.field("accessModes");
    let mut errors = label_selector::errors(&spec.field("selector"));
    errors.extend(modes.required_because("at least 1 access mode is required"));
    for mode in modes.items() {
        errors.extend(Field { path: modes.path.clone(), ..mode }.one_of(ACCESS_MODES));
    }
    if modes.items().count() > 1 && modes.items().any(|mode| mode.text() == "ReadWriteOncePod") {
        errors.push(modes.forbidden("may not use ReadWriteOncePod with other access modes"));
    }
    let size = spec.field("resources").field("requests").field("storage");
    // Its path leaves out a step.
    let size = Field { path: format!("{}[storage]", spec.field("resources").path).into(), ..size };
    errors.extend(size.required());
    if size.text() == "0" || size.text().starts_with('-') {
        errors.push(size.wrong("must be greater than zero"));
    }
    errors.extend(spec.field("storageClassName").subdomain());
    errors.extend(spec.field("volumeMode").one_of(&["Block", "Filesystem"]));
    errors
}

/// A claim may be bound, and grow once it is; what it was given, it keeps.
fn change_error(before: &Object, object: &Object) -> Option<FieldError> {
    let is_bound = at(before, "status.phase").is_some_and(|phase| phase == "Bound");
    let frozen = |claim: &Object| {
        let mut spec = claim.get("spec").cloned().unwrap_or_default();
        if at(before, "spec.volumeName").is_none() {
            spec["volumeName"] = Value::Null;
        }
        if is_bound {
            spec["resources"]["requests"] = Value::Null;
            spec["volumeAttributesClassName"] = Value::Null;
        }
        spec
    };
    let why =
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    if frozen(before) != frozen(object) {
        return Some(FieldError::forbidden("spec", why));
    }
    let size = |claim: &Object, path: &str| at(claim, path).and_then(Value::as_str).and_then(Quantity::parse);
    let path = "spec.resources.requests.storage";
    let (old, new, capacity) = (size(before, path), size(object, path), size(before, "status.capacity.storage"));
    let is_too_small = new < old && new < capacity;
    is_too_small.then(|| FieldError::forbidden(path, "field can not be less than status.capacity"))
}

fn capacity(claim: &Value) -> Value {
    if said(claim, "/spec/volumeName").is_empty() { "".into() } else { said(claim, "/status/capacity/storage").into() }
}

fn given_access_modes(claim: &Value) -> Value {
    if said(claim, "/spec/volumeName").is_empty() { "".into() } else { access_modes(claim, "/status/accessModes") }
}
