//! CSIDrivers: what a driver of volumes can do.

use crate::registry::strategy::Strategy;
use crate::registry::validation::immutable::{ImmutableFields, Printed};

/// The strategy of CSIDrivers.
#[derive(Debug)]
pub(super) struct CsiDrivers;

impl Strategy for CsiDrivers {
    fn immutable_fields(&self) -> ImmutableFields {
        // The path in the error is kube-apiserver's, and not the document's.
        &[("spec.attachRequired", Printed::As("spec.attachedRequired"))]
    }
}
