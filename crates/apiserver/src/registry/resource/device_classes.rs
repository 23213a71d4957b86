//! DeviceClasses: kinds of devices.

use crate::catalog::kinds::Kind;
use crate::registry::strategy::Strategy;
use crate::response::table::columns::Column;

/// The strategy of DeviceClasses.
#[derive(Debug)]
pub(super) struct DeviceClasses;

impl Strategy for DeviceClasses {
    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::age()]
    }
}
