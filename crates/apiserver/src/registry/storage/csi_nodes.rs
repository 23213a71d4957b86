//! CSINodes: which drivers of volumes a node has.

use crate::catalog::kinds::Kind;
use crate::registry::strategy::Strategy;
use crate::response::table::columns::Column;

/// The strategy of CSINodes.
#[derive(Debug)]
pub(super) struct CsiNodes;

impl Strategy for CsiNodes {
    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::count("Drivers", "integer", &[".spec.drivers"]), Column::age()]
    }
}
