//! CSIDrivers: what a driver of volumes can do.

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::immutable::{self, Printed};
use crate::response::status::FieldError;

/// The strategy of CSIDrivers.
#[derive(Debug)]
pub(super) struct CsiDrivers;

impl Strategy for CsiDrivers {
    fn validate_update(&self, _: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        // The path in the error is kube-apiserver's, and not the document's.
        immutable::errors(before, object, &[("spec.attachRequired", Printed::As("spec.attachedRequired"))])
    }
}
