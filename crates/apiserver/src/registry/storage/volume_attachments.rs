//! VolumeAttachments: which volume is at which node.

use crate::catalog::kinds::Kind;
use crate::registry::strategy::Strategy;
use crate::response::table::columns::Column;

/// The strategy of VolumeAttachments.
#[derive(Debug)]
pub(super) struct VolumeAttachments;

impl Strategy for VolumeAttachments {
    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::text("Attacher", ".spec.attacher", "").formatted("name"),
            Column::text("PV", ".spec.source.persistentVolumeName", ""),
            Column::text("Node", ".spec.nodeName", ""),
            Column::text("Attached", ".status.attached", "").typed("boolean"),
            Column::age(),
        ]
    }
}
